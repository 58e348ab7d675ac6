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
