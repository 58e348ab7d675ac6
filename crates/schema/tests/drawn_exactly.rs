//! Contracts that are composed before anything is drawn: no instance of theirs is mended or thrown away.

use probity_schema::{Document, Metrics, ReadOptions, Source, SourceOptions};
use serde_json::{Value, json};

#[track_caller]
fn check(schema: &Value) {
    let document = Document::read(&schema.to_string(), &ReadOptions::default()).unwrap();
    let source = Source::of(&document, &SourceOptions::default()).unwrap();
    let mut metrics = Metrics::default();
    for number in 0..100 {
        source.instance(42, number, &mut metrics).unwrap();
    }
    assert_eq!((metrics.n_instances, metrics.n_repaired, metrics.n_discarded), (100, 0, 0), "{schema}");
}

/// A choice among so many kinds of node, each a tag and traits, some of which hold nodes again.
fn drawing(n_kinds: usize, choice: &str) -> Value {
    let name = |kind: usize| format!("node{kind}");
    let tag = |kind: usize| json!({ "type": "object", "properties": { "type": { "enum": [name(kind)] } }, "required": ["type"] });
    let traits = |kind: usize| if kind.is_multiple_of(2) { "Parent" } else { "Named" };
    let node = |kind: usize| json!({ "allOf": [tag(kind), { "$ref": format!("#/$defs/{}", traits(kind)) }] });
    let mut parts: serde_json::Map<String, Value> =
        (0..n_kinds).map(|kind| (name(kind), node(kind))).collect();
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let kinds: Vec<Value> = (0..n_kinds).map(|kind| reference(&name(kind))).collect();
    parts.insert("Node".to_owned(), json!({ choice: kinds }));
    parts.insert(
        "Named".to_owned(),
        json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] }),
    );
    parts.insert(
        "Parent".to_owned(),
        json!({ "allOf": [reference("Named"), {
            "properties": { "children": { "type": "array", "items": reference("Node") } },
            "required": ["children"]
        }] }),
    );
    json!({ "$ref": "#/$defs/Node", "$defs": parts })
}

#[test]
fn a_choice_of_tagged_parts_that_contain_it_again() {
    check(&drawing(4, "oneOf"));
    check(&drawing(20, "oneOf"));
    check(&drawing(20, "anyOf"));
}

#[test]
fn objects_told_apart_by_what_they_may_not_have() {
    let closed = |name: &str| json!({ "properties": { name: { "type": "integer" } }, "required": [name], "additionalProperties": false, "type": "object" });
    let names: Vec<String> = (0..15).map(|number| format!("m{number}")).collect();
    check(&json!({ "oneOf": names.iter().map(|name| closed(name)).collect::<Vec<_>>() }));
}
