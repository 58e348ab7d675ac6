//! A result has the shape MCP gives to the results of tools.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::mcp::catalog::CompiledSchema;
use crate::mcp::check::{Check, Context, Run};
use crate::mcp::finding::{Severity, Sighting};
use crate::mcp::outcome::{Exchange, Outcome};

pub(crate) const CHECK: Check = Check {
    code: "result-fits-mcp-schema",
    severity: Severity::Error,
    description: "The result of a call has the shape that MCP prescribes for the agreed revision.",
    run: Run::Exchange(run),
};

fn run(context: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    let (Outcome::Answered { result } | Outcome::ErrorResult { result }) = &exchange.outcome else {
        return Vec::new();
    };
    // A result that announces another kind of result, such as a task, is not one of a finished call.
    let kind = result.get("resultType").and_then(Value::as_str);
    if kind.is_some_and(|kind| kind != "complete") {
        return Vec::new();
    }
    let violation = schema(context.protocol).violation(result);
    let told = |violation| format!("the result is not one of MCP {}: {violation}", context.protocol);
    violation.map(|violation| Sighting::in_call(exchange, told(violation))).into_iter().collect()
}

/// The revision from which results name their type and structured content may be any value.
const FIRST_MODERN: &str = "2026-07-28";

fn schema(protocol: &str) -> &'static CompiledSchema {
    static LEGACY: OnceLock<CompiledSchema> = OnceLock::new();
    static MODERN: OnceLock<CompiledSchema> = OnceLock::new();
    if protocol < FIRST_MODERN {
        LEGACY.get_or_init(|| {
            let structured = json!({ "type": "object" });
            CompiledSchema::own(&result_schema(&structured, &["content"]))
        })
    } else {
        MODERN.get_or_init(|| CompiledSchema::own(&result_schema(&json!({}), &["content", "resultType"])))
    }
}

/// The result of a tool as a schema; only what a client relies on.
fn result_schema(structured: &Value, required: &[&str]) -> Value {
    let text = json!({ "type": "string" });
    let meta = json!({ "type": "object" });
    let block = |kind: &str, required: &[&str], properties: Value| {
        json!({
            "if": { "properties": { "type": { "const": kind } }, "required": ["type"] },
            "then": { "required": required, "properties": properties },
        })
    };
    let contents = json!({
        "type": "object",
        "required": ["uri"],
        "properties": { "uri": text, "mimeType": text, "text": text, "blob": text, "_meta": meta },
        "anyOf": [{ "required": ["text"] }, { "required": ["blob"] }],
    });
    json!({
        "type": "object",
        "required": required,
        "properties": {
            "content": { "type": "array", "items": { "$ref": "#/$defs/block" } },
            "structuredContent": structured,
            "isError": { "type": "boolean" },
            "resultType": text,
            "_meta": meta,
        },
        "$defs": { "block": {
            "type": "object",
            "required": ["type"],
            "properties": {
                "type": { "enum": ["text", "image", "audio", "resource_link", "resource"] },
                "annotations": {
                    "type": "object",
                    "properties": {
                        "audience": { "type": "array", "items": { "enum": ["user", "assistant"] } },
                        "priority": { "type": "number", "minimum": 0, "maximum": 1 },
                        "lastModified": text,
                    },
                },
                "_meta": meta,
            },
            "allOf": [
                block("text", &["text"], json!({ "text": text })),
                block("image", &["data", "mimeType"], json!({ "data": text, "mimeType": text })),
                block("audio", &["data", "mimeType"], json!({ "data": text, "mimeType": text })),
                block("resource_link", &["uri", "name"], json!({
                    "uri": text, "name": text, "title": text, "description": text, "mimeType": text,
                    "size": { "type": "integer" },
                })),
                block("resource", &["resource"], json!({ "resource": contents })),
            ],
        } },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(protocol: &str, result: &Value, violation: Option<&str>) {
        let seen = schema(protocol).violation(result);
        match violation {
            None => assert_eq!(seen, None),
            Some(part) => assert!(seen.as_ref().is_some_and(|seen| seen.contains(part)), "{seen:?}"),
        }
    }

    #[test]
    fn results_are_judged_by_the_agreed_revision() {
        check("2025-11-25", &json!({"content": []}), None);
        check("2025-11-25", &json!({"content": [], "structuredContent": [1]}), Some("at /structuredContent"));
        check(
            "2026-07-28",
            &json!({"content": [], "structuredContent": [1], "resultType": "complete"}),
            None,
        );
        check("2026-07-28", &json!({"content": []}), Some("resultType"));
    }

    #[test]
    fn every_kind_of_content_is_judged() {
        for (block, violation) in [
            (json!({"type": "text", "text": "a"}), None),
            (json!({"type": "text"}), Some("\"text\" is a required")),
            (json!({"type": "image", "data": "aGk=", "mimeType": "image/png"}), None),
            (json!({"type": "image", "data": 5, "mimeType": "image/png"}), Some("/content/0/data")),
            (json!({"type": "resource_link", "uri": "a:b", "name": "n"}), None),
            (json!({"type": "resource", "resource": {"uri": "a:b", "text": ""}}), None),
            (json!({"type": "resource", "resource": {"uri": "a:b"}}), Some("/content/0/resource")),
            (json!({"type": "video"}), Some("/content/0/type")),
            (json!("text"), Some("/content/0")),
        ] {
            check("2025-11-25", &json!({"content": [block]}), violation);
        }
    }
}
