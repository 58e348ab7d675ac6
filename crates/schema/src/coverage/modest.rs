//! Budgets for one schema among many: one that unfolds very far is looked at less closely.

use crate::contract::{Contract, NodeId};
use crate::coverage::candidate::CandidateBudget;
use crate::coverage::graph::Graph;
use crate::pipeline::Source;

/// Rules of a sampler times candidates drawn from it, and times targets aimed at one by one.
const SWEEP_RULES: usize = 20_000_000;
const AIM_RULES: usize = 400_000;
/// Alternatives that make a choice a wide one.
const WIDE: usize = 8;
/// Wide choices that are looked at.
const MOST_WIDE: usize = 200;

/// The budget of one schema among hundreds.
#[must_use]
pub fn within_reason(budget: CandidateBudget, source: &Source, graph: &Graph) -> CandidateBudget {
    let CandidateBudget { n_sweep, n_chance, n_aims } = budget;
    let n_rules = source.n_rules().max(1);
    let is_endless = has_endless_choice(source.contract(), graph);
    CandidateBudget {
        n_sweep: n_sweep.min((SWEEP_RULES / n_rules).max(40)),
        n_chance: n_chance.min((SWEEP_RULES / n_rules).max(40)),
        // Each aim composes and compiles the schema anew, which takes seconds where a wide choice contains itself.
        n_aims: if is_endless { 0 } else { n_aims.min((AIM_RULES / n_rules).max(4)) },
    }
}

/// Whether a wide choice can be met inside one of its own alternatives.
fn has_endless_choice(contract: &Contract, graph: &Graph) -> bool {
    let is_wide = |id: &&NodeId| {
        let keywords = contract.node(**id).keywords();
        keywords.is_some_and(|keywords| keywords.one_of.len().max(keywords.any_of.len()) >= WIDE)
    };
    graph.nodes().iter().filter(is_wide).take(MOST_WIDE).any(|id| {
        let Some(keywords) = contract.node(*id).keywords() else { return false };
        [&keywords.one_of, &keywords.any_of]
            .into_iter()
            .any(|branches| branches.len() >= WIDE && graph.below(branches)[id.index()])
    })
}
