//! Violations into the smallest edits: for what composing could not say exactly.
//!
//! An edit is kept only when it leaves fewer violations; a value that breaks nothing is never touched.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::compose::compose;
use crate::document::Document;
use crate::draw::Draw;
use crate::generate::{Chance, ROOMY, instance};
use crate::json::{Pointer, fingerprint};
use crate::sampler::{Sampler, Setting, Spread};
use crate::validate::{Oracle, Violation};

/// Rounds of edits for one instance.
const ROUNDS: usize = 12;
/// Violations looked at in one round.
const MOST_VIOLATIONS: usize = 256;
/// Violations that are edited against one by one.
const MOST_TRIED: usize = 24;
/// Violations from which on all are edited against at once.
const MANY: usize = 4;
/// Draws for a replacement of the same type.
const ALIKE_TRIES: u32 = 12;
/// Replacements against one violation.
const DRAWS: u64 = 4;

/// What mending needs: the contract, and samplers for the parts of it that were broken so far.
#[derive(Debug)]
pub(crate) struct Mender {
    document: Document,
    setting: Setting,
    parts: Mutex<BTreeMap<Pointer, Option<Arc<Sampler>>>>,
}

/// An instance after mending.
pub(crate) struct Mended {
    pub(crate) value: Value,
    /// Edits that were kept.
    pub(crate) n_edits: u64,
    /// What is still broken.
    pub(crate) violations: Vec<Violation>,
}

impl Mender {
    pub(crate) fn new(document: Document, setting: Setting) -> Self {
        Self { document, setting, parts: Mutex::new(BTreeMap::new()) }
    }

    /// Mends an instance as far as it goes.
    pub(crate) fn mend(&self, value: Value, oracle: &Oracle, draw: &mut Draw) -> Mended {
        let violations = oracle.violations(&value, MOST_VIOLATIONS);
        let mut best = Mended { value, n_edits: 0, violations };
        for _ in 0..ROUNDS {
            if best.violations.is_empty() {
                break;
            }
            let better = self.all_at_once(&best, oracle, draw).or_else(|| self.better(&best, oracle, draw));
            let Some(better) = better else { break };
            best = better;
        }
        best
    }

    /// One edit against each of many violations, if fewer are left then.
    fn all_at_once(&self, now: &Mended, oracle: &Oracle, draw: &mut Draw) -> Option<Mended> {
        if now.violations.len() < MANY {
            return None;
        }
        let mut value = now.value.clone();
        let edits = now.violations.iter().filter_map(|violation| self.edit(&mut value, violation, 0, draw));
        let n_edits = now.n_edits + edits.count() as u64;
        let violations = oracle.violations(&value, MOST_VIOLATIONS);
        (violations.len() < now.violations.len()).then_some(Mended { value, n_edits, violations })
    }

    /// The first edit that leaves fewer violations.
    fn better(&self, now: &Mended, oracle: &Oracle, draw: &mut Draw) -> Option<Mended> {
        for violation in now.violations.iter().take(MOST_TRIED) {
            for attempt in 0..DRAWS {
                let mut value = now.value.clone();
                if self.edit(&mut value, violation, attempt, draw).is_none() {
                    break;
                }
                let violations = oracle.violations(&value, MOST_VIOLATIONS);
                if violations.len() < now.violations.len() {
                    return Some(Mended { value, n_edits: now.n_edits + 1, violations });
                }
            }
        }
        None
    }

    /// Edits an instance against one violation; `None` when nothing can be done about it.
    fn edit(&self, value: &mut Value, violation: &Violation, attempt: u64, draw: &mut Draw) -> Option<()> {
        let place = value.pointer_mut(violation.instance.as_str())?;
        match (violation.keyword.as_str(), &mut *place) {
            (
                "additionalProperties" | "unevaluatedProperties" | "propertyNames" | "maxProperties",
                Value::Object(members),
            ) => {
                drop_members(members, violation, draw)?;
            }
            ("uniqueItems", Value::Array(items)) => {
                let mut seen = std::collections::BTreeSet::new();
                items.retain(|item| seen.insert(fingerprint(item)));
            }
            ("maxItems" | "additionalItems" | "unevaluatedItems", Value::Array(items)) => drop(items.pop()?),
            ("not" | "oneOf" | "maxContains" | "false schema" | "falseSchema", Value::Object(members))
                if attempt.is_multiple_of(2) =>
            {
                let index = draw.index(members.len());
                let name = members.keys().nth(index)?.clone();
                members.shift_remove(&name);
            }
            ("minimum" | "maximum" | "multipleOf", place) if attempt == 1 => {
                // The limit itself satisfies its keyword, also where the limit could not be composed.
                *place = violation.schema.find(&self.document.root)?.clone();
            }
            (_, place) => {
                let drawn = self.replacement(violation, place, draw)?;
                *place = overlaid(place.take(), drawn);
            }
        }
        Some(())
    }

    /// A value that satisfies the subschema whose keyword was broken, of the type that is there already if possible.
    fn replacement(&self, violation: &Violation, place: &Value, draw: &mut Draw) -> Option<Value> {
        let schema = parent(&violation.schema)?;
        let sampler = self.part(&schema)?;
        let is_alike = |value: &Value| std::mem::discriminant(value) == std::mem::discriminant(place);
        let mut drawn = None;
        for _ in 0..ALIKE_TRIES {
            let seed = draw.bits();
            drawn =
                instance(&sampler, &self.setting.limits, ROOMY, Spread::Near, Draw::new(seed), &mut Chance).0;
            if drawn.as_ref().is_none_or(is_alike) {
                break;
            }
        }
        drawn
    }

    /// The sampler of a part of the contract, composed when it is first broken.
    fn part(&self, pointer: &Pointer) -> Option<Arc<Sampler>> {
        if let Some(known) = self.parts.lock().unwrap_or_else(PoisonError::into_inner).get(pointer) {
            return known.clone();
        }
        let composed = compose(&self.document, pointer, self.setting.formats).ok();
        let sampler = composed.map(|composed| Sampler::of(&composed.set, &self.setting));
        let sampler = sampler.filter(Sampler::is_inhabited).map(Arc::new);
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).insert(pointer.clone(), sampler.clone());
        sampler
    }
}

/// Drops the members that a violation names, or any one.
fn drop_members(members: &mut Map<String, Value>, violation: &Violation, draw: &mut Draw) -> Option<()> {
    let named = &violation.members;
    if named.is_empty() {
        let index = draw.index(members.len());
        let name = members.keys().nth(index)?.clone();
        members.shift_remove(&name);
        return Some(());
    }
    members.retain(|name, _| !named.contains(name));
    Some(())
}

/// What was there with the drawn value laid over it: members of both, the drawn ones on top.
fn overlaid(below: Value, above: Value) -> Value {
    match (below, above) {
        (Value::Object(mut below), Value::Object(above)) => {
            for (name, member) in above {
                match below.get_mut(&name) {
                    Some(place) => *place = overlaid(place.take(), member),
                    None => drop(below.insert(name, member)),
                }
            }
            Value::Object(below)
        }
        (_, above) => above,
    }
}

/// The schema that a keyword stands in.
fn parent(keyword: &Pointer) -> Option<Pointer> {
    let text = keyword.as_str();
    Pointer::parse(&text[..text.rfind('/')?])
}
