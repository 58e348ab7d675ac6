//! Coverage as answers tell it: the figures, and what is missing with the reason.

use std::collections::BTreeMap;

use probity_schema::coverage::{CoverageReport, PROOF_CAP, TargetReport, describe, place, why_missed};
use serde_json::{Value, json};

use crate::serve::shape::{count, object, text};

/// Most uncovered targets in one answer.
const MAX_UNCOVERED: usize = 50;

/// The main parts of a full coverage report.
pub(crate) fn figures(report: &CoverageReport) -> Value {
    let why = why_missed(report);
    let why: BTreeMap<&str, &str> = report
        .targets
        .iter()
        .zip(&why)
        .filter_map(|(target, why)| Some((target.id.as_str(), why.as_deref()?)))
        .collect();
    let row = |target: &TargetReport| {
        json!({
            "kind": target.kind,
            "at": place(target),
            "asks": describe(target),
            "why": why.get(target.id.as_str()).copied().unwrap_or("not hit")
        })
    };
    let uncovered = &report.uncovered_targets;
    let n_unreachable = report.targets.iter().filter(|target| target.status == "unreachable").count();
    // Those that were not looked at may be unreachable too.
    let unproven = report.diagnostics.notes.iter().find(|note| note["code"] == PROOF_CAP);
    json!({
        "overall": report.metrics.overall,
        "byDimension": report.metrics.by_dimension,
        "nTargets": report.targets.len(),
        "nHit": report.targets.iter().filter(|target| target.hit).count(),
        "nUnreachable": n_unreachable,
        "nUnproven": unproven.map_or(0, |note| note["targets"].as_u64().unwrap_or_default()),
        "uncovered": uncovered.iter().take(MAX_UNCOVERED).map(row).collect::<Vec<_>>(),
        "nUncovered": uncovered.len(),
    })
}

/// The schema of [`figures`].
pub(crate) fn schema() -> Value {
    let share = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let members = vec![("kind", text()), ("at", text()), ("asks", text()), ("why", text())];
    let uncovered = json!({
        "type": "array",
        "maxItems": MAX_UNCOVERED,
        "description": "What was not hit, the most important first.",
        "items": object(members, &["kind", "at", "asks", "why"])
    });
    let mut unproven = count();
    unproven["description"] = "Of what was not hit, how much was not asked whether it can be reached.".into();
    let mut schema = object(
        vec![
            ("overall", share.clone()),
            ("byDimension", json!({ "type": "object", "additionalProperties": share })),
            ("nTargets", count()),
            ("nHit", count()),
            ("nUnreachable", count()),
            ("nUnproven", unproven),
            ("uncovered", uncovered),
            ("nUncovered", count()),
        ],
        &[
            "overall",
            "byDimension",
            "nTargets",
            "nHit",
            "nUnreachable",
            "nUnproven",
            "uncovered",
            "nUncovered",
        ],
    );
    schema["description"] =
        "What the instances show of the contract: every subschema, optional member, branch and enum value \
                             is a target. Targets proven unreachable do not count."
            .into();
    schema
}
