//! How much a schema unfolds: the number of subschemas that apply to one value at one place.
//!
//! A text of a kilobyte can refer to itself twice at each of forty levels, and no validator survives that.

use std::collections::BTreeMap;

use serde_json::Value;

/// Keywords with one subschema for the same value.
const ONE: &[&str] = &["not", "if", "then", "else"];
/// Keywords with a list of subschemas for the same value.
const LIST: &[&str] = &["allOf", "anyOf", "oneOf"];
/// Keywords with a map of subschemas for the same value.
const MAP: &[&str] = &["dependentSchemas", "dependencies"];

/// The weight of the heaviest object anywhere in the schema; references are followed within the document.
pub(crate) fn weight(root: &Value) -> u64 {
    let mut known = BTreeMap::new();
    let mut heaviest = 0;
    let mut places = vec![root];
    while let Some(place) = places.pop() {
        // Data in an enumeration may look like a schema and be weighed for one; that can only overrate it.
        match place {
            Value::Object(members) => {
                heaviest = heaviest.max(weigh(root, place, &mut known));
                places.extend(members.values());
            }
            Value::Array(items) => places.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    heaviest
}

/// What is known of a subschema, by its address in the document.
type Known = BTreeMap<*const Value, Option<u64>>;

/// One place that is being weighed: what is left to visit and what was found so far.
struct Level<'a> {
    place: &'a Value,
    rest: Vec<&'a Value>,
    total: u64,
}

/// Weighs one place with a stack of its own; a place that leads back to itself for the same value has no end.
fn weigh<'a>(root: &'a Value, place: &'a Value, known: &mut Known) -> u64 {
    let mut levels: Vec<Level<'a>> = Vec::new();
    let mut next = Some(place);
    loop {
        if let Some(place) = next.take() {
            if let Some(weight) = known.get(&std::ptr::from_ref(place)) {
                let weight = weight.unwrap_or(u64::MAX);
                match levels.last_mut() {
                    Some(level) => level.total = level.total.saturating_add(weight),
                    None => return weight,
                }
            } else {
                known.insert(std::ptr::from_ref(place), None);
                levels.push(Level { place, rest: in_place(root, place), total: 1 });
            }
        }
        let Some(level) = levels.last_mut() else {
            unreachable!("the last level returns its weight");
        };
        next = level.rest.pop();
        if next.is_none() {
            let Level { place, total, .. } = levels.pop().expect("there is a last level");
            known.insert(std::ptr::from_ref(place), Some(total));
            match levels.last_mut() {
                Some(level) => level.total = level.total.saturating_add(total),
                None => return total,
            }
        }
    }
}

/// The subschemas that apply to the same value as `place`.
fn in_place<'a>(root: &'a Value, place: &'a Value) -> Vec<&'a Value> {
    let Some(members) = place.as_object() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (keyword, value) in members {
        match (keyword.as_str(), value) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                found.extend(reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer)));
            }
            (keyword, Value::Object(_)) if ONE.contains(&keyword) => found.push(value),
            (keyword, Value::Array(items)) if LIST.contains(&keyword) => found.extend(items),
            (keyword, Value::Object(members)) if MAP.contains(&keyword) => found.extend(members.values()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_applies_to_the_same_value_adds_up() {
        for (schema, expected) in [
            (json!({}), 1),
            (json!({"properties": {"a": {}, "b": {}}}), 1),
            (json!({"allOf": [{}, {"not": {}}]}), 4),
            (json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{}, {}]}}}), 4),
            (json!({"anyOf": [{"$ref": "#"}, {}]}), u64::MAX),
            (json!({"$ref": "#"}), u64::MAX),
            (json!({"properties": {"a": {"$ref": "#"}}}), 2),
        ] {
            assert_eq!(weight(&schema), expected, "{schema}");
        }
    }
}
