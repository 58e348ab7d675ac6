//! Coverage over the whole corpus: measuring changes nothing, guided runs repeat themselves to the byte, ids depend on
//! nothing that happens at run time, AJV accepts what guided runs emit, and versions of a real schema are compared.

use std::collections::BTreeSet;

use probity_schema::coverage::{
    CoverageReport, Dimension, Observer, PROFILES, PlanOptions, RunFacts, TargetReport, analyze, diff,
    evaluate, plan,
};
use probity_schema::{Dialect, Document, Formats, Oracles, ReadOptions, Source, SourceOptions};
use probity_testkit::ajv::{Judge, Question, Verdict};
use probity_testkit::corpus::Corpus;
use probity_testkit::{Draft, skip};
use serde_json::Value;

const ALL: &[Dimension] =
    &[Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries];

/// A contract made ready; `None` for what cannot be served, which is looked at elsewhere.
fn ready(text: &str, dialect: Option<Dialect>) -> Option<(Document, Source)> {
    let document = Document::read(text, &ReadOptions { dialect, ..ReadOptions::default() }).ok()?;
    let source = Source::of(&document, &SourceOptions::default()).ok()?;
    Some((document, source))
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().map(Value::to_string).collect()
}

fn ids(report: &CoverageReport) -> BTreeSet<&str> {
    report.targets.iter().map(|target| target.id.as_str()).collect()
}

/// A guided run: its instances and its report.
fn guided(document: &Document, source: &Source, seed: u64, n: u64) -> (Vec<Value>, CoverageReport) {
    let oracles = Oracles::of(document, Formats::Assert).expect("the contract was read");
    let mut universe = analyze(source.contract(), ALL);
    let options = PlanOptions { seed, max_instances: n, budget: PROFILES[0].budget };
    let plan = plan(document, source, &oracles, &mut universe, &options);
    let facts = RunFacts {
        seed,
        max_instances: n,
        actual_instances: plan.instances.len() as u64,
        unsatisfied_hints: plan.unsatisfied_hints,
        planner_caps_hit: plan.caps,
        unplanned: plan.unplanned,
        notes: plan.notes,
        ..RunFacts::default()
    };
    (plan.instances, evaluate(&universe, &plan.hits, facts))
}

/// An ordinary run that is watched: its instances and its report.
fn measured(document: &Document, source: &Source, n: usize) -> (Vec<Value>, CoverageReport) {
    let oracles = Oracles::of(document, Formats::Assert).expect("the contract was read");
    let universe = analyze(source.contract(), ALL);
    let mut observer = Observer::new(source.contract(), &oracles, &universe);
    let mut values = Vec::new();
    for (number, value) in (0..).zip(source.instances(42).take(n).flatten()) {
        observer.observe(source.contract().roots()[0], &value, number);
        values.push(value);
    }
    let report = evaluate(&universe, observer.hits(), RunFacts::default());
    (values, report)
}

#[test]
fn over_the_corpus_coverage_changes_nothing_and_repeats_itself() {
    let Some(corpus) = Corpus::beside_workspace() else { return skip("no corpus beside the workspace") };
    let mut judge = Judge::start().expect("AJV is installed by `cargo xtask deps`");
    let mut n_schemas = 0;
    for record in corpus.records().expect("the index is read") {
        let Some((document, source)) = ready(&record.schema, Dialect::parse(record.draft.name())) else {
            continue;
        };
        let id = &record.id;
        n_schemas += 1;
        let off: Vec<Value> = source.instances(42).take(8).flatten().collect();
        let (values, measured) = measured(&document, &source, 8);
        assert_eq!(texts(&off), texts(&values), "{id}: measuring changed what is emitted");
        let (values, report) = guided(&document, &source, 1, 6);
        let (again, repeated) = guided(&document, &source, 1, 6);
        assert_eq!(texts(&values), texts(&again), "{id}: a guided run did not repeat itself");
        let as_text = |report: &CoverageReport| serde_json::to_string(report).expect("a report is JSON");
        assert_eq!(as_text(&report), as_text(&repeated), "{id}: a report did not repeat itself");
        assert_eq!(ids(&report), ids(&measured), "{id}: ids depend on the mode");
        assert!(values.iter().all(|value| source.oracle().is_valid(value)), "{id}: an invalid instance");
        // The suite's own groups have corners that AJV reads differently; real schemas do not.
        if !record.part.starts_with("jsts") {
            assert_accepted(id, &record.schema, record.draft, &values, &mut judge);
        }
    }
    assert!(n_schemas > 1_000, "only {n_schemas} schemas were looked at");
}

#[track_caller]
fn assert_accepted(id: &str, schema: &str, draft: Draft, values: &[Value], judge: &mut Judge) {
    let lines = texts(values);
    match judge.judge(&Question::new(schema, draft, &lines)).expect("AJV answers") {
        Verdict::Judged { rejected, notes: _ } => {
            assert!(rejected.is_empty(), "{id}: AJV rejects {rejected:?}");
        }
        // AJV's own limits; our validator has judged every instance.
        Verdict::Unavailable { .. } | Verdict::GaveUp { .. } => {}
    }
}

/// The names of the members that a schema declares at its root.
fn names(schema: &Value) -> BTreeSet<String> {
    schema["properties"].as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default()
}

#[test]
fn two_versions_of_a_real_schema_are_compared_target_by_target() {
    let Some(corpus) = Corpus::beside_workspace() else { return skip("no corpus beside the workspace") };
    for (before, after) in [("ninjs-1.2", "ninjs-1.3"), ("jreleaser-1.9.0", "jreleaser-1.14.0")] {
        let read = |name: &str| {
            let path = corpus.folder().join("schemastore").join(format!("{name}.json"));
            let text = std::fs::read_to_string(path).expect("the schema is there");
            let (document, source) = ready(&text, None).expect("the schema is served");
            (serde_json::from_str::<Value>(&text).expect("JSON"), document, source)
        };
        let ((old, old_document, old_source), (new, new_document, new_source)) = (read(before), read(after));
        // Everything is covered before, and one instance is all there is afterwards.
        let (_, left) = guided(&old_document, &old_source, 1, 100);
        let (_, right) = measured(&new_document, &new_source, 1);
        let diff = diff(&left, &right).expect("the reports can be compared");
        let in_left = |id: &str| left.targets.iter().find(|target| target.id == id);
        let in_right = |id: &str| right.targets.iter().find(|target| target.id == id);
        assert!(
            diff.added.iter().all(|target| in_left(&target.id).is_none() && in_right(&target.id).is_some())
        );
        assert!(
            diff.removed.iter().all(|target| in_left(&target.id).is_some() && in_right(&target.id).is_none())
        );
        let n_both = left.targets.iter().filter(|target| in_right(&target.id).is_some()).count();
        assert_eq!(diff.n_unchanged + diff.status_changed.len(), n_both, "{before}");
        assert_eq!(diff.removed.len() + n_both, left.targets.len(), "{before}");
        assert_eq!(diff.added.len() + n_both, right.targets.len(), "{before}");
        let named = |targets: &[TargetReport], name: &str| {
            let place = format!("#/properties/{name}");
            targets.iter().any(|target| target.canon_path == place)
        };
        for name in names(&new).difference(&names(&old)) {
            assert!(named(&diff.added, name), "{after} declares {name}, and it is not among what was added");
        }
        for name in names(&old).difference(&names(&new)) {
            assert!(
                named(&diff.removed, name),
                "{before} declares {name}, and it is not among what was removed"
            );
        }
        let lost = |id: &str| {
            in_left(id).is_some_and(|target| target.hit)
                && in_right(id).is_some_and(|target| !target.hit && target.status == "active")
        };
        let newly: BTreeSet<&str> = diff.newly_uncovered.iter().map(|target| target.id.as_str()).collect();
        assert_eq!(newly, ids(&left).into_iter().filter(|id| lost(id)).collect(), "{before}");
        assert!(diff.new_gaps.iter().all(|target| !target.hit && in_left(&target.id).is_none()), "{before}");
        assert!(
            !newly.is_empty() && diff.is_regression(),
            "{before}: one instance covers less than a hundred"
        );
    }
}
