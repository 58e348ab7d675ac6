//! The branches dimension: was every alternative taken, did every condition hold once and fail once.
//!
//! `allOf` has no branch targets of its own.

use std::collections::BTreeMap;

use crate::contract::{Body, Contract, NodeId};
use crate::coverage::target::{Aim, Target};

/// Adds `ONEOF_BRANCH`, `ANYOF_BRANCH` and `CONDITIONAL_PATH` of one node.
///
/// An `if` has both paths as soon as it has a `then` or an `else`: a missing one says that the other case is free,
/// and free is a case to show. An `if` alone says nothing and has none.
pub(crate) fn targets(contract: &Contract, id: NodeId, out: &mut Vec<Target>) {
    let node = contract.node(id);
    let Some(keywords) = node.keywords() else { return };
    let is_false = |schema: &NodeId| matches!(contract.node(*schema).body, Body::Nothing);
    let mut add = |aim: Aim, on_the_way: &[Option<NodeId>]| {
        let target = Target::new(id, &node.path, aim);
        let is_barred = on_the_way.iter().flatten().any(is_false);
        out.push(if is_barred { target.unreachable("the schema of this path is false") } else { target });
    };
    for (branch, schema) in keywords.one_of.iter().enumerate() {
        add(Aim::OneOf { branch }, &[Some(*schema)]);
    }
    for (branch, schema) in keywords.any_of.iter().enumerate() {
        add(Aim::AnyOf { branch }, &[Some(*schema)]);
    }
    if keywords.condition.is_some() && (keywords.consequence.is_some() || keywords.alternative.is_some()) {
        add(Aim::Condition { holds: true }, &[keywords.condition, keywords.consequence]);
        add(Aim::Condition { holds: false }, &[keywords.alternative]);
    }
    // A name may have one schema in `dependentSchemas` and one in the older `dependencies`; both wait for the same member.
    let mut schemas: BTreeMap<&str, Vec<Option<NodeId>>> = BTreeMap::new();
    for (name, schema) in &keywords.dependent_schemas {
        schemas.entry(name).or_default().push(Some(*schema));
    }
    for (name, _) in &keywords.dependent_schemas {
        let Some(own) = schemas.remove(name.as_str()) else { continue };
        add(Aim::Dependent { name: name.clone(), is_active: true }, &own);
        add(Aim::Dependent { name: name.clone(), is_active: false }, &[]);
    }
}
