//! Strategies whose appetite for randomness varies wildly: no draw of them goes on for ever.

use probity::{Check, Failure, Persistence, stateful};
use proptest::collection::vec;
use proptest::prelude::*;

/// Runs a test of values from a strategy that fails for some of them, and says what it found.
fn found<T: Clone + std::fmt::Debug + 'static>(
    strategy: impl Strategy<Value = T> + 'static,
    is_bad: fn(&T) -> bool,
) -> Option<String> {
    let test = stateful::<(), ()>()
        .model(|| ())
        .sut(|| ())
        .command("take")
        .forall("x", strategy)
        .run(move |(x,), (), ()| !is_bad(&x))
        .post(|_, (), (), is_good| *is_good);
    let check = Check { seed: Some(1), num_runs: 40, persistence: Persistence::Off, ..Check::default() };
    match test.run(check) {
        Ok(_) => None,
        Err(Failure::Counterexample(broken)) => Some(broken.minimal[0].arguments[0].value.clone()),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn values_made_of_many_values_that_depend_on_others_end() {
    let strategy = vec((1..9usize).prop_flat_map(|n| vec(0..=10i32, n)), 0..60);
    let text = found(strategy, |lists| lists.iter().flatten().any(|x| *x > 6));
    assert!(text.is_some_and(|text| text.contains('7')));
}

#[test]
fn a_rare_branch_that_eats_a_hundred_times_as_much_ends() {
    let large = vec(0..=9i32, 20_000..20_001).prop_map(|list| list.len());
    let strategy = prop_oneof![2000 => 0..100usize, 1 => large.clone()];
    assert_eq!(found(strategy, |n| (50..200).contains(n)).as_deref(), Some("50"));
    let hidden = (0..9i32, 0..9i32, 0..9i32, prop_oneof![2000 => 0..100usize, 1 => large]);
    assert!(found(hidden, |(_, _, _, n)| (50..200).contains(n)).is_some());
}

#[test]
fn a_filter_that_refuses_nearly_everything_ends() {
    let strategy = (0..1_000_000i64).prop_filter("round", |x| x % 1000 == 7);
    assert!(found(strategy, |x| *x > 5000).is_some());
}
