//! The enum dimension: was every listed value used.
//!
//! A `const` is an enumeration of one value: a union of constants, which many contracts write instead of `enum`, thus
//! has one target for each of its values.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::contract::{Contract, Keywords, NodeId};
use crate::coverage::target::{Aim, Target};
use crate::json::fingerprint;

/// The longest enumeration of which every value is a target; of a longer one this many are, evenly spread.
pub const ENUM_SAMPLE: usize = 1_000;

/// Adds `ENUM_VALUE_HIT` of one node: every value, or an even sample of a very long list, which the meta says.
pub(crate) fn targets(contract: &Contract, id: NodeId, out: &mut Vec<Target>) {
    let node = contract.node(id);
    let Some(keywords) = node.keywords() else { return };
    let values = match (&keywords.enumeration, &keywords.constant) {
        (Some(values), _) => values.as_slice(),
        (None, Some(value)) => std::slice::from_ref(value),
        (None, None) => return,
    };
    // Some dialects let a value stand twice; the first place speaks for both.
    let mut seen = BTreeSet::new();
    let distinct: Vec<usize> =
        (0..values.len()).filter(|at| seen.insert(fingerprint(&values[*at]))).collect();
    let sampled = sample(distinct.len());
    let is_subsampled = sampled.len() < distinct.len();
    for at in &sampled {
        let index = distinct[*at];
        let value = &values[index];
        let mut target = Target::new(id, &node.path, Aim::Value { index, value: value.clone() });
        if is_subsampled {
            target.meta.insert("enumSubsampled".to_owned(), Value::Bool(true));
            target.meta.insert("enumValues".to_owned(), Value::from(distinct.len()));
            target.meta.insert("enumTargets".to_owned(), Value::from(sampled.len()));
        }
        out.push(match excluded(keywords, value) {
            Some(cause) => target.unreachable(cause),
            None => target,
        });
    }
}

/// Positions evenly spread over a list, the first and the last among them.
fn sample(n: usize) -> Vec<usize> {
    if n <= ENUM_SAMPLE {
        return (0..n).collect();
    }
    (0..ENUM_SAMPLE).map(|at| at * (n - 1) / (ENUM_SAMPLE - 1)).collect()
}

/// Why the node itself leaves the value out, when that is plain.
fn excluded(keywords: &Keywords, value: &Value) -> Option<&'static str> {
    if !keywords.types.is_empty() && !keywords.types.iter().any(|name| super::may_be(value, name)) {
        return Some("the type leaves this value out");
    }
    let other = keywords.constant.as_ref().is_some_and(|constant| !crate::json::same(constant, value));
    other.then_some("const leaves this value out")
}
