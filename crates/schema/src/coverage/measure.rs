//! Coverage of instances that exist already: fixtures, examples, recorded traffic.

use serde_json::Value;

use crate::contract::{Contract, NodeId};
use crate::coverage::analyze::Universe;
use crate::coverage::hits::Hits;
use crate::coverage::observe::Observer;
use crate::json::Pointer;
use crate::validate::{Oracle, Oracles, Violation};

/// Most violations told of one instance.
const VIOLATIONS: usize = 100;

/// An instance with the name it is told by: a file, or a file and a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The instance.
    pub value: Value,
}

/// What a set of instances covers.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What the valid ones hit; positions count all instances, valid or not.
    pub hits: Hits,
    /// How many are valid.
    pub n_valid: u64,
    /// Those that are not, with the reasons.
    pub invalid: Vec<Invalid>,
}

/// An instance that the contract rejects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Its name.
    pub name: String,
    /// Where and why.
    pub violations: Vec<Violation>,
    /// Whether there are more that were not looked for.
    pub is_cut: bool,
}

/// Measures instances one after the other. An invalid one hits nothing.
pub fn measure(
    contract: &Contract,
    oracles: &Oracles<'_>,
    oracle: &Oracle,
    universe: &Universe,
    instances: impl IntoIterator<Item = Named>,
) -> Measured {
    let root: NodeId = contract.roots()[0];
    let mut observer = Observer::new(contract, oracles, universe);
    let mut n_valid = 0;
    let mut invalid = Vec::new();
    for (number, Named { name, value }) in (0..).zip(instances) {
        if oracle.is_valid(&value) {
            n_valid += 1;
            observer.observe(root, &value, number);
        } else {
            let mut violations = oracle.violations(&value, VIOLATIONS + 1);
            let is_cut = violations.len() > VIOLATIONS;
            violations.truncate(VIOLATIONS);
            invalid.push(Invalid { name, violations: own(violations), is_cut });
        }
    }
    Measured { hits: observer.hits().clone(), n_valid, invalid }
}

/// Violations without those that only follow from others: a member that is wrong counts as unevaluated, and so as not allowed.
fn own(violations: Vec<Violation>) -> Vec<Violation> {
    let is_wrong = |place: &Pointer| violations.iter().any(|one| one.instance.is_within(place));
    let follows = |one: &Violation| {
        let Violation { instance, keyword, members, .. } = one;
        keyword == "unevaluatedProperties"
            && !members.is_empty()
            && members.iter().all(|name| is_wrong(&instance.child(name)))
    };
    let is_own: Vec<bool> = violations.iter().map(|one| !follows(one)).collect();
    violations.into_iter().zip(is_own).filter(|(_, is_own)| *is_own).map(|(one, _)| one).collect()
}
