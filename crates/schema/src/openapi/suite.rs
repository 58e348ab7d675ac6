//! The units of a run as one contract: every schema they use is one set of targets, projected on each operation.

use std::collections::BTreeMap;

use crate::contract::{Contract, NodeId};
use crate::coverage::{
    self, Dimension, Hits, Observer, OperationUniverse, OperationsScope, Proven, RunFacts, Side,
    analyze_operations, prove_missed,
};
use crate::document::Document;
use crate::json::Pointer;
use crate::openapi::Api;
use crate::openapi::cut::cut_all;
use crate::openapi::media::{is_answered, is_success};
use crate::openapi::one_way::close_one_way;
use crate::openapi::piece::Direction;
use crate::openapi::problem::{ApiError, Problem};
use crate::openapi::shelf::Spot;
use crate::openapi::unit::{Case, Part, Unit};
use crate::validate::{Formats, Oracles};

/// The contract of some units.
#[derive(Debug)]
pub struct Suite<'a> {
    api: &'a Api,
    pub(crate) units: &'a [Unit],
    document: Document,
    contract: Contract,
    operations: Vec<coverage::Operation>,
    /// For every unit, its operation among those of the suite.
    pub(crate) operation_of: Vec<usize>,
    roots: Vec<UnitRoots>,
    problems: Vec<Problem>,
}

/// Where a unit's schemas are in the contract; nothing where one is broken.
#[derive(Debug, Clone, Default)]
struct UnitRoots {
    body: Option<NodeId>,
    /// One for each parameter of the operation.
    parameters: Vec<Option<NodeId>>,
}

impl UnitRoots {
    fn all(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.body.iter().chain(self.parameters.iter().flatten()).copied()
    }
}

impl<'a> Suite<'a> {
    /// Brings the schemas of some operations together; what is broken is left out and told.
    pub fn of(api: &'a Api, operations: &[usize], units: &'a [Unit]) -> Result<Self, ApiError> {
        let mut spots: BTreeMap<Spot, usize> = BTreeMap::new();
        for unit in units {
            for spot in spots_of(api, unit).into_iter().flatten() {
                let next = spots.len();
                spots.entry(spot.clone()).or_insert(next);
            }
        }
        let mut ordered: Vec<(&Spot, usize)> = spots.iter().map(|(spot, at)| (spot, *at)).collect();
        ordered.sort_by_key(|(_, at)| *at);
        let roots: Vec<Spot> = ordered.into_iter().map(|(spot, _)| spot.clone()).collect();
        let (document, placed) = cut_all(api.stock(), &roots);
        let sound: Vec<Pointer> = placed.iter().filter_map(|place| place.clone().ok()).collect();
        let contract = Contract::at(&document, &sound)?;
        let mut nodes = contract.roots().iter().copied();
        let node_of: Vec<Result<NodeId, Problem>> = placed
            .into_iter()
            .map(|place| place.map(|_| nodes.next().expect("every sound root has a node")))
            .collect();
        let mut suite = Self {
            api,
            units,
            document,
            contract,
            operations: operations.iter().map(|at| bare(&api.operations()[*at].key)).collect(),
            operation_of: Vec::with_capacity(units.len()),
            roots: Vec::with_capacity(units.len()),
            problems: Vec::new(),
        };
        for unit in units {
            let at = operations
                .iter()
                .position(|at| *at == unit.operation)
                .expect("a unit's operation is selected");
            suite.add(unit, at, &|spot| node_of[spots[spot]].clone());
        }
        Ok(suite)
    }

    fn add(&mut self, unit: &Unit, at: usize, node: &dyn Fn(&Spot) -> Result<NodeId, Problem>) {
        let operation = &self.api.operations()[unit.operation];
        let mut found = Vec::new();
        for spot in spots_of(self.api, unit) {
            found.push(match spot.map(node) {
                Some(Ok(id)) => Some(id),
                Some(Err(problem)) => {
                    self.problems.push(problem.of_operation(&operation.key));
                    None
                }
                None => None,
            });
        }
        let mut found = found.into_iter();
        let roots = UnitRoots { body: found.next().flatten(), parameters: found.collect() };
        let all: Vec<NodeId> = roots.all().collect();
        let own = &mut self.operations[at];
        match unit.part {
            Part::Request => {
                own.request = Some(Side { path: operation.at.clone(), roots: all });
            }
            // Only a success in JSON is a response that counts.
            Part::Response if is_counted(unit) => {
                let status = unit.status.as_deref().unwrap_or_default();
                let path = format!("{}/responses/{status}", operation.at);
                let side = own.response.get_or_insert(Side { path, roots: Vec::new() });
                side.roots.extend(all);
            }
            Part::Response | Part::Parameters => own.others.extend(all),
        }
        self.operation_of.push(at);
        self.roots.push(roots);
    }

    /// What is broken in the schemas.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The canonical view of all schemas.
    #[must_use]
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// The operations with their schemas.
    #[must_use]
    pub fn operations(&self) -> &[coverage::Operation] {
        &self.operations
    }

    /// Every target in these dimensions, and how operations share them; what never goes the way that a schema is used is
    /// marked as out of reach.
    #[must_use]
    pub fn analyze(&self, dimensions: &[Dimension]) -> OperationUniverse {
        let mut universe = analyze_operations(&self.contract, &self.operations, dimensions);
        let roots = self.units.iter().zip(&self.roots);
        let roots = roots.flat_map(|(unit, roots)| roots.all().map(|root| (root, unit.part.direction())));
        let roots: Vec<(NodeId, Direction)> = roots.collect();
        close_one_way(self.api.stock(), &self.contract, &mut universe.universe, &roots);
        universe
    }

    /// What every schema is judged by.
    pub fn oracles(&self, formats: Formats) -> Result<Oracles<'_>, ApiError> {
        Ok(Oracles::of(&self.document, formats)?)
    }

    /// Marks in the universe what was missed and is proven unreachable, looking at no more targets than wanted.
    pub fn prove(
        &self,
        universe: &mut OperationUniverse,
        hits: &Hits,
        formats: Formats,
        wanted: usize,
    ) -> Proven {
        prove_missed(&self.document, &self.contract, formats, &mut universe.universe, hits, wanted)
    }

    /// The nodes that a unit's values start from.
    pub(crate) fn roots_of(&self, unit: usize) -> Vec<NodeId> {
        self.roots[unit].all().collect()
    }

    /// What a report says about operations.
    #[must_use]
    pub fn facts(&self, universe: &OperationUniverse, scope: OperationsScope) -> RunFacts {
        RunFacts {
            operations_scope: Some(scope),
            operations: universe.operations.clone(),
            ..RunFacts::default()
        }
    }
}

fn bare(key: &str) -> coverage::Operation {
    coverage::Operation { key: key.to_owned(), request: None, response: None, others: Vec::new() }
}

/// The schema of a unit's body, then those of its parameters, one for each.
fn spots_of<'u>(api: &'u Api, unit: &'u Unit) -> Vec<Option<&'u Spot>> {
    let parameters = match unit.part {
        Part::Request | Part::Parameters => api.operations()[unit.operation].parameters.as_slice(),
        Part::Response => &[],
    };
    let own = parameters.iter().map(|parameter| parameter.schema.as_ref());
    std::iter::once(unit.schema.as_ref()).chain(own).collect()
}

fn is_counted(unit: &Unit) -> bool {
    unit.status.as_deref().is_some_and(is_success) && unit.media_type.as_deref().is_some_and(is_answered)
}

/// Watches cases and keeps what they hit.
#[derive(Debug)]
pub struct Meter<'m> {
    suite: &'m Suite<'m>,
    universe: &'m OperationUniverse,
    observer: Observer<'m>,
}

impl<'m> Meter<'m> {
    /// A meter that has seen nothing yet.
    #[must_use]
    pub fn new(suite: &'m Suite<'m>, oracles: &'m Oracles<'m>, universe: &'m OperationUniverse) -> Self {
        Self { suite, universe, observer: Observer::new(&suite.contract, oracles, &universe.universe) }
    }

    /// Looks at a case of a unit, and says whether it is the first to hit something.
    pub fn observe(&mut self, unit: usize, case: &Case, number: u64) -> bool {
        let before = self.observer.hits().count();
        let UnitRoots { body, parameters } = &self.suite.roots[unit];
        if let (Some(root), Some(value)) = (body, &case.body) {
            self.observer.observe(*root, value, number);
        }
        let Unit { operation, part, .. } = &self.suite.units[unit];
        let known = &self.suite.api.operations()[*operation].parameters;
        for argument in &case.arguments {
            let is_it =
                |at: &usize| known[*at].name == argument.name && known[*at].location == argument.location;
            let at = (0..known.len()).find(is_it);
            if let Some(root) = at.and_then(|at| parameters.get(at).copied().flatten()) {
                self.observer.observe(root, &argument.value, number);
            }
        }
        let at = self.suite.operation_of[unit];
        let own = match part {
            Part::Request => self.universe.requests[at],
            Part::Response => self.universe.responses[at].filter(|_| is_counted(&self.suite.units[unit])),
            Part::Parameters => None,
        };
        if let Some(target) = own {
            self.observer.record(target, number);
        }
        self.observer.hits().count() > before
    }

    /// What was hit so far.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        self.observer.hits()
    }
}
