//! Why a target was missed: proof, cap, conflict or budget, told from the report alone.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::counted::counted;
use crate::coverage::report::{CoverageMode, CoverageReport, ReasonCode, TargetReport};

/// For every target of the report, why it was not hit; `None` when it was.
#[must_use]
pub fn why_missed(report: &CoverageReport) -> Vec<Option<String>> {
    let mut hints: BTreeMap<String, (ReasonCode, Option<&str>)> = BTreeMap::new();
    for hint in &report.unsatisfied_hints {
        let key = key(&hint.canon_path, &hint.params);
        hints.entry(key).or_insert((hint.reason_code, hint.reason_detail.as_deref()));
    }
    report.targets.iter().map(|target| (!target.hit).then(|| why(report, target, &hints))).collect()
}

fn why(
    report: &CoverageReport,
    target: &TargetReport,
    hints: &BTreeMap<String, (ReasonCode, Option<&str>)>,
) -> String {
    if target.status == "unreachable" {
        let cause = target.meta.get("cause").and_then(Value::as_str).unwrap_or("no valid instance shows it");
        return format!("proven unreachable: {cause}");
    }
    // Only calls of live servers are sent without being accepted.
    if let Some(number) = target.meta.get("firstSent") {
        return format!("sent first by call {number}, and no call that shows it was accepted");
    }
    if target.meta.get("planned") == Some(&Value::Bool(false)) {
        return "not planned: a cap of the plan left it out".to_owned();
    }
    if let Some((code, detail)) = hints.get(&key(&target.canon_path, &target.params)) {
        let meaning = match code {
            ReasonCode::UnreachableBranch => "its branch is unreachable",
            ReasonCode::PlannerCap => "a cap of the plan left it out",
            ReasonCode::RepairModifiedValue => "a repair undid it to keep the instance valid",
            ReasonCode::ConflictingConstraints => "other constraints rule it out",
            ReasonCode::InternalError => "aiming at it failed",
            ReasonCode::Unknown => "aimed at, and no valid instance showed it",
        };
        return detail.map_or_else(|| meaning.to_owned(), |detail| format!("{meaning}: {detail}"));
    }
    let n = report.run.actual_instances;
    match report.engine.coverage_mode {
        CoverageMode::Guided if n >= report.run.max_instances => {
            format!("the budget of {} ended before it was hit; allow more", counted(n, "instance"))
        }
        CoverageMode::Guided => "no attempt reached it".to_owned(),
        CoverageMode::Off | CoverageMode::Measure => match n {
            1 => "the only instance does not show it".to_owned(),
            n => format!("none of {n} instances shows it"),
        },
    }
}

/// What a hint and its target have in common.
fn key(path: &str, params: &Map<String, Value>) -> String {
    let of = |name: &str| params.get(name).map(Value::to_string).unwrap_or_default();
    let parts = ["branchIndex", "path", "property", "enumIndex", "valueIndex", "value"].map(of);
    format!("{path} {}", parts.join(" "))
}
