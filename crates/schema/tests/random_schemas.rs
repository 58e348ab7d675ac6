//! Random schemas from a grammar of our own: every instance is valid, and every "unsatisfiable" is true by search.

use probity_schema::{Document, ReadOptions, Source, SourceError, SourceOptions};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

fn leaf() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!(true)),
        Just(json!({})),
        prop::sample::subsequence(
            vec!["null", "boolean", "integer", "number", "string", "array", "object"],
            1..4
        )
        .prop_map(|types| json!({ "type": types })),
        (-5i64..6, 0i64..8)
            .prop_map(|(low, width)| json!({"type": "integer", "minimum": low, "maximum": low + width})),
        (-5i64..6, 1i64..4).prop_map(|(low, step)| json!({"minimum": low, "multipleOf": step})),
        (-3i64..4).prop_map(
            |bound| json!({"type": "number", "exclusiveMinimum": bound, "exclusiveMaximum": bound + 1})
        ),
        (0u64..4, 0u64..4).prop_map(|(low, width)| json!({"minLength": low, "maxLength": low + width})),
        prop::sample::select(vec!["^a", "b$", "^[a-c]{1,3}$", "[0-9]", "^(x|yy)*$"])
            .prop_map(|p| json!({"pattern": p})),
        prop::sample::subsequence(
            vec![json!(1), json!("a"), json!(null), json!([1]), json!({"a": 1}), json!(2.5)],
            1..5
        )
        .prop_map(|values| json!({ "enum": values })),
        Just(json!({"const": "abc"})),
    ]
    .boxed()
}

fn schema() -> BoxedStrategy<Value> {
    leaf().prop_recursive(3, 24, 4, |inner| {
        let members = prop::collection::btree_map("[abc]", inner.clone(), 0..3);
        let names = prop::sample::subsequence(vec!["a", "b", "c"], 0..3);
        let list = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            3 => (members, names, inner.clone(), prop::bool::ANY).prop_map(|(members, required, rest, is_closed)| {
                let members: Map<String, Value> = members.into_iter().collect();
                let rest = if is_closed { json!(false) } else { rest };
                json!({"type": "object", "properties": members, "required": required, "additionalProperties": rest})
            }),
            2 => (inner.clone(), 0u64..3, 0u64..3, prop::bool::ANY).prop_map(|(items, low, width, is_unique)| {
                json!({"type": "array", "items": items, "minItems": low, "maxItems": low + width, "uniqueItems": is_unique})
            }),
            1 => (list.clone(), inner.clone()).prop_map(|(prefix, rest)| {
                json!({"type": "array", "prefixItems": prefix, "items": rest, "minItems": 1})
            }),
            1 => (inner.clone(), 0u64..3).prop_map(|(part, low)| json!({"type": "array", "contains": part, "minContains": low})),
            2 => list.clone().prop_map(|parts| json!({ "anyOf": parts })),
            2 => list.clone().prop_map(|parts| json!({ "oneOf": parts })),
            2 => list.prop_map(|parts| json!({ "allOf": parts })),
            1 => inner.clone().prop_map(|part| json!({ "not": part })),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(test, then, other)| {
                json!({"if": test, "then": then, "else": other})
            }),
            1 => (inner.clone(), inner.clone()).prop_map(|(part, other)| {
                json!({"allOf": [part], "dependentSchemas": {"a": other}, "dependentRequired": {"b": ["c"]}})
            }),
            1 => inner.clone().prop_map(|part| json!({"type": "object", "propertyNames": {"maxLength": 2}, "minProperties": 1, "additionalProperties": part})),
            1 => inner.prop_map(|part| json!({"type": "object", "patternProperties": {"^a": part}, "unevaluatedProperties": false})),
        ]
    })
    .boxed()
}

/// Small values of every kind, for looking through what a schema calls impossible.
fn pool() -> Vec<Value> {
    let texts = ["", "a", "b", "c", "abc", "x", "yy", "0", "a0b", "ab"].map(Value::from);
    let numbers = (-6..14).map(Value::from).chain([json!(0.5), json!(-2.5), json!(2.5), json!(3.5)]);
    let plain: Vec<Value> =
        [json!(null), json!(true), json!(false)].into_iter().chain(numbers).chain(texts).collect();
    let mut all = plain.clone();
    all.extend([json!([]), json!({}), json!([1]), json!({"a": 1}), json!([[]]), json!([{}])]);
    for value in &plain {
        all.extend([
            json!([value]),
            json!([value, value]),
            json!([value, 1]),
            json!({"a": value}),
            json!({"b": value}),
        ]);
        all.extend([
            json!({"a": value, "b": value}),
            json!({"a": value, "b": 1, "c": "a"}),
            json!({"zz": value}),
        ]);
    }
    all
}

#[test]
fn every_instance_of_a_random_schema_is_valid_and_every_unsatisfiable_one_is_so() {
    const CASES: u32 = 1_000;
    let pool = pool();
    let mut n_given_up = 0;
    let mut runner = TestRunner::deterministic();
    for case in 0..CASES {
        let schema = schema().new_tree(&mut runner).expect("the grammar rejects nothing").current();
        let oracle = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .expect("the grammar makes schemas");
        let document = Document::of_value(schema.clone(), &ReadOptions::default()).expect("a schema is read");
        let has_witness = || pool.iter().any(|value| oracle.is_valid(value));
        let instances = Source::of(&document, &SourceOptions::default())
            .map(|source| source.instances(u64::from(case)).take(8).collect::<Result<Vec<Value>, _>>());
        match instances {
            Ok(Ok(values)) => {
                let invalid = values.iter().find(|value| !oracle.is_valid(value));
                assert!(invalid.is_none(), "{schema} admits no {invalid:?}");
            }
            Err(SourceError::Unsatisfiable { .. }) => {
                assert!(!has_witness(), "{schema} is not unsatisfiable");
            }
            // Nothing was proven and nothing was found; that is allowed, but it has to be rare.
            Ok(Err(_)) | Err(SourceError::Undrawable { .. }) => n_given_up += u32::from(has_witness()),
            Err(error) => panic!("{schema}: {error}"),
        }
    }
    assert!(
        n_given_up * 100 <= CASES,
        "{n_given_up} of {CASES} schemas were given up although they have instances"
    );
}
