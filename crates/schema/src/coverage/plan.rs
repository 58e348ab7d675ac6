//! The planner: which instances a guided run emits, and what each is for.
//!
//! Candidates are drawn and judged first, then as few of them are chosen as together hit what all do. Everything is a
//! function of the contract, the options and the seed; budgets are counts, never times.

use serde_json::{Value, json};

use crate::contract::NodeId;
use crate::coverage::analyze::Universe;
use crate::coverage::candidate::{Candidate, CandidateBudget, Mends, candidates, looked};
use crate::coverage::hint::{Hint, reason};
use crate::coverage::hits::Hits;
use crate::coverage::leftover::aim;
use crate::coverage::observe::Observer;
use crate::coverage::proof::most_aims;
use crate::coverage::report::{PlannerCapHit, UnsatisfiedHint};
use crate::coverage::select::{Bits, n_hit, select};
use crate::coverage::target::{Dimension, Status};
use crate::document::Document;
use crate::draw::derive_seed;
use crate::pipeline::{Metrics, Source};
use crate::validate::Oracles;

/// A preset of budgets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Its name on the command line.
    pub name: &'static str,
    /// Most instances, unless the user says otherwise.
    pub max_instances: u64,
    /// Most cases of one part of one operation, unless the user says otherwise.
    pub per_operation: u64,
    /// The dimensions looked at, unless the user says otherwise.
    pub dimensions: &'static [Dimension],
    /// What looking for candidates may cost.
    pub budget: CandidateBudget,
}

/// Every profile, smallest first.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "quick",
        max_instances: 100,
        per_operation: 20,
        dimensions: &[Dimension::Structure, Dimension::Branches],
        budget: CandidateBudget { n_sweep: 150, n_chance: 50, n_aims: 60 },
    },
    Profile {
        name: "balanced",
        max_instances: 500,
        per_operation: 100,
        dimensions: &[Dimension::Structure, Dimension::Branches, Dimension::Enum],
        budget: CandidateBudget { n_sweep: 1_500, n_chance: 200, n_aims: 400 },
    },
    Profile {
        name: "thorough",
        max_instances: 2_000,
        per_operation: 1_000,
        dimensions: &[Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries],
        budget: CandidateBudget { n_sweep: 6_000, n_chance: 500, n_aims: 2000 },
    },
];

/// What a plan is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanOptions {
    /// The user's seed.
    pub seed: u64,
    /// Most instances.
    pub max_instances: u64,
    /// What looking for candidates may cost.
    pub budget: CandidateBudget,
}

/// Hints tried together.
#[derive(Debug, Clone, PartialEq)]
pub struct TestUnit {
    /// Its id, stable for the same contract, options and seed.
    pub id: String,
    /// The seed its instances are drawn with.
    pub seed: u64,
    /// How many instances it has.
    pub count: u64,
    /// What it is for: the targets it is the first to hit.
    pub hints: Vec<Hint>,
    /// The operation it belongs to.
    pub operation_key: Option<String>,
    /// The nodes it is about.
    pub schema_paths: Vec<String>,
}

/// What a guided run emits.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The units, in the order of their instances.
    pub units: Vec<TestUnit>,
    /// The instances, all valid.
    pub instances: Vec<Value>,
    /// What they hit.
    pub hits: Hits,
    /// Targets that no unit aims at because a budget ended.
    pub unplanned: Vec<usize>,
    /// The same by dimension.
    pub caps: Vec<PlannerCapHit>,
    /// Hints that came to nothing.
    pub unsatisfied_hints: Vec<UnsatisfiedHint>,
    /// Targets that were shown as a hint asked until a repair undid it, in their order.
    pub undone: Vec<usize>,
    /// Why the plan ends where it does.
    pub notes: Vec<Value>,
    /// What planning took, phase by phase, and what making the contract ready took before it.
    pub metrics: Metrics,
}

/// Plans a guided run and draws it. What is proven unreachable on the way is marked in the universe.
#[must_use]
pub fn plan(
    document: &Document,
    source: &Source,
    oracles: &Oracles<'_>,
    universe: &mut Universe,
    options: &PlanOptions,
) -> Plan {
    let PlanOptions { seed, max_instances, budget } = options;
    let root: NodeId = source.contract().roots()[0];
    let mut observer = Observer::new(source.contract(), oracles, universe);
    let mut mends = Mends::default();
    let (mut found, is_short) = candidates(source, &mut observer, root, *seed, *budget, &mut mends);
    let mut seen = Bits::none(universe.targets.len());
    for candidate in &found {
        let show = || shown(&mut observer, root, &candidate.value, universe);
        seen.add(&looked(source, &mut mends.metrics, show));
    }
    let n_aims = most_aims(source.contract(), budget.n_aims);
    let aimed = aim(document, source, &mut observer, universe, &found, &mut seen, (*seed, n_aims));
    let is_short = is_short && aimed.is_short;
    mends.trace.extend(aimed.mends.trace);
    mends.metrics += aimed.mends.metrics;
    found.extend(aimed.found);
    for (at, cause) in aimed.unreachable {
        if !seen.has(at) {
            universe.prove_unreachable(at, &cause);
        }
    }
    let universe = &*universe;
    let mut observer = Observer::new(source.contract(), oracles, universe);
    let mut show =
        |value: &Value| looked(source, &mut mends.metrics, || shown(&mut observer, root, value, universe));
    let mut sets: Vec<Bits> = found.iter().map(|candidate| show(&candidate.value)).collect();
    let undone = undone(&mends.trace, universe.targets.len(), &mut show);
    let (chosen, ordinary) = choose(source, options, universe.targets.len(), &mut found, &mut sets, show);
    mends.metrics += ordinary;
    let mut hits = Hits::none(universe.targets.len());
    let mut units = Vec::new();
    let mut instances = Vec::new();
    for at in &chosen {
        let number = instances.len() as u64;
        let new: Vec<usize> = (0..universe.targets.len())
            .filter(|target| sets[*at].has(*target) && hits.mark(*target, number))
            .collect();
        let mut wanted: Vec<Hint> =
            new.iter().filter_map(|target| Hint::of(&universe.targets[*target])).collect();
        // The stronger kinds first; within a kind the order of targets.
        wanted.sort_by_key(|hint| hint.kind);
        units.push(TestUnit {
            id: format!("unit-{number}"),
            seed: found[*at].seed,
            count: 1,
            hints: wanted,
            operation_key: None,
            schema_paths: vec![source.contract().node(root).path.clone()],
        });
        instances.push(found[*at].value.clone());
    }
    let reachable = sets.iter().fold(Bits::none(universe.targets.len()), |mut all, set| {
        (0..universe.targets.len()).filter(|at| set.has(*at)).for_each(|at| all.set(at));
        all
    });
    // Hit by a candidate that the number of instances left out, or never aimed at because candidates ran out.
    let unplanned: Vec<usize> = (0..universe.targets.len())
        .filter(|at| universe.targets[*at].status == Status::Active && !hits.has(*at))
        .filter(|at| reachable.has(*at) || is_short)
        .collect();
    let mut metrics = source.prepared();
    metrics += mends.metrics;
    metrics.n_instances = instances.len() as u64;
    Plan {
        metrics,
        caps: caps(universe, &unplanned, &source.contract().node(root).path),
        unsatisfied_hints: unsatisfied(universe, &hits, &unplanned, &undone),
        notes: vec![ending(universe, &hits, instances.len() as u64, *max_instances, is_short)],
        units,
        instances,
        hits,
        unplanned,
        undone,
    }
}

/// Instances of an ordinary run that compete with candidates at most.
const ORDINARY: u64 = 100;

/// Which candidates are emitted, and what choosing took. Where not all that tell something may be, what an ordinary run draws competes
/// with them, so that aiming does not hit less than chance would.
fn choose(
    source: &Source,
    options: &PlanOptions,
    n_targets: usize,
    found: &mut Vec<Candidate>,
    sets: &mut Vec<Bits>,
    mut show: impl FnMut(&Value) -> Bits,
) -> (Vec<usize>, Metrics) {
    let PlanOptions { seed, max_instances, budget: _ } = options;
    let mut metrics = Metrics::default();
    let most = usize::try_from(*max_instances).unwrap_or(usize::MAX);
    let aimed = select(sets, n_targets, most);
    let n_aimed = found.len();
    if most == 0 || n_hit(sets, &aimed) == n_hit(sets, &(0..n_aimed).collect::<Vec<_>>()) {
        return (aimed, metrics);
    }
    for index in 0..ORDINARY.min(*max_instances) {
        let Ok(value) = source.instance(*seed, index, &mut metrics) else { break };
        sets.push(show(&value));
        found.push(Candidate { seed: derive_seed(*seed, &[0, index, 0]), value });
    }
    let both = select(sets, n_targets, most);
    let ordinary = select(&sets[n_aimed..], n_targets, most);
    let ordinary: Vec<usize> = ordinary.into_iter().map(|at| at + n_aimed).collect();
    // The most telling first is not always the most together. Of equals the last wins, which is what was aimed.
    let best = [ordinary, both, aimed].into_iter().max_by_key(|chosen| n_hit(sets, chosen));
    (best.unwrap_or_default(), metrics)
}

/// What was shown before a repair and not any more after it.
fn undone(trace: &[(Value, Value)], n_targets: usize, mut show: impl FnMut(&Value) -> Bits) -> Vec<usize> {
    let mut undone = Bits::none(n_targets);
    for (before, after) in trace {
        let (was, is) = (show(before), show(after));
        (0..n_targets).filter(|at| was.has(*at) && !is.has(*at)).for_each(|at| undone.set(at));
    }
    (0..n_targets).filter(|at| undone.has(*at)).collect()
}

fn shown(observer: &mut Observer<'_>, root: NodeId, value: &Value, universe: &Universe) -> Bits {
    observer.forget();
    observer.observe(root, value, 0);
    let mut bits = Bits::none(universe.targets.len());
    (0..universe.targets.len()).filter(|at| observer.hits().has(*at)).for_each(|at| bits.set(at));
    bits
}

fn caps(universe: &Universe, unplanned: &[usize], scope: &str) -> Vec<PlannerCapHit> {
    let of = |dimension: Dimension, at: &usize| universe.targets[*at].dimension() == dimension;
    let hit = |dimension: &Dimension| {
        let every: Vec<usize> = (0..universe.targets.len()).collect();
        let total = every.iter().filter(|at| of(*dimension, at)).count() as u64;
        let left = unplanned.iter().filter(|at| of(*dimension, at)).count() as u64;
        (left > 0).then(|| PlannerCapHit {
            dimension: dimension.name().to_owned(),
            scope_type: "schema".to_owned(),
            scope_key: scope.to_owned(),
            total_targets: total,
            planned_targets: total - left,
            unplanned_targets: left,
        })
    };
    universe.dimensions.iter().filter_map(hit).collect()
}

/// The hints of the targets that were missed, each with the reason.
pub(crate) fn unsatisfied(
    universe: &Universe,
    hits: &Hits,
    unplanned: &[usize],
    undone: &[usize],
) -> Vec<UnsatisfiedHint> {
    let missed = (0..universe.targets.len()).filter(|at| !hits.has(*at));
    missed
        .filter_map(|at| {
            let target = &universe.targets[at];
            let (code, detail) =
                reason(target, unplanned.binary_search(&at).is_err(), undone.binary_search(&at).is_ok());
            Some(Hint::of(target)?.unsatisfied(code, detail))
        })
        .collect()
}

/// Why a plan ends where it does.
pub(crate) fn ending(universe: &Universe, hits: &Hits, n: u64, most: u64, is_short: bool) -> Value {
    let left = (0..universe.targets.len())
        .filter(|at| universe.targets[*at].status == Status::Active && !hits.has(*at))
        .count();
    let (reason, text) = match (left, n < most, is_short) {
        (0, _, _) => {
            ("objectives-satisfied", "every target that is not proven unreachable is hit".to_owned())
        }
        (_, false, _) => {
            ("max-instances", format!("the budget of {most} instances ended with {left} targets left"))
        }
        (_, true, true) => {
            ("candidate-cap", format!("the budget of candidates ended with {left} targets left"))
        }
        (_, true, false) => ("exhausted", format!("{left} targets are left that no candidate hits")),
    };
    json!({"code": "plan-end", "reason": reason, "text": text})
}
