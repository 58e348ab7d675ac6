//! Every schema of the corpus is served: in full, valid for our validator and for AJV 8, varied, unmended where
//! composing is exact, the same bytes every time.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use probity_schema::{Dialect, Document, Job, Metrics, ReadOptions, Source, SourceError, SourceOptions};
use probity_testkit::ajv::{Judge, Question, Verdict};
use probity_testkit::corpus::Corpus;
use probity_testkit::corpus::suite::group;
use probity_testkit::{Draft, skip};

/// Instances that say next to nothing.
const TRIVIAL: &[&str] = &["{}", "[]", "\"\"", "null"];

/// What came of one part of the corpus.
#[derive(Debug, Default)]
struct Tally {
    n_schemas: usize,
    n_instances: usize,
    n_trivial: usize,
    exceptions: Vec<String>,
}

impl Tally {
    #[track_caller]
    fn assert_floor(&self, part: &str) {
        let Self { n_schemas, n_instances, n_trivial, exceptions } = self;
        assert!(*n_schemas > 0, "{part}: the corpus has none");
        let most = *n_schemas / 200;
        assert!(
            exceptions.len() <= most,
            "{part}: {} of {n_schemas}:\n{}",
            exceptions.len(),
            exceptions.join("\n")
        );
        if part == "schemastore" {
            assert!(n_trivial * 20 <= *n_instances, "{part}: {n_trivial} trivial ones of {n_instances}");
        }
    }
}

fn instances(source: &Source, job: &Job) -> (Vec<String>, Metrics) {
    let mut lines = Vec::new();
    let keep = |line| {
        lines.push(line);
        ControlFlow::Continue(())
    };
    let (metrics, _) = source.run(job, |value| value.to_string(), keep);
    (lines, metrics)
}

/// How many lines differ.
fn n_distinct(lines: &[String]) -> usize {
    lines.iter().collect::<BTreeSet<_>>().len()
}

/// Whether nine in ten differ, or as many as ten times the draws can find.
fn is_varied(source: &Source, job: &Job, lines: &[String]) -> bool {
    let enough = |most: usize| n_distinct(lines) * 10 >= most * 9;
    let more = || instances(source, &Job { range: 0..lines.len() as u64 * 10, ..job.clone() }).0;
    enough(lines.len()) || enough(n_distinct(&more()).min(lines.len()))
}

/// Draws from one schema and looks at the result with both validators; the instances, or the exception if it is one.
fn examine(
    id: &str,
    text: &str,
    draft: Draft,
    n: u64,
    known: &[String],
    judge: &mut Judge,
) -> Result<Vec<String>, String> {
    let options = ReadOptions { dialect: Dialect::parse(draft.name()), ..ReadOptions::default() };
    let source = Document::read(text, &options)
        .map_err(SourceError::from)
        .and_then(|document| Source::of(&document, &SourceOptions::default()))
        .map_err(|error| format!("{id}: {error}"))?;
    let job = Job { seed: 42, range: 0..n, n_threads: 1 };
    let (lines, metrics) = instances(&source, &job);
    if (lines.len() as u64) < n {
        return Err(format!("{id}: {} instances of {n}", lines.len()));
    }
    if source.is_exact() && metrics.n_repaired + metrics.n_discarded > 0 {
        return Err(format!("{id}: composing is exact, and yet {} were mended", metrics.n_repaired));
    }
    if !is_varied(&source, &job, &lines) {
        return Err(format!("{id}: {} distinct of {n}", n_distinct(&lines)));
    }
    if lines != instances(&source, &Job { n_threads: 2, ..job.clone() }).0 {
        return Err(format!("{id}: other bytes from two threads"));
    }
    let shards: Vec<String> = (0..4).flat_map(|shard| instances(&source, &job.shard(shard, 4)).0).collect();
    if lines != shards {
        return Err(format!("{id}: other bytes from four shards"));
    }
    let mut ask = |instances: &[String]| {
        judge.judge(&Question::new(text, draft, instances)).map_err(|error| format!("{id}: {error}"))
    };
    let n_rejected = |verdict: &Verdict| match verdict {
        Verdict::Judged { rejected, notes: _ } => rejected.len(),
        // AJV's own limits; our validator has judged every instance before it was given out.
        Verdict::Unavailable { .. } | Verdict::GaveUp { .. } => 0,
    };
    // Where AJV turns away what the suite itself calls valid, the suite decides.
    if n_rejected(&ask(&lines)?) == 0 || (!known.is_empty() && n_rejected(&ask(known)?) > 0) {
        return Ok(lines);
    }
    Err(format!("{id}: AJV rejects instances of it"))
}

#[test]
fn every_schema_of_the_corpus_is_served_and_both_validators_agree() {
    let Some(corpus) = Corpus::beside_workspace() else { return skip("no corpus beside the workspace") };
    let mut judge = Judge::start().expect("AJV is installed by `cargo xtask deps`");
    let groups = corpus.groups().expect("the suite is read");
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for record in corpus.records().expect("the index is read") {
        let n = if record.part.starts_with("jsts") { 10 } else { 100 };
        let tests = group(&groups, &record.id).map(|group| group.tests.as_slice()).unwrap_or_default();
        let known: Vec<String> =
            tests.iter().filter(|test| test.is_valid).map(|test| test.data.get().to_owned()).collect();
        let tally = tallies.entry(record.part).or_default();
        tally.n_schemas += 1;
        match examine(&record.id, &record.schema, record.draft, n, &known, &mut judge) {
            Ok(lines) => {
                tally.n_instances += lines.len();
                tally.n_trivial += lines.iter().filter(|line| TRIVIAL.contains(&line.as_str())).count();
            }
            Err(exception) => tally.exceptions.push(exception),
        }
    }
    for (part, tally) in &tallies {
        tally.assert_floor(part);
    }
}

#[test]
fn no_group_of_the_suite_with_a_valid_instance_is_called_unsatisfiable() {
    let Some(corpus) = Corpus::beside_workspace() else { return skip("no corpus beside the workspace") };
    for group in corpus.groups().expect("the suite is read").iter().filter(|group| group.is_satisfiable) {
        let options = ReadOptions { dialect: Dialect::parse(group.draft.name()), ..ReadOptions::default() };
        let source = Document::read(group.schema.get(), &options)
            .map_err(SourceError::from)
            .and_then(|document| Source::of(&document, &SourceOptions::default()));
        assert!(
            !matches!(source, Err(SourceError::Unsatisfiable { .. })),
            "{}: {:?}",
            group.id,
            source.err()
        );
    }
}
