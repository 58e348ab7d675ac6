//! Discriminators: which member's value says which schema a value has.
//!
//! A discriminator changes nothing about what is valid, so it is no part of the contract's own reading. It is part of the
//! stricter one: what is drawn names the schema it was drawn for, as readers of such values expect.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::openapi::shelf::{Shelf, Spot};

/// Schemas that others extend with `allOf` and that tell them apart by a discriminator.
#[derive(Debug, Default)]
pub(crate) struct Families {
    heirs: BTreeMap<Spot, Vec<(Spot, Value)>>,
}

impl Families {
    /// Finds them among the named schemas of every document.
    pub(crate) fn of(shelf: &Shelf) -> Self {
        let mut families = Self::default();
        for (spot, schema) in named_schemas(shelf) {
            let parents = schema.get("allOf").and_then(Value::as_array);
            for (index, part) in parents.into_iter().flatten().enumerate() {
                let Some(reference) = part.get("$ref").and_then(Value::as_str) else { continue };
                let Ok(parent) = shelf.follow(&spot.child("allOf").item(index), reference) else { continue };
                let Some(base) = shelf.find(&parent) else { continue };
                let has_choices = base.get("oneOf").is_some() || base.get("anyOf").is_some();
                if let Some(demand) = demand(shelf, &parent, base, &spot).filter(|_| !has_choices) {
                    families.heirs.entry(parent).or_default().push((spot.clone(), demand));
                }
            }
        }
        families
    }

    /// The schemas that extend the one at a place, each with what its values must say; none when it has no heirs.
    pub(crate) fn heirs(&self, base: &Spot) -> &[(Spot, Value)] {
        self.heirs.get(base).map(Vec::as_slice).unwrap_or_default()
    }
}

fn named_schemas(shelf: &Shelf) -> Vec<(Spot, &Value)> {
    let mut found = Vec::new();
    for volume in 0..shelf.volumes.len() {
        let root = Spot { volume, pointer: crate::json::Pointer::root() };
        let holder = root.child("components").child("schemas");
        let Some(Value::Object(schemas)) = shelf.find(&holder) else { continue };
        found.extend(schemas.iter().map(|(name, schema)| (holder.child(name), schema)));
    }
    found
}

/// What a value of the schema at `target` must say for the discriminator of the schema at `holder`; nothing when there
/// is no discriminator, or when the target's own values contradict it.
pub(crate) fn demand(shelf: &Shelf, holder: &Spot, schema: &Value, target: &Spot) -> Option<Value> {
    let discriminator = schema.get("discriminator")?;
    let member = discriminator.get("propertyName").and_then(Value::as_str)?;
    let mapping = discriminator.get("mapping").and_then(Value::as_object);
    let mapped = mapping.into_iter().flatten().filter(|(_, named)| {
        named.as_str().and_then(|named| mapped_to(shelf, holder, named)).as_ref() == Some(target)
    });
    let mut names: Vec<String> = mapped.map(|(value, _)| value.clone()).collect();
    if names.is_empty() {
        // Without a mapping the name of the schema is the value.
        names.extend(target.pointer.tokens().last());
    }
    if let Some(own) = listed(shelf, target, member, &mut { LOOKS }) {
        names.retain(|name| own.iter().any(|value| value.as_str() == Some(name)));
        if names.is_empty() {
            return None;
        }
    }
    Some(json!({"type": "object", "required": [member], "properties": {member: {"enum": names}}}))
}

/// Where the value of a mapping leads: a reference, or the name of a schema.
fn mapped_to(shelf: &Shelf, holder: &Spot, named: &str) -> Option<Spot> {
    let root = Spot { volume: holder.volume, pointer: crate::json::Pointer::root() };
    let by_name = root.child("components").child("schemas").child(named);
    if shelf.find(&by_name).is_some() {
        return Some(by_name);
    }
    shelf.follow(holder, named).ok()
}

/// Schemas that are looked at for the values of one member.
const LOOKS: u32 = 64;

/// The values that a schema itself lists for a member, when it does.
fn listed(shelf: &Shelf, spot: &Spot, member: &str, looks: &mut u32) -> Option<Vec<Value>> {
    *looks = looks.checked_sub(1)?;
    let (spot, schema) = shelf.settle(spot).ok()?;
    let own = spot.child("properties").child(member);
    if schema.get("properties").and_then(|all| all.get(member)).is_some() {
        let (_, own) = shelf.settle(&own).ok()?;
        let constant = own.get("const").map(|value| vec![value.clone()]);
        if let Some(values) = own.get("enum").and_then(Value::as_array).cloned().or(constant) {
            return Some(values);
        }
    }
    let n_parts = schema.get("allOf").and_then(Value::as_array).map_or(0, Vec::len);
    (0..n_parts).find_map(|index| listed(shelf, &spot.child("allOf").item(index), member, looks))
}
