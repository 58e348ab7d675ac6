//! The strings a schema allows: length, pattern and format, narrowed together, and drawn.
//!
//! Nothing here validates; a string is judged only in `validate`.

mod alphabet;
mod character;
mod formula;
mod automaton;
mod length;
mod tree;
mod backtrack;
mod class;
mod lower;
mod parse;
mod burden;
mod piece;
mod walk;
mod word;
mod format;
mod loose;
mod compile;
mod sampler;

pub use burden::pattern_bytes;
pub(crate) use format::names as format_names;
pub use sampler::TextSampler;

/// What a string must satisfy.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextShape {
    /// Fewest code points.
    pub min_length: u64,
    /// Most code points.
    pub max_length: Option<u64>,
    /// ECMA-262 patterns, each found somewhere in the string.
    pub patterns: Vec<String>,
    /// ECMA-262 patterns, none of them found anywhere in the string.
    pub barred_patterns: Vec<String>,
    /// Formats the string has.
    pub formats: Vec<String>,
    /// Formats the string has not.
    pub barred_formats: Vec<String>,
    /// Strings that are not allowed.
    pub excluded: Vec<String>,
    /// Media types the string holds a document of.
    pub content_media_types: Vec<String>,
    /// Encodings the string is written in.
    pub content_encodings: Vec<String>,
}

/// How far drawing strings may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLimits {
    /// Longest string drawn where the shape sets no bound, or one that is far away.
    pub max_length: u64,
    /// Most states of the automaton of one shape; a shape that needs more is drawn inexactly.
    pub max_states: usize,
}

/// Why no string can be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextProblem {
    /// It is proven that no string satisfies the shape.
    #[error("no string is allowed: {why}")]
    Empty {
        /// The parts that contradict each other.
        why: String,
    },
    /// Every string that satisfies the shape is longer than any that is drawn.
    #[error("every string allowed has at least {shortest} code points; at most {longest} are drawn")]
    TooLong {
        /// Fewest code points the shape allows.
        shortest: u64,
        /// Most code points that are drawn.
        longest: u64,
    },
    /// The shape cannot be worked out within the limits.
    #[error("the pattern {pattern:?} is too complex: {why}")]
    TooComplex {
        /// The pattern as it was written.
        pattern: String,
        /// Which limit it passed.
        why: String,
    },
    /// A pattern is not a regular expression.
    #[error("the pattern {pattern:?} is not a regular expression: {why}")]
    BadPattern {
        /// The pattern as it was written.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
}
