//! Sequences of calls, scenario by scenario: the corpus, who can be called, coverage rules, and how a run ends.

use std::collections::BTreeSet;
use std::rc::Rc;

use probity_drive::callable::{Blueprint, Sourcing, Stock, arguments, shortage};
use probity_drive::corpus::{Corpus, CorpusLimits, MineText, mine};
use probity_drive::mcp::{CoverageOptions, Options, Rule, Ruling};
use serde_json::{Number, Value, json};

use crate::scripted::{Driven, drive, short, tool};

fn string() -> Value {
    json!({ "type": "string" })
}

fn integer() -> Value {
    json!({ "type": "integer" })
}

/// A server that gives an id to those who ask and takes it from those who have one.
fn make_and_use() -> Vec<Value> {
    vec![
        tool("make", json!({}), &[], &[json!({ "id": "x-1" }), json!({ "id": "x-2" })]),
        tool("use", json!({ "id": string() }), &["id"], &[json!({ "ok": true })]),
    ]
}

fn texts(values: &[Value]) -> BTreeSet<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn corpus_of(results: &[Value]) -> Corpus {
    let mut corpus = Corpus::default();
    for (step, result) in results.iter().enumerate() {
        mine(&mut corpus, result, step, MineText::Never);
    }
    corpus
}

fn strings_of(corpus: &Corpus) -> Vec<&str> {
    corpus.strings().collect()
}

// Requirement: State-Machine Sequence Generation

#[tokio::test]
async fn state_machine_generator_is_enabled() {
    let driven = drive(&make_and_use(), short()).await;
    assert_eq!(driven.report.n_sequences, 8);
    assert!(driven.calls.len() > 8, "calls are drawn without choosing a generator");
}

#[tokio::test]
async fn tool_selection_per_step() {
    let driven = drive(&make_and_use(), short()).await;
    for sequence in driven.sequences() {
        assert_ne!(sequence.first(), Some(&"use"), "only a callable tool is selected: {sequence:?}");
    }
    assert!(!driven.of("use").is_empty());
}

#[tokio::test]
async fn new_corpus_values_unlock_tools() {
    let driven = drive(&make_and_use(), short()).await;
    for sequence in driven.sequences() {
        let first_use = sequence.iter().position(|tool| *tool == "use");
        let first_make = sequence.iter().position(|tool| *tool == "make");
        assert!(first_use.is_none_or(|used| first_make.is_some_and(|made| made < used)), "{sequence:?}");
    }
    assert!(driven.values("use", "id").contains(&json!("x-1")));
}

#[tokio::test]
async fn no_callable_tools_ends_the_run() {
    let tools = [tool("use", json!({ "id": string() }), &["id"], &[])];
    let driven = drive(&tools, Options { min_len: 0, ..short() }).await;
    assert_eq!(driven.calls.len(), 0);
    assert!(driven.report.findings.is_empty());
    assert_eq!(
        driven.failures(),
        ["nothing_succeeded"],
        "it ends without error, and says that nothing was tested"
    );
}

// Requirement: Response-Sourced Value Corpus

#[tokio::test]
async fn seeded_values_available_at_start() {
    let tools = [tool("add", json!({ "s": string(), "n": integer() }), &["s", "n"], &[json!({})])];
    let options = Options { strings: vec!["seed".to_owned()], numbers: vec![Number::from(7)], ..short() };
    let driven = drive(&tools, options).await;
    assert_eq!(driven.sequences()[0].first(), Some(&"add"));
    assert_eq!(texts(&driven.values("add", "s")), set(&["seed"]));
    assert!(driven.values("add", "n").iter().all(|number| *number == json!(7)));
}

#[tokio::test]
async fn response_values_extend_the_corpus() {
    let driven = drive(&make_and_use(), short()).await;
    assert!(texts(&driven.values("use", "id")).is_superset(&set(&["x-1"])));
}

#[tokio::test]
async fn response_keys_extend_the_corpus() {
    let driven = drive(&make_and_use(), Options { n_sequences: 20, ..short() }).await;
    assert!(texts(&driven.values("use", "id")).contains("id"), "the key \"id\" is a string too");
}

#[test]
fn integer_corpus_only_stores_integral_numbers() {
    let corpus = corpus_of(&[json!({ "structuredContent": [1, 2.5, 3.0] })]);
    assert_eq!(corpus.integers().collect::<Vec<_>>(), [Number::from(1), Number::from(3)]);
    assert_eq!(corpus.n_numbers(), 3);
}

#[tokio::test]
async fn error_responses_do_not_extend_the_corpus() {
    let tools = [
        tool("fail", json!({}), &[], &[json!({ "isError": { "secret": "s" } })]),
        tool("use", json!({ "id": string() }), &["id"], &[]),
    ];
    let driven = drive(&tools, short()).await;
    assert!(!driven.of("fail").is_empty());
    assert_eq!(driven.of("use").len(), 0);
}

// Requirement: Corpus-Only Number/String Generation

#[tokio::test]
async fn tool_input_generation_uses_corpus_values() {
    let tools = [
        tool("make", json!({}), &[], &[json!({ "name": "ada", "score": 2.5 })]),
        tool("use", json!({ "s": string(), "n": { "type": "number" } }), &["s", "n"], &[json!({})]),
    ];
    let driven = drive(&tools, short()).await;
    assert!(!driven.of("use").is_empty());
    assert!(texts(&driven.values("use", "s")).is_subset(&set(&["name", "ada", "score"])));
    assert!(driven.values("use", "n").iter().all(|number| *number == json!(2.5)));
}

#[tokio::test]
async fn integer_inputs_use_integer_corpus() {
    let tools = [
        tool("make", json!({}), &[], &[json!({ "n": [2.5, 4, 8.5, 6] })]),
        tool("use", json!({ "n": integer() }), &["n"], &[json!({})]),
    ];
    let driven = drive(&tools, short()).await;
    let seen = driven.values("use", "n");
    assert!(!seen.is_empty() && seen.iter().all(|number| [json!(4), json!(6)].contains(number)), "{seen:?}");
}

// Requirement: Deterministic Corpus Indexing

#[test]
fn duplicate_values_are_de_duplicated() {
    let result = json!({ "structuredContent": ["a", "a", 1, 1.0, "b"] });
    let corpus = corpus_of(&[result.clone(), result]);
    assert_eq!((strings_of(&corpus), corpus.n_numbers()), (vec!["a", "b"], 1));
}

#[test]
fn stable_index_selection() {
    let mut corpus = corpus_of(&[json!({ "structuredContent": ["a", "b"] })]);
    let before: Vec<String> = corpus.strings().map(str::to_owned).collect();
    mine(&mut corpus, &json!({ "structuredContent": ["b", "c", "a"] }), 1, MineText::Never);
    for (index, string) in before.iter().enumerate() {
        assert_eq!(corpus.string(index).map(|(known, _)| known), Some(string.as_str()));
    }
}

#[test]
fn seeded_values_define_initial_ordering() {
    let mut corpus = Corpus::default();
    corpus.seed([Number::from(3), Number::from(1)], ["z".to_owned(), "a".to_owned()]);
    mine(&mut corpus, &json!({ "structuredContent": ["m", 2] }), 0, MineText::Never);
    assert_eq!(strings_of(&corpus), ["z", "a", "m"]);
    assert_eq!(corpus.numbers().map(ToString::to_string).collect::<Vec<_>>(), ["3", "1", "2"]);
}

#[test]
fn deterministic_traversal_for_mining() {
    let corpus = corpus_of(&[json!({ "structuredContent": { "b": ["second", "third"], "a": "first" } })]);
    assert_eq!(strings_of(&corpus), ["a", "first", "b", "second", "third"]);
}

// Requirement: Callable Tool Eligibility

/// The reason a schema cannot be filled from these seeds, if any.
fn reason(schema: &Value, numbers: &[Number], strings: &[&str]) -> Option<&'static str> {
    let blueprint = Blueprint::of(schema).expect("the schema can be used");
    let strings: Vec<String> = strings.iter().map(|text| (*text).to_owned()).collect();
    let stock = Stock::new(CorpusLimits::default(), numbers, &strings);
    shortage(&blueprint, &stock, Sourcing::Strict).map(|shortage| shortage.reason.code())
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

#[test]
fn missing_required_corpus_values_makes_tool_uncallable() {
    let of = |kind: Value| object(&json!({ "x": kind }), &["x"]);
    assert_eq!(reason(&of(string()), &[], &[]), Some("missing_string"));
    assert_eq!(reason(&of(integer()), &[], &[]), Some("missing_integer"));
    assert_eq!(reason(&of(json!({ "type": "number" })), &[], &[]), Some("missing_number"));
    assert_eq!(
        reason(&of(json!({ "type": "string", "minLength": 3 })), &[], &["ab"]),
        Some("missing_string")
    );
    assert_eq!(reason(&of(string()), &[], &["ab"]), None);
    let deep =
        of(json!({ "type": "array", "minItems": 1, "items": object(&json!({ "id": integer() }), &["id"]) }));
    assert_eq!(reason(&deep, &[], &["ab"]), Some("missing_integer"));
    assert_eq!(reason(&deep, &[Number::from(1)], &[]), None);
}

#[tokio::test]
async fn callability_recomputed_after_each_step() {
    let driven = drive(&make_and_use(), short()).await;
    let is_direct = |sequence: &Vec<&str>| sequence.windows(2).any(|pair| pair == ["make", "use"]);
    assert!(driven.sequences().iter().any(is_direct), "{:?}", driven.sequences());
}

#[tokio::test]
async fn optional_corpus_backed_fields_may_be_omitted() {
    let tools = [tool("list", json!({ "prefix": string(), "limit": integer() }), &[], &[json!({})])];
    let driven = drive(&tools, short()).await;
    assert!(!driven.calls.is_empty());
    assert!(driven.calls.iter().all(|(_, exchange)| exchange.arguments.is_empty()));
}

#[tokio::test]
async fn non_number_string_required_fields_use_schema_generators() {
    let properties = json!({
        "on": { "type": "boolean" },
        "none": { "type": "null" },
        "mode": { "enum": ["a", "b"] },
        "flags": { "type": "array", "items": { "type": "boolean" }, "minItems": 1 },
    });
    let tools = [tool("set", properties, &["on", "none", "mode", "flags"], &[json!({})])];
    let driven = drive(&tools, short()).await;
    let seen: BTreeSet<String> = driven.values("set", "on").iter().map(ToString::to_string).collect();
    assert_eq!(seen, set(&["true", "false"]));
    assert_eq!(texts(&driven.values("set", "mode")), set(&["a", "b"]));
}

// Requirement: Tool Coverage Reporting

fn uncallable() -> Vec<Value> {
    let mut tools = make_and_use();
    tools.push(tool("big", json!({ "n": { "type": "integer", "minimum": 5 } }), &["n"], &[]));
    // Neither a number nor a string is named as what is missing, yet nothing else will do.
    let scalar =
        json!({ "not": { "type": ["null", "boolean", "array", "object", "string"] }, "minimum": 500 });
    tools.push(tool("odd", json!({ "x": scalar }), &["x"], &[]));
    tools
}

fn warnings(driven: &Driven) -> Vec<(&str, &str)> {
    let warnings = &driven.report.coverage.warnings;
    warnings.iter().map(|warning| (warning.tool.as_str(), warning.reason)).collect()
}

#[tokio::test]
async fn uncallable_tool_warning() {
    let driven = drive(&uncallable(), short()).await;
    assert_eq!(warnings(&driven), [("big", "missing_integer"), ("odd", "missing_required_value")]);
    let message = &driven.report.coverage.warnings[0].message;
    assert!(message.contains("/n") && message.contains("--seed-number"), "{message}");
}

#[tokio::test]
async fn uncallable_tools_are_skipped() {
    let driven = drive(&uncallable(), short()).await;
    assert_eq!(driven.of("big").len(), 0);
    assert!(!driven.of("make").is_empty() && !driven.of("use").is_empty());
}

#[tokio::test]
async fn error_responses_do_not_count_as_coverage() {
    let tools = [
        tool("fail", json!({}), &[], &[json!({ "isError": {} })]),
        tool("work", json!({}), &[], &[json!({})]),
    ];
    let driven = drive(&tools, short()).await;
    let fail = driven.report.tools.iter().find(|tool| tool.name == "fail").expect("it is reported");
    assert!(fail.n_calls > 0 && fail.n_succeeded == 0);
    assert_eq!((driven.report.coverage.n_called, driven.report.coverage.n_callable), (1, 2));
}

fn with_coverage(allow: &[&str], block: &[&str], rules: Vec<Rule>) -> Options {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let (allow, block) = (names(allow), names(block));
    Options { coverage: CoverageOptions { allow, block, rules, ..CoverageOptions::default() }, ..short() }
}

#[tokio::test]
async fn allowlist_and_blocklist_exemptions() {
    assert!(warnings(&drive(&uncallable(), with_coverage(&["make"], &[], vec![])).await).is_empty());
    assert!(warnings(&drive(&uncallable(), with_coverage(&[], &["big", "odd"], vec![])).await).is_empty());
}

#[tokio::test]
async fn warnings_are_emitted_after_the_run() {
    // Not callable at first, callable in the end: nothing to warn about.
    let driven = drive(&make_and_use(), short()).await;
    assert!(warnings(&driven).is_empty());
}

#[tokio::test]
async fn coverage_allowlist_and_blocklist_do_not_affect_selection() {
    let driven = drive(&make_and_use(), with_coverage(&["use"], &["make"], vec![])).await;
    let plain = drive(&make_and_use(), short()).await;
    assert_eq!(driven.sequences(), plain.sequences());
}

// Requirement: Coverage Validation Hooks

#[tokio::test]
async fn coverage_rules_applied() {
    let rule = Rule::Custom(Rc::new(|counts| {
        let is_counted = counts.calls.get("make").is_some_and(|calls| *calls > 0);
        vec![Ruling { is_failure: !is_counted, code: "seen".to_owned(), details: json!(counts.calls) }]
    }));
    let driven = drive(&make_and_use(), with_coverage(&[], &[], vec![rule])).await;
    assert_eq!(driven.report.coverage.rulings.len(), 1);
    assert!(!driven.report.coverage.rulings[0].is_failure);
}

#[tokio::test]
async fn percentage_coverage_uses_eligible_tools() {
    let all = drive(&uncallable(), with_coverage(&[], &[], vec![Rule::PercentCalled(100.0)])).await;
    assert!(all.report.is_success, "what the corpus kept from being called is not in the denominator");
    assert_eq!((all.report.coverage.n_called, all.report.coverage.n_callable), (2, 2));
    let some = drive(&uncallable(), with_coverage(&[], &["use"], vec![])).await;
    assert_eq!((some.report.coverage.n_called, some.report.coverage.n_callable), (1, 1));
}

#[tokio::test]
async fn coverage_warnings_are_non_fatal() {
    let driven = drive(&uncallable(), short()).await;
    assert!(!warnings(&driven).is_empty() && driven.report.is_success);
}

#[tokio::test]
async fn coverage_validation_failures_fail_the_run() {
    for rule in [Rule::MinCallsPerTool(1), Rule::NoUncalledTools] {
        let driven = drive(&uncallable(), with_coverage(&[], &[], vec![rule])).await;
        assert!(!driven.report.is_success);
    }
}

#[tokio::test]
async fn coverage_validation_warnings_are_structured() {
    let warn = |_: &_| vec![Ruling { is_failure: false, code: "few".to_owned(), details: json!({ "n": 1 }) }];
    let driven = drive(&make_and_use(), with_coverage(&[], &[], vec![Rule::Custom(Rc::new(warn))])).await;
    assert!(driven.report.is_success);
    let report = serde_json::to_value(&driven.report).expect("a report is plain data");
    assert_eq!(
        report["coverage"]["rulings"],
        json!([{ "isFailure": false, "code": "few", "details": { "n": 1 } }])
    );
}

#[tokio::test]
async fn coverage_validation_failure_reason_includes_code_and_details() {
    let driven = drive(&uncallable(), with_coverage(&[], &[], vec![Rule::NoUncalledTools])).await;
    assert_eq!(driven.failures(), ["no_uncalled_tools"]);
    assert_eq!(driven.report.failures[0].details, json!({ "uncalled": ["big", "odd"] }));
    let driven = drive(&uncallable(), with_coverage(&[], &[], vec![Rule::MinCallsPerTool(1)])).await;
    let details =
        json!({ "minimum": 1, "violations": [{ "tool": "big", "calls": 0 }, { "tool": "odd", "calls": 0 }] });
    assert_eq!(
        (driven.failures(), &driven.report.failures[0].details),
        (vec!["min_calls_per_tool"], &details)
    );
}

#[test]
fn what_is_drawn_is_a_function_of_schema_stock_and_seed() {
    let blueprint =
        Blueprint::of(&object(&json!({ "s": string() }), &["s"])).expect("the schema can be used");
    let stock = Stock::new(CorpusLimits::default(), &[], &["a".to_owned(), "b".to_owned()]);
    let draw = |seed| arguments(&blueprint, &stock, Sourcing::Strict, seed);
    assert!((0..20).all(|seed| draw(seed) == draw(seed)));
}
