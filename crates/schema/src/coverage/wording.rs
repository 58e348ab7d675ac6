//! A target in words, for people.

use serde_json::Value;

use crate::coverage::report::TargetReport;

/// Longest value shown in words.
const VALUE_LENGTH: usize = 60;

/// Where a target stands, as the user wrote it.
#[must_use]
pub fn place(target: &TargetReport) -> &str {
    target.meta.get("source").and_then(Value::as_str).unwrap_or(&target.canon_path)
}

/// What a target asks for, as a short phrase.
#[must_use]
pub fn describe(target: &TargetReport) -> String {
    let param = |name: &str| target.params.get(name).map(brief).unwrap_or_default();
    match target.kind.as_str() {
        "SCHEMA_NODE" => "a value here".to_owned(),
        "PROPERTY_PRESENT" => format!("member {} present", param("property")),
        "ONEOF_BRANCH" => format!("oneOf branch {}", param("branchIndex")),
        "ANYOF_BRANCH" => format!("anyOf branch {}", param("branchIndex")),
        "CONDITIONAL_PATH" => match target.params.get("path").and_then(Value::as_str) {
            Some("if+then") => "the condition holds".to_owned(),
            Some("if+else") => "the condition does not hold".to_owned(),
            Some("active") => format!("member {} present, its schema applies", param("property")),
            Some("inactive") => format!("member {} absent, its schema does not apply", param("property")),
            Some(_) | None => "a conditional path".to_owned(),
        },
        "ENUM_VALUE_HIT" => format!("the value {}", param("value")),
        "NUMERIC_MIN_HIT" => format!("the least number, {}", param("value")),
        "NUMERIC_MAX_HIT" => format!("the greatest number, {}", param("value")),
        "STRING_MIN_LENGTH_HIT" => format!("the shortest string, length {}", param("value")),
        "STRING_MAX_LENGTH_HIT" => format!("the longest string, length {}", param("value")),
        "ARRAY_MIN_ITEMS_HIT" => format!("the shortest array, {} items", param("value")),
        "ARRAY_MAX_ITEMS_HIT" => format!("the longest array, {} items", param("value")),
        "OP_REQUEST_COVERED" => "a request".to_owned(),
        "OP_RESPONSE_COVERED" => "a response".to_owned(),
        "SCHEMA_REUSED_COVERED" => "a schema that several operations use".to_owned(),
        other => other.to_owned(),
    }
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= VALUE_LENGTH {
        return text;
    }
    let short: String = text.chars().take(VALUE_LENGTH).collect();
    format!("{short}…")
}
