//! The state machine as the only generator, scenario by scenario: strict and lenient values, lengths, determinism.

use std::collections::BTreeMap;
use std::rc::Rc;

use probity_drive::callable::{Blueprint, Sourcing, Stock, arguments};
use probity_drive::corpus::CorpusLimits;
use probity_drive::mcp::{Options, ToolChoice};
use serde_json::{Value, json};

use crate::scripted::{drive, short, tool};

fn string() -> Value {
    json!({ "type": "string" })
}

// Requirement: State-Machine Invocation Generation

#[tokio::test]
async fn sequence_length_respects_configuration() {
    let tools = [tool("ping", json!({}), &[], &[json!({})]), tool("pong", json!({}), &[], &[json!({})])];
    for (min_len, max_len) in [(3, 6), (5, 5), (1, 9)] {
        let driven = drive(&tools, Options { min_len, max_len, n_sequences: 30, ..short() }).await;
        let lengths: Vec<usize> = driven.sequences().iter().map(Vec::len).collect();
        assert_eq!(lengths.len(), 30);
        assert!(lengths.iter().all(|length| (min_len..=max_len).contains(length)), "{lengths:?}");
    }
}

#[tokio::test]
async fn tool_predicate_filters_invocations() {
    let tools = [tool("a", json!({}), &[], &[json!({})]), tool("b", json!({}), &[], &[json!({})])];
    let choice = ToolChoice { accept: Some(Rc::new(|tool| tool.name == "b")), ..ToolChoice::default() };
    let driven = drive(&tools, Options { tools: choice, ..short() }).await;
    assert!(!driven.of("b").is_empty() && driven.of("a").is_empty());
}

#[test]
fn legacy_generator_mode_is_unavailable() {
    // Taken apart in full: an option that chooses a generator would have to be named here.
    let Options {
        n_sequences: _,
        min_len: _,
        max_len: _,
        seed: _,
        sourcing: _,
        numbers: _,
        strings: _,
        mine_text: _,
        limits: _,
        corpus: _,
        max_time: _,
        shrink_budget: _,
        shrink_time: _,
        n_confirmations: _,
        max_findings: _,
        sessions: _,
        reset: _,
        destructive: _,
        tools: _,
        error_policy: _,
        fail_on: _,
        levels: _,
        coverage: _,
        interrupt: _,
    } = Options::default();
}

// Requirement: State-Machine Output Mining

fn nested() -> Vec<Value> {
    let answer = json!({ "group": { "members": [{ "id": "deep-1" }] } });
    let member = json!({ "type": "object", "properties": { "id": string() }, "required": ["id"] });
    vec![
        tool("make", json!({}), &[], &[answer]),
        tool("use", json!({ "id": string() }), &["id"], &[json!({})]),
        tool(
            "many",
            json!({ "members": { "type": "array", "items": member, "minItems": 1 } }),
            &["members"],
            &[json!({})],
        ),
    ]
}

#[tokio::test]
async fn tool_output_updates_corpus() {
    let driven = drive(&nested(), Options { n_sequences: 20, ..short() }).await;
    assert!(driven.values("use", "id").contains(&json!("deep-1")));
}

#[tokio::test]
async fn tool_output_keys_are_mined() {
    let driven = drive(&nested(), Options { n_sequences: 20, ..short() }).await;
    assert!(driven.values("use", "id").contains(&json!("members")));
}

#[tokio::test]
async fn nested_outputs_are_mined() {
    let driven = drive(&nested(), Options { n_sequences: 20, ..short() }).await;
    let known = ["group", "members", "id", "deep-1"].map(Value::from);
    let mut ids = Vec::new();
    for members in driven.values("many", "members") {
        ids.extend(members.as_array().into_iter().flatten().map(|member| member["id"].clone()));
    }
    assert!(ids.contains(&json!("deep-1")) && ids.iter().all(|id| known.contains(id)), "{ids:?}");
}

// Requirement: Uniform State Sourcing

#[test]
fn uniform_selection_for_string_inputs() {
    let schema = json!({ "type": "object", "properties": { "s": string() }, "required": ["s"] });
    let blueprint = Blueprint::of(&schema).expect("the schema can be used");
    let strings: Vec<String> = (0..8).map(|number| format!("value {number}")).collect();
    let stock = Stock::new(CorpusLimits::default(), &[], &strings);
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..4_000 {
        let drawn = arguments(&blueprint, &stock, Sourcing::Strict, seed).expect("a string is known");
        *counts.entry(drawn.arguments["s"].to_string()).or_default() += 1;
    }
    // 500 of each are expected, with a standard deviation of 21.
    assert!(counts.len() == 8 && counts.values().all(|count| (400..600).contains(count)), "{counts:?}");
}

// Requirement: State-Aware Callability

#[tokio::test]
async fn tool_becomes_callable_after_mining() {
    let driven = drive(&nested(), short()).await;
    assert!(driven.sequences().iter().all(|sequence| sequence.first() == Some(&"make")));
    assert!(!driven.of("use").is_empty());
}

#[tokio::test]
async fn lenient_sourcing_bypasses_missing_corpus_values() {
    let tools =
        [tool("use", json!({ "id": string(), "n": { "type": "integer", "minimum": 9 } }), &["id", "n"], &[])];
    let strict = drive(&tools, Options { min_len: 0, ..short() }).await;
    assert_eq!(strict.calls.len(), 0);
    let lenient = drive(&tools, Options { sourcing: Sourcing::Lenient, ..short() }).await;
    assert!(lenient.report.is_success, "{:?}", lenient.report.failures);
    assert!(
        lenient.values("use", "n").iter().all(|number| number.as_i64().is_some_and(|number| number >= 9))
    );
}

// Requirement: Sequential State-Machine Generation

#[tokio::test]
async fn sequence_terminates_when_no_tools_are_callable() {
    let tools = [tool("use", json!({ "id": string() }), &["id"], &[])];
    let driven = drive(&tools, Options { min_len: 0, max_len: 10, ..short() }).await;
    assert_eq!(driven.calls.len(), 0, "the tail is empty");
    assert!(!driven.failures().contains(&"min_length_unreachable"));
}

#[tokio::test]
async fn minimum_length_cannot_be_satisfied() {
    let tools = [tool("use", json!({ "id": string() }), &["id"], &[])];
    let driven = drive(&tools, Options { min_len: 2, ..short() }).await;
    assert!(!driven.report.is_success);
    let failure = &driven.report.failures[0];
    assert_eq!(failure.code, "min_length_unreachable");
    assert_eq!(failure.details, json!({ "sequence": 1, "calls": 0, "minimum": 2 }));
}

// Requirement: State Reference Resolution

#[tokio::test]
async fn resolved_invocation_matches_schema() {
    let schema = json!({
        "id": { "type": "string", "pattern": "^x-" },
        "n": { "type": "integer", "minimum": 2, "maximum": 9 },
        "tags": { "type": "array", "items": { "type": "string", "maxLength": 3 }, "maxItems": 2 },
    });
    let answer = json!({ "id": "x-1", "other": "nothing like it", "sizes": [1, 5, 70, 2.5] });
    let tools = [tool("make", json!({}), &[], &[answer]), tool("use", schema, &["id", "n"], &[json!({})])];
    let driven = drive(&tools, Options { n_sequences: 20, ..short() }).await;
    let blueprint = Blueprint::of(&tools[1]["inputSchema"]).expect("the schema can be used");
    let calls = driven.of("use");
    assert!(!calls.is_empty());
    for call in calls {
        assert!(blueprint.is_valid(&Value::Object(call.arguments.clone())), "{:?}", call.arguments);
    }
}

// Requirement: Inline Value Generation

#[tokio::test]
async fn enum_values_are_generated_without_mining() {
    let properties =
        json!({ "kind": { "enum": ["idea", "task", 3, null] }, "fixed": { "const": "only this" } });
    let tools = [tool("make", properties, &["kind", "fixed"], &[json!({})])];
    let driven = drive(&tools, short()).await;
    let mut kinds: Vec<String> = driven.values("make", "kind").iter().map(ToString::to_string).collect();
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds, ["\"idea\"", "\"task\"", "3", "null"]);
    assert!(driven.values("make", "fixed").iter().all(|fixed| *fixed == json!("only this")));
}
