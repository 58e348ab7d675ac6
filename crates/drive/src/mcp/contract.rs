//! How much of the tools' contracts the calls of a run show: each tool is an operation, its arguments are the request, its
//! structured content is the response.
//!
//! A target of a request counts as hit when a call that shows it was *accepted*, which is to say answered with a success; what
//! was merely *sent* is told beside it. A target of a response is hit when an answer that fits the schema shows it.

mod ground;
mod tally;
mod luck;
mod watched;
mod meter;
mod guide;

use std::collections::BTreeMap;

use probity_schema::coverage::{
    CandidateBudget, CoverageMode, Dimension, Hits, PROFILES, Profile, RunFacts, Universe,
};
use serde::Serialize;
use serde_json::Value;

pub(crate) use ground::{Measurable, grounds};
pub(crate) use guide::{Aiming, Guide};
pub(crate) use meter::Meter;
pub(crate) use tally::summary;
pub(crate) use watched::Call;

/// What is measured about the contracts of tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractOptions {
    /// Whether they are measured, and whether calls are aimed at what was not hit yet.
    pub mode: CoverageMode,
    /// The targets that are looked at.
    pub dimensions: Vec<Dimension>,
    /// What looking for arguments that show a target may cost, for each tool.
    pub budget: CandidateBudget,
    /// The least share of all targets, from 0 to 1; less fails the run.
    pub min_coverage: Option<f64>,
    /// Whether targets proven unreachable are left out of the figures.
    pub exclude_unreachable: bool,
}

impl ContractOptions {
    /// What a profile looks at, and calls and answers as such.
    #[must_use]
    pub fn of(profile: &Profile) -> ContractOptions {
        let dimensions = std::iter::once(Dimension::Operations).chain(profile.dimensions.iter().copied());
        ContractOptions {
            mode: CoverageMode::Off,
            dimensions: dimensions.collect(),
            budget: profile.budget,
            min_coverage: None,
            exclude_unreachable: true,
        }
    }
}

impl Default for ContractOptions {
    fn default() -> Self {
        let balanced = PROFILES.iter().find(|profile| profile.name == "balanced");
        ContractOptions::of(balanced.expect("there is a balanced profile"))
    }
}

/// What was measured, ready for [`probity_schema::coverage::evaluate`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// Every target of every tool; paths begin with `#/tools/NAME`.
    pub universe: Universe,
    /// Targets of requests by accepted calls, targets of responses by what came back.
    pub hits: Hits,
    /// The same with every call that was sent, accepted or not.
    pub sent: Hits,
    /// The operations, and what else a report says; the clock is the caller's.
    pub facts: RunFacts,
    /// Calls that were the first to show something, by their number.
    pub first: BTreeMap<u64, Value>,
}

/// The figures of a whole run, small enough for its report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContractSummary {
    /// `measure` or `guided`.
    pub mode: CoverageMode,
    /// The share of targets that accepted calls and answers hit, from 0 to 1.
    pub overall: f64,
    /// The same if every call that was sent counts.
    pub sent: f64,
    /// The same for each tool, in the order of the server's list.
    pub tools: Vec<ToolContract>,
}

/// The figures of one tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolContract {
    /// The tool.
    pub name: String,
    /// Targets that count.
    pub n_targets: usize,
    /// Those hit by accepted calls and by answers.
    pub n_hit: usize,
    /// Those hit if every call that was sent counts.
    pub n_sent: usize,
    /// The share that was hit, from 0 to 1.
    pub share: f64,
}
