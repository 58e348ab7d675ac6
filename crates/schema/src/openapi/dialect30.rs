//! The dialect of OpenAPI 3.0: everything in which its schemas differ from JSON Schema 2020-12, spelled in the newer one.
//!
//! `nullable` adds `null` to the `type` that stands beside it and to nothing else (OpenAPI 3.0.3 §4.7.24): without a `type`
//! it says nothing, and an `enum` that does not list `null` still rules it out. `$ref` stands alone. Bounds are made
//! exclusive by a boolean. There is one `example`. Keywords that 3.0 does not have say nothing.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

/// The keywords that say something about values in 3.0 and mean the same in 2020-12.
const KEPT: &[&str] = &[
    "multipleOf",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxProperties",
    "minProperties",
    "required",
    "enum",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "items",
    "properties",
    "additionalProperties",
    "format",
    "default",
    "readOnly",
    "writeOnly",
];

/// The members of a 3.0 schema without a reference, as 2020-12 writes them.
pub(super) fn modern(schema: &Map<String, Value>) -> Vec<(&str, Cow<'_, Value>)> {
    let mut members: Vec<(&str, Cow<'_, Value>)> = Vec::with_capacity(schema.len());
    for (name, value) in schema {
        let name = name.as_str();
        let is_true = |keyword: &str| schema.get(keyword) == Some(&Value::Bool(true));
        let exact = match name {
            "type" if is_true("nullable") && value.is_string() => (name, Cow::Owned(json!([value, "null"]))),
            "minimum" if is_true("exclusiveMinimum") => ("exclusiveMinimum", Cow::Borrowed(value)),
            "maximum" if is_true("exclusiveMaximum") => ("exclusiveMaximum", Cow::Borrowed(value)),
            "type" | "minimum" | "maximum" => (name, Cow::Borrowed(value)),
            // A number here is how 2020-12 writes it; 3.0 only knows booleans, and the number is plainly meant.
            "exclusiveMinimum" | "exclusiveMaximum" if value.is_number() => (name, Cow::Borrowed(value)),
            "example" => ("examples", Cow::Owned(json!([value]))),
            _ if KEPT.contains(&name) => (name, Cow::Borrowed(value)),
            _ => continue,
        };
        members.push(exact);
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: &Value) {
        let members = schema.as_object().map(modern).unwrap_or_default();
        let read: Map<String, Value> =
            members.into_iter().map(|(name, value)| (name.to_owned(), value.into_owned())).collect();
        assert_eq!(Value::Object(read), *expected, "{schema}");
    }

    #[test]
    fn nullable_adds_null_to_the_type_beside_it_and_to_nothing_else() {
        check(&json!({"type": "string", "nullable": true}), &json!({"type": ["string", "null"]}));
        check(&json!({"type": "string", "nullable": false}), &json!({"type": "string"}));
        check(&json!({"nullable": true}), &json!({}));
        check(
            &json!({"type": "string", "nullable": true, "enum": ["a"]}),
            &json!({"type": ["string", "null"], "enum": ["a"]}),
        );
    }

    #[test]
    fn a_boolean_makes_a_bound_exclusive() {
        check(&json!({"minimum": 1, "exclusiveMinimum": true}), &json!({"exclusiveMinimum": 1}));
        check(&json!({"maximum": 9, "exclusiveMaximum": false}), &json!({"maximum": 9}));
        check(&json!({"exclusiveMaximum": true}), &json!({}));
    }

    #[test]
    fn an_example_becomes_a_list_of_one_and_unknown_keywords_say_nothing() {
        check(&json!({"example": 5, "const": 6, "id": "x", "x-a": 1}), &json!({"examples": [5]}));
    }
}
