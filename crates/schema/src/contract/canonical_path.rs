//! The canonical path of a place: the source pointer with every keyword spelled as in draft 2020-12.

use serde_json::Value;

use crate::json::Pointer;

/// What the next token of a pointer names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// A keyword of a schema.
    Schema,
    /// A name in a map of schemas, or an index in a list of them.
    Member,
    /// Something else; spelled as it is.
    Other,
}

/// Spells a pointer into `root` canonically.
pub(crate) fn canonical_path(root: &Value, source: &Pointer) -> Pointer {
    let mut path = Pointer::root();
    let mut value = Some(root);
    let mut at = At::Schema;
    for token in source.tokens() {
        let next = value.and_then(|value| step(value, &token));
        let (spelling, then) = match at {
            At::Schema => spell(value, next, &token),
            At::Member => (token.as_str(), At::Schema),
            At::Other => (token.as_str(), At::Other),
        };
        path = path.child(spelling);
        at = then;
        value = next;
    }
    path
}

fn step<'a>(value: &'a Value, token: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(token),
        Value::Array(items) => token.parse::<usize>().ok().and_then(|index| items.get(index)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The canonical spelling of a keyword, and what stands below it.
fn spell<'t>(schema: Option<&Value>, value: Option<&Value>, keyword: &'t str) -> (&'t str, At) {
    let is_list = value.is_some_and(Value::is_array);
    let has_tuple = schema.and_then(|schema| schema.get("items")).is_some_and(Value::is_array);
    match keyword {
        "definitions" => ("$defs", At::Member),
        "items" if is_list => ("prefixItems", At::Member),
        "additionalItems" if has_tuple => ("items", At::Schema),
        "dependencies" => ("dependentSchemas", At::Member),
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "allOf" | "anyOf" | "oneOf"
        | "prefixItems" => (keyword, At::Member),
        "items"
        | "additionalItems"
        | "additionalProperties"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "propertyNames"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else" => (keyword, At::Schema),
        // A document may hold schemas anywhere (OpenAPI does); their places are spelled as they are.
        other => (other, At::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(root: &Value, source: &str, expected: &str) {
        let source = Pointer::parse(source).expect("a test's pointer");
        assert_eq!(canonical_path(root, &source).to_string(), expected);
    }

    #[test]
    fn old_keywords_are_spelled_as_in_2020_12() {
        let root = json!({
            "definitions": {"definitions": {"items": [{}, {}], "additionalItems": {}}},
            "dependencies": {"a": {"not": {}}},
        });
        check(&root, "#/definitions/definitions", "#/$defs/definitions");
        check(&root, "#/definitions/definitions/items/1", "#/$defs/definitions/prefixItems/1");
        check(&root, "#/definitions/definitions/additionalItems", "#/$defs/definitions/items");
        check(&root, "#/dependencies/a/not", "#/dependentSchemas/a/not");
    }

    #[test]
    fn a_name_that_looks_like_a_keyword_stays_a_name() {
        let root = json!({"properties": {"definitions": {"properties": {"items": {"items": [true]}}}}});
        check(
            &root,
            "#/properties/definitions/properties/items/items/0",
            "#/properties/definitions/properties/items/prefixItems/0",
        );
    }

    #[test]
    fn a_place_outside_any_schema_is_spelled_as_it_is() {
        let root = json!({"paths": {"/a": {"definitions": 1}}});
        check(&root, "#/paths/~1a/definitions", "#/paths/~1a/definitions");
    }
}
