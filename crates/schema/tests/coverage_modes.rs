//! Measuring changes nothing that is drawn, and ids do not depend on modes, seeds or budgets.

mod coverage_world;

use coverage_world::{ALL, document, guided, report};
use probity_schema::coverage::{Observer, analyze};
use probity_schema::{Formats, Oracles, Source, SourceOptions};
use serde_json::{Value, json};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "kind": {"enum": ["a", "b", "c"]},
            "size": {"type": "integer", "minimum": 1, "maximum": 9},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 4}},
        },
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"required": ["size"]},
    })
}

#[test]
fn measuring_leaves_every_instance_as_it_is() {
    let document = document(&schema());
    let source = Source::of(&document, &SourceOptions::default()).expect("a schema");
    let oracles = Oracles::of(&document, Formats::Assert).expect("a schema");
    let universe = analyze(source.contract(), ALL);
    let mut observer = Observer::new(source.contract(), &oracles, &universe);
    let off: Vec<String> = source.instances(42).take(50).flatten().map(|value| value.to_string()).collect();
    let mut measured = Vec::new();
    for (number, value) in (0..).zip(source.instances(42).take(50).flatten()) {
        observer.observe(source.contract().roots()[0], &value, number);
        measured.push(value.to_string());
    }
    assert_eq!(off, measured);
    assert!(observer.hits().count() > 5);
}

#[test]
fn the_targets_are_the_same_in_every_mode_with_every_seed_and_budget() {
    let ids = |report: probity_schema::coverage::CoverageReport| -> Vec<String> {
        report.targets.into_iter().map(|target| target.id).collect()
    };
    let measured = ids(report(&schema(), &[json!({"kind": "b"})]));
    for (seed, budget) in [(1, 50), (2, 50), (1, 3)] {
        assert_eq!(ids(guided(&schema(), ALL, seed, budget).1), measured, "seed {seed}, budget {budget}");
    }
}

#[test]
fn a_guided_run_never_has_more_instances_than_allowed() {
    for budget in 0..5 {
        assert!(guided(&schema(), ALL, 1, budget).0.instances.len() as u64 <= budget);
    }
}
