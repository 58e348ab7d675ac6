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

/// Replaces one value of the instance by an example, in some of the calls, where the result is still valid.
pub(crate) fn add_example(
    contract: &Contract,
    value: &mut Value,
    draw: &mut Draw,
    is_valid: impl FnOnce(&Value) -> bool,
) {
    if !draw.chance(PERCENT) {
        return;
    }
    let Some((pointer, example)) = replacement(contract, value, draw) else { return };
    let Some(place) = value.pointer_mut(pointer.as_str()) else { return };
    let before = std::mem::replace(place, example.clone());
    if !is_valid(value)
        && let Some(place) = value.pointer_mut(pointer.as_str())
    {
        *place = before;
    }
}

/// Where in the instance an example fits, and which.
fn replacement<'a>(contract: &'a Contract, value: &Value, draw: &mut Draw) -> Option<(Pointer, &'a Value)> {
    let Places { steps, found } = places(contract, value);
    let (step, node) = draw.pick(&found)?;
    // As a whole instance an example would soon repeat.
    if *step == ROOT && !draw.chance(10) {
        return None;
    }
    let known: Vec<&Value> = contract.node(*node).keywords().into_iter().flat_map(examples).collect();
    let example = *draw.pick(&known)?;
    Some((pointer(&steps, *step), example))
}

fn examples(keywords: &Keywords) -> impl Iterator<Item = &Value> {
    keywords.examples.iter().chain(&keywords.default)
}

/// The ways into an instance that were walked, and where they came upon examples.
struct Places<'a> {
    steps: Vec<Step<'a>>,
    found: Vec<(usize, NodeId)>,
}

/// One step into an instance: from which other step, and where to.
struct Step<'a> {
    from: usize,
    to: To<'a>,
}

enum To<'a> {
    Root,
    Member(&'a str),
    Item(usize),
}

/// The number of the step that goes nowhere.
const ROOT: usize = 0;

fn pointer(steps: &[Step<'_>], step: usize) -> Pointer {
    let Step { from, to } = &steps[step];
    match to {
        To::Root => Pointer::root(),
        To::Member(name) => pointer(steps, *from).child(name),
        To::Item(index) => pointer(steps, *from).item(*index),
    }
}

/// Places in the instance whose schema has examples, found by walking both together.
fn places<'a>(contract: &'a Contract, value: &'a Value) -> Places<'a> {
    let mut steps = vec![Step { from: ROOT, to: To::Root }];
    let mut found = Vec::new();
    let mut open: Vec<(&Value, usize, NodeId, u32)> =
        contract.roots().first().map(|root| (value, ROOT, *root, 0)).into_iter().collect();
    // The hops bound circles of references that stay on one value.
    while let Some((value, step, node, hops)) = open.pop() {
        if found.len() >= MOST_PLACES || open.len() > 4 * MOST_PLACES || hops > 8 {
            break;
        }
        let Some(keywords) = contract.node(node).keywords() else { continue };
        if examples(keywords).next().is_some() {
            found.push((step, node));
        }
        let beside = keywords.reference.iter().chain(&keywords.all_of);
        open.extend(beside.map(|beside| (value, step, *beside, hops + 1)));
        let mut enter = |value: &'a Value, to: To<'a>, node: NodeId| {
            steps.push(Step { from: step, to });
            open.push((value, steps.len() - 1, node, 0));
        };
        match value {
            Value::Object(members) if !keywords.properties.is_empty() => {
                // Members mostly stand in the order of the properties, so each is looked for behind the one before.
                let (properties, mut after) = (&keywords.properties, 0);
                for (name, member) in members {
                    let mut turned = properties[after..].iter().chain(&properties[..after]);
                    let Some(ahead) = turned.position(|(known, _)| known == name) else { continue };
                    after = (after + ahead) % properties.len();
                    enter(member, To::Member(name), properties[after].1);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if let Some(node) = keywords.prefix_items.get(index).copied().or(keywords.items) {
                        enter(item, To::Item(index), node);
                    }
                }
            }
            Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Places { steps, found }
}
