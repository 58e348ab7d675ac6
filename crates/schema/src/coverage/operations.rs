//! Operations: requests and responses as targets, and which targets each operation reaches.
//!
//! An operation is whatever sends one kind of value and gets back another: an endpoint of an API, a tool of a server. Each
//! schema is one set of targets, however many operations reach it; operations are projections of that set.

use crate::contract::{Contract, NodeId};
use crate::coverage::analyze::{Universe, analyze_graph};
use crate::coverage::evaluate::OperationTargets;
use crate::coverage::graph::Graph;
use crate::coverage::target::{Aim, Dimension, Status, Target};

/// An operation with the schemas of its requests and responses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its key, unique among all.
    pub key: String,
    /// What is sent; `None` when requests are out of scope.
    pub request: Option<Side>,
    /// What comes back when all is well; `None` when there is no such thing or it is out of scope.
    pub response: Option<Side>,
    /// Schemas of anything else that comes back; they are reached, and no response counts for them.
    pub others: Vec<NodeId>,
}

/// One side of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Where it stands in the contract, as reports spell it.
    pub path: String,
    /// Its schemas: a body, parameters.
    pub roots: Vec<NodeId>,
}

/// The targets of a contract and how operations share them.
#[derive(Debug, Clone)]
pub struct OperationUniverse {
    /// Every target, those of operations at the end.
    pub universe: Universe,
    /// For every operation, the targets that count for it.
    pub operations: Vec<OperationTargets>,
    /// For every operation, the target that a request hits.
    pub requests: Vec<Option<usize>>,
    /// For every operation, the target that a response hits.
    pub responses: Vec<Option<usize>>,
}

/// Finds the targets of a contract that operations use. Without the dimension `operations` the operations have no
/// targets of their own.
#[must_use]
pub fn analyze_operations(
    contract: &Contract,
    operations: &[Operation],
    dimensions: &[Dimension],
) -> OperationUniverse {
    let graph = Graph::of(contract);
    let mut reach = Reach { met: vec![usize::MAX; contract.nodes().len()] };
    let reached: Vec<Vec<NodeId>> = operations
        .iter()
        .enumerate()
        .map(|(at, operation)| reach.below(&graph, at, operation.roots()))
        .collect();
    let has_own = dimensions.contains(&Dimension::Operations);
    let mut users = vec![0_u32; contract.nodes().len()];
    reached.iter().flatten().for_each(|id| users[id.index()] += 1);
    let mut universe = analyze_graph(contract, graph, dimensions, |id, targets| {
        if has_own && users[id.index()] > 1 && stands_alone(contract, id) {
            let mut target = Target::new(id, &contract.node(id).path, Aim::Reused);
            // Shown, never counted.
            target.status = Status::Deprecated;
            targets.push(target);
        }
    });
    let mut projections = Vec::with_capacity(operations.len());
    let (mut requests, mut responses) = (Vec::new(), Vec::new());
    for (operation, nodes) in operations.iter().zip(reached) {
        let mut targets: Vec<usize> = nodes.into_iter().flat_map(|id| universe.of_node(id)).collect();
        let key = &operation.key;
        let mut add = |side: Option<&Side>, aim: Aim| {
            let side = side.filter(|_| has_own)?;
            let node = side.roots.first().copied().unwrap_or(NodeId(0));
            let mut target = Target::new(node, &side.path, aim);
            target.operation_key = Some(key.clone());
            universe.targets.push(target);
            targets.push(universe.targets.len() - 1);
            Some(universe.targets.len() - 1)
        };
        requests.push(add(operation.request.as_ref(), Aim::Request { key: key.clone() }));
        responses.push(add(operation.response.as_ref(), Aim::Response { key: key.clone() }));
        targets.sort_unstable();
        projections.push(OperationTargets { key: key.clone(), targets });
    }
    OperationUniverse { universe, operations: projections, requests, responses }
}

impl Operation {
    /// Every schema that its requests and responses start from.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        let sides = self.request.iter().chain(&self.response);
        sides.flat_map(|side| side.roots.iter().copied()).chain(self.others.iter().copied())
    }
}

/// Finds what is below some nodes, again and again, without forgetting by hand.
struct Reach {
    /// For every node, the last search that met it.
    met: Vec<usize>,
}

impl Reach {
    fn below(&mut self, graph: &Graph, search: usize, roots: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut open: Vec<NodeId> = roots.collect();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut self.met[id.index()], search) != search {
                found.push(id);
                open.extend(graph.edges(id).iter().map(|edge| edge.to));
            }
        }
        found
    }
}

/// Whether a schema is no part of another: one that was given a name to be used from several places.
fn stands_alone(contract: &Contract, id: NodeId) -> bool {
    let path = contract.node(id).path.as_str();
    let below = path.find('#').map_or(path.len(), |at| at + 1);
    let ends = path.char_indices().filter(|(at, letter)| *at >= below && *letter == '/').map(|(at, _)| at);
    !ends.into_iter().any(|end| contract.find(&path[..end]).is_some())
}
