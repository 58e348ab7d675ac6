//! Whole runs: what breaks is found whatever it is, the verdict is honest, and the same seed does the same.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

use probity_drive::mcp::{
    CHECKS, CoverageOptions, Destructive, ErrorPolicy, Event, Label, Level, Options, Phase, Protocol, Server,
    SessionUse, Severity, StdioServer, Target, ToolChoice, ToolStatus, run,
};
use serde_json::{Value, json};

use crate::scripted::{drive, drive_server, short, tool};
use crate::{PROGRAM, limits_for, web};

fn server(mode: &str) -> StdioServer {
    StdioServer::new(PROGRAM, [mode])
}

/// A short run with few replays, for modes that hang or are slow to end.
fn quick(mode: &str) -> Options {
    let limits = probity_drive::mcp::Limits { call: Duration::from_secs(1), ..limits_for(mode) };
    let is_slow = ["breaks-no-hang", "breaks-ends-cleanly"].contains(&mode);
    let n_sequences = if is_slow { 3 } else { 40 };
    Options { n_sequences, n_confirmations: 2, shrink_budget: 12, limits, ..Options::default() }
}

#[tokio::test]
async fn every_check_finds_its_breaker_in_a_whole_run() {
    for check in CHECKS.iter().filter(|check| check.code != "valid-http") {
        let mode = format!("breaks-{}", check.code);
        let mut options = quick(&mode);
        if check.code == "error-results-only-where-allowed" {
            options.error_policy = ErrorPolicy::Only(Vec::new());
        }
        let driven = drive_server(server(&mode), options).await;
        let found = driven.report.findings.iter().find(|finding| finding.code == check.code);
        let found = found.unwrap_or_else(|| panic!("{mode}: {:#?}", driven.report));
        assert!(matches!(found.label, Label::Steady | Label::NeedsSequence), "{mode}: {found:#?}");
        assert!(!found.transcript.is_empty(), "{mode}");
    }
}

#[tokio::test]
async fn a_server_that_keeps_its_promises_passes() {
    let driven = drive_server(server("notes"), Options { destructive: Destructive::Called, ..short() }).await;
    assert!(driven.report.is_success, "{:#?}", driven.report);
    assert!(driven.report.findings.is_empty());
}

#[tokio::test]
async fn tools_marked_destructive_are_skipped_and_listed() {
    let driven = drive_server(server("notes"), short()).await;
    assert!(driven.of("delete_note").is_empty());
    let skipped = driven.report.tools.iter().find(|tool| tool.name == "delete_note");
    assert_eq!(skipped.map(|tool| tool.status), Some(ToolStatus::SkippedDestructive));
}

#[tokio::test]
async fn a_run_in_which_nothing_succeeded_is_not_a_success() {
    let tools = [tool("fail", json!({}), &[], &[json!({ "isError": {} })])];
    let driven = drive(&tools, short()).await;
    assert!(!driven.report.is_success);
    assert_eq!(driven.failures(), ["nothing_succeeded"]);
    assert_eq!(driven.report.tools[0].status, ToolStatus::NeverSucceeded);
}

#[tokio::test]
async fn a_tool_that_cannot_be_used_is_a_finding_and_the_run_goes_on() {
    let mut impossible = tool("impossible", json!({ "x": false }), &["x"], &[]);
    impossible["inputSchema"]["properties"]["x"] = json!({ "type": "integer", "minimum": 5, "maximum": 4 });
    let tools = [impossible, tool("work", json!({}), &[], &[json!({})])];
    let driven = drive(&tools, short()).await;
    let found = driven.report.findings.iter().find(|finding| finding.tool.as_deref() == Some("impossible"));
    assert_eq!(found.map(|finding| (finding.code, finding.label)), Some(("tool-list-valid", Label::Steady)));
    assert!(!driven.of("work").is_empty());
}

/// What is found in a run, with the tools of its shortest sequence.
async fn found(mode: &str) -> Vec<(String, Vec<String>)> {
    let driven = drive_server(server(mode), Options { n_sequences: 20, ..Options::default() }).await;
    let findings = driven.report.findings.iter().map(|finding| {
        assert!(matches!(finding.label, Label::Steady | Label::NeedsSequence), "{mode}: {finding:#?}");
        let calls = finding.calls.iter().map(|call| call.tool.clone()).collect();
        (format!("{}: {}", finding.code, finding.message), calls)
    });
    let mut findings: Vec<_> = findings.collect();
    findings.sort();
    findings
}

#[tokio::test]
async fn what_goes_wrong_after_an_answer_is_told_once_and_of_the_call_that_did_it() {
    let check = async |mode: &str, expected: &[(&str, &[&str])]| {
        let expected: Vec<_> = expected
            .iter()
            .map(|(text, calls)| ((*text).to_owned(), calls.iter().map(|call| (*call).to_owned()).collect()))
            .collect();
        assert_eq!(found(mode).await, expected, "{mode}");
    };
    check(
        "falls-after-answer",
        &[
            ("no-crash: the server ended with exit code 3 after its answer", &["fall_later"]),
            ("no-crash: the server ended with exit code 3 instead of answering", &["fall"]),
        ],
    )
    .await;
    check(
        "falls-both-ways",
        &[
            ("no-crash: the server ended with exit code 3 after its answer", &["open"]),
            ("no-crash: the server ended with exit code 7 instead of answering", &["open", "use"]),
        ],
    )
    .await;
    let ended = "no-crash: the server ended with exit code 9 after its answer";
    check("ends-after-answers", &[(ended, &["call", "call"])]).await;
    let lost = "deterministic-listing: the list of tools could not be read again: \
                the server answered with error -32603: no list any more";
    check("loses-list", &[(lost, &["lose"])]).await;
}

#[tokio::test]
async fn the_same_seed_makes_the_same_calls_and_the_same_report() {
    let modes = [
        "notes",
        "crash-on-second-use",
        "nested-array-id",
        "answers-twice",
        "talks-after-answers",
        "ends-after-answers",
        "string-id",
        "invalid-utf8",
        "tells-environment",
        "falls-after-answer",
        "falls-both-ways",
        "loses-list",
    ];
    for mode in modes {
        let mut seen = Vec::new();
        for _ in 0..2 {
            let driven = drive_server(server(mode), Options { n_sequences: 10, ..Options::default() }).await;
            let calls: Vec<Value> = driven
                .calls
                .iter()
                .map(|(sequence, call)| json!([sequence, call.tool, call.arguments]))
                .collect();
            let mut report = serde_json::to_value(&driven.report).expect("a report is plain data");
            report["durationMs"] = json!(0);
            seen.push((calls, report));
        }
        assert_eq!(seen[0], seen[1], "{mode}");
    }
}

#[tokio::test]
async fn another_seed_makes_other_calls() {
    let tools_of = |seed| async move { drive_server(server("notes"), Options { seed, ..short() }).await };
    assert_ne!(tools_of(1).await.sequences(), tools_of(2).await.sequences());
}

#[tokio::test]
async fn levels_change_severities_and_silence_checks() {
    let off = vec![("no-crash".to_owned(), Level::Off)];
    let driven = drive_server(server("breaks-no-crash"), Options { levels: off, ..quick("") }).await;
    assert!(driven.report.findings.is_empty());
    let note = vec![("no-crash".to_owned(), Level::At(Severity::Note))];
    let driven = drive_server(server("breaks-no-crash"), Options { levels: note, ..quick("") }).await;
    assert_eq!(driven.report.findings[0].severity, Severity::Note);
    assert!(!driven.failures().contains(&"findings"));
}

#[tokio::test]
async fn one_session_can_serve_all_sequences() {
    let driven = drive_server(server("trivial"), Options { sessions: SessionUse::Reused, ..short() }).await;
    assert!(driven.report.is_success, "{:#?}", driven.report);
    let last = driven.calls.last().and_then(|(_, call)| call.outcome.success().cloned()).expect("it answers");
    assert_eq!(last["structuredContent"]["n"], json!(driven.calls.len()), "the server was not started again");
    let driven =
        drive_server(server("changes-tools"), Options { sessions: SessionUse::Reused, ..short() }).await;
    assert!(driven.report.is_success, "a change that was announced is no finding: {:#?}", driven.report);
}

#[tokio::test]
async fn what_a_server_asks_of_us_is_declined_and_counted() {
    let driven = drive_server(server("asks-back"), short()).await;
    let notes = &driven.report.notes;
    assert!(notes.iter().any(|note| note.contains("times for input (elicitation)")), "{notes:?}");
}

#[tokio::test]
async fn a_reset_command_runs_before_each_session_and_its_failure_stops_the_run() {
    let reset = |words: &[&str]| Some(words.iter().map(Into::into).collect());
    let good = drive_server(server("trivial"), Options { reset: reset(&["true"]), ..short() }).await;
    assert!(good.report.is_success);
    let options = Options { reset: reset(&["sh", "-c", "echo no data >&2; exit 3"]), ..short() };
    let target = Target::Server(Server::Stdio(server("trivial")));
    let error = run(target, Protocol::Negotiate, options, |_| {}).await.expect_err("the reset fails");
    assert_eq!(
        error.to_string(),
        "the reset command \"echo no data >&2; exit 3\" failed: before session 1 it ended with exit code 3; \
         its last words are \"no data\""
    );
}

#[tokio::test]
async fn a_run_ends_when_its_time_is_over() {
    let options = Options { n_sequences: 1_000_000, max_time: Some(Duration::from_millis(300)), ..short() };
    let driven = drive_server(server("trivial"), options).await;
    assert!(driven.report.n_sequences < 1_000_000 && driven.report.is_success);
    assert!(driven.report.notes.iter().any(|note| note.contains("time limit")), "{:?}", driven.report.notes);
}

#[tokio::test]
async fn a_finding_that_is_met_when_time_runs_out_keeps_the_calls_that_show_it() {
    let limit = Duration::from_secs(2);
    let options = Options { max_time: Some(limit), n_sequences: 200, ..Options::default() };
    let began = Instant::now();
    let observer = move |event: &Event<'_>| {
        // The first replay takes all the time there is.
        while matches!(event, Event::Called { phase: Phase::Shrink, .. }) && began.elapsed() < limit {}
    };
    let target = Target::Server(Server::Stdio(server("wrong-type-after-third-push")));
    let report = run(target, Protocol::Negotiate, options, observer).await.expect("it can be reached");
    let [found] = report.findings.as_slice() else { panic!("{report:#?}") };
    assert_eq!((found.label, found.is_minimal), (Label::NeedsSequence, false), "{found:#?}");
    assert!(found.calls.len() >= 3 && found.certainty().contains("fewer may do"), "{found:#?}");
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_refused_wherever_it_is_named() {
    let wrong = || vec!["nope".to_owned()];
    let chosen = |tools| Options { tools, ..short() };
    let counted = |coverage| Options { coverage, ..short() };
    for options in [
        chosen(ToolChoice { only: wrong(), ..ToolChoice::default() }),
        chosen(ToolChoice { except: wrong(), ..ToolChoice::default() }),
        counted(CoverageOptions { allow: wrong(), ..CoverageOptions::default() }),
        counted(CoverageOptions { block: wrong(), ..CoverageOptions::default() }),
        Options { error_policy: ErrorPolicy::Only(wrong()), ..short() },
    ] {
        let target = Target::Server(Server::Stdio(server("trivial")));
        let error = run(target, Protocol::Negotiate, options, |_| {}).await.expect_err("nobody knows it");
        assert_eq!(error.to_string(), "the server has no tool \"nope\"; it has \"ping\"");
    }
}

#[tokio::test]
async fn a_server_over_http_is_driven_like_any_other() {
    for (mode, is_success) in [("http-json", true), ("http-events", true), ("breaks-valid-http", false)] {
        let (server, _process) = web::start(mode);
        let target = Target::Server(Server::Http(server));
        let report = run(target, Protocol::Negotiate, quick(mode), |_| {}).await.expect("it can be reached");
        assert_eq!(report.is_success, is_success, "{mode}: {report:#?}");
        assert_eq!(report.findings.iter().any(|finding| finding.code == "valid-http"), !is_success, "{mode}");
    }
}

#[tokio::test]
async fn tools_that_appear_in_the_middle_are_told() {
    let announced = drive_server(server("changes-tools"), short()).await;
    assert!(
        announced.report.notes.iter().any(|note| note.contains("another list")),
        "{:?}",
        announced.report
    );
    let silent = drive_server(server("changes-tools-silently"), short()).await;
    assert!(silent.report.findings.iter().any(|finding| finding.code == "deterministic-listing"));
}

#[tokio::test]
async fn every_call_is_told_whatever_it_was_made_for() {
    let phases = Rc::new(RefCell::new(BTreeSet::new()));
    let seen = Rc::clone(&phases);
    let observer = move |event: &Event<'_>| {
        if let Event::Called { phase, .. } = event {
            seen.borrow_mut().insert(phase.name());
        }
    };
    let target = Target::Server(Server::Stdio(server("crash-on-second-use")));
    run(target, Protocol::Negotiate, Options::default(), observer).await.expect("it can be reached");
    assert_eq!(phases.borrow().iter().copied().collect::<Vec<_>>(), ["confirm", "draw", "shrink"]);
}

#[tokio::test]
async fn a_flaky_finding_says_its_rate() {
    // In one session for all, the answers go on where the last sequence ended, so a replay does not see the same.
    let misfit = json!({ "n": "one" });
    let mut count =
        tool("count", json!({}), &[], &[json!({ "n": 1 }), json!({ "n": 2 }), json!({ "n": 3 }), misfit]);
    count["outputSchema"] = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let options = Options { sessions: SessionUse::Reused, n_sequences: 2, max_len: 6, ..short() };
    let driven = drive(&[count], options).await;
    let found = &driven.report.findings[0];
    assert_eq!(found.label, Label::Flaky, "{found:#?}");
    assert!(found.n_confirmed < found.n_confirmations);
}

#[tokio::test]
async fn ids_that_are_new_each_time_are_followed_by_birth() {
    let driven = drive_server(server("fresh-ids"), Options { n_sequences: 20, ..Options::default() }).await;
    let found =
        driven.report.findings.iter().find(|finding| finding.code == "no-crash").expect("it is found");
    let tools: Vec<&str> = found.calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!((tools.as_slice(), found.label), (&["create", "use"][..], Label::NeedsSequence));
    assert_eq!(found.calls[1].references[0].call, 0);
}
