//! Why a test could not be carried out at all: errors of its description, never of the system.

use std::fmt;

/// Why a test could not be carried out; nothing was learned about the system.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupError {
    /// The machine has no command that may be chosen.
    NoCommands,
    /// Two commands share a name.
    DuplicateCommand {
        /// The name.
        name: String,
    },
    /// A factory was not given.
    MissingFactory {
        /// What it makes.
        what: &'static str,
        /// The builder method that gives it.
        method: &'static str,
    },
    /// The model factory panicked.
    Model {
        /// What it said.
        reason: String,
    },
    /// The system factory failed or panicked.
    System {
        /// What it said.
        reason: String,
    },
    /// No command could run in any sequence.
    NothingCallable {
        /// For each command, why not.
        reasons: Vec<String>,
    },
    /// A script names what the machine does not have, or cannot be read.
    Script {
        /// Its line, counted from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A script was replayed, and nothing happened.
    NothingReplayed {
        /// Why not, and what to do instead.
        reason: String,
    },
    /// A command cannot take part in a parallel test.
    NotConcurrent {
        /// Its name.
        command: String,
    },
}

impl std::error::Error for SetupError {}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommands => {
                write!(f, "the test has no command to choose; add one with .command(\"name\").run(..)")
            }
            Self::DuplicateCommand { name } => {
                write!(f, "two commands are named {name:?}; give each its own name")
            }
            Self::MissingFactory { what, method } => {
                write!(f, "the test does not say how its {what} is made; add {method}")
            }
            Self::Model { reason } => write!(f, "the model factory panicked: {reason}"),
            Self::System { reason } => write!(f, "the system factory failed: {reason}"),
            Self::NothingCallable { reasons } => {
                write!(f, "no command could run in any sequence: {}", reasons.join("; "))
            }
            Self::Script { line, reason } => write!(f, "at line {line} of the script: {reason}"),
            Self::NothingReplayed { reason } => write!(f, "nothing was replayed: {reason}"),
            Self::NotConcurrent { command } => {
                write!(
                    f,
                    "command {command:?} cannot run in parallel; give it .call(..) and .next(..) instead of .run(..)"
                )
            }
        }
    }
}
