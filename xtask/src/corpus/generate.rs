//! The door to the pipeline: a schema and a plan go in; instances, and what is to be said about them, come out.
//!
//! Nothing else in the corpus run knows how instances are made.

#![allow(dead_code, reason = "the pipeline is not connected")]

use crate::corpus::subject::Subject;

/// How instances are to be drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// How many, over all shards.
    pub(super) n: u64,
    pub(super) seed: u64,
    pub(super) n_threads: usize,
    pub(super) shard: Shard,
}

/// One of several runs that together make the whole: the `index`-th, from 0, `of` so many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shard {
    pub(super) index: u64,
    pub(super) of: u64,
}

/// Not cut into shards.
pub(super) const WHOLE: Shard = Shard { index: 0, of: 1 };

/// What came of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Instances came; fewer than asked for if `shortfall` says why.
    Served(Batch),
    /// The pipeline proved that there are no instances.
    Unsatisfiable { cause: String },
    /// The pipeline could not begin.
    Refused { reason: String },
}

/// Instances, and the pipeline's own figures about them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Batch {
    /// Each as JSON text, as it would be written.
    pub(super) instances: Vec<String>,
    /// Why there are fewer than asked for.
    pub(super) shortfall: Option<String>,
    /// How many instances needed repair.
    pub(super) n_repairs: u64,
    /// Whether composing was exact, so that repair should have had nothing to do.
    pub(super) is_exact: bool,
    /// What was understood only partly.
    pub(super) notes: Vec<String>,
}

/// Anything that draws instances; the run takes it as an argument so that tests can put another in its place.
pub(super) type Generate = fn(&Subject, &Plan) -> Outcome;

/// Draws from the project's own pipeline.
pub(super) fn pipeline(subject: &Subject, plan: &Plan) -> Outcome {
    let _ = (subject, plan);
    Outcome::Refused { reason: "the pipeline is not connected to this chore".to_owned() }
}
