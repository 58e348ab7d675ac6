//! Shapes as strings: several patterns, lengths and excluded strings narrowed together.

use std::collections::BTreeSet;

use probity_schema::Draw;
use probity_schema::text::{TextLimits, TextProblem, TextSampler, TextShape};

const LIMITS: TextLimits = TextLimits { max_length: 64, max_states: 4000 };

fn shape(patterns: &[&str], barred: &[&str], lengths: (u64, Option<u64>), excluded: &[&str]) -> TextShape {
    let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    TextShape {
        min_length: lengths.0,
        max_length: lengths.1,
        patterns: owned(patterns),
        barred_patterns: owned(barred),
        excluded: owned(excluded),
        ..TextShape::default()
    }
}

#[track_caller]
fn compiled(shape: &TextShape) -> TextSampler {
    TextSampler::compile(shape, &LIMITS).unwrap_or_else(|problem| panic!("{shape:?}: {problem}"))
}

#[test]
fn a_small_language_is_enumerated_in_order() {
    let check = |shape: &TextShape, expected: &[&str]| {
        let sampler = compiled(shape);
        assert_eq!(sampler.enumerate(20).expect("there are few"), expected, "{shape:?}");
        assert_eq!(sampler.count_at_most(20), expected.len() as u64, "{shape:?}");
        for seed in 0..40 {
            let text = sampler.draw(&mut Draw::new(seed)).expect("an exact sampler draws");
            assert!(expected.contains(&text.as_str()), "{shape:?} drew {text:?}");
        }
    };
    check(&shape(&["^(get|put|post)$"], &[], (0, None), &[]), &["get", "put", "post"]);
    check(&shape(&["^(a|b|c)$"], &[], (0, None), &["a", "b"]), &["c"]);
    check(&shape(&["^[ab]*$", "a", "b$"], &[], (0, Some(3)), &[]), &["ab", "aab", "abb", "bab"]);
    check(&shape(&["^[ab]*$"], &["a", "^b{2}$"], (0, Some(3)), &[]), &["", "b", "bbb"]);
    check(&shape(&["^(aaa)*$", "^(aa)*$"], &[], (1, Some(12)), &[]), &["aaaaaa", "aaaaaaaaaaaa"]);
    check(&shape(&["fo", "of"], &[], (0, Some(3)), &[]), &["fof", "ofo"]);
    check(&shape(&[], &[], (0, Some(0)), &[]), &[""]);
}

#[test]
fn what_contradicts_itself_is_proven_empty() {
    let check = |shape: &TextShape| {
        let problem = TextSampler::compile(shape, &LIMITS).expect_err("there is no such string");
        assert!(matches!(problem, TextProblem::Empty { .. }), "{shape:?}: {problem}");
    };
    check(&shape(&[], &[], (5, Some(4)), &[]));
    check(&shape(&[], &[], (0, Some(0)), &[""]));
    check(&shape(&["^a"], &["^[a-f]"], (0, None), &[]));
    check(&shape(&["foo", "bar"], &[], (0, Some(5)), &[]));
    check(&shape(&["^(aaa)*$"], &[], (4, Some(5)), &[]));
    check(&shape(&["^(a|b)$"], &[], (0, None), &["b", "a"]));
    check(&shape(&["a^b"], &[], (0, None), &[]));
    check(&shape(&[], &[""], (0, None), &[]));
    check(&shape(&["^\\d+$", "^\\D+$"], &[], (0, None), &[]));
}

#[test]
fn the_length_range_is_tight() {
    let check = |shape: &TextShape, expected: (u64, Option<u64>)| {
        let sampler = compiled(shape);
        assert_eq!(sampler.length_range(), expected, "{shape:?}");
        for length in [Some(expected.0), expected.1].into_iter().flatten() {
            let text = sampler.draw_of_length(length, &mut Draw::new(3)).expect("the range is tight");
            assert_eq!(text.chars().count() as u64, length);
        }
    };
    check(&shape(&[], &[], (0, None), &[]), (0, None));
    check(&shape(&[], &[], (0, Some(9)), &[""]), (1, Some(9)));
    check(&shape(&["^[a-z]{3,9}$"], &[], (0, Some(20)), &[]), (3, Some(9)));
    check(&shape(&["^(ab)+$"], &[], (3, Some(9)), &[]), (4, Some(8)));
    check(&shape(&["^(a|b)c?$"], &[], (0, None), &["a", "b"]), (2, Some(2)));
    check(&shape(&["^é+$"], &[], (2, Some(4)), &[]), (2, Some(4)));
    check(&shape(&["^x"], &[], (0, None), &[]), (1, None));
}

#[test]
fn no_string_is_drawn_of_a_length_that_has_none() {
    let sampler = compiled(&shape(&["^(aaa)*$"], &[], (0, None), &[]));
    assert_eq!(sampler.draw_of_length(4, &mut Draw::new(0)), None);
    assert_eq!(sampler.draw_of_length(6, &mut Draw::new(0)).as_deref(), Some("aaaaaa"));
}

#[test]
fn long_strings_are_drawn_and_endless_ones_refused() {
    let plain = compiled(&shape(&[], &[], (100_000, None), &[]));
    assert!(plain.draw(&mut Draw::new(0)).is_some_and(|text| text.chars().count() >= 100_000));
    let words = compiled(&shape(&["^([a-z]+-)+$"], &[], (100_000, Some(100_000)), &[]));
    assert!(words.draw(&mut Draw::new(0)).is_some_and(|text| text.len() == 100_000 && text.ends_with('-')));
    let endless = TextSampler::compile(&shape(&["a"], &[], (1_000_000_000, None), &[]), &LIMITS);
    assert!(matches!(endless, Err(TextProblem::TooLong { shortest: 1_000_000_000, .. })));
}

#[test]
fn excluded_strings_are_never_drawn_and_are_counted_off() {
    let names: Vec<String> = ('a'..='z').map(|c| c.to_string()).collect();
    let two_letters = shape(&["^[a-z]{1,2}$"], &[], (0, None), &[]);
    let sampler = compiled(&TextShape { excluded: names.clone(), ..two_letters });
    for seed in 0..200 {
        let text = sampler.draw(&mut Draw::new(seed)).expect("an exact sampler draws");
        assert!(!names.contains(&text));
    }
    assert_eq!(sampler.count_at_most(10_000), 26 * 26);
    assert_eq!(sampler.matches("q"), Some(false));
    assert_eq!(sampler.matches("qq"), Some(true));
}

#[test]
fn a_large_language_hardly_repeats_itself_and_is_hardly_ever_empty() {
    let shapes = [
        shape(&[], &[], (0, None), &[]),
        shape(&[], &[], (0, Some(5)), &[]),
        shape(&["^x-"], &[], (0, None), &[]),
        shape(&["^[a-z]+$"], &[], (0, None), &[]),
        shape(&["^\\d+$"], &[], (0, None), &[]),
        shape(&[".*"], &["^a"], (0, None), &[]),
        shape(&["^[Uu][Ss][Ee][Rr]$|^[Aa][Pp][Pp][Ll][Ii][Cc][Aa][Tt][Ii][Oo][Nn]$"], &[], (0, None), &[]),
    ];
    for shape in shapes {
        let sampler = compiled(&shape);
        let drawn: Vec<String> = (0..100).filter_map(|seed| sampler.draw(&mut Draw::new(seed))).collect();
        let n_distinct = drawn.iter().collect::<BTreeSet<_>>().len();
        let n_empty = drawn.iter().filter(|text| text.is_empty()).count();
        assert!(n_distinct >= 90, "{n_distinct} of 100 differ: {shape:?}");
        assert!(n_empty <= 4, "{n_empty} of 100 are empty: {shape:?}");
    }
}

#[test]
fn one_seed_draws_one_string_for_ever() {
    let draw = |patterns: &[&str], seed| {
        compiled(&shape(patterns, &[], (0, None), &[])).draw(&mut Draw::new(seed)).expect("a string")
    };
    let (words, names): (Vec<String>, Vec<String>) =
        (0..4).map(|seed| (draw(&[], seed), draw(&["^x-[a-z]+$"], seed))).unzip();
    assert_eq!(words, ["grahen", "flonufou77", "hark", "grezat"]);
    assert_eq!(names, ["x-novel", "x-chvgofozi", "x-azaz", "x-voznavay"]);
}
