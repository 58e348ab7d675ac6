//! Random machines: whatever is reported replays without a forbidden step and fails the same check.

use probity::{Call, Check, Command, Failure, Fault, Machine, Outcome, Persistence, Replay, Running};
use proptest::prelude::*;

/// A machine whose commands, preconditions and bug are made from a seed: a small state that commands move about.
fn machine(seed: u64) -> Machine<[i64; 3], ()> {
    let digit = move |index: u32| i64::try_from((seed >> (index % 61)) % 7).unwrap_or(0);
    let mut machine = Machine::new(|| [0; 3], || async { Ok(()) });
    for number in 0..4u32 {
        let cell = usize::try_from(digit(number * 3) % 3).unwrap_or(0);
        let other = usize::try_from(digit(number * 5 + 1) % 3).unwrap_or(0);
        let limit = digit(number * 7 + 2) + 2;
        let forbidden = digit(number * 11 + 3);
        let sign = if digit(number + 4) % 2 == 0 { 1 } else { -1 };
        let command = Command::new(format!("c{number}"), move |call: Call<'_, [i64; 3], ()>| {
            let by = call.arguments[0].get::<i64>().copied().unwrap_or(0);
            // The engine must never get here against a precondition.
            assert!(call.model[other] < limit, "a precondition on the model was broken");
            assert!((by + call.model[other]) % 7 != forbidden, "a precondition on arguments was broken");
            call.model[cell] += sign * by;
            let is_wrong = call.model.iter().sum::<i64>() > 12;
            let fault = Fault { code: format!("sum after c{number}"), message: String::new() };
            Running::Done(Outcome { result: None, fault: is_wrong.then_some(fault) })
        });
        let command = command
            .fixed_argument("by", |by: &i64| by.to_string(), (0..=9i64).boxed())
            .pre(move |model: &[i64; 3]| model[other] < limit)
            .pre_args(move |values, model| {
                (values[0].get::<i64>().copied().unwrap_or(0) + model[other]) % 7 != forbidden
            });
        machine = machine.command(command);
    }
    machine
}

fn check(replay: Replay) {
    let mut n_found = 0;
    for seed in 0..300u64 {
        let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let settings = Check {
            seed: Some(seed),
            replay,
            persistence: Persistence::Off,
            num_runs: 20,
            ..Check::default()
        };
        let Err(Failure::Counterexample(found)) = machine(seed).run(&settings) else { continue };
        n_found += 1;
        assert!(found.fault.code.starts_with("sum after"), "{found}");
        assert_eq!(found.n_confirmed, found.n_confirmations, "strict replays fail alike: {found}");
        let Err(Failure::Counterexample(again)) = machine(seed).replay(&found.script) else {
            panic!("the script does not fail: {found}");
        };
        assert_eq!(again.fault, found.fault);
    }
    assert!(n_found > 100, "only {n_found} machines broke");
}

#[test]
fn every_reported_sequence_keeps_its_preconditions_and_fails_the_same_check() {
    check(Replay::Repair);
}

#[test]
fn strict_mode_rejects_candidates_instead_of_repairing_them() {
    check(Replay::Strict);
}
