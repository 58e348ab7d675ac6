//! One tool and what its calls have shown so far: sent, accepted, answered.

use std::cmp::Reverse;

use probity_schema::coverage::{CoverageMode, Hits, Observer, Status};
use probity_schema::{NodeId, Oracle, Oracles};
use serde_json::Value;

use crate::mcp::contract::ground::Ground;
use crate::mcp::contract::luck::Luck;
use crate::mcp::contract::tally::{Counted, FirstCalls};

/// A call that was made.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// Whether it was answered with a success.
    pub(crate) is_accepted: bool,
    /// The structured content of the answer.
    pub(crate) answer: Option<Value>,
}

/// A tool and the observers of its calls.
pub(super) struct Watched<'a> {
    pub(super) ground: &'a Ground,
    accepted: Observer<'a>,
    sent: Observer<'a>,
    /// Looks at one value by itself, for what it would show.
    trial: Observer<'a>,
    /// For each target of the arguments, how often it was sent.
    n_sent: Vec<u32>,
    answers: Option<(Observer<'a>, Oracle)>,
    first: FirstCalls,
    /// Arguments planned for it, each with the targets they show.
    shapes: Vec<(Value, Vec<usize>)>,
    /// The last few arguments that were accepted, the latest first.
    good: Vec<Value>,
    mood: Mood,
    n_calls: u64,
}

/// How much a call may risk: a call that shows many new things at once may be turned down for one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    /// The last call was accepted: show as much as possible.
    Bold,
    /// The last call was turned down, and earlier ones were not: show little more than those did.
    Careful,
    /// No call was ever accepted: try what went well elsewhere.
    Blind,
    /// Nothing is left to show: take what comes.
    Done,
}

/// How telling arguments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Weight {
    /// Targets they show that no accepted call has shown.
    pub(super) n_open: u64,
    /// What those are worth together.
    pub(super) worth: u64,
    /// How well they may go.
    pub(super) luck: i64,
}

/// Targets times candidates that are weighed for one call, and the fewest candidates.
const MAX_WEIGHED: usize = 100_000;
const MIN_WEIGHED: usize = 3;
/// Accepted arguments that are kept, and arguments made of them for one call.
const MAX_GOOD: usize = 3;
const MAX_GRAFTS: usize = 48;
/// How often a target is sent in vain before it is held for one that the server does not take.
const MAX_TRIES: u32 = 8;
/// The weight of a target that was never sent; each time it was sent in vain halves it.
const NEW: u64 = 1 << 12;

impl Weight {
    /// For a careful call: new things that were seldom tried, and few of them.
    pub(super) fn careful(self) -> (u64, Reverse<u64>) {
        (self.worth / self.n_open.max(1), Reverse(self.n_open))
    }
}

impl<'a> Watched<'a> {
    pub(super) fn new(
        ground: &'a Ground,
        plan: Vec<Value>,
        input: &'a Oracles<'a>,
        output: Option<&'a Oracles<'a>>,
    ) -> Watched<'a> {
        let observer = || Observer::new(&ground.input.contract, input, &ground.input.universe);
        let answers = ground.output.as_ref().zip(output).and_then(|(side, oracles)| {
            Some((Observer::new(&side.contract, oracles, &side.universe), oracles.root().ok()?))
        });
        let mut watched = Watched {
            ground,
            accepted: observer(),
            sent: observer(),
            trial: observer(),
            n_sent: vec![0; ground.input.universe.targets.len()],
            answers,
            first: FirstCalls::default(),
            shapes: Vec::new(),
            good: Vec::new(),
            mood: Mood::Blind,
            n_calls: 0,
        };
        watched.shapes = plan.into_iter().map(|shape| (shape.clone(), watched.shown(&shape))).collect();
        watched
    }

    /// Counts a call, and says whether it is the first to show something.
    pub(super) fn count(&mut self, call: &Call, number: u64, mode: CoverageMode) -> bool {
        let Call { tool: _, arguments, is_accepted, answer } = call;
        let before = self.n_seen();
        self.n_calls += 1;
        let root = root(self.ground);
        self.sent.observe(root, arguments, number);
        self.first.sent.get_or_insert(number);
        if mode == CoverageMode::Guided {
            for at in self.shown(arguments) {
                self.n_sent[at] = self.n_sent[at].saturating_add(1);
            }
        }
        self.mood = match (is_accepted, self.good.is_empty()) {
            (true, _) => Mood::Bold,
            (false, false) => Mood::Careful,
            (false, true) => Mood::Blind,
        };
        if *is_accepted {
            if mode == CoverageMode::Guided && !self.good.contains(arguments) {
                self.good.insert(0, arguments.clone());
                self.good.truncate(MAX_GOOD);
            }
            self.accepted.observe(root, arguments, number);
            self.first.accepted.get_or_insert(number);
            if let (Some((observer, oracle)), Some(answer), Some(side)) =
                (&mut self.answers, answer, &self.ground.output)
                && oracle.is_valid(answer)
            {
                observer.observe(side.contract.roots()[0], answer, number);
                self.first.answered.get_or_insert(number);
            }
        }
        self.n_seen() > before
    }

    fn n_seen(&self) -> usize {
        let answers = self.answers.as_ref().map_or(0, |(observer, _)| observer.hits().count());
        let FirstCalls { sent, accepted, answered } = self.first;
        let calls = [sent, accepted, answered].into_iter().flatten().count();
        self.sent.hits().count() + self.accepted.hits().count() + answers + calls
    }

    /// Targets of schemas that are hit, of how many there are; for the eye, while a run goes on.
    pub(super) fn counts(&self) -> (usize, usize) {
        let answers = self.answers.as_ref().map(|(observer, _)| observer.hits());
        let hits = || std::iter::once(self.accepted.hits()).chain(answers);
        (hits().map(Hits::count).sum(), hits().map(Hits::len).sum())
    }

    /// The targets that arguments show by themselves.
    fn shown(&mut self, arguments: &Value) -> Vec<usize> {
        self.trial.forget();
        self.trial.observe(root(self.ground), arguments, 0);
        let hits = self.trial.hits();
        (0..hits.len()).filter(|at| hits.has(*at)).collect()
    }

    /// How telling targets are that no accepted call has shown yet.
    fn weight(&self, shown: &[usize]) -> Weight {
        let open = shown.iter().filter(|at| !self.accepted.hits().has(**at));
        open.fold(Weight::default(), |Weight { n_open, worth, luck }, at| Weight {
            n_open: n_open + 1,
            worth: worth + (NEW >> self.n_sent[*at].min(63)),
            luck,
        })
    }

    pub(super) fn weigh(&mut self, candidates: &[Value], luck: &Luck) -> Vec<Weight> {
        let n_targets = self.n_sent.len().max(1);
        let most = (MAX_WEIGHED / n_targets).max(MIN_WEIGHED);
        let mut weights = vec![Weight::default(); candidates.len()];
        for (weight, candidate) in weights.iter_mut().zip(candidates).take(most) {
            let shown = self.shown(candidate);
            *weight = Weight { luck: luck.of(&self.ground.name, candidate), ..self.weight(&shown) };
        }
        weights
    }

    /// Arguments that show something new, to be filled, and how much to risk.
    pub(super) fn shapes(&mut self, most: usize, luck: &Luck) -> (Vec<Value>, Mood) {
        if self.accepted.is_complete() {
            return (Vec::new(), Mood::Done);
        }
        let weighed = self.shapes.iter().map(|(shape, shown)| (self.weight(shown), shape.clone()));
        let mut planned: Vec<(Weight, Value)> = weighed.filter(|(weight, _)| weight.worth > 0).collect();
        planned.sort_by_key(|(weight, _)| Reverse(weight.worth));
        planned.truncate(most);
        // A server that takes most things is trusted with the first call of another tool.
        let mood = if self.n_calls == 0 && luck.is_kind() { Mood::Bold } else { self.mood };
        let mut shapes: Vec<Value> = match mood {
            Mood::Bold => planned.into_iter().map(|(_, shape)| shape).collect(),
            Mood::Careful => self.grafts(&planned, most, luck),
            Mood::Blind => {
                planned.sort_by_key(|(weight, _)| weight.n_open);
                planned.into_iter().map(|(_, shape)| shape).collect()
            }
            Mood::Done => Vec::new(),
        };
        let turn = usize::try_from(self.n_calls).unwrap_or_default();
        let lucky: Vec<Value> = shapes.iter().map(|shape| luck.lucky(shape, turn)).collect();
        shapes.splice(0..0, lucky);
        shapes.dedup();
        (shapes, mood)
    }

    /// Arguments that were accepted, each with one member of planned ones.
    fn grafts(&mut self, planned: &[(Weight, Value)], most: usize, luck: &Luck) -> Vec<Value> {
        let mut grafts: Vec<Value> = Vec::new();
        for good in &self.good {
            for (name, member) in planned.iter().filter_map(|(_, shape)| shape.as_object()).flatten() {
                let mut graft = good.clone();
                if let Some(members) = graft.as_object_mut() {
                    members.insert(name.clone(), member.clone());
                }
                if grafts.len() < MAX_GRAFTS && !grafts.contains(&graft) {
                    grafts.push(graft);
                }
            }
        }
        let weights = self.weigh(&grafts, luck);
        let mut telling: Vec<(Weight, Value)> = weights.into_iter().zip(grafts).collect();
        telling.retain(|(weight, _)| weight.worth > 0);
        telling.sort_by_key(|(weight, _)| Reverse(weight.careful()));
        telling.into_iter().take(most).map(|(_, graft)| graft).collect()
    }

    /// Whether more calls may still show something: not if all is shown, or was tried often and in vain.
    pub(super) fn is_promising(&self) -> bool {
        let hits = self.accepted.hits();
        let targets = self.ground.input.universe.targets.iter().enumerate();
        let mut open = targets.filter(|(at, target)| target.status == Status::Active && !hits.has(*at));
        let may_answer = self.answers.as_ref().is_some_and(|(answers, _)| !answers.is_complete());
        open.any(|(at, _)| self.n_sent[at] < MAX_TRIES) || (may_answer && self.n_calls < u64::from(MAX_TRIES))
    }

    pub(super) fn counted(&self) -> Counted<'a> {
        Counted {
            ground: self.ground,
            accepted: self.accepted.hits().clone(),
            sent: self.sent.hits().clone(),
            answers: self.answers.as_ref().map(|(observer, _)| observer.hits().clone()),
            first: self.first,
        }
    }
}

fn root(ground: &Ground) -> NodeId {
    ground.input.contract.roots()[0]
}
