//! What a tool promises about its structured content, it keeps.

use crate::mcp::check::{Check, Context, Run};
use crate::mcp::finding::{Severity, Sighting};
use crate::mcp::outcome::Exchange;

pub(crate) const CHECK: Check = Check {
    code: "structured-content-fits-output-schema",
    severity: Severity::Error,
    description: "The structured content of a successful call fits the output schema of its tool.",
    run: Run::Exchange(run),
};

fn run(context: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    let violation = || {
        let structured = exchange.outcome.success()?.get("structuredContent")?;
        context.catalog.tool(&exchange.tool)?.output.as_ref()?.violation(structured)
    };
    violation()
        .map(|violation| {
            let message = format!("the structured content does not fit the output schema: {violation}");
            Sighting::in_call(exchange, message)
        })
        .into_iter()
        .collect()
}
