//! The names a closed object can have: declared ones, and those its patterns spell out.
//!
//! The one source of truth for undeclared names of closed objects.

use std::collections::BTreeSet;

use crate::contract::{Body, Contract, Keywords};
use crate::text::{TextLimits, TextSampler, TextShape};

/// Most names listed for one object; a longer list counts as endless.
pub const NAME_LIST: usize = 64;

/// A pattern that needs more than this spells out no short list.
const NAME_LIMITS: TextLimits = TextLimits { max_length: 200, max_states: 2_000 };

/// The names that one object schema allows, when it is closed.
#[derive(Debug)]
pub struct NameIndex {
    names: Option<BTreeSet<String>>,
    declared: BTreeSet<String>,
}

impl NameIndex {
    /// The index of a node's own keywords.
    #[must_use]
    pub fn of(contract: &Contract, keywords: &Keywords) -> Self {
        let declared: BTreeSet<String> = keywords.properties.iter().map(|(name, _)| name.clone()).collect();
        let is_nothing = |id| matches!(contract.node(id).body, Body::Nothing);
        let is_closed = keywords.additional_properties.is_some_and(is_nothing);
        if !is_closed {
            return Self { names: None, declared };
        }
        let mut names: Option<BTreeSet<String>> = Some(BTreeSet::new());
        for (pattern, schema) in &keywords.pattern_properties {
            if is_nothing(*schema) {
                continue;
            }
            names = match (names, spelled_out(pattern)) {
                (Some(mut names), Some(more)) if names.len() + more.len() <= NAME_LIST => {
                    names.extend(more);
                    Some(names)
                }
                (Some(_) | None, Some(_) | None) => None,
            };
        }
        let barred = |name: &String| {
            keywords.properties.iter().any(|(declared, schema)| declared == name && is_nothing(*schema))
                || keywords
                    .pattern_properties
                    .iter()
                    .any(|(pattern, schema)| is_nothing(*schema) && may_match(pattern, name))
        };
        let names = names.map(|names| {
            names.into_iter().chain(declared.iter().cloned()).filter(|name| !barred(name)).collect()
        });
        // Names have a schema of their own here; which of them fit it is a question for the oracle, not for a list.
        let names = names.filter(|_| keywords.property_names.is_none());
        Self { names, declared }
    }

    /// Whether the object can have the name; `None` when the names cannot be listed.
    #[must_use]
    pub fn has(&self, name: &str) -> Option<bool> {
        self.names.as_ref().map(|names| names.contains(name))
    }

    /// Every name the object can have, sorted; `None` when they cannot be listed.
    #[must_use]
    pub fn enumerate(&self) -> Option<Vec<String>> {
        self.names.as_ref().map(|names| names.iter().cloned().collect())
    }

    /// Whether `properties` has the name.
    #[must_use]
    pub fn is_declared(&self, name: &str) -> bool {
        self.declared.contains(name)
    }
}

/// The names of a pattern, when they are few.
fn spelled_out(pattern: &str) -> Option<Vec<String>> {
    let shape = TextShape { patterns: vec![pattern.to_owned()], ..TextShape::default() };
    let text = TextSampler::compile(&shape, &NAME_LIMITS).ok()?;
    text.enumerate(NAME_LIST).filter(|_| text.is_exact())
}

/// Whether a pattern could match a name; true when in doubt.
fn may_match(pattern: &str, name: &str) -> bool {
    let shape = TextShape { patterns: vec![pattern.to_owned()], ..TextShape::default() };
    TextSampler::compile(&shape, &NAME_LIMITS).ok().and_then(|text| text.matches(name)).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, ReadOptions};
    use serde_json::{Value, json};

    #[track_caller]
    fn check(schema: Value, expected: Option<&[&str]>) {
        let document = Document::of_value(schema, &ReadOptions::default()).expect("a schema");
        let contract = Contract::of(&document).expect("a contract");
        let keywords = contract.node(contract.roots()[0]).keywords().expect("keywords");
        let index = NameIndex::of(&contract, keywords);
        assert_eq!(
            index.enumerate(),
            expected.map(|names| names.iter().map(|name| (*name).to_owned()).collect())
        );
        for name in expected.unwrap_or_default() {
            assert_eq!(index.has(name), Some(true), "{name}");
        }
    }

    #[test]
    fn a_closed_object_lists_its_declared_names_and_those_its_patterns_spell_out() {
        let schema = json!({
            "properties": {"a": {}, "no": false},
            "patternProperties": {"^(left|right)$": {}, "^up$": {}},
            "additionalProperties": false,
        });
        check(schema, Some(&["a", "left", "right", "up"]));
    }

    #[test]
    fn an_endless_pattern_or_an_open_object_has_no_list() {
        check(json!({"patternProperties": {"^x-": {}}, "additionalProperties": false}), None);
        check(json!({"patternProperties": {"^a|b$": {}}, "additionalProperties": false}), None);
        check(json!({"properties": {"a": {}}}), None);
        let schema = json!({"properties": {"a": {}}, "additionalProperties": false, "propertyNames": {"minLength": 2}});
        check(schema, None);
    }

    #[test]
    fn a_name_that_a_false_pattern_bars_is_not_there() {
        let schema = json!({
            "patternProperties": {"^(left|right)$": {}, "^left$": false},
            "additionalProperties": false,
        });
        check(schema, Some(&["right"]));
    }
}
