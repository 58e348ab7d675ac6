//! A tool with an output schema returns structured content.

use serde_json::Value;

use crate::mcp::check::{Check, Context, Run};
use crate::mcp::finding::{Severity, Sighting};
use crate::mcp::outcome::Exchange;

pub(crate) const CHECK: Check = Check {
    code: "structured-content-present",
    severity: Severity::Error,
    description: "A successful call of a tool with an output schema has structured content.",
    run: Run::Exchange(run),
};

fn run(context: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    let Some(result) = exchange.outcome.success() else {
        return Vec::new();
    };
    // A task or another kind of result comes before the content does.
    let kind = result.get("resultType").and_then(Value::as_str);
    let is_complete = kind.is_none_or(|kind| kind == "complete") && result.get("task").is_none();
    let is_promised = context.catalog.tool(&exchange.tool).is_some_and(|tool| tool.declares_output);
    if is_complete && is_promised && result.get("structuredContent").is_none() {
        let message = "the tool declares an output schema, but the result has no \"structuredContent\"";
        return vec![Sighting::in_call(exchange, message.to_owned())];
    }
    Vec::new()
}
