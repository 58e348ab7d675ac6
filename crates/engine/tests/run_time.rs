//! Machines made at run time: arguments that depend on others, commands that come and go, failures that are recorded.

use probity::{
    Call, Check, Command, Counterexample, Failure, Fault, Machine, Outcome, Persistence, Running, Value,
};
use proptest::prelude::*;

fn check(seed: u64) -> Check {
    Check { seed: Some(seed), persistence: Persistence::Off, ..Check::default() }
}

/// Tools appear one after the other; the one called "c" breaks from 50 on, or never.
fn machine(is_mended: bool) -> Machine<Vec<String>, ()> {
    let reveal = Command::new("reveal", |call: Call<'_, Vec<String>, ()>| {
        let name = char::from(b'a' + u8::try_from(call.model.len()).unwrap_or(0));
        call.model.push(name.to_string());
        Running::Done(Outcome::default())
    });
    let hide = Command::new("hide", |call: Call<'_, Vec<String>, ()>| {
        call.model.pop();
        Running::Done(Outcome::default())
    });
    let run = Command::new("run", move |call: Call<'_, Vec<String>, ()>| {
        let tool = call.arguments[0].get::<String>().cloned().unwrap_or_default();
        let n = call.arguments[1].get::<i64>().copied().unwrap_or_default();
        assert!(call.model.contains(&tool), "a tool that is not there was called");
        assert!(n <= limit(&tool), "{tool} does not take {n}");
        let is_wrong = tool == "c" && n >= 50 && !is_mended;
        let fault = Fault { code: "answer".to_owned(), message: String::new() };
        Running::Done(Outcome { result: None, fault: is_wrong.then_some(fault) })
    });
    Machine::new(Vec::new, || async { Ok(()) })
        .command(reveal.pre(|tools: &Vec<String>| tools.len() < 4))
        .command(hide.pre(|tools: &Vec<String>| !tools.is_empty()))
        .command(
            run.reference("tool", |tools: &Vec<String>| tools.iter().cloned().map(Value::new).collect())
                .argument_after("n", i64::to_string, |before, _: &Vec<String>| {
                    Some((0..=limit(before[0].get::<String>()?)).boxed())
                }),
        )
}

/// The largest number that a tool takes.
fn limit(tool: &str) -> i64 {
    if tool == "c" { 90 } else { 9 }
}

fn broken(outcome: Result<probity::Statistics, Failure>) -> Counterexample {
    match outcome {
        Err(Failure::Counterexample(counterexample)) => *counterexample,
        other => panic!("a counterexample was due, not {other:?}"),
    }
}

#[test]
fn an_argument_is_drawn_from_what_the_one_before_it_allows_and_shrinks() {
    for seed in 0..20 {
        let found = broken(machine(false).run(&check(seed)));
        assert_eq!(found.fault.code, "answer", "{found}");
        let steps: Vec<String> = found.minimal.iter().map(ToString::to_string).collect();
        let expected = ["reveal()", "reveal()", "reveal()", "run(tool: \"c\" from step 3, n: 50)"];
        assert_eq!(steps, expected, "seed {seed}");
        assert_eq!(found.n_confirmed, found.n_confirmations);
    }
}

#[test]
fn a_command_is_chosen_only_while_it_is_switched_on() {
    let statistics = machine(true).run(&check(1)).expect("no tool is called that is not there");
    assert!(statistics.commands.iter().all(|command| command.n_ran > 0));
    assert!(statistics.commands[1].n_forbidden > 0, "hide was off while there was no tool");
}

#[test]
fn a_failure_of_a_machine_is_recorded_and_replayed_first() {
    let folder = std::env::temp_dir().join(format!("probity-{}-run-time", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let file = folder.join("tools.txt");
    let found = broken(machine(false).run_recorded(&check(2), &file));
    let none = Check { num_runs: 0, ..check(3) };
    let again = broken(machine(false).run_recorded(&none, &file));
    assert_eq!((again.run, again.minimal), (0, found.minimal), "before any run");
    let mended = machine(true).run_recorded(&none, &file).expect("it is mended");
    assert_eq!(mended.n_replayed, 2, "the script and the seed");
    assert_eq!(broken(machine(false).replay(&found.script)).fault, found.fault);
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}
