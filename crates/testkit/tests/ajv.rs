//! AJV answers for every draft, and says so when it has no opinion.

use std::path::Path;
use std::time::Duration;

use probity_testkit::Draft;
use probity_testkit::ajv::{Formats, Judge, Question, Siblings, Verdict};

/// The places of the instances that AJV rejects, or the reason why it judges none.
#[track_caller]
fn ask(question: &Question<'_>) -> Result<Vec<usize>, String> {
    match Judge::start().and_then(|mut judge| judge.judge(question)).expect("AJV can be asked") {
        Verdict::Judged { rejected, notes: _ } => Ok(rejected.iter().map(|one| one.index).collect()),
        Verdict::Unavailable { reason } | Verdict::GaveUp { reason } => Err(reason),
    }
}

fn texts(instances: &[&str]) -> Vec<String> {
    instances.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn check(draft: &str, schema: &str, instances: &[&str], rejected: &[usize]) {
    let draft = Draft::named(draft).expect("the draft is one we know");
    assert_eq!(ask(&Question::new(schema, draft, &texts(instances))), Ok(rejected.to_vec()));
}

#[test]
fn each_draft_is_read_by_its_own_rules() {
    check("draft4", r#"{"minimum": 1, "exclusiveMinimum": true}"#, &["1", "2"], &[0]);
    check("draft6", r#"{"exclusiveMinimum": 1, "const": 2}"#, &["1", "2"], &[0]);
    check("draft7", r#"{"if": {"const": 1}, "then": false}"#, &["1", "2"], &[0]);
    check("2019-09", r#"{"items": [true], "unevaluatedItems": false}"#, &["[1]", "[1, 2]"], &[1]);
    check("2020-12", r#"{"prefixItems": [true], "items": false}"#, &["[1]", "[1, 2]"], &[1]);
}

#[test]
fn an_unknown_dialect_or_format_does_not_stop_the_verdict() {
    let schema =
        "{\"$schema\": \"https://example.com/mine\",\r\n \"format\": \"mine\",\n \"type\": \"string\"}";
    check("draft7", schema, &["\"a\"", "1"], &[1]);
}

#[test]
fn a_pattern_that_only_the_old_syntax_allows_is_still_matched() {
    check("2020-12", r#"{"pattern": "^[\\w-.]+\\-$"}"#, &["\"a-\"", "\"!\""], &[1]);
}

#[test]
fn a_format_is_asserted_unless_the_question_says_otherwise() {
    let schema = r#"{"format": "date"}"#;
    let instances = texts(&["\"2020-02-30\""]);
    let question = Question::new(schema, Draft::Draft202012, &instances);
    assert_eq!(ask(&question), Ok(vec![0]));
    assert_eq!(ask(&Question { formats: Formats::Annotate, ..question }), Ok(vec![]));
}

#[test]
fn keywords_beside_a_reference_count_unless_the_question_says_otherwise() {
    let schema =
        r##"{"properties": {"a": {"$ref": "#/definitions/a", "minLength": 2}}, "definitions": {"a": {}}}"##;
    let instances = texts(&[r#"{"a": "x"}"#]);
    let question = Question::new(schema, Draft::Draft7, &instances);
    assert_eq!(ask(&question), Ok(vec![0]));
    assert_eq!(ask(&Question { siblings: Siblings::Ignore, ..question }), Ok(vec![]));
}

#[test]
fn a_schema_that_ajv_cannot_compile_is_no_rejection() {
    let instances = texts(&["1"]);
    let answer = ask(&Question::new(r##"{"$ref": "#/nowhere"}"##, Draft::Draft7, &instances));
    assert!(answer.is_err_and(|reason| reason.contains("#/nowhere")));
}

#[test]
fn a_question_without_end_is_given_up_and_the_next_one_is_answered() {
    let mut judge = Judge::start().expect("AJV can be asked");
    let instances = texts(&[&format!("\"{}!\"", "a".repeat(60))]);
    let patience = Duration::from_millis(300);
    let endless =
        Question { patience, ..Question::new(r#"{"pattern": "^(a|a)*$"}"#, Draft::Draft7, &instances) };
    let answer = judge.judge(&endless).expect("AJV can be asked");
    assert!(matches!(answer, Verdict::GaveUp { .. }), "{answer:?}");
    let next = judge.judge(&Question::new("true", Draft::Draft7, &instances)).expect("AJV can be asked");
    assert_eq!(next, Verdict::Judged { rejected: vec![], notes: vec![] });
}

#[test]
fn a_missing_installation_is_named_together_with_the_command_that_mends_it() {
    let error = Judge::start_with(Path::new("no-such-folder")).expect_err("nothing is installed there");
    assert_eq!(
        error.to_string(),
        "no-such-folder/node_modules/ajv is missing: install what the tests need with `cargo xtask deps`"
    );
}
