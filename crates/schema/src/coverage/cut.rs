//! What is cut off: the parts of a contract that no instance reaches once some of its ways are proven closed.

use std::collections::BTreeSet;

use crate::contract::{Contract, NodeId};
use crate::coverage::analyze::Universe;
use crate::coverage::graph::{Graph, Way};
use crate::coverage::target::{Aim, Status, Target};

/// The ways and nodes that are proven closed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cut {
    nodes: BTreeSet<NodeId>,
    ways: BTreeSet<(NodeId, Way)>,
}

impl Cut {
    /// What the proofs in a universe close.
    pub(crate) fn of(contract: &Contract, universe: &Universe) -> Self {
        let mut cut = Self::default();
        for target in universe.targets.iter().filter(|target| target.status == Status::Unreachable) {
            cut.close(contract, target);
        }
        cut
    }

    /// Closes what the proof about a target closes.
    pub(crate) fn close(&mut self, contract: &Contract, target: &Target) {
        let id = target.node;
        let Some(keywords) = contract.node(id).keywords() else {
            if target.aim == Aim::Node {
                self.nodes.insert(id);
            }
            return;
        };
        let mut close = |way: Way| {
            self.ways.insert((id, way));
        };
        match &target.aim {
            Aim::Node => {
                self.nodes.insert(id);
            }
            Aim::OneOf { branch } => close(Way::OneOf(*branch)),
            Aim::AnyOf { branch } => close(Way::AnyOf(*branch)),
            Aim::Condition { holds: true } => {
                close(Way::Condition);
                close(Way::Consequence);
            }
            Aim::Condition { holds: false } => close(Way::Alternative),
            Aim::Member { name, is_declared: true } => {
                let at = keywords.properties.iter().position(|(known, _)| known == name);
                if let Some(at) = at {
                    close(Way::Member(at));
                }
            }
            Aim::Dependent { name, is_active: true } => {
                let at = keywords.dependent_schemas.iter().position(|(known, _)| known == name);
                if let Some(at) = at {
                    close(Way::Dependent(at));
                }
            }
            Aim::Member { is_declared: false, .. }
            | Aim::Dependent { is_active: false, .. }
            | Aim::Value { .. }
            | Aim::Number { .. }
            | Aim::Length { .. }
            | Aim::Items { .. }
            | Aim::Request { .. }
            | Aim::Response { .. }
            | Aim::Reused => {}
        }
    }

    /// Whether a way is open, as far as is proven.
    pub(crate) fn is_open(&self, from: NodeId, way: Way) -> bool {
        !self.ways.contains(&(from, way)) && !self.nodes.contains(&from)
    }

    /// For every node, whether some open way leads to it from a root.
    pub(crate) fn alive(&self, graph: &Graph, n_nodes: usize, roots: &[NodeId]) -> Vec<bool> {
        let mut met = vec![false; n_nodes];
        let mut open = roots.to_vec();
        while let Some(id) = open.pop() {
            if self.nodes.contains(&id) || std::mem::replace(&mut met[id.index()], true) {
                continue;
            }
            let edges = graph.edges(id).iter().filter(|edge| !self.ways.contains(&(id, edge.way)));
            open.extend(edges.map(|edge| edge.to));
        }
        met
    }
}
