//! From a failing sequence to its exact minimum in few executions: one file per family of passes, one ordered table.
//!
//! A candidate is a list of drafts. It is run only if it would be simpler than the best sequence so far, can be
//! drawn at all, and is not known to pass; whatever really ran, not what was asked for, is then compared.

mod draft;
mod leaf;
mod delete;
mod rename;
mod text;
mod lower;
mod couple;
mod order;
mod list;
mod exchange;
mod road;

use std::collections::{BTreeMap, BTreeSet};

use crate::atlas::Place;
use crate::deadline::Stopwatch;
use crate::machine::{Fault, LocalFuture};
use crate::run::{Facts, Subject};
use crate::sequence::{Replay, Trace};
use crate::setup::SetupError;
use draft::{Draft, Key, Rank};

/// What shrinking may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) max_executions: u32,
    pub(crate) stopwatch: Option<Stopwatch>,
    pub(crate) mode: Replay,
}

/// The end of shrinking.
pub(crate) struct Shrunk {
    pub(crate) minimal: Trace,
    pub(crate) n_executions: u32,
    /// Shortest traces in which another check failed, by its code.
    pub(crate) others: BTreeMap<String, Trace>,
}

type Pass = for<'a, 's> fn(&'a mut Shrinker<'s>) -> LocalFuture<'a, ()>;

/// A pass, when it is worth its executions.
struct Stage {
    pass: Pass,
    /// Run again from the first stage if this one succeeded; cheap passes lead to the next instead.
    is_restart: bool,
}

/// Every pass in the order of use: what cuts most for one execution comes first.
const STAGES: &[Stage] = &[
    Stage { pass: |shrinker| Box::pin(delete::coarse(shrinker)), is_restart: false },
    Stage { pass: |shrinker| Box::pin(lower::leap(shrinker)), is_restart: false },
    Stage { pass: |shrinker| Box::pin(delete::chunks(shrinker)), is_restart: false },
    Stage { pass: |shrinker| Box::pin(lower::leap(shrinker)), is_restart: false },
    Stage { pass: |shrinker| Box::pin(rename::ranks(shrinker)), is_restart: false },
    Stage { pass: |shrinker| Box::pin(text::rename(shrinker)), is_restart: false },
    Stage { pass: |shrinker| Box::pin(lower::references(shrinker)), is_restart: false },
    Stage { pass: |shrinker| Box::pin(lower::groups(shrinker)), is_restart: false },
    Stage { pass: |shrinker| Box::pin(lower::singles(shrinker)), is_restart: false },
    Stage { pass: |shrinker| Box::pin(text::edits(shrinker)), is_restart: false },
    Stage { pass: |shrinker| Box::pin(delete::singles(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(couple::pairs(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(delete::pairs(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(road::untried(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(list::elements(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(couple::merge(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(order::swaps(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(lower::small_values(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(lower::tree_moves(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(text::other_letters(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(exchange::rewire(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(exchange::inherit(shrinker)), is_restart: true },
    Stage { pass: |shrinker| Box::pin(exchange::trade(shrinker)), is_restart: true },
];

/// Shrinks a failing trace. `same` says whether a fault is the one looked for.
pub(crate) async fn shrink(
    subject: &dyn Subject,
    first: Trace,
    same: &dyn Fn(&Fault) -> bool,
    limits: Limits,
) -> Result<Shrunk, SetupError> {
    let mut shrinker = Shrinker {
        subject,
        same,
        limits,
        rank: Rank::default(),
        best: first,
        facts: BTreeMap::new(),
        passing: BTreeSet::new(),
        failing: BTreeSet::new(),
        n_executions: 0,
        others: BTreeMap::new(),
        passed: None,
        error: None,
    };
    shrinker.rank = shrinker.rank_of(&shrinker.best.clone());
    let mut stage = 0;
    // What the passes before a restart found may help those before them too, so the last sweep must find nothing.
    let mut at_start = shrinker.rank.clone();
    while stage < STAGES.len() && !shrinker.is_over() {
        let before = shrinker.rank.clone();
        (STAGES[stage].pass)(&mut shrinker).await;
        let has_improved = shrinker.rank < before;
        stage = if has_improved && STAGES[stage].is_restart { 0 } else { stage + 1 };
        if stage == STAGES.len() && shrinker.rank < at_start {
            stage = 0;
        }
        if stage == 0 {
            at_start = shrinker.rank.clone();
        }
    }
    let Shrinker { best, n_executions, others, error, .. } = shrinker;
    match error {
        Some(error) => Err(error),
        None => Ok(Shrunk { minimal: best, n_executions, others }),
    }
}

/// The best sequence so far, and what is known about others.
pub(crate) struct Shrinker<'s> {
    subject: &'s dyn Subject,
    same: &'s dyn Fn(&Fault) -> bool,
    limits: Limits,
    best: Trace,
    rank: Rank,
    facts: BTreeMap<Place, Facts>,
    /// Sequences that ran to their end without the failure; so do all that begin them.
    passing: BTreeSet<Vec<Key>>,
    /// Sequences that fail with their last step.
    failing: BTreeSet<Vec<Key>>,
    n_executions: u32,
    others: BTreeMap<String, Trace>,
    /// What the last candidate did, if it did not fail.
    passed: Option<Trace>,
    error: Option<SetupError>,
}

impl Shrinker<'_> {
    fn is_over(&self) -> bool {
        let Limits { max_executions, stopwatch, mode: _ } = self.limits;
        self.error.is_some()
            || self.n_executions >= max_executions
            || stopwatch.is_some_and(|stopwatch| stopwatch.is_over())
    }

    /// The best sequence, open for changes.
    fn drafts(&self) -> Vec<Draft> {
        draft::of_trace(&self.best)
    }

    fn facts(&mut self, place: Place) -> &Facts {
        let subject = self.subject;
        self.facts.entry(place).or_insert_with(|| subject.facts(place))
    }

    /// Runs a candidate that would be simpler; true if it fails alike and is the best now.
    async fn attempt(&mut self, drafts: &[Draft]) -> bool {
        if !self.could_improve(drafts) {
            return false;
        }
        let Some(trace) = self.execute(drafts).await else { return false };
        self.adopt(trace)
    }

    fn could_improve(&mut self, drafts: &[Draft]) -> bool {
        self.rank_of_drafts(drafts).is_none_or(|rank| rank < self.rank)
    }

    /// Takes a failing trace as the best if it is simpler.
    fn adopt(&mut self, trace: Trace) -> bool {
        let rank = self.rank_of(&trace);
        let is_better = rank < self.rank;
        if is_better {
            self.best = trace;
            self.rank = rank;
        }
        is_better
    }

    /// Runs a candidate unless its outcome is known; the trace if it fails alike.
    async fn execute(&mut self, drafts: &[Draft]) -> Option<Trace> {
        if self.is_over() || !self.can_be_drawn(drafts) {
            return None;
        }
        let key = draft::key_of_drafts(drafts);
        if key.as_ref().is_some_and(|key| self.is_known_to_pass(key)) {
            return None;
        }
        self.n_executions += 1;
        self.passed = None;
        let steps: Vec<_> = drafts.iter().map(Draft::step).collect();
        let trace = match self.subject.run(&steps, self.limits.mode).await {
            Ok(Some(trace)) => trace,
            Ok(None) => {
                self.passing.extend(key);
                return None;
            }
            Err(error) => {
                self.error = Some(error);
                return None;
            }
        };
        let is_same = trace.fault.as_ref().is_some_and(|fault| (self.same)(fault));
        if is_same {
            self.failing.insert(draft::key_of_trace(&trace));
            return Some(trace);
        }
        self.passing.insert(draft::key_of_trace(&trace));
        self.passing.extend(key);
        if let Some(fault) = &trace.fault {
            let known = self.others.get(&fault.code);
            if known.is_none_or(|known| trace.done.len() < known.done.len()) {
                self.others.insert(fault.code.clone(), trace);
            }
        } else {
            self.passed = Some(trace);
        }
        None
    }

    fn can_be_drawn(&mut self, drafts: &[Draft]) -> bool {
        let subject = self.subject;
        drafts
            .iter()
            .all(|draft| draft.wishes().all(|(slot, text)| subject.can_be((draft.command, slot), text)))
    }

    fn is_known_to_pass(&self, key: &[Key]) -> bool {
        let mut from =
            self.passing.range::<[Key], _>((std::ops::Bound::Included(key), std::ops::Bound::Unbounded));
        from.next().is_some_and(|known| known.starts_with(key))
    }

    fn rank_of(&mut self, trace: &Trace) -> Rank {
        self.rank_of_drafts(&draft::of_trace(trace)).unwrap_or_default()
    }

    /// How simple a candidate is, if all its arguments are known before it runs.
    fn rank_of_drafts(&mut self, drafts: &[Draft]) -> Option<Rank> {
        let mut arguments = Vec::new();
        for draft in drafts {
            for slot in 0..draft.arguments.len() {
                let simplest = self.facts((draft.command, slot)).simplest.clone();
                arguments.push(draft::simplicity_of(drafts, draft, slot, simplest.as_deref())?);
            }
        }
        let commands = drafts.iter().map(|draft| draft.command).collect();
        Some(Rank { n_steps: drafts.len(), arguments, commands, births: draft::birth_places(drafts) })
    }
}
