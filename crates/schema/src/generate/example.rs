//! The user's own `default` and `examples`, used now and then where the instance has a place for them.

use serde_json::Value;

use crate::contract::{Contract, Keywords, NodeId};
use crate::draw::Draw;
use crate::json::Pointer;

/// Instances, of a hundred, in which one value is replaced by an example.
const PERCENT: u64 = 12;
/// Places looked at before one is picked.
const MOST_PLACES: usize = 64;

/// Whether the contract has any example to use.
pub(crate) fn has_examples(contract: &Contract) -> bool {
    contract
        .nodes()
        .iter()
        .filter_map(|node| node.keywords())
        .any(|keywords| examples(keywords).next().is_some())
}

/// The instance with one value replaced by an example, in some of the calls; the caller judges the result.
pub(crate) fn with_example(contract: &Contract, value: &Value, draw: &mut Draw) -> Option<Value> {
    if !draw.chance(PERCENT) {
        return None;
    }
    let places = places(contract, value);
    let (pointer, node) = draw.pick(&places)?;
    // As a whole instance an example would soon repeat.
    if pointer.as_str().is_empty() && !draw.chance(10) {
        return None;
    }
    let known: Vec<&Value> = contract.node(*node).keywords().into_iter().flat_map(examples).collect();
    let example = draw.pick(&known)?;
    let mut replaced = value.clone();
    *replaced.pointer_mut(pointer.as_str())? = (*example).clone();
    Some(replaced)
}

fn examples(keywords: &Keywords) -> impl Iterator<Item = &Value> {
    keywords.examples.iter().chain(&keywords.default)
}

/// Places in the instance whose schema has examples, found by walking both together.
fn places(contract: &Contract, value: &Value) -> Vec<(Pointer, NodeId)> {
    let mut found = Vec::new();
    let mut open: Vec<(&Value, Pointer, NodeId, u32)> =
        contract.roots().first().map(|root| (value, Pointer::root(), *root, 0)).into_iter().collect();
    // The hops bound circles of references that stay on one value.
    while let Some((value, pointer, node, hops)) = open.pop() {
        if found.len() >= MOST_PLACES || open.len() > 4 * MOST_PLACES || hops > 8 {
            break;
        }
        let Some(keywords) = contract.node(node).keywords() else { continue };
        if examples(keywords).next().is_some() {
            found.push((pointer.clone(), node));
        }
        let beside = keywords.reference.iter().chain(&keywords.all_of);
        open.extend(beside.map(|beside| (value, pointer.clone(), *beside, hops + 1)));
        match value {
            Value::Object(members) => open.extend(keywords.properties.iter().filter_map(|(name, node)| {
                members.get(name).map(|member| (member, pointer.child(name), *node, 0))
            })),
            Value::Array(items) => {
                let rule = |index: usize| keywords.prefix_items.get(index).copied().or(keywords.items);
                open.extend(items.iter().enumerate().filter_map(|(index, item)| {
                    rule(index).map(|node| (item, pointer.item(index), node, 0))
                }));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}
