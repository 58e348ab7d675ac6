//! Forms of older drafts where a newer one reads the document: the error says which draft they belong to.

use serde_json::Value;

use crate::document::subschema::NAMES;
use crate::document::{Document, ReadError};

/// The same error, or one that says in which draft the form that is wrong here is right.
pub(crate) fn of_its_draft(document: &Document, error: ReadError) -> ReadError {
    let (ReadError::NotASchema { at, .. } | ReadError::BrokenKeyword { at, .. }) = &error else {
        return error;
    };
    let tokens: Vec<String> = at.tokens().collect();
    let (Some(keyword), value) = (tokens.last(), at.find(&document.root)) else { return error };
    // Below these stand names, which may read like keywords.
    let is_name = tokens.iter().rev().nth(1).is_some_and(|parent| NAMES.contains(&parent.as_str()));
    let Some(form) = value.filter(|_| !is_name).and_then(|value| form(keyword, value)) else { return error };
    let assumed = match document.root.get("$schema") {
        None => format!("; this is read as {}, for it has no $schema", document.dialect),
        Some(_) => String::new(),
    };
    ReadError::BrokenKeyword { at: at.clone(), reason: format!("{form}{assumed}") }
}

/// What a value means under a keyword in older drafts.
fn form(keyword: &str, value: &Value) -> Option<String> {
    match (keyword, value) {
        ("items", Value::Array(_)) => {
            Some("a list of schemas under \"items\" is the form of drafts 4 to 2019-09; in 2020-12 it is \"prefixItems\"".to_owned())
        }
        ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(flag)) => {
            Some(format!("{flag} is the form of draft 4; in later ones {keyword:?} is the limit itself"))
        }
        ("required", Value::Bool(flag)) => {
            Some(format!("{flag} is the form of draft 3; list the names in \"required\" beside \"properties\""))
        }
        _ => None,
    }
}
