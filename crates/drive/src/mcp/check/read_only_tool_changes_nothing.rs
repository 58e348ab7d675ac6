//! A tool marked read-only changes no other read-only tool's answer.
//!
//! The evidence has three parts: a read-only tool asked twice in a row gave the same (so it does not change by
//! itself), then only read-only tools were called, then it gave something else.

use crate::mcp::check::same_answer::{contrast, is_same_call, substance};
use crate::mcp::check::{Check, Context, Observation, Run};
use crate::mcp::finding::{Severity, Sighting, evidence};
use crate::mcp::outcome::Exchange;

pub(crate) const CHECK: Check = Check {
    code: "read-only-tool-changes-nothing",
    severity: Severity::Error,
    description: "A call that gave the same twice gives it again after calls of tools marked read-only; answers that change by themselves are not judged.",
    run: Run::Session(run),
};

fn run(context: &Context<'_>, observation: &Observation<'_>) -> Vec<Sighting> {
    let is_read_only = |exchange: &Exchange| {
        context.catalog.tool(&exchange.tool).is_some_and(|tool| tool.annotations.is_read_only())
    };
    let exchanges = observation.exchanges;
    let mut sightings = Vec::new();
    for (at, pair) in exchanges.windows(2).enumerate() {
        let [first, control] = pair else { continue };
        let is_steady = is_read_only(first)
            && is_same_call(first, control)
            && substance(&first.outcome).is_some()
            && substance(&first.outcome) == substance(&control.outcome);
        if !is_steady {
            continue;
        }
        let rest = &exchanges[at + 2..];
        let n_read_only = rest.iter().take_while(|exchange| is_read_only(exchange)).count();
        let again = rest[..n_read_only].iter().position(|exchange| is_same_call(control, exchange));
        let Some(again) = again.filter(|again| *again > 0) else {
            continue;
        };
        let (between, again) = (&rest[..again], &rest[again]);
        if substance(&again.outcome).is_some() && substance(&again.outcome) != substance(&control.outcome) {
            let names: Vec<&str> = between.iter().map(|exchange| exchange.tool.as_str()).collect();
            let message = format!(
                "only read-only tools were called ({:?}), yet {} answers differently: {}",
                // Quoted as one: how many calls it took does not make it another finding.
                names.join(", "),
                again.tool,
                contrast(control, again),
            );
            let mut shown = evidence(&control.records);
            shown.extend(between.iter().flat_map(|exchange| evidence(&exchange.records)));
            shown.extend(evidence(&again.records));
            let tool = names.last().map(|name| (*name).to_owned());
            sightings.push(Sighting {
                tool,
                step: Some(again.step),
                message,
                evidence: shown,
                severity: None,
            });
        }
    }
    sightings
}
