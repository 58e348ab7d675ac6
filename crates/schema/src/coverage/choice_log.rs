//! Which choices of a sampler were made in accepted instances, and which were tried in vain.

use std::collections::BTreeMap;

use crate::sampler::At;

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

/// What became of each choice so far; a choice that is not listed was never tried.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChoiceLog {
    states: BTreeMap<(At, Choice), State>,
    /// The choices of the instance that is being drawn.
    current: Vec<(At, Choice)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Tried(u8),
    Done,
}

impl ChoiceLog {
    /// Whether a choice is worth making for its own sake.
    pub(crate) fn is_fresh(&self, at: At, choice: Choice) -> bool {
        match self.states.get(&(at, choice)) {
            None => true,
            Some(State::Tried(n)) => *n < MOST_TRIES,
            Some(State::Done) => false,
        }
    }

    /// Records a choice of the instance that is being drawn; it is not fresh again until the instance is judged.
    pub(crate) fn make(&mut self, at: At, choice: Choice) {
        if self.is_fresh(at, choice) {
            let n = match self.states.get(&(at, choice)) {
                Some(State::Tried(n)) => *n,
                Some(State::Done) | None => 0,
            };
            self.current.push((at, choice));
            self.states.insert((at, choice), State::Tried(n + MOST_TRIES + 1));
        }
    }

    /// The instance was accepted: its choices are done.
    pub(crate) fn accept(&mut self) {
        for key in self.current.drain(..) {
            self.states.insert(key, State::Done);
        }
    }

    /// The instance was turned down: its choices were tried once more.
    pub(crate) fn refuse(&mut self) {
        for key in self.current.drain(..) {
            if let Some(State::Tried(n)) = self.states.get_mut(&key) {
                // Undo the mark of `make`, and count the try.
                *n -= MOST_TRIES;
            }
        }
    }
}
