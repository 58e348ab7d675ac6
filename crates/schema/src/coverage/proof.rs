//! Proofs that no valid instance shows a target: laid over its own node, over what leads to it or over every way from a
//! root, it leaves nothing.
//!
//! Nothing here draws: a proof is set algebra beside the contract, and where it does not succeed the target stays active.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::compose::{Emptiness, Parts, Set};
use crate::contract::{Contract, NodeId};
use crate::coverage::analyze::Universe;
use crate::coverage::cut::Cut;
use crate::coverage::hits::Hits;
use crate::coverage::overlay::{Overlay, overlay, reference};
use crate::coverage::route::{Step, every, steps_into};
use crate::coverage::target::{Aim, Status, Target};
use crate::document::Document;
use crate::json::Pointer;
use crate::validate::Formats;

/// Where the overlays stand in the document while it is composed.
const KEY: &str = "x-probity-aims";
/// Other branches that one branch is compared with.
const MOST_RIVALS: usize = 16;
/// Ways to one node whose last steps are looked at.
const MOST_STEPS: usize = 8;
/// Nodes of a contract times targets looked at one by one: each is composed beside the whole document.
const AIM_NODES: usize = 400_000;
/// Nodes of a contract times targets laid over the whole of it: such a set is composed anew each time.
const WHOLE_NODES: usize = 30_000;

/// What the proofs of a run that only measures may take, in nodes that are composed.
const MOST_MEASURED: usize = 2_500_000;

/// How many targets of a contract may be looked at one by one, when so many are wanted.
pub(crate) fn most_aims(contract: &Contract, wanted: usize) -> usize {
    wanted.min((AIM_NODES / contract.nodes().len().max(1)).max(20))
}

/// How many targets of a contract may be laid over the whole of it.
pub(crate) fn most_whole(contract: &Contract) -> usize {
    (WHOLE_NODES / contract.nodes().len().max(1)).max(2)
}

/// What the targets that were not hit were found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Proven {
    /// How many are proven unreachable.
    pub n_proven: usize,
    /// How many were not looked at, because the budget ended or because references in the contract depend on the way to them.
    pub n_left: usize,
}

/// The code of the note that not all targets were looked at.
pub const PROOF_CAP: &str = "proof-cap";

impl Proven {
    /// What a report says when the budget ended first.
    #[must_use]
    pub fn note(self) -> Option<Value> {
        let Self { n_proven: _, n_left } = self;
        let text = format!("{n_left} targets that were missed were not looked at; some may be unreachable");
        (n_left > 0).then(|| json!({"code": PROOF_CAP, "targets": n_left, "text": text}))
    }
}

/// Looks at most so many of the targets that were not hit, and marks in the universe what is proven unreachable.
pub fn prove_missed(
    document: &Document,
    contract: &Contract,
    formats: Formats,
    universe: &mut Universe,
    hits: &Hits,
    wanted: usize,
) -> Proven {
    let is_left = |at: &usize| universe.targets[*at].status == Status::Active && !hits.has(*at);
    // Whether a request was made at all is no question of schemas.
    let is_of_schema =
        |at: &usize| !matches!(universe.targets[*at].aim, Aim::Request { .. } | Aim::Response { .. });
    let left: Vec<usize> = (0..universe.targets.len()).filter(is_left).filter(is_of_schema).collect();
    if left.is_empty() || is_dynamic(document) {
        return Proven { n_proven: 0, n_left: left.len() };
    }
    let n_nodes = contract.nodes().len();
    let into = steps_into(&universe.graph, n_nodes);
    let most = most_aims(contract, wanted).min(n_affordable(contract, universe, &into, &left));
    let mut proven = Proven { n_proven: 0, n_left: left.len().saturating_sub(most) };
    let mut layer = Layer::new(document, contract);
    let proofs: Vec<(usize, Proof)> = left
        .into_iter()
        .take(most)
        .map(|at| (at, Proof::of(&mut layer, &into, &universe.targets[at])))
        .collect();
    let Some(mut parts) = layer.composed(formats) else { return proven };
    let mut cut = Cut::of(contract, universe);
    let mut alive = cut.alive(&universe.graph, n_nodes, contract.roots());
    let mut n_whole = most_whole(contract);
    for (at, proof) in proofs {
        if parts.is_over() {
            proven.n_left += 1;
            continue;
        }
        let target = &universe.targets[at];
        let cause = if alive[target.node.index()] {
            proof.near(target, &mut parts, &cut).or_else(|| {
                n_whole = n_whole.checked_sub(usize::from(!proof.ways.is_empty()))?;
                proof.far(target, &mut parts)
            })
        } else {
            Some(CLOSED.to_owned())
        };
        if let Some(cause) = cause {
            cut.close(contract, target);
            alive = cut.alive(&universe.graph, n_nodes, contract.roots());
            universe.prove_unreachable(at, &cause);
            proven.n_proven += 1;
        }
    }
    proven
}

/// How many of these targets can be looked at before the work is felt: a count, so that every machine does the same.
fn n_affordable(contract: &Contract, universe: &Universe, into: &[Vec<Step>], targets: &[usize]) -> usize {
    let mut known: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut work = |node: NodeId| *known.entry(node).or_insert_with(|| work_of(contract, universe, node));
    let mut n_spent: usize = 0;
    let is_affordable = |at: &&usize| {
        let target = &universe.targets[**at];
        let steps = into[target.node.index()].iter().take(MOST_STEPS);
        let n_more = steps.map(|step| work(step.from)).fold(0, usize::saturating_add);
        let n_own = work(target.node).saturating_mul(1 + rivals(contract, target).len());
        n_spent = n_spent.saturating_add(n_more).saturating_add(n_own);
        n_spent <= MOST_MEASURED
    };
    targets.iter().take_while(is_affordable).count()
}

/// What composing a node takes: all that it reaches, as often as there are conditions among that.
fn work_of(contract: &Contract, universe: &Universe, start: NodeId) -> usize {
    let mut met = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        let edges = universe.graph.edges(node).iter();
        open.extend(edges.map(|edge| edge.to).filter(|to| met.insert(*to)));
    }
    let is_condition =
        |id: &&NodeId| contract.node(**id).keywords().is_some_and(|keywords| keywords.condition.is_some());
    met.len().saturating_mul(1 + met.iter().filter(is_condition).count())
}

/// The cause where nothing leads to a target any more.
pub(crate) const CLOSED: &str = "every way to it is closed";

/// Whether what a reference means depends on the way to it; then nothing is proven.
pub(crate) fn is_dynamic(document: &Document) -> bool {
    let text = document.root().to_string();
    text.contains("\"$dynamicRef\"") || text.contains("\"$recursiveRef\"")
}

/// Schemas that are laid over nodes of a contract, to be composed beside it.
pub(crate) struct Layer<'a> {
    document: &'a Document,
    pub(crate) contract: &'a Contract,
    laid: Vec<Value>,
}

impl<'a> Layer<'a> {
    pub(crate) fn new(document: &'a Document, contract: &'a Contract) -> Self {
        Self { document, contract, laid: Vec::new() }
    }

    /// Lays a schema over a node, and says where.
    pub(crate) fn add(&mut self, start: NodeId, schema: Value) -> Pointer {
        let both = Value::Array(vec![reference(self.contract, start), schema]);
        self.laid.push(Value::Object(Map::from_iter([("allOf".to_owned(), both)])));
        Pointer::root().child(KEY).item(self.laid.len() - 1)
    }

    /// A target over a route that ends at its node.
    pub(crate) fn overlay(&self, route: &[Step], target: &Target) -> Option<Overlay> {
        overlay(self.contract, self.document.dialect(), route, target)
    }

    /// The document with all of them in it, ready to be asked; a document that is no object has no room for them.
    pub(crate) fn composed(self, formats: Formats) -> Option<Parts> {
        let mut members = self.document.root().as_object()?.clone();
        members.insert(KEY.to_owned(), Value::Array(self.laid));
        let laid_over = Document { root: Arc::new(Value::Object(members)), ..self.document.clone() };
        Some(Parts::of(laid_over, formats))
    }
}

/// The places where a target must leave something if any instance shows it.
pub(crate) struct Proof {
    /// The target at its own node, whatever the way there.
    own: Pointer,
    /// For a branch of `oneOf`: what it has beyond each other branch. Where that is nothing, two branches always fit.
    beyond: Vec<Pointer>,
    /// The last step of every way to the node; none when they cannot all be said.
    steps: Vec<(Step, Pointer)>,
    /// Every route from a root; none when they cannot all be said.
    ways: Vec<Pointer>,
}

impl Proof {
    /// Lays a target wherever a proof may come from.
    pub(crate) fn of(layer: &mut Layer<'_>, into: &[Vec<Step>], target: &Target) -> Self {
        let roots = layer.contract.roots();
        let schema = layer.overlay(&[], target).map(|laid| laid.schema).unwrap_or_default();
        let own = layer.add(target.node, schema);
        let rivals = rivals(layer.contract, target).into_iter();
        let beyond = rivals.map(|(branch, rival)| {
            let without = json!({"not": reference(layer.contract, rival)});
            layer.add(branch, without)
        });
        let beyond = beyond.collect();
        let last: Vec<(Step, Option<Overlay>)> = into[target.node.index()]
            .iter()
            .map(|step| (*step, layer.overlay(std::slice::from_ref(step), target)))
            .collect();
        let is_said = |laid: &Option<Overlay>| laid.as_ref().is_some_and(|laid| laid.is_complete);
        let is_step_proof = !roots.contains(&target.node)
            && last.len() <= MOST_STEPS
            && last.iter().all(|(_, laid)| is_said(laid));
        let last = last.into_iter().filter(|_| is_step_proof);
        let steps =
            last.filter_map(|(step, laid)| Some((step, layer.add(step.from, laid?.schema)))).collect();
        let routes = every(into, roots, target.node).unwrap_or_default();
        let laid: Vec<(NodeId, Overlay)> = routes
            .iter()
            .filter_map(|route| {
                let start = route.first().map_or(target.node, |step| step.from);
                Some((start, layer.overlay(route, target)?))
            })
            .collect();
        let is_proof = laid.len() == routes.len() && laid.iter().all(|(_, laid)| laid.is_complete);
        let laid = laid.into_iter().filter(|_| is_proof);
        let ways = laid.map(|(start, laid)| layer.add(start, laid.schema)).collect();
        Self { own, beyond, steps, ways }
    }

    /// The cause, where the node itself or what leads to it proves a target unreachable.
    pub(crate) fn near(&self, target: &Target, parts: &mut Parts, cut: &Cut) -> Option<String> {
        if is_empty(parts.at(self.own.clone())) {
            return Some(conflict(target, "its own subschema"));
        }
        if self.beyond.iter().any(|at| is_empty(parts.at(at.clone()))) {
            return Some("every value of this branch fits another branch too".to_owned());
        }
        let mut is_shut = |(step, at): &(Step, Pointer)| {
            !cut.is_open(step.from, step.edge.way) || is_empty(parts.at(at.clone()))
        };
        let is_proven = !self.steps.is_empty() && self.steps.iter().all(&mut is_shut);
        is_proven.then(|| conflict(target, "what leads to it"))
    }

    /// The cause, where every way from the root does.
    pub(crate) fn far(&self, target: &Target, parts: &mut Parts) -> Option<String> {
        let is_proven = !self.ways.is_empty() && self.ways.iter().all(|at| is_empty(parts.at(at.clone())));
        is_proven.then(|| conflict(target, "every way from the root to it"))
    }
}

fn is_empty(set: Option<Set>) -> bool {
    set.is_some_and(|set| set.emptiness() == Emptiness::Empty)
}

/// A branch of `oneOf` with each of its rivals; nothing for other targets.
fn rivals(contract: &Contract, target: &Target) -> Vec<(NodeId, NodeId)> {
    let Aim::OneOf { branch } = target.aim else { return Vec::new() };
    let keywords = contract.node(target.node).keywords();
    let branches = keywords.map(|keywords| keywords.one_of.as_slice()).unwrap_or_default();
    let Some(own) = branches.get(branch) else { return Vec::new() };
    let others = branches.iter().enumerate().filter(|(at, _)| *at != branch).take(MOST_RIVALS);
    others.map(|(_, rival)| (*own, *rival)).collect()
}

fn conflict(target: &Target, with: &str) -> String {
    let what = match &target.aim {
        Aim::Node | Aim::Request { .. } | Aim::Response { .. } | Aim::Reused => "a value here",
        Aim::Member { .. } => "this member",
        Aim::OneOf { .. } | Aim::AnyOf { .. } => "this branch",
        Aim::Condition { .. } | Aim::Dependent { .. } => "this path",
        Aim::Value { .. } => "this value",
        Aim::Number { .. } | Aim::Length { .. } | Aim::Items { .. } => "this limit",
    };
    format!("{what} contradicts {with}")
}
