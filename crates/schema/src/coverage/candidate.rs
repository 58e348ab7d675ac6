//! Candidates for a guided run: instances drawn for what is new in them, kept when they hit a new target.

use serde_json::Value;

use crate::contract::NodeId;
use crate::coverage::choice_log::{ChoiceLog, MOST_ITEMS};
use crate::coverage::need::Needs;
use crate::coverage::observe::Observer;
use crate::coverage::sweep::Sweep;
use crate::draw::{Draw, derive_seed};
use crate::generate::{Chance, ROOMY};
use crate::limits::Limits;
use crate::pipeline::{Metrics, Source};

/// Values one candidate holds before optional parts are left out: it starts in between, shrinks when candidates are
/// turned down, because small ones break less and cost less, and grows when they are accepted.
const ROOM: (u64, u64, u64) = (60, 3_000, 6_000);
/// Deepest nesting of a candidate; what is not new is left out long before.
const DEPTH: u32 = 32;
/// Candidates with more values than this are not mended: the faults of a value under nested alternatives are told of
/// every alternative, so that telling them all of a large value costs more than drawing many others.
const MENDED_VALUES: usize = 80;
/// Candidates in a row without a new hit before the sweep ends: what is new to the sampler need not be to the contract.
const IDLE: u32 = 60;
/// Candidates that are mended at most.
const MENDS: u32 = 60;
/// Deepest nesting of a candidate that is mended, for the same reason.
const MENDED_DEPTH: u32 = 7;

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

/// The mends that are left, and the hint trace: what was drawn as hints asked beside what Repair made of it, so that it
/// can be told which hints Repair undid.
#[derive(Debug, Default)]
pub(crate) struct Mends {
    n_left: u32,
    /// Values before and after a repair.
    pub(crate) trace: Vec<(Value, Value)>,
    /// What drawing, judging, mending and looking took.
    pub(crate) metrics: Metrics,
}

impl Mends {
    /// Allows the usual number of mends from here on.
    pub(crate) fn renew(&mut self, n: u32) {
        self.n_left = n;
    }
}

/// Draws candidates until nothing is new or the budget ends; says whether the budget ended first.
pub(crate) fn candidates(
    source: &Source,
    observer: &mut Observer<'_>,
    root: NodeId,
    master_seed: u64,
    budget: CandidateBudget,
    mends: &mut Mends,
) -> (Vec<Candidate>, bool) {
    let mut kept = Vec::new();
    let mut log = ChoiceLog::new(&source.sampler);
    let (little, mut space, plenty) = ROOM;
    mends.renew(MENDS);
    let mut is_short = true;
    let mut n_idle = 0;
    for number in 0..budget.n_sweep as u64 {
        if n_idle >= IDLE {
            is_short = false;
            break;
        }
        n_idle += 1;
        let needs = Needs::of(&source.sampler, &log);
        if needs.get(source.sampler.root) == 0 {
            is_short = false;
            break;
        }
        let seed = derive_seed(master_seed, &[SWEEP, number]);
        let mut draw = Draw::new(seed);
        let mut choices = Sweep::new(&source.sampler, &mut log, needs);
        let max_depth = u32::try_from(6 + space / 100).unwrap_or(DEPTH).min(DEPTH);
        let limits = Limits { max_items: MOST_ITEMS, max_depth, ..source.limits().clone() };
        let drawn = source.steered((&limits, space), &draw, &mut choices, &mut mends.metrics);
        if let Some(value) = drawn.and_then(|value| accepted(source, value, &mut draw, mends)) {
            space = (space * 2).min(plenty);
            log.accept();
            let number = kept.len() as u64;
            if looked(source, &mut mends.metrics, || observer.observe(root, &value, number)) > 0 {
                n_idle = 0;
                kept.push(Candidate { seed, value });
            }
        } else {
            space = (space / 2).max(little);
            log.refuse();
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
        let drawn = source.steered((source.limits(), ROOMY), &draw, &mut Chance, &mut mends.metrics);
        let value = drawn.and_then(|value| accepted(source, value, &mut draw, mends));
        let number = kept.len() as u64;
        let mut is_new =
            |value: &Value| looked(source, &mut mends.metrics, || observer.observe(root, value, number)) > 0;
        if let Some(value) = value.filter(&mut is_new) {
            kept.push(Candidate { seed, value });
        }
    }
    (kept, is_short)
}

/// Looks at what an instance covers, and counts that.
pub(crate) fn looked<T>(source: &Source, metrics: &mut Metrics, look: impl FnOnce() -> T) -> T {
    metrics.n_observed += 1;
    source.timed(&mut metrics.observe_ns, look)
}

/// The value if it is valid, or mended if it is small enough and there are mends left.
pub(crate) fn accepted(source: &Source, value: Value, draw: &mut Draw, mends: &mut Mends) -> Option<Value> {
    if source.timed(&mut mends.metrics.validate_ns, || source.is_valid(&value)) {
        return Some(value);
    }
    if !is_small(&value) {
        return None;
    }
    mends.n_left = mends.n_left.checked_sub(1)?;
    let mended = source.mended(value.clone(), draw, &mut mends.metrics).ok()?;
    mends.trace.push((value, mended.clone()));
    Some(mended)
}

fn is_small(value: &Value) -> bool {
    let mut open = vec![(value, 0)];
    let mut n = 0;
    while let Some((value, depth)) = open.pop() {
        n += 1;
        if n > MENDED_VALUES || depth > MENDED_DEPTH {
            return false;
        }
        match value {
            Value::Object(members) => open.extend(members.values().map(|member| (member, depth + 1))),
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    true
}

/// What the seeds of candidates are derived with, so that no two kinds share one.
const SWEEP: u64 = 0x7377;
const CHANCE: u64 = 0x6368;
