//! What users get beyond the specification, one test for each line of the promise.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use probity::{
    Call, Check, Choosing, Command, Counterexample, Failure, Fault, Focus, Outcome, Parallel, Persistence,
    Running, SetupError, Stateful, Statistics, stateful,
};
use proptest::prelude::*;

fn check() -> Check {
    Check { seed: Some(1), persistence: Persistence::Off, ..Check::default() }
}

fn empty() -> Stateful<i64, i64> {
    stateful::<i64, i64>().model(|| 0).sut(|| 0)
}

fn broken(outcome: Result<Statistics, Failure>) -> Counterexample {
    match outcome {
        Err(Failure::Counterexample(counterexample)) => *counterexample,
        other => panic!("a counterexample was due, not {other:?}"),
    }
}

#[test]
fn a_weight_makes_a_command_as_much_more_frequent() {
    let test = empty().command("often").weight(9).run(|(), _, _| ()).command("seldom").run(|(), _, _| ());
    let statistics = test.run(Check { choosing: Choosing::Uniform, num_runs: 400, ..check() });
    let counts = statistics.expect("nothing can fail").commands;
    let ratio = counts[0].n_ran / counts[1].n_ran;
    assert!((8..=10).contains(&ratio), "{counts:?}");
}

#[test]
fn labels_are_counted_and_shown() {
    let test =
        empty().command("add").forall("n", 0..=9i64).label(|(n,), _| if *n > 4 { "high" } else { "low" });
    let statistics = test.run(|(n,), model, _| *model += n).run(check()).expect("nothing can fail");
    let labels = &statistics.commands[0].labels;
    assert_eq!(labels.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>(), ["high", "low"]);
    assert_eq!(labels.iter().map(|(_, count)| count).sum::<u64>(), statistics.commands[0].n_ran);
    assert!(statistics.to_string().contains("    high: "), "{statistics}");
}

#[test]
fn a_verdict_is_a_bool_or_nothing_or_a_result() {
    let one = |test: Stateful<i64, i64>| broken(test.run(check())).fault;
    let add = || empty().command("add").run(|(), model, _| *model += 1);
    let of_bool = one(add().post(|(), model, _, ()| *model < 3).end());
    assert_eq!(of_bool.message, "it returned false");
    let of_assertion = one(add().post(|(), model, _, ()| assert!(*model < 3, "at {model}")).end());
    assert!(of_assertion.message.starts_with("at 3 (at "), "{}", of_assertion.message);
    let of_result = one(add()
        .post(|(), model, _, ()| if *model < 3 { Ok(()) } else { Err(format!("is {model}")) })
        .end());
    assert_eq!((of_result.code.as_str(), of_result.message.as_str()), ("postcondition of \"add\"", "is 3"));
    let second = one(add().post(|(), _, _, ()| true).post(|(), model, _, ()| *model < 3).end());
    assert_eq!(second.code, "postcondition #2 of \"add\"");
}

#[test]
fn an_invariant_is_checked_before_the_first_command() {
    let test = stateful::<i64, i64>().model(|| 7).sut(|| 7).command("a").run(|(), _, _| ());
    let found = broken(test.named_invariant("small", |model, _| *model < 5).run(check()));
    assert_eq!((found.fault.code.as_str(), found.minimal.len()), ("invariant small", 0));
}

#[test]
fn an_async_factory_that_fails_is_an_error() {
    let test = stateful::<i64, i64>().model(|| 0).try_sut_async(|| async { Err("no port") });
    let outcome = test.command("a").run(|(), _, _| ()).run(check());
    let Err(Failure::Setup(error)) = outcome else { panic!("an error was due") };
    assert_eq!(error, SetupError::System { reason: "no port".to_owned() });
}

#[test]
fn every_run_and_every_replay_has_a_fresh_model_and_system() {
    let is_fresh = |model: &i64, system: &i64| *model == *system;
    let test = empty().command("add").run(|(), model, system| {
        *model += 1;
        *system += 1;
    });
    let found = broken(test.post(|(), model, _, ()| *model < 4).invariant(is_fresh).run(check()));
    assert_eq!(found.minimal.len(), 4);
}

#[test]
fn an_argument_may_depend_on_those_before_it() {
    let test = empty()
        .command("range")
        .forall("low", 0..=50i64)
        .forall_with("high", |(low,), _| *low..=60)
        .run(|(low, high), _, _| high - low)
        .post(|(low, high), _, _, _| low <= high && high - low < 9);
    let found = broken(test.run(check()));
    assert_eq!(found.minimal[0].to_string(), "range(low: 0, high: 9) -> 9");
}

#[test]
fn models_are_told_apart_by_hash_or_by_debug_or_not_at_all() {
    #[derive(Default, Debug)]
    struct Shown(f64);
    #[derive(Default)]
    struct Sealed(f64);
    let n_models = |outcome: Result<Statistics, Failure>| outcome.expect("nothing can fail").n_models;
    let turn = |x: f64| (x + 1.0) % 5.0;
    let hashed = || empty().command("turn").run(|(), model, _| *model = (*model + 1) % 5);
    assert_eq!(n_models(hashed().run(check())), 5);
    assert_eq!(n_models(hashed().run(Check { choosing: Choosing::Uniform, ..check() })), 0);
    let shown = stateful::<Shown, ()>().model(Shown::default).sut(|| ());
    let shown = shown.command("turn").run(move |(), model, ()| model.0 = turn(model.0));
    assert_eq!(n_models(shown.run(check())), 5);
    let sealed = stateful::<Sealed, ()>().model(Sealed::default).sut(|| ());
    let sealed = sealed.command("turn").run(move |(), model, ()| model.0 = turn(model.0));
    assert_eq!(n_models(sealed.run(check())), 0);
    let many = || empty().command("add").forall("n", 0..1_000_000i64).run(|(n,), model, _| *model += n);
    assert_eq!(n_models(many().run(check())), 0, "models that never come back are forgotten");
    assert!(n_models(many().novelty().run(check())) > 100, "unless they are asked for");
    let by_part = hashed().end().novelty_by(|model, hasher| std::hash::Hash::hash(&(model % 2), hasher));
    assert_eq!(n_models(by_part.run(check())), 2);
}

#[test]
fn shrinking_keeps_to_its_budget_and_its_time() {
    let test = |runs: &Rc<Cell<u32>>| {
        let runs = runs.clone();
        stateful::<i64, ()>()
            .model(move || {
                runs.set(runs.get() + 1);
                0
            })
            .sut(|| ())
            .command("add")
            .forall("n", 0..1000i64)
            .run(|(n,), model, ()| *model += n)
            .invariant(|model, ()| *model < 9000)
    };
    let runs = Rc::new(Cell::new(0));
    let found = broken(test(&runs).run(Check { shrink_budget: 5, ..check() }));
    assert_eq!(found.n_executions, 5);
    let found = broken(test(&runs).run(Check { shrink_time: Some(Duration::ZERO), ..check() }));
    assert_eq!(found.n_executions, 0);
}

#[test]
fn shrinking_stays_with_one_failure_or_follows_the_shortest() {
    let test = || {
        let test = empty().command("add").forall("n", 1..=9i64).run(|(n,), model, _| *model += n);
        test.named_invariant("even", |model, _| *model < 12 || model % 2 == 0)
            .named_invariant("small", |model, _| *model < 30)
    };
    let same = Check { focus: Focus::Same(|fault: &Fault| fault.code.clone()), ..check() };
    for seed in 0..10 {
        let first = broken(test().run(Check { seed: Some(seed), shrink_budget: 0, ..check() })).fault.code;
        let found = broken(test().run(Check { seed: Some(seed), ..same.clone() }));
        assert_eq!(found.fault.code, first, "seed {seed}");
        let shortest = broken(test().run(Check { seed: Some(seed), ..check() }));
        assert!(shortest.minimal.len() <= found.minimal.len());
    }
}

#[test]
fn commands_made_by_hand_stand_beside_those_of_the_builder() {
    let by_hand = Command::new("by hand", |call: Call<'_, i64, i64>| {
        *call.model += 10;
        let fault = Fault { code: "too much".to_owned(), message: String::new() };
        Running::Done(Outcome { result: None, fault: (*call.model > 11).then_some(fault) })
    });
    let test = empty().add_command(by_hand).command("add").run(|(), model, _| *model += 1);
    let found = broken(test.run(check()));
    assert_eq!((found.fault.code.as_str(), found.minimal.len()), ("too much", 2));
}

#[test]
fn a_test_inside_a_runtime_is_awaited_and_a_race_is_reported() {
    let test = || empty().command("a").run_async(async |(), model, _| *model += 1);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(test().check_async(check()));
    let failing = test().post(|(), model, _, ()| *model < 3).end();
    let outcome = catch_unwind(AssertUnwindSafe(|| runtime.block_on(failing.check_async(check()))));
    assert!(outcome.is_err(), "check_async panics with the report");
    let racy = stateful::<i64, Cell<i64>>()
        .model(|| 0)
        .sut(|| Cell::new(0))
        .command("inc")
        .call_async(async |(), counter: &Cell<i64>| {
            let before = counter.get();
            tokio::task::yield_now().await;
            counter.set(before + 1);
            before + 1
        })
        .next(|(), model, got| {
            *model += 1;
            model == got
        });
    let outcome = racy.end().run_interleaved(&Parallel { seed: Some(1), ..Parallel::default() });
    assert!(matches!(outcome, Err(Failure::NotLinearizable(_))));
}

#[test]
fn any_strategy_of_proptest_will_do() {
    let strategy = prop_oneof![Just(None), any::<bool>().prop_map(Some)];
    let test = empty().command("set").forall("x", strategy).run(|(x,), _, _| x != Some(true));
    let found = broken(test.post(|_, _, _, is_good| *is_good).run(check()));
    assert_eq!(found.minimal[0].arguments[0].value, "Some(true)");
}
