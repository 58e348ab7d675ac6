//! Whether a document is meant as a schema, or is something else that as a schema would allow anything.

use serde_json::Value;

/// Words by which a schema is known, of all drafts.
const KEYWORDS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

/// What a document seems to be instead of a schema; it is none because everything would fit it.
pub(crate) fn not_a_schema(root: &Value) -> Option<&'static str> {
    let members = root.as_object().filter(|members| !members.is_empty())?;
    if members.contains_key("openapi") && members.contains_key("paths") {
        return Some(
            "this looks like an OpenAPI document, which allows anything as a schema; `probity openapi` reads it",
        );
    }
    let is_known = |name: &String| KEYWORDS.contains(&name.as_str());
    (!members.keys().any(is_known))
        .then_some("this has no keyword of a schema, so that everything would fit it")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(document: &Value, expected: Option<&str>) {
        let said = not_a_schema(document);
        assert_eq!(said.is_some(), expected.is_some(), "{document}");
        assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()), "{said:?}");
    }

    #[test]
    fn data_and_descriptions_of_apis_are_told_from_schemas() {
        check(&json!({}), None);
        check(&json!(true), None);
        check(&json!({"$ref": "#/$defs/a", "x-own": 1}), None);
        check(&json!({"name": "Ada", "age": 36}), Some("no keyword"));
        check(&json!({"openapi": "3.1.0", "paths": {}}), Some("OpenAPI"));
    }
}
