//! What `unevaluatedProperties` and `unevaluatedItems` leave out: the members and items that something else looks at.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Observer;
use crate::contract::{Keywords, NodeId};

impl Observer<'_> {
    /// The members of an object that a node or anything in place below it looks at, `unevaluatedProperties` of the
    /// node itself aside.
    pub(super) fn seen_members<'v>(&self, id: NodeId, value: &'v Value) -> BTreeSet<&'v str> {
        let mut seen = BTreeSet::new();
        let Value::Object(members) = value else { return seen };
        for node in self.in_place(id, value) {
            let Some(keywords) = self.contract.node(node).keywords() else { continue };
            let sees_all = keywords.additional_properties.is_some()
                || (node != id && keywords.unevaluated_properties.is_some());
            for name in members.keys() {
                let spelled = Value::String(name.clone());
                let is_seen = sees_all
                    || keywords.properties.iter().any(|(known, _)| known == name)
                    || keywords
                        .pattern_properties
                        .iter()
                        .any(|(pattern, _)| self.judge.matches(pattern, &spelled));
                if is_seen {
                    seen.insert(name.as_str());
                }
            }
        }
        seen
    }

    /// For every item of an array, whether a node or anything in place below it looks at it.
    pub(super) fn seen_items(&self, id: NodeId, value: &Value) -> Vec<bool> {
        let Value::Array(items) = value else { return Vec::new() };
        let mut seen = vec![false; items.len()];
        for node in self.in_place(id, value) {
            let Some(keywords) = self.contract.node(node).keywords() else { continue };
            let sees_all = keywords.items.is_some() || (node != id && keywords.unevaluated_items.is_some());
            for (at, item) in items.iter().enumerate() {
                let contains = || keywords.contains.is_some_and(|schema| self.judge.fits(schema, item));
                seen[at] = seen[at] || sees_all || at < keywords.prefix_items.len() || contains();
            }
        }
        seen
    }

    /// The nodes that apply to the value itself: the node and what it leads to in place.
    fn in_place(&self, id: NodeId, value: &Value) -> Vec<NodeId> {
        let mut met = vec![id];
        let mut at = 0;
        while at < met.len() {
            if let Some(keywords) = self.contract.node(met[at]).keywords() {
                for next in self.applied(keywords, value) {
                    if !met.contains(&next) {
                        met.push(next);
                    }
                }
            }
            at += 1;
        }
        met
    }

    fn applied(&self, keywords: &Keywords, value: &Value) -> Vec<NodeId> {
        let always = keywords.reference.iter().chain(&keywords.dynamic_reference).chain(&keywords.all_of);
        let mut next: Vec<NodeId> = always.copied().collect();
        for branches in [&keywords.any_of, &keywords.one_of] {
            next.extend(branches.iter().copied().filter(|branch| self.judge.fits(*branch, value)));
        }
        if let Some(condition) = keywords.condition {
            if self.judge.fits(condition, value) {
                next.push(condition);
                next.extend(keywords.consequence);
            } else {
                next.extend(keywords.alternative);
            }
        }
        if let Value::Object(members) = value {
            let active = keywords.dependent_schemas.iter().filter(|(name, _)| members.contains_key(name));
            next.extend(active.map(|(_, schema)| *schema));
        }
        next
    }
}
