//! Forms of older drafts where a newer one reads the document: the error says which draft they belong to.

use serde_json::Value;

use crate::document::{Dialect, Document, ReadError};

/// The same error, or one that says in which draft the form that is wrong here is right.
pub(crate) fn of_its_draft(document: &Document, error: ReadError) -> ReadError {
    let (ReadError::NotASchema { at, .. } | ReadError::BrokenKeyword { at, .. }) = &error else {
        return error;
    };
    let (keyword, value) = (at.tokens().last(), at.find(&document.root));
    let Some((form, draft)) = keyword.zip(value).and_then(|(keyword, value)| form(&keyword, value)) else {
        return error;
    };
    let assumed = match (document.root.get("$schema"), draft) {
        (None, Some(draft)) => {
            format!(
                "; without $schema a contract is read as {} unless --draft {draft} is given",
                Dialect::default()
            )
        }
        _ => String::new(),
    };
    ReadError::BrokenKeyword { at: at.clone(), reason: format!("{form}{assumed}") }
}

/// What a value means under a keyword in older drafts, and the last of them that we read.
fn form(keyword: &str, value: &Value) -> Option<(String, Option<&'static str>)> {
    match (keyword, value) {
        ("items", Value::Array(_)) => {
            let form = "a list of schemas under \"items\" is the form of drafts before 2020-12, where it is \"prefixItems\"";
            Some((form.to_owned(), Some("7")))
        }
        ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(flag)) => {
            let form =
                format!("{flag} is the form of draft 4; in later ones {keyword:?} is the limit itself");
            Some((form, Some("4")))
        }
        ("required", Value::Bool(flag)) => {
            let form = format!(
                "{flag} is the form of draft 3; list the names in \"required\" beside \"properties\""
            );
            Some((form, None))
        }
        _ => None,
    }
}
