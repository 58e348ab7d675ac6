//! All documents of an API with every place in them, and where a reference leads.
//!
//! References may stand anywhere and lead into the user's own document or into one that was supplied; nothing is fetched.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::document::{decoded, each_schema, each_subschema, resolve_uri, told_beside};
use crate::json::Pointer;
use crate::nearest::nearest;
use crate::openapi::problem::Problem;
use crate::validate::fragment;

/// A place in one of the documents; the user's own is number zero.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) volume: usize,
    pub(crate) pointer: Pointer,
}

impl Spot {
    pub(crate) fn child(&self, token: &str) -> Self {
        Self { volume: self.volume, pointer: self.pointer.child(token) }
    }

    pub(crate) fn item(&self, index: usize) -> Self {
        Self { volume: self.volume, pointer: self.pointer.item(index) }
    }
}

/// One document with its address.
#[derive(Debug)]
pub(crate) struct Volume {
    pub(crate) address: String,
    pub(crate) root: Value,
}

/// All documents.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) volumes: Vec<Volume>,
    /// Places with an identifier or anchor of their own, by absolute address.
    named: BTreeMap<String, Spot>,
}

impl Shelf {
    pub(crate) fn of(volumes: Vec<Volume>) -> Self {
        let mut places = BTreeMap::new();
        for (volume, Volume { address, root }) in volumes.iter().enumerate() {
            // The first one to take a name keeps it.
            let mut named = |name, pointer| {
                places.entry(name).or_insert(Spot { volume, pointer });
            };
            each_schema(root, &Pointer::root(), &mut |schema, at| {
                name_places(schema, address, at, &mut named);
            });
        }
        Self { volumes, named: places }
    }

    pub(crate) fn find(&self, spot: &Spot) -> Option<&Value> {
        spot.pointer.find(&self.volumes[spot.volume].root)
    }

    /// The place as reports spell it: a pointer, with the address in front when it is not the user's own document.
    pub(crate) fn spelled(&self, spot: &Spot) -> String {
        if spot.volume == 0 {
            return spot.pointer.to_string();
        }
        let address = told_beside(&self.volumes[0].address, &self.volumes[spot.volume].address);
        format!("{address}{}", spot.pointer)
    }

    /// The place as a reference from a document spells it.
    pub(crate) fn reference(&self, from: usize, to: &Spot) -> String {
        let address = if from == to.volume { "" } else { self.volumes[to.volume].address.as_str() };
        format!("{address}#{}", fragment(&to.pointer))
    }

    /// Where the object at a place really stands, after every `$ref` that stands in its stead.
    pub(crate) fn settle(&self, spot: &Spot) -> Result<(Spot, &Value), Problem> {
        let mut spot = spot.clone();
        let mut seen = BTreeSet::new();
        loop {
            let value = self
                .find(&spot)
                .ok_or_else(|| Problem::new(self.spelled(&spot), "there is nothing here; write an object"))?;
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Ok((spot, value)) };
            if !seen.insert(spot.clone()) {
                let text = "this reference only leads back to itself; refer to an object";
                return Err(Problem::new(self.spelled(&spot), text));
            }
            spot = self.follow(&spot, reference)?;
        }
    }

    /// Where a reference that stands at a place leads.
    pub(crate) fn follow(&self, from: &Spot, reference: &str) -> Result<Spot, Problem> {
        let at = || self.spelled(&from.child("$ref"));
        if let (true, Some(local)) = (self.named.is_empty(), reference.strip_prefix('#'))
            && let Some(pointer) = decoded(local).as_deref().and_then(Pointer::parse)
        {
            let spot = Spot { volume: from.volume, pointer };
            return if self.find(&spot).is_some() {
                Ok(spot)
            } else {
                Err(self.dangling(at(), reference, &spot))
            };
        }
        let base = self.base_of(from);
        let target = resolve_uri(&base, reference).ok_or_else(|| {
            Problem::new(
                at(),
                format!(
                    "{reference:?} is not a reference; write something like \"#/components/schemas/Pet\""
                ),
            )
        })?;
        let (address, place) = target.split_once('#').unwrap_or((&target, ""));
        let Some(document) = self.document(address) else {
            return Err(Problem::new(
                at(),
                format!(
                    "{reference:?} leads to {address}, and nothing is fetched; \
                     supply that document with --ref {address}=FILE or --ref-dir DIR"
                ),
            ));
        };
        let Some(below) = decoded(place).as_deref().and_then(Pointer::parse) else {
            let named = self.named.get(&target).cloned();
            return named.ok_or_else(|| {
                Problem::new(at(), format!("{reference:?} is not there: nothing has that anchor"))
            });
        };
        let pointer = below.tokens().fold(document.pointer, |pointer, token| pointer.child(&token));
        let spot = Spot { volume: document.volume, pointer };
        if self.find(&spot).is_some() { Ok(spot) } else { Err(self.dangling(at(), reference, &spot)) }
    }

    fn document(&self, address: &str) -> Option<Spot> {
        let known = self.volumes.iter().position(|volume| volume.address.trim_end_matches('#') == address);
        let known = known.map(|volume| Spot { volume, pointer: Pointer::root() });
        known.or_else(|| self.named.get(address).cloned())
    }

    /// What relative references at a place start from.
    fn base_of(&self, spot: &Spot) -> String {
        let Volume { address, root } = &self.volumes[spot.volume];
        let (mut base, mut value) = (address.clone(), root);
        for token in spot.pointer.tokens() {
            if let Some(id) = value.get("$id").and_then(Value::as_str) {
                base = resolve_uri(&base, id).unwrap_or(base);
            }
            let next = match value {
                Value::Object(members) => members.get(&token),
                Value::Array(items) => token.parse::<usize>().ok().and_then(|index| items.get(index)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
            };
            let Some(next) = next else { return base };
            value = next;
        }
        match value.get("$id").and_then(Value::as_str) {
            Some(id) => resolve_uri(&base, id).unwrap_or(base),
            None => base,
        }
    }

    fn dangling(&self, at: String, reference: &str, spot: &Spot) -> Problem {
        let mut tokens: Vec<String> = spot.pointer.tokens().collect();
        let last = tokens.pop().unwrap_or_default();
        let parent = tokens.iter().fold(Pointer::root(), |pointer, token| pointer.child(token));
        let parent = Spot { volume: spot.volume, pointer: parent };
        let names =
            self.find(&parent).and_then(Value::as_object).into_iter().flat_map(|members| members.keys());
        let nearest = nearest(names.map(String::as_str), &last).map(|name| parent.child(name));
        // As it would be written here, unless the document is a part of another.
        let (address, place) = reference.split_once('#').unwrap_or((reference, ""));
        let is_whole =
            decoded(place).and_then(|place| Pointer::parse(&place)).as_ref() == Some(&spot.pointer);
        let written = |near: Spot| {
            if is_whole { format!("{address}{}", near.pointer) } else { self.spelled(&near) }
        };
        let hint = nearest.map(|near| format!("; the nearest name is {:?}", written(near)));
        Problem::new(at, format!("{reference:?} is not there{}", hint.unwrap_or_default()))
    }
}

/// Finds the schemas with an identifier or anchor of their own, by absolute address.
fn name_places(
    schema: &Map<String, Value>,
    base: &str,
    at: &Pointer,
    named: &mut dyn FnMut(String, Pointer),
) {
    let id = schema.get("$id").and_then(Value::as_str).and_then(|id| resolve_uri(base, id));
    let base = id.as_deref().unwrap_or(base);
    if id.is_some() {
        named(base.trim_end_matches('#').to_owned(), at.clone());
    }
    for keyword in ["$anchor", "$dynamicAnchor"] {
        if let Some(anchor) = schema.get(keyword).and_then(Value::as_str) {
            named(format!("{}#{anchor}", base.trim_end_matches('#')), at.clone());
        }
    }
    each_subschema(schema, at, &mut |inner, at| name_places(inner, base, at, named));
}
