//! How much judging one value can take, in steps and in memory: schemas whose parts refer to one another in very many ways,
//! or whose patterns unroll to very much, are refused before a validator is lost in them.

use std::collections::BTreeSet;

use crate::contract::{Contract, Keywords, NodeId};
use crate::document::ReadError;
use crate::text::pattern_bytes;

/// Steps that judging one value may take at one place, or along one way into the value.
const MOST_STEPS: u64 = 5_000_000;

/// Memory that matchers of all patterns of a contract may take together.
const MOST_MEGABYTES: u64 = 200;

/// The parts of a node that add up, and those of which the heaviest counts.
type Split = fn(&Keywords) -> (Vec<NodeId>, Vec<NodeId>);

/// Refuses a contract that no validator can be expected to work through.
pub(super) fn check(contract: &Contract) -> Result<(), ReadError> {
    for split in [in_place as Split, along_one_way as Split] {
        let weights = weights(contract, split);
        if let Some(heavy) = contract.roots.iter().find(|root| weights[root.index()] > MOST_STEPS) {
            let at = contract.node(*heavy).source.clone();
            return Err(ReadError::TooTangled { at, most: MOST_STEPS });
        }
    }
    check_patterns(contract)
}

/// Each pattern counts once: whoever judges by all of the contract makes it ready once.
fn check_patterns(contract: &Contract) -> Result<(), ReadError> {
    let mut seen = BTreeSet::new();
    let mut n_bytes: u64 = 0;
    for node in &contract.nodes {
        let Some(Keywords { pattern, pattern_properties, .. }) = node.keywords() else { continue };
        for pattern in pattern.iter().chain(pattern_properties.iter().map(|(pattern, _)| pattern)) {
            if seen.insert(pattern) {
                n_bytes = n_bytes.saturating_add(pattern_bytes(pattern));
            }
            if n_bytes > MOST_MEGABYTES << 20 {
                return Err(ReadError::HeavyPatterns { at: node.source.clone(), most: MOST_MEGABYTES });
            }
        }
    }
    Ok(())
}

/// Everything that judges the same value: all of it may have to be looked at.
fn in_place(keywords: &Keywords) -> (Vec<NodeId>, Vec<NodeId>) {
    let (mut every, choices) = applied(keywords);
    every.extend(choices);
    (every, Vec::new())
}

/// What always applies adds up, on the way into the value too; of alternatives and members the heaviest counts.
fn along_one_way(keywords: &Keywords) -> (Vec<NodeId>, Vec<NodeId>) {
    let (every, mut one) = applied(keywords);
    let Keywords { prefix_items, items, contains, properties, pattern_properties, .. } = keywords;
    let Keywords { additional_properties, unevaluated_items, unevaluated_properties, .. } = keywords;
    one.extend(prefix_items);
    one.extend(properties.iter().chain(pattern_properties).map(|(_, node)| *node));
    one.extend(
        [*items, *contains, *additional_properties, *unevaluated_items, *unevaluated_properties]
            .iter()
            .flatten(),
    );
    (every, one)
}

/// What applies to the same value: always, and as an alternative.
fn applied(keywords: &Keywords) -> (Vec<NodeId>, Vec<NodeId>) {
    let Keywords { all_of, any_of, one_of, not, condition, consequence, alternative, .. } = keywords;
    let Keywords { reference, dynamic_reference, dependent_schemas, .. } = keywords;
    let single = [*not, *condition, *consequence, *alternative, *reference, *dynamic_reference];
    let dependent = dependent_schemas.iter().map(|(_, node)| *node);
    let always = all_of.iter().copied().chain(single.into_iter().flatten()).chain(dependent);
    (always.collect(), any_of.iter().chain(one_of).copied().collect())
}

/// The weight of every node the roots reach; a way back to a node that is being weighed counts nothing.
fn weights(contract: &Contract, split: Split) -> Vec<u64> {
    let mut weights = vec![0; contract.nodes.len()];
    let mut is_met = vec![false; contract.nodes.len()];
    let mut open: Vec<(NodeId, bool)> = contract.roots.iter().map(|root| (*root, false)).collect();
    while let Some((id, is_ready)) = open.pop() {
        let Some(keywords) = contract.node(id).keywords() else { continue };
        if !is_ready && std::mem::replace(&mut is_met[id.index()], true) {
            continue;
        }
        let (every, one) = split(keywords);
        if is_ready {
            let of = |node: &NodeId| weights[node.index()];
            let sum = every.iter().map(of).fold(1, u64::saturating_add);
            weights[id.index()] = sum.saturating_add(one.iter().map(of).max().unwrap_or(0));
        } else {
            open.push((id, true));
            open.extend(every.into_iter().chain(one).map(|node| (node, false)));
        }
    }
    weights
}
