//! Which choices of a sampler were made in accepted instances, and which were tried in vain.

use crate::sampler::{At, Rule, Sampler};

/// Longest string and array that is worth drawing for its length alone.
pub(crate) const MOST_LENGTH: u64 = 70_000;
/// Longest array that is worth drawing for its length alone.
pub(crate) const MOST_ITEMS: u64 = 1_200;

/// Tries at a choice in instances that were turned down before it is given up.
const MOST_TRIES: u8 = 4;

/// A choice that a rule leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Choice {
    /// An alternative, a type or a listed value.
    Part(usize),
    /// An optional member that is there.
    Member(usize),
    /// A source of free names that is used.
    Source(usize),
    /// The lower edge of a range, or the fewest items.
    Low,
    /// The upper edge of a range, or the most items.
    High,
}

/// What became of each choice so far.
#[derive(Debug, Clone)]
pub(crate) struct ChoiceLog {
    of_rule: Vec<States>,
    /// The choices of the instance that is being drawn, with the tries they had before.
    current: Vec<(At, Choice, State)>,
}

/// The states of one rule's choices; lists grow as far as choices were made.
#[derive(Debug, Clone, Default)]
struct States {
    parts: Vec<State>,
    sources: Vec<State>,
    low: State,
    high: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Tried(u8),
    /// Made in the instance that is being drawn.
    Current,
    Done,
}

impl Default for State {
    fn default() -> Self {
        Self::Tried(0)
    }
}

impl ChoiceLog {
    /// A log in which nothing was tried yet; edges that a rule does not have count as done.
    pub(crate) fn new(sampler: &Sampler) -> Self {
        let edge = |is_there: bool| if is_there { State::default() } else { State::Done };
        let states = |rule: &Rule| {
            let (has_low, has_high) = edges(rule);
            States { low: edge(has_low), high: edge(has_high), ..States::default() }
        };
        Self { of_rule: sampler.rules.iter().map(states).collect(), current: Vec::new() }
    }

    /// Whether a choice is worth making for its own sake.
    pub(crate) fn is_fresh(&self, at: At, choice: Choice) -> bool {
        let states = &self.of_rule[at.index()];
        let state = match choice {
            Choice::Part(one) | Choice::Member(one) => states.parts.get(one).copied().unwrap_or_default(),
            Choice::Source(one) => states.sources.get(one).copied().unwrap_or_default(),
            Choice::Low => states.low,
            Choice::High => states.high,
        };
        matches!(state, State::Tried(n) if n < MOST_TRIES)
    }

    /// Records a choice of the instance that is being drawn; it is not fresh again until the instance is judged.
    pub(crate) fn make(&mut self, at: At, choice: Choice) {
        if self.is_fresh(at, choice) {
            let before = std::mem::replace(self.state(at, choice), State::Current);
            self.current.push((at, choice, before));
        }
    }

    /// The instance was accepted: its choices are done.
    pub(crate) fn accept(&mut self) {
        for (at, choice, _) in std::mem::take(&mut self.current) {
            *self.state(at, choice) = State::Done;
        }
    }

    /// The instance was turned down: its choices were tried once more.
    pub(crate) fn refuse(&mut self) {
        for (at, choice, before) in std::mem::take(&mut self.current) {
            let State::Tried(n) = before else { continue };
            *self.state(at, choice) = State::Tried(n + 1);
        }
    }

    fn state(&mut self, at: At, choice: Choice) -> &mut State {
        let states = &mut self.of_rule[at.index()];
        let (list, one) = match choice {
            Choice::Part(one) | Choice::Member(one) => (&mut states.parts, one),
            Choice::Source(one) => (&mut states.sources, one),
            Choice::Low => return &mut states.low,
            Choice::High => return &mut states.high,
        };
        if list.len() <= one {
            list.resize(one + 1, State::default());
        }
        &mut list[one]
    }
}

/// Whether a rule has a lower and an upper edge that are worth drawing.
fn edges(rule: &Rule) -> (bool, bool) {
    match rule {
        Rule::Number(rule) => (rule.extreme(false).is_some(), rule.extreme(true).is_some()),
        Rule::Text(text) => {
            let (low, high) = text.length_range();
            (low > 0 && low <= MOST_LENGTH, high.is_some_and(|high| high <= MOST_LENGTH))
        }
        // An empty array is an edge even where the contract does not name it: `minItems` may be 0.
        Rule::Array(rule) => (true, rule.high.is_some_and(|high| high <= MOST_ITEMS)),
        Rule::Nothing
        | Rule::Anything
        | Rule::Kinds(_)
        | Rule::Choice(_)
        | Rule::Object(_)
        | Rule::Union(_)
        | Rule::Same(_)
        | Rule::Judged { .. } => (false, false),
    }
}
