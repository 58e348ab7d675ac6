//! Guided runs: each unit is planned by itself, so that a selection of operations changes nothing about any of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use serde_json::{Value, json};

use crate::coverage::{
    CandidateBudget, Dimension, Hits, OperationUniverse, Plan, PlanOptions, PlannerCapHit, RunFacts, Status,
    analyze, ending, plan, unsatisfied, within_reason,
};
use crate::draw::derive_seed;
use crate::openapi::feed::{Feed, Ready, reads_back};
use crate::openapi::one_way::close_one_way;
use crate::openapi::operation::Operation;
use crate::openapi::parameter::Parameter;
use crate::openapi::problem::Problem;
use crate::openapi::suite::Suite;
use crate::openapi::unit::{Case, Part, Unit, digest};
use crate::validate::Oracles;

/// What a guided run is asked for.
#[derive(Debug, Clone)]
pub struct GuideOptions {
    /// The user's seed.
    pub seed: u64,
    /// What looking for candidates may cost, for each schema.
    pub budget: CandidateBudget,
    /// The dimensions that are aimed at.
    pub dimensions: Vec<Dimension>,
    /// How many threads plan; the cases do not depend on it.
    pub n_threads: usize,
}

/// The plan of one unit.
#[derive(Debug, Clone, Default)]
pub struct UnitPlan {
    /// The cases, all valid.
    pub cases: Vec<Case>,
    /// What stood in the way.
    pub problems: Vec<Problem>,
    /// Ids of the targets that the unit's schemas have.
    known: Vec<String>,
    /// Ids of those that are proven unreachable from here, with the cause.
    proven: Vec<(String, String)>,
    /// Ids of those that a budget left out.
    unplanned: Vec<String>,
    /// Ids of those that a repair undid.
    undone: Vec<String>,
}

/// Plans units, each within its budget, and hands them over in their order.
pub fn guide(
    feed: &Feed<'_>,
    units: &[Unit],
    budgets: &[u64],
    options: &GuideOptions,
    mut take: impl FnMut(usize, UnitPlan),
) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (send, receive) = channel();
        for _ in 0..options.n_threads.clamp(1, units.len().max(1)) {
            let (send, next) = (send.clone(), &next);
            let work = move || loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(unit) = units.get(at) else { break };
                if send.send((at, planned(feed, unit, budgets[at], options))).is_err() {
                    break;
                }
            };
            let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            started.expect("the system gives us one more thread");
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (at, plan) in receive {
            waiting.insert(at, plan);
            while let Some(plan) = waiting.remove(&due) {
                take(due, plan);
                due += 1;
            }
        }
    });
}

/// Walking instances calls itself as deep as they nest.
const STACK: usize = 64 << 20;

fn planned(feed: &Feed<'_>, unit: &Unit, budget: u64, options: &GuideOptions) -> UnitPlan {
    let mut planned = UnitPlan::default();
    if budget == 0 {
        return planned;
    }
    let operation = &feed.api.operations()[unit.operation];
    let seed = unit.seed(options.seed, &operation.key);
    let bodies = match feed.body(unit) {
        Ok(Some(ready)) => Some(planned.schema(feed, &ready, seed, budget, options)),
        Ok(None) => None,
        Err(problem) => {
            planned.problems.push(problem);
            return planned;
        }
    };
    let mut columns = Vec::new();
    let parameters = if unit.part == Part::Response { &[][..] } else { operation.parameters.as_slice() };
    for parameter in parameters {
        let own = derive_seed(seed, &[digest(parameter.location.name()), digest(&parameter.name)]);
        match planned.column(feed, operation, parameter, own, budget, options) {
            Ok(values) => columns.push((parameter, values)),
            Err(problem) => {
                planned.problems.push(problem);
                // A request is whole without a parameter that it need not have.
                if parameter.is_required {
                    return planned;
                }
            }
        }
    }
    let longest = columns.iter().map(|(_, values)| values.len()).chain(bodies.iter().map(Vec::len)).max();
    let n_cases = u64::try_from(longest.unwrap_or(0).max(1)).unwrap_or(u64::MAX).min(budget);
    for index in 0..usize::try_from(n_cases).unwrap_or(usize::MAX) {
        let body = match &bodies {
            Some(bodies) if bodies.is_empty() => break,
            Some(bodies) => Some(bodies[index % bodies.len()].clone()),
            None => None,
        };
        let present =
            columns.iter().filter(|(parameter, values)| parameter.is_required || index < values.len());
        let values = present.map(|(parameter, values)| (*parameter, values[index % values.len()].clone()));
        match feed.assembled(unit, body, values.collect()) {
            Ok(case) => planned.cases.push(case),
            Err(problem) => planned.problems.push(problem),
        }
    }
    planned
}

impl UnitPlan {
    /// The values of one parameter, all of which read back; a required one has at least one.
    fn column(
        &mut self,
        feed: &Feed<'_>,
        operation: &Operation,
        parameter: &Parameter,
        seed: u64,
        budget: u64,
        options: &GuideOptions,
    ) -> Result<Vec<Value>, Problem> {
        let ready = feed.parameter(operation, parameter)?;
        let mut values = self.schema(feed, &ready, seed, budget, options);
        values.retain(|value| reads_back(parameter, &ready.source, value));
        if values.is_empty() {
            values.extend(feed.value(operation, parameter, seed, 0)?);
        }
        Ok(values)
    }

    /// Plans one schema and keeps what was found out about its targets.
    fn schema(
        &mut self,
        feed: &Feed<'_>,
        ready: &Ready,
        seed: u64,
        max_instances: u64,
        options: &GuideOptions,
    ) -> Vec<Value> {
        let Ok(oracles) = Oracles::of(&ready.document, feed.options().formats) else { return Vec::new() };
        let contract = ready.source.contract();
        let mut universe = analyze(contract, &options.dimensions);
        close_one_way(feed.api.stock(), contract, &mut universe, &[(contract.roots()[0], ready.direction)]);
        let budget = within_reason(options.budget, &ready.source);
        let wanted = PlanOptions { seed, max_instances, budget };
        let Plan { instances, unplanned, undone, .. } =
            plan(&ready.document, &ready.source, &oracles, &mut universe, &wanted);
        self.unplanned.extend(unplanned.into_iter().map(|at| universe.targets[at].id.clone()));
        self.undone.extend(undone.into_iter().map(|at| universe.targets[at].id.clone()));
        for target in universe.targets {
            if target.status == Status::Unreachable {
                let cause = target.meta.get("cause").and_then(Value::as_str).unwrap_or_default();
                self.proven.push((target.id.clone(), cause.to_owned()));
            }
            self.known.push(target.id);
        }
        if instances.is_empty() {
            // A schema without targets in these dimensions still has values.
            let drawn = ready.source.instance(seed, 0, &mut crate::pipeline::Metrics::default());
            return drawn.into_iter().collect();
        }
        instances
    }
}

/// What all plans together say about targets: proofs that hold for every operation, and what budgets left out.
#[derive(Debug, Default)]
pub struct Ledger {
    known: BTreeMap<String, u32>,
    proven: BTreeMap<String, (u32, String)>,
    unplanned: BTreeSet<String>,
    undone: BTreeSet<String>,
    /// Units without a plan, because they had no budget.
    idle: Vec<usize>,
    /// Units without a plan, because nothing can be made for them: no budget helps there.
    broken: Vec<usize>,
}

impl Ledger {
    /// Enters the plan of a unit.
    pub fn enter(&mut self, unit: usize, plan: &UnitPlan) {
        for id in &plan.known {
            *self.known.entry(id.clone()).or_default() += 1;
        }
        for (id, cause) in &plan.proven {
            self.proven.entry(id.clone()).or_insert_with(|| (0, cause.clone())).0 += 1;
        }
        self.unplanned.extend(plan.unplanned.iter().cloned());
        self.undone.extend(plan.undone.iter().cloned());
        match (plan.cases.is_empty(), plan.problems.is_empty()) {
            (true, true) => self.idle.push(unit),
            (true, false) => self.broken.push(unit),
            (false, _) => {}
        }
    }

    /// Marks in the universe what every way is proven closed to.
    pub fn prove(&self, suite: &Suite<'_>, universe: &mut OperationUniverse) {
        let open = open(suite, universe, &[&self.idle[..], &self.broken].concat());
        for at in 0..universe.universe.targets.len() {
            let id = &universe.universe.targets[at].id;
            let n_known = self.known.get(id).copied().unwrap_or_default();
            if let Some((n, cause)) =
                self.proven.get(id).filter(|(n, _)| *n == n_known && !open.contains(&at))
            {
                debug_assert!(*n > 0, "a proof is entered with its plan");
                universe.universe.prove_unreachable(at, cause);
            }
        }
    }

    /// What a report says about the plan.
    #[must_use]
    pub fn facts(
        &self,
        suite: &Suite<'_>,
        universe: &OperationUniverse,
        hits: &Hits,
        (n, most): (u64, u64),
    ) -> RunFacts {
        let open = open(suite, universe, &self.idle);
        let targets = &universe.universe.targets;
        let is_left = |at: &usize| targets[*at].status == Status::Active && !hits.has(*at);
        let is_unplanned = |at: &usize| open.contains(at) || self.unplanned.contains(&targets[*at].id);
        let unplanned: Vec<usize> = (0..targets.len()).filter(|at| is_left(at) && is_unplanned(at)).collect();
        let undone: Vec<usize> =
            (0..targets.len()).filter(|at| self.undone.contains(&targets[*at].id)).collect();
        let mut notes = vec![ending(&universe.universe, hits, n, most, !unplanned.is_empty())];
        notes.push(json!({
            "code": "operation-budget",
            "text": format!(
                "{} parts of {} operations share at most {most} cases; {} have none",
                suite.units.len(),
                suite.operations().len(),
                self.idle.len() + self.broken.len()
            ),
        }));
        RunFacts {
            planner_caps_hit: caps(universe, &unplanned),
            unsatisfied_hints: unsatisfied(&universe.universe, hits, &unplanned, &undone),
            unplanned,
            notes,
            ..RunFacts::default()
        }
    }
}

/// The targets of some units.
fn open(suite: &Suite<'_>, universe: &OperationUniverse, units: &[usize]) -> BTreeSet<usize> {
    let roots: Vec<_> = units.iter().flat_map(|unit| suite.roots_of(*unit)).collect();
    let mut open: BTreeSet<usize> = universe.universe.below(&roots).into_iter().collect();
    for unit in units {
        let at = suite.operation_of[*unit];
        open.extend(match suite.units[*unit].part {
            Part::Request => universe.requests[at],
            Part::Response => universe.responses[at],
            Part::Parameters => None,
        });
    }
    open
}

/// For every operation and dimension in which targets were left out, how many.
fn caps(universe: &OperationUniverse, unplanned: &[usize]) -> Vec<PlannerCapHit> {
    let mut caps = Vec::new();
    for operation in &universe.operations {
        let is_left = |at: &&usize| unplanned.binary_search(at).is_ok();
        if !operation.targets.iter().any(|at| is_left(&at)) {
            continue;
        }
        for dimension in &universe.universe.dimensions {
            let is_of = |at: &&usize| universe.universe.targets[**at].dimension() == *dimension;
            let total = operation.targets.iter().filter(is_of).count() as u64;
            let left = operation.targets.iter().filter(is_of).filter(is_left).count() as u64;
            if left > 0 {
                caps.push(PlannerCapHit {
                    dimension: dimension.name().to_owned(),
                    scope_type: "operation".to_owned(),
                    scope_key: operation.key.clone(),
                    total_targets: total,
                    planned_targets: total - left,
                    unplanned_targets: left,
                });
            }
        }
    }
    caps
}
