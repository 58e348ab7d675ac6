//! What is said of a finding that does not come back, of tools that only tasks can call, and of sessions others opened.

use std::process::Stdio;

use probity_drive::mcp::{
    Event, Label, Options, Protocol, ReplayedOn, Server, SessionUse, StdioServer, Target, ToolStatus, junit,
    page, run,
};
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, serve_client_with_lifecycle};
use serde_json::json;
use tokio::process::Command;

use crate::PROGRAM;
use crate::scripted::{drive, short, tool};

#[tokio::test]
async fn a_finding_that_never_comes_back_is_told_as_seen_once_and_not_as_flaky() {
    // One misfit among many answers, in one session for all: no replay reaches it again.
    let mut answers = vec![json!({ "n": 1 }); 2_000];
    answers[3] = json!({ "n": "one" });
    let mut count = tool("count", json!({}), &[], &answers);
    count["outputSchema"] = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let options = Options { sessions: SessionUse::Reused, n_sequences: 2, max_len: 6, ..short() };
    let fail_on = options.fail_on;
    let report = drive(&[count], options).await.report;
    let found = &report.findings[0];
    assert_eq!((found.label, found.n_confirmed), (Label::Unconfirmed, 0), "{found:#?}");
    assert_eq!(found.replayed_on, ReplayedOn::SameSession);
    let words = "unconfirmed: it was seen once, and not again in 5 replays in the same session; the answers are those of the last replay";
    assert_eq!(found.certainty(), words);
    for told in [junit(&report, fail_on), page(&report)] {
        assert!(told.contains(words) && !told.contains("flaky") && !told.contains("fresh server"), "{told}");
    }
}

#[tokio::test]
async fn a_tool_that_only_a_task_can_call_is_left_alone_and_listed() {
    let mut slow = tool("slow", json!({}), &[], &[json!({})]);
    slow["execution"] = json!({ "taskSupport": "required" });
    let mut either = tool("either", json!({}), &[], &[json!({})]);
    either["execution"] = json!({ "taskSupport": "optional" });
    let driven = drive(&[slow, either], short()).await;
    let status = driven.report.tools.iter().map(|tool| tool.status).collect::<Vec<_>>();
    assert_eq!(status, [ToolStatus::NeedsTask, ToolStatus::Succeeded]);
    assert!(driven.of("slow").is_empty());
    assert!(driven.report.is_success, "{:#?}", driven.report);
}

#[tokio::test]
async fn a_run_that_is_interrupted_tells_what_it_has() {
    let options = Options { n_sequences: 1_000_000, ..short() };
    let interrupt = options.interrupt.clone();
    let observer = move |event: &Event<'_>| {
        if let Event::Began { sequence: 3, .. } = event {
            interrupt.ring();
        }
    };
    let target = Target::Server(Server::Stdio(StdioServer::new(PROGRAM, ["notes"])));
    let report = run(target, Protocol::Negotiate, options, observer).await.expect("it can be reached");
    assert_eq!((report.n_sequences, report.failures[0].code.as_str()), (3, "stopped"), "{report:#?}");
    assert!(report.n_succeeded > 0 && !report.is_success);
}

#[tokio::test]
async fn a_session_that_somebody_else_opened_is_tested_and_stays_open() {
    let mut child = Command::new(PROGRAM)
        .arg("notes")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the server starts");
    let (output, input) = (child.stdout.take(), child.stdin.take());
    let transport = (output.expect("its output is a pipe"), input.expect("its input is a pipe"));
    // The fixture answers as this revision asks, whichever one it is asked for.
    let me = ClientConfig::new(ClientCapabilities::default(), Implementation::new("somebody", "1"))
        .with_protocol_version(ProtocolVersion::V_2025_11_25);
    let client = serve_client_with_lifecycle(me, transport, ClientLifecycleMode::Initialize);
    let client = client.await.expect("the server shakes hands");
    let target = Target::Attached(client.peer().clone());
    let report = run(target, Protocol::Negotiate, short(), |_| {}).await.expect("the session is open");
    assert!(report.is_success, "{report:#?}");
    assert_eq!(report.n_sequences, report.n_planned);
    assert!(report.n_succeeded > 0);
    let answer = client.call_tool(CallToolRequestParams::new("list_notes")).await.expect("it is still open");
    assert_eq!(answer.is_error, None);
    client.cancel().await.expect("the session ends");
}
