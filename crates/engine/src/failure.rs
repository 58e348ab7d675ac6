//! What broke: the failing check, the minimal sequence and the one it came from, and how to see it again.

use std::fmt;
use std::path::PathBuf;

use crate::machine::{Fault, Machine};
use crate::plural::counted;
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
    /// How it was found, and so how it is seen again.
    pub found: Found,
    /// Where it was recorded.
    pub record: Recording,
    /// The seed of the test; it says nothing about a failure that it did not draw.
    pub seed: u64,
    /// The run that failed, counted from 1; 0 if no run of this test drew it.
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

/// How a failure was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found {
    /// A run of the seed drew it.
    Drawn {
        /// The options that draw it again, as Rust.
        again: String,
    },
    /// It was recorded earlier, and showed again.
    Recorded {
        /// The file that holds it.
        file: PathBuf,
    },
    /// A script that was given to `replay`.
    Script,
}

/// What became of the record of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recording {
    /// Nobody wanted one, or the failure is from a file or a script.
    None,
    /// It was written.
    Written {
        /// The file with the seed.
        seeds: PathBuf,
        /// The file with the script.
        script: PathBuf,
    },
    /// It could not be written.
    Failed {
        /// The file.
        file: PathBuf,
        /// Why not.
        reason: String,
    },
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
        let Self { fault, minimal, full, found, record, seed: _, run, statistics, .. } = self;
        let Self { n_executions, n_confirmations, n_confirmed, script, others, .. } = self;
        writeln!(f, "{fault}")?;
        if let Found::Recorded { file } = found {
            writeln!(f, "it was recorded earlier, in {}, and shows again", file.display())?;
        }
        let n_steps = counted(minimal.len(), "step");
        let n_executions = counted(*n_executions, "execution");
        match found {
            Found::Script => writeln!(f, "\nsequence of the script ({n_steps}):")?,
            Found::Drawn { .. } | Found::Recorded { .. } => {
                writeln!(f, "\nminimal sequence ({n_steps}, {n_executions} to shrink):")?;
            }
        }
        list(f, minimal)?;
        match (n_confirmed, n_confirmations) {
            (_, 0) => {}
            (confirmed, all) if confirmed == all => {
                writeln!(f, "it failed in {all} of {}", counted(*all, "replay"))?;
            }
            (confirmed, all) => {
                writeln!(f, "flaky: it failed in only {confirmed} of {}", counted(*all, "replay"))?;
            }
        }
        for (fault, steps) in others {
            writeln!(f, "\nmet on the way: {fault}")?;
            list(f, steps)?;
        }
        match found {
            // The reader has the script, and nothing was drawn or shrunk.
            Found::Script => return Ok(()),
            Found::Drawn { again } => {
                writeln!(f, "\nfull sequence ({}, run {run}):", counted(full.len(), "step"))?;
                list(f, full)?;
                writeln!(f, "\nto run this seed again, give the test these options:\n    {again}")?;
            }
            Found::Recorded { file: _ } => {
                writeln!(f, "\nfull sequence ({}, as recorded):", counted(full.len(), "step"))?;
                list(f, full)?;
                writeln!(f)?;
            }
        }
        writeln!(f, "to replay the minimal sequence, end the test with:\n    .replay({script:?})")?;
        write!(f, "{record}\n{statistics}")
    }
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Written { seeds, script } => writeln!(
                f,
                "recorded, to be replayed first from now on; commit both files:\n    {}\n    {}",
                seeds.display(),
                script.display()
            ),
            Self::Failed { file, reason } => {
                writeln!(f, "it could not be recorded in {}: {reason}", file.display())
            }
        }
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
    /// The options that draw the program again, as Rust.
    pub again: String,
    /// Executions that shrinking took.
    pub n_executions: u32,
}

impl fmt::Display for NotLinearizable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { prefix, branches, panic, seed: _, again, n_executions } = self;
        let n_executions = counted(*n_executions, "execution");
        writeln!(f, "no sequential order explains these results ({n_executions} to shrink):")?;
        prefix.iter().try_for_each(|step| writeln!(f, "  first: {step}"))?;
        for (index, branch) in branches.iter().enumerate() {
            branch.iter().try_for_each(|step| writeln!(f, "  branch {}: {step}", index + 1))?;
        }
        if let Some(message) = panic {
            writeln!(f, "  a branch panicked: {message}")?;
        }
        writeln!(f, "to run this seed again, give the test these options:\n    {again}")
    }
}
