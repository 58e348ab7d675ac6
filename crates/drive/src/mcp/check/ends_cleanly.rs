//! A server ends when its input is closed, and leaves no process behind.

use crate::mcp::check::{Check, Context, Observation, Run};
use crate::mcp::finding::{Severity, Sighting, evidence};
use crate::mcp::outcome::Outcome;
use crate::mcp::transport::Exit;

pub(crate) const CHECK: Check = Check {
    code: "ends-cleanly",
    severity: Severity::Warning,
    description: "A server process ends by itself when its input is closed, together with what it started.",
    run: Run::Session(run),
};

/// The signal of a pipe that nobody reads.
const BROKEN_PIPE: i32 = 13;

fn run(_: &Context<'_>, observation: &Observation<'_>) -> Vec<Sighting> {
    let Some(closing) = observation.closing else {
        return Vec::new();
    };
    let mut messages = Vec::new();
    let calls = observation.exchanges.iter().map(|exchange| &exchange.outcome);
    let outcomes = calls.chain(observation.unlisted.map(|unlisted| &unlisted.outcome));
    let has = |is_it: fn(&Outcome) -> bool| outcomes.clone().any(is_it);
    let is_busy = has(|outcome| matches!(outcome, Outcome::TimedOut { .. }));
    let has_crashed = has(|outcome| matches!(outcome, Outcome::Crashed { .. }));
    // A server that hangs in a call cannot see its input close; the hang has been told.
    if closing.is_forced && !is_busy {
        messages.push("the server went on after its input was closed and had to be killed".to_owned());
    }
    match closing.exit {
        // Who still writes when we have heard enough ends like this; that is our doing.
        Some(Exit::Signal(BROKEN_PIPE)) => {}
        Some(exit @ Exit::Signal(_)) if !closing.is_forced && !has_crashed => {
            messages.push(format!("the server ended with {exit} when its input was closed"));
        }
        _ => {}
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
