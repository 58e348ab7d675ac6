//! A coverage report for people, as lines in the order of importance.
//!
//! Lines are data: the console adds colours and bars, [`text`] writes them plain.

use serde_json::Value;

use crate::counted::counted;
use crate::coverage::enums::ENUM_SAMPLE;
use crate::coverage::evaluate::counts;
use crate::coverage::report::{CoverageReport, CoverageStatus, ReasonCode, TargetReport, UnsatisfiedHint};
use crate::coverage::wording::{describe, place};

/// Most operations a summary names.
const OPERATIONS: usize = 10;
/// Most uncovered targets a summary names.
const GAPS: usize = 10;

/// What a line of a summary is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Topic {
    /// A dimension.
    Dimension,
    /// An operation.
    Operation,
    /// Everything.
    Overall,
    /// The threshold.
    Threshold,
    /// How many targets have each status.
    Status,
    /// Long enumerations, of which only some values are targets.
    Sample,
    /// Where the plan was capped.
    Cap,
    /// Targets that were aimed at in vain.
    Hint,
    /// A target that was not hit.
    Gap,
}

/// One line of a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it is about.
    pub topic: Topic,
    /// What it names.
    pub label: String,
    /// Its figure, from 0 to 1.
    pub share: Option<f64>,
    /// The rest.
    pub detail: String,
}

/// The summary of a report.
#[must_use]
pub fn summary(report: &CoverageReport) -> Vec<Line> {
    let mut lines = Vec::new();
    let metrics = &report.metrics;
    for (name, share) in &metrics.by_dimension {
        let (hit, all) = tally(report, |target| target.dimension == *name);
        let detail = if report.targets.is_empty() { String::new() } else { format!("{hit} of {all}") };
        lines.push(Line { topic: Topic::Dimension, label: name.clone(), share: Some(*share), detail });
    }
    let mut operations: Vec<(&String, &f64)> = metrics.by_operation.iter().collect();
    operations.sort_by(|left, right| left.1.total_cmp(right.1).then_with(|| left.0.cmp(right.0)));
    for (key, share) in operations.iter().take(OPERATIONS) {
        lines.push(Line {
            topic: Topic::Operation,
            label: plain(key),
            share: Some(**share),
            detail: String::new(),
        });
    }
    if operations.len() > OPERATIONS {
        let detail = format!("and {} more operations, none covered less", operations.len() - OPERATIONS);
        lines.push(Line { topic: Topic::Operation, label: String::new(), share: None, detail });
    }
    let detail = counted(report.run.actual_instances, "instance");
    lines.push(Line {
        topic: Topic::Overall,
        label: "overall".to_owned(),
        share: Some(metrics.overall),
        detail,
    });
    if let Some(least) = metrics.thresholds.as_ref().and_then(|thresholds| thresholds.overall) {
        let verdict = match metrics.coverage_status {
            CoverageStatus::Ok => "met",
            CoverageStatus::MinCoverageNotMet => "not met",
        };
        lines.push(Line {
            topic: Topic::Threshold,
            label: "threshold".to_owned(),
            share: Some(least),
            detail: verdict.to_owned(),
        });
    }
    lines.push(status(report));
    lines.extend(samples(report));
    lines.extend(caps(report));
    lines.extend(hints(report));
    lines.extend(gaps(report));
    lines
}

/// A line without colours.
#[must_use]
pub fn text(line: &Line) -> String {
    let Line { topic: _, label, share, detail } = line;
    let share = share.map(percent).unwrap_or_default();
    format!("{label:<14} {share:>7}  {detail}").trim_end().to_owned()
}

/// A share as people read it; never 100 % when something is missing.
#[must_use]
pub fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).floor() / 10.0;
    if tenths >= 100.0 { "100 %".to_owned() } else { format!("{tenths:.1} %") }
}

/// How many of some targets were hit, of how many that count.
pub(crate) fn tally(report: &CoverageReport, is_in: impl Fn(&TargetReport) -> bool) -> (usize, usize) {
    let counted = report.targets.iter().filter(|target| counts(target, report.run.exclude_unreachable));
    let counted: Vec<&TargetReport> = counted.filter(|target| is_in(target)).collect();
    (counted.iter().filter(|target| target.hit).count(), counted.len())
}

fn status(report: &CoverageReport) -> Line {
    let n = |name: &str| report.metrics.targets_by_status.get(name).copied().unwrap_or_default();
    let policy = if report.run.exclude_unreachable { "excluded from coverage" } else { "counted as missed" };
    let mut detail = format!("{} active, {} unreachable ({policy})", n("active"), n("unreachable"));
    if n("deprecated") > 0 {
        detail = format!("{detail}, {} shown only", n("deprecated"));
    }
    // Of reports that were united, the one that left most out.
    let is_cap = |note: &&Value| note.get("code").and_then(Value::as_str) == Some("proof-cap");
    let caps = report.diagnostics.notes.iter().filter(is_cap);
    if let Some(n_left) = caps.filter_map(|note| note.get("targets")?.as_u64()).max() {
        detail = format!("{detail}; {n_left} of those missed were not looked at for a proof");
    }
    Line { topic: Topic::Status, label: "targets".to_owned(), share: None, detail }
}

fn samples(report: &CoverageReport) -> Option<Line> {
    let is_sample = |note: &&Value| note.get("code").and_then(Value::as_str) == Some("enum-subsampled");
    let n_left = |note: &Value| {
        let n = |name: &str| note.get(name).and_then(Value::as_u64).unwrap_or_default();
        n("values").saturating_sub(n("targets"))
    };
    let left: Vec<u64> = report.diagnostics.notes.iter().filter(is_sample).map(n_left).collect();
    let n: u64 = left.iter().fold(0, |sum, n| sum.saturating_add(*n));
    let lists = counted(left.len() as u64, "long enumeration");
    let detail = format!("{n} values of {lists} are no targets; {ENUM_SAMPLE} of each are, evenly spread");
    (n > 0).then(|| Line { topic: Topic::Sample, label: "samples".to_owned(), share: None, detail })
}

fn caps(report: &CoverageReport) -> Option<Line> {
    let caps = &report.diagnostics.planner_caps_hit;
    let n: u64 = caps.iter().map(|cap| cap.unplanned_targets).sum();
    let detail = format!(
        "{n} left out of the plan as its budget ended; a larger profile or more instances reach further"
    );
    (!caps.is_empty()).then(|| Line { topic: Topic::Cap, label: "caps".to_owned(), share: None, detail })
}

fn hints(report: &CoverageReport) -> Option<Line> {
    // What the budget left out, which the line on caps counts, and what cannot be reached was not aimed at.
    let is_aimed = |hint: &&UnsatisfiedHint| match hint.reason_code {
        ReasonCode::PlannerCap | ReasonCode::UnreachableBranch | ReasonCode::ConflictingConstraints => false,
        ReasonCode::RepairModifiedValue | ReasonCode::InternalError | ReasonCode::Unknown => true,
    };
    let hints: Vec<&UnsatisfiedHint> = report.unsatisfied_hints.iter().filter(is_aimed).collect();
    let mut by_reason: Vec<(ReasonCode, usize)> = Vec::new();
    for hint in &hints {
        match by_reason.iter_mut().find(|(code, _)| *code == hint.reason_code) {
            Some((_, n)) => *n += 1,
            None => by_reason.push((hint.reason_code, 1)),
        }
    }
    by_reason.sort_unstable();
    let reasons: Vec<String> =
        by_reason.into_iter().map(|(code, n)| format!("{n} {}", meaning(code))).collect();
    let detail = format!("{} aimed at in vain: {}", hints.len(), reasons.join(", "));
    (!hints.is_empty()).then(|| Line { topic: Topic::Hint, label: "hints".to_owned(), share: None, detail })
}

/// Why an aim came to nothing, in words and as the report spells it.
fn meaning(code: ReasonCode) -> &'static str {
    match code {
        ReasonCode::UnreachableBranch => "in a branch that is unreachable (UNREACHABLE_BRANCH)",
        ReasonCode::PlannerCap => "left out by the budget (PLANNER_CAP)",
        ReasonCode::RepairModifiedValue => "undone to keep the instance valid (REPAIR_MODIFIED_VALUE)",
        ReasonCode::ConflictingConstraints => "ruled out by other constraints (CONFLICTING_CONSTRAINTS)",
        ReasonCode::InternalError => "failed (INTERNAL_ERROR)",
        ReasonCode::Unknown => "found in no instance that was drawn (UNKNOWN)",
    }
}

fn gaps(report: &CoverageReport) -> Vec<Line> {
    let counted = report.uncovered_targets.iter().filter(|one| counts(one, report.run.exclude_unreachable));
    // What can be hit comes first; what cannot is named where it pulls the figures down.
    let (mut missed, unreachable): (Vec<_>, Vec<_>) = counted.partition(|target| target.status == "active");
    missed.extend(unreachable);
    let words = |target: &TargetReport| match target.status.as_str() {
        "unreachable" => format!("{} {} (unreachable)", place(target), describe(target)),
        _ => format!("{} {}", place(target), describe(target)),
    };
    let mut lines: Vec<Line> = missed
        .iter()
        .take(GAPS)
        .map(|target| Line {
            topic: Topic::Gap,
            label: "missed".to_owned(),
            share: None,
            detail: plain(&words(target)),
        })
        .collect();
    let n_left = n_missed(report).max(missed.len()) - lines.len();
    if n_left > 0 {
        let detail = format!("and {n_left} more");
        lines.push(Line { topic: Topic::Gap, label: String::new(), share: None, detail });
    }
    lines
}

/// How many of the targets that count were not hit: a short report lists only some of them, and its figures are over all.
fn n_missed(report: &CoverageReport) -> usize {
    let n = |name: &str| report.metrics.targets_by_status.get(name).copied().unwrap_or_default();
    let n_counted =
        n("active").saturating_add(if report.run.exclude_unreachable { 0 } else { n("unreachable") });
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share is from 0 to 1, and a count of targets is far below 2^52"
    )]
    let n_hit = (report.metrics.overall * n_counted as f64).round() as u64;
    usize::try_from(n_counted.saturating_sub(n_hit)).unwrap_or(usize::MAX)
}

/// The text without anything a terminal would act on.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}
