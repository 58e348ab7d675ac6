//! Whether a call can be made now, with values from where; and if not, what is missing.
//!
//! A [`Blueprint`] is an input schema made ready; a [`Stock`] is the corpus of one sequence. [`shortage`] says what
//! keeps the schema from being filled, [`arguments`] fills it. Booleans, nulls, enumerations and constants, and the shape of
//! objects and arrays, come from the schema; numbers and strings come from the stock, at every depth.
//!
//! ```
//! use probity_drive::callable::{Blueprint, Reason, Sourcing, Stock, arguments, shortage};
//! use probity_drive::corpus::{CorpusLimits, MineText};
//! use serde_json::json;
//!
//! let schema = json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
//! let blueprint = Blueprint::of(&schema)?;
//! let mut stock = Stock::new(CorpusLimits::default(), &[], &[]);
//! let missing = shortage(&blueprint, &stock, Sourcing::Strict).expect("nothing is known yet");
//! assert_eq!((missing.reason, missing.at.as_str()), (Reason::MissingString, "/id"));
//!
//! stock.learn(1, Some(&json!({"structuredContent": ["note-1"]})), MineText::Never);
//! let drawn = arguments(&blueprint, &stock, Sourcing::Strict, 42).expect("now it can be called");
//! assert_eq!(drawn.arguments["id"], "note-1");
//! # Ok::<(), probity_schema::SourceError>(())
//! ```

mod voice;
mod blueprint;
mod stock;
mod flow;
mod fill;
mod need;

use std::fmt;

pub use blueprint::Blueprint;
pub use fill::{Drawn, Sourced, arguments};
pub use need::shortage;
pub use stock::Stock;

pub(crate) use fill::filled;
pub(crate) use flow::{Flow, Wait, waits};
pub(crate) use stock::hash;

/// Where the numbers and strings of arguments come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_enums, reason = "a value is either known or made up")]
pub enum Sourcing {
    /// Only from the corpus.
    #[default]
    Strict,
    /// From the corpus where it has a value that fits, preferably one known under the name of the place, and now and then
    /// from the schema anyway.
    Lenient,
}

/// Why a tool cannot be called now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "the specification names exactly these")]
pub enum Reason {
    /// A string is required and the corpus has none that fits.
    MissingString,
    /// An integer is required and the corpus has none that fits.
    MissingInteger,
    /// A number is required and the corpus has none that fits.
    MissingNumber,
    /// Some other value is required and cannot be made.
    MissingRequiredValue,
}

impl Reason {
    /// The stable code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Reason::MissingString => "missing_string",
            Reason::MissingInteger => "missing_integer",
            Reason::MissingNumber => "missing_number",
            Reason::MissingRequiredValue => "missing_required_value",
        }
    }
}

/// What is missing, and where in the arguments it is required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortage {
    /// What kind of value.
    pub reason: Reason,
    /// The place in the arguments, as a JSON Pointer; elements of arrays are shown as `0`.
    pub at: String,
}

impl fmt::Display for Shortage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.reason {
            Reason::MissingString => "no known string fits",
            Reason::MissingInteger => "no known integer fits",
            Reason::MissingNumber => "no known number fits",
            Reason::MissingRequiredValue => "no valid value can be made",
        };
        write!(formatter, "{what} at {:?}", if self.at.is_empty() { "/" } else { &self.at })
    }
}

/// Which of the three sets a value is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    String,
    Integer,
    Number,
}
