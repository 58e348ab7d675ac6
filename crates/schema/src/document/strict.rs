//! The document as stricter readers take it: where validators in wide use read more into a schema than its draft
//! does, instances are drawn so that both readings hold.
//!
//! AJV, for one, applies keywords beside `$ref` in every draft, keywords that a draft does not know yet, and
//! `$recursiveRef` in draft 2020-12.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::document::lenient::ANCHOR_MARK;
use crate::document::subschema::{any_schema, with_schemas, with_subschemas};
use crate::document::{Dialect, Document, SILENT};
use crate::json::Pointer;

/// The stricter reading, when it differs from the document's own.
pub(crate) fn stricter(document: &Document) -> Option<Document> {
    if let Some(narrower) = &document.stricter {
        return Some(stricter(narrower).unwrap_or_else(|| Document::clone(narrower)));
    }
    let mut reading = Reading { dialect: document.dialect, n_changes: 0, becomes: document.dialect };
    if reading.uses_newer_keywords(&document.root) {
        reading.becomes = Dialect::Draft7;
        reading.n_changes += 1;
    }
    let top = Pointer::root();
    let root = with_schemas(&document.root, &top, &mut |schema, at| reading.read(schema, at, &top));
    let Reading { dialect: _, n_changes, becomes } = reading;
    (n_changes > 0).then(|| Document { root: Arc::new(root), dialect: becomes, ..document.clone() })
}

struct Reading {
    dialect: Dialect,
    n_changes: usize,
    becomes: Dialect,
}

impl Reading {
    fn uses_newer_keywords(&self, root: &Value) -> bool {
        let newer: &[&str] = match self.dialect {
            Dialect::Draft4 => &["propertyNames", "const", "contains", "if"],
            Dialect::Draft6 => &["if"],
            Dialect::Draft7 | Dialect::Draft201909 | Dialect::Draft202012 => return false,
        };
        any_schema(root, &|schema| newer.iter().any(|keyword| schema.contains_key(*keyword)))
    }

    /// Rewrites a schema; `anchor` is the nearest place above with a `$recursiveAnchor`.
    fn read(&mut self, schema: &Map<String, Value>, at: &Pointer, anchor: &Pointer) -> Map<String, Value> {
        let anchor = if schema.contains_key(ANCHOR_MARK) { at } else { anchor };
        let inner = with_subschemas(schema, at, &mut |inner, at| self.read(inner, at, anchor));
        self.schema(inner, anchor)
    }

    fn schema(&mut self, mut schema: Map<String, Value>, anchor: &Pointer) -> Map<String, Value> {
        if self.dialect == Dialect::Draft202012 {
            if schema.get("$recursiveRef").is_some_and(Value::is_string) && !schema.contains_key("$ref") {
                schema.shift_remove("$recursiveRef");
                schema.insert("$ref".to_owned(), Value::from(anchor.to_string()));
                self.n_changes += 1;
            }
            return schema;
        }
        if self.becomes != self.dialect {
            modernize(&mut schema);
        }
        let says_more = schema.keys().any(|name| name != "$ref" && !SILENT.contains(&name.as_str()));
        if !self.dialect.reads_beside_references()
            && schema.get("$ref").is_some_and(Value::is_string)
            && says_more
        {
            let reference = schema.shift_remove("$ref").unwrap_or_default();
            let list = schema.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(list) = list {
                list.push(json!({ "$ref": reference }));
            }
            self.n_changes += 1;
        }
        schema
    }
}

/// Spells what draft 4 has of its own as in draft 7.
fn modernize(schema: &mut Map<String, Value>) {
    if schema.get("id").is_some_and(Value::is_string) && !schema.contains_key("$id") {
        let id = schema.shift_remove("id").unwrap_or_default();
        schema.insert("$id".to_owned(), id);
    }
    if schema.get("$schema").is_some_and(Value::is_string) {
        schema.insert("$schema".to_owned(), Value::from("http://json-schema.org/draft-07/schema#"));
    }
    for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        match schema.get(exclusive) {
            Some(Value::Bool(true)) => {
                schema.shift_remove(exclusive);
                if let Some(limit) = schema.shift_remove(bound) {
                    schema.insert(exclusive.to_owned(), limit);
                }
            }
            Some(Value::Bool(false)) => drop(schema.shift_remove(exclusive)),
            Some(_) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::ReadOptions;

    /// What the stricter reading makes of a schema; `None` when it reads the same.
    #[track_caller]
    fn check(dialect: Dialect, schema: &Value, expected: Option<&Value>) {
        let options = ReadOptions { dialect: Some(dialect), ..ReadOptions::default() };
        let document = Document::of_value(schema.clone(), &options).unwrap();
        assert_eq!(stricter(&document).as_ref().map(Document::root), expected, "{schema}");
    }

    #[test]
    fn a_schema_is_read_whatever_the_name_it_stands_under() {
        for name in ["default", "example", "examples", "enum", "const", "required", "a"] {
            for names in ["properties", "patternProperties", "definitions"] {
                check(
                    Dialect::Draft4,
                    &json!({ names: { name: {"minimum": 1, "exclusiveMinimum": true} }, "not": {"const": 5} }),
                    Some(&json!({ names: { name: {"exclusiveMinimum": 1} }, "not": {"const": 5} })),
                );
            }
            check(
                Dialect::Draft7,
                &json!({"properties": { name: {"$ref": "#", "minProperties": 3} }}),
                Some(&json!({"properties": { name: {"minProperties": 3, "allOf": [{"$ref": "#"}]} }})),
            );
        }
    }

    #[test]
    fn a_name_is_no_keyword_and_data_is_no_schema() {
        check(Dialect::Draft4, &json!({"properties": {"if": {}, "const": {}, "contains": {}}}), None);
        check(Dialect::Draft4, &json!({"default": {"items": {"const": 5}}}), None);
        check(Dialect::Draft7, &json!({"enum": [{"$ref": "#", "minProperties": 3}]}), None);
    }
}
