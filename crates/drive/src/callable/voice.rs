//! Which nodes of a contract speak about one place of an instance.

use std::collections::BTreeSet;

use probity_schema::{Contract, Keywords, NodeId, Pointer, same};
use serde_json::Value;

use crate::callable::Kind;

/// A node that speaks about a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Voice {
    pub(crate) node: NodeId,
    /// Whether it holds there in any case; a branch of a choice does not.
    pub(crate) is_binding: bool,
}

/// The voices at the root of the arguments.
pub(crate) fn at_root(contract: &Contract) -> Vec<Voice> {
    contract.roots().first().map(|root| Voice { node: *root, is_binding: true }).into_iter().collect()
}

/// The voices together with what they say through references and compositions about the same value.
pub(crate) fn spelled_out<'a>(contract: &'a Contract, voices: &[Voice]) -> Vec<(Voice, &'a Keywords)> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<Voice> = voices.iter().rev().copied().collect();
    while let Some(voice) = open.pop() {
        let Some(keywords) = contract.node(voice.node).keywords().filter(|_| seen.insert(voice)) else {
            continue;
        };
        found.push((voice, keywords));
        let same = keywords.reference.iter().chain(&keywords.dynamic_reference).chain(&keywords.all_of);
        open.extend(same.map(|node| Voice { node: *node, ..voice }));
        let branches = keywords.any_of.iter().chain(&keywords.one_of);
        let branches = branches.chain(&keywords.consequence).chain(&keywords.alternative);
        let branches = branches.chain(keywords.dependent_schemas.iter().map(|(_, node)| node));
        open.extend(branches.map(|node| Voice { node: *node, is_binding: false }));
    }
    found
}

/// What the voices at an object say about one of its members.
pub(crate) fn of_member(spelled: &[(Voice, &Keywords)], name: &str) -> Vec<Voice> {
    let mut voices = Vec::new();
    for (voice, keywords) in spelled {
        let known = keywords.properties.iter().find(|(known, _)| known == name);
        if let Some((_, node)) = known {
            voices.push(Voice { node: *node, is_binding: voice.is_binding });
            continue;
        }
        // Whether a pattern matches is the judge's business; here it may.
        let loose = keywords.pattern_properties.iter().map(|(_, node)| node);
        voices.extend(loose.map(|node| Voice { node: *node, is_binding: false }));
        let additional = keywords.additional_properties.iter();
        let is_binding = voice.is_binding && keywords.pattern_properties.is_empty();
        voices.extend(additional.map(|node| Voice { node: *node, is_binding }));
    }
    voices
}

/// What the voices at an array say about one of its elements.
pub(crate) fn of_item(spelled: &[(Voice, &Keywords)], index: usize) -> Vec<Voice> {
    let voices = spelled.iter().filter_map(|(voice, keywords)| {
        let node = keywords.prefix_items.get(index).copied().or(keywords.items)?;
        Some(Voice { node, ..*voice })
    });
    voices.collect()
}

/// Whether a voice names the member, so that its name is not made up.
pub(crate) fn is_named(spelled: &[(Voice, &Keywords)], name: &str) -> bool {
    spelled.iter().any(|(_, keywords)| {
        keywords.properties.iter().any(|(known, _)| known == name)
            || keywords.required.iter().any(|known| known == name)
    })
}

/// Whether a voice that holds in any case requires the member.
pub(crate) fn is_required(spelled: &[(Voice, &Keywords)], name: &str) -> bool {
    spelled
        .iter()
        .any(|(voice, keywords)| voice.is_binding && keywords.required.iter().any(|known| known == name))
}

/// The values that voices list for a place.
pub(crate) fn listed<'a>(spelled: &[(Voice, &'a Keywords)]) -> impl Iterator<Item = &'a Value> {
    spelled.iter().flat_map(|(_, keywords)| keywords.enumeration.iter().flatten().chain(&keywords.constant))
}

/// Whether the value is one that a voice lists: such values come from the schema.
pub(crate) fn is_listed(spelled: &[(Voice, &Keywords)], value: &Value) -> bool {
    listed(spelled).any(|known| same(known, value))
}

/// The set a sourced number or string is taken from; nothing for other values.
pub(crate) fn kind(spelled: &[(Voice, &Keywords)], value: &Value) -> Option<Kind> {
    match value {
        Value::String(_) => Some(Kind::String),
        Value::Number(_) => {
            let binding = spelled.iter().filter(|(voice, _)| voice.is_binding);
            let mut types = binding.flat_map(|(_, keywords)| &keywords.types).peekable();
            let is_integer = types.peek().is_some() && types.clone().any(|name| name == "integer");
            let is_number = types.any(|name| name == "number");
            Some(if is_integer && !is_number { Kind::Integer } else { Kind::Number })
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The values listed for the place at a pointer.
pub(crate) fn listed_at(contract: &Contract, arguments: &Value, at: &Pointer) -> Vec<Value> {
    let mut voices = at_root(contract);
    let mut place = arguments;
    for token in at.tokens() {
        let spelled = spelled_out(contract, &voices);
        (voices, place) = match place {
            Value::Object(members) => match members.get(&token) {
                Some(member) => (of_member(&spelled, &token), member),
                None => return Vec::new(),
            },
            Value::Array(items) => {
                match token.parse::<usize>().ok().and_then(|at| Some((at, items.get(at)?))) {
                    Some((index, item)) => (of_item(&spelled, index), item),
                    None => return Vec::new(),
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Vec::new(),
        };
    }
    listed(&spelled_out(contract, &voices)).cloned().collect()
}
