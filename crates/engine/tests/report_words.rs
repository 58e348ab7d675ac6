//! The words of a report: each line says what happened, in a sentence that is true.

use std::time::Duration;

use probity::{Check, Failure, Persistence, Stateful, stateful};

fn empty() -> Stateful<i64, i64> {
    stateful::<i64, i64>().model(|| 0).sut(|| 0)
}

fn options() -> Check {
    let time_limit = Some(Duration::from_millis(50));
    Check { seed: Some(1), time_limit, persistence: Persistence::Off, ..Check::default() }
}

/// Runs a test that fails; its report must have each of these texts.
#[track_caller]
fn check<M: 'static, S: 'static>(test: Stateful<M, S>, has: &[&str]) -> Failure {
    let failure = test.run(options()).expect_err("a bug is planted");
    let report = failure.to_string();
    assert!(has.iter().all(|text| report.contains(text)), "{has:?} should be in:\n{report}");
    failure
}

/// Runs a test that fails; its report must begin so.
#[track_caller]
fn check_heading(test: Stateful<i64, i64>, heading: &str) {
    let failure = check(test, &[heading]);
    assert!(failure.to_string().starts_with(heading), "{failure}");
}

#[test]
fn a_heading_says_what_happened() {
    let add = || empty().command("add").run(|(), model, _| *model += 1);
    check_heading(
        add().post(|(), _, _, ()| false).end(),
        "postcondition of \"add\" failed: it returned false\n",
    );
    check_heading(add().invariant(|model, _| *model < 1), "invariant #1 failed: it returned false\n");
    let panics = empty().command("add").run(|(), _, _| panic!("no more")).end();
    check_heading(panics, "\"add\" panicked: no more (at ");
    let panics = empty().command("add").pre(|_| panic!("no more")).run(|(), _, _| ()).end();
    check_heading(panics, "a precondition of \"add\" panicked: no more (at ");
    check_heading(
        add().post(|(), model, _, ()| assert!(*model < 1, "no more")).end(),
        "the postcondition of \"add\" panicked: no more (at ",
    );
    check_heading(
        add().invariant(|model, _| assert!(*model < 1, "no more")),
        "invariant #1 panicked: no more (at ",
    );
    let late = empty().command("wait").run_async(async |(), _, _| std::future::pending::<()>().await).end();
    check_heading(late, "\"wait\" took too long: it did not return within 50ms\n");
}

#[test]
fn the_full_sequence_shows_results_as_the_minimal_one_does() {
    let counter = || {
        empty().command("add").forall("n", 1..=9i64).run(|(n,), model, _| {
            *model += n;
            *model
        })
    };
    let all = |failure: &Failure| {
        let found = failure.counterexample().expect("a counterexample");
        found.full.iter().chain(&found.minimal).all(|step| step.result.is_some())
    };
    assert!(
        all(&check(counter().post(|_, model, _, _| *model < 40).end(), &[") -> "])),
        "a strategy that stays"
    );
    let test = counter().command("low").forall_in("n", |model| 0..=*model).run(|(n,), _, _| n);
    assert!(
        all(&check(test.post(|(n,), _, _, _| *n < 20).end(), &["low(n: "])),
        "a strategy made from the model"
    );
    let test = empty().command("add").run_async(async |(), model, _| {
        *model += 1;
        *model
    });
    assert!(all(&check(test.post(|(), model, _, _| *model < 4).end(), &["add() -> 4\n"])), "a future");
    let n_runs = std::rc::Rc::new(std::cell::Cell::new(0));
    let test = stateful::<i64, i64>()
        .model(move || {
            n_runs.set(n_runs.get() + 1);
            n_runs.get()
        })
        .sut(|| 0);
    let test = test.command("run").run(|(), model, _| *model).post(|(), model, _, _| *model != 1).end();
    let failure = check(test, &["flaky"]);
    assert!(!all(&failure), "results of another course are not shown: {failure}");
}

#[test]
fn one_of_a_kind_is_counted_as_one() {
    let first = empty().command("add").run(|(), _, _| ()).post(|(), _, _, ()| false).end();
    let options = Check { confirmations: 1, min_commands: 1, ..options() };
    let report = first.run(options).expect_err("a bug is planted").to_string();
    let expected = [
        "\nminimal sequence (1 step, 1 execution to shrink):\n",
        "\nit failed in 1 of 1 replay\n",
        "\nfull sequence (1 step, run 1):\n",
        "\n1 run, 0 replayed, seed 1\n",
    ];
    assert!(expected.iter().all(|line| report.contains(line)), "{report}");
    let one = empty().command("turn").run(|(), _, _| ()).run(Check { seed: Some(1), ..Check::default() });
    let statistics = one.expect("nothing can fail").to_string();
    assert!(statistics.starts_with("100 runs, 0 replayed, seed 1\n1 different model\n"), "{statistics}");
}

#[test]
fn a_test_that_is_not_complete_is_told_in_the_words_of_the_builder() {
    let told = |test: Stateful<i64, i64>, expected: &str| {
        let told = test.run(options()).expect_err("it is not complete").to_string();
        assert_eq!(told, expected);
    };
    let add = |test: Stateful<i64, i64>| test.command("add").run(|(), _, _| ()).end();
    told(add(stateful().sut(|| 0)), "the test does not say how its model is made; add .model(..)");
    let expected = "the test does not say how its system is made; add .sut(..) or .sut_async(..)";
    told(add(stateful().model(|| 0)), expected);
    told(empty(), "the test has no command to choose; add one with .command(\"name\").run(..)");
}
