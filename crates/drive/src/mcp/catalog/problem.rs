//! What can be wrong with the description of a tool, and how bad that is.

use std::fmt;

use serde_json::Value;

use crate::mcp::finding::Severity;

/// Which of a tool's schemas is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a call has two sides")]
pub enum Side {
    /// The schema of the arguments.
    Input,
    /// The schema of the structured content.
    Output,
}

impl fmt::Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Side::Input => "\"inputSchema\"",
            Side::Output => "\"outputSchema\"",
        })
    }
}

/// Something wrong with the description of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields mean")]
#[non_exhaustive]
pub enum ToolProblem {
    /// The entry is not an object.
    #[error("the entry is not an object")]
    NotAnObject,
    /// There is no name.
    #[error("there is no \"name\" that is a string")]
    NoName,
    /// The name is not what MCP asks for.
    #[error("the name {reason}")]
    InvalidName { reason: String },
    /// Several tools bear the name.
    #[error("the name is used {n_times} times in the list")]
    DuplicateName { n_times: usize },
    /// There is no input schema.
    #[error("there is no \"inputSchema\"; a tool without arguments declares {{\"type\": \"object\"}}")]
    NoInputSchema,
    /// A schema is not a JSON object.
    #[error("{side} is not an object")]
    SchemaNotAnObject { side: Side },
    /// A schema does not describe objects.
    #[error("{side}: \"type\" is not \"object\"")]
    NotAnObjectSchema { side: Side },
    /// A schema breaks the rules of its dialect.
    #[error("{side} is not a valid schema: {reason}")]
    InvalidSchema { side: Side, reason: String },
    /// A schema cannot be compiled, for example because of a reference to another document.
    #[error("{side} cannot be compiled: {reason}")]
    NotCompilable { side: Side, reason: String },
    /// A schema is larger than the limit.
    #[error("{side} is {n_bytes} bytes long; the limit is {limit}")]
    SchemaTooLarge { side: Side, n_bytes: usize, limit: usize },
    /// A schema is small but unfolds to more than any validator can bear.
    #[error("{side} unfolds to more than {limit} subschemas for one value")]
    SchemaTooHeavy { side: Side, limit: u64 },
    /// A pattern is right and too much for us.
    #[error(
        "{side}: the regular expression {pattern:?} is larger than Probity's matcher goes, or uses what it does not know"
    )]
    PatternBeyondUs { side: Side, pattern: String },
    /// The patterns of the tools would take too much memory.
    #[error(
        "{side}: with its patterns, those of the list take more than {limit} MB when they are made ready to match"
    )]
    HeavyPatterns { side: Side, limit: u64 },
    /// A schema is written in a dialect clients need not know.
    #[error(
        "{side} is written in the dialect {dialect:?}; clients must know only 2020-12, and most know draft 7"
    )]
    Dialect { side: Side, dialect: String },
    /// An annotation is not a boolean.
    #[error("the annotation {name:?} is not a boolean")]
    BadAnnotation { name: &'static str },
}

impl ToolProblem {
    /// How bad it is: an error breaks the protocol or the tool, a warning breaks some clients.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            ToolProblem::NotAnObject
            | ToolProblem::NoName
            | ToolProblem::DuplicateName { .. }
            | ToolProblem::NoInputSchema
            | ToolProblem::SchemaNotAnObject { .. }
            | ToolProblem::NotAnObjectSchema { .. }
            | ToolProblem::InvalidSchema { .. }
            | ToolProblem::NotCompilable { .. }
            | ToolProblem::SchemaTooLarge { .. }
            | ToolProblem::SchemaTooHeavy { .. }
            | ToolProblem::BadAnnotation { .. } => Severity::Error,
            ToolProblem::InvalidName { .. }
            | ToolProblem::Dialect { .. }
            | ToolProblem::PatternBeyondUs { .. }
            | ToolProblem::HeavyPatterns { .. } => Severity::Warning,
        }
    }
}

/// Tool names: 1 to 128 of the characters `A-Z a-z 0-9 _ - .`, as the revision 2025-11-25 recommends.
pub(crate) fn of_name(name: Option<&Value>) -> Option<ToolProblem> {
    let Some(Value::String(name)) = name else {
        return Some(ToolProblem::NoName);
    };
    let n_characters = name.chars().count();
    let odd = name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')));
    let reason = match (n_characters, odd) {
        (0, _) => "is empty".to_owned(),
        (129.., _) => format!("has {n_characters} characters; clients accept up to 128"),
        (_, Some(odd)) => format!("contains {odd:?}; clients accept letters, digits, '_', '-' and '.'"),
        (_, None) => return None,
    };
    Some(ToolProblem::InvalidName { reason })
}

const ACCEPTED_DIALECTS: &[&str] =
    &["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema"];

/// A dialect that a client may not know.
pub(crate) fn of_dialect(side: Side, schema: &Value) -> Option<ToolProblem> {
    let dialect = schema.get("$schema")?.as_str()?;
    let is_accepted = ACCEPTED_DIALECTS.contains(&dialect.trim_end_matches('#'));
    (!is_accepted).then(|| ToolProblem::Dialect { side, dialect: dialect.to_owned() })
}
