//! Candidates: steps whose arguments may be changed before they run, their identity and their order.

use std::rc::Rc;

use crate::pool::{BEFORE, Birth};
use crate::sequence::{Choice, Step, Trace};
use crate::value::{Simplicity, simplicity};

/// A step of a candidate.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) uid: u32,
    pub(super) command: usize,
    pub(super) arguments: Vec<Argument>,
}

/// An argument of a candidate: how it is chosen, and what is known of it beforehand.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) choice: Choice,
    /// What it will show.
    pub(super) text: Option<Rc<str>>,
    pub(super) birth: Option<Birth>,
}

impl Draft {
    pub(super) fn step(&self) -> Step {
        let choices = self.arguments.iter().map(|argument| match (&argument.choice, &argument.text) {
            (Choice::Gene(gene), Some(text)) => Choice::Keep(text.clone(), gene.clone()),
            (choice, _) => choice.clone(),
        });
        let choices = choices.collect();
        Step { uid: self.uid, command: self.command, choices }
    }

    /// The texts that the strategies are asked for.
    pub(super) fn wishes(&self) -> impl Iterator<Item = (usize, &Rc<str>)> {
        self.arguments.iter().enumerate().filter_map(|(slot, argument)| match &argument.choice {
            Choice::Text(text) => Some((slot, text)),
            Choice::Gene(_) | Choice::Keep(..) | Choice::Born(_) | Choice::Simplest => None,
        })
    }

    pub(super) fn set_text(&mut self, slot: usize, text: &str) {
        let text: Rc<str> = text.into();
        self.arguments[slot] = Argument { choice: Choice::Text(text.clone()), text: Some(text), birth: None };
    }

    /// Asks for the simplest value; `text` is what it will show, if that is known.
    pub(super) fn set_simplest(&mut self, slot: usize, text: Option<Rc<str>>) {
        self.arguments[slot] = Argument { choice: Choice::Simplest, text, birth: None };
    }

    pub(super) fn set_birth(&mut self, slot: usize, birth: Birth) {
        let argument = &mut self.arguments[slot];
        *argument = Argument { choice: Choice::Born(birth), text: argument.text.clone(), birth: Some(birth) };
    }

    /// The argument as text, unless it is a reference.
    pub(super) fn value(&self, slot: usize) -> Option<&Rc<str>> {
        let Argument { choice: _, text, birth } = &self.arguments[slot];
        text.as_ref().filter(|_| birth.is_none())
    }
}

pub(super) fn of_trace(trace: &Trace) -> Vec<Draft> {
    let drafts = trace.done.iter().map(|done| {
        let texts = done.texts.iter().zip(&done.births);
        let arguments = done.step.choices.iter().zip(texts).map(|(choice, (text, birth))| Argument {
            choice: choice.clone(),
            text: Some(text.clone()),
            birth: *birth,
        });
        Draft { uid: done.step.uid, command: done.step.command, arguments: arguments.collect() }
    });
    drafts.collect()
}

/// The order of sequences: fewer steps, then simpler arguments from the first on, then earlier commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) n_steps: usize,
    pub(super) arguments: Vec<Simplicity>,
    pub(super) commands: Vec<usize>,
    /// Where the values referred to are born.
    pub(super) births: Vec<usize>,
}

/// Where the references of a candidate are born.
pub(super) fn birth_places(drafts: &[Draft]) -> Vec<usize> {
    let births = drafts.iter().flat_map(|draft| &draft.arguments).filter_map(|argument| argument.birth);
    births.map(|birth| place(drafts, birth)).collect()
}

/// How simple one argument is; `None` if it is not known before it runs.
pub(super) fn simplicity_of(
    drafts: &[Draft],
    draft: &Draft,
    slot: usize,
    simplest: Option<&str>,
) -> Option<Simplicity> {
    let argument = &draft.arguments[slot];
    match argument.birth {
        Some(birth) => Some(simplicity(&handle(drafts, birth).to_string(), None)),
        None => Some(simplicity(argument.text.as_ref()?, simplest)),
    }
}

/// What a step does, whatever its uid.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    command: usize,
    arguments: Vec<Rc<str>>,
}

/// The identity of a candidate, if all its arguments are known before it runs.
pub(super) fn key_of_drafts(drafts: &[Draft]) -> Option<Vec<Key>> {
    let keys = drafts.iter().map(|draft| {
        let arguments = draft.arguments.iter().map(|argument| match argument.birth {
            Some(birth) => Some(label(drafts, birth).into()),
            None => argument.text.clone(),
        });
        Some(Key { command: draft.command, arguments: arguments.collect::<Option<_>>()? })
    });
    keys.collect()
}

pub(super) fn key_of_trace(trace: &Trace) -> Vec<Key> {
    key_of_drafts(&of_trace(trace)).expect("every argument of a trace is known")
}

/// A reference by the place of its birth in this sequence.
fn label(drafts: &[Draft], birth: Birth) -> String {
    place(drafts, birth).to_string()
}

fn place(drafts: &[Draft], birth: Birth) -> usize {
    let step = drafts.iter().position(|draft| draft.uid == birth.uid).map_or(0, |index| index + 1);
    let step = if birth.uid == BEFORE { 0 } else { step };
    step * 1000 + birth.ordinal as usize
}

/// The rank of a birth among those that the sequence refers to: the first handle, the second.
fn handle(drafts: &[Draft], birth: Birth) -> usize {
    let mut places = birth_places(drafts);
    places.sort_unstable();
    places.dedup();
    let here = place(drafts, birth);
    places.iter().filter(|other| **other < here).count()
}
