//! How a command ended, as a number that scripts can rely on.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It did what was asked.
    Done,
    /// It found what it looks for: something broke its contract.
    Findings,
    /// Less was covered than asked for.
    BelowThreshold,
    /// It was used wrongly, or its input could not be read.
    Misused,
    /// What was to be tested could not be reached.
    Unreachable,
    /// An invariant of our own fell.
    Bug,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::Findings => Self::from(1),
            Outcome::Misused => Self::from(2),
            Outcome::Unreachable => Self::from(3),
            Outcome::BelowThreshold => Self::from(4),
            Outcome::Bug => Self::from(70),
        }
    }
}

/// Why a command could not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) outcome: Outcome,
    /// Where, what, and what instead.
    pub(crate) message: String,
}

impl Trouble {
    pub(crate) fn misused(message: impl Into<String>) -> Self {
        Self { outcome: Outcome::Misused, message: message.into() }
    }

    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self { outcome: Outcome::Unreachable, message: message.into() }
    }
}
