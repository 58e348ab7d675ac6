//! Members that go one way only: what is never sent, or never comes back, is out of reach of those who only go that way.
//!
//! Bodies are drawn without such members (`go_one_way` of a cut), so whatever only they lead to is marked in the universe before
//! anything is drawn, for measuring and guided runs alike.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::contract::{Contract, Keywords, NodeId};
use crate::coverage::{Aim, Graph, Status, Universe, Way};
use crate::openapi::piece::{Direction, Stock, Version, barred};
use crate::openapi::shelf::Spot;

/// The cause, as reports tell it.
const CAUSE: &str = "what is read-only is not sent, what is write-only does not come back, and nothing goes the other way here";
/// Visits of a walk for each node of a contract: beyond that, nothing is marked.
const MOST_VISITS: usize = 16;

/// Names of members.
type Names = BTreeSet<String>;

/// Marks the targets that no body shows, where bodies of these schemas go these ways.
pub(crate) fn close_one_way(
    stock: Stock<'_>,
    contract: &Contract,
    universe: &mut Universe,
    roots: &[(NodeId, Direction)],
) {
    let mut walks = Vec::new();
    for direction in [Direction::Request, Direction::Response] {
        let starts: Vec<NodeId> =
            roots.iter().filter(|(_, own)| *own == direction).map(|(id, _)| *id).collect();
        let sheets = sheets(stock, contract, &universe.graph, direction);
        walks.push((starts, Walk::of(contract, &universe.graph, &sheets)));
    }
    if walks.iter().all(|(_, walk)| walk.barred.is_empty()) {
        return;
    }
    let mut visits: BTreeMap<NodeId, BTreeSet<Names>> = BTreeMap::new();
    for (starts, walk) in walks {
        let Some(found) = walk.visits(&starts) else { return };
        for (id, barred) in found {
            visits.entry(id).or_default().insert(barred);
        }
    }
    let is_shown = |node: NodeId, aim: &Aim| {
        let mut visits = visits.get(&node).into_iter().flatten();
        if let Aim::Member { name, .. } | Aim::Dependent { name, is_active: true } = aim {
            visits.any(|barred| !barred.contains(name))
        } else {
            visits.next().is_some()
        }
    };
    for at in 0..universe.targets.len() {
        let target = &universe.targets[at];
        // Whether a request was made at all is no question of schemas.
        let is_of_schema = !matches!(target.aim, Aim::Request { .. } | Aim::Response { .. });
        if is_of_schema && target.status == Status::Active && !is_shown(target.node, &target.aim) {
            universe.prove_unreachable(at, CAUSE);
        }
    }
}

/// What one schema by itself says of members.
#[derive(Debug, Default)]
struct Sheet {
    /// Those that do not go this way.
    barred: Names,
    /// Those that may have to be there: where one that is barred has to be, bodies are drawn by the contract as it stands.
    forced: Names,
}

/// The sheets of all schemas that bodies meet.
fn sheets(
    stock: Stock<'_>,
    contract: &Contract,
    graph: &Graph,
    direction: Direction,
) -> BTreeMap<NodeId, Sheet> {
    let sheet = |id: NodeId| {
        let node = contract.node(id);
        let keywords = node.keywords()?;
        let address = node.address.as_deref();
        let is_home = |known: &str| address.is_some_and(|address| address == known);
        let volumes = &stock.shelf.volumes;
        let volume = volumes.iter().position(|volume| address.is_none() || is_home(&volume.address))?;
        let spot = Spot { volume, pointer: node.source.clone() };
        let schema = stock.shelf.find(&spot).and_then(Value::as_object)?;
        let barred: Names = barred(stock.shelf, &spot, schema, direction).into_iter().cloned().collect();
        let is_kept = |name: &&String| stock.version == Version::V31 || !barred.contains(*name);
        let forced: Names =
            keywords.required.iter().filter(is_kept).chain(forced(keywords)).cloned().collect();
        Some(Sheet { barred, forced })
    };
    graph.nodes().iter().filter_map(|id| Some((*id, sheet(*id)?))).collect()
}

/// Members that a schema may force without calling them required.
fn forced(keywords: &Keywords) -> impl Iterator<Item = &String> {
    let Keywords { properties, dependent_required, min_properties, constant, enumeration, .. } = keywords;
    let counted = properties.iter().filter(|_| min_properties.is_some_and(|least| least > 0));
    let listed = constant.iter().chain(enumeration.iter().flatten()).filter_map(Value::as_object);
    let dependent = dependent_required.iter().flat_map(|(_, names)| names);
    counted.map(|(name, _)| name).chain(listed.flat_map(|object| object.keys())).chain(dependent)
}

/// A walk over everything that bodies of one direction meet.
struct Walk<'a> {
    contract: &'a Contract,
    graph: &'a Graph,
    /// The members that are barred from every value of a node, where there are any.
    barred: BTreeMap<NodeId, Names>,
}

impl<'a> Walk<'a> {
    fn of(contract: &'a Contract, graph: &'a Graph, sheets: &BTreeMap<NodeId, Sheet>) -> Self {
        let mut barred = BTreeMap::new();
        if sheets.values().any(|sheet| !sheet.barred.is_empty()) {
            let forced: Names = sheets.values().flat_map(|sheet| &sheet.forced).cloned().collect();
            let all = graph.nodes().iter().map(|id| (*id, barred_at(graph, sheets, *id, &forced)));
            barred.extend(all.filter(|(_, names)| !names.is_empty()));
        }
        Self { contract, graph, barred }
    }

    /// Every node that is met, each time with the members that are barred from the value there; `None` when that is too much.
    fn visits(&self, starts: &[NodeId]) -> Option<BTreeSet<(NodeId, Names)>> {
        let own = |id: NodeId| self.barred.get(&id).cloned().unwrap_or_default();
        let mut seen = BTreeSet::new();
        let mut open: Vec<(NodeId, Names)> = starts.iter().map(|id| (*id, own(*id))).collect();
        while let Some((id, barred)) = open.pop() {
            if !seen.insert((id, barred.clone())) {
                continue;
            }
            if seen.len() > MOST_VISITS * self.contract.nodes().len() {
                return None;
            }
            for edge in self.graph.edges(id) {
                if self.name_of(id, edge.way).is_some_and(|name| barred.contains(name)) {
                    continue;
                }
                let mut there = own(edge.to);
                if edge.way.is_in_place() {
                    there.extend(barred.iter().cloned());
                }
                open.push((edge.to, there));
            }
        }
        Some(seen)
    }

    /// The member that a way needs.
    fn name_of(&self, id: NodeId, way: Way) -> Option<&str> {
        let keywords = self.contract.node(id).keywords()?;
        if let Way::Member(at) = way {
            return keywords.properties.get(at).map(|(name, _)| name.as_str());
        }
        if let Way::Dependent(at) = way {
            return keywords.dependent_schemas.get(at).map(|(name, _)| name.as_str());
        }
        None
    }
}

/// The members that are barred from every value of a node, by it or by what it always includes, and that nothing may force.
fn barred_at(graph: &Graph, sheets: &BTreeMap<NodeId, Sheet>, start: NodeId, forced: &Names) -> Names {
    let mut barred = Names::new();
    let (mut met, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(id) = open.pop() {
        if let Some(sheet) = sheets.get(&id) {
            barred.extend(sheet.barred.iter().filter(|name| !forced.contains(*name)).cloned());
        }
        let always = graph.edges(id).iter();
        let always = always.filter(|edge| matches!(edge.way, Way::Reference | Way::AllOf(_)));
        open.extend(always.map(|edge| edge.to).filter(|to| met.insert(*to)));
    }
    barred
}
