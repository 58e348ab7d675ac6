//! What is wrong with an API description: a place, and what to do about it.

use std::fmt;

use crate::document::ReadError;

/// Something about a description that a user should know. What does not depend on it still works.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where: a pointer, with the document's address in front when it is not the user's own.
    pub at: String,
    /// What is wrong and what would be right.
    pub text: String,
    /// The operation that suffers, when it is one.
    pub operation: Option<String>,
    /// What it means for the data.
    pub kind: ProblemKind,
}

/// What a problem means for the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "whoever tells problems must know what each kind means")]
pub enum ProblemKind {
    /// A part is broken, and what needs it is not made.
    Broken,
    /// A part is wrong and read as it was probably meant, so that everything is made.
    Mended,
    /// A part is right, and nothing is made for it.
    Unmade,
    /// Nothing is wrong; a part is not made, or need not be, and another is there for it.
    Aside,
}

impl Problem {
    pub(crate) fn new(at: impl Into<String>, text: impl Into<String>) -> Self {
        Self { at: at.into(), text: text.into(), operation: None, kind: ProblemKind::Broken }
    }

    pub(crate) fn of_kind(mut self, kind: ProblemKind) -> Self {
        self.kind = kind;
        self
    }

    pub(crate) fn of_operation(mut self, key: &str) -> Self {
        self.operation = Some(key.to_owned());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, text, operation, kind: _ } = self;
        match operation {
            Some(key) => write!(out, "{key}: at {at}: {text}"),
            None => write!(out, "at {at}: {text}"),
        }
    }
}

/// Why an API description cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// The text could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The text is something else than a description we know.
    #[error("{0}")]
    Unusable(Problem),
}
