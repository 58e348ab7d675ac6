//! Calls that fit the input schema are answered with an error only by tools that may.

use serde_json::Value;

use crate::mcp::check::{Check, Context, ErrorPolicy, Run};
use crate::mcp::finding::{Severity, Sighting};
use crate::mcp::outcome::{Exchange, Outcome};

pub(crate) const CHECK: Check = Check {
    code: "error-results-only-where-allowed",
    severity: Severity::Error,
    description: "Only tools that may answer with an error do, and never with an internal one.",
    run: Run::Exchange(run),
};

/// The JSON-RPC code for a fault of the server itself.
const INTERNAL_ERROR: i64 = -32603;

fn run(context: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    let is_allowed = match context.error_policy {
        ErrorPolicy::Anywhere => true,
        ErrorPolicy::Only(tools) => tools.contains(&exchange.tool),
    };
    match &exchange.outcome {
        Outcome::RpcError { code: INTERNAL_ERROR, message, .. } => {
            let severity = is_allowed.then_some(Severity::Warning);
            let message = format!("the server answered with an internal error: {message}");
            vec![Sighting { severity, ..Sighting::in_call(exchange, message) }]
        }
        Outcome::RpcError { code, message, .. } if !is_allowed => {
            let message = format!("the tool may not fail, but answered with error {code}: {message}");
            vec![Sighting::in_call(exchange, message)]
        }
        Outcome::ErrorResult { result } if !is_allowed => {
            let message =
                format!("the tool may not fail, but answered with \"isError\": true{}", words(result));
            vec![Sighting::in_call(exchange, message)]
        }
        Outcome::Answered { .. }
        | Outcome::ErrorResult { .. }
        | Outcome::NeedsInput { .. }
        | Outcome::RpcError { .. }
        | Outcome::TimedOut { .. }
        | Outcome::Crashed { .. }
        | Outcome::Garbage
        | Outcome::Expired
        | Outcome::Closed { .. } => Vec::new(),
    }
}

/// Most characters of what a tool says about its error.
const MOST_WORDS: usize = 200;

/// What the tool says about its error: two that differ there are two findings.
fn words(result: &Value) -> String {
    let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(MOST_WORDS).collect();
    if short.is_empty() { short } else { format!(": {short}") }
}
