//! The structure dimension: was this subschema ever met, was this optional member ever there.

use crate::contract::{Body, Contract, NodeId};
use crate::coverage::name_index::NameIndex;
use crate::coverage::target::{Aim, Target};

/// Adds `SCHEMA_NODE` and `PROPERTY_PRESENT` of one node.
///
/// A member is optional unless the same node requires it. A closed object's undeclared names come from its name
/// index and from nowhere else.
pub(crate) fn targets(contract: &Contract, id: NodeId, out: &mut Vec<Target>) {
    let node = contract.node(id);
    out.push(Target::new(id, &node.path, Aim::Node));
    let Some(keywords) = node.keywords() else { return };
    let is_required = |name: &str| keywords.required.iter().any(|required| required == name);
    let takes_objects = super::takes(keywords, "object");
    for (name, schema) in &keywords.properties {
        if is_required(name) {
            continue;
        }
        let target = Target::new(id, &node.path, Aim::Member { name: name.clone(), is_declared: true });
        out.push(if matches!(contract.node(*schema).body, Body::Nothing) {
            target.unreachable("the member's schema is false")
        } else if takes_objects {
            target
        } else {
            target.unreachable("the type leaves out objects")
        });
    }
    let index = NameIndex::of(contract, keywords);
    for name in index.enumerate().unwrap_or_default() {
        if index.is_declared(&name) || is_required(&name) {
            continue;
        }
        out.push(Target::new(id, &node.path, Aim::Member { name, is_declared: false }));
    }
}
