//! What was counted for each tool, put together into one set of targets, and its figures.

use std::collections::BTreeMap;

use probity_schema::coverage::{
    Aim, CoverageMode, Dimension, Hint, HintKind, Hits, Joined, OperationTargets, ReasonCode, RunFacts,
    Status, Target, Universe, UnsatisfiedHint, evaluate, percent,
};
use serde_json::{Value, json};

use crate::mcp::contract::ground::{Ground, INPUT, Side};
use crate::mcp::contract::{ContractOptions, ContractSummary, Measured, ToolContract};

/// What was counted for one tool.
pub(super) struct Counted<'a> {
    pub(super) ground: &'a Ground,
    pub(super) accepted: Hits,
    pub(super) sent: Hits,
    pub(super) answers: Option<Hits>,
    pub(super) first: FirstCalls,
}

/// The first calls of a tool, by their number.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FirstCalls {
    pub(super) sent: Option<u64>,
    /// The first that was answered with a success.
    pub(super) accepted: Option<u64>,
    /// The first whose structured content fits the output schema.
    pub(super) answered: Option<u64>,
}

/// Brings the tools together; each is an operation under its name.
pub(super) fn join(
    tools: Vec<Counted<'_>>,
    options: &ContractOptions,
    first: BTreeMap<u64, Value>,
) -> Measured {
    let ContractOptions { mode, dimensions, budget: _, min_coverage, exclude_unreachable } = options;
    let has_own = dimensions.contains(&Dimension::Operations);
    let (mut joined, mut sent) = (Joined::new(dimensions), Joined::new(dimensions));
    let mut operations = Vec::new();
    for Counted { ground, accepted, sent: was_sent, answers, first } in tools {
        let Ground { name, input, output, blueprint: _ } = ground;
        let mut own: Vec<usize> = Vec::new();
        let mut add = |side: &Side, hit: &Hits, with_sent: &Hits| {
            let Side { home, contract, universe, document: _ } = side;
            own.extend(joined.add(home, contract, universe, hit));
            sent.add(home, contract, universe, with_sent);
        };
        add(input, &accepted, &was_sent);
        if let (Some(side), Some(answers)) = (output, &answers) {
            add(side, answers, answers);
        }
        let key = || name.clone();
        let mut call = |side: &Side, aim: Aim, hit: Option<u64>, with_sent: Option<u64>| {
            let mut target = Target::new(side.contract.roots()[0], &side.home, aim);
            target.operation_key = Some(key());
            sent.target(target.clone(), with_sent);
            own.push(joined.target(target, hit));
        };
        if has_own {
            call(input, Aim::Request { key: key() }, first.accepted, first.sent);
        }
        if let Some(side) = output.as_ref().filter(|_| has_own && answers.is_some()) {
            call(side, Aim::Response { key: key() }, first.answered, first.answered);
        }
        operations.push(OperationTargets { key: key(), targets: own });
    }
    let Joined { mut universe, hits } = joined;
    let Joined { universe: _, hits: sent } = sent;
    // What was sent and turned down is worth knowing: the contract allows it and the server does not.
    for (at, target) in universe.targets.iter_mut().enumerate() {
        if let Some(number) = sent.first(at) {
            target.meta.insert("firstSent".to_owned(), Value::from(number));
        }
    }
    let mut facts = RunFacts {
        mode: *mode,
        exclude_unreachable: *exclude_unreachable,
        min_coverage: *min_coverage,
        operations_scope: None,
        operations,
        ..RunFacts::default()
    };
    let figures = evaluate(&universe, &sent, facts.clone()).metrics;
    facts.notes.push(json!({
        "code": "sent",
        "text": format!(
            "a target of a request is hit by calls that were accepted; with all that were sent it would be {} overall",
            percent(figures.overall)
        ),
        "overall": figures.overall,
        "byOperation": figures.by_operation,
    }));
    if *mode == CoverageMode::Guided {
        facts.unsatisfied_hints = unsatisfied(&universe, &hits, &sent);
    }
    Measured { universe, hits, sent, facts, first }
}

/// The hints of the targets of requests that were missed, each with the reason; answers are not aimed at.
fn unsatisfied(universe: &Universe, hits: &Hits, sent: &Hits) -> Vec<UnsatisfiedHint> {
    let is_request = |target: &Target| target.canon_path.split('/').nth(3) == Some(INPUT);
    let missed =
        universe.targets.iter().enumerate().filter(|(at, target)| is_request(target) && !hits.has(*at));
    let told = missed.filter_map(|(at, target)| {
        let hint = Hint::of(target)?;
        let cause = target.meta.get("cause").and_then(Value::as_str).map(str::to_owned);
        let (code, detail) = match (target.status, hint.kind) {
            (Status::Unreachable, HintKind::PreferBranch) => (ReasonCode::UnreachableBranch, cause),
            (Status::Unreachable, _) => (ReasonCode::ConflictingConstraints, cause),
            _ if sent.has(at) => (ReasonCode::Unknown, Some("it was sent, and never accepted".to_owned())),
            _ => {
                let why = "no call showed it: the calls ended, or no known value leads there";
                (ReasonCode::Unknown, Some(why.to_owned()))
            }
        };
        Some(hint.unsatisfied(code, detail))
    });
    told.collect()
}

/// The figures for the report of a run.
pub(crate) fn summary(measured: &Measured) -> ContractSummary {
    let Measured { universe, hits, sent, facts, first: _ } = measured;
    let counts = |at: &usize| match universe.targets[*at].status {
        Status::Active => true,
        Status::Unreachable => !facts.exclude_unreachable || hits.has(*at),
        _ => false,
    };
    let tools = facts.operations.iter().map(|OperationTargets { key, targets }| {
        let counted: Vec<usize> = targets.iter().copied().filter(counts).collect();
        let n = |hits: &Hits| counted.iter().filter(|at| hits.has(**at)).count();
        ToolContract {
            name: key.clone(),
            n_targets: counted.len(),
            n_hit: n(hits),
            n_sent: n(sent),
            share: share(n(hits), counted.len()),
        }
    });
    let overall = |hits: &Hits| evaluate(universe, hits, facts.clone()).metrics.overall;
    debug_assert!(facts.mode != CoverageMode::Off, "nothing is measured unless that was asked for");
    ContractSummary { mode: facts.mode, overall: overall(hits), sent: overall(sent), tools: tools.collect() }
}

/// A part of a whole; all of nothing is everything.
fn share(part: usize, whole: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count of targets is far below 2^52")]
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
