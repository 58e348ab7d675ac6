//! What real documents get wrong without harm: keywords of an older dialect that the newer one gave another form.

use serde_json::{Map, Value};

use crate::document::subschema::{with_schemas, with_subschemas};
use crate::document::{Dialect, Note, NoteCode};
use crate::json::Pointer;

/// Stands where a `$recursiveAnchor` stood; no validator knows it.
pub(super) const ANCHOR_MARK: &str = "x-recursive-anchor";

/// Leaves out `$recursiveAnchor` from a 2020-12 document where it is written as in 2019-09: the newer dialect ignores
/// it, but its meta-schema turns the old form away.
pub(super) fn without_outdated(root: Value, dialect: Dialect, notes: &mut Vec<Note>) -> Value {
    if dialect != Dialect::Draft202012 {
        return root;
    }
    with_schemas(&root, &Pointer::root(), &mut |schema, at| leave_out(schema, at, notes))
}

fn leave_out(schema: &Map<String, Value>, at: &Pointer, notes: &mut Vec<Note>) -> Map<String, Value> {
    let is_outdated = schema.get("$recursiveAnchor").is_some_and(Value::is_boolean);
    if is_outdated {
        notes.push(Note {
            address: None,
            code: NoteCode::Outdated,
            at: at.child("$recursiveAnchor"),
            text: "draft 2020-12 knows no such keyword and ignores it".to_owned(),
        });
    }
    let mut inner = with_subschemas(schema, at, &mut |inner, at| leave_out(inner, at, notes));
    if is_outdated {
        inner.shift_remove("$recursiveAnchor");
        inner.insert(ANCHOR_MARK.to_owned(), Value::Bool(true));
    }
    inner
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: &Value, places: &[&str]) {
        let mut notes = Vec::new();
        assert_eq!(without_outdated(schema.clone(), Dialect::Draft202012, &mut notes), *expected);
        assert_eq!(notes.iter().map(|note| note.at.as_str()).collect::<Vec<_>>(), places);
    }

    #[test]
    fn an_outdated_keyword_is_left_out_and_told() {
        check(
            &json!({"$recursiveAnchor": true, "properties": {"default": {"$recursiveAnchor": false}}}),
            &json!({"properties": {"default": { ANCHOR_MARK: true }}, ANCHOR_MARK: true}),
            &["/$recursiveAnchor", "/properties/default/$recursiveAnchor"],
        );
    }

    #[test]
    fn data_and_names_stay_as_they_are() {
        for schema in
            [json!({"const": {"$recursiveAnchor": true}}), json!({"properties": {"$recursiveAnchor": true}})]
        {
            check(&schema, &schema, &[]);
        }
    }
}
