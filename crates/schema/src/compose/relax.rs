//! Widening: what cannot be composed as written is rewritten into something that can, and every rewriting is noted.
//!
//! A rewriting may admit more than the contract or leave out corners of it; it only feeds the drawing. What is
//! drawn is judged by the contract as written.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::document::{Document, Note, NoteCode, any_schema, with_schemas, with_subschemas};
use crate::json::Pointer;

/// A document rewritten, with what was widened in it.
type Rewritten = (Arc<Value>, Vec<Note>);
/// A change to one schema; `None` when it stays.
type Change<'a> = &'a dyn Fn(&Map<String, Value>) -> Option<Map<String, Value>>;

/// One step of the ladder: how the document is rewritten before composing it.
pub(super) struct Step {
    /// The rewritten document with what was widened; `None` when this step changes nothing.
    pub(super) rewrite: fn(&Document, &Pointer) -> Option<Rewritten>,
    /// How many single parts may be widened in place on this step.
    pub(super) retries: usize,
}

/// From exact to widest; the first step that can be composed is taken.
pub(super) const LADDER: &[Step] = &[
    Step { rewrite: as_written, retries: 12 },
    Step { rewrite: with_cases, retries: 6 },
    Step { rewrite: |document, pointer| Some(with_open_choices(document, pointer)), retries: 6 },
    Step { rewrite: |document, pointer| Some(without_conditions(document, pointer)), retries: 6 },
    Step { rewrite: without_choices, retries: 6 },
];

/// More conditions in one list than this are never composed one by one: each doubles the cases.
const MOST_CONDITIONS: usize = 24;

fn as_written(document: &Document, pointer: &Pointer) -> Option<Rewritten> {
    let part = pointer.find(&document.root)?;
    let is_hopeless = any_schema(part, &|schema| conditions(schema).len() > MOST_CONDITIONS);
    (!is_hopeless).then(|| (Arc::clone(&document.root), Vec::new()))
}

/// A list of conditions becomes a choice of cases: in each, one condition holds with its consequence.
fn with_cases(document: &Document, _: &Pointer) -> Option<Rewritten> {
    rewrite(document, "its conditions are drawn case by case", &|schema| {
        let conditions = conditions(schema);
        if conditions.len() < 2 {
            return None;
        }
        let mut schema = schema.clone();
        let list = schema.get("allOf").and_then(Value::as_array)?.clone();
        let cases: Vec<Value> = conditions.into_iter().map(case_of).collect();
        let rest = list.into_iter().filter(|part| part.get("if").is_none());
        let whole: Vec<Value> = rest.chain([json!({ "anyOf": cases })]).collect();
        schema.insert("allOf".to_owned(), Value::Array(whole));
        Some(schema)
    })
}

/// The schema under which one condition holds: the condition, its consequence, and the names it looks at present,
/// since an absent name makes every condition on it hold at once.
fn case_of(condition: &Map<String, Value>) -> Value {
    let test = condition.get("if").cloned().unwrap_or(Value::Bool(true));
    let names: Vec<&String> = test
        .get("properties")
        .and_then(Value::as_object)
        .map(|named| named.keys().collect())
        .unwrap_or_default();
    let presence = json!({ "type": "object", "required": names });
    let mut parts = vec![test.clone()];
    if !names.is_empty() {
        parts.push(presence);
    }
    parts.extend(condition.get("then").cloned());
    json!({ "allOf": parts })
}

/// Exactly-one becomes at-least-one, and what is forbidden is left to the judge.
fn with_open_choices(document: &Document, pointer: &Pointer) -> Rewritten {
    let (root, mut notes) =
        with_cases(document, pointer).unwrap_or_else(|| (Arc::clone(&document.root), Vec::new()));
    let version = Document { root, ..document.clone() };
    let (root, more) = rewrite(&version, "exactly-one is drawn as at-least-one and judged", &|schema| {
        if !(schema.contains_key("oneOf") || schema.contains_key("not")) {
            return None;
        }
        let mut schema = schema.clone();
        schema.remove("not");
        if let Some(choices) = schema.remove("oneOf") {
            match schema.remove("anyOf") {
                None => drop(schema.insert("anyOf".to_owned(), choices)),
                Some(others) => {
                    schema.insert("anyOf".to_owned(), others);
                    let list = schema.entry("allOf").or_insert_with(|| json!([]));
                    if let Value::Array(list) = list {
                        list.push(json!({ "anyOf": choices }));
                    }
                }
            }
        }
        Some(schema)
    })
    .unwrap_or((version.root, Vec::new()));
    notes.extend(more);
    (root, notes)
}

/// Conditions and everything about unevaluated parts are left to the judge.
fn without_conditions(document: &Document, pointer: &Pointer) -> Rewritten {
    const JUDGED: &[&str] = &[
        "if",
        "then",
        "else",
        "unevaluatedProperties",
        "unevaluatedItems",
        "dependentSchemas",
        "dependencies",
    ];
    let (root, mut notes) = with_open_choices(document, pointer);
    let version = Document { root, ..document.clone() };
    let (root, more) = rewrite(
        &version,
        "instances are drawn without its conditions and judged by them afterwards",
        &|schema| {
            if !JUDGED.iter().any(|keyword| schema.contains_key(*keyword)) {
                return None;
            }
            let mut schema = schema.clone();
            schema.retain(|keyword, _| !JUDGED.contains(&keyword.as_str()));
            Some(schema)
        },
    )
    .unwrap_or((version.root, Vec::new()));
    notes.extend(more);
    (root, notes)
}

/// Choices that multiply, because several of them hold together, are left to the judge too.
fn without_choices(document: &Document, pointer: &Pointer) -> Option<Rewritten> {
    let (root, mut notes) = without_conditions(document, pointer);
    let version = Document { root, ..document.clone() };
    let (root, more) = rewrite(
        &version,
        "instances are drawn without its choices and judged by them afterwards",
        &|schema| {
            let list = schema.get("allOf").and_then(Value::as_array)?;
            let without = |part: &Value| match part {
                Value::Object(part) if part.contains_key("anyOf") => {
                    let rest = part.iter().filter(|(keyword, _)| *keyword != "anyOf");
                    Value::Object(rest.map(|(keyword, value)| (keyword.clone(), value.clone())).collect())
                }
                other => other.clone(),
            };
            let parts: Vec<Value> = list.iter().map(without).collect();
            if list.iter().zip(&parts).filter(|(before, after)| before != after).count() < 2 {
                return None;
            }
            let mut schema = schema.clone();
            schema.insert("allOf".to_owned(), Value::Array(parts));
            Some(schema)
        },
    )?;
    notes.extend(more);
    Some((root, notes))
}

/// Keywords that are never dropped alone: they name things rather than demand them.
const KEPT: &[&str] =
    &["$schema", "$id", "id", "$defs", "definitions", "$anchor", "$dynamicAnchor", "$vocabulary", "$comment"];
/// Keywords that are hardest to compose, dropped together when none alone suffices.
const HARD: &[&str] = &[
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
    "not",
    "if",
    "then",
    "else",
];

/// Widens the one part that could not be said: the first keyword whose absence makes it sayable is dropped, or
/// the whole part.
pub(super) fn widen_at(
    document: &Document,
    at: &Pointer,
    is_modelled: impl Fn(&Document) -> bool,
) -> Option<(Value, Note)> {
    let Value::Object(schema) = at.find(&document.root)? else { return None };
    let note = |text: String| Note { address: None, code: NoteCode::Relaxed, at: at.clone(), text };
    let mut singles: Vec<&str> =
        schema.keys().map(String::as_str).filter(|keyword| !KEPT.contains(keyword)).collect();
    singles.sort_by_key(|keyword| (*keyword == "$ref", !HARD.contains(keyword)));
    let hardest: Vec<&str> = HARD.iter().copied().filter(|keyword| schema.contains_key(*keyword)).collect();
    for keywords in singles.into_iter().map(|keyword| vec![keyword]).chain([hardest]) {
        let mut without = schema.clone();
        without.retain(|keyword, _| !keywords.contains(&keyword.as_str()));
        let root = replaced(&document.root, at, Value::Object(without))?;
        let version = Document { root: Arc::new(root), ..document.clone() };
        if is_modelled(&version) {
            let text = format!(
                "{} cannot be composed here; instances are drawn without it and judged by it afterwards",
                keywords.join(", ")
            );
            return Some((Arc::unwrap_or_clone(version.root), note(text)));
        }
    }
    let root = replaced(&document.root, at, Value::Bool(true))?;
    Some((
        root,
        note(
            "this part cannot be composed; instances are drawn without it and judged by it afterwards"
                .to_owned(),
        ),
    ))
}

fn replaced(root: &Value, at: &Pointer, with: Value) -> Option<Value> {
    let mut root = root.clone();
    *root.pointer_mut(at.as_str())? = with;
    Some(root)
}

/// The conditions in a schema's `allOf`.
fn conditions(schema: &Map<String, Value>) -> Vec<&Map<String, Value>> {
    let list = schema.get("allOf").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object).filter(|part| part.contains_key("if")).collect()
}

/// Applies a change to every object that may be a schema; `None` when it changes nothing.
fn rewrite(document: &Document, text: &str, change: Change<'_>) -> Option<Rewritten> {
    let mut notes = Vec::new();
    let mut changed = |at: &Pointer| {
        notes.push(Note { address: None, code: NoteCode::Relaxed, at: at.clone(), text: text.to_owned() });
    };
    let root = with_schemas(&document.root, &Pointer::root(), &mut |schema, at| {
        rewritten(schema, at, change, &mut changed)
    });
    (!notes.is_empty()).then(|| (Arc::new(root), notes))
}

fn rewritten(
    schema: &Map<String, Value>,
    at: &Pointer,
    change: Change<'_>,
    changed: &mut dyn FnMut(&Pointer),
) -> Map<String, Value> {
    let next = change(schema);
    if next.is_some() {
        changed(at);
    }
    let schema = next.as_ref().unwrap_or(schema);
    with_subschemas(schema, at, &mut |inner, at| rewritten(inner, at, change, changed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::ReadOptions;

    /// What is left of a schema when exactly-one is drawn as at-least-one.
    #[track_caller]
    fn check(schema: &Value, expected: &Value) {
        let document = Document::of_value(schema.clone(), &ReadOptions::default()).unwrap();
        let (root, notes) = with_open_choices(&document, &Pointer::root());
        assert_eq!(*root, *expected, "{schema}");
        assert_eq!(notes.is_empty(), schema == expected, "{schema}");
    }

    #[test]
    fn a_schema_is_widened_whatever_the_name_it_stands_under() {
        let (exact, open) = (json!({"oneOf": [{}, {}]}), json!({"anyOf": [{}, {}]}));
        for name in ["default", "example", "examples", "enum", "const", "required", "a"] {
            for names in ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"] {
                check(&json!({ names: { name: exact } }), &json!({ names: { name: open } }));
            }
            let component = |schema: &Value| json!({"components": {"schemas": { name: schema }}});
            check(&component(&exact), &component(&open));
        }
        let answer = |schema: &Value| json!({"responses": {"default": {"content": {"a/b": {"schema": schema}}}, "x-a": 1}});
        check(&answer(&exact), &answer(&open));
    }

    #[test]
    fn a_name_is_no_keyword_and_data_is_no_schema() {
        for schema in [
            json!({"properties": {"not": {"type": "string"}, "oneOf": {"type": "string"}}}),
            json!({"default": {"oneOf": []}, "const": {"not": 5}, "examples": [{"not": 5}]}),
        ] {
            check(&schema, &schema);
        }
    }

    #[test]
    fn a_schema_below_a_word_of_the_authors_own_is_widened_too() {
        let words = |word: &str| json!({"parts": {"headers": {"title": "a", word: [{}, {}]}}});
        check(&words("oneOf"), &words("anyOf"));
    }
}
