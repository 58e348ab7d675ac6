//! Every pattern of the shared corpus, when it is there: exact, and all that is drawn accepted.

use std::collections::BTreeSet;
use std::path::Path;

use probity_schema::Draw;
use probity_schema::text::{TextLimits, TextSampler, TextShape};
use serde_json::{Value, json};

#[test]
fn every_pattern_of_the_corpus_is_drawn_exactly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/schemastore");
    let Ok(entries) = std::fs::read_dir(root) else {
        eprintln!("skipped: the shared corpus is not here");
        return;
    };
    let mut patterns = BTreeSet::new();
    for entry in entries.flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        if let Ok(schema) = serde_json::from_str::<Value>(&text) {
            collect(&schema, &mut patterns);
        }
    }
    let limits = TextLimits { max_length: 64, max_states: 4000 };
    let mut inexact = Vec::new();
    for pattern in &patterns {
        let Ok(judge) = jsonschema::validator_for(&json!({"pattern": pattern})) else { continue };
        let shape = TextShape { patterns: vec![pattern.clone()], ..TextShape::default() };
        let sampler = TextSampler::compile(&shape, &limits).unwrap_or_else(|problem| panic!("{problem}"));
        if !sampler.is_exact() {
            inexact.push(pattern);
        }
        for seed in 0..20 {
            let text = sampler.draw(&mut Draw::new(seed)).unwrap_or_else(|| panic!("nothing for {pattern}"));
            assert!(judge.is_valid(&json!(text)), "{pattern} drew {text:?}");
        }
    }
    assert!(inexact.len() * 50 <= patterns.len(), "too many inexact: {inexact:#?}");
}

/// Patterns of values and of property names, anywhere in a schema.
fn collect(schema: &Value, patterns: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            patterns.extend(members.get("pattern").and_then(Value::as_str).map(str::to_owned));
            let names = members.get("patternProperties").and_then(Value::as_object);
            patterns.extend(names.into_iter().flat_map(serde_json::Map::keys).cloned());
            members.values().for_each(|member| collect(member, patterns));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, patterns)),
        _ => {}
    }
}
