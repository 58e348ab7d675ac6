//! What broke: the failing check, the minimal sequence and the one it came from, and how to see it again.

use std::fmt;

use crate::machine::{Fault, Machine};
use crate::sequence::{Done, Trace};
use crate::setup::SetupError;
use crate::statistics::Statistics;

/// Why a test did not succeed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The system does not do what the model says.
    Counterexample(Box<Counterexample>),
    /// Results of a parallel program that no sequential order explains.
    NotLinearizable(Box<NotLinearizable>),
    /// The test could not be carried out.
    Setup(SetupError),
}

impl Failure {
    /// The counterexample, if that is what it is.
    #[must_use]
    pub fn counterexample(&self) -> Option<&Counterexample> {
        match self {
            Self::Counterexample(counterexample) => Some(counterexample),
            Self::NotLinearizable(_) | Self::Setup(_) => None,
        }
    }
}

impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Self {
        Self::Setup(error)
    }
}

/// A sequence of commands that breaks a check.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The check that fails at the end of the minimal sequence.
    pub fault: Fault,
    /// The shortest and simplest sequence found.
    pub minimal: Vec<ShownStep>,
    /// The sequence as it was found.
    pub full: Vec<ShownStep>,
    /// The seed of the test.
    pub seed: u64,
    /// The run that failed, counted from 1; 0 if a recorded failure failed again.
    pub run: u32,
    /// Executions of the system that shrinking took.
    pub n_executions: u32,
    /// Times the minimal sequence was replayed before it was reported, and how many of those failed alike.
    pub n_confirmations: u32,
    /// Confirmations that failed alike.
    pub n_confirmed: u32,
    /// The minimal sequence as a script for `replay`.
    pub script: String,
    /// Other checks that failed on the way, each with the shortest sequence seen.
    pub others: Vec<(Fault, Vec<ShownStep>)>,
    /// Counts until the failure.
    pub statistics: Statistics,
}

/// A step as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownStep {
    /// The command.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<ShownArgument>,
    /// What it returned, if it did.
    pub result: Option<String>,
}

/// An argument as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownArgument {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// For a reference, the step that gave birth to the value, counted from 1; 0 if it was there from the start.
    pub born_in: Option<usize>,
}

pub(crate) fn show<M, S>(machine: &Machine<M, S>, trace: &Trace) -> Vec<ShownStep> {
    trace.done.iter().map(|done| show_step(machine, &trace.done, done)).collect()
}

/// One step of a sequence as people read it.
pub(crate) fn show_step<M, S>(machine: &Machine<M, S>, all: &[Done], done: &Done) -> ShownStep {
    let place = |uid| all.iter().position(|done| done.step.uid == uid).map_or(0, |index| index + 1);
    let command = &machine.commands[done.step.command];
    let texts = done.texts.iter().zip(&done.births);
    let arguments = command.parameters.iter().zip(texts).map(|(parameter, (text, birth))| ShownArgument {
        name: parameter.name.clone(),
        value: text.to_string(),
        born_in: birth.map(|birth| place(birth.uid)),
    });
    ShownStep { command: command.name.clone(), arguments: arguments.collect(), result: done.result.clone() }
}

impl fmt::Display for ShownStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.command)?;
        for (index, argument) in self.arguments.iter().enumerate() {
            let ShownArgument { name, value, born_in } = argument;
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{name}: {value}")?;
            if let Some(step) = born_in {
                write!(f, " from step {step}")?;
            }
        }
        write!(f, ")")?;
        match self.result.as_deref() {
            None | Some("()") => Ok(()),
            Some(result) => write!(f, " -> {result}"),
        }
    }
}

impl std::error::Error for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counterexample(counterexample) => counterexample.fmt(f),
            Self::NotLinearizable(program) => program.fmt(f),
            Self::Setup(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, minimal, full, seed, run, n_executions, script, others, statistics, .. } = self;
        writeln!(f, "{} failed: {}", fault.code, fault.message)?;
        writeln!(f, "\nminimal sequence ({} steps, {n_executions} executions to shrink):", minimal.len())?;
        list(f, minimal)?;
        match (self.n_confirmed, self.n_confirmations) {
            (_, 0) => {}
            (confirmed, all) if confirmed == all => writeln!(f, "it failed in {all} of {all} replays")?,
            (confirmed, all) => writeln!(f, "flaky: it failed in only {confirmed} of {all} replays")?,
        }
        for (fault, steps) in others {
            writeln!(f, "\non the way {} failed as well: {}", fault.code, fault.message)?;
            list(f, steps)?;
        }
        writeln!(f, "\nfull sequence ({} steps, run {run}):", full.len())?;
        list(f, full)?;
        writeln!(
            f,
            "\nto run this seed again:\n    .check(Check {{ seed: Some({seed:#x}), ..Check::default() }})"
        )?;
        writeln!(f, "to replay the minimal sequence:\n    .replay({script:?})")?;
        write!(f, "\n{statistics}")
    }
}

fn list(f: &mut fmt::Formatter<'_>, steps: &[ShownStep]) -> fmt::Result {
    steps.iter().enumerate().try_for_each(|(index, step)| writeln!(f, "  {}. {step}", index + 1))
}

/// A program whose results no sequential order explains.
#[derive(Clone, Debug)]
pub struct NotLinearizable {
    /// What ran first, alone.
    pub prefix: Vec<ShownStep>,
    /// What then ran side by side, with the results that cannot be explained.
    pub branches: Vec<Vec<ShownStep>>,
    /// What a branch said when it panicked; its results are not known then.
    pub panic: Option<String>,
    /// The seed of the test.
    pub seed: u64,
    /// Executions that shrinking took.
    pub n_executions: u32,
}

impl fmt::Display for NotLinearizable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { prefix, branches, panic, seed, n_executions } = self;
        writeln!(f, "no sequential order explains these results ({n_executions} executions to shrink):")?;
        prefix.iter().try_for_each(|step| writeln!(f, "  first: {step}"))?;
        for (index, branch) in branches.iter().enumerate() {
            branch.iter().try_for_each(|step| writeln!(f, "  branch {}: {step}", index + 1))?;
        }
        if let Some(message) = panic {
            writeln!(f, "  a branch panicked: {message}")?;
        }
        write!(f, "seed {seed:#x}")
    }
}
