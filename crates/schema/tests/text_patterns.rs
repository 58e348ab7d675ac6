//! Patterns as strings: what is drawn from a pattern is what the validator accepts, and nothing else is.

use probity_schema::Draw;
use probity_schema::text::{TextLimits, TextProblem, TextSampler, TextShape};
use serde_json::{Value, json};

const LIMITS: TextLimits = TextLimits { max_length: 64, max_states: 4000 };

/// Patterns with an automaton of their own, one construct or combination each.
const EXACT: &[&str] = &[
    "",
    "a",
    "^a|b$",
    "^ab$",
    "x*^a",
    "^(a?)^b",
    "^$",
    "$",
    "(?:a|b$)1",
    "^(a|aa)+$",
    "^(a*)*$",
    "^((a*)*b?)*$",
    "^(|a)+$",
    "^(?:a?){3}$",
    "^[^a]$",
    "^[^\\W\\d_]+$",
    "^[\\s\\S]+$",
    "^\\S*$",
    "^\\D+$",
    "^.$",
    "a.b",
    "^a{2}$",
    "^a{2,}$",
    "^(ab){1,2}?$",
    "^\\x61\\u0062\\-$",
    "^\\/?a\\/$",
    "^[a\\-1]+$",
    "^[-a]+$",
    "^\\p{Ll}+$",
    "^\\P{L}+$",
    "^[\\p{L}-]+$",
    "^(?!a$)(?!.*--)[ab-]+$",
    "^(?!ab)",
    "(?!a)b",
    "a(?!b)",
    "a(?=b)",
    "^(?=.*a)(?=.*b).*$",
    "^(?=.{1,2}$)[ab]+$",
    "^(?:(?!--).)*$",
    "^(?:(?!.*--).)*$",
    "^((?!aa)[ab])+(-((?!aa)[ab])+)*$",
    "^(?:(?=a)a?){2,4}b$",
    "^(?:(?=a)|b){2}ab$",
    "^(?:[ab]+|(?=1)1a(?!b))+$",
    "^[ab-]+(?<!-)$",
    "(?<=a)b",
    "(?<!a)b$",
    "(?<=^ab)-",
    "(?<!a.)b",
    "\\bab\\b",
    "^\\b[ab]+\\b-\\b1\\b$",
    "\\B-\\B",
    "a\\b",
];

#[track_caller]
fn compiled(shape: &TextShape) -> TextSampler {
    TextSampler::compile(shape, &LIMITS).unwrap_or_else(|problem| panic!("{shape:?}: {problem}"))
}

fn of_pattern(pattern: &str) -> TextShape {
    TextShape { patterns: vec![pattern.to_owned()], ..TextShape::default() }
}

fn judge(schema: &Value) -> jsonschema::Validator {
    jsonschema::options().should_validate_formats(true).build(schema).expect("the schema is legal")
}

/// Every string of up to four characters of a small alphabet.
fn short_strings() -> Vec<String> {
    let mut strings = vec![String::new()];
    let mut last = strings.clone();
    for _ in 0..4 {
        last = last.iter().flat_map(|text| "ab-1\n".chars().map(move |c| format!("{text}{c}"))).collect();
        strings.extend(last.iter().cloned());
    }
    strings
}

#[test]
fn the_sampler_and_the_validator_agree_on_every_short_string() {
    let strings = short_strings();
    for pattern in EXACT {
        let (sampler, judge) = (compiled(&of_pattern(pattern)), judge(&json!({"pattern": pattern})));
        assert!(sampler.is_exact(), "{pattern}");
        for text in &strings {
            let expected = judge.is_valid(&json!(text));
            assert_eq!(sampler.matches(text), Some(expected), "{pattern} on {text:?}");
        }
    }
}

#[test]
fn every_string_drawn_is_accepted() {
    for pattern in EXACT {
        let (sampler, judge) = (compiled(&of_pattern(pattern)), judge(&json!({"pattern": pattern})));
        for seed in 0..60 {
            let text = sampler.draw(&mut Draw::new(seed)).expect("an exact sampler draws");
            assert!(judge.is_valid(&json!(text)), "{pattern} drew {text:?}");
        }
    }
}

#[test]
fn the_simplest_string_is_the_shortest_of_the_first_letters() {
    let check = |pattern: &str, expected: &str| {
        assert_eq!(compiled(&of_pattern(pattern)).simplest().as_deref(), Some(expected), "{pattern}");
    };
    check("^[a-z]+$", "a");
    check("^x-", "x-");
    check("^\\d{4}-\\d{2}$", "0000-00");
    check("foo|ba", "ba");
    check("^[^a-z]$", "0");
    check("^(?!a)[a-z]{2}$", "ba");
    check("", "");
}

#[test]
fn a_pattern_that_is_none_is_refused_with_its_reason() {
    let check = |pattern: &str, expected: &str| {
        let problem = TextSampler::compile(&of_pattern(pattern), &LIMITS).expect_err(pattern);
        let expected = format!("the pattern {pattern:?} is not a regular expression: {expected}");
        assert_eq!(problem.to_string(), expected);
    };
    check("(", "unclosed group at offset 0");
    check("a)", "unmatched \")\" at offset 1");
    check("[b-a]", "a range out of order before offset 4");
    check("[a", "unclosed class at offset 0");
    check("a{3,2}", "numbers out of order in the quantifier at offset 1");
    check("*a", "nothing to repeat at offset 0");
    check("\\", "the pattern ends with a backslash");
    check("\\p{Nope}", "unknown property {Nope} at offset 2");
    check("\\1", "there is no group 1");
}

#[test]
fn what_blows_up_is_drawn_inexactly_and_still_right() {
    let check = |pattern: &str| {
        let (sampler, judge) = (compiled(&of_pattern(pattern)), judge(&json!({"pattern": pattern})));
        assert!(!sampler.is_exact(), "{pattern}");
        for seed in 0..5 {
            let text = sampler.draw(&mut Draw::new(seed)).expect("a string within the tries");
            assert!(judge.is_valid(&json!(text)), "{pattern} drew {text:?}");
        }
    };
    check("(a|b)*a(a|b){14}$");
    check("^(['\"])[a-z]+\\1$");
    check("^(?!.*(.)\\1)[a-z]{3}$");
    check(".{3000}");
}

#[test]
fn hostile_patterns_end_in_a_sampler_or_a_problem() {
    let deep = "(".repeat(5000) + "a" + &")".repeat(5000);
    let chain = "a*b?".repeat(3000);
    let nested = "(a{1,1000}){1,1000}";
    let rounds = format!("{}a?{}", "(".repeat(9), "){20}".repeat(9));
    let choices = (0..2000).map(|number| format!("word{number}")).collect::<Vec<_>>().join("|");
    for pattern in [&deep, &chain, nested, &rounds, &choices] {
        if let Ok(sampler) = TextSampler::compile(&of_pattern(pattern), &LIMITS) {
            sampler.draw(&mut Draw::new(1));
            let _ = sampler.simplest();
        }
    }
    let problem = TextSampler::compile(&of_pattern(&deep), &LIMITS).expect_err("the nesting is too deep");
    assert!(matches!(problem, TextProblem::TooComplex { .. }));
}
