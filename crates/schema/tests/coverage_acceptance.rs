//! What coverage of a JSON Schema must achieve from end to end, and what must hold of proofs.

mod coverage_world;

use coverage_world::{ALL, document, facts, guided, report, target};
use probity_schema::coverage::{
    Dimension, Hits, Observer, RunFacts, Status, analyze, evaluate, prove_missed, summary,
};
use probity_schema::{Contract, Draw, Formats, Oracles, Source, SourceOptions};
use serde_json::{Value, json};

#[test]
fn all_branches_of_a_one_of_are_hit() {
    let schema = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "n": {"minimum": 3}}, "required": ["kind", "n"]},
        {"type": "array", "minItems": 2},
    ]});
    let (_, report) = guided(&schema, ALL, 42, 50);
    for branch in 0..3 {
        assert!(target(&report, &format!("branch:#/oneOf:{branch}")).hit);
    }
    assert!((report.metrics.by_dimension["branches"] - 1.0).abs() < 1e-9);
}

#[test]
fn measuring_tells_of_every_optional_member_whether_it_was_seen() {
    let schema = json!({"properties": {"a": {}, "b": {}, "c": {}}});
    let report = report(&schema, &[json!({"a": 1}), json!({"c": 1})]);
    let seen = |name: &str| target(&report, &format!("prop:#/properties/{name}:present")).hit;
    assert_eq!((seen("a"), seen("b"), seen("c")), (true, false, true));
}

#[test]
fn all_values_of_an_enumeration_are_hit_or_explained() {
    let (_, report) = guided(&json!({"enum": ["a", "b", "c", "d"]}), &[Dimension::Enum], 42, 50);
    assert!((report.metrics.overall - 1.0).abs() < 1e-9);
    let (_, report) =
        guided(&json!({"enum": ["a", "b", "c", "dd"], "maxLength": 1}), &[Dimension::Enum], 42, 50);
    assert_eq!(target(&report, "enum:#:\"dd\"").status, "unreachable");
    let (_, report) = guided(&json!({"enum": ["a", "b", "c", "d"]}), &[Dimension::Enum], 42, 3);
    assert_eq!(report.uncovered_targets[0].meta["planned"], json!(false));
}

#[test]
fn two_runs_give_the_same_instances_and_reports() {
    let schema = json!({"type": "array", "items": {"anyOf": [{"enum": [1, 2]}, {"type": "string", "maxLength": 3}]}, "maxItems": 4});
    let (one, one_report) = guided(&schema, ALL, 3, 20);
    let (two, two_report) = guided(&schema, ALL, 3, 20);
    assert_eq!((one.instances, one_report), (two.instances, two_report));
}

/// A small schema over a domain that can be searched.
fn small_schema(draw: &mut Draw, depth: u32) -> Value {
    let value = |draw: &mut Draw| json!(draw.between(0, 3));
    let part = |draw: &mut Draw| {
        if depth == 0 { json!({"enum": [draw.between(0, 3)]}) } else { small_schema(draw, depth - 1) }
    };
    match draw.below(9) {
        0 => json!({"enum": [value(draw), value(draw)]}),
        1 => json!({"type": "integer", "minimum": draw.between(0, 2), "maximum": draw.between(1, 4)}),
        2 => json!({"anyOf": [part(draw), part(draw)]}),
        3 => json!({"oneOf": [part(draw), part(draw), {"type": "null"}]}),
        4 => json!({"allOf": [part(draw), {"minimum": draw.between(0, 2)}]}),
        5 => json!({"if": part(draw), "then": part(draw), "else": part(draw)}),
        6 => json!({"type": "object", "properties": {"a": part(draw), "b": part(draw)}, "required": ["b"]}),
        7 => {
            json!({"type": "array", "items": part(draw), "minItems": draw.between(0, 1), "maxItems": draw.between(1, 2)})
        }
        _ => json!({"not": part(draw), "type": ["integer", "null"]}),
    }
}

/// Every value of the domain that small schemas speak of.
fn domain() -> Vec<Value> {
    let scalars: Vec<Value> = (0..6).map(|n| json!(n)).chain([json!(null), json!("a")]).collect();
    let mut values = scalars.clone();
    values.extend([json!([]), json!({})]);
    for left in &scalars {
        values.push(json!([left]));
        values.push(json!({"b": left}));
        for right in &scalars {
            values.push(json!([left, right]));
            values.push(json!({"a": left, "b": right}));
        }
    }
    let flat = values.clone();
    values.extend(flat.iter().map(|value| json!([value])));
    values.extend(flat.iter().map(|value| json!({"b": value})));
    values
}

#[test]
fn no_target_that_a_value_of_the_domain_hits_is_called_unreachable() {
    let domain = domain();
    let mut draw = Draw::new(11);
    let mut n_proven = 0;
    for _ in 0..250 {
        let schema = small_schema(&mut draw, 2);
        let document = document(&schema);
        if Source::of(&document, &SourceOptions::default()).is_err() {
            continue;
        }
        let (_, report) = guided(&schema, ALL, 1, 60);
        let contract = Contract::of(&document).expect("a schema");
        let oracles = Oracles::of(&document, Formats::Assert).expect("a schema");
        let oracle = oracles.root().expect("a schema");
        let universe = analyze(&contract, ALL);
        let mut observer = Observer::new(&contract, &oracles, &universe);
        for value in domain.iter().filter(|value| oracle.is_valid(value)) {
            observer.observe(contract.roots()[0], value, 0);
        }
        // A measuring run that hit nothing looks for the same proofs.
        let mut measured = universe.clone();
        let none = Hits::none(universe.targets.len());
        prove_missed(&document, &contract, Formats::Assert, &mut measured, &none, 400);
        for (at, target) in report.targets.iter().enumerate() {
            if measured.targets[at].status == Status::Unreachable {
                assert!(!observer.hits().has(at), "{} of {schema} is not unreachable", target.id);
            }
            if target.status == Status::Unreachable.name() {
                n_proven += 1;
                assert_eq!(measured.targets[at].status, Status::Unreachable, "{} of {schema}", target.id);
                assert!(!observer.hits().has(at), "{} of {schema} is not unreachable", target.id);
            } else if observer.hits().has(at) {
                assert!(target.hit, "{} of {schema} can be hit and was not", target.id);
            }
        }
    }
    assert!(n_proven > 100, "only {n_proven} proofs were tried");
}

#[test]
fn what_was_not_looked_at_for_a_proof_is_told() {
    let document = document(&json!({"type": "string", "enum": ["a", 1, 2]}));
    let contract = Contract::of(&document).expect("a schema");
    for (wanted, n_left, told) in [
        (400, 0, "1 active, 2 unreachable (excluded from coverage)"),
        (
            1,
            2,
            "3 active, 0 unreachable (excluded from coverage); 2 of those missed were not looked at for a proof",
        ),
    ] {
        let mut universe = analyze(&contract, &[Dimension::Enum]);
        universe.targets.iter_mut().for_each(|target| target.status = Status::Active);
        let none = Hits::none(universe.targets.len());
        let proven = prove_missed(&document, &contract, Formats::Assert, &mut universe, &none, wanted);
        assert_eq!(proven.n_left, n_left);
        let facts =
            RunFacts { exclude_unreachable: true, notes: proven.note().into_iter().collect(), ..facts() };
        let report = evaluate(&universe, &none, facts);
        let line = summary(&report).into_iter().find(|line| line.label == "targets").expect("a line");
        assert_eq!(line.detail, told);
    }
}
