//! An error is told as an error, not inside a result that claims success.
//!
//! Only plain speech counts: words that open a text, and members that name an error. A tool that returns what it
//! found elsewhere, such as the text of a file, may be suspected wrongly; hence a warning and not an error.

use serde_json::Value;

use crate::corpus::json_in_text;
use crate::mcp::check::{Check, Context, Run};
use crate::mcp::finding::{Severity, Sighting};
use crate::mcp::outcome::Exchange;

pub(crate) const CHECK: Check = Check {
    code: "no-soft-errors",
    severity: Severity::Warning,
    description: "A failed call is marked with isError, so that clients can tell it from a success.",
    run: Run::Exchange(run),
};

fn run(_: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    let Some(result) = exchange.outcome.success() else {
        return Vec::new();
    };
    let structured = result.get("structuredContent").and_then(error_in_members);
    let blocks = result.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts = blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str));
    let told = structured.or_else(|| texts.into_iter().find_map(error_in_text));
    told.map(|told| {
        let message = format!("the result claims success, but tells an error: {told}");
        Sighting::in_call(exchange, message)
    })
    .into_iter()
    .collect()
}

/// How texts begin that tell of an error, in whatever case.
const OPENINGS: &[&str] = &[
    "error:",
    "error executing",
    "error calling",
    "mcp error ",
    "database error:",
    "internal error",
    "unhandled exception",
    "exception:",
    "traceback (most recent call last)",
    "typeerror:",
    "valueerror:",
    "keyerror:",
    "referenceerror:",
    "syntaxerror:",
    "failed to ",
    "fatal:",
    "panic:",
];

fn error_in_text(text: &str) -> Option<String> {
    if let Some(json) = json_in_text(text) {
        return error_in_members(&json);
    }
    let text = text.trim_start();
    let begins = |opening: &&str| {
        let start = text.as_bytes().get(..opening.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(opening.as_bytes()))
    };
    OPENINGS.iter().any(begins).then(|| format!("{:?}", text.chars().take(200).collect::<String>()))
}

/// Members whose value says that the call failed.
fn error_in_members(value: &Value) -> Option<String> {
    let members = value.as_object()?;
    members.iter().find_map(|(name, value)| {
        let is_told = match (name.to_lowercase().as_str(), value) {
            ("error" | "errormessage" | "error_message", Value::String(text)) => !text.is_empty(),
            ("error", Value::Object(error)) => !error.is_empty(),
            ("success" | "ok" | "succeeded", Value::Bool(is_success)) => !is_success,
            ("error" | "iserror" | "is_error" | "failed", Value::Bool(is_error)) => *is_error,
            ("status" | "result" | "outcome", Value::String(status)) => {
                matches!(status.to_lowercase().as_str(), "error" | "failed" | "failure")
            }
            _ => false,
        };
        is_told.then(|| {
            let shown: String = value.to_string().chars().take(200).collect();
            format!("{name:?} is {shown}")
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_speech_of_an_error_is_heard_and_other_words_are_not() {
        for (text, is_error) in [
            ("Error: only SELECT is allowed", true),
            ("Traceback (most recent call last):\n", true),
            ("{\"status\": \"error\", \"message\": \"no such task\"}", true),
            ("{\"success\": false}", true),
            ("{\"error\": null, \"rows\": []}", false),
            ("{\"status\": \"ok\"}", false),
            ("No errors were found", false),
            ("The error rate is 0", false),
        ] {
            assert_eq!(error_in_text(text).is_some(), is_error, "{text}");
        }
        assert!(error_in_members(&json!({"ok": false})).is_some());
        assert!(error_in_members(&json!({"ok": true, "errors": []})).is_none());
    }
}
