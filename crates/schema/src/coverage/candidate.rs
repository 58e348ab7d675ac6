//! Candidates for a guided run: instances drawn for what is new in them, kept when they hit a new target.

use serde_json::Value;

use crate::contract::NodeId;
use crate::coverage::choice_log::ChoiceLog;
use crate::coverage::need::{MOST_ITEMS, Needs};
use crate::coverage::observe::Observer;
use crate::coverage::sweep::Sweep;
use crate::draw::{Draw, derive_seed};
use crate::generate::Chance;
use crate::limits::Limits;
use crate::pipeline::{Metrics, Source};

/// Values one candidate holds before optional parts are left out.
const ROOM: u64 = 6_000;
/// Deepest nesting of a candidate; what is not new is left out long before.
const DEPTH: u32 = 40;

/// What looking for candidates may cost; counts, because time must not change results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandidateBudget {
    /// Candidates drawn for what is new in them.
    pub n_sweep: usize,
    /// Candidates drawn by chance.
    pub n_chance: usize,
    /// Targets aimed at one by one after that; fewer in contracts of very many nodes.
    pub n_aims: usize,
}

/// A candidate that hit something no earlier one did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) seed: u64,
    pub(crate) value: Value,
}

/// Draws candidates until nothing is new or the budget ends; says whether the budget ended first.
pub(crate) fn candidates(
    source: &Source,
    observer: &mut Observer<'_>,
    root: NodeId,
    master_seed: u64,
    budget: CandidateBudget,
) -> (Vec<Candidate>, bool) {
    let mut kept = Vec::new();
    let mut log = ChoiceLog::default();
    let limits = Limits { max_items: MOST_ITEMS, max_depth: DEPTH, ..source.limits().clone() };
    let mut is_short = true;
    for number in 0..budget.n_sweep as u64 {
        let needs = Needs::of(&source.sampler, &log);
        if needs.get(source.sampler.root) == 0 {
            is_short = false;
            break;
        }
        let seed = derive_seed(master_seed, &[SWEEP, number]);
        let mut draw = Draw::new(seed);
        let mut sweep = Sweep::new(&source.sampler, &mut log, needs);
        let drawn = source.steered_within(&limits, ROOM, &mut draw, &mut sweep);
        let value = drawn.and_then(|value| source.mendable(value, &mut draw, &mut Metrics::default()));
        match value {
            Some(value) => {
                log.accept();
                if observer.observe(root, &value, kept.len() as u64) > 0 {
                    kept.push(Candidate { seed, value });
                }
            }
            None => log.refuse(),
        }
        if observer.is_complete() {
            return (kept, false);
        }
    }
    for number in 0..budget.n_chance as u64 {
        if observer.is_complete() {
            break;
        }
        let seed = derive_seed(master_seed, &[CHANCE, number]);
        let mut draw = Draw::new(seed);
        let drawn = source.steered(&mut draw, &mut Chance);
        let value = drawn.and_then(|value| source.mendable(value, &mut draw, &mut Metrics::default()));
        if let Some(value) = value.filter(|value| observer.observe(root, value, kept.len() as u64) > 0) {
            kept.push(Candidate { seed, value });
        }
    }
    (kept, is_short)
}

/// What the seeds of candidates are derived with, so that no two kinds share one.
const SWEEP: u64 = 0x7377;
const CHANCE: u64 = 0x6368;
