//! The document as stricter readers take it: where validators in wide use read more into a schema than its draft
//! does, instances are drawn so that both readings hold.
//!
//! AJV, for one, applies keywords beside `$ref` in every draft, keywords that a draft does not know yet, and
//! `$recursiveRef` in draft 2020-12.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::document::lenient::ANCHOR_MARK;
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
    let root = reading.read(&document.root, &Pointer::root(), &Pointer::root());
    let Reading { dialect: _, n_changes, becomes } = reading;
    (n_changes > 0).then(|| Document { root: Arc::new(root), dialect: becomes, ..document.clone() })
}

struct Reading {
    dialect: Dialect,
    n_changes: usize,
    becomes: Dialect,
}

/// Words whose values are data, not schemas.
const DATA: &[&str] = &["enum", "const", "default", "examples", "example", "required"];

impl Reading {
    fn uses_newer_keywords(&self, value: &Value) -> bool {
        let newer: &[&str] = match self.dialect {
            Dialect::Draft4 => &["propertyNames", "const", "contains", "if"],
            Dialect::Draft6 => &["if"],
            Dialect::Draft7 | Dialect::Draft201909 | Dialect::Draft202012 => return false,
        };
        match value {
            Value::Object(members) => members.iter().any(|(name, member)| {
                newer.contains(&name.as_str())
                    || (!DATA.contains(&name.as_str()) && self.uses_newer_keywords(member))
            }),
            Value::Array(items) => items.iter().any(|item| self.uses_newer_keywords(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }

    /// Rewrites a value; `anchor` is the nearest place above with a `$recursiveAnchor`.
    fn read(&mut self, value: &Value, at: &Pointer, anchor: &Pointer) -> Value {
        match value {
            Value::Object(members) => {
                let anchor = if members.contains_key(ANCHOR_MARK) { at } else { anchor };
                let inner = members.iter().map(|(name, member)| {
                    let is_data = DATA.contains(&name.as_str());
                    let member =
                        if is_data { member.clone() } else { self.read(member, &at.child(name), anchor) };
                    (name.clone(), member)
                });
                let inner: Map<String, Value> = inner.collect();
                Value::Object(self.schema(inner, anchor))
            }
            Value::Array(items) => {
                let inner =
                    items.iter().enumerate().map(|(index, item)| self.read(item, &at.item(index), anchor));
                Value::Array(inner.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
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
