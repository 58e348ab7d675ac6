//! Scripts: what can be replayed is, and what cannot is an error that says what is wrong and what to do.

use probity::{Check, Counterexample, Failure, Persistence, Stateful, stateful};

/// Breaks from 7 on; `pop` needs a number.
fn adder() -> Stateful<Vec<i64>, ()> {
    stateful::<Vec<i64>, ()>()
        .model(Vec::new)
        .sut(|| ())
        .command("add")
        .forall("n", 0..=9i64)
        .run(|(n,), model, ()| model.push(n))
        .post(|(n,), _, (), ()| *n < 7)
        .command("pop (last #1)")
        .pre(|model| !model.is_empty())
        .run(|(), model, ()| model.pop())
        .end()
}

fn broken<M: 'static, S: 'static>(test: Stateful<M, S>) -> Counterexample {
    match test.run(Check { seed: Some(1), persistence: Persistence::Off, ..Check::default() }) {
        Err(Failure::Counterexample(counterexample)) => *counterexample,
        other => panic!("a counterexample was due, not {other:?}"),
    }
}

fn replay<M: 'static, S: 'static>(test: Stateful<M, S>, script: &str) -> Result<(), Failure> {
    test.build().expect("it is complete").replay(script).map(|_| ())
}

/// Replays a script of the adder; `expected` begins the report, and is empty if it succeeds.
#[track_caller]
fn check(script: &str, expected: &str) {
    let report = replay(adder(), script).err().map(|failure| failure.to_string()).unwrap_or_default();
    assert!(report.starts_with(expected) && report.is_empty() == expected.is_empty(), "{script:?}: {report}");
}

/// The line of a step whose argument is `n`, as a report would print it.
fn line(n: i64) -> String {
    let test = stateful::<Vec<i64>, ()>().model(Vec::new).sut(|| ()).command("add").forall("n", 0..=9i64);
    broken(test.run(|_, _, ()| ()).post(move |(drawn,), _, (), ()| *drawn != n).end()).script
}

#[test]
fn what_is_copied_whole_is_replayed() {
    check(&broken(adder()).script, "postcondition of \"add\" failed");
    check(&line(7), "postcondition of \"add\" failed");
    check(&format!("# a comment\n\n  {}\n", line(7)), "postcondition of \"add\" failed");
    check(&line(3), "");
    check(&format!("{}pop (last  1)() # 1\n", line(3)), "");
}

#[test]
fn a_script_that_tests_nothing_is_an_error() {
    let none = "nothing was replayed: the script has no step; copy all of it from a report";
    check("", none);
    check("# add(n: 7)\n", none);
    check("pop (last  1)() # 1", "nothing was replayed: every step is forbidden by its precondition");
    let test = adder().invariant(|_, ()| false);
    let found = broken(test);
    assert_eq!((found.script.as_str(), found.minimal.len()), ("", 0));
    let again =
        replay(adder().invariant(|_, ()| false), &found.script).expect_err("it fails before any step");
    assert!(again.to_string().starts_with("invariant #1 failed"), "{again}");
}

#[test]
fn a_line_that_cannot_be_read_is_an_error() {
    check(
        "add(n: 7)\n",
        "at line 1 of the script: \"add(n: 7)\" lacks its code, from which the step is replayed; copy the line whole \
         from a report",
    );
    check(
        &format!("{}add(n: 7) #\n", line(3)),
        "at line 2 of the script: \"add\" takes 1 argument, but the code has 0",
    );
    check("add(n: 7) # 0 w1 w2", "at line 1 of the script: \"add\" takes 1 argument, but the code has 2");
    check("add(n: 7) # 0 seven", "at line 1 of the script: \"0 seven\" is not the code of a step");
    check(
        "sub(n: 7) # 0 w1",
        "at line 1 of the script: there is no command \"sub\"; the commands are \"add\", \"pop (last #1)\"",
    );
}

#[test]
fn a_text_that_contradicts_its_code_is_an_error() {
    check(
        &line(7).replace("n: 7", "n: 5"),
        "at line 1 of the script: it reads \"add(n: 5)\", but its code draws \"add(n: 7)\"; copy the line whole",
    );
    check(&line(3).replace("n: 3", "m: 3"), "at line 1 of the script: it reads \"add(m: 3)\"");
    let made = || {
        let test = stateful::<Vec<i64>, ()>().model(|| vec![2]).sut(|| ()).command("top");
        let test = test.forall_in("x", |model| model[0]..=6).run(|(x,), _, ()| x);
        test.post(|(x,), _, (), _| *x < 5).end()
    };
    let script = broken(made()).script;
    assert!(replay(made(), &script).is_err_and(|failure| failure.counterexample().is_some()), "{script}");
    let other = script.replace("x: 5", "x: 4");
    let failure = replay(made(), &other).expect_err("the text was changed");
    assert!(
        failure.to_string().contains("it reads \"top(x: 4)\", but its code draws \"top(x: 5)\""),
        "{failure}"
    );
}

#[test]
fn what_reads_otherwise_each_time_contradicts_nothing() {
    let sets = || {
        let sets = proptest::collection::hash_set(0..100u32, 2..7);
        let test = stateful::<(), ()>().model(|| ()).sut(|| ()).command("set").forall("set", sets);
        test.run(|(set,), (), ()| set.len()).post(|_, (), (), len| *len < 5).end()
    };
    let script = broken(sets()).script;
    for _ in 0..8 {
        let again = replay(sets(), &script);
        assert!(again.is_err_and(|failure| failure.counterexample().is_some()), "{script}");
    }
    let tickets = || {
        let n_made = std::rc::Rc::new(std::cell::Cell::new(0));
        let test = stateful::<Vec<i64>, ()>().model(Vec::new).sut(|| ()).command("take");
        let test = test.run(move |(), model, ()| {
            n_made.set(n_made.get() + 1);
            model.push(n_made.get());
        });
        let test = test.command("use").from("ticket", Vec::clone).run(|(ticket,), model, ()| {
            model.retain(|other| *other != ticket);
        });
        test.post(|_, _, (), ()| false).end()
    };
    let script = broken(tickets()).script;
    let again = replay(tickets(), &script.replace("ticket: ", "ticket: 9"));
    assert!(again.is_err_and(|failure| failure.counterexample().is_some()), "{script}");
}
