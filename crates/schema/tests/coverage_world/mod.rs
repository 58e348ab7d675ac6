//! What the coverage tests share: contracts from values, reports from instances, each judged by the shipped schema.

#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part of this")]

use probity_schema::coverage::{
    CoverageMode, CoverageReport, Dimension, Named, PROFILES, Plan, PlanOptions, REPORT_SCHEMA, RunFacts,
    TargetReport, Universe, analyze, evaluate, measure, plan,
};
use probity_schema::{Contract, Document, Formats, Oracles, ReadOptions, Source, SourceOptions};
use serde_json::Value;

pub const ALL: &[Dimension] =
    &[Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries];

pub fn document(schema: &Value) -> Document {
    Document::of_value(schema.clone(), &ReadOptions::default()).expect("a test's schema is one")
}

pub fn universe(schema: &Value, dimensions: &[Dimension]) -> Universe {
    let contract = Contract::of(&document(schema)).expect("a test's schema is one");
    analyze(&contract, dimensions)
}

pub fn facts() -> RunFacts {
    RunFacts {
        mode: CoverageMode::Measure,
        seed: 1,
        exclude_unreachable: true,
        started_at: "2025-01-01T12:00:00Z".to_owned(),
        ..RunFacts::default()
    }
}

/// The report on some instances, all of which must be valid unless `n_invalid` says how many are not.
#[track_caller]
pub fn report_with(
    schema: &Value,
    instances: &[Value],
    dimensions: &[Dimension],
    facts: RunFacts,
) -> CoverageReport {
    let document = document(schema);
    let contract = Contract::of(&document).expect("a test's schema is one");
    let oracles = Oracles::of(&document, Formats::Assert).expect("a test's schema is one");
    let oracle = oracles.root().expect("a test's schema is one");
    let universe = analyze(&contract, dimensions);
    let named =
        instances.iter().enumerate().map(|(at, value)| Named { name: at.to_string(), value: value.clone() });
    let measured = measure(&contract, &oracles, &oracle, &universe, named);
    assert_eq!(measured.invalid, [], "a test's instances are valid");
    let facts = RunFacts { actual_instances: measured.n_valid, max_instances: measured.n_valid, ..facts };
    let report = evaluate(&universe, &measured.hits, facts);
    judge(&report);
    report
}

#[track_caller]
pub fn report(schema: &Value, instances: &[Value]) -> CoverageReport {
    report_with(schema, instances, ALL, facts())
}

/// Holds a report against the schema that is shipped with it.
#[track_caller]
pub fn judge(report: &CoverageReport) {
    let schema: Value = serde_json::from_str(REPORT_SCHEMA).expect("the shipped schema is JSON");
    let schema = document(&schema);
    let oracles = Oracles::of(&schema, Formats::Assert).expect("the shipped schema is one");
    let value = serde_json::to_value(report).expect("a report is JSON");
    assert_eq!(oracles.root().expect("the shipped schema is one").violations(&value, 5), []);
}

pub fn target<'r>(report: &'r CoverageReport, id: &str) -> &'r TargetReport {
    let known: Vec<&str> = report.targets.iter().map(|target| target.id.as_str()).collect();
    report.targets.iter().find(|target| target.id == id).unwrap_or_else(|| panic!("no {id} among {known:#?}"))
}

/// The ids of the targets that are hit, in the report's order.
pub fn hit_ids(report: &CoverageReport) -> Vec<&str> {
    report.targets.iter().filter(|target| target.hit).map(|target| target.id.as_str()).collect()
}

/// A guided run: the plan and the report on it.
#[track_caller]
pub fn guided(
    schema: &Value,
    dimensions: &[Dimension],
    seed: u64,
    max_instances: u64,
) -> (Plan, CoverageReport) {
    let document = document(schema);
    let source = Source::of(&document, &SourceOptions::default()).expect("a test's schema has instances");
    let oracles = Oracles::of(&document, Formats::Assert).expect("a test's schema is one");
    let mut universe = analyze(source.contract(), dimensions);
    let options = PlanOptions { seed, max_instances, budget: PROFILES[2].budget };
    let plan = plan(&document, &source, &oracles, &mut universe, &options);
    for value in &plan.instances {
        assert!(source.oracle().is_valid(value), "{value} breaks {schema}");
    }
    let facts = RunFacts {
        mode: CoverageMode::Guided,
        seed,
        max_instances,
        actual_instances: plan.instances.len() as u64,
        unsatisfied_hints: plan.unsatisfied_hints.clone(),
        planner_caps_hit: plan.caps.clone(),
        unplanned: plan.unplanned.clone(),
        notes: plan.notes.clone(),
        ..facts()
    };
    let report = evaluate(&universe, &plan.hits, facts);
    judge(&report);
    (plan, report)
}
