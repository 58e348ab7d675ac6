//! Contract coverage: what calls show of the tools' schemas, told by a report that fits its schema; and guided runs show more.

use std::collections::BTreeSet;

use probity_drive::callable::Sourcing;
use probity_drive::mcp::{ContractOptions, CoverageOptions, Options, ToolContract};
use probity_schema::coverage::{
    CoverageMode, CoverageReport, Dimension, PROFILES, REPORT_SCHEMA, RunFacts, evaluate,
};
use probity_schema::{Document, Formats, Oracles, ReadOptions};
use serde_json::{Value, json};

use crate::scripted::{Driven, drive, short, tool};

/// Options with every dimension.
fn covering(mode: CoverageMode, options: Options) -> Options {
    let thorough = PROFILES.last().expect("there are profiles");
    let contract = ContractOptions { mode, ..ContractOptions::of(thorough) };
    Options { coverage: CoverageOptions { contract, ..CoverageOptions::default() }, ..options }
}

/// The report of a run.
fn reported(driven: &Driven) -> CoverageReport {
    let measured = driven.report.measured.as_ref().expect("it was measured");
    let facts = RunFacts { started_at: "2026-01-01T00:00:00Z".to_owned(), ..measured.facts.clone() };
    evaluate(&measured.universe, &measured.hits, facts)
}

fn calls(driven: &Driven) -> Vec<Value> {
    driven.calls.iter().map(|(sequence, call)| json!([sequence, call.tool, call.arguments])).collect()
}

fn hit(report: &CoverageReport) -> BTreeSet<&str> {
    report.targets.iter().filter(|target| target.hit).map(|target| target.id.as_str()).collect()
}

/// Two tools with choices, of which one is strict about what it takes and both answer with what they were given.
fn rich() -> Vec<Value> {
    let shades: Vec<String> = (0..24).map(|shade| format!("shade-{shade}")).collect();
    let by_name = json!({ "type": "object", "required": ["name"], "additionalProperties": false,
        "properties": { "name": { "type": "string", "minLength": 1, "maxLength": 6 } } });
    let by_size = json!({ "type": "object", "required": ["size"], "additionalProperties": false,
        "properties": { "size": { "type": "integer", "minimum": 1, "maximum": 40 }, "unit": { "enum": ["px", "em", "%"] } } });
    let paint = json!({
        "shade": { "enum": shades },
        "where": { "oneOf": [by_name, by_size] },
        "tags": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 3 },
        "dry": { "type": "boolean" },
        "note": { "type": "string" },
    });
    let erase =
        json!({ "mode": { "enum": ["all", "some", "none", "last"] }, "force": { "type": "boolean" } });
    vec![tool("paint", paint, &["shade"], &[]), tool("erase", erase, &[], &[])]
}

fn seeded(options: Options) -> Options {
    let strings = ["red", "ochre", "x"].map(str::to_owned).to_vec();
    Options { strings, numbers: vec![1.into(), 7.into(), 40.into()], ..options }
}

#[tokio::test]
async fn measuring_changes_no_call() {
    let plain = drive(&rich(), seeded(short())).await;
    let measured = drive(&rich(), covering(CoverageMode::Measure, seeded(short()))).await;
    assert_eq!(calls(&plain), calls(&measured));
    assert!(plain.report.contract.is_none() && plain.report.measured.is_none());
}

#[tokio::test]
async fn the_report_fits_its_schema_and_agrees_with_the_summary() {
    let schema = Document::read(REPORT_SCHEMA, &ReadOptions::default()).expect("our schema is read");
    let oracle = Oracles::of(&schema, Formats::Assert).and_then(|oracles| oracles.root()).expect("and used");
    for mode in [CoverageMode::Measure, CoverageMode::Guided] {
        let driven = drive(&rich(), covering(mode, seeded(short()))).await;
        let report = reported(&driven);
        let written = serde_json::to_value(&report).expect("a report is plain data");
        assert!(oracle.is_valid(&written), "{:?}", oracle.violations(&written, 3));
        let summary = driven.report.contract.as_ref().expect("it was measured");
        assert_eq!((summary.mode, summary.overall), (mode, report.metrics.overall));
        assert_eq!(report.run.actual_instances, driven.report.n_calls);
        for ToolContract { name, n_targets, n_hit, n_sent, share } in &summary.tools {
            assert_eq!(report.metrics.by_operation.get(name), Some(share));
            assert!(n_hit <= n_sent && n_sent <= n_targets, "{name}");
        }
    }
}

#[tokio::test]
async fn each_tool_is_an_operation_with_its_input_and_its_output() {
    let mut make = tool("make", json!({ "kind": { "enum": ["a", "b"] } }), &["kind"], &[json!({ "id": 7 })]);
    make["outputSchema"] = json!({ "type": "object", "required": ["id"],
        "properties": { "id": { "type": "integer" }, "extra": { "type": "string" } } });
    let driven = drive(&[make], covering(CoverageMode::Measure, short())).await;
    let report = reported(&driven);
    let hit = hit(&report);
    for id in [
        "op:make:request",
        "op:make:response",
        "enum:#/tools/make/inputSchema/properties/kind:\"a\"",
        "enum:#/tools/make/inputSchema/properties/kind:\"b\"",
        "struct:#/tools/make/outputSchema/properties/id",
    ] {
        assert!(hit.contains(id), "{id} is not among {hit:?}");
    }
    assert!(!hit.contains("prop:#/tools/make/outputSchema/properties/extra:present"), "{hit:?}");
}

/// What a tool that is called with two kinds of arguments has hit and sent.
async fn of_answers(answers: &[Value]) -> (Driven, ToolContract) {
    let mut only = tool("only", json!({ "kind": { "enum": ["a", "b"] } }), &["kind"], answers);
    only["outputSchema"] = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let driven = drive(&[only], covering(CoverageMode::Measure, short())).await;
    let figures = driven.report.contract.as_ref().expect("it was measured").tools[0].clone();
    (driven, figures)
}

#[tokio::test]
async fn what_is_turned_down_is_sent_and_not_hit() {
    let (driven, figures) = of_answers(&[json!({ "isError": {} })]).await;
    assert_eq!((figures.n_hit, figures.n_sent > 4), (0, true), "{figures:?}");
    let report = reported(&driven);
    let sent = report.targets.iter().filter(|target| target.meta.contains_key("firstSent"));
    assert_eq!(sent.count(), figures.n_sent);
    assert!(report.diagnostics.notes.iter().any(|note| note["code"] == "sent"));
}

#[tokio::test]
async fn an_answer_that_does_not_fit_shows_nothing() {
    let (misfit, fit) = (of_answers(&[json!({ "n": "x" })]).await, of_answers(&[json!({ "n": 1 })]).await);
    assert!(!hit(&reported(&misfit.0)).contains("op:only:response"));
    assert!(hit(&reported(&fit.0)).contains("op:only:response"));
    assert!(misfit.1.n_hit < fit.1.n_hit);
}

#[tokio::test]
async fn too_little_coverage_fails_the_run() {
    for (least, failures) in [(1.0, &["min_coverage"][..]), (0.1, &[])] {
        let mut options = covering(CoverageMode::Measure, seeded(short()));
        options.coverage.contract.min_coverage = Some(least);
        let driven = drive(&rich(), options).await;
        assert_eq!(driven.failures(), failures);
    }
}

#[tokio::test]
async fn guided_calls_show_more_with_the_same_number_of_calls() {
    for (sourcing, seed) in [(Sourcing::Strict, 1), (Sourcing::Strict, 2), (Sourcing::Lenient, 3)] {
        let options = Options { seed, sourcing, n_sequences: 4, min_len: 10, max_len: 10, ..seeded(short()) };
        let mut shares = Vec::new();
        for mode in [CoverageMode::Measure, CoverageMode::Guided] {
            let driven = drive(&rich(), covering(mode, options.clone())).await;
            assert_eq!(driven.calls.len(), 40);
            shares.push(driven.report.contract.expect("it was measured").overall);
        }
        assert!(shares[1] > shares[0] + 0.1, "{sourcing:?}, seed {seed}: {shares:?}");
    }
}

#[tokio::test]
async fn a_guided_run_takes_strings_and_numbers_from_the_corpus_only() {
    let driven = drive(&rich(), covering(CoverageMode::Guided, seeded(short()))).await;
    let known = [json!("red"), json!("ochre"), json!("x"), json!(1), json!(7), json!(40)];
    let mined = driven.calls.iter().filter_map(|(_, call)| call.outcome.success());
    let mined: BTreeSet<String> = mined.flat_map(|result| leaves(&result["structuredContent"])).collect();
    let is_known = |value: &Value| known.contains(value) || mined.contains(&value.to_string());
    let notes = driven.values("paint", "note");
    let sizes = driven.values("paint", "where").into_iter().filter_map(|place| place.get("size").cloned());
    let sizes: Vec<Value> = sizes.collect();
    assert!(!notes.is_empty() && notes.iter().all(is_known), "{notes:?}");
    assert!(!sizes.is_empty() && sizes.iter().all(is_known), "{sizes:?}");
}

/// Every string, number and key, as it is written.
fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, member)| [vec![json!(key).to_string()], leaves(member)].concat())
            .collect(),
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![value.to_string()],
    }
}

#[tokio::test]
async fn the_same_seed_makes_the_same_guided_calls_and_the_same_report() {
    let mut seen = Vec::new();
    for _ in 0..2 {
        let driven = drive(&rich(), covering(CoverageMode::Guided, seeded(short()))).await;
        let written = serde_json::to_string(&reported(&driven)).expect("a report is plain data");
        seen.push((calls(&driven), written));
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn only_the_dimensions_that_were_asked_for_are_told() {
    let mut options = covering(CoverageMode::Measure, seeded(short()));
    options.coverage.contract.dimensions = vec![Dimension::Enum];
    let report = reported(&drive(&rich(), options).await);
    assert!(report.targets.iter().all(|target| target.dimension == "enum"));
    assert_eq!(report.targets.len(), 24 + 3 + 4);
}
