//! The coverage graph: how a walk of an instance can go from node to node of a contract, and which nodes it meets.
//!
//! Only ways that a valid instance can take are edges: nothing is reached through `not`.

use crate::contract::{Body, Contract, Keywords, NodeId};

/// How a walk goes from a node to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// To a member by its name: the position in `properties`.
    Member(usize),
    /// To members whose name fits a pattern: the position in `patternProperties`.
    Pattern(usize),
    /// To the other members.
    Additional,
    /// To members nothing else has looked at.
    UnevaluatedMembers,
    /// To the names of members.
    Names,
    /// To an item by its position.
    Prefix(usize),
    /// To the other items.
    Items,
    /// To items that fit `contains`.
    Contains,
    /// To items nothing else has looked at.
    UnevaluatedItems,
    /// To the same value, through a reference.
    Reference,
    /// To the same value: every `allOf` branch.
    AllOf(usize),
    /// To the same value, if it fits the branch.
    AnyOf(usize),
    /// To the same value, if it fits the branch.
    OneOf(usize),
    /// To the same value, if the condition holds.
    Condition,
    /// To the same value, if the condition holds.
    Consequence,
    /// To the same value, if the condition does not hold.
    Alternative,
    /// To the same value, if the member is there: the position in `dependentSchemas`.
    Dependent(usize),
}

impl Way {
    /// Whether it stays at the same value.
    #[must_use]
    pub fn is_in_place(self) -> bool {
        match self {
            Self::Reference
            | Self::AllOf(_)
            | Self::AnyOf(_)
            | Self::OneOf(_)
            | Self::Condition
            | Self::Consequence
            | Self::Alternative
            | Self::Dependent(_) => true,
            Self::Member(_)
            | Self::Pattern(_)
            | Self::Additional
            | Self::UnevaluatedMembers
            | Self::Names
            | Self::Prefix(_)
            | Self::Items
            | Self::Contains
            | Self::UnevaluatedItems => false,
        }
    }
}

/// A way and where it leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// How.
    pub way: Way,
    /// Where to.
    pub to: NodeId,
}

/// The graph of one contract.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    edges: Vec<Vec<Edge>>,
    reached: Vec<bool>,
    order: Vec<NodeId>,
}

impl Graph {
    /// The graph of everything that valid instances can meet from the contract's roots.
    #[must_use]
    pub fn of(contract: &Contract) -> Self {
        let mut graph = Self {
            edges: vec![Vec::new(); contract.nodes().len()],
            reached: vec![false; contract.nodes().len()],
            order: Vec::new(),
        };
        let mut open: Vec<NodeId> = contract.roots().iter().rev().copied().collect();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut graph.reached[id.index()], true) {
                continue;
            }
            let edges = edges(contract, id);
            open.extend(edges.iter().rev().map(|edge| edge.to));
            graph.edges[id.index()] = edges;
        }
        let ids = (0_u32..).map(NodeId).take(contract.nodes().len());
        graph.order = ids.filter(|id| graph.reached[id.index()]).collect();
        graph
    }

    /// The nodes that a walk can meet, in the contract's order.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.order
    }

    /// Whether a walk can meet a node.
    #[must_use]
    pub fn has(&self, id: NodeId) -> bool {
        self.reached[id.index()]
    }

    /// The ways out of a node; none out of a node that no walk meets.
    #[must_use]
    pub fn edges(&self, id: NodeId) -> &[Edge] {
        &self.edges[id.index()]
    }

    /// For every node, whether it is `start` or can be met below it.
    #[must_use]
    pub fn below(&self, start: &[NodeId]) -> Vec<bool> {
        let mut met = vec![false; self.edges.len()];
        let mut open = start.to_vec();
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut met[id.index()], true) {
                open.extend(self.edges(id).iter().map(|edge| edge.to));
            }
        }
        met
    }

    /// For every node, the nodes that lead to it.
    #[must_use]
    pub fn above(&self) -> Vec<Vec<NodeId>> {
        let mut above = vec![Vec::new(); self.edges.len()];
        for id in &self.order {
            for edge in self.edges(*id) {
                above[edge.to.index()].push(*id);
            }
        }
        above
    }
}

fn edges(contract: &Contract, id: NodeId) -> Vec<Edge> {
    let Some(keywords) = contract.node(id).keywords() else { return Vec::new() };
    let mut edges = Vec::new();
    let mut add = |way: Way, to: Option<NodeId>| {
        // `false` takes no value, so no walk of a valid instance goes there.
        let to = to.filter(|to| !matches!(contract.node(*to).body, Body::Nothing));
        edges.extend(to.map(|to| Edge { way, to }));
    };
    in_place(keywords, &mut add);
    downward(keywords, &mut add);
    edges
}

fn in_place(keywords: &Keywords, add: &mut impl FnMut(Way, Option<NodeId>)) {
    add(Way::Reference, keywords.reference);
    add(Way::Reference, keywords.dynamic_reference);
    for (at, branch) in keywords.all_of.iter().enumerate() {
        add(Way::AllOf(at), Some(*branch));
    }
    for (at, branch) in keywords.any_of.iter().enumerate() {
        add(Way::AnyOf(at), Some(*branch));
    }
    for (at, branch) in keywords.one_of.iter().enumerate() {
        add(Way::OneOf(at), Some(*branch));
    }
    add(Way::Condition, keywords.condition);
    if keywords.condition.is_some() {
        // Without `if`, `then` and `else` say nothing (2020-12 §10.2.2).
        add(Way::Consequence, keywords.consequence);
        add(Way::Alternative, keywords.alternative);
    }
    for (at, (_, schema)) in keywords.dependent_schemas.iter().enumerate() {
        add(Way::Dependent(at), Some(*schema));
    }
}

fn downward(keywords: &Keywords, add: &mut impl FnMut(Way, Option<NodeId>)) {
    for (at, (_, schema)) in keywords.properties.iter().enumerate() {
        add(Way::Member(at), Some(*schema));
    }
    for (at, (_, schema)) in keywords.pattern_properties.iter().enumerate() {
        add(Way::Pattern(at), Some(*schema));
    }
    add(Way::Additional, keywords.additional_properties);
    add(Way::UnevaluatedMembers, keywords.unevaluated_properties);
    add(Way::Names, keywords.property_names);
    for (at, schema) in keywords.prefix_items.iter().enumerate() {
        add(Way::Prefix(at), Some(*schema));
    }
    add(Way::Items, keywords.items);
    add(Way::Contains, keywords.contains);
    add(Way::UnevaluatedItems, keywords.unevaluated_items);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, ReadOptions};
    use serde_json::{Value, json};

    #[track_caller]
    fn check(schema: Value, expected: &[&str]) {
        let document = Document::of_value(schema, &ReadOptions::default()).expect("a schema");
        let contract = Contract::of(&document).expect("a contract");
        let graph = Graph::of(&contract);
        let met: Vec<_> = graph.nodes().iter().map(|id| contract.node(*id).path.as_str()).collect();
        assert_eq!(met, expected);
    }

    #[test]
    fn a_walk_never_goes_through_not_or_false_or_a_then_without_an_if() {
        check(json!({"not": {"type": "null"}, "then": {"type": "string"}, "items": false}), &["#"]);
        check(json!({"if": {}, "then": {}, "else": {}}), &["#", "#/if", "#/then", "#/else"]);
    }

    #[test]
    fn a_circle_of_references_is_met_once() {
        check(
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"next": {"$ref": "#/$defs/a"}}}}}),
            &["#/$defs/a"],
        );
    }
}
