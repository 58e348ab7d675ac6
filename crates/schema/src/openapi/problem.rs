//! What is wrong with an API description: a place, and what to do about it.

use std::fmt;

use crate::document::ReadError;

/// Something broken in a description. What does not depend on it still works.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where: a pointer, with the document's address in front when it is not the user's own.
    pub at: String,
    /// What is wrong and what would be right.
    pub text: String,
    /// The operation that suffers, when it is one.
    pub operation: Option<String>,
    /// The half of the operation that suffers, when it is one.
    pub half: Option<Half>,
}

/// What goes to the server, or what comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "an operation has two sides")]
pub enum Half {
    /// The request.
    Request,
    /// The responses.
    Response,
}

impl Problem {
    pub(crate) fn new(at: impl Into<String>, text: impl Into<String>) -> Self {
        Self { at: at.into(), text: text.into(), operation: None, half: None }
    }

    pub(crate) fn of_half(mut self, half: Half) -> Self {
        self.half = Some(half);
        self
    }

    pub(crate) fn of_operation(mut self, key: &str) -> Self {
        self.operation = Some(key.to_owned());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, text, operation, half: _ } = self;
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
