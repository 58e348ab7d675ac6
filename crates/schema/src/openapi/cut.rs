//! A cut of an API's documents: only the schemas that some places reach, each at its own pointer, as JSON Schema 2020-12.
//!
//! Cuts keep pointers exact and are small, so that one operation can be made ready without the other hundreds.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::document::{Dialect, Document, brief};
use crate::json::Pointer;
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

/// Where roots stand that are not in the user's own document.
const ROOTS: &str = "x-probity-roots";

/// Cuts out what the roots reach, in the reading that goes either way; where each root stands in the cut comes with it, or
/// what is wrong with something it reaches.
pub(crate) fn cut_all(stock: Stock<'_>, roots: &[Spot]) -> (Document, Vec<Result<Pointer, Problem>>) {
    let pieces =
        Cutter { stock, direction: Direction::Neither, is_strict: false, open: Vec::new() }.pieces(roots);
    let broken = broken(stock, &pieces);
    let sound = |root: &Spot| broken.get(root).map_or(Ok(()), |problem| Err(problem.clone()));
    let verdicts: Vec<Result<(), Problem>> = roots.iter().map(sound).collect();
    let kept: Vec<Piece> = pieces.into_iter().filter(|piece| !broken.contains_key(&piece.spot)).collect();
    let sound: Vec<Spot> = roots
        .iter()
        .zip(&verdicts)
        .filter(|(_, verdict)| verdict.is_ok())
        .map(|(root, _)| root.clone())
        .collect();
    let (document, pointers) = bound(stock, &sound, kept);
    let mut pointers = pointers.into_iter();
    let placed = verdicts
        .into_iter()
        .map(|verdict| verdict.map(|()| pointers.next().expect("every sound root has a place")));
    (document, placed.collect())
}

/// The cut of one root together with its stricter reading, in which values go one way only and name their schemas; the
/// demand, if any, is laid over the root of that reading.
pub(crate) fn cut_one(
    stock: Stock<'_>,
    root: &Spot,
    direction: Direction,
    demand: Option<&Value>,
) -> Result<(Document, Pointer), Problem> {
    let roots = std::slice::from_ref(root);
    let read = |is_strict| {
        let pieces = Cutter { stock, direction, is_strict, open: Vec::new() }.pieces(roots);
        match broken(stock, &pieces).remove(root) {
            Some(problem) => Err(problem),
            None => Ok(pieces),
        }
    };
    let (mut document, mut pointers) = bound(stock, roots, read(false)?);
    let mut narrower = read(true)?;
    for piece in narrower.iter_mut().filter(|piece| piece.spot == *root) {
        if let (Ok(schema), Some(demand)) = (&mut piece.schema, demand) {
            *schema = json!({"allOf": [schema.take(), demand]});
        }
    }
    let (stricter, _) = bound(stock, roots, narrower);
    if stricter.root != document.root || stricter.supplied != document.supplied {
        document.stricter = Some(Arc::new(stricter));
    }
    Ok((document, pointers.pop().expect("one root has one place")))
}

/// One schema that was cut out, with the places it refers to.
struct Piece {
    spot: Spot,
    schema: Result<Value, Problem>,
    targets: Vec<Target>,
}

/// A place that is referred to.
struct Target {
    spot: Spot,
    /// Whether it always applies to the very value that the schema applies to.
    is_in_place: bool,
}

/// The pieces that cannot be used: those with a fault and whatever refers to them, each with the fault.
fn broken(stock: Stock<'_>, pieces: &[Piece]) -> BTreeMap<Spot, Problem> {
    let mut broken: BTreeMap<Spot, Problem> = BTreeMap::new();
    let mut above: BTreeMap<&Spot, Vec<&Spot>> = BTreeMap::new();
    for piece in pieces {
        for target in &piece.targets {
            above.entry(&target.spot).or_default().push(&piece.spot);
        }
    }
    let faults = pieces.iter().filter_map(|piece| Some((&piece.spot, piece.schema.as_ref().err()?.clone())));
    let circles = circular(pieces).into_iter().map(|spot| {
        let text = "this schema includes itself without end; break the circle of references or allOf";
        (spot, Problem::new(stock.shelf.spelled(spot), text))
    });
    let mut open: Vec<(&Spot, Problem)> = faults.chain(circles).collect();
    while let Some((spot, problem)) = open.pop() {
        if broken.contains_key(spot) {
            continue;
        }
        open.extend(above.get(spot).into_iter().flatten().map(|above| (*above, problem.clone())));
        broken.insert(spot.clone(), problem);
    }
    broken
}

/// The pieces that apply to a value because they apply to it: no validator comes to an end there.
fn circular(pieces: &[Piece]) -> Vec<&Spot> {
    let place: BTreeMap<&Spot, usize> =
        pieces.iter().enumerate().map(|(at, piece)| (&piece.spot, at)).collect();
    let next = |at: usize| {
        let inner = pieces[at].targets.iter().filter(|target| target.is_in_place);
        inner.filter_map(|target| place.get(&target.spot).copied()).collect::<Vec<usize>>()
    };
    // Those from which every way in place comes to an end are taken away, layer by layer; circles are left.
    let mut waits: Vec<usize> = (0..pieces.len()).map(|at| next(at).len()).collect();
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); pieces.len()];
    (0..pieces.len()).for_each(|at| next(at).into_iter().for_each(|inner| above[inner].push(at)));
    let mut ended: Vec<usize> = (0..pieces.len()).filter(|at| waits[*at] == 0).collect();
    while let Some(at) = ended.pop() {
        for outer in &above[at] {
            waits[*outer] -= 1;
            if waits[*outer] == 0 {
                ended.push(*outer);
            }
        }
    }
    (0..pieces.len()).filter(|at| waits[*at] > 0).map(|at| &pieces[at].spot).collect()
}

/// Puts pieces together into a document.
fn bound(stock: Stock<'_>, roots: &[Spot], mut pieces: Vec<Piece>) -> (Document, Vec<Pointer>) {
    // What stands higher comes first: places inside of it are there already then.
    pieces.sort_by_cached_key(|piece| {
        (piece.spot.volume, piece.spot.pointer.tokens().count(), piece.spot.clone())
    });
    let mut volumes: Vec<Value> = vec![json!({}); stock.shelf.volumes.len()];
    for Piece { spot, schema, targets: _ } in pieces {
        if let Ok(schema) = schema {
            put(&mut volumes[spot.volume], &spot.pointer, schema);
        }
    }
    let mut pointers = Vec::with_capacity(roots.len());
    for (at, root) in roots.iter().enumerate() {
        if root.volume == 0 {
            pointers.push(root.pointer.clone());
            continue;
        }
        let pointer = Pointer::root().child(ROOTS).child(&at.to_string());
        put(&mut volumes[0], &pointer, json!({ "$ref": stock.shelf.reference(0, root) }));
        pointers.push(pointer);
    }
    let mut volumes = stock.shelf.volumes.iter().zip(volumes);
    let (own, root) = volumes.next().expect("there is always the user's own document");
    let supplied = volumes.filter(|(_, value)| value.as_object().is_none_or(|all| !all.is_empty()));
    let document = Document {
        root: Arc::new(root),
        dialect: Dialect::Draft202012,
        base: own.address.clone(),
        supplied: Arc::new(supplied.map(|(volume, value)| (volume.address.clone(), value)).collect()),
        notes: Vec::new(),
        limits: stock.limits.clone(),
        stricter: None,
    };
    (document, pointers)
}

/// Puts a schema at its place; holders that are not there are made as objects, whose members pointers name just as well
/// as the items of a list.
fn put(root: &mut Value, pointer: &Pointer, piece: Value) -> Option<()> {
    let mut value = root;
    let tokens: Vec<String> = pointer.tokens().collect();
    let Some((last, holders)) = tokens.split_last() else {
        *value = piece;
        return Some(());
    };
    for token in holders {
        value = match value {
            Value::Object(members) => members.entry(token.as_str()).or_insert_with(|| json!({})),
            Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    match value {
        Value::Object(members) => {
            // A schema read inside a larger one is there already and says the same.
            members.entry(last.as_str()).or_insert(piece);
            Some(())
        }
        Value::Array(items) => items.get(last.parse::<usize>().ok()?).map(|_| ()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
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
const SINGLE: &[&str] = &[
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
const LISTS: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords that hold schemas by name.
const MAPS: &[&str] = &["properties", "patternProperties", "dependentSchemas"];
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
];

struct Cutter<'a> {
    stock: Stock<'a>,
    direction: Direction,
    is_strict: bool,
    /// What the schema that is being read refers to.
    open: Vec<Target>,
}

impl Cutter<'_> {
    /// Everything that the roots reach.
    fn pieces(mut self, roots: &[Spot]) -> Vec<Piece> {
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
        let shelf = self.stock.shelf;
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
        let members = match (self.stock.version, reference) {
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
        let Some(keyword) = self.direction.barred() else { return };
        let Some(Value::Object(members)) = schema.get("properties") else { return };
        let is_barred = |name: &String| {
            let spot = spot.child("properties").child(name);
            let settled = self.stock.shelf.settle(&spot).ok();
            let says = |value: &Value| value.get(keyword) == Some(&Value::Bool(true));
            says(&members[name]) || settled.is_some_and(|(_, value)| says(value))
        };
        let barred: Vec<&String> = members.keys().filter(|name| is_barred(name)).collect();
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
