//! A call must be answered within the time limit.

use crate::mcp::check::{Check, Context, Run};
use crate::mcp::finding::{Severity, Sighting};
use crate::mcp::outcome::{Exchange, Outcome};

pub(crate) const CHECK: Check = Check {
    code: "no-hang",
    severity: Severity::Error,
    description: "Every call is answered within the time limit.",
    run: Run::Exchange(run),
};

fn run(_: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    let Outcome::TimedOut { after } = &exchange.outcome else {
        return Vec::new();
    };
    let progress = match exchange.n_progress {
        0 => String::new(),
        n_progress => format!(", though it reported progress {n_progress} times"),
    };
    vec![Sighting::in_call(exchange, format!("no answer within {after:?}{progress}"))]
}
