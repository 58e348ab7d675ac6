//! The fast lane: typed arguments of a step, drawn without detours, and the log of where they came from.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;

use crate::dice::Dice;
use crate::source::Shown;
use crate::stage::Stage;
use crate::stream::Stream;
use crate::value::Value;

/// Odds in percent that an argument repeats an earlier one of the same parameter, or is the simplest.
pub(crate) const REUSE: usize = 10;
pub(crate) const SIMPLEST: usize = 5;
/// Earlier values that a parameter remembers in a run.
const MAX_REMEMBERED: usize = 4;
/// Failures in a row after which a strategy is not asked again.
const MAX_BARREN: u32 = 64;

/// A run on the fast lane; kept from run to run for the sake of its room.
pub(crate) struct Track {
    pub(crate) stream: Stream,
    pub(crate) log: Log,
    /// Steps done.
    pub(crate) n_done: usize,
}

impl Default for Track {
    fn default() -> Self {
        Self { stream: Stream::new(0, 0), log: Log::default(), n_done: 0 }
    }
}

impl Track {
    /// Makes ready for a new run.
    pub(crate) fn restart(&mut self, seed: u64) {
        let run = self.stream.run + 1;
        self.stream.restart(seed, run);
        self.log.clear();
        self.n_done = 0;
    }
}

/// How the steps of a run came about, in as few words as possible.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) entries: Vec<Entry>,
    pub(crate) picks: Vec<Pick>,
}

/// One attempt at a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) command: usize,
    pub(crate) first_pick: usize,
    pub(crate) end: End,
    /// The fingerprint of the model after the step.
    pub(crate) fingerprint: Option<u64>,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Its arguments are being drawn, or a panic came before they were.
    Drawing,
    Refused,
    Ran,
    /// It is among the steps that keep their own record.
    Elsewhere,
}

/// Where an argument came from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pick {
    /// The next value of the stream.
    Stream,
    /// The value of an earlier pick.
    Again(usize),
    Simplest,
    /// Nowhere: the strategy is known to reject everything.
    Barren,
}

impl Log {
    fn clear(&mut self) {
        self.entries.clear();
        self.picks.clear();
    }

    #[inline]
    pub(crate) fn open(&mut self, command: usize, end: End) {
        self.entries.push(Entry { command, first_pick: self.picks.len(), end, fingerprint: None });
    }

    #[inline]
    pub(crate) fn close(&mut self, end: End) {
        if let Some(entry) = self.entries.last_mut() {
            entry.end = end;
        }
    }

    /// The picks of each attempt.
    pub(crate) fn attempts(&self) -> impl Iterator<Item = (Entry, &[Pick])> {
        self.entries.iter().enumerate().map(|(index, entry)| {
            let last_pick = self.entries.get(index + 1).map_or(self.picks.len(), |next| next.first_pick);
            (*entry, &self.picks[entry.first_pick..last_pick])
        })
    }
}

/// All that the typed drawing of one step's arguments needs.
pub(crate) struct Pen<'a> {
    pub(crate) stream: &'a mut Stream,
    pub(crate) dice: &'a mut Dice,
    pub(crate) log: &'a mut Log,
    pub(crate) stage: &'a Cell<Stage>,
    pub(crate) command: usize,
    /// The simplest value of a slot of this command.
    pub(crate) simplest: &'a dyn Fn(usize) -> Option<Value>,
}

impl Pen<'_> {
    /// The arguments are drawn and allowed; from here on the step counts as done.
    #[inline]
    pub(crate) fn launch(&mut self) {
        self.log.close(End::Ran);
        self.stage.set(Stage::Run(self.command));
    }

    #[inline]
    fn slot(&self) -> usize {
        self.log.picks.len() - self.log.entries.last().map_or(0, |entry| entry.first_pick)
    }
}

/// What a parameter remembers of the present run.
pub(crate) struct Memory<T> {
    run: u64,
    n_seen: usize,
    kept: Vec<(T, usize)>,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self { run: 0, n_seen: 0, kept: Vec::new() }
    }
}

/// What the fast lane keeps for one strategy.
pub(crate) struct Lane<T> {
    memory: RefCell<Memory<T>>,
    n_failed: Cell<u32>,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Self { memory: RefCell::default(), n_failed: Cell::new(0) }
    }
}

/// A typed argument of a step: mostly the next of the stream.
pub(crate) fn write<T: Clone + Debug + 'static>(
    source: &Shown<T>,
    lane: &Lane<T>,
    pen: &mut Pen<'_>,
) -> Option<T> {
    pen.stage.set(Stage::Draw(pen.command));
    let odds = pen.dice.below(100);
    if odds < REUSE
        && let Some((value, pick)) = lane.recall(pen)
    {
        pen.log.picks.push(Pick::Again(pick));
        return Some(value);
    }
    if odds >= 100 - SIMPLEST
        && let Some(value) = (pen.simplest)(pen.slot())
    {
        pen.log.picks.push(Pick::Simplest);
        return value.get::<T>().cloned();
    }
    if lane.n_failed.get() >= MAX_BARREN {
        pen.log.picks.push(Pick::Barren);
        return None;
    }
    let pick = pen.log.picks.len();
    pen.log.picks.push(Pick::Stream);
    let drawn = pen.stream.next(source.strategy());
    match &drawn {
        Some(value) => {
            lane.n_failed.set(0);
            lane.remember(value, pick, pen.stream.run);
        }
        None => lane.n_failed.set(lane.n_failed.get() + 1),
    }
    drawn
}

impl<T: Clone> Lane<T> {
    fn recall(&self, pen: &mut Pen<'_>) -> Option<(T, usize)> {
        let memory = self.memory.borrow();
        let is_any = memory.run == pen.stream.run && !memory.kept.is_empty();
        is_any.then(|| memory.kept[pen.dice.below(memory.kept.len())].clone())
    }

    /// Keeps the first values, then some of the latest.
    #[inline]
    fn remember(&self, value: &T, pick: usize, run: u64) {
        let mut memory = self.memory.borrow_mut();
        if memory.run != run {
            memory.kept.clear();
            (memory.run, memory.n_seen) = (run, 0);
        }
        memory.n_seen += 1;
        if memory.kept.len() < MAX_REMEMBERED {
            memory.kept.push((value.clone(), pick));
            return;
        }
        if memory.n_seen.is_multiple_of(MAX_REMEMBERED) {
            let at = memory.n_seen / MAX_REMEMBERED % MAX_REMEMBERED;
            memory.kept[at] = (value.clone(), pick);
        }
    }
}
