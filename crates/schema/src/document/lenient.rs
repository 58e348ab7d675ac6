//! What real documents get wrong without harm: keywords of an older dialect that the newer one gave another form.

use serde_json::Value;

use crate::document::{Dialect, Note, NoteCode};
use crate::json::Pointer;

/// Stands where a `$recursiveAnchor` stood; no validator knows it.
pub(super) const ANCHOR_MARK: &str = "x-recursive-anchor";

/// Leaves out `$recursiveAnchor` from a 2020-12 document where it is written as in 2019-09: the newer dialect ignores
/// it, but its meta-schema turns the old form away.
pub(super) fn without_outdated(mut root: Value, dialect: Dialect, notes: &mut Vec<Note>) -> Value {
    if dialect == Dialect::Draft202012 {
        leave_out(&mut root, &Pointer::root(), notes);
    }
    root
}

fn leave_out(value: &mut Value, at: &Pointer, notes: &mut Vec<Note>) {
    match value {
        Value::Object(members) => {
            if members.get("$recursiveAnchor").is_some_and(Value::is_boolean) {
                members.shift_remove("$recursiveAnchor");
                members.insert(ANCHOR_MARK.to_owned(), Value::Bool(true));
                notes.push(Note {
                    code: NoteCode::Outdated,
                    at: at.child("$recursiveAnchor"),
                    text: "draft 2020-12 knows no such keyword and ignores it".to_owned(),
                });
            }
            for (name, member) in members {
                leave_out(member, &at.child(name), notes);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                leave_out(item, &at.item(index), notes);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
