//! A place in the result of a call, stable enough to find "the id that call 1 returned" in another run.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::corpus::text::{json_in_text, tokens};

/// Where in a result a value stood; pointers are JSON Pointers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the line above a variant says what its fields mean")]
#[non_exhaustive]
pub enum Place {
    /// A value in `structuredContent`.
    Value { pointer: String },
    /// A key of the object at `pointer` in `structuredContent`, the `ordinal`-th in lexicographic order.
    Key { pointer: String, ordinal: usize },
    /// A value in the JSON inside the text of a content block.
    TextValue { block: usize, pointer: String },
    /// A key in the JSON inside the text of a content block.
    TextKey { block: usize, pointer: String, ordinal: usize },
    /// A word in the text of a content block.
    Token { block: usize, ordinal: usize },
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown =
            |pointer: &str| if pointer.is_empty() { "the root".to_owned() } else { pointer.to_owned() };
        match self {
            Self::Value { pointer } => write!(out, "{}", shown(pointer)),
            Self::Key { pointer, ordinal } => write!(out, "key {} of {}", ordinal + 1, shown(pointer)),
            Self::TextValue { block, pointer } => write!(out, "{} in text {}", shown(pointer), block + 1),
            Self::TextKey { block, pointer, ordinal } => {
                write!(out, "key {} of {} in text {}", ordinal + 1, shown(pointer), block + 1)
            }
            Self::Token { block, ordinal } => write!(out, "word {} of text {}", ordinal + 1, block + 1),
        }
    }
}

impl Place {
    /// The value at this place in another result, if there is a string or a number.
    #[must_use]
    pub fn find(&self, result: &Value) -> Option<Value> {
        let structured = || result.get("structuredContent");
        match self {
            Place::Value { pointer } => scalar_at(structured()?, pointer),
            Place::Key { pointer, ordinal } => key_at(structured()?, pointer, *ordinal),
            Place::TextValue { block, pointer } => {
                scalar_at(&json_in_text(text_of(result, *block)?)?, pointer)
            }
            Place::TextKey { block, pointer, ordinal } => {
                key_at(&json_in_text(text_of(result, *block)?)?, pointer, *ordinal)
            }
            Place::Token { block, ordinal } => {
                tokens(text_of(result, *block)?).nth(*ordinal).map(Value::from)
            }
        }
    }
}

/// The text of a content block.
pub(crate) fn text_of(result: &Value, block: usize) -> Option<&str> {
    let block = result.get("content")?.get(block)?;
    (block.get("type")?.as_str()? == "text").then_some(())?;
    block.get("text")?.as_str()
}

fn scalar_at(root: &Value, pointer: &str) -> Option<Value> {
    root.pointer(pointer).filter(|value| value.is_string() || value.is_number()).cloned()
}

fn key_at(root: &Value, pointer: &str, ordinal: usize) -> Option<Value> {
    let mut keys: Vec<&String> = root.pointer(pointer)?.as_object()?.keys().collect();
    keys.sort_unstable();
    keys.get(ordinal).map(|key| Value::from(key.as_str()))
}
