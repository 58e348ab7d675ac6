//! Whether two sets are seen to have no value in common, by their look alone: kinds, values, and what must be inside.

use serde_json::Value;

use crate::compose::{Kind, ObjectShape, Set, Shape};
use crate::json::same;

/// How many pairs of parts are looked at before two sets are taken to overlap.
const PATIENCE: u32 = 400;

impl Set {
    /// Whether no value is in both, where that is cheap to see; a pair that is not seen apart may still be.
    pub(crate) fn is_apart(&self, other: &Self) -> bool {
        is_apart(self, other, &mut { PATIENCE })
    }
}

fn is_apart(one: &Set, two: &Set, patience: &mut u32) -> bool {
    if *patience == 0 {
        return false;
    }
    *patience -= 1;
    match (one.shape(), two.shape()) {
        (Shape::False, _) | (_, Shape::False) => true,
        (Shape::Reference(name), _) => one.named(&name).is_some_and(|one| is_apart(&one, two, patience)),
        (_, Shape::Reference(name)) => two.named(&name).is_some_and(|two| is_apart(one, &two, patience)),
        (Shape::AnyOf(parts) | Shape::OneOf(parts), _) => {
            parts.into_iter().all(|part| is_apart(&part.into(), two, patience))
        }
        (_, Shape::AnyOf(parts) | Shape::OneOf(parts)) => {
            parts.into_iter().all(|part| is_apart(one, &part.into(), patience))
        }
        (Shape::AllOf(parts), _) => parts.into_iter().any(|part| is_apart(&part.into(), two, patience)),
        (_, Shape::AllOf(parts)) => parts.into_iter().any(|part| is_apart(one, &part.into(), patience)),
        (Shape::Object(one), Shape::Object(two)) => are_objects_apart(&one, &two, patience),
        (one, two) => match (values(&one), values(&two)) {
            (Some(one), Some(two)) => !one.iter().any(|one| two.iter().any(|two| same(one, two))),
            _ => match (kinds(&one), kinds(&two)) {
                (Some(one), Some(two)) => !one.iter().any(|kind| two.contains(kind)),
                _ => false,
            },
        },
    }
}

/// Objects are apart when a member that one of them demands is not allowed in the other, or has other values there.
fn are_objects_apart(one: &ObjectShape, two: &ObjectShape, patience: &mut u32) -> bool {
    one.required.iter().chain(&two.required).any(|name| {
        is_barred(one, name)
            || is_barred(two, name)
            || matches!((member(one, name), member(two, name)),
                        (Some(one), Some(two)) if is_apart(&one, &two, patience))
    })
}

/// Whether no member may have this name.
fn is_barred(object: &ObjectShape, name: &str) -> bool {
    let names = object.property_names.as_ref().map(|names| Set::from(names.clone()).shape());
    names.as_ref().and_then(values).is_some_and(|names| !names.iter().any(|known| known == name))
        || member(object, name).is_some_and(|member| matches!(member.shape(), Shape::False))
}

/// What a member of this name has to satisfy; `None` when nothing is known for sure.
fn member(object: &ObjectShape, name: &str) -> Option<Set> {
    if let Some(own) = object.properties.get(name) {
        return Some(own.clone().into());
    }
    let other = object.additional_properties.clone()?;
    object.pattern_properties.is_empty().then(|| other.into())
}

/// The values of a set that names them.
fn values(shape: &Shape) -> Option<&[Value]> {
    match shape {
        Shape::Const(value) => Some(std::slice::from_ref(value)),
        Shape::Enum(values) => Some(values),
        _ => None,
    }
}

/// The kinds of values in a set, integers among the numbers; `None` when any kind may be there.
fn kinds(shape: &Shape) -> Option<Vec<Kind>> {
    let kinds: Vec<Kind> = match shape {
        Shape::Const(_) | Shape::Enum(_) => values(shape)?.iter().map(kind).collect(),
        Shape::MultiType(kinds) => kinds.iter().collect(),
        Shape::TypedGroup(group) => vec![group.ty],
        Shape::String(_) => vec![Kind::String],
        Shape::Integer(_) | Shape::Number(_) => vec![Kind::Number],
        Shape::Array(_) => vec![Kind::Array],
        Shape::Object(_) => vec![Kind::Object],
        _ => return None,
    };
    let as_number = |kind| if kind == Kind::Integer { Kind::Number } else { kind };
    Some(kinds.into_iter().map(as_number).collect())
}

fn kind(value: &Value) -> Kind {
    match value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Boolean,
        Value::Number(_) => Kind::Number,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::compose::compose;
    use crate::document::{Document, ReadOptions};
    use crate::json::Pointer;
    use crate::validate::Formats;

    #[track_caller]
    fn check(one: &serde_json::Value, two: &serde_json::Value, is_apart: bool) {
        let text = json!({ "$defs": { "one": one, "two": two } }).to_string();
        let document = Document::read(&text, &ReadOptions::default()).unwrap();
        let set = |name: &str| {
            let at = Pointer::root().child("$defs").child(name);
            compose(&document, &at, Formats::Assert).unwrap().set
        };
        assert_eq!(set("one").is_apart(&set("two")), is_apart, "{one} {two}");
        assert_eq!(set("two").is_apart(&set("one")), is_apart, "{two} {one}");
    }

    #[test]
    fn sets_of_other_kinds_or_values_are_apart() {
        check(&json!({ "type": "string" }), &json!({ "type": "integer" }), true);
        check(&json!({ "type": "number" }), &json!({ "type": "integer" }), false);
        check(&json!({ "enum": [1, "a"] }), &json!({ "enum": ["b", 2] }), true);
        check(&json!({ "enum": [1, "a"] }), &json!({ "enum": ["b", 1.0] }), false);
        check(&json!({ "enum": [1, 2] }), &json!({ "type": ["string", "object"] }), true);
        check(&json!({}), &json!({ "type": "string" }), false);
    }

    #[test]
    fn objects_that_differ_in_a_demanded_member_are_apart() {
        let tagged = |tag: &str| json!({ "type": "object", "properties": { "t": { "const": tag } }, "required": ["t"] });
        let untagged = |tag: &str| json!({ "type": "object", "properties": { "t": { "const": tag } } });
        let closed = json!({ "type": "object", "properties": { "u": true }, "additionalProperties": false });
        check(&tagged("a"), &tagged("b"), true);
        check(&tagged("a"), &tagged("a"), false);
        check(&tagged("a"), &untagged("b"), true);
        check(&untagged("a"), &untagged("b"), false);
        check(&tagged("a"), &closed, true);
        check(&untagged("a"), &closed, false);
    }

    #[test]
    fn a_choice_is_apart_when_each_alternative_is() {
        let choice = |values: [&str; 2]| json!({ "anyOf": [{ "const": values[0] }, { "type": values[1] }] });
        check(&choice(["a", "object"]), &choice(["b", "array"]), true);
        check(&choice(["a", "object"]), &choice(["a", "array"]), false);
        check(&choice(["a", "object"]), &choice(["b", "string"]), false);
    }
}
