//! How many instances a contract needs at least: a place shows one value and one branch of `oneOf` at a time.

use crate::contract::{Contract, NodeId};
use crate::coverage::analyze::Universe;
use crate::coverage::graph::Way;
use crate::coverage::route::{Step, steps_into};
use crate::coverage::target::{Aim, Status};

/// A lower bound on the instances that hit every target not proven unreachable.
///
/// An enumeration or `oneOf` at a node that one instance can meet in at most `k` places needs its alternatives divided
/// by `k`. Nodes below arrays, free names and circles have no such limit and ask for nothing.
#[must_use]
pub fn lower_bound(contract: &Contract, universe: &Universe) -> u64 {
    let into = steps_into(&universe.graph, contract.nodes().len());
    let mut places = Places { into: &into, root: contract.roots()[0], known: vec![None; into.len()] };
    let mut bound = 1;
    for id in universe.graph.nodes() {
        let own = &universe.targets[universe.of_node(*id)];
        let count = |is_one: fn(&Aim) -> bool| {
            own.iter().filter(|target| target.status == Status::Active && is_one(&target.aim)).count() as u64
        };
        let needed = EXCLUSIVE.iter().map(|is_one| count(*is_one)).max().unwrap_or(0);
        if needed > bound
            && let Some(n) = places.of(*id, 0)
        {
            bound = bound.max(needed.div_ceil(n.max(1)));
        }
    }
    bound
}

/// Families of targets of one node of which one value shows one at most.
const EXCLUSIVE: &[fn(&Aim) -> bool] = &[
    |aim| matches!(aim, Aim::Value { .. }),
    |aim| matches!(aim, Aim::OneOf { .. }),
    |aim| matches!(aim, Aim::Condition { .. }),
];

/// The most alternatives of any one enumeration or union, wherever it stands: a rule of thumb, not a bound.
#[must_use]
pub fn widest_choice(universe: &Universe) -> u64 {
    let widest = |id: &NodeId| {
        let own = &universe.targets[universe.of_node(*id)];
        let count = |is_one: fn(&Aim) -> bool| {
            own.iter().filter(|target| target.status == Status::Active && is_one(&target.aim)).count() as u64
        };
        let any = count(|aim| matches!(aim, Aim::AnyOf { .. }));
        EXCLUSIVE.iter().map(|is_one| count(*is_one)).max().unwrap_or(0).max(any)
    };
    universe.graph.nodes().iter().map(widest).max().unwrap_or(0).max(1)
}

/// Routes longer than this count as circles.
const MOST_DEPTH: u32 = 200;

/// A number, or none where there is no limit.
type Count = Option<u64>;

/// In how many places one instance can meet a node.
struct Places<'a> {
    into: &'a [Vec<Step>],
    root: NodeId,
    /// Nothing while unknown; no number where there is no limit.
    known: Vec<Option<Count>>,
}

impl Places<'_> {
    fn of(&mut self, id: NodeId, depth: u32) -> Option<u64> {
        if let Some(known) = self.known[id.index()] {
            return known;
        }
        if depth >= MOST_DEPTH {
            return None;
        }
        // A node that is met again on the way to itself lies on a circle.
        self.known[id.index()] = Some(None);
        let mut sum = Some(u64::from(id == self.root));
        let into = self.into;
        for step in &into[id.index()] {
            let from = if is_many(step.edge.way) { None } else { self.of(step.from, depth + 1) };
            sum = sum.zip(from).and_then(|(sum, from)| sum.checked_add(from));
        }
        self.known[id.index()] = Some(sum);
        sum
    }
}

/// Whether one value can lead to many along the way.
fn is_many(way: Way) -> bool {
    match way {
        Way::Pattern(_)
        | Way::Additional
        | Way::UnevaluatedMembers
        | Way::Names
        | Way::Items
        | Way::Contains
        | Way::UnevaluatedItems => true,
        Way::Member(_)
        | Way::Prefix(_)
        | Way::Reference
        | Way::AllOf(_)
        | Way::AnyOf(_)
        | Way::OneOf(_)
        | Way::Condition
        | Way::Consequence
        | Way::Alternative
        | Way::Dependent(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::{Dimension, analyze};
    use crate::document::{Document, ReadOptions};
    use serde_json::{Value, json};

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "rows of data read better without references")]
    fn check(schema: Value, expected: u64) {
        let document = Document::of_value(schema.clone(), &ReadOptions::default()).expect("a schema");
        let contract = Contract::of(&document).expect("a contract");
        let universe = analyze(&contract, &[Dimension::Enum, Dimension::Branches]);
        assert_eq!(lower_bound(&contract, &universe), expected, "{schema}");
    }

    #[test]
    fn an_enumeration_needs_an_instance_for_each_value_unless_it_stands_in_many_places() {
        let kind = json!({"$ref": "#/$defs/kind"});
        let defs = json!({"kind": {"enum": [1, 2, 3, 4]}});
        check(json!({"enum": [1, 2, 3]}), 3);
        check(json!({"properties": {"a": kind}, "$defs": defs}), 4);
        check(json!({"properties": {"a": kind, "b": kind}, "$defs": defs}), 2);
        check(json!({"items": kind, "$defs": defs}), 1);
        check(json!({"oneOf": [{"type": "null"}, {"type": "string"}]}), 2);
        check(json!({"properties": {"a": kind, "next": {"$ref": "#"}}, "$defs": defs}), 1);
    }
}
