//! Where the schemas of a document stand: which keywords hold data, which hold schemas by name, and the walks that know it.
//!
//! Whatever is not known to be something else may be a schema: references lead below unknown keywords too. A walk calls
//! itself as deep as the document is nested, which reading limits.

use serde_json::{Map, Value};

use crate::json::Pointer;

/// Keywords whose values are data.
const DATA: &[&str] = &["enum", "const", "default", "examples", "example", "required"];

/// Keywords that hold schemas by name: a member is a schema, whatever it is called, and the map itself is none.
pub(super) const NAMES: &[&str] =
    &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// Words of OpenAPI that hold things by name. An author of schemas may use them too, for a schema of their own.
const API_NAMES: &[&str] = &[
    "schemas",
    "responses",
    "parameters",
    "requestBodies",
    "headers",
    "encoding",
    "links",
    "callbacks",
    "pathItems",
    "webhooks",
];

/// A schema rewritten at its place.
type Rewrite<'a> = &'a mut dyn FnMut(&Map<String, Value>, &Pointer) -> Map<String, Value>;

/// What a value is, by where it stands.
#[derive(Clone, Copy)]
enum Role {
    /// If it is an object, it may be a schema.
    Schema,
    /// If it is an object, its members may be schemas.
    Names,
    /// Nothing in it is a schema.
    Data,
}

/// Whether any schema in a value is such a one.
pub(crate) fn any_schema(value: &Value, is_it: &dyn Fn(&Map<String, Value>) -> bool) -> bool {
    let mut is_found = false;
    each_schema(value, &Pointer::root(), &mut |schema, at| is_found = is_found || any_at(schema, at, is_it));
    is_found
}

fn any_at(schema: &Map<String, Value>, at: &Pointer, is_it: &dyn Fn(&Map<String, Value>) -> bool) -> bool {
    let mut is_found = is_it(schema);
    each_subschema(schema, at, &mut |inner, at| is_found = is_found || any_at(inner, at, is_it));
    is_found
}

/// Visits the outermost schemas in a value; the visitor goes further down with [`each_subschema`].
pub(crate) fn each_schema<'a>(
    value: &'a Value,
    at: &Pointer,
    visit: &mut dyn FnMut(&'a Map<String, Value>, &Pointer),
) {
    each_in(value, Role::Schema, at, visit);
}

/// Visits the schemas one level below a schema.
pub(crate) fn each_subschema<'a>(
    schema: &'a Map<String, Value>,
    at: &Pointer,
    visit: &mut dyn FnMut(&'a Map<String, Value>, &Pointer),
) {
    for (name, member) in schema.iter().filter(|(_, member)| is_holder(member)) {
        each_in(member, role_of(name, member), &at.child(name), visit);
    }
}

/// A value with its outermost schemas rewritten; the rewriting goes further down with [`with_subschemas`].
pub(crate) fn with_schemas(value: &Value, at: &Pointer, rewrite: Rewrite<'_>) -> Value {
    with_in(value, Role::Schema, at, rewrite)
}

/// A schema with the schemas one level below it rewritten.
pub(crate) fn with_subschemas(
    schema: &Map<String, Value>,
    at: &Pointer,
    rewrite: Rewrite<'_>,
) -> Map<String, Value> {
    let inner = schema.iter().map(|(name, member)| {
        let member = if is_holder(member) {
            with_in(member, role_of(name, member), &at.child(name), rewrite)
        } else {
            member.clone()
        };
        (name.clone(), member)
    });
    inner.collect()
}

fn is_holder(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

/// What the member of a schema is.
fn role_of(name: &str, member: &Value) -> Role {
    if DATA.contains(&name) {
        return Role::Data;
    }
    // A text, a number or a list under such a word belongs to a schema; things by name are objects, or true and false.
    let holds_things = |member: &Map<String, Value>| {
        let mut named = member.iter().filter(|(name, _)| !name.starts_with("x-"));
        named.all(|(_, thing)| thing.is_object() || thing.is_boolean())
    };
    let is_names =
        NAMES.contains(&name) || (API_NAMES.contains(&name) && member.as_object().is_some_and(holds_things));
    if is_names { Role::Names } else { Role::Schema }
}

fn each_in<'a>(
    value: &'a Value,
    role: Role,
    at: &Pointer,
    visit: &mut dyn FnMut(&'a Map<String, Value>, &Pointer),
) {
    match (role, value) {
        (Role::Schema, Value::Object(schema)) => visit(schema, at),
        (Role::Names, Value::Object(named)) => {
            for (name, member) in named {
                each_in(member, Role::Schema, &at.child(name), visit);
            }
        }
        (Role::Schema | Role::Names, Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                each_in(item, Role::Schema, &at.item(index), visit);
            }
        }
        (Role::Data, _) | (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {}
    }
}

fn with_in(value: &Value, role: Role, at: &Pointer, rewrite: Rewrite<'_>) -> Value {
    match (role, value) {
        (Role::Schema, Value::Object(schema)) => Value::Object(rewrite(schema, at)),
        (Role::Names, Value::Object(named)) => {
            let inner = named.iter().map(|(name, member)| {
                (name.clone(), with_in(member, Role::Schema, &at.child(name), rewrite))
            });
            Value::Object(inner.collect())
        }
        (Role::Schema | Role::Names, Value::Array(items)) => {
            let inner = items.iter().enumerate();
            let inner = inner.map(|(index, item)| with_in(item, Role::Schema, &at.item(index), rewrite));
            Value::Array(inner.collect())
        }
        (Role::Data, _) | (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            value.clone()
        }
    }
}
