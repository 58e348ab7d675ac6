//! A call must not end the server.

use crate::mcp::check::{Check, Context, Run};
use crate::mcp::finding::{Severity, Sighting};
use crate::mcp::outcome::{Exchange, Outcome};

pub(crate) const CHECK: Check = Check {
    code: "no-crash",
    severity: Severity::Error,
    description: "The server process and its connection survive every call.",
    run: Run::Exchange(run),
};

fn run(_: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    match &exchange.outcome {
        Outcome::Crashed { exit, stderr_tail } => {
            let mut sighting =
                Sighting::in_call(exchange, format!("the server ended with {exit} instead of answering"));
            let last = stderr_tail.lines().rev().filter(|line| !line.trim().is_empty()).take(20);
            let last: Vec<&str> = last.collect();
            sighting.evidence.extend(last.into_iter().rev().map(|line| format!("stderr: {line}")));
            vec![sighting]
        }
        Outcome::Closed { reason } => {
            vec![Sighting::in_call(exchange, format!("the connection ended instead of an answer: {reason}"))]
        }
        Outcome::Expired => {
            let message = "the server ended the session (HTTP 404) instead of answering; it may, and clients have to \
                           open another";
            let sighting = Sighting::in_call(exchange, message.to_owned());
            vec![Sighting { tool: None, severity: Some(Severity::Note), ..sighting }]
        }
        Outcome::Answered { .. }
        | Outcome::ErrorResult { .. }
        | Outcome::NeedsInput { .. }
        | Outcome::RpcError { .. }
        | Outcome::TimedOut { .. }
        | Outcome::Garbage => Vec::new(),
    }
}
