//! Budgets for one schema among many: one that unfolds very far is looked at less closely.

use crate::coverage::candidate::CandidateBudget;
use crate::pipeline::Source;

/// Rules of a sampler times candidates drawn from it, and times targets aimed at one by one.
const SWEEP_RULES: usize = 20_000_000;
const AIM_RULES: usize = 400_000;

/// The budget of one schema among hundreds.
#[must_use]
pub fn within_reason(budget: CandidateBudget, source: &Source) -> CandidateBudget {
    let CandidateBudget { n_sweep, n_chance, n_aims } = budget;
    let n_rules = source.n_rules().max(1);
    CandidateBudget {
        n_sweep: n_sweep.min((SWEEP_RULES / n_rules).max(40)),
        n_chance: n_chance.min((SWEEP_RULES / n_rules).max(40)),
        n_aims: n_aims.min((AIM_RULES / n_rules).max(4)),
    }
}
