//! The walk down: from an object to its members and from an array to its items.

use serde_json::{Map, Value};

use super::{Observer, Walk};
use crate::contract::{Keywords, NodeId};
use crate::coverage::graph::Way;

impl Observer<'_> {
    pub(super) fn members<'v>(
        &mut self,
        id: NodeId,
        keywords: &Keywords,
        value: &'v Value,
        members: &'v Map<String, Value>,
        number: u64,
        walk: &mut Walk<'v>,
    ) {
        for (name, schema) in &keywords.properties {
            if self.is_live[schema.index()]
                && let Some(member) = members.get(name)
            {
                walk.stack.push((*schema, member));
            }
        }
        let wants_patterns = self.wants(id, |way| matches!(way, Way::Pattern(_)));
        let wants_others = self.wants(id, |way| way == Way::Additional);
        let wants_names = self.wants(id, |way| way == Way::Names);
        if wants_patterns || wants_others || wants_names {
            for (name, member) in members {
                let spelled = Value::String(name.clone());
                if let Some(names) = keywords.property_names.filter(|_| wants_names) {
                    // A name is a value that stands nowhere in the instance, so it has a walk of its own.
                    self.walk(names, &spelled, number);
                }
                let mut is_other = !keywords.properties.iter().any(|(known, _)| known == name);
                if wants_patterns || (wants_others && is_other) {
                    for (pattern, schema) in &keywords.pattern_properties {
                        if self.judge.matches(pattern, &spelled) {
                            is_other = false;
                            walk.stack.push((*schema, member));
                        }
                    }
                }
                let others = keywords.additional_properties.filter(|_| wants_others && is_other);
                walk.stack.extend(others.map(|schema| (schema, member)));
            }
        }
        if let Some(rest) = keywords.unevaluated_properties
            && self.is_live[rest.index()]
        {
            let seen = self.seen_members(id, value);
            let unseen = members.iter().filter(|(name, _)| !seen.contains(name.as_str()));
            walk.stack.extend(unseen.map(|(_, member)| (rest, member)));
        }
    }

    pub(super) fn items<'v>(
        &mut self,
        id: NodeId,
        keywords: &Keywords,
        value: &'v Value,
        items: &'v [Value],
        walk: &mut Walk<'v>,
    ) {
        walk.stack.extend(keywords.prefix_items.iter().copied().zip(items));
        if let Some(schema) = keywords.items
            && self.is_live[schema.index()]
        {
            walk.stack.extend(items.iter().skip(keywords.prefix_items.len()).map(|item| (schema, item)));
        }
        if let Some(schema) = keywords.contains
            && self.is_live[schema.index()]
        {
            let fitting = items.iter().filter(|item| self.judge.fits(schema, item));
            walk.stack.extend(fitting.map(|item| (schema, item)));
        }
        if let Some(rest) = keywords.unevaluated_items
            && self.is_live[rest.index()]
        {
            let seen = self.seen_items(id, value);
            let unseen = items.iter().enumerate().filter(|(at, _)| !seen.get(*at).copied().unwrap_or(false));
            walk.stack.extend(unseen.map(|(_, item)| (rest, item)));
        }
    }
}
