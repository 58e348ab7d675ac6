//! The coverage report, `coverage-report/v1`, as it is written and read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version every report of this form carries.
pub const REPORT_VERSION: &str = "coverage-report/v1";
/// The JSON Schema of the report.
pub const REPORT_SCHEMA: &str = include_str!("../../schemas/coverage-report-v1.schema.json");
/// The AJV major version our own suite is held against.
pub const AJV_MAJOR: u32 = 8;

/// A coverage report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CoverageReport {
    /// [`REPORT_VERSION`].
    pub version: String,
    /// Whether every target is listed.
    pub report_mode: ReportMode,
    /// What made it.
    pub engine: Engine,
    /// The run it is about.
    pub run: Run,
    /// The figures.
    pub metrics: Metrics,
    /// Every target of the enabled dimensions; empty in a summary.
    pub targets: Vec<TargetReport>,
    /// The targets that were not hit, most important first.
    pub uncovered_targets: Vec<TargetReport>,
    /// The hints that came to nothing, with the reason.
    pub unsatisfied_hints: Vec<UnsatisfiedHint>,
    /// What was capped or odd.
    pub diagnostics: Diagnostics,
}

/// How much a report lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReportMode {
    /// Every target.
    #[default]
    Full,
    /// Figures, and the most important of the uncovered targets.
    Summary,
}

/// What coverage does to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CoverageMode {
    /// Nothing is measured.
    #[default]
    Off,
    /// What is drawn anyway is measured.
    Measure,
    /// What is drawn is aimed at targets.
    Guided,
}

/// What made a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Engine {
    /// The version of Probity.
    pub foundry_version: String,
    /// The mode of the run.
    pub coverage_mode: CoverageMode,
    /// [`AJV_MAJOR`].
    pub ajv_major: u32,
    /// The validator that judged, with its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validator: Option<String>,
}

/// The run a report is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// The seed that drew the instances.
    pub seed: u64,
    /// The seed the user gave; the same.
    pub master_seed: u64,
    /// How many instances were allowed.
    pub max_instances: u64,
    /// How many there were.
    pub actual_instances: u64,
    /// The dimensions that were looked at.
    pub dimensions_enabled: Vec<String>,
    /// Whether targets proven unreachable are left out of the figures.
    pub exclude_unreachable: bool,
    /// When it began.
    pub started_at: String,
    /// How long it took.
    pub duration_ms: u64,
    /// Which operations were in scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations_scope: Option<OperationsScope>,
    /// Their keys, when only some were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_operations: Option<Vec<String>>,
}

/// Which operations were in scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OperationsScope {
    /// Every one.
    All,
    /// Those that were selected.
    Selected,
}

/// The figures of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Whether the threshold was met.
    pub coverage_status: CoverageStatus,
    /// Targets hit of all that count.
    pub overall: f64,
    /// The same within each enabled dimension.
    pub by_dimension: BTreeMap<String, f64>,
    /// The same within what each operation reaches.
    pub by_operation: BTreeMap<String, f64>,
    /// How many targets have each status.
    pub targets_by_status: BTreeMap<String, u64>,
    /// What was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
}

/// Whether the threshold was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CoverageStatus {
    /// It was, or there is none.
    Ok,
    /// It was not.
    MinCoverageNotMet,
}

/// What was asked for; only `overall` decides.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thresholds {
    /// The least overall coverage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<f64>,
    /// Reserved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_dimension: Option<BTreeMap<String, f64>>,
    /// Reserved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_operation: Option<BTreeMap<String, f64>>,
}

/// A target as a report lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetReport {
    /// Its id.
    pub id: String,
    /// Its dimension.
    pub dimension: String,
    /// Its kind.
    pub kind: String,
    /// Its canonical path.
    pub canon_path: String,
    /// The operation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_key: Option<String>,
    /// What distinguishes it at its path.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Whether it counts: `active`, `unreachable` or `deprecated`.
    #[serde(default = "active")]
    pub status: String,
    /// Reserved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Reserved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polarity: Option<String>,
    /// Remarks: `source`, its place as the user wrote it where that is not `canonPath`; `cause` of being unreachable, `planned`,
    /// `firstInstance`, `enumSubsampled`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// Whether it was hit.
    pub hit: bool,
}

fn active() -> String {
    "active".to_owned()
}

/// A hint that came to nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsatisfiedHint {
    /// Its kind.
    pub kind: String,
    /// Where it aimed.
    pub canon_path: String,
    /// What it wanted there.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Why it failed.
    pub reason_code: ReasonCode,
    /// The same for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_detail: Option<String>,
}

/// Why a hint came to nothing, in the order in which reasons are preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReasonCode {
    /// Its branch is proven unreachable.
    UnreachableBranch,
    /// No unit was planned for it.
    PlannerCap,
    /// A repair undid it.
    RepairModifiedValue,
    /// No valid instance can satisfy it.
    ConflictingConstraints,
    /// Something of ours failed.
    InternalError,
    /// It is not known.
    Unknown,
}

/// What was capped or odd.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostics {
    /// Where the planner left targets out.
    pub planner_caps_hit: Vec<PlannerCapHit>,
    /// Everything else worth knowing.
    pub notes: Vec<Value>,
}

/// Where the planner left targets out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannerCapHit {
    /// The dimension.
    pub dimension: String,
    /// `schema` or `operation`.
    pub scope_type: String,
    /// Which one.
    pub scope_key: String,
    /// How many targets it has.
    pub total_targets: u64,
    /// How many were planned for.
    pub planned_targets: u64,
    /// How many were not.
    pub unplanned_targets: u64,
}
