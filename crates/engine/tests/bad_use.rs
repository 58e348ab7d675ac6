//! Wrong use and hostile systems: each has a clear outcome.

use std::time::Duration;

use probity::{
    Check, Counterexample, Failure, Persistence, SetupError, Stateful, check_watched, run_watched, stateful,
};
use proptest::prelude::*;

fn check() -> Check {
    Check { seed: Some(1), persistence: Persistence::Off, ..Check::default() }
}

fn empty() -> Stateful<i64, i64> {
    stateful::<i64, i64>().model(|| 0).sut(|| 0)
}

fn setup(test: Stateful<i64, i64>) -> SetupError {
    match test.run(check()) {
        Err(Failure::Setup(error)) => error,
        other => panic!("an error was due, not {other:?}"),
    }
}

fn broken<M: 'static, S: 'static>(test: Stateful<M, S>, check: Check) -> Counterexample {
    match test.run(check) {
        Err(Failure::Counterexample(counterexample)) => *counterexample,
        other => panic!("a counterexample was due, not {other:?}"),
    }
}

#[test]
fn no_commands_is_an_error() {
    assert_eq!(setup(empty()), SetupError::NoCommands);
}

#[test]
fn a_name_given_twice_is_an_error() {
    let test = empty().command("a").run(|(), _, _| ()).command("a").run(|(), _, _| ()).end();
    assert_eq!(setup(test), SetupError::DuplicateCommand { name: "a".to_owned() });
}

#[test]
fn a_missing_factory_is_an_error() {
    let test = stateful::<i64, i64>().model(|| 0).command("a").run(|(), _, _| ()).end();
    assert_eq!(
        setup(test),
        SetupError::MissingFactory { what: "system", method: ".sut(..) or .sut_async(..)" }
    );
}

#[test]
fn preconditions_that_never_hold_are_an_error_that_names_the_command() {
    let error = setup(empty().command("never").pre(|_| false).run(|(), _, _| ()).end());
    assert!(error.to_string().contains("\"never\": its precondition was false all"), "{error}");
}

#[test]
fn a_strategy_that_rejects_everything_is_an_error_that_names_the_command() {
    let none = (0..9i64).prop_filter("none is good", |_| false);
    let error = setup(empty().command("odd").forall("x", none).run(|_, _, _| ()).end());
    assert!(error.to_string().contains("\"odd\": its arguments could not be drawn"), "{error}");
}

#[test]
fn a_model_factory_that_panics_is_an_error() {
    let test =
        stateful::<i64, i64>().model(|| panic!("no model")).sut(|| 0).command("a").run(|(), _, _| ()).end();
    assert!(setup(test).to_string().starts_with("the model factory panicked: no model"));
}

#[test]
fn a_system_factory_that_fails_is_an_error_and_no_counterexample() {
    let test =
        stateful::<i64, i64>().model(|| 0).try_sut(|| Err("no server")).command("a").run(|(), _, _| ()).end();
    assert_eq!(setup(test), SetupError::System { reason: "no server".to_owned() });
}

#[test]
fn a_panic_in_a_command_is_a_failure_that_shrinks_and_keeps_its_message() {
    let test = empty().command("add").forall("n", 0..=100i64).run(|(n,), model, _| {
        *model += n;
        assert!(*model < 50, "the model is {model}");
    });
    let found = broken(test.end(), check());
    assert_eq!(found.fault.code, "panic in \"add\"");
    assert!(found.fault.message.starts_with("the model is 50 (at "), "{}", found.fault.message);
    assert_eq!(found.minimal.len(), 1);
}

#[test]
fn a_panic_in_a_precondition_or_an_invariant_is_a_failure_too() {
    let test =
        empty().command("a").pre(|model| *model < 3 || panic!("three")).run(|(), model, _| *model += 1).end();
    let found = broken(test, check());
    assert_eq!((found.fault.code.as_str(), found.minimal.len()), ("panic in a precondition of \"a\"", 4));
    let test = empty().command("a").run(|(), model, _| *model += 1).invariant(|model, _| assert!(*model < 3));
    let found = broken(test, check());
    assert_eq!((found.fault.code.as_str(), found.minimal.len()), ("panic in invariant #1", 3));
}

#[test]
fn a_drop_that_panics_is_a_failure() {
    struct Fragile(i64);
    impl Drop for Fragile {
        fn drop(&mut self) {
            assert!(self.0 < 2, "dropped at {}", self.0);
        }
    }
    let test = stateful::<(), Fragile>()
        .model(|| ())
        .sut(|| Fragile(0))
        .command("a")
        .run(|(), (), fragile| fragile.0 += 1);
    let found = broken(test.end(), check());
    assert_eq!((found.fault.code.as_str(), found.minimal.len()), ("panic in the drop of the system", 2));
}

#[test]
fn a_command_that_never_returns_fails_at_its_time_limit() {
    let test = empty()
        .command("wait")
        .forall("n", 0..=9i64)
        .run_async(async |(n,), _, _| {
            if n > 4 {
                std::future::pending::<()>().await;
            }
        })
        .end();
    let limits = Check { time_limit: Some(Duration::from_millis(5)), shrink_budget: 40, ..check() };
    let found = broken(test, limits);
    assert_eq!(found.fault.code, "time limit of \"wait\"");
    assert_eq!(found.minimal[0].arguments[0].value, "5");
}

#[test]
fn a_synchronous_command_that_never_returns_ends_the_test_with_its_name() {
    let make = || {
        empty()
            .command("step")
            .run(|(), model, _| *model += 1)
            .command("hang")
            .forall("n", 0..=9i64)
            .run(|(n,), model, _| {
                if n > 4 && *model > 2 {
                    loop {
                        std::thread::park();
                    }
                }
            })
            .end()
    };
    let limits = Check { time_limit: Some(Duration::from_millis(5)), ..check() };
    let found = match run_watched(limits.clone(), make) {
        Err(Failure::Counterexample(found)) => found,
        other => panic!("a counterexample was due, not {other:?}"),
    };
    assert_eq!(found.fault.code, "time limit of \"hang\"");
    assert_eq!(found.minimal.last().map(|step| step.command.as_str()), Some("hang"));
    assert!(found.minimal.len() > 3, "the steps that led there are shown: {found}");
    let payload = std::panic::catch_unwind(|| check_watched(limits, make)).expect_err("it fails");
    let report = payload.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(report.starts_with("\"hang\" took too long: it did not return within 5ms"), "{report}");
}

#[test]
fn a_watched_test_ends_as_any_other() {
    let bad = || empty().command("a").run(|(), model, _| *model += 1).invariant(|model, _| *model < 3);
    let watched = run_watched(Check { time_limit: Some(Duration::from_secs(5)), ..check() }, bad);
    let found = watched.expect_err("a bug is planted");
    assert_eq!(found.counterexample().map(|found| found.minimal.len()), Some(3));
    let good = run_watched(check(), || empty().command("a").run(|(), _, _| ()).end());
    assert!(good.is_ok_and(|statistics| statistics.n_runs == 100));
}

#[test]
fn a_system_that_fails_now_and_then_is_called_flaky() {
    let calls = std::cell::Cell::new(0);
    let test = empty()
        .command("a")
        .run(move |(), _, _| {
            calls.set(calls.get() + 1);
            calls.get() % 7 != 0
        })
        .post(|(), _, _, is_good| *is_good);
    let found = broken(test.end(), check());
    assert!(found.n_confirmed < found.n_confirmations);
    assert!(found.to_string().contains("flaky: it failed in only"), "{found}");
}

#[test]
fn a_command_that_never_ran_is_warned_of() {
    let test = empty().command("a").run(|(), _, _| ()).command("b").pre(|_| false).run(|(), _, _| ()).end();
    let statistics = test.run(check()).expect("nothing can fail");
    assert_eq!(statistics.warnings().len(), 1);
    assert!(statistics.to_string().contains("warning: command \"b\" never ran"), "{statistics}");
}
