//! Irregularities of the wire as sightings, for the checks that each answer for some kinds of them.
//!
//! A message belongs to the call whose request it answers, however late it comes. One that answers nothing belongs to
//! the call only if nothing else does; beside an answer it may come from before or after, and is told of the session.

use crate::mcp::check::Observation;
use crate::mcp::finding::{Severity, Sighting, evidence};
use crate::mcp::outcome::{Exchange, Outcome};
use crate::mcp::transport::{Anomaly, AnomalyKind, Direction, Record};

/// The irregularities of one call that are of these kinds, each kind once.
pub(crate) fn of_exchange(exchange: &Exchange, kinds: &[AnomalyKind]) -> Vec<Sighting> {
    let mut sightings = Vec::new();
    for kind in kinds {
        let mut same = exchange.anomalies.iter().filter(|anomaly| anomaly.kind == *kind);
        let Some(anomaly) = same.find(|anomaly| !is_about_another(exchange, anomaly)) else {
            continue;
        };
        let is_beside = anomaly.request.is_none() && is_answered(&exchange.outcome);
        sightings.push(Sighting {
            tool: (!is_beside).then(|| exchange.tool.clone()),
            step: Some(exchange.step),
            message: message(anomaly),
            evidence: shown(anomaly, &exchange.records, &exchange.records),
            severity: severity(anomaly.kind),
        });
    }
    sightings
}

/// The irregularities outside calls: in the handshake, the listings and after the last call; and those of calls that
/// came after their answer.
pub(crate) fn outside_calls(observation: &Observation<'_>, kinds: &[AnomalyKind]) -> Vec<Sighting> {
    let Observation { opening, listings, exchanges, unlisted, closing } = observation;
    let opening = opening.anomalies.iter().map(|anomaly| (anomaly, &opening.records));
    let listings = listings
        .iter()
        .flat_map(|listing| listing.anomalies.iter().map(|anomaly| (anomaly, &listing.records)));
    let late = exchanges.iter().flat_map(|exchange| {
        let late = exchange.anomalies.iter().filter(|anomaly| is_about_another(exchange, anomaly));
        late.map(|anomaly| (anomaly, &exchange.records))
    });
    let unlisted = unlisted
        .iter()
        .flat_map(|unlisted| unlisted.anomalies.iter().map(|anomaly| (anomaly, &unlisted.records)));
    let closing = closing
        .iter()
        .flat_map(|closing| closing.anomalies.iter().map(|anomaly| (anomaly, &closing.records)));
    let mut known: Vec<(AnomalyKind, Option<usize>)> = Vec::new();
    let mut sightings = Vec::new();
    for (anomaly, records) in opening.chain(late).chain(listings).chain(unlisted).chain(closing) {
        let owner = exchanges.iter().find(|exchange| is_about(exchange, anomaly));
        let key = (anomaly.kind, owner.map(|exchange| exchange.step));
        if !kinds.contains(&anomaly.kind) || known.contains(&key) {
            continue;
        }
        known.push(key);
        sightings.push(Sighting {
            tool: owner.map(|exchange| exchange.tool.clone()),
            step: owner.map(|exchange| exchange.step),
            message: message(anomaly),
            evidence: shown(anomaly, records, owner.map_or(&[], |exchange| &exchange.records)),
            severity: severity(anomaly.kind),
        });
    }
    sightings
}

fn is_about(exchange: &Exchange, anomaly: &Anomaly) -> bool {
    anomaly.request.is_some_and(|request| exchange.requests.contains(&request))
}

fn is_about_another(exchange: &Exchange, anomaly: &Anomaly) -> bool {
    anomaly.request.is_some() && !is_about(exchange, anomaly)
}

/// Whether something came that answers the call.
fn is_answered(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Answered { .. }
        | Outcome::ErrorResult { .. }
        | Outcome::NeedsInput { .. }
        | Outcome::RpcError { .. } => true,
        Outcome::TimedOut { .. }
        | Outcome::Crashed { .. }
        | Outcome::Garbage
        | Outcome::Expired
        | Outcome::Closed { .. } => false,
    }
}

fn message(anomaly: &Anomaly) -> String {
    let Anomaly { kind, record: _, request: _, detail } = anomaly;
    let what = match kind {
        AnomalyKind::NotJson => {
            return format!(
                "this is no message of JSON-RPC: {detail}; a server on stdio writes its logs to standard error"
            );
        }
        AnomalyKind::NotUtf8 => "a message is not UTF-8",
        AnomalyKind::NotJsonRpc => "a message is not one of JSON-RPC 2.0",
        AnomalyKind::TooLong => "a message is too long",
        AnomalyKind::TooDeep => "a message is nested too deep",
        AnomalyKind::CutOff => "a message is cut off",
        AnomalyKind::UnknownId => "an answer that was not asked for",
        AnomalyKind::DuplicateAnswer => "a second answer",
        AnomalyKind::ChangedIdType => "an id of another type came back",
        AnomalyKind::UnknownMember => "a message has a member that JSON-RPC does not know",
        AnomalyKind::Flood => "too many messages",
        AnomalyKind::TooManyRequests => "too many requests",
        AnomalyKind::Redirect => "HTTP redirect",
        AnomalyKind::HttpStatus => "HTTP status",
        AnomalyKind::ContentType => "HTTP content type",
        AnomalyKind::SlowBody => "HTTP body",
    };
    format!("{what}: {detail}")
}

/// An unknown member harms nobody; clients ignore it.
fn severity(kind: AnomalyKind) -> Option<Severity> {
    (kind == AnomalyKind::UnknownMember).then_some(Severity::Note)
}

/// The question and the message: an order of which the time between the two has no say.
fn shown(anomaly: &Anomaly, records: &[Record], of_call: &[Record]) -> Vec<String> {
    let question = of_call.iter().filter(|record| record.direction == Direction::Sent);
    let seen = records.iter().filter(|record| record.index == anomaly.record);
    evidence(&question.chain(seen).cloned().collect::<Vec<_>>())
}
