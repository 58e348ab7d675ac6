//! Routes through the coverage graph: how an instance gets from one node to another.

use std::collections::VecDeque;

use crate::contract::NodeId;
use crate::coverage::graph::{Edge, Graph};

/// Most routes that are listed when all of them are wanted.
const MOST_ROUTES: usize = 6;
/// Longest route that is listed.
const MOST_STEPS: usize = 64;

/// One step of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: NodeId,
    pub(crate) edge: Edge,
}

/// For every node, the steps that lead to it.
pub(crate) fn steps_into(graph: &Graph, n_nodes: usize) -> Vec<Vec<Step>> {
    let mut into = vec![Vec::new(); n_nodes];
    for from in graph.nodes() {
        for edge in graph.edges(*from) {
            into[edge.to.index()].push(Step { from: *from, edge: *edge });
        }
    }
    into
}

/// A shortest route to `goal` from some node that `is_start`, with that node.
pub(crate) fn nearest(
    into: &[Vec<Step>],
    goal: NodeId,
    is_start: impl Fn(NodeId) -> bool,
) -> Option<(NodeId, Vec<Step>)> {
    let mut after: Vec<Option<Step>> = vec![None; into.len()];
    let mut met = vec![false; into.len()];
    let mut open = VecDeque::from([goal]);
    met[goal.index()] = true;
    while let Some(id) = open.pop_front() {
        if is_start(id) {
            let mut route = Vec::new();
            let mut at = id;
            while at != goal {
                let step = after[at.index()].expect("every node met but the goal was met through a step");
                route.push(step);
                at = step.edge.to;
            }
            return Some((id, route));
        }
        for step in &into[id.index()] {
            if !std::mem::replace(&mut met[step.from.index()], true) {
                after[step.from.index()] = Some(*step);
                open.push_back(step.from);
            }
        }
    }
    None
}

/// Every route from one of the roots to `goal`; `None` when there are too many or a circle lies on the way.
pub(crate) fn every(into: &[Vec<Step>], roots: &[NodeId], goal: NodeId) -> Option<Vec<Vec<Step>>> {
    let mut done = Vec::new();
    // Each open route is kept from its end backwards.
    let mut open: Vec<(NodeId, Vec<Step>)> = vec![(goal, Vec::new())];
    while let Some((at, tail)) = open.pop() {
        if roots.contains(&at) {
            done.push(tail.iter().rev().copied().collect());
            // A way into a root is a circle, or a longer route from another root; neither is followed.
            if !into[at.index()].is_empty() {
                return None;
            }
            continue;
        }
        for step in &into[at.index()] {
            if tail.iter().any(|later: &Step| later.from == step.from || later.edge.to == step.from) {
                return None;
            }
            let mut longer = tail.clone();
            longer.push(*step);
            open.push((step.from, longer));
        }
        if done.len() + open.len() > MOST_ROUTES || tail.len() > MOST_STEPS {
            return None;
        }
    }
    Some(done)
}
