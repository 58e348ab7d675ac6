//! Sequences as data: steps as they are asked for, and the trace of what really happened.

use std::rc::Rc;

use crate::gene::Gene;
use crate::machine::Fault;
use crate::pool::Birth;
use crate::value::Value;

/// A command and how to choose its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Its name among the steps of a failure: it keeps it while others are deleted, so references find it.
    pub(crate) uid: u32,
    pub(crate) command: usize,
    pub(crate) choices: Vec<Choice>,
}

/// How one argument is chosen when the step is reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Choice {
    /// Drawn by gene; among references, an index spread over what is there.
    Gene(Gene),
    /// The value born there; the step is impossible without it.
    Born(Birth),
    /// The value that shows so; the step is impossible if it cannot be drawn.
    Text(Rc<str>),
    /// The value that shows so if it can be drawn, else what the gene draws: for strategies made from the model.
    Keep(Rc<str>, Gene),
    /// The simplest there is; among references, the first.
    Simplest,
}

/// How an argument reads that could not be drawn.
pub(crate) const UNKNOWN: &str = "?";

/// A step as it happened.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    /// The step with choices that lead to the same arguments again.
    pub(crate) step: Step,
    /// The arguments, if only the model of that moment can give them again and they have no text yet.
    pub(crate) values: Vec<Value>,
    /// The arguments as text; empty while sequences are only being tried, to save the time.
    pub(crate) texts: Vec<Rc<str>>,
    /// For references, where the value was born.
    pub(crate) births: Vec<Option<Birth>>,
    pub(crate) result: Option<String>,
    /// The fingerprint of the model after the step.
    pub(crate) fingerprint: Option<u64>,
}

/// What happened in one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) done: Vec<Done>,
    pub(crate) fault: Option<Fault>,
}

impl Trace {
    pub(crate) fn steps(&self) -> Vec<Step> {
        self.done.iter().map(|done| done.step.clone()).collect()
    }
}

/// What replay does with a step that its precondition forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Looks for other arguments on the model alone, and leaves the step out if there are none.
    Repair,
    /// Gives the sequence up.
    Strict,
}
