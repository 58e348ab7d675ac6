//! The observer: one walk of an accepted instance beside its contract, marking what it shows.
//!
//! Structure is followed directly; whether a branch, an `if` or a `contains` applies is asked of the [`Judge`]. Parts of
//! the contract below which every target is hit already are not walked again: only first hits matter.

mod member;
mod unevaluated;

use std::collections::{BTreeMap, BTreeSet};
use std::ptr;

use serde_json::Value;

use crate::contract::{Contract, Keywords, NodeId};
use crate::coverage::analyze::Universe;
use crate::coverage::graph::Way;
use crate::coverage::hits::Hits;
use crate::coverage::judge::Judge;
use crate::coverage::target::{Aim, Status, Target};
use crate::json::{Pointer, fingerprint, same};
use crate::validate::Oracles;

/// After this many instances with new hits, look again at which parts of the contract are still worth a walk.
const REFRESH: u32 = 8;

/// A node with as many targets has the values of its enumeration looked up, not gone through.
const LONG: usize = 24;

/// Walks instances and keeps what they hit.
#[derive(Debug)]
pub struct Observer<'a> {
    contract: &'a Contract,
    universe: &'a Universe,
    judge: Judge<'a>,
    above: Vec<Vec<NodeId>>,
    /// For every node, where its targets of each kind of branch begin.
    starts: Vec<Starts>,
    /// For every node, its own targets that are not hit yet.
    open: Vec<Vec<usize>>,
    /// For every node with a long enumeration, its values that are not hit yet, by fingerprint.
    listed: Vec<BTreeMap<String, usize>>,
    /// For every node, whether anything at it or below it may still be hit.
    is_live: Vec<bool>,
    hits: Hits,
    n_fresh: u32,
    n_since: u32,
    /// A node whose values are looked for, and the addresses of those met.
    sought: Option<NodeId>,
    met: Vec<usize>,
    /// The nodes that one walk meets, when that is asked.
    visits: Option<Vec<bool>>,
}

/// The positions of a node's first branch targets; those of one union follow each other.
#[derive(Debug, Clone, Copy, Default)]
struct Starts {
    one_of: Option<usize>,
    any_of: Option<usize>,
    condition: Option<usize>,
}

/// What one walk has still to visit.
struct Walk<'v> {
    stack: Vec<(NodeId, &'v Value)>,
    /// Places met before, for nodes with ways in place: only those can come back to the same value.
    met: BTreeSet<(NodeId, usize)>,
}

impl<'a> Observer<'a> {
    /// An observer that has seen nothing yet.
    #[must_use]
    pub fn new(contract: &'a Contract, oracles: &'a Oracles<'a>, universe: &'a Universe) -> Self {
        let mut observer = Self {
            contract,
            universe,
            judge: Judge::new(contract, oracles),
            above: universe.graph.above(),
            starts: starts(universe, contract.nodes().len()),
            open: Vec::new(),
            listed: Vec::new(),
            is_live: Vec::new(),
            hits: Hits::none(universe.targets.len()),
            n_fresh: 0,
            n_since: 0,
            sought: None,
            met: Vec::new(),
            visits: None,
        };
        observer.forget();
        observer
    }

    /// What was hit so far.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        &self.hits
    }

    /// Forgets every hit, and keeps what was learnt about the contract.
    pub fn forget(&mut self) {
        let ids = (0_u32..).map(NodeId).take(self.contract.nodes().len());
        (self.open, self.listed) = ids.map(|id| unhit(self.universe, id)).unzip();
        self.hits = Hits::none(self.universe.targets.len());
        self.refresh();
    }

    /// The places of an accepted instance that a node applies to. Forgets every hit.
    pub(crate) fn locate(&mut self, root: NodeId, instance: &Value, node: NodeId) -> Vec<Pointer> {
        self.forget();
        self.is_live = vec![true; self.open.len()];
        self.sought = Some(node);
        self.met.clear();
        self.walk(root, instance, 0);
        self.sought = None;
        let met: BTreeSet<usize> = self.met.drain(..).collect();
        let mut found = Vec::new();
        let mut open = vec![(Pointer::root(), instance)];
        while let Some((place, value)) = open.pop() {
            match value {
                Value::Object(members) => {
                    open.extend(members.iter().rev().map(|(name, member)| (place.child(name), member)));
                }
                Value::Array(items) => {
                    open.extend(items.iter().enumerate().rev().map(|(at, item)| (place.item(at), item)));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
            if met.contains(&(ptr::from_ref(value) as usize)) {
                found.push(place);
            }
        }
        found
    }

    /// The nodes that apply somewhere in an accepted instance. Forgets every hit.
    pub(crate) fn visited(&mut self, root: NodeId, instance: &Value) -> Vec<NodeId> {
        self.forget();
        self.is_live = vec![true; self.open.len()];
        self.visits = Some(vec![false; self.open.len()]);
        self.walk(root, instance, 0);
        let visits = self.visits.take().unwrap_or_default();
        (0_u32..).map(NodeId).zip(visits).filter(|(_, is_met)| *is_met).map(|(id, _)| id).collect()
    }

    /// Whether every target that is not proven unreachable is hit.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.n_left() == 0
    }

    /// Walks an instance that the contract's root accepted, and says how many targets it is the first to hit.
    pub fn observe(&mut self, root: NodeId, instance: &Value, number: u64) -> usize {
        let before = self.hits.count();
        self.walk(root, instance, number);
        let n_new = self.hits.count() - before;
        self.n_fresh += u32::from(n_new > 0);
        self.n_since += 1;
        // Refreshing costs a pass over the contract, so it waits until it can save some walks.
        if self.n_fresh > 0 && self.n_since >= REFRESH {
            self.refresh();
        }
        n_new
    }

    /// Records that an instance hit a target that no walk can see, such as a request of an operation.
    pub fn record(&mut self, target: usize, number: u64) {
        self.hits.mark(target, number);
    }

    /// How many targets are neither hit nor proven unreachable.
    #[must_use]
    pub fn n_left(&self) -> usize {
        let is_left = |at: &usize| self.is_active(*at) && !self.hits.has(*at);
        (0..self.hits.len()).filter(is_left).count()
    }

    fn walk(&mut self, root: NodeId, instance: &Value, number: u64) {
        let mut walk = Walk { stack: vec![(root, instance)], met: BTreeSet::new() };
        while let Some((id, value)) = walk.stack.pop() {
            if !self.is_live[id.index()] {
                continue;
            }
            if let Some(visits) = &mut self.visits {
                visits[id.index()] = true;
            }
            if self.sought == Some(id) {
                self.met.push(ptr::from_ref(value) as usize);
            }
            let Some(keywords) = self.contract.node(id).keywords() else {
                self.show(id, value, number);
                continue;
            };
            let edges = self.universe.graph.edges(id);
            let may_return = edges.iter().any(|edge| edge.way.is_in_place());
            if may_return && !walk.met.insert((id, ptr::from_ref(value) as usize)) {
                continue;
            }
            self.show(id, value, number);
            self.stay(id, keywords, value, number, &mut walk);
            self.descend(id, keywords, value, number, &mut walk);
        }
    }

    /// Marks those of a node's own targets that can be seen from the value alone.
    fn show(&mut self, id: NodeId, value: &Value, number: u64) {
        let listed = &mut self.listed[id.index()];
        if !listed.is_empty()
            && let Some(at) = listed.remove(&fingerprint(value))
        {
            self.hits.mark(at, number);
        }
        let open = std::mem::take(&mut self.open[id.index()]);
        let (targets, hits) = (&self.universe.targets, &mut self.hits);
        let mut kept = open;
        kept.retain(|at| {
            if !hits.has(*at) && is_shown(&targets[*at], value) {
                hits.mark(*at, number);
            }
            !hits.has(*at)
        });
        self.open[id.index()] = kept;
    }

    /// Follows the ways that stay at the value.
    fn stay<'v>(
        &mut self,
        id: NodeId,
        keywords: &Keywords,
        value: &'v Value,
        number: u64,
        walk: &mut Walk<'v>,
    ) {
        for next in keywords.reference.iter().chain(&keywords.dynamic_reference).chain(&keywords.all_of) {
            walk.stack.push((*next, value));
        }
        let Starts { one_of, any_of, condition: paths } = self.starts[id.index()];
        self.branch(&keywords.one_of, one_of, value, number, walk);
        self.branch(&keywords.any_of, any_of, value, number, walk);
        if let Some(condition) = keywords.condition {
            let is_live = |next: Option<NodeId>| next.is_some_and(|next| self.is_live[next.index()]);
            let is_wanted = paths.is_some_and(|start| !self.hits.has(start) || !self.hits.has(start + 1))
                || is_live(Some(condition))
                || is_live(keywords.consequence)
                || is_live(keywords.alternative);
            if is_wanted && self.judge.fits(condition, value) {
                self.mark(paths, 0, number);
                walk.stack.push((condition, value));
                walk.stack.extend(keywords.consequence.map(|next| (next, value)));
            } else if is_wanted {
                self.mark(paths, 1, number);
                walk.stack.extend(keywords.alternative.map(|next| (next, value)));
            }
        }
        if let Value::Object(members) = value {
            let active = keywords.dependent_schemas.iter().filter(|(name, _)| members.contains_key(name));
            walk.stack.extend(active.map(|(_, schema)| (*schema, value)));
        }
    }

    fn branch<'v>(
        &mut self,
        branches: &[NodeId],
        start: Option<usize>,
        value: &'v Value,
        number: u64,
        walk: &mut Walk<'v>,
    ) {
        let is_wanted = |at: usize| {
            self.is_live[branches[at].index()] || start.is_some_and(|start| !self.hits.has(start + at))
        };
        if !(0..branches.len()).any(is_wanted) {
            return;
        }
        for at in self.judge.fitting(branches, value, is_wanted) {
            self.mark(start, at, number);
            walk.stack.push((branches[at], value));
        }
    }

    /// Follows the ways to members and items.
    fn descend<'v>(
        &mut self,
        id: NodeId,
        keywords: &Keywords,
        value: &'v Value,
        number: u64,
        walk: &mut Walk<'v>,
    ) {
        match value {
            Value::Object(members) => self.members(id, keywords, value, members, number, walk),
            Value::Array(items) => self.items(id, keywords, value, items, walk),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn mark(&mut self, start: Option<usize>, at: usize, number: u64) {
        if let Some(start) = start {
            self.hits.mark(start + at, number);
        }
    }

    fn is_active(&self, at: usize) -> bool {
        self.universe.targets[at].status == Status::Active
    }

    fn wants(&self, id: NodeId, is_way: impl Fn(Way) -> bool) -> bool {
        let edges = self.universe.graph.edges(id);
        edges.iter().any(|edge| is_way(edge.way) && self.is_live[edge.to.index()])
    }

    /// Finds the nodes at or below which something is still open, by going up from what is open.
    fn refresh(&mut self) {
        self.n_fresh = 0;
        self.n_since = 0;
        self.is_live = vec![false; self.open.len()];
        let mut up: Vec<NodeId> = Vec::new();
        for id in self.universe.graph.nodes() {
            let open = &mut self.open[id.index()];
            open.retain(|at| !self.hits.has(*at));
            if !self.listed[id.index()].is_empty()
                || open.iter().any(|at| self.universe.targets[*at].status != Status::Unreachable)
            {
                up.push(*id);
            }
        }
        while let Some(id) = up.pop() {
            if !std::mem::replace(&mut self.is_live[id.index()], true) {
                up.extend(&self.above[id.index()]);
            }
        }
    }
}

/// A node's own targets: those looked at one by one, and the values of a long enumeration by fingerprint.
fn unhit(universe: &Universe, id: NodeId) -> (Vec<usize>, BTreeMap<String, usize>) {
    let value = |at: usize| match &universe.targets[at] {
        Target { aim: Aim::Value { value, .. }, status: Status::Active, .. } => Some(fingerprint(value)),
        _ => None,
    };
    let own = universe.of_node(id);
    if own.len() < LONG {
        return (own.collect(), BTreeMap::new());
    }
    let open = own.clone().filter(|at| value(*at).is_none()).collect();
    (open, own.filter_map(|at| Some((value(at)?, at))).collect())
}

fn starts(universe: &Universe, n_nodes: usize) -> Vec<Starts> {
    let mut starts = vec![Starts::default(); n_nodes];
    for (at, target) in universe.targets.iter().enumerate() {
        // A request without a schema stands at no node at all, so only branches are looked up.
        let own = target.node.index();
        match target.aim {
            Aim::OneOf { branch: 0 } => starts[own].one_of = Some(at),
            Aim::AnyOf { branch: 0 } => starts[own].any_of = Some(at),
            Aim::Condition { holds: true } => starts[own].condition = Some(at),
            _ => {}
        }
    }
    starts
}

/// Whether the value alone shows the target at its node; branches and conditions need the judge and are marked elsewhere.
fn is_shown(target: &Target, value: &Value) -> bool {
    match (&target.aim, value) {
        (Aim::Node | Aim::Reused, _) => true,
        (Aim::Member { name, .. }, Value::Object(members)) => members.contains_key(name),
        (Aim::Dependent { name, is_active }, Value::Object(members)) => {
            members.contains_key(name) == *is_active
        }
        (Aim::Value { value: listed, .. }, value) => same(listed, value),
        (Aim::Number { value: edge, .. }, Value::Number(number)) => {
            same(&Value::Number(edge.clone()), &Value::Number(number.clone()))
        }
        (Aim::Length { count, .. }, Value::String(text)) => text.chars().count() as u64 == *count,
        (Aim::Items { count, .. }, Value::Array(items)) => items.len() as u64 == *count,
        (
            Aim::Member { .. }
            | Aim::Dependent { .. }
            | Aim::Number { .. }
            | Aim::Length { .. }
            | Aim::Items { .. }
            | Aim::OneOf { .. }
            | Aim::AnyOf { .. }
            | Aim::Condition { .. }
            | Aim::Request { .. }
            | Aim::Response { .. },
            _,
        ) => false,
    }
}
