//! A server ends when its input is closed, and leaves no process behind.

use crate::mcp::check::{Check, Context, Observation, Run};
use crate::mcp::finding::{Severity, Sighting, evidence};
use crate::mcp::outcome::Outcome;

pub(crate) const CHECK: Check = Check {
    code: "ends-cleanly",
    severity: Severity::Warning,
    description: "A server process ends by itself when its input is closed, together with what it started.",
    run: Run::Session(run),
};

fn run(_: &Context<'_>, observation: &Observation<'_>) -> Vec<Sighting> {
    let Some(closing) = observation.closing else {
        return Vec::new();
    };
    let mut messages = Vec::new();
    let is_busy =
        observation.exchanges.iter().any(|exchange| matches!(exchange.outcome, Outcome::TimedOut { .. }));
    // A server that hangs in a call cannot see its input close; the hang has been told.
    if closing.is_forced && !is_busy {
        messages.push("the server went on after its input was closed and had to be killed".to_owned());
    }
    if closing.n_left_behind > 0 {
        messages.push(match closing.n_left_behind {
            1 => "the server left a process behind, which was killed".to_owned(),
            n => format!("the server left {n} processes behind, which were killed"),
        });
    }
    let sighting = |message| Sighting {
        tool: None,
        step: None,
        message,
        evidence: evidence(&closing.records),
        severity: None,
    };
    messages.into_iter().map(sighting).collect()
}
