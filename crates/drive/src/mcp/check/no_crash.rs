//! A call must not end the server, neither instead of its answer nor after it.

use crate::mcp::check::{Check, Context, Observation, Run};
use crate::mcp::finding::{Severity, Sighting, evidence};
use crate::mcp::outcome::{Exchange, Outcome};

pub(crate) const CHECK: Check = Check {
    code: "no-crash",
    severity: Severity::Error,
    description: "The server process and its connection survive every call.",
    run: Run::Both(instead_of_answer, after_answer),
};

fn instead_of_answer(_: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    let sighting = |message| Sighting::in_call(exchange, message);
    sight(&exchange.outcome, "instead of answering", sighting).into_iter().collect()
}

/// The list of tools is asked for after the last call; a server that is gone by then has answered and ended.
fn after_answer(_: &Context<'_>, observation: &Observation<'_>) -> Vec<Sighting> {
    let Some(unlisted) = observation.unlisted else {
        return Vec::new();
    };
    let records = evidence(&unlisted.records);
    let sighted = match observation.exchanges.last() {
        None => sight(&unlisted.outcome, "when its tools were listed", |message| Sighting {
            tool: None,
            step: None,
            message,
            evidence: records.clone(),
            severity: None,
        }),
        Some(last) => sight(&unlisted.outcome, "after its answer", |message| {
            let mut sighting = Sighting::in_call(last, message);
            sighting.evidence.extend(records.clone());
            sighting
        }),
    };
    sighted.into_iter().collect()
}

/// The end of a server as a sighting, if that is what an outcome tells.
fn sight(outcome: &Outcome, when: &str, sighting: impl Fn(String) -> Sighting) -> Option<Sighting> {
    match outcome {
        Outcome::Crashed { exit, stderr_tail } => {
            let mut sighting = sighting(format!("the server ended with {exit} {when}"));
            let last = stderr_tail.lines().rev().filter(|line| !line.trim().is_empty()).take(20);
            let last: Vec<&str> = last.collect();
            sighting.evidence.extend(last.into_iter().rev().map(|line| format!("stderr: {line}")));
            Some(sighting)
        }
        Outcome::Closed { reason } => Some(sighting(format!("the connection ended {when}: {reason}"))),
        Outcome::Expired => {
            let message = format!(
                "the server ended the session (HTTP 404) {when}; it may, and clients have to open another"
            );
            let sighting = sighting(message);
            Some(Sighting { tool: None, severity: Some(Severity::Note), ..sighting })
        }
        Outcome::Answered { .. }
        | Outcome::ErrorResult { .. }
        | Outcome::NeedsInput { .. }
        | Outcome::RpcError { .. }
        | Outcome::TimedOut { .. }
        | Outcome::Garbage => None,
    }
}
