//! One schema after the other, read where it stands and written as JSON Schema 2020-12.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::document::brief;
use crate::limits::Limits;
use crate::openapi::dialect30::modern;
use crate::openapi::discriminator::{Families, demand};
use crate::openapi::problem::Problem;
use crate::openapi::shelf::{Shelf, Spot};

/// Which OpenAPI a document speaks, as far as schemas differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 3.0: a dialect of its own.
    V30,
    /// 3.1 and 3.2: JSON Schema 2020-12.
    V31,
}

/// Which way a body goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    /// To the server: what is read-only is not sent.
    Request,
    /// From the server: what is write-only is not sent.
    Response,
    /// Either way: the schema as it stands, for counting targets.
    Neither,
}

impl Direction {
    /// The keyword that keeps a member out of bodies that go this way.
    fn barred(self) -> Option<&'static str> {
        match self {
            Self::Request => Some("readOnly"),
            Self::Response => Some("writeOnly"),
            Self::Neither => None,
        }
    }
}

/// What is cut from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stock<'a> {
    pub(crate) shelf: &'a Shelf,
    pub(crate) version: Version,
    pub(crate) families: &'a Families,
    pub(crate) limits: &'a Limits,
}

/// One schema that was cut out, with the places it refers to.
pub(super) struct Piece {
    pub(super) spot: Spot,
    pub(super) schema: Result<Value, Problem>,
    pub(super) targets: Vec<Target>,
}

/// A place that is referred to.
pub(super) struct Target {
    pub(super) spot: Spot,
    /// Whether it always applies to the very value that the schema applies to.
    pub(super) is_in_place: bool,
}

/// What a schema is to the one around it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Site {
    /// A part of `allOf`: what it extends.
    is_base: bool,
    /// Whether it applies to the value that the piece applies to.
    is_in_place: bool,
}

/// Keywords that hold one schema.
pub(super) const SINGLE: &[&str] = &[
    "additionalProperties",
    "not",
    "items",
    "contains",
    "propertyNames",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords that hold a list of schemas.
pub(super) const LISTS: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords that hold schemas by name.
pub(super) const MAPS: &[&str] = &["properties", "patternProperties", "dependentSchemas"];
/// The keyword whose schemas always apply to the value itself. Those of a choice may: a circle through one has an end.
const IN_PLACE: &str = "allOf";
/// Words that say nothing about values; schemas below `$defs` are cut where something refers to them.
const SILENT: &[&str] = &[
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$schema",
    "$defs",
    "definitions",
    "$comment",
    "$vocabulary",
    "title",
    "description",
    "externalDocs",
    "xml",
    "discriminator",
    "example",
    "contentSchema",
    // A word of 3.0 alone; some validators still stumble over it.
    "nullable",
];

/// Reads schemas one way.
pub(super) struct Cutter<'a> {
    stock: Stock<'a>,
    direction: Direction,
    is_strict: bool,
    /// What the schema that is being read refers to.
    open: Vec<Target>,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(stock: Stock<'a>, direction: Direction, is_strict: bool) -> Self {
        Self { stock, direction, is_strict, open: Vec::new() }
    }

    /// Everything that the roots reach.
    pub(super) fn pieces(mut self, roots: &[Spot]) -> Vec<Piece> {
        let mut done: BTreeSet<Spot> = BTreeSet::new();
        let mut pieces = Vec::new();
        let mut open: Vec<Spot> = roots.to_vec();
        while let Some(spot) = open.pop() {
            if !done.insert(spot.clone()) {
                continue;
            }
            let schema = match self.stock.shelf.find(&spot) {
                Some(value) => self.schema(value, &spot, Site { is_base: false, is_in_place: true }),
                None => Err(Problem::new(self.stock.shelf.spelled(&spot), "there is no schema here")),
            };
            let targets = std::mem::take(&mut self.open);
            open.extend(targets.iter().map(|target| target.spot.clone()));
            pieces.push(Piece { spot, schema, targets });
        }
        pieces
    }

    fn schema(&mut self, value: &Value, spot: &Spot, site: Site) -> Result<Value, Problem> {
        let Stock { shelf, version, families: _, limits: _ } = self.stock;
        let Value::Object(schema) = value else {
            return match value {
                Value::Bool(_) => Ok(value.clone()),
                other => {
                    let text = format!("{} is not a schema; a schema is an object", brief(other));
                    Err(Problem::new(shelf.spelled(spot), text))
                }
            };
        };
        let mut out = Map::new();
        let reference = schema.get("$ref").or_else(|| schema.get("$dynamicRef")).and_then(Value::as_str);
        if let Some(reference) = reference {
            let target = shelf.follow(spot, reference)?;
            out.insert("$ref".to_owned(), Value::from(shelf.reference(spot.volume, &target)));
            // A circle of references alone has no schema in it.
            shelf.settle(&target)?;
            let is_widened =
                self.is_strict && !site.is_base && self.widen_to_heirs(spot, &target, site, &mut out);
            if !is_widened {
                self.open.push(Target { spot: target, is_in_place: site.is_in_place });
            }
        }
        let members = match (version, reference) {
            // In 3.0 a reference stands alone.
            (Version::V30, Some(_)) => Vec::new(),
            (Version::V30, None) => modern(schema),
            (Version::V31, _) => {
                schema.iter().map(|(name, value)| (name.as_str(), Cow::Borrowed(value))).collect()
            }
        };
        for (name, member) in members {
            if SILENT.contains(&name) || name.starts_with("x-") || matches!(name, "$ref" | "$dynamicRef") {
                continue;
            }
            let spot = spot.child(name);
            let read = self.keyword(name, &member, &spot, site)?;
            // A list of heirs is there already where a reference was widened.
            out.entry(name.to_owned()).or_insert(read);
        }
        if let Some(example) = schema.get("example").filter(|_| !out.contains_key("examples")) {
            out.insert("examples".to_owned(), json!([example]));
        }
        self.go_one_way(schema, spot, &mut out);
        if self.is_strict {
            self.tell_apart(schema, spot, &mut out);
            fit_machine(&mut out);
        }
        Ok(Value::Object(out))
    }

    fn keyword(&mut self, name: &str, member: &Value, spot: &Spot, around: Site) -> Result<Value, Problem> {
        let is_in_place = around.is_in_place && name == IN_PLACE;
        let site = Site { is_base: name == "allOf", is_in_place };
        match member {
            Value::Object(_) if SINGLE.contains(&name) => self.schema(member, spot, site),
            Value::Object(schemas) if MAPS.contains(&name) => {
                let mut read = Map::new();
                for (name, schema) in schemas {
                    read.insert(name.clone(), self.schema(schema, &spot.child(name), site)?);
                }
                Ok(Value::Object(read))
            }
            Value::Array(schemas) if LISTS.contains(&name) => {
                let read = schemas.iter().enumerate();
                let read = read.map(|(index, schema)| self.schema(schema, &spot.item(index), site));
                read.collect::<Result<Vec<_>, _>>().map(Value::Array)
            }
            other => Ok(other.clone()),
        }
    }

    /// A reference to a schema that others extend becomes a choice among those others.
    fn widen_to_heirs(
        &mut self,
        spot: &Spot,
        target: &Spot,
        site: Site,
        out: &mut Map<String, Value>,
    ) -> bool {
        let heirs = self.stock.families.heirs(target);
        if heirs.is_empty() {
            return false;
        }
        let is_in_place = site.is_in_place;
        self.open.extend(heirs.iter().map(|(heir, _)| Target { spot: heir.clone(), is_in_place }));
        let reference = |heir: &Spot| json!({ "$ref": self.stock.shelf.reference(spot.volume, heir) });
        let choices = heirs.iter().map(|(heir, demand)| json!({"allOf": [reference(heir), demand]}));
        *out = Map::from_iter([("anyOf".to_owned(), Value::Array(choices.collect()))]);
        true
    }

    /// Each alternative of a discriminated choice says its name.
    fn tell_apart(&mut self, schema: &Map<String, Value>, spot: &Spot, out: &mut Map<String, Value>) {
        if !schema.contains_key("discriminator") {
            return;
        }
        let whole = Value::Object(schema.clone());
        for keyword in ["oneOf", "anyOf"] {
            let written = schema.get(keyword).and_then(Value::as_array);
            let Some(Value::Array(choices)) = out.get_mut(keyword) else { continue };
            for (index, (choice, source)) in choices.iter_mut().zip(written.into_iter().flatten()).enumerate()
            {
                let Some(reference) = source.get("$ref").and_then(Value::as_str) else { continue };
                let from = spot.child(keyword).item(index);
                let Ok(target) = self.stock.shelf.follow(&from, reference) else { continue };
                if let Some(demand) = demand(self.stock.shelf, spot, &whole, &target) {
                    *choice = json!({"allOf": [choice.take(), demand]});
                }
            }
        }
    }

    /// Members that do not go this way are not required in 3.0, and in the stricter reading not there at all.
    fn go_one_way(&self, schema: &Map<String, Value>, spot: &Spot, out: &mut Map<String, Value>) {
        let barred = barred(self.stock.shelf, spot, schema, self.direction);
        if self.stock.version == Version::V30
            && let Some(Value::Array(required)) = out.get_mut("required")
        {
            required.retain(|name| !barred.iter().any(|known| name.as_str() == Some(known)));
        }
        if !self.is_strict {
            return;
        }
        let required = out.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let Some(Value::Object(properties)) = out.get_mut("properties") else { return };
        for name in barred.into_iter().filter(|name| !required.contains(&Value::from(name.as_str()))) {
            properties.insert(name.clone(), Value::Bool(false));
        }
    }
}

/// The members of a schema that do not go this way.
pub(super) fn barred<'s>(
    shelf: &Shelf,
    spot: &Spot,
    schema: &'s Map<String, Value>,
    direction: Direction,
) -> Vec<&'s String> {
    let (Some(keyword), Some(Value::Object(members))) = (direction.barred(), schema.get("properties")) else {
        return Vec::new();
    };
    let says = |value: &Value| value.get(keyword) == Some(&Value::Bool(true));
    let is_barred = |(name, member): &(&String, &Value)| {
        says(member)
            || (member.get("$ref").is_some()
                && shelf.settle(&spot.child("properties").child(name)).is_ok_and(|(_, value)| says(value)))
    };
    members.iter().filter(is_barred).map(|(name, _)| name).collect()
}

/// Integers of 32 bits stay within them.
fn fit_machine(out: &mut Map<String, Value>) {
    if out.get("format").and_then(Value::as_str) != Some("int32") {
        return;
    }
    for (keyword, other, limit) in
        [("minimum", "exclusiveMinimum", i32::MIN), ("maximum", "exclusiveMaximum", i32::MAX)]
    {
        if !out.contains_key(other) {
            out.entry(keyword).or_insert_with(|| json!(limit));
        }
    }
}
