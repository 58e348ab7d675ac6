//! The schemas that tools of ours declare: objects whose members are all named.

use serde_json::{Map, Value, json};

/// The schema of an object with these members, in this order, and no others.
pub(crate) fn object(members: Vec<(&'static str, Value)>, required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        members.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false
    })
}

/// The schema of a count.
pub(crate) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// The schema of any text.
pub(crate) fn text() -> Value {
    json!({ "type": "string" })
}

/// The schema of a list of such values.
pub(crate) fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}
