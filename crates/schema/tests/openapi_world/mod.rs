//! What the tests of OpenAPI share: descriptions from values, and whole runs on them.

#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part of this")]

use probity_schema::coverage::{
    CoverageMode, CoverageReport, Dimension, OperationsScope, PROFILES, RunFacts, TargetReport, evaluate,
};
use probity_schema::openapi::{
    Api, Case, Feed, Filter, GuideOptions, Ledger, Meter, Part, Suite, Unit, guide, shares,
};
use probity_schema::{Formats, ReadOptions, SourceOptions};
use serde_json::{Value, json};

pub const ALL: &[Dimension] = &[
    Dimension::Operations,
    Dimension::Structure,
    Dimension::Branches,
    Dimension::Enum,
    Dimension::Boundaries,
];

/// What a run is asked for.
pub struct Ask<'a> {
    pub operations: &'a [&'a str],
    pub dimensions: &'a [Dimension],
    pub n: Option<u64>,
    pub n_threads: usize,
}

impl Default for Ask<'_> {
    fn default() -> Self {
        Self { operations: &[], dimensions: ALL, n: None, n_threads: 1 }
    }
}

#[track_caller]
pub fn api(description: &Value) -> Api {
    Api::read(&description.to_string(), &ReadOptions::default()).expect("a test's description is one")
}

/// An API of two operations that share a schema, one without an id.
pub fn shop() -> Value {
    json!({
        "openapi": "3.1.0",
        "paths": {
            "/users": {"post": {
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}},
                "responses": {"201": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}}}
            }},
            "/users/{id}": {
                "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
                "get": {
                    "operationId": "getUser",
                    "tags": ["read"],
                    "responses": {
                        "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}},
                        "404": {"content": {"application/json": {"schema": {"type": "object", "properties": {"reason": {"type": "string"}}}}}}
                    }
                },
                "delete": {"operationId": "deleteUser", "responses": {"204": {"description": "gone"}}}
            }
        },
        "components": {"schemas": {
            "User": {
                "type": "object",
                "required": ["kind"],
                "properties": {
                    "kind": {"enum": ["admin", "member", "guest"]},
                    "address": {"$ref": "#/components/schemas/Address"}
                }
            },
            "Address": {"type": "object", "properties": {"city": {"type": "string", "minLength": 1}}}
        }}
    })
}

#[track_caller]
pub fn units(api: &Api, names: &[&str]) -> (Vec<usize>, Vec<Unit>) {
    let filter =
        Filter { operations: names.iter().map(|name| (*name).to_owned()).collect(), tags: Vec::new() };
    let operations = api.select(&filter).expect("a test names operations that are there");
    let units = api.units(&operations, &[Part::Request, Part::Response], &[]);
    (operations, units)
}

/// A guided run: its report and its cases as data, with the key of the operation of each.
#[track_caller]
pub fn guided(description: &Value, ask: &Ask<'_>) -> (CoverageReport, Vec<Value>) {
    let api = api(description);
    let (operations, units) = units(&api, ask.operations);
    let budgets = shares(&units, ask.n, 1_000);
    let suite = Suite::of(&api, &operations, &units).expect("a test's schemas are schemas");
    let oracles = suite.oracles(Formats::Assert).expect("a test's schemas are schemas");
    let mut universe = suite.analyze(ask.dimensions);
    let options = GuideOptions {
        seed: 7,
        budget: PROFILES[1].budget,
        dimensions: ask.dimensions.to_vec(),
        n_threads: ask.n_threads,
    };
    let feed = Feed::new(&api, SourceOptions::default());
    let (mut ledger, mut number, mut lines) = (Ledger::default(), 0, Vec::new());
    let hits = {
        let mut meter = Meter::new(&suite, &oracles, &universe);
        guide(&feed, &units, &budgets, &options, |at, plan| {
            ledger.enter(at, &plan);
            for case in &plan.cases {
                meter.observe(at, case, number);
                number += 1;
                lines.push(line(&api, &units[at], case));
            }
        });
        meter.hits().clone()
    };
    ledger.prove(&suite, &mut universe);
    let most = budgets.iter().sum();
    let is_all = operations.len() == api.operations().len();
    let scope = suite.facts(&universe, if is_all { OperationsScope::All } else { OperationsScope::Selected });
    let facts = RunFacts {
        mode: CoverageMode::Guided,
        seed: 7,
        max_instances: most,
        actual_instances: number,
        exclude_unreachable: true,
        operations_scope: scope.operations_scope,
        operations: scope.operations,
        started_at: "2025-01-01T12:00:00Z".to_owned(),
        ..ledger.facts(&suite, &universe, &hits, (number, most))
    };
    (evaluate(&universe.universe, &hits, facts), lines)
}

pub fn line(api: &Api, unit: &Unit, case: &Case) -> Value {
    case.to_json(&api.operations()[unit.operation].key, unit)
}

#[track_caller]
pub fn target<'r>(report: &'r CoverageReport, id: &str) -> &'r TargetReport {
    let known: Vec<&str> = report.targets.iter().map(|target| target.id.as_str()).collect();
    report.targets.iter().find(|target| target.id == id).unwrap_or_else(|| panic!("no {id} among {known:#?}"))
}

pub fn of_kind<'r>(report: &'r CoverageReport, kind: &str) -> Vec<&'r TargetReport> {
    report.targets.iter().filter(|target| target.kind == kind).collect()
}
