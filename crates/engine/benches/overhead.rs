//! The cost of a command in the engine over a hand-written loop that draws the same values.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use probity::{Check, Choosing, Persistence, stateful};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

const N_ROUNDS: u32 = 15;
const N_RUNS: u32 = 4000;
const MAX_COMMANDS: usize = 50;

fn main() {
    println!("| machine | commands | by hand | engine | ratio |");
    println!("|---|---|---|---|---|");
    // Rounds take turns, and the best of each is the least disturbed by the rest of the machine.
    let rounds: Vec<_> = (0..N_ROUNDS).map(|_| (by_hand(), by_engine())).collect();
    let hand = rounds.iter().map(|(hand, _)| *hand).min_by_key(|(_, time)| *time);
    let engine = rounds.iter().map(|(_, engine)| *engine).min_by_key(|(_, time)| *time);
    let (Some((n_hand, hand)), Some((n_engine, engine))) = (hand, engine) else { return };
    let cost =
        |time: Duration, n: u64| time.as_secs_f64() * 1e9 / f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    let (hand, engine) = (cost(hand, n_hand), cost(engine, n_engine));
    println!("| key-value store | {n_engine} | {hand:.0} ns | {engine:.0} ns | {:.2} |", engine / hand);
    println!("ratio engine-overhead {:.2} at most 2", engine / hand);
}

/// The same commands, checks and strategies as a loop.
fn by_hand() -> (u64, Duration) {
    let start = Instant::now();
    let mut runner = TestRunner::deterministic();
    let keys = (0..=9i64).boxed();
    let values = (0..=1000i64).boxed();
    let mut n_commands = 0;
    for _ in 0..N_RUNS {
        let (mut model, mut store) = (BTreeMap::new(), BTreeMap::new());
        for _ in 0..MAX_COMMANDS {
            let draw = |strategy: &BoxedStrategy<i64>, runner: &mut TestRunner| {
                strategy.new_tree(runner).expect("a range rejects nothing").current()
            };
            match runner.rng().random_range(0..3) {
                0 => {
                    let (key, value) = (draw(&keys, &mut runner), draw(&values, &mut runner));
                    model.insert(key, value);
                    store.insert(key, value);
                }
                1 => {
                    let key = draw(&keys, &mut runner);
                    assert_eq!(model.remove(&key), store.remove(&key));
                }
                _ => {
                    let key = draw(&keys, &mut runner);
                    assert_eq!(model.get(&key), store.get(&key));
                }
            }
            assert_eq!(model.len(), store.len());
            n_commands += 1;
        }
    }
    (n_commands, start.elapsed())
}

fn by_engine() -> (u64, Duration) {
    let start = Instant::now();
    let statistics = stateful::<BTreeMap<i64, i64>, BTreeMap<i64, i64>>()
        .model(BTreeMap::new)
        .sut(BTreeMap::new)
        .command("put")
        .forall("k", 0..=9i64)
        .forall("v", 0..=1000i64)
        .run(|(k, v), model, store| {
            model.insert(k, v);
            store.insert(k, v);
        })
        .command("del")
        .forall("k", 0..=9i64)
        .run(|(k,), model, store| (model.remove(&k), store.remove(&k)))
        .post(|_, _, _, (wanted, got)| wanted == got)
        .command("get")
        .forall("k", 0..=9i64)
        .run(|(k,), _, store| store.get(&k).copied())
        .post(|(k,), model, _, got| *got == model.get(k).copied())
        .invariant(|model, store| model.len() == store.len())
        .run(Check {
            num_runs: N_RUNS,
            max_commands: MAX_COMMANDS,
            seed: Some(1),
            choosing: Choosing::Uniform,
            persistence: Persistence::Off,
            ..Check::default()
        })
        .expect("nothing can fail");
    (statistics.commands.iter().map(|command| command.n_ran).sum(), start.elapsed())
}
