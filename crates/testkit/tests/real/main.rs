//! Real servers, which nobody wrote for us: they are driven in sandboxes, answer, end in time, and leave no process behind.
//!
//! Each is installed by `cargo xtask deps`; where that was not done, its test says so and is skipped. What is found is
//! written down with its raw exchange in `docs/findings`, and a finding that is not expected here fails the test.

mod sandbox;

mod everything;
mod filesystem;
mod git;
mod memory;
mod sqlite;
mod time;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use probity_drive::mcp::{Event, Limits, Options, Phase, Protocol, Report, Server, Target, run};
use serde_json::{Map, Value};

use crate::sandbox::Sandbox;

/// What a run on a real server must show.
struct Expected<'a> {
    /// Tools of which at least one call succeeds.
    succeeding: &'a [&'a str],
    /// Everything that is found: the code of the check, and the tool if it concerns one.
    findings: &'a [(&'a str, &'a str)],
}

/// A call that was drawn, and its result if it succeeded.
struct Call {
    tool: String,
    arguments: Map<String, Value>,
    result: Option<Value>,
}

/// Drives a server to the end and holds it to what is expected; gives back what was called.
#[track_caller]
fn check(sandbox: &Sandbox, server: Server, options: Options, expected: &Expected<'_>) -> Vec<Call> {
    let Expected { succeeding, findings } = expected;
    let (report, calls) = drive(server, options);
    let told = serde_json::to_string_pretty(&report).expect("a report is plain data");
    // A run that meets its time limit stops before its last sequence.
    assert_eq!(report.n_sequences, report.n_planned, "{told}");
    assert!(report.notes.is_empty(), "{told}");
    let found: BTreeSet<(&str, &str)> = report
        .findings
        .iter()
        .map(|finding| (finding.code, finding.tool.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(found, findings.iter().copied().collect(), "{told}");
    for name in *succeeding {
        let tool = report.tools.iter().find(|tool| tool.name == *name);
        assert!(tool.is_some_and(|tool| tool.n_succeeded > 0), "no call of {name} succeeded: {told}");
    }
    sandbox.assert_deserted();
    calls
}

/// Drives a server to the end; gives back what came of it and what was called.
#[track_caller]
fn drive(server: Server, options: Options) -> (Report, Vec<Call>) {
    let calls = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&calls);
    let observer = move |event: &Event<'_>| {
        if let Event::Called { phase: Phase::Draw, exchange, .. } = event {
            noted.borrow_mut().push(Call {
                tool: exchange.tool.clone(),
                arguments: exchange.arguments.clone(),
                result: exchange.outcome.success().cloned(),
            });
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime can be started");
    let report = runtime.block_on(run(Target::Server(server), Protocol::Negotiate, options, observer));
    drop(runtime);
    let report = report.unwrap_or_else(|error| panic!("the server could not be driven: {error}"));
    let calls = Rc::try_unwrap(calls).ok().expect("the run is over, and with it the observer");
    (report, calls.into_inner())
}

/// Few long sequences, because starting a real server takes longer than its calls; patience for a busy machine.
fn options(strings: &[&str]) -> Options {
    Options {
        n_sequences: 2,
        min_len: 20,
        max_len: 30,
        strings: strings.iter().map(|string| (*string).to_owned()).collect(),
        limits: Limits { start: Duration::from_secs(60), ..Limits::default() },
        max_time: Some(Duration::from_secs(120)),
        shrink_budget: 4,
        n_confirmations: 2,
        ..Options::default()
    }
}
