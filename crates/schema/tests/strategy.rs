//! A schema as a proptest strategy: what it draws is valid, and what it shrinks to is valid and minimal.

use probity_schema::strategy;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// Shrinks the first value of a schema that fails a test, and checks the end.
#[track_caller]
fn check(schema: &Value, fails: impl Fn(&Value) -> bool, minimum: &Value) {
    let values = strategy(schema).expect("a schema that can be drawn from");
    let oracle = jsonschema::validator_for(schema).expect("a schema");
    let mut runner = TestRunner::deterministic();
    let mut tree = (0..1000)
        .map(|_| values.new_tree(&mut runner).expect("a value is drawn"))
        .find(|tree| fails(&tree.current()))
        .expect("some value fails");
    let mut is_simpler = tree.simplify();
    while is_simpler {
        assert!(oracle.is_valid(&tree.current()), "{} is not valid", tree.current());
        is_simpler = if fails(&tree.current()) { tree.simplify() } else { tree.complicate() };
    }
    assert_eq!(&tree.current(), minimum);
}

#[test]
fn numbers_shrink_to_the_smallest_that_fails() {
    check(&json!({"type": "integer", "minimum": 0}), |value| value.as_i64() >= Some(7), &json!(7));
    check(&json!({"type": "integer"}), |value| value.as_i64() < Some(-2), &json!(-3));
}

#[test]
fn optional_members_that_do_not_matter_go_and_required_ones_stay() {
    let schema = json!({
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"type": "integer", "minimum": 1},
            "tags": {"type": "array", "items": {"type": "string"}},
            "note": {"type": "string"}
        }
    });
    let has_tag = |value: &Value| value["tags"].as_array().is_some_and(|tags| !tags.is_empty());
    check(&schema, has_tag, &json!({"id": 1, "tags": [""]}));
}

#[test]
fn texts_shrink_within_their_pattern() {
    let schema = json!({"type": "string", "pattern": "^[a-z]{2,8}$"});
    check(&schema, |value| value.as_str().is_some_and(|text| text.len() >= 3), &json!("aaa"));
}
