//! Hints: targets aimed at, as a test unit and a report name them.

use serde_json::{Map, Value};

use crate::coverage::report::{ReasonCode, UnsatisfiedHint};
use crate::coverage::target::{Aim, Status, Target};

/// What a hint asks of an instance, strongest first: where two meet at one node, the stronger wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HintKind {
    /// A listed value.
    CoverEnumValue,
    /// A branch or a path of a condition.
    PreferBranch,
    /// A member that is there.
    EnsurePropertyPresence,
    /// A number, length or count at its limit.
    CoverBoundary,
}

/// Every kind with its name in reports.
pub const HINT_KINDS: &[(&str, HintKind)] = &[
    ("coverEnumValue", HintKind::CoverEnumValue),
    ("preferBranch", HintKind::PreferBranch),
    ("ensurePropertyPresence", HintKind::EnsurePropertyPresence),
    ("coverBoundary", HintKind::CoverBoundary),
];

/// One hint.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// What it asks for.
    pub kind: HintKind,
    /// Where.
    pub canon_path: String,
    /// What exactly.
    pub params: Map<String, Value>,
}

impl HintKind {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        HINT_KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

impl Hint {
    /// The hint that aims at a target; a plain subschema is aimed at through what leads to it and has none.
    #[must_use]
    pub fn of(target: &Target) -> Option<Self> {
        let (kind, extra) = match &target.aim {
            Aim::Node | Aim::Request { .. } | Aim::Response { .. } | Aim::Reused => return None,
            Aim::Member { .. } => (HintKind::EnsurePropertyPresence, Some(("present", Value::Bool(true)))),
            Aim::OneOf { .. } | Aim::AnyOf { .. } | Aim::Condition { .. } | Aim::Dependent { .. } => {
                (HintKind::PreferBranch, None)
            }
            Aim::Value { index, .. } => (HintKind::CoverEnumValue, Some(("valueIndex", Value::from(*index)))),
            Aim::Number { .. } | Aim::Length { .. } | Aim::Items { .. } => (HintKind::CoverBoundary, None),
        };
        let mut params = target.params();
        params.extend(extra.map(|(name, value)| (name.to_owned(), value)));
        Some(Self { kind, canon_path: target.canon_path.clone(), params })
    }

    /// The hint as a report tells of its failure.
    #[must_use]
    pub fn unsatisfied(self, reason_code: ReasonCode, reason_detail: Option<String>) -> UnsatisfiedHint {
        let Self { kind, canon_path, params } = self;
        UnsatisfiedHint { kind: kind.name().to_owned(), canon_path, params, reason_code, reason_detail }
    }
}

/// Why a target's hint came to nothing, the most specific reason first.
#[must_use]
pub(crate) fn reason(target: &Target, is_planned: bool, was_undone: bool) -> (ReasonCode, Option<String>) {
    let cause = || target.meta.get("cause").and_then(Value::as_str).map(str::to_owned);
    let is_branch = Hint::of(target).is_some_and(|hint| hint.kind == HintKind::PreferBranch);
    match (target.status, is_planned, was_undone) {
        (Status::Unreachable, _, _) if is_branch => (ReasonCode::UnreachableBranch, cause()),
        (Status::Active | Status::Deprecated, false, _) => (ReasonCode::PlannerCap, None),
        (Status::Active | Status::Deprecated, true, true) => (ReasonCode::RepairModifiedValue, None),
        (Status::Unreachable, _, _) => (ReasonCode::ConflictingConstraints, cause()),
        (Status::Active | Status::Deprecated, true, false) => (ReasonCode::Unknown, None),
    }
}
