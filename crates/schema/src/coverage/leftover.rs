//! What the sweep left: each target is laid over the contract as a schema, at the nearest place some candidate
//! reaches, and drawn there; where nothing fits by proof, the target is unreachable.

use std::sync::Arc;

use serde_json::Value;

use crate::compose::{Emptiness, Parts, Set};
use crate::contract::NodeId;
use crate::coverage::analyze::Universe;
use crate::coverage::candidate::{Candidate, Mends, accepted, looked};
use crate::coverage::choice_log::{ChoiceLog, MOST_ITEMS};
use crate::coverage::cut::Cut;
use crate::coverage::need::Needs;
use crate::coverage::observe::Observer;
use crate::coverage::overlay::{Overlay, overlay, reference};
use crate::coverage::route::{Step, every, nearest, steps_into};
use crate::coverage::select::Bits;
use crate::coverage::sweep::Sweep;
use crate::coverage::target::{Aim, Status, Target};
use crate::document::Document;
use crate::draw::{Draw, derive_seed};
use crate::generate::{Chance, instance};
use crate::json::Pointer;
use crate::limits::Limits;
use crate::pipeline::Source;
use crate::sampler::{Sampler, Spread};

/// Where the overlays stand in the document while it is composed.
const KEY: &str = "x-probity-aims";
/// Draws from one overlay.
const DRAWS: u64 = 6;
/// Candidates and places in each that a value is put into.
const HOSTS: usize = 3;
/// Values one overlaid draw holds before optional parts are left out.
const ROOM: u64 = 400;
/// Other branches that one branch is compared with.
const MOST_RIVALS: usize = 16;
/// Mends for one target.
const MENDS: u32 = 6;
/// Ways to one node whose last steps are looked at.
const MOST_STEPS: usize = 8;
/// Nodes of a contract times targets laid over the whole of it: such a set is composed and compiled anew each time.
const WHOLE_NODES: usize = 30_000;
/// What the seeds of these draws are derived with.
const AIM: u64 = 0x6169;

/// One target with the ways to aim at it.
struct Attempt {
    target: usize,
    /// The target at its own node, whatever the way there.
    own: usize,
    /// Where a candidate reaches the route, and the overlay from there.
    local: Option<(NodeId, usize)>,
    /// The overlay from the root.
    whole: Option<usize>,
    /// For a branch of `oneOf`: what it has beyond each other branch. Where that is nothing, two branches always fit.
    beyond: Vec<usize>,
    /// Overlays of the last step of every way to the node; none when they cannot all be said.
    steps: Vec<(Step, usize)>,
    /// Overlays from the root of every route; none when they cannot all be said.
    proof: Vec<usize>,
}

/// What came of aiming.
#[derive(Debug, Default)]
pub(crate) struct Aimed {
    /// New candidates, each of which hits something new.
    pub(crate) found: Vec<Candidate>,
    /// Targets that are proven unreachable, with the cause.
    pub(crate) unreachable: Vec<(usize, String)>,
    /// Whether the budget ended first.
    pub(crate) is_short: bool,
    /// What repairs made of what was drawn.
    pub(crate) mends: Mends,
}

/// Aims at the targets that no candidate hits, at most so many.
pub(crate) fn aim(
    document: &Document,
    source: &Source,
    observer: &mut Observer<'_>,
    universe: &Universe,
    candidates: &[Candidate],
    hit: &mut Bits,
    (seed, most): (u64, usize),
) -> Aimed {
    let mut aimed = Aimed::default();
    let contract = source.contract();
    let root = contract.roots()[0];
    let left: Vec<usize> = (0..universe.targets.len())
        .filter(|at| universe.targets[*at].status == Status::Active && !hit.has(*at))
        .collect();
    let Some(members) = document.root().as_object().filter(|_| !left.is_empty()) else { return aimed };
    aimed.is_short = left.len() > most;
    let is_reached = reached(observer, universe, contract.nodes().len(), root, candidates);
    let into = steps_into(&universe.graph, contract.nodes().len());
    let mut laid: Vec<Value> = Vec::new();
    let attempts: Vec<Attempt> = left
        .iter()
        .take(most)
        .map(|at| attempt(document, source, universe, &into, &is_reached, *at, &mut laid))
        .collect();
    // What a dynamic reference means depends on the way to it, so nothing is proven beside one.
    let text = document.root().to_string();
    let is_dynamic = text.contains("\"$dynamicRef\"") || text.contains("\"$recursiveRef\"");
    let mut members = members.clone();
    members.insert(KEY.to_owned(), Value::Array(laid));
    let laid_over = Document { root: Arc::new(Value::Object(members)), ..document.clone() };
    let mut parts = Parts::of(laid_over, source.setting().formats);
    let mut cut = Cut::default();
    for target in universe.targets.iter().filter(|target| target.status == Status::Unreachable) {
        cut.close(contract, target);
    }
    let mut alive = cut.alive(&universe.graph, contract.nodes().len(), root);
    let mut n_whole = (WHOLE_NODES / contract.nodes().len().max(1)).max(2);
    for attempt in attempts {
        let target = &universe.targets[attempt.target];
        if hit.has(attempt.target) {
            continue;
        }
        let served = if alive[target.node.index()] {
            aimed.mends.renew(MENDS);
            let mends = &mut aimed.mends;
            let mut bench = Bench { source, observer, universe, candidates, root, seed, hit, mends };
            bench.serve(&attempt, &mut parts, &cut, &mut n_whole)
        } else {
            Served::Proven("every way to it is closed".to_owned())
        };
        match served {
            Served::Hit(candidate) => aimed.found.push(candidate),
            Served::Proven(cause) if !is_dynamic => {
                cut.close(contract, target);
                alive = cut.alive(&universe.graph, contract.nodes().len(), root);
                aimed.unreachable.push((attempt.target, cause));
            }
            Served::Proven(_) | Served::Missed => {}
        }
    }
    aimed
}

fn reached(
    observer: &mut Observer<'_>,
    universe: &Universe,
    n_nodes: usize,
    root: NodeId,
    candidates: &[Candidate],
) -> Vec<bool> {
    let mut is_reached = vec![false; n_nodes];
    for candidate in candidates {
        for id in observer.visited(root, &candidate.value) {
            is_reached[id.index()] = true;
        }
    }
    debug_assert!(universe.graph.has(root), "the root is met by every walk");
    is_reached
}

fn attempt(
    document: &Document,
    source: &Source,
    universe: &Universe,
    into: &[Vec<Step>],
    is_reached: &[bool],
    at: usize,
    laid: &mut Vec<Value>,
) -> Attempt {
    let (contract, target) = (source.contract(), &universe.targets[at]);
    let root = contract.roots()[0];
    let mut add = |start: NodeId, schema: Value| {
        laid.push(serde_json::json!({"allOf": [reference(contract, start), schema]}));
        laid.len() - 1
    };
    let lay = |route: &[Step]| overlay(contract, document.dialect(), route, target);
    let own = add(target.node, lay(&[]).map(|laid| laid.schema).unwrap_or_default());
    let beyond = rivals(source, target)
        .into_iter()
        .map(|(branch, rival)| add(branch, serde_json::json!({"not": reference(contract, rival)})));
    let beyond = beyond.collect();
    let local = nearest(into, target.node, |id| is_reached[id.index()]);
    let local = local.and_then(|(start, route)| Some((start, add(start, lay(&route)?.schema))));
    let whole = nearest(into, target.node, |id| id == root);
    let whole = whole.and_then(|(_, route)| Some(add(root, lay(&route)?.schema)));
    let last: Vec<(Step, Option<Overlay>)> =
        into[target.node.index()].iter().map(|step| (*step, lay(std::slice::from_ref(step)))).collect();
    let is_said = |laid: &Option<Overlay>| laid.as_ref().is_some_and(|laid| laid.is_complete);
    let is_step_proof =
        target.node != root && last.len() <= MOST_STEPS && last.iter().all(|(_, laid)| is_said(laid));
    let last = last.into_iter().filter(|_| is_step_proof);
    let steps = last.filter_map(|(step, laid)| Some((step, add(step.from, laid?.schema)))).collect();
    let routes = every(into, root, target.node).unwrap_or_default();
    let every_laid: Vec<Overlay> = routes.iter().filter_map(|route| lay(route)).collect();
    let is_proof = !routes.is_empty()
        && every_laid.len() == routes.len()
        && every_laid.iter().all(|laid| laid.is_complete);
    let proof = if is_proof {
        every_laid.into_iter().map(|laid| add(root, laid.schema)).collect()
    } else {
        Vec::new()
    };
    Attempt { target: at, own, beyond, local, whole, steps, proof }
}

/// A branch of `oneOf` with each of its rivals; nothing for other targets.
fn rivals(source: &Source, target: &Target) -> Vec<(NodeId, NodeId)> {
    let Aim::OneOf { branch } = target.aim else { return Vec::new() };
    let keywords = source.contract().node(target.node).keywords();
    let branches = keywords.map(|keywords| keywords.one_of.as_slice()).unwrap_or_default();
    let Some(own) = branches.get(branch) else { return Vec::new() };
    let others = branches.iter().enumerate().filter(|(at, _)| *at != branch).take(MOST_RIVALS);
    others.map(|(_, rival)| (*own, *rival)).collect()
}

enum Served {
    Hit(Candidate),
    Proven(String),
    Missed,
}

/// What one attempt works with.
struct Bench<'b, 'o> {
    source: &'b Source,
    observer: &'b mut Observer<'o>,
    universe: &'b Universe,
    candidates: &'b [Candidate],
    root: NodeId,
    seed: u64,
    hit: &'b mut Bits,
    mends: &'b mut Mends,
}

impl Bench<'_, '_> {
    fn serve(&mut self, attempt: &Attempt, parts: &mut Parts, cut: &Cut, n_whole: &mut usize) -> Served {
        let place = |at: usize| Pointer::root().child(KEY).item(at);
        let is_empty =
            |set: &Option<Set>| set.as_ref().is_some_and(|set| set.emptiness() == Emptiness::Empty);
        if is_empty(&parts.at(place(attempt.own))) {
            return Served::Proven(conflict(&self.universe.targets[attempt.target], "its own subschema"));
        }
        if attempt.beyond.iter().any(|at| is_empty(&parts.at(place(*at)))) {
            return Served::Proven("every value of this branch fits another branch too".to_owned());
        }
        let mut is_shut = |(step, at): &(Step, usize)| {
            !cut.is_open(step.from, step.edge.way) || is_empty(&parts.at(place(*at)))
        };
        if !attempt.steps.is_empty() && attempt.steps.iter().all(&mut is_shut) {
            return Served::Proven(conflict(&self.universe.targets[attempt.target], "what leads to it"));
        }
        let local = attempt.local.and_then(|(start, at)| Some((start, parts.at(place(at))?)));
        if let Some((start, set)) = local.filter(|(_, set)| set.emptiness() == Emptiness::Open)
            && let Some(candidate) = self.graft(attempt.target, start, &set)
        {
            return Served::Hit(candidate);
        }
        if *n_whole == 0 {
            return Served::Missed;
        }
        *n_whole -= 1;
        let whole = attempt.whole.and_then(|at| parts.at(place(at)));
        if let Some(set) = whole.filter(|set| set.emptiness() == Emptiness::Open)
            && let Some(candidate) = self.draw_whole(attempt.target, &set)
        {
            return Served::Hit(candidate);
        }
        let is_proven =
            !attempt.proof.is_empty() && attempt.proof.iter().all(|at| is_empty(&parts.at(place(*at))));
        if is_proven {
            return Served::Proven(conflict(
                &self.universe.targets[attempt.target],
                "every way from the root to it",
            ));
        }
        Served::Missed
    }

    /// Draws values for a node and puts them where candidates have a value of that node.
    fn graft(&mut self, target: usize, node: NodeId, set: &Set) -> Option<Candidate> {
        let sampler = self.compiled(set);
        if !sampler.is_inhabited() {
            return None;
        }
        let mut hosts = Vec::new();
        for candidate in self.candidates {
            let places = self.observer.locate(self.root, &candidate.value, node);
            hosts.extend(places.into_iter().take(HOSTS).map(|place| (candidate, place)));
            if hosts.len() >= HOSTS * 2 {
                break;
            }
        }
        for number in 0..DRAWS {
            let seed = derive_seed(self.seed, &[AIM, target as u64, number]);
            let Some(part) = self.drawn(&sampler, seed, number) else { continue };
            for (candidate, place) in &hosts {
                let mut value = candidate.value.clone();
                let Some(slot) = value.pointer_mut(place.as_str()) else { continue };
                slot.clone_from(&part);
                if let Some(candidate) = self.accept(target, seed, value) {
                    return Some(candidate);
                }
            }
        }
        None
    }

    fn draw_whole(&mut self, target: usize, set: &Set) -> Option<Candidate> {
        let sampler = self.compiled(set);
        if !sampler.is_inhabited() {
            return None;
        }
        (0..DRAWS).find_map(|number| {
            let seed = derive_seed(self.seed, &[AIM, target as u64, DRAWS + number]);
            let value = self.drawn(&sampler, seed, number)?;
            self.accept(target, seed, value)
        })
    }

    /// Keeps a value that is valid, as it is or mended, and shows the target.
    fn accept(&mut self, target: usize, seed: u64, value: Value) -> Option<Candidate> {
        let value = accepted(self.source, value, &mut Draw::new(seed), self.mends)?;
        looked(self.source, &mut self.mends.metrics, || {
            self.observer.forget();
            self.observer.observe(self.root, &value, 0)
        });
        if !self.observer.hits().has(target) {
            return None;
        }
        (0..self.universe.targets.len())
            .filter(|at| self.observer.hits().has(*at))
            .for_each(|at| self.hit.set(at));
        Some(Candidate { seed, value })
    }

    fn compiled(&mut self, set: &Set) -> Sampler {
        let source = self.source;
        source.timed(&mut self.mends.metrics.compose_ns, || Sampler::of(set, source.setting()))
    }

    /// One draw: the first ones look for what is new, the others go by chance.
    fn drawn(&mut self, sampler: &Sampler, seed: u64, number: u64) -> Option<Value> {
        let (source, draw) = (self.source, Draw::new(seed));
        self.mends.metrics.n_draws += 1;
        source.timed(&mut self.mends.metrics.generate_ns, || {
            if number > 0 {
                return instance(sampler, source.limits(), ROOM, Spread::Near, draw, &mut Chance).0;
            }
            let limits = Limits { max_items: MOST_ITEMS, ..source.limits().clone() };
            let mut log = ChoiceLog::new(sampler);
            let needs = Needs::of(sampler, &log);
            let mut sweep = Sweep::new(sampler, &mut log, needs);
            instance(sampler, &limits, ROOM, Spread::Near, draw, &mut sweep).0
        })
    }
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
