//! A tool marked idempotent gives the same answer when it is called again at once with the same arguments.

use crate::mcp::check::same_answer::{contrast, is_same_call, substance};
use crate::mcp::check::{Check, Context, Observation, Run};
use crate::mcp::finding::{Severity, Sighting, evidence};

pub(crate) const CHECK: Check = Check {
    code: "idempotent-tool-repeats",
    severity: Severity::Warning,
    description: "A tool marked idempotent answers the same when it is called twice in a row.",
    run: Run::Session(run),
};

fn run(context: &Context<'_>, observation: &Observation<'_>) -> Vec<Sighting> {
    let mut sightings = Vec::new();
    for pair in observation.exchanges.windows(2) {
        let [first, second] = pair else { continue };
        let tool = context.catalog.tool(&first.tool);
        let is_broken = is_same_call(first, second)
            && tool.is_some_and(|tool| tool.annotations.is_idempotent())
            && first.outcome.success().is_some()
            && substance(&second.outcome).is_some()
            && substance(&first.outcome) != substance(&second.outcome);
        if is_broken {
            let message = format!(
                "the tool is marked idempotent, but answers differently the second time: {}",
                contrast(first, second),
            );
            let mut shown = evidence(&first.records);
            shown.extend(evidence(&second.records));
            let tool = Some(second.tool.clone());
            sightings.push(Sighting {
                tool,
                step: Some(second.step),
                message,
                evidence: shown,
                severity: None,
            });
        }
    }
    sightings
}
