//! Reports of several runs or shards of one contract, united: what any of them hit is hit.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::coverage::diff::{Incompatible, check_compatible, identity};
use crate::coverage::evaluate::{by_status, counts, share, uncovered};
use crate::coverage::report::{CoverageReport, CoverageStatus, ReportMode, TargetReport};

/// Unites reports; `None` of no reports.
///
/// Instances are counted together, the run facts are those of the first report, and figures are computed anew. A
/// target's first instance is told by the first report that hit it, with that report's position in `meta.firstReport`.
/// Thresholds were meant for each run alone; the whole has none.
pub fn merge(reports: &[CoverageReport]) -> Result<Option<CoverageReport>, Incompatible> {
    let Some((first, rest)) = reports.split_first() else { return Ok(None) };
    for (at, report) in reports.iter().enumerate() {
        if report.report_mode == ReportMode::Summary {
            return Err(Incompatible::Summary { which: (at + 1).to_string() });
        }
    }
    let mut merged = first.clone();
    let place: BTreeMap<String, usize> =
        first.targets.iter().enumerate().map(|(at, target)| (target.id.clone(), at)).collect();
    for (at, report) in rest.iter().enumerate() {
        let which = (at + 2).to_string();
        check_compatible(first, report)?;
        check_same_contract(first, report, &which)?;
        for target in &report.targets {
            unite(&mut merged.targets[place[&target.id]], target, at + 2);
        }
        merged.run.actual_instances += report.run.actual_instances;
        merged.run.max_instances += report.run.max_instances;
        merged.run.duration_ms += report.run.duration_ms;
        for hint in &report.unsatisfied_hints {
            if !merged.unsatisfied_hints.contains(hint) {
                merged.unsatisfied_hints.push(hint.clone());
            }
        }
        for cap in &report.diagnostics.planner_caps_hit {
            if !merged.diagnostics.planner_caps_hit.contains(cap) {
                merged.diagnostics.planner_caps_hit.push(cap.clone());
            }
        }
        for note in &report.diagnostics.notes {
            if !merged.diagnostics.notes.contains(note) {
                merged.diagnostics.notes.push(note.clone());
            }
        }
    }
    let seeds: Vec<u64> = reports.iter().map(|report| report.run.seed).collect();
    merged.diagnostics.notes.push(json!({"code": "merged", "reports": reports.len(), "seeds": seeds}));
    recompute(&mut merged);
    Ok(Some(merged))
}

fn check_same_contract(
    first: &CoverageReport,
    other: &CoverageReport,
    which: &str,
) -> Result<(), Incompatible> {
    let different = |reason: String| Err(Incompatible::Contract { which: which.to_owned(), reason });
    if first.run.dimensions_enabled != other.run.dimensions_enabled {
        let of = |report: &CoverageReport| report.run.dimensions_enabled.join(", ");
        return different(format!("it looked at {} and the first at {}", of(other), of(first)));
    }
    let known: BTreeSet<_> = first.targets.iter().map(identity).collect();
    let theirs: BTreeSet<_> = other.targets.iter().map(identity).collect();
    if let Some(target) = other.targets.iter().find(|target| !known.contains(&identity(target))) {
        return different(format!("it has the target {:?}, which the first has not", target.id));
    }
    if let Some(target) = first.targets.iter().find(|target| !theirs.contains(&identity(target))) {
        return different(format!("it lacks the target {:?}", target.id));
    }
    Ok(())
}

fn unite(mine: &mut TargetReport, theirs: &TargetReport, which: usize) {
    if theirs.hit && !mine.hit {
        mine.hit = true;
        mine.meta.remove("planned");
        if let Some(instance) = theirs.meta.get("firstInstance") {
            mine.meta.insert("firstInstance".to_owned(), instance.clone());
            mine.meta.insert("firstReport".to_owned(), which.into());
        }
    }
    // One run's proof stands for all, unless another run hit the target.
    if mine.hit && mine.status == "unreachable" {
        "active".clone_into(&mut mine.status);
    } else if !mine.hit && theirs.status == "unreachable" && mine.status == "active" {
        mine.status.clone_from(&theirs.status);
        mine.meta.extend(theirs.meta.clone());
    }
}

fn recompute(report: &mut CoverageReport) {
    let exclude = report.run.exclude_unreachable;
    let figure = |is_in: &dyn Fn(&TargetReport) -> bool| {
        let counted: Vec<&TargetReport> =
            report.targets.iter().filter(|target| is_in(target) && counts(target, exclude)).collect();
        share(counted.iter().filter(|target| target.hit).count(), counted.len())
    };
    let overall = figure(&|_| true);
    let names = &report.run.dimensions_enabled;
    let by_dimension =
        names.iter().map(|name| (name.clone(), figure(&|target| target.dimension == *name))).collect();
    let keys = report.metrics.by_operation.keys();
    let by_operation = keys.map(|key| (key.clone(), figure(&|target| reaches(target, key)))).collect();
    report.metrics.overall = overall;
    report.metrics.by_dimension = by_dimension;
    report.metrics.by_operation = by_operation;
    report.metrics.targets_by_status = by_status(&report.targets);
    report.metrics.thresholds = None;
    report.metrics.coverage_status = CoverageStatus::Ok;
    report.uncovered_targets = uncovered(&report.targets, report.report_mode);
}

fn reaches(target: &TargetReport, key: &str) -> bool {
    let listed = target.meta.get("operations").and_then(|keys| keys.as_array());
    target.operation_key.as_deref() == Some(key)
        || listed.is_some_and(|keys| keys.iter().any(|known| known.as_str() == Some(key)))
}
