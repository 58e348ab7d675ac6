//! From a contract to its targets: every dimension looks at every node that an instance can meet.

use std::ops::Range;

use crate::contract::{Contract, NodeId};
use crate::coverage::graph::Graph;
use crate::coverage::target::{Dimension, Status, Target};
use crate::coverage::{boundaries, branches, enums, structure};

/// What finds the targets of one node in one dimension.
type Collect = fn(&Contract, NodeId, &mut Vec<Target>);

/// Every dimension that is read off the nodes of a contract, in the order in which a node's targets are listed.
const COLLECTORS: &[(Dimension, Collect)] = &[
    (Dimension::Structure, structure::targets),
    (Dimension::Branches, branches::targets),
    (Dimension::Enum, enums::targets),
    (Dimension::Boundaries, boundaries::targets),
];

/// The targets of a contract in the enabled dimensions, with the graph they stand on.
#[derive(Debug, Clone, PartialEq)]
pub struct Universe {
    /// How instances are walked.
    pub graph: Graph,
    /// Every target, node by node.
    pub targets: Vec<Target>,
    /// The enabled dimensions, in the order of [`crate::coverage::DIMENSIONS`].
    pub dimensions: Vec<Dimension>,
    of_node: Vec<Range<usize>>,
}

/// Finds the targets of a contract. The dimensions choose which are there and change nothing about any of them.
#[must_use]
pub fn analyze(contract: &Contract, dimensions: &[Dimension]) -> Universe {
    analyze_graph(contract, Graph::of(contract), dimensions, |_, _| {})
}

/// The same on a graph that is there already, with what `add` finds at each node beside.
pub(super) fn analyze_graph(
    contract: &Contract,
    graph: Graph,
    dimensions: &[Dimension],
    add: impl Fn(NodeId, &mut Vec<Target>),
) -> Universe {
    let mut targets = Vec::new();
    let mut of_node = vec![0..0; contract.nodes().len()];
    for id in graph.nodes() {
        let start = targets.len();
        for (dimension, collect) in COLLECTORS {
            if dimensions.contains(dimension) {
                collect(contract, *id, &mut targets);
            }
        }
        add(*id, &mut targets);
        let node = contract.node(*id);
        let written = node.written_path();
        let path = written.as_ref().unwrap_or(&node.path);
        targets[start..].iter_mut().for_each(|target: &mut Target| target.note_source(path, node.keywords()));
        of_node[id.index()] = start..targets.len();
    }
    Universe { graph, targets, dimensions: in_order(dimensions), of_node }
}

/// Each dimension once, in the order of reports.
fn in_order(dimensions: &[Dimension]) -> Vec<Dimension> {
    let mut dimensions = dimensions.to_vec();
    dimensions.sort_unstable();
    dimensions.dedup();
    dimensions
}

impl Universe {
    /// No targets, on no graph: what targets of several contracts are brought together in.
    pub(super) fn bare(dimensions: &[Dimension]) -> Self {
        Self {
            graph: Graph::default(),
            targets: Vec::new(),
            dimensions: in_order(dimensions),
            of_node: Vec::new(),
        }
    }

    /// The positions of a node's own targets.
    #[must_use]
    pub fn of_node(&self, id: NodeId) -> Range<usize> {
        self.of_node[id.index()].clone()
    }

    /// The positions of the targets that instances of some nodes can show.
    #[must_use]
    pub fn below(&self, roots: &[NodeId]) -> Vec<usize> {
        let met = self.graph.below(roots);
        let nodes = self.graph.nodes().iter().filter(|id| met[id.index()]);
        nodes.flat_map(|id| self.of_node(*id)).collect()
    }

    /// Marks a target as proven out of reach, with the cause.
    pub fn prove_unreachable(&mut self, at: usize, cause: &str) {
        let target = &mut self.targets[at];
        if target.status == Status::Active {
            target.status = Status::Unreachable;
            target.meta.insert("cause".to_owned(), cause.into());
        }
    }
}
