//! What the sweep left: each target is laid over the contract as a schema, at the nearest place some candidate
//! reaches, and drawn there; where nothing fits by proof, the target is unreachable.

use serde_json::Value;

use crate::compose::{Emptiness, Parts, Set};
use crate::contract::NodeId;
use crate::coverage::analyze::Universe;
use crate::coverage::candidate::{Candidate, Mends, accepted, looked};
use crate::coverage::choice_log::{ChoiceLog, MOST_ITEMS};
use crate::coverage::cut::Cut;
use crate::coverage::need::Needs;
use crate::coverage::observe::Observer;
use crate::coverage::proof::{CLOSED, Layer, Proof, is_dynamic, most_whole};
use crate::coverage::route::{Step, nearest, steps_into};
use crate::coverage::select::Bits;
use crate::coverage::sweep::Sweep;
use crate::coverage::target::Status;
use crate::document::Document;
use crate::draw::{Draw, derive_seed};
use crate::generate::{Chance, instance};
use crate::json::Pointer;
use crate::limits::Limits;
use crate::pipeline::Source;
use crate::sampler::{Sampler, Spread};

/// Draws from one overlay.
const DRAWS: u64 = 6;
/// Candidates and places in each that a value is put into.
const HOSTS: usize = 3;
/// Values one overlaid draw holds before optional parts are left out.
const ROOM: u64 = 400;
/// Mends for one target.
const MENDS: u32 = 6;
/// What the seeds of these draws are derived with.
const AIM: u64 = 0x6169;

/// One target with the ways to aim at it.
struct Attempt {
    target: usize,
    /// Where a candidate reaches the route, and the overlay from there.
    local: Option<(NodeId, Pointer)>,
    /// The overlay from the root.
    whole: Option<Pointer>,
    proof: Proof,
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
    if left.is_empty() {
        return aimed;
    }
    let is_reached = reached(observer, universe, contract.nodes().len(), root, candidates);
    let into = steps_into(&universe.graph, contract.nodes().len());
    let mut layer = Layer::new(document, contract);
    let attempts: Vec<Attempt> =
        left.iter().take(most).map(|at| attempt(&mut layer, universe, &into, &is_reached, *at)).collect();
    let Some(mut parts) = layer.composed(source.setting().formats) else { return aimed };
    aimed.is_short = left.len() > most;
    let is_dynamic = is_dynamic(document);
    let mut cut = Cut::of(contract, universe);
    let mut alive = cut.alive(&universe.graph, contract.nodes().len(), contract.roots());
    let mut n_whole = most_whole(contract);
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
            Served::Proven(CLOSED.to_owned())
        };
        match served {
            Served::Hit(candidate) => aimed.found.push(candidate),
            Served::Proven(cause) if !is_dynamic => {
                cut.close(contract, target);
                alive = cut.alive(&universe.graph, contract.nodes().len(), contract.roots());
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
    layer: &mut Layer<'_>,
    universe: &Universe,
    into: &[Vec<Step>],
    is_reached: &[bool],
    at: usize,
) -> Attempt {
    let target = &universe.targets[at];
    let root = layer.contract.roots()[0];
    let mut from = |start: Option<(NodeId, Vec<Step>)>| {
        let (start, route) = start?;
        let schema = layer.overlay(&route, target)?.schema;
        Some((start, layer.add(start, schema)))
    };
    let local = from(nearest(into, target.node, |id| is_reached[id.index()]));
    let whole = from(nearest(into, target.node, |id| id == root)).map(|(_, place)| place);
    Attempt { target: at, local, whole, proof: Proof::of(layer, into, target) }
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
        let Attempt { target, local, whole, proof } = attempt;
        if let Some(cause) = proof.near(&self.universe.targets[*target], parts, cut) {
            return Served::Proven(cause);
        }
        let local = local.as_ref().and_then(|(start, at)| Some((*start, parts.at(at.clone())?)));
        if let Some((start, set)) = local.filter(|(_, set)| set.emptiness() == Emptiness::Open)
            && let Some(candidate) = self.graft(*target, start, &set)
        {
            return Served::Hit(candidate);
        }
        if *n_whole == 0 {
            return Served::Missed;
        }
        *n_whole -= 1;
        let whole = whole.as_ref().and_then(|at| parts.at(at.clone()));
        if let Some(set) = whole.filter(|set| set.emptiness() == Emptiness::Open)
            && let Some(candidate) = self.draw_whole(*target, &set)
        {
            return Served::Hit(candidate);
        }
        proof.far(&self.universe.targets[*target], parts).map_or(Served::Missed, Served::Proven)
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
