//! The door to the pipeline: a schema and a plan go in; instances, and what is to be said about them, come out.
//!
//! Nothing else in the corpus run knows how instances are made.

use std::ops::ControlFlow;

use probity_schema::{Dialect, Document, Job, ReadOptions, Source, SourceError, SourceOptions, Stop};

use crate::options::Options;
use crate::subject::Subject;

/// How instances are to be drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// How many, over all shards.
    pub(crate) n: u64,
    pub(crate) seed: u64,
    pub(crate) n_threads: usize,
    pub(crate) shard: Shard,
}

impl Plan {
    /// What the options mean for one schema; each of the suite's many groups is drawn from less often.
    pub(crate) fn of(options: &Options, subject: &Subject) -> Self {
        let usual = if subject.part.starts_with("jsts") { 10 } else { 100 };
        Self { n: options.n.unwrap_or(usual), seed: options.seed, n_threads: 1, shard: WHOLE }
    }
}

/// One of several runs that together make the whole: the `index`-th, from 0, `of` so many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shard {
    pub(crate) index: u64,
    pub(crate) of: u64,
}

/// Not cut into shards.
pub(crate) const WHOLE: Shard = Shard { index: 0, of: 1 };

/// What came of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Instances came; fewer than asked for if `shortfall` says why.
    Served(Batch),
    /// The pipeline proved that there are no instances.
    Unsatisfiable { cause: String },
    /// The pipeline could not begin.
    Refused { reason: String },
}

/// Instances, and the pipeline's own figures about them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Each as JSON text, as it would be written.
    pub(crate) instances: Vec<String>,
    /// Why there are fewer than asked for.
    pub(crate) shortfall: Option<String>,
    /// How many instances needed repair.
    pub(crate) n_repairs: u64,
    /// Whether composing was exact, so that repair should have had nothing to do.
    pub(crate) is_exact: bool,
    /// What was understood only partly.
    pub(crate) notes: Vec<String>,
}

/// Anything that draws instances; the run takes it as an argument so that tests can put another in its place.
pub(crate) type Generate = fn(&Subject, &Plan) -> Outcome;

/// Draws from the project's own pipeline.
pub(crate) fn pipeline(subject: &Subject, plan: &Plan) -> Outcome {
    let options = ReadOptions { dialect: Dialect::parse(subject.draft.name()), ..ReadOptions::default() };
    let source = Document::read(&subject.text, &options)
        .map_err(SourceError::from)
        .and_then(|document| Source::of(&document, &SourceOptions::default()));
    let source = match source {
        Ok(source) => source,
        Err(error @ SourceError::Unsatisfiable { .. }) => {
            return Outcome::Unsatisfiable { cause: error.to_string() };
        }
        Err(error) => return Outcome::Refused { reason: error.to_string() },
    };
    let Plan { n, seed, n_threads, shard } = *plan;
    let job = Job { seed, range: 0..n, n_threads }.shard(shard.index, shard.of);
    let mut instances = Vec::new();
    let (metrics, stop) = source.run(
        &job,
        |value| value.to_string(),
        |text| {
            instances.push(text);
            ControlFlow::Continue(())
        },
    );
    let shortfall = stop.map(|stop| match stop {
        Stop::GaveUp(gave_up) => gave_up.to_string(),
        other => format!("{other:?}"),
    });
    Outcome::Served(Batch {
        instances,
        shortfall,
        n_repairs: metrics.n_repaired + metrics.n_discarded,
        is_exact: source.is_exact(),
        notes: source.notes().iter().map(|note| format!("at {}: {}", note.at, note.text)).collect(),
    })
}
