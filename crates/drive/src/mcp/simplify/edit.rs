//! The edits that make the arguments of one call plainer: fewer members and elements, earlier choices, smaller values.
//!
//! Every edit is valid and plainer than what it replaces, so a chain of them ends.

use probity_schema::Pointer;
use serde_json::{Number, Value};

use crate::callable::{Blueprint, Sourcing};
use crate::mcp::script::{Reference, ScriptCall};

/// Every edit of a call that its schema allows, the boldest first.
pub(super) fn edits(call: &ScriptCall, blueprint: &Blueprint, sourcing: Sourcing) -> Vec<ScriptCall> {
    let arguments = Value::Object(call.arguments.clone());
    let mut edits = Vec::new();
    let mut open = vec![(Pointer::root(), &arguments)];
    while let Some((at, value)) = open.pop() {
        match value {
            Value::Object(members) => {
                edits.extend(members.keys().map(|name| removed(call, &at, name, None)));
                open.extend(members.iter().map(|(name, member)| (at.child(name), member)));
            }
            Value::Array(items) => {
                for index in (0..items.len()).rev() {
                    edits.push(removed(call, &at, &index.to_string(), Some(index)));
                }
                open.extend(items.iter().enumerate().map(|(index, item)| (at.item(index), item)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                let is_reference = call.references.iter().any(|reference| reference.at == at.as_str());
                if !is_reference {
                    let plainer = plainer(&arguments, value, &at, blueprint, sourcing);
                    edits.extend(plainer.into_iter().map(|plain| replaced(call, &at, plain)));
                }
            }
        }
    }
    let is_valid = |edit: &ScriptCall| blueprint.is_valid(&Value::Object(edit.arguments.clone()));
    edits.into_iter().flatten().filter(is_valid).collect()
}

fn removed(call: &ScriptCall, at: &Pointer, token: &str, index: Option<usize>) -> Option<ScriptCall> {
    let mut arguments = Value::Object(call.arguments.clone());
    match (arguments.pointer_mut(at.as_str())?, index) {
        (Value::Object(members), None) => drop(members.shift_remove(token)?),
        (Value::Array(items), Some(index)) => drop(items.remove(index)),
        _ => return None,
    }
    let gone = match index {
        Some(index) => at.item(index),
        None => at.child(token),
    };
    let references = call.references.iter().filter_map(|reference| {
        let rest = below(&reference.at, &gone);
        if rest.is_some() {
            return None;
        }
        let moved = index.and_then(|index| moved(&reference.at, at, index));
        Some(Reference { at: moved.unwrap_or_else(|| reference.at.clone()), ..reference.clone() })
    });
    let references = references.collect();
    let Value::Object(arguments) = arguments else { return None };
    Some(ScriptCall { arguments, references, ..call.clone() })
}

/// What a pointer says below another; nothing if it lies elsewhere.
fn below<'a>(pointer: &'a str, other: &Pointer) -> Option<&'a str> {
    let rest = pointer.strip_prefix(other.as_str())?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// A pointer into an array after an element before it is gone.
fn moved(pointer: &str, array: &Pointer, gone: usize) -> Option<String> {
    let rest = below(pointer, array)?.strip_prefix('/')?;
    let (index, tail) = rest.split_once('/').map_or((rest, None), |(index, tail)| (index, Some(tail)));
    let index: usize = index.parse().ok()?;
    let place = array.item(index.checked_sub(usize::from(index > gone))?);
    Some(tail.map_or_else(|| place.as_str().to_owned(), |tail| format!("{}/{tail}", place.as_str())))
}

fn replaced(call: &ScriptCall, at: &Pointer, plain: Value) -> Option<ScriptCall> {
    let mut arguments = Value::Object(call.arguments.clone());
    *arguments.pointer_mut(at.as_str())? = plain;
    let Value::Object(arguments) = arguments else { return None };
    Some(ScriptCall { arguments, ..call.clone() })
}

/// Plainer values for one place; a strict run makes up no numbers and no strings.
fn plainer(
    arguments: &Value,
    value: &Value,
    at: &Pointer,
    blueprint: &Blueprint,
    sourcing: Sourcing,
) -> Vec<Value> {
    let listed = blueprint.listed(arguments, at.as_str());
    if let Some(index) = listed.iter().position(|known| known == value) {
        return listed[..index].to_vec();
    }
    match (value, sourcing) {
        (Value::Bool(true), _) => vec![Value::Bool(false)],
        (Value::Number(number), Sourcing::Lenient) => smaller(number),
        (Value::String(text), Sourcing::Lenient) => shorter(text),
        (Value::Number(_) | Value::String(_), Sourcing::Strict)
        | (Value::Null | Value::Bool(false) | Value::Array(_) | Value::Object(_), _) => Vec::new(),
    }
}

/// Whole numbers nearer to zero, from zero on in ever smaller leaps; a fraction loses its digits first.
fn smaller(number: &Number) -> Vec<Value> {
    let Some(value) = number.as_i64() else {
        let Some(real) = number.as_f64().filter(|real| real.abs() < 9e15) else {
            return vec![Value::from(0)];
        };
        #[expect(clippy::cast_possible_truncation, reason = "the line above bounds it")]
        let whole = real.trunc() as i64;
        return vec![Value::from(0), Value::from(whole)];
    };
    let mut plainer = Vec::new();
    if value < 0 {
        plainer.extend(value.checked_neg());
    }
    let mut leap = value;
    while leap != 0 {
        plainer.push(value - leap);
        leap /= 2;
    }
    plainer.into_iter().map(Value::from).collect()
}

/// Shorter texts, the shortest first, then the same length in plain letters.
fn shorter(text: &str) -> Vec<Value> {
    let letters: Vec<char> = text.chars().collect();
    let mut texts = Vec::new();
    let mut leap = letters.len();
    while leap > 0 {
        texts.push(letters[..letters.len() - leap].iter().collect::<String>());
        leap /= 2;
    }
    let plain: String =
        letters.iter().map(|letter| if letter.is_ascii_digit() { '0' } else { 'a' }).collect();
    if plain != text {
        texts.push(plain);
    }
    texts.into_iter().map(Value::from).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::corpus::Place;

    fn call(arguments: Value, at: &[&str]) -> ScriptCall {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let place = Place::Value { pointer: "/id".to_owned() };
        let reference = |at: &&str| Reference { at: (*at).to_owned(), call: 0, place: place.clone() };
        ScriptCall { tool: "t".to_owned(), arguments, references: at.iter().map(reference).collect() }
    }

    #[track_caller]
    fn check(schema: &Value, sourcing: Sourcing, arguments: Value, expected: &[Value]) {
        let blueprint = Blueprint::of(schema).expect("the schema can be used");
        let edits = edits(&call(arguments, &[]), &blueprint, sourcing);
        let seen: Vec<Value> = edits.into_iter().map(|edit| Value::Object(edit.arguments)).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn only_what_may_be_missing_is_left_out_and_only_earlier_choices_are_tried() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"enum": ["x", "y", "z"]}, "b": {"type": "boolean"}}});
        let expected = [json!({"a": "y"}), json!({"a": "y", "b": false}), json!({"a": "x", "b": true})];
        check(&schema, Sourcing::Strict, json!({"a": "y", "b": true}), &expected);
    }

    #[test]
    fn numbers_and_strings_are_made_up_only_by_leave() {
        let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 2}}});
        check(&schema, Sourcing::Strict, json!({"n": 9}), &[]);
        check(
            &schema,
            Sourcing::Lenient,
            json!({"n": 9}),
            &[json!({"n": 5}), json!({"n": 7}), json!({"n": 8})],
        );
    }

    #[test]
    fn references_follow_their_elements() {
        let call = call(json!({"m": [{"id": 1}, {"id": 2}]}), &["/m/0/id", "/m/1/id"]);
        let edited = removed(&call, &Pointer::root().child("m"), "0", Some(0)).expect("there is an element");
        let places: Vec<&str> = edited.references.iter().map(|reference| reference.at.as_str()).collect();
        assert_eq!(places, ["/m/0/id"]);
    }
}
