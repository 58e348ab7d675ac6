//! Two coverage reports beside each other: what got worse, what is new, what is gone.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::coverage::evaluate::{counts, share};
use crate::coverage::report::{CoverageReport, ReportMode, TargetReport};

/// The version every difference of this form carries.
pub const DIFF_VERSION: &str = "coverage-diff/v1";

/// What changed from report A to report B.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CoverageDiff {
    /// [`DIFF_VERSION`].
    pub version: &'static str,
    /// Overall coverage of the targets both have.
    pub overall: Change,
    /// What each report says of itself, over all the targets that it has.
    pub reported_overall: Change,
    /// The same for each dimension that both looked at.
    pub by_dimension: BTreeMap<String, Change>,
    /// The same for each operation that both have.
    pub by_operation: BTreeMap<String, Change>,
    /// How many targets of both reports have the same status.
    pub n_unchanged: usize,
    /// Targets of both reports whose status differs.
    pub status_changed: Vec<StatusChange>,
    /// Targets that only B has.
    pub added: Vec<TargetReport>,
    /// Targets that only A has; no regression.
    pub removed: Vec<TargetReport>,
    /// Targets of both, hit in A and not in B: regressions.
    pub newly_uncovered: Vec<TargetReport>,
    /// Targets of both, hit in B and not in A.
    pub newly_covered: Vec<TargetReport>,
    /// Targets that only B has and that were not hit there.
    pub new_gaps: Vec<TargetReport>,
}

/// A figure before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Change {
    /// In A.
    pub before: f64,
    /// In B.
    pub after: f64,
    /// What it gained.
    pub delta: f64,
}

impl Change {
    fn between(before: f64, after: f64) -> Self {
        Self { before, after, delta: after - before }
    }
}

/// A target whose status differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusChange {
    /// Its id.
    pub id: String,
    /// Its canonical path.
    pub canon_path: String,
    /// Its status in A.
    pub before: String,
    /// Its status in B.
    pub after: String,
}

/// Why two reports cannot be set beside each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Incompatible {
    /// Their versions differ.
    #[error(
        "the reports have different versions, {left:?} and {right:?}; make both with one version of probity"
    )]
    Version {
        /// Of A.
        left: String,
        /// Of B.
        right: String,
    },
    /// Their engines differ in the major version.
    #[error(
        "the reports come from engines of different major versions, {left} and {right}; make both with one of them"
    )]
    Engine {
        /// Of A.
        left: String,
        /// Of B.
        right: String,
    },
    /// They are about different operations.
    #[error(
        "the reports are about different operations, {left} and {right}; run both with the same selection"
    )]
    Operations {
        /// Of A.
        left: String,
        /// Of B.
        right: String,
    },
    /// One of them does not list its targets.
    #[error("report {which} is a summary and lists no targets; make it with --report-mode full")]
    Summary {
        /// Which one: A, B, or its position.
        which: String,
    },
    /// They are about different contracts.
    #[error(
        "report {which} is about another contract or other dimensions: {reason}; merge reports of one contract only"
    )]
    Contract {
        /// Which one, by its position.
        which: String,
        /// What differs.
        reason: String,
    },
}

impl CoverageDiff {
    /// Whether B is worse than A: a target of both is no longer hit, or a figure over the targets of both fell.
    #[must_use]
    pub fn is_regression(&self) -> bool {
        let fell = |change: &Change| change.delta < -1e-9;
        !self.newly_uncovered.is_empty()
            || fell(&self.overall)
            || self.by_dimension.values().any(fell)
            || self.by_operation.values().any(fell)
    }
}

/// Sets report B beside report A.
pub fn diff(left: &CoverageReport, right: &CoverageReport) -> Result<CoverageDiff, Incompatible> {
    check_compatible(left, right)?;
    for (which, report) in [("A", left), ("B", right)] {
        if report.report_mode == ReportMode::Summary {
            return Err(Incompatible::Summary { which: which.to_owned() });
        }
    }
    let before: BTreeMap<Identity<'_>, &TargetReport> = by_identity(left);
    let after: BTreeMap<Identity<'_>, &TargetReport> = by_identity(right);
    let pairs: Vec<(&TargetReport, &TargetReport)> =
        left.targets.iter().filter_map(|target| Some((target, *after.get(&identity(target))?))).collect();
    let added: Vec<TargetReport> =
        right.targets.iter().filter(|target| !before.contains_key(&identity(target))).cloned().collect();
    let removed =
        left.targets.iter().filter(|target| !after.contains_key(&identity(target))).cloned().collect();
    let changed = |(before, after): &&(&TargetReport, &TargetReport)| before.status != after.status;
    let change = |is_in: &dyn Fn(&TargetReport) -> bool| change(left, right, &pairs, is_in);
    let dimensions: BTreeSet<&String> = left.metrics.by_dimension.keys().collect();
    let shared = right.metrics.by_dimension.keys().filter(|name| dimensions.contains(name));
    Ok(CoverageDiff {
        version: DIFF_VERSION,
        overall: change(&|_| true),
        reported_overall: Change::between(left.metrics.overall, right.metrics.overall),
        by_dimension: shared
            .map(|name| (name.clone(), change(&|target| target.dimension == *name)))
            .collect(),
        by_operation: by_operation(left, right, &pairs),
        n_unchanged: pairs.iter().filter(|pair| !changed(pair)).count(),
        status_changed: pairs.iter().filter(changed).map(status_change).collect(),
        newly_uncovered: moved(&pairs, |before, after| before && !after),
        newly_covered: moved(&pairs, |before, after| !before && after),
        new_gaps: added.iter().filter(|target| !target.hit && target.status == "active").cloned().collect(),
        added,
        removed,
    })
}

/// Whether two reports speak of the same things in the same way.
pub(crate) fn check_compatible(left: &CoverageReport, right: &CoverageReport) -> Result<(), Incompatible> {
    if left.version != right.version {
        return Err(Incompatible::Version { left: left.version.clone(), right: right.version.clone() });
    }
    let major = |report: &CoverageReport| {
        report.engine.foundry_version.split('.').next().unwrap_or_default().to_owned()
    };
    if major(left) != major(right) {
        let of = |report: &CoverageReport| report.engine.foundry_version.clone();
        return Err(Incompatible::Engine { left: of(left), right: of(right) });
    }
    let scope =
        |report: &CoverageReport| match (&report.run.operations_scope, &report.run.selected_operations) {
            (_, Some(selected)) => {
                selected.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
            }
            (Some(_), None) => "all operations".to_owned(),
            (None, None) => "no operations".to_owned(),
        };
    if scope(left) != scope(right) {
        return Err(Incompatible::Operations { left: scope(left), right: scope(right) });
    }
    Ok(())
}

/// What makes a target the same target in another report.
pub(crate) type Identity<'r> = (&'r str, &'r str, &'r str, &'r str);

pub(crate) fn identity(target: &TargetReport) -> Identity<'_> {
    (&target.id, &target.dimension, &target.kind, &target.canon_path)
}

fn by_identity(report: &CoverageReport) -> BTreeMap<Identity<'_>, &TargetReport> {
    report.targets.iter().map(|target| (identity(target), target)).collect()
}

fn change(
    left: &CoverageReport,
    right: &CoverageReport,
    pairs: &[(&TargetReport, &TargetReport)],
    is_in: &dyn Fn(&TargetReport) -> bool,
) -> Change {
    let figure = |targets: &mut dyn Iterator<Item = &TargetReport>, report: &CoverageReport| {
        let counted: Vec<&TargetReport> = targets
            .filter(|target| is_in(target) && counts(target, report.run.exclude_unreachable))
            .collect();
        share(counted.iter().filter(|target| target.hit).count(), counted.len())
    };
    let before = figure(&mut pairs.iter().map(|(before, _)| *before), left);
    let after = figure(&mut pairs.iter().map(|(_, after)| *after), right);
    Change::between(before, after)
}

/// Where targets say which operations reach them, the figures are over the targets of both; else the reports' own.
fn by_operation(
    left: &CoverageReport,
    right: &CoverageReport,
    pairs: &[(&TargetReport, &TargetReport)],
) -> BTreeMap<String, Change> {
    let says =
        |target: &TargetReport| target.operation_key.is_some() || target.meta.contains_key("operations");
    let is_said = pairs.iter().all(|(before, after)| says(before) && says(after));
    let belongs = |target: &TargetReport, key: &str| {
        target.operation_key.as_deref() == Some(key)
            || target
                .meta
                .get("operations")
                .and_then(|keys| keys.as_array())
                .is_some_and(|keys| keys.iter().any(|known| known.as_str() == Some(key)))
    };
    let mut changes = BTreeMap::new();
    for (key, before) in &left.metrics.by_operation {
        let Some(after) = right.metrics.by_operation.get(key) else { continue };
        let stated = Change::between(*before, *after);
        let figure =
            if is_said { change(left, right, pairs, &|target| belongs(target, key)) } else { stated };
        changes.insert(key.clone(), figure);
    }
    changes
}

fn status_change((before, after): &(&TargetReport, &TargetReport)) -> StatusChange {
    StatusChange {
        id: before.id.clone(),
        canon_path: before.canon_path.clone(),
        before: before.status.clone(),
        after: after.status.clone(),
    }
}

fn moved(
    pairs: &[(&TargetReport, &TargetReport)],
    is_moved: impl Fn(bool, bool) -> bool,
) -> Vec<TargetReport> {
    // A target that is unreachable or deprecated now is a change of status, not a lost hit.
    let found =
        pairs.iter().filter(|(before, after)| is_moved(before.hit, after.hit) && after.status == "active");
    found.map(|(_, after)| (*after).clone()).collect()
}
