//! The list of tools is one that clients can use.

use serde_json::Value;

use crate::mcp::catalog::{Side, Tool, ToolProblem};
use crate::mcp::check::{Check, Context, Observation, Run};
use crate::mcp::finding::{Severity, Sighting, evidence};
use crate::mcp::session::ListProblem;

pub(crate) const CHECK: Check = Check {
    code: "tool-list-valid",
    severity: Severity::Error,
    description: "Tool names are unique and well formed, and schemas are valid, small and in a known dialect.",
    run: Run::Session(run),
};

fn run(context: &Context<'_>, observation: &Observation<'_>) -> Vec<Sighting> {
    let about_list = observation.listings.iter().flat_map(|listing| {
        listing.problems.iter().map(|problem| Sighting {
            tool: None,
            step: None,
            message: problem.to_string(),
            evidence: evidence(&listing.records),
            severity: matches!(problem, ListProblem::NoCapability).then_some(Severity::Note),
        })
    });
    let about_tools = context.catalog.tools.iter().flat_map(|tool| {
        let problems = tool.problems.iter().cloned().chain(output_not_object(context, tool));
        problems.map(|problem| Sighting {
            tool: (!tool.name.is_empty()).then(|| tool.name.clone()),
            step: None,
            message: problem.to_string(),
            evidence: vec![format!("← {}", shortened(&tool.raw))],
            severity: Some(problem.severity()),
        })
    });
    about_list.chain(about_tools).collect()
}

/// Before the revision 2026-07-28 an output schema had to describe objects.
fn output_not_object(context: &Context<'_>, tool: &Tool) -> Option<ToolProblem> {
    let is_object = tool.output.as_ref()?.is_object_schema();
    (context.protocol < "2026-07-28" && !is_object)
        .then_some(ToolProblem::NotAnObjectSchema { side: Side::Output })
}

fn shortened(raw: &Value) -> String {
    let text = raw.to_string();
    match text.char_indices().nth(1_000) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
