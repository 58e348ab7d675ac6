//! The contract in the arguments of a call: a schema, its dialect, and what `format` means.

use probity_schema::{Dialect, Document, Formats, Limits, Note, ReadOptions, SourceOptions, TextForm};
use serde_json::{Value, json};

use crate::serve::argument::Arguments;
use crate::serve::shape::{list, object, text};

/// Longest schema that is read, in bytes of JSON.
const MAX_SCHEMA: usize = 1 << 20;

/// Most values one instance may hold; a larger one would not fit into an answer.
const MAX_VALUES: u64 = 200_000;

/// A contract that was read, with how it is to be judged.
pub(crate) struct Contract {
    pub(crate) document: Document,
    pub(crate) options: SourceOptions,
}

impl Contract {
    /// Reads the arguments that [`properties`] describes; an error says where, what, and what instead.
    pub(crate) fn of(arguments: &Arguments) -> Result<Contract, String> {
        let draft = arguments.text("draft");
        let dialect = draft.map(|name| {
            Dialect::parse(name).ok_or_else(|| format!("at /draft: {name:?} is no draft that is known"))
        });
        let options =
            ReadOptions { form: TextForm::Detect, dialect: dialect.transpose()?, ..ReadOptions::default() };
        let schema = arguments.value("schema").ok_or("at /schema: there is no schema")?;
        let text = schema.as_str().map_or_else(|| schema.to_string(), str::to_owned);
        if text.len() > MAX_SCHEMA {
            return Err(format!(
                "at /schema: it is {} bytes long; at most {MAX_SCHEMA} are read here, use `probity generate` for more",
                text.len()
            ));
        }
        let document = Document::read(&text, &options).map_err(|error| format!("in /schema: {error}"))?;
        let formats = match arguments.text("formats") {
            Some("annotate") => Formats::Annotate,
            Some(_) | None => Formats::Assert,
        };
        let limits = Limits { instance_values: MAX_VALUES, ..Limits::default() };
        Ok(Contract { document, options: SourceOptions { formats, limits, clock: None } })
    }
}

/// What the arguments of every tool that takes a contract have in common.
pub(crate) fn properties() -> Vec<(&'static str, Value)> {
    let schema = "The JSON Schema: an object or a boolean, or its text in JSON or YAML. References must lead into the schema \
                  itself; nothing is fetched.";
    vec![
        ("schema", json!({ "type": ["object", "boolean", "string"], "description": schema })),
        (
            "draft",
            json!({
                "type": "string",
                "enum": ["4", "6", "7", "2019-09", "2020-12"],
                "description": "The draft, whatever \"$schema\" says. Default: what \"$schema\" says, or 2020-12."
            }),
        ),
        (
            "formats",
            json!({
                "type": "string",
                "enum": ["assert", "annotate"],
                "description": "Whether \"format\" is a demand or a remark.",
                "default": "assert"
            }),
        ),
    ]
}

/// What is odd about a contract, as answers tell it.
pub(crate) fn odd(notes: &[Note]) -> Vec<Value> {
    notes.iter().map(|note| json!({ "at": note.at.to_string(), "text": note.text })).collect()
}

/// The schema of [`odd`].
pub(crate) fn odd_schema() -> Value {
    list(&object(vec![("at", text()), ("text", text())], &["at", "text"]))
}
