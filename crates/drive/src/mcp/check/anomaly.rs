//! Irregularities of the wire as sightings, for the checks that each answer for some kinds of them.

use crate::mcp::check::Observation;
use crate::mcp::finding::{Severity, Sighting, evidence};
use crate::mcp::outcome::Exchange;
use crate::mcp::transport::{Anomaly, AnomalyKind, Record};

/// The irregularities of one call that are of these kinds, each kind once.
pub(crate) fn of_exchange(exchange: &Exchange, kinds: &[AnomalyKind]) -> Vec<Sighting> {
    merged(&exchange.anomalies, kinds)
        .into_iter()
        .map(|(anomaly, n_times)| Sighting {
            evidence: evidence(&records_around(&exchange.records, anomaly.record)),
            severity: severity(anomaly.kind),
            ..Sighting::in_call(exchange, message(anomaly, n_times))
        })
        .collect()
}

/// The irregularities outside calls: in the handshake, the listings and after the last call.
pub(crate) fn outside_calls(observation: &Observation<'_>, kinds: &[AnomalyKind]) -> Vec<Sighting> {
    let Observation { opening, listings, exchanges: _, closing } = observation;
    let opening = std::iter::once((&opening.anomalies, &opening.records));
    let listings = listings.iter().map(|listing| (&listing.anomalies, &listing.records));
    let closing = closing.iter().map(|closing| (&closing.anomalies, &closing.records));
    opening
        .chain(listings)
        .chain(closing)
        .flat_map(|(anomalies, records)| {
            merged(anomalies, kinds).into_iter().map(|(anomaly, n_times)| Sighting {
                tool: None,
                step: None,
                message: message(anomaly, n_times),
                evidence: evidence(&records_around(records, anomaly.record)),
                severity: severity(anomaly.kind),
            })
        })
        .collect()
}

/// The first of each kind, and how many there are.
fn merged<'a>(anomalies: &'a [Anomaly], kinds: &[AnomalyKind]) -> Vec<(&'a Anomaly, usize)> {
    kinds
        .iter()
        .filter_map(|kind| {
            let mut same = anomalies.iter().filter(|anomaly| anomaly.kind == *kind);
            let first = same.next()?;
            Some((first, 1 + same.count()))
        })
        .collect()
}

fn message(anomaly: &Anomaly, n_times: usize) -> String {
    let Anomaly { kind, record: _, detail } = anomaly;
    let more = if n_times > 1 { format!(" ({n_times} times)") } else { String::new() };
    format!("{}: {detail}{more}", kind.name())
}

/// An unknown member harms nobody; clients ignore it.
fn severity(kind: AnomalyKind) -> Option<Severity> {
    (kind == AnomalyKind::UnknownMember).then_some(Severity::Note)
}

/// The question, if it is near, and the message itself.
fn records_around(records: &[Record], index: u64) -> Vec<Record> {
    records.iter().filter(|record| record.index <= index && record.index + 4 > index).cloned().collect()
}
