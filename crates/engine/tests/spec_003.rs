//! The stateful testing specification, requirement by requirement: each test is named after its scenario.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use probity::{Check, Counterexample, Failure, Persistence, ShownStep, Stateful, stateful};

#[derive(Default)]
struct Counter {
    n: i64,
}

fn check(seed: u64) -> Check {
    Check { seed: Some(seed), persistence: Persistence::Off, ..Check::default() }
}

/// Counts to ten and no further.
fn capped() -> Stateful<i64, Counter> {
    stateful::<i64, Counter>()
        .model(|| 0)
        .sut(Counter::default)
        .command("inc")
        .forall("by", 1..=5i64)
        .run(|(by,), model, counter| {
            *model += by;
            counter.n = (counter.n + by).min(10);
            counter.n
        })
        .post(|_, model, _, got| got == model)
        .command("reset")
        .pre(|model| *model != 0)
        .run(|(), model, counter| {
            *model = 0;
            counter.n = 0;
        })
        .end()
}

fn broken(outcome: Result<probity::Statistics, Failure>) -> Counterexample {
    match outcome {
        Err(Failure::Counterexample(counterexample)) => *counterexample,
        other => panic!("a counterexample was due, not {other:?}"),
    }
}

fn values(steps: &[ShownStep]) -> Vec<String> {
    steps.iter().map(|step| step.arguments.iter().map(|argument| argument.value.clone()).collect()).collect()
}

mod stateful_test_definition {
    use super::*;

    #[test]
    fn define_model_and_sut_factories() {
        let made = Rc::new(Cell::new((0, 0)));
        let (models, systems) = (made.clone(), made.clone());
        let outcome = stateful::<i64, Counter>()
            .model(move || {
                models.set((models.get().0 + 1, models.get().1));
                0
            })
            .sut(move || {
                systems.set((systems.get().0, systems.get().1 + 1));
                Counter::default()
            })
            .command("inc")
            .run(|(), model, counter| {
                *model += 1;
                counter.n += 1;
            })
            .invariant(|model, counter| *model == counter.n)
            .run(Check { num_runs: 30, ..check(1) });
        assert!(outcome.is_ok());
        assert_eq!(made.get(), (30, 30), "every run has fresh instances");
    }

    #[test]
    fn type_inference_for_model_and_sut() {
        struct Model {
            count: i64,
        }
        let outcome = stateful::<Model, Counter>()
            .model(|| Model { count: 0 })
            .sut(Counter::default)
            .command("add")
            .forall("by", 0..9i64)
            .run(|(by,), model, counter| {
                model.count += by;
                counter.n += by;
            })
            .invariant(|model, counter| model.count == counter.n)
            .run(check(1));
        assert!(outcome.is_ok());
    }
}

mod command_definition {
    use super::*;

    #[test]
    fn command_with_arguments() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let log = seen.clone();
        let test = stateful::<(), ()>()
            .model(|| ())
            .sut(|| ())
            .command("three")
            .forall("value", 0..10i64)
            .forall("name", "[a-z]{1,3}")
            .forall("flag", proptest::bool::ANY)
            .run(move |(value, name, flag): (i64, String, bool), (), ()| {
                log.borrow_mut().push((value, name, flag));
            });
        test.run(check(3)).expect("nothing can fail");
        assert!(seen.borrow().iter().all(|(value, name, _)| (0..10).contains(value) && !name.is_empty()));
        assert!(seen.borrow().iter().any(|(_, _, flag)| *flag));
    }

    #[test]
    fn command_with_precondition() {
        let test = stateful::<Vec<i64>, ()>()
            .model(Vec::new)
            .sut(|| ())
            .command("push")
            .run(|(), model, ()| model.push(1))
            .command("pop")
            .pre(|model| !model.is_empty())
            .run(|(), model, ()| model.pop())
            .post(|(), _, (), popped| popped.is_some());
        let statistics = test.run(check(4)).expect("pop is never chosen on an empty model");
        assert!(statistics.commands[1].n_ran > 0 && statistics.commands[1].n_forbidden > 0);
    }

    #[test]
    fn command_execution_order() {
        let test = stateful::<Vec<i64>, Vec<i64>>()
            .model(|| vec![1])
            .sut(|| vec![2])
            .command("look")
            .forall("x", 3..=3i64)
            .run(|(x,), model, system| (x, model[0], system[0]))
            .post(|(x,), model, system, seen| *seen == (*x, model[0], system[0]) && *seen == (3, 1, 2));
        assert!(test.run(check(5)).is_ok(), "arguments come first, then the model, then the system");
    }

    #[test]
    fn command_with_postcondition() {
        let found = broken(capped().run(check(6)));
        assert_eq!(found.fault.code, "postcondition of \"inc\"");
        assert_eq!(found.minimal.last().and_then(|step| step.result.as_deref()), Some("10"));
    }
}

mod invariant_checking {
    use super::*;

    fn off_by_one() -> Stateful<i64, Counter> {
        stateful::<i64, Counter>()
            .model(|| 0)
            .sut(Counter::default)
            .command("inc")
            .run(|(), model, counter| {
                *model += 1;
                counter.n += if counter.n == 2 { 2 } else { 1 };
            })
            .end()
    }

    #[test]
    fn an_invariant_is_defined() {
        let found = broken(off_by_one().invariant(|model, counter| *model == counter.n).run(check(7)));
        assert_eq!(found.fault.code, "invariant #1");
        assert_eq!(found.minimal.len(), 3);
    }

    #[test]
    fn multiple_invariants_are_checked_in_order() {
        let order = Rc::new(RefCell::new(Vec::new()));
        let (first, second) = (order.clone(), order.clone());
        let test = off_by_one()
            .named_invariant("first", move |_, _| first.borrow_mut().push(1))
            .named_invariant("second", move |_, _| second.borrow_mut().push(2))
            .named_invariant("third", |model, counter| *model == counter.n);
        assert_eq!(broken(test.run(check(7))).fault.code, "invariant third");
        assert!(order.borrow().chunks(2).all(|pair| pair == [1, 2]), "all are checked, in order");
    }
}

mod command_sequence_generation {
    use super::*;

    #[test]
    fn precondition_filtering_leaves_out_commands() {
        let test = stateful::<u8, ()>()
            .model(|| 0)
            .sut(|| ())
            .command("red")
            .pre(|light| *light == 0)
            .run(|(), light, ()| std::mem::replace(light, 1))
            .post(|(), _, (), before| *before == 0)
            .command("green")
            .pre(|light| *light == 1)
            .run(|(), light, ()| std::mem::replace(light, 0))
            .post(|(), _, (), before| *before == 1);
        assert!(test.run(check(8)).is_ok());
    }

    #[test]
    fn sequence_length_variation() {
        let lengths = Rc::new(RefCell::new(Vec::new()));
        let (starts, steps) = (lengths.clone(), lengths.clone());
        let test = stateful::<(), ()>()
            .model(move || starts.borrow_mut().push(0))
            .sut(|| ())
            .command("step")
            .run(move |(), (), ()| *steps.borrow_mut().last_mut().expect("a run has begun") += 1);
        test.run(Check { num_runs: 400, max_commands: 10, ..check(9) }).expect("nothing can fail");
        for length in 0..=10 {
            assert!(lengths.borrow().contains(&length), "no sequence of {length} commands");
        }
        assert!(lengths.borrow().iter().all(|length| *length <= 10));
    }

    #[test]
    fn argument_generation_per_command() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let log = seen.clone();
        let test = stateful::<(), ()>()
            .model(|| ())
            .sut(|| ())
            .command("x")
            .forall("x", 0..1_000_000i64)
            .run(move |(x,), (), ()| log.borrow_mut().push(x));
        test.run(Check { num_runs: 20, ..check(10) }).expect("nothing can fail");
        let mut distinct = seen.borrow().clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert!(distinct.len() * 2 > seen.borrow().len(), "occurrences draw independently");
    }
}

mod sequence_shrinking {
    use super::*;

    #[test]
    fn length_reduction_shortens_the_sequence() {
        for seed in 0..20 {
            let found = broken(capped().run(check(seed)));
            assert!(found.minimal.len() <= found.full.len());
            assert_eq!(found.minimal.len(), 3, "seed {seed}: {:?}", found.minimal);
        }
    }

    #[test]
    fn command_removal_drops_spare_steps() {
        let found = broken(capped().run(check(11)));
        assert!(found.minimal.iter().all(|step| step.command == "inc"), "no reset is left");
    }

    #[test]
    fn argument_shrinking_lowers_each_value() {
        assert_eq!(values(&broken(capped().run(check(12))).minimal), ["1", "5", "5"]);
    }

    #[test]
    fn precondition_preservation_holds_while_shrinking() {
        let is_legal = Rc::new(Cell::new(true));
        let seen = is_legal.clone();
        let test = stateful::<Vec<i64>, ()>()
            .model(Vec::new)
            .sut(|| ())
            .command("push")
            .forall("x", 0..100i64)
            .run(|(x,), model, ()| model.push(x))
            .command("pop")
            .pre(|model| !model.is_empty())
            .run(move |(), model, ()| {
                seen.set(seen.get() && !model.is_empty());
                model.pop();
                model.len()
            })
            .post(|(), _, (), left| *left != 3);
        let found = broken(test.run(check(13)));
        assert!(is_legal.get(), "no candidate ran a command against its precondition");
        assert_eq!(values(&found.minimal), ["0", "0", "0", "0", ""]);
        assert_eq!((found.n_confirmed, found.n_confirmations), (3, 3));
    }
}

mod failure_reporting {
    use super::*;

    #[test]
    fn command_sequence_in_error() {
        let failure = capped().run(check(14)).expect_err("a bug is planted");
        let found = failure.counterexample().expect("a counterexample");
        let report = failure.to_string();
        for step in &found.full {
            assert!(report.contains(&step.to_string()), "{step} is not in the report");
        }
    }

    #[test]
    fn shrunk_sequence_reported() {
        let report = capped().run(check(14)).expect_err("a bug is planted").to_string();
        assert!(
            report.contains("1. inc(by: 1) -> 1\n  2. inc(by: 5) -> 6\n  3. inc(by: 5) -> 10\n"),
            "{report}"
        );
        assert!(report.contains("Check { seed: Some(14), ..Check::default() }"), "{report}");
        assert!(report.contains(".replay(\"inc(by: 1)"), "{report}");
    }
}

mod check_integration {
    use super::*;

    #[test]
    fn running_stateful_check() {
        let statistics = stateful::<(), ()>()
            .model(|| ())
            .sut(|| ())
            .command("step")
            .run(|(), (), ()| ())
            .run(Check { num_runs: 100, max_commands: 50, ..check(15) })
            .expect("nothing can fail");
        assert_eq!(statistics.n_runs, 100);
        assert!(statistics.commands[0].n_ran <= 100 * 50);
    }

    #[test]
    fn seed_reproducibility_gives_the_same_sequences() {
        let [first, again] = [0, 1].map(|_| broken(capped().run(check(16))));
        assert_eq!(
            (first.full, first.minimal, first.script),
            (again.full, again.minimal, again.script.clone())
        );
        let replayed = capped().build().expect("complete").replay(&again.script);
        assert_eq!(broken(replayed).fault, again.fault, "the script replays the same failure");
    }
}
