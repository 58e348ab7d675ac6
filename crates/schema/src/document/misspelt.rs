//! Words in a schema that say nothing and look like a keyword or a format that would.
//!
//! A validator passes over whatever it does not know, so a letter too few switches a rule off in silence. Only what is nearly a
//! keyword, and is given a value that the keyword could have, is told: authors may have words of their own.

use serde_json::{Map, Value};

use crate::document::{Note, NoteCode, SILENT};
use crate::json::Pointer;
use crate::nearest::{letters, near};
use crate::text::format_names;

/// What stands under a keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    /// A truth value, or in newer drafts a number.
    Flag,
    List,
    Schema,
    Map,
    /// A word or a list of words.
    Words,
    /// A schema or a list of schemas.
    Schemas,
    Anything,
}

/// The keywords that say something about values, in any draft.
const KEYWORDS: &[(&str, Kind)] = &[
    ("$ref", Kind::Text),
    ("$dynamicRef", Kind::Text),
    ("$recursiveRef", Kind::Text),
    ("type", Kind::Words),
    ("enum", Kind::List),
    ("const", Kind::Anything),
    ("minimum", Kind::Number),
    ("maximum", Kind::Number),
    ("exclusiveMinimum", Kind::Flag),
    ("exclusiveMaximum", Kind::Flag),
    ("multipleOf", Kind::Number),
    ("divisibleBy", Kind::Number),
    ("minLength", Kind::Number),
    ("maxLength", Kind::Number),
    ("pattern", Kind::Text),
    ("format", Kind::Text),
    ("contentEncoding", Kind::Text),
    ("contentMediaType", Kind::Text),
    ("contentSchema", Kind::Schema),
    ("minItems", Kind::Number),
    ("maxItems", Kind::Number),
    ("uniqueItems", Kind::Flag),
    ("items", Kind::Schemas),
    ("prefixItems", Kind::List),
    ("additionalItems", Kind::Schema),
    ("unevaluatedItems", Kind::Schema),
    ("contains", Kind::Schema),
    ("minContains", Kind::Number),
    ("maxContains", Kind::Number),
    ("minProperties", Kind::Number),
    ("maxProperties", Kind::Number),
    ("required", Kind::List),
    ("properties", Kind::Map),
    ("patternProperties", Kind::Map),
    ("additionalProperties", Kind::Schema),
    ("unevaluatedProperties", Kind::Schema),
    ("propertyNames", Kind::Schema),
    ("dependencies", Kind::Map),
    ("dependentRequired", Kind::Map),
    ("dependentSchemas", Kind::Map),
    ("allOf", Kind::List),
    ("anyOf", Kind::List),
    ("oneOf", Kind::List),
    ("not", Kind::Schema),
    ("if", Kind::Schema),
    ("then", Kind::Schema),
    ("else", Kind::Schema),
    ("nullable", Kind::Flag),
];

/// Formats of which it is known that they say nothing about a text, or that they are about numbers.
const SILENT_FORMATS: &[&str] = &[
    "base64url",
    "binary",
    "char",
    "commonmark",
    "decimal",
    "decimal128",
    "double",
    "double-int",
    "float",
    "html",
    "http-date",
    "int8",
    "int16",
    "int32",
    "int64",
    "markdown",
    "media-range",
    "password",
    "sf-binary",
    "sf-boolean",
    "sf-decimal",
    "sf-integer",
    "sf-string",
    "sf-token",
    "single-int",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
];

/// What looks misspelt in the members of one schema.
pub(crate) fn misspelt(members: &Map<String, Value>, at: &Pointer) -> Vec<Note> {
    let mut notes = Vec::new();
    for (name, value) in members {
        let is_known = KEYWORDS.iter().any(|(keyword, _)| keyword == name) || SILENT.contains(&name.as_str());
        if is_known || name.starts_with("x-") {
            continue;
        }
        let fitting = KEYWORDS.iter().filter(|(_, kind)| fits(*kind, value)).map(|(keyword, _)| *keyword);
        // Short words are often an author's own; of them only letters that changed places tell a slip.
        let is_slip = |keyword: &&str| keyword.len() > SHORT || letters(keyword) == letters(name);
        let is_apart = |keyword: &&str| keyword.len() > SHORT || !members.contains_key(*keyword);
        if let Some(keyword) = near(fitting, name).filter(is_slip).filter(is_apart) {
            let text = format!("{name:?} is no keyword, so it says nothing; perhaps {keyword:?} is meant");
            notes.push(Note { address: None, code: NoteCode::Misspelt, at: at.child(name), text });
        }
    }
    if let Some(Value::String(name)) = members.get("format")
        && !format_names().chain(SILENT_FORMATS.iter().copied()).any(|known| known == name)
    {
        let meant = near(format_names(), name).map(|format| format!("; perhaps {format:?} is meant"));
        let text =
            format!("the format {name:?} is not known, so it says nothing{}", meant.unwrap_or_default());
        notes.push(Note { address: None, code: NoteCode::UnknownFormat, at: at.child("format"), text });
    }
    notes
}

fn fits(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::Text => value.is_string(),
        Kind::Number => value.is_number(),
        Kind::Flag => value.is_boolean() || value.is_number(),
        Kind::List => value.is_array(),
        Kind::Schema => value.is_object() || value.is_boolean(),
        Kind::Map => value.is_object(),
        Kind::Words => value.is_string() || value.is_array(),
        Kind::Schemas => value.is_object() || value.is_array() || value.is_boolean(),
        Kind::Anything => true,
    }
}

/// The length of a short keyword.
const SHORT: usize = 5;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: &[&str]) {
        let members = schema.as_object().expect("a schema is an object");
        let notes = misspelt(members, &Pointer::root());
        let told: Vec<String> = notes.iter().map(|note| format!("{}: {}", note.at, note.text)).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_nearly_a_keyword_is_told() {
        let meant = |name: &str, keyword: &str| {
            format!("#/{name}: {name:?} is no keyword, so it says nothing; perhaps {keyword:?} is meant")
        };
        check(&json!({"requird": ["a"]}), &[&meant("requird", "required")]);
        check(&json!({"propertis": {}}), &[&meant("propertis", "properties")]);
        check(&json!({"tpye": "string"}), &[&meant("tpye", "type")]);
        check(&json!({"minlength": 1}), &[&meant("minlength", "minLength")]);
        check(&json!({"required": ["a"], "requird": ["b"]}), &[&meant("requird", "required")]);
        check(&json!({"additionalProperty": false}), &[&meant("additionalProperty", "additionalProperties")]);
    }

    #[test]
    fn words_of_an_author_are_left_alone() {
        check(&json!({"note": "not a keyword", "options": ["a"], "x-requird": ["a"], "order": 3}), &[]);
        check(&json!({"note": {}, "no": true, "cost": 3, "item": {}, "the": {}, "types": ["a"]}), &[]);
        check(&json!({"requird": "a text"}), &[]);
        check(&json!({"items": {}, "item": {}}), &[]);
        check(&json!({"title": "a", "description": "b", "$comment": "c", "readOnly": true}), &[]);
    }

    #[test]
    fn a_format_that_nobody_knows_is_told_with_the_one_that_is_meant() {
        let nobodys = "#/format: the format \"zip-code\" is not known, so it says nothing";
        check(&json!({"format": "zip-code"}), &[nobodys]);
        let slip =
            "#/format: the format \"emial\" is not known, so it says nothing; perhaps \"email\" is meant";
        check(&json!({"format": "emial"}), &[slip]);
        check(&json!({"format": "int32"}), &[]);
        check(&json!({"format": "date-time"}), &[]);
    }
}
