//! Coverage: how much of a contract its instances show, target by target.
//!
//! A target is a set of instances; coverage is what the final, accepted instance shows, not what its maker meant.
//! Nothing here draws at random, and measuring changes nothing that is emitted.

mod decimal;
mod escape;
mod graph;
mod hits;
mod judge;
mod route;
mod select;
mod name_index;
mod report;
mod missed;
mod read_report;
mod target;
mod boundaries;
mod branches;
mod enums;
mod overlay;
mod hint;
mod structure;
mod analyze;
mod cut;
mod evaluate;
mod operations;
mod join;
mod diff;
mod bound;
mod merge;
mod proof;
mod observe;
mod measure;
mod wording;
mod summary;
mod html;
mod choice_log;
mod need;
mod sweep;
mod candidate;
mod modest;
mod leftover;
mod plan;

use serde_json::Value;

use crate::contract::Keywords;

pub use crate::counted::counted;
pub use analyze::{Universe, analyze};
pub use bound::{lower_bound, widest_choice};
pub use boundaries::representative;
pub use candidate::CandidateBudget;
pub use diff::{Change, CoverageDiff, DIFF_VERSION, Incompatible, StatusChange, diff};
pub use enums::ENUM_SAMPLE;
pub use escape::escape;
pub use evaluate::{OperationTargets, RunFacts, SUMMARY_TARGETS, evaluate};
pub use graph::{Edge, Graph, Way};
pub use hint::{HINT_KINDS, Hint, HintKind};
pub use hits::Hits;
pub use html::{PageFacts, html};
pub use join::Joined;
pub use measure::{Invalid, Measured, Named, measure};
pub use merge::merge;
pub use missed::why_missed;
pub use modest::within_reason;
pub use name_index::{NAME_LIST, NameIndex};
pub use observe::Observer;
pub use operations::{Operation, OperationUniverse, Side, analyze_operations};
pub use plan::{PROFILES, Plan, PlanOptions, Profile, TestUnit, plan};
pub(crate) use plan::{ending, unsatisfied};
pub use proof::{PROOF_CAP, Proven, prove_missed};
pub use read_report::{ReportError, read_report};
pub use report::{
    AJV_MAJOR, CoverageMode, CoverageReport, CoverageStatus, Diagnostics, Engine, Metrics, OperationsScope,
    PlannerCapHit, REPORT_SCHEMA, REPORT_VERSION, ReasonCode, ReportMode, Run, TargetReport, Thresholds,
    UnsatisfiedHint,
};
pub use summary::{Line, Topic, percent, summary, text};
pub use target::{Aim, DIMENSIONS, Dimension, End, STATUSES, Status, Target};
pub use wording::{describe, place};

/// Whether a node's own `type` lets values of a type in.
fn takes(keywords: &Keywords, name: &str) -> bool {
    keywords.types.is_empty()
        || keywords.types.iter().any(|known| known == name || (known == "number" && name == "integer"))
}

/// Whether a node's own `type` lets every number in, not only integers.
fn takes_all_numbers(keywords: &Keywords) -> bool {
    keywords.types.is_empty() || keywords.types.iter().any(|name| name == "number")
}

/// Whether a value can be of a type; true when the dialects differ.
fn may_be(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        ("integer", Value::Number(number)) => crate::json::whole(number).is_some(),
        _ => false,
    }
}
