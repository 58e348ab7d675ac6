//! From targets and hits to a report: a pure function.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::coverage::analyze::Universe;
use crate::coverage::hits::Hits;
use crate::coverage::report::{
    AJV_MAJOR, CoverageMode, CoverageReport, CoverageStatus, Diagnostics, Engine, Metrics, OperationsScope,
    PlannerCapHit, REPORT_VERSION, ReportMode, Run, TargetReport, Thresholds, UnsatisfiedHint,
};
use crate::coverage::target::{DIMENSIONS, Dimension, STATUSES, Status, Target};

/// Most uncovered targets of one dimension that a summary lists.
pub const SUMMARY_TARGETS: usize = 50;

/// What a report says beside targets and hits; the caller knows the clock and the command line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFacts {
    /// The mode of the run.
    pub mode: CoverageMode,
    /// How much to list.
    pub report_mode: ReportMode,
    /// The user's seed.
    pub seed: u64,
    /// How many instances were allowed.
    pub max_instances: u64,
    /// How many there were.
    pub actual_instances: u64,
    /// Whether targets proven unreachable are left out of the figures.
    pub exclude_unreachable: bool,
    /// The least overall coverage asked for.
    pub min_coverage: Option<f64>,
    /// When the run began, as RFC 3339.
    pub started_at: String,
    /// How long it took.
    pub duration_ms: u64,
    /// Which operations were in scope, when there are operations at all.
    pub operations_scope: Option<OperationsScope>,
    /// Every operation in scope.
    pub operations: Vec<OperationTargets>,
    /// Hints that came to nothing.
    pub unsatisfied_hints: Vec<UnsatisfiedHint>,
    /// Where the planner left targets out.
    pub planner_caps_hit: Vec<PlannerCapHit>,
    /// Targets that no unit aimed at, in rising order; only a guided run has any.
    pub unplanned: Vec<usize>,
    /// Everything else worth knowing.
    pub notes: Vec<Value>,
}

/// An operation and the targets that count for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationTargets {
    /// Its key.
    pub key: String,
    /// Positions in [`Universe::targets`].
    pub targets: Vec<usize>,
}

/// Computes the report of a run.
#[must_use]
pub fn evaluate(universe: &Universe, hits: &Hits, facts: RunFacts) -> CoverageReport {
    let RunFacts {
        mode,
        report_mode,
        seed,
        max_instances,
        actual_instances,
        exclude_unreachable,
        min_coverage,
        started_at,
        duration_ms,
        operations_scope,
        operations,
        unsatisfied_hints,
        planner_caps_hit,
        unplanned,
        mut notes,
    } = facts;
    let mut listed: Vec<TargetReport> =
        universe.targets.iter().enumerate().map(|(at, target)| reported(target, hits.first(at))).collect();
    for at in unplanned {
        listed[at].meta.insert("planned".to_owned(), Value::Bool(false));
    }
    // Which operations reach a target is what a difference or a merger needs to speak of operations.
    for OperationTargets { key, targets } in &operations {
        for at in targets {
            let keys = listed[*at].meta.entry("operations").or_insert_with(|| json!([]));
            keys.as_array_mut().expect("only this loop writes it").push(Value::from(key.as_str()));
        }
    }
    notes.extend(subsampled(universe));
    notes.extend(refuted(universe, hits));
    let counts = |at: &usize| counts(&listed[*at], exclude_unreachable);
    let ratio = |among: &[usize]| {
        let counted: Vec<usize> = among.iter().copied().filter(counts).collect();
        share(counted.iter().filter(|at| hits.has(**at)).count(), counted.len())
    };
    let every: Vec<usize> = (0..listed.len()).collect();
    let of = |dimension: Dimension| -> Vec<usize> {
        every.iter().copied().filter(|at| universe.targets[*at].dimension() == dimension).collect()
    };
    let overall = ratio(&every);
    let is_met = min_coverage.is_none_or(|least| overall >= least);
    let metrics = Metrics {
        coverage_status: if is_met { CoverageStatus::Ok } else { CoverageStatus::MinCoverageNotMet },
        overall,
        by_dimension: universe
            .dimensions
            .iter()
            .map(|dimension| (dimension.name().to_owned(), ratio(&of(*dimension))))
            .collect(),
        by_operation: operations.iter().map(|one| (one.key.clone(), ratio(&one.targets))).collect(),
        targets_by_status: by_status(&listed),
        thresholds: min_coverage.map(|least| Thresholds { overall: Some(least), ..Thresholds::default() }),
    };
    let uncovered = uncovered(&listed, report_mode);
    CoverageReport {
        version: REPORT_VERSION.to_owned(),
        report_mode,
        engine: Engine {
            foundry_version: env!("CARGO_PKG_VERSION").to_owned(),
            coverage_mode: mode,
            ajv_major: AJV_MAJOR,
            validator: Some(crate::validate::VALIDATOR.to_owned()),
        },
        run: Run {
            seed,
            master_seed: seed,
            max_instances,
            actual_instances,
            dimensions_enabled: universe.dimensions.iter().map(|one| one.name().to_owned()).collect(),
            exclude_unreachable,
            started_at,
            duration_ms,
            operations_scope,
            selected_operations: (operations_scope == Some(OperationsScope::Selected))
                .then(|| operations.iter().map(|one| one.key.clone()).collect()),
        },
        metrics,
        targets: match report_mode {
            ReportMode::Full => listed,
            ReportMode::Summary => Vec::new(),
        },
        uncovered_targets: uncovered,
        unsatisfied_hints,
        diagnostics: Diagnostics { planner_caps_hit, notes },
    }
}

/// A part of a whole; all of nothing is everything.
#[must_use]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of targets is far below 2^52")]
    let share = part as f64 / whole as f64;
    share
}

/// Whether a target is in the denominator: active ones are, unreachable ones unless they are left out, deprecated ones never.
#[must_use]
pub(crate) fn counts(target: &TargetReport, exclude_unreachable: bool) -> bool {
    match target.status.as_str() {
        "active" => true,
        "unreachable" => !exclude_unreachable,
        _ => false,
    }
}

/// How many targets have each status; every status is listed.
pub(crate) fn by_status(targets: &[TargetReport]) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> =
        STATUSES.iter().map(|(name, _)| ((*name).to_owned(), 0)).collect();
    for target in targets {
        *counts.entry(target.status.clone()).or_default() += 1;
    }
    counts
}

/// The uncovered targets by dimension, weight, kind and path; those of one place as the contract lists them.
pub(crate) fn uncovered(targets: &[TargetReport], mode: ReportMode) -> Vec<TargetReport> {
    let mut missed: Vec<&TargetReport> =
        targets.iter().filter(|target| !target.hit && target.status != "deprecated").collect();
    let rank = |target: &TargetReport| {
        DIMENSIONS.iter().position(|(name, _)| *name == target.dimension).unwrap_or(DIMENSIONS.len())
    };
    let weight = |target: &TargetReport| target.weight.unwrap_or(1.0);
    missed.sort_by(|left, right| {
        (rank(left).cmp(&rank(right)))
            .then_with(|| weight(right).total_cmp(&weight(left)))
            .then_with(|| left.kind.cmp(&right.kind))
            .then_with(|| left.canon_path.cmp(&right.canon_path))
    });
    if mode == ReportMode::Summary {
        let mut listed: BTreeMap<&str, usize> = BTreeMap::new();
        missed.retain(|target| {
            let n = listed.entry(&target.dimension).or_default();
            *n += 1;
            *n <= SUMMARY_TARGETS
        });
    }
    missed.into_iter().cloned().collect()
}

fn reported(target: &Target, first: Option<u64>) -> TargetReport {
    let mut meta = target.meta.clone();
    // What was hit was reachable, whatever a proof said; `refuted` says so in the notes.
    let status =
        if first.is_some() && target.status == Status::Unreachable { Status::Active } else { target.status };
    if let Some(first) = first {
        meta.insert("firstInstance".to_owned(), Value::from(first));
    }
    TargetReport {
        id: target.id.clone(),
        dimension: target.dimension().name().to_owned(),
        kind: target.kind().to_owned(),
        canon_path: target.canon_path.clone(),
        operation_key: target.operation_key.clone(),
        params: target.params(),
        status: status.name().to_owned(),
        weight: None,
        polarity: None,
        meta,
        hit: first.is_some(),
    }
}

fn refuted(universe: &Universe, hits: &Hits) -> Vec<Value> {
    let wrong = (0..universe.targets.len())
        .filter(|at| universe.targets[*at].status == Status::Unreachable && hits.has(*at));
    wrong
        .map(|at| {
            let target = &universe.targets[at];
            json!({"code": "refuted-proof", "target": target.id, "text": "was taken for unreachable, and was hit"})
        })
        .collect()
}

fn subsampled(universe: &Universe) -> Vec<Value> {
    let mut notes: Vec<Value> = Vec::new();
    for target in &universe.targets {
        let n = |name: &str| target.meta.get(name).and_then(Value::as_u64).unwrap_or_default();
        let note = target.meta.get("enumSubsampled").map(|_| {
            let (at, values, targets) = (&target.canon_path, n("enumValues"), n("enumTargets"));
            let shown = target.meta.get("source").and_then(Value::as_str).unwrap_or(at);
            json!({
                "code": "enum-subsampled",
                "canonPath": at,
                "values": values,
                "targets": targets,
                "text": format!("of the {values} values at {shown} only {targets}, evenly spread, are targets"),
            })
        });
        if let Some(note) = note.filter(|note| notes.last() != Some(note)) {
            notes.push(note);
        }
    }
    notes
}
