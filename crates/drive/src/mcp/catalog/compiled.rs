//! A schema ready to judge values; the only room of this crate that knows `jsonschema`.

use std::fmt;
use std::sync::Arc;

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use probity_schema::{Document, Formats, Oracles, ReadOptions, is_regular_expression};
use serde_json::Value;

use crate::mcp::catalog::allowance::Allowance;
use crate::mcp::catalog::problem::{Side, ToolProblem};
use crate::mcp::catalog::weight::weight;
use crate::mcp::limits::Limits;

/// Most subschemas that may apply to one value at one place.
const MAX_WEIGHT: u64 = 100_000;
/// Longest message about one violation.
const MAX_MESSAGE: usize = 400;

/// A schema and its validator, cheap to clone.
#[derive(Clone)]
pub struct CompiledSchema {
    schema: Arc<Value>,
    validator: Arc<Validator>,
    is_object_schema: bool,
}

impl CompiledSchema {
    /// The schema as it was written.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Whether it says at its root that it describes objects.
    #[must_use]
    pub fn is_object_schema(&self) -> bool {
        self.is_object_schema
    }

    /// Why a value does not fit, at its first violation: the place and the reason.
    #[must_use]
    pub fn violation(&self, value: &Value) -> Option<String> {
        // Nearly everything fits, and to see that is quicker than to look for a reason.
        let error = (!self.validator.is_valid(value)).then(|| self.validator.validate(value).err())??;
        if matches!(error.kind(), ValidationErrorKind::BacktrackLimitExceeded { .. }) {
            // That a pattern is too much for us says nothing about the value.
            return None;
        }
        let pointer = error.instance_path().as_str().to_owned();
        let place = if pointer.is_empty() { "at the root".to_owned() } else { format!("at {pointer}") };
        Some(shorten(&format!("{place}: {error}")))
    }

    /// Compiles a schema of our own.
    pub(crate) fn own(schema: &Value) -> CompiledSchema {
        let validator = build(schema).expect("our own schemas are valid");
        CompiledSchema {
            schema: Arc::new(schema.clone()),
            validator: Arc::new(validator),
            is_object_schema: true,
        }
    }
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CompiledSchema({})", self.schema)
    }
}

/// Compiles a schema a server sent, unless it is too large or too heavy; its patterns use up what is left for those of all.
pub(crate) fn compile(
    schema: &Value,
    side: Side,
    limits: &Limits,
    patterns: &mut Allowance,
) -> Result<CompiledSchema, ToolProblem> {
    if !schema.is_object() {
        return Err(ToolProblem::SchemaNotAnObject { side });
    }
    let n_bytes = schema.to_string().len();
    if n_bytes > limits.schema_bytes {
        return Err(ToolProblem::SchemaTooLarge { side, n_bytes, limit: limits.schema_bytes });
    }
    if weight(schema) > MAX_WEIGHT {
        return Err(ToolProblem::SchemaTooHeavy { side, limit: MAX_WEIGHT });
    }
    if !patterns.takes(schema) {
        return Err(ToolProblem::HeavyPatterns { side, limit: Allowance::MEGABYTES });
    }
    let validator = build(schema).map_err(|error| {
        let reason = shorten(&error.to_string());
        // A violation of the meta-schema has a place in the schema; anything else concerns references or patterns.
        match error.kind() {
            ValidationErrorKind::Referencing(_) => ToolProblem::NotCompilable { side, reason },
            ValidationErrorKind::Format { format } if format == "regex" => {
                match error.instance().as_str().filter(|pattern| is_regular_expression(pattern)) {
                    Some(pattern) => ToolProblem::PatternBeyondUs { side, pattern: shorten(pattern) },
                    None => ToolProblem::InvalidSchema { side, reason },
                }
            }
            _ => {
                let reason = in_our_words(schema).map_or(reason, |words| shorten(&words));
                ToolProblem::InvalidSchema { side, reason }
            }
        }
    })?;
    Ok(CompiledSchema {
        is_object_schema: schema.get("type").and_then(Value::as_str) == Some("object"),
        schema: Arc::new(schema.clone()),
        validator: Arc::new(validator),
    })
}

/// What is wrong with a schema, as all of Probity tells it: with the place, and with what would be right.
fn in_our_words(schema: &Value) -> Option<String> {
    let document = Document::of_value(schema.clone(), &ReadOptions::default()).ok()?;
    let oracles = Oracles::of(&document, Formats::default()).ok()?;
    oracles.root().err().map(|error| error.to_string())
}

fn build(schema: &Value) -> Result<Validator, jsonschema::ValidationError<'static>> {
    jsonschema::options().offline().build(schema)
}

fn shorten(message: &str) -> String {
    match message.char_indices().nth(MAX_MESSAGE) {
        None => message.to_owned(),
        Some((end, _)) => format!("{}…", &message[..end]),
    }
}
