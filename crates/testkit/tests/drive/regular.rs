//! Servers that keep their promises, and what a session makes of them.

use probity_drive::mcp::{Direction, Limits, Outcome, Protocol, Server, Session, StdioServer};
use serde_json::{Map, Value, json};

use crate::{PROGRAM, limits, open};

fn arguments(value: Value) -> Map<String, Value> {
    let Value::Object(members) = value else { panic!("arguments are an object") };
    members
}

#[tokio::test]
async fn a_session_lists_calls_and_closes() {
    let mut session = open("notes").await;
    assert_eq!(session.server().name.as_deref(), Some("fixture-server"));
    assert_eq!(session.server().protocol, "2025-11-25");
    let listing = session.list_tools().await.expect("the list can be read");
    assert_eq!((listing.tools.len(), listing.n_pages, listing.problems), (4, 1, Vec::new()));
    let made = session.call("create_note", arguments(json!({ "kind": "idea" }))).await;
    let result = made.outcome.success().expect("a note can be made");
    assert_eq!(result["structuredContent"], json!({ "id": "note-1", "kind": "idea" }));
    let missing = session.call("read_note", arguments(json!({ "id": "note-9" }))).await;
    assert!(matches!(missing.outcome, Outcome::ErrorResult { .. }));
    let unknown = session.call("no_such_tool", Map::new()).await;
    assert!(matches!(unknown.outcome, Outcome::RpcError { code: -32602, .. }));
    assert_eq!([made.step, missing.step, unknown.step], [0, 1, 2]);
    let closing = session.close().await;
    assert_eq!((closing.is_forced, closing.n_left_behind, closing.anomalies.len()), (false, 0, 0));
}

#[tokio::test]
async fn the_raw_messages_of_an_exchange_are_kept_as_they_were_sent() {
    let mut session = open("notes").await;
    let exchange = session.call("list_notes", Map::new()).await;
    let [question, answer] = exchange.records.as_slice() else { panic!("{:?}", exchange.records) };
    assert_eq!((question.direction, answer.direction), (Direction::Sent, Direction::Received));
    assert!(question.text.text.contains("\"method\":\"tools/call\""));
    let answer: Value = serde_json::from_str(&answer.text.text).expect("the answer is whole");
    assert_eq!(Some(&answer["result"]), exchange.outcome.success());
    let indices: Vec<u64> = session.transcript().iter().map(|record| record.index).collect();
    assert_eq!(indices, (0..indices.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn every_page_of_a_list_is_read() {
    let mut session = open("pages").await;
    let listing = session.list_tools().await.expect("the list can be read");
    let names: Vec<&str> = listing.tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!((names, listing.n_pages), (vec!["a", "b", "c"], 3));
}

#[tokio::test]
async fn a_server_without_a_handshake_is_asked_in_its_own_way() {
    for protocol in [Protocol::Negotiate, Protocol::Revision("2026-07-28".to_owned())] {
        let server = Server::Stdio(StdioServer::new(PROGRAM, ["modern"]));
        let mut session = Session::open(&server, &protocol, &limits()).await.expect("it speaks 2026-07-28");
        assert_eq!(session.server().protocol, "2026-07-28");
        assert_eq!(session.list_tools().await.expect("the list can be read").tools.len(), 2);
        let exchange = session.call("ping", Map::new()).await;
        assert_eq!(
            exchange.outcome.success().map(|result| &result["structuredContent"]),
            Some(&json!({ "n": 1 }))
        );
        assert_eq!(exchange.anomalies, []);
    }
}

#[tokio::test]
async fn questions_of_the_server_are_refused_politely_and_counted() {
    let mut session = open("asks-back").await;
    let exchange = session.call("ask", Map::new()).await;
    let result = exchange.outcome.success().expect("a refusal does not stop the server");
    let text = result["content"][0]["text"].as_str().expect("the answer is text");
    assert_eq!(text.matches("refused").count() + text.matches("answered").count(), 3);
    let traffic = session.traffic();
    assert_eq!(
        (traffic.n_elicitations_declined, traffic.n_samplings_refused, traffic.n_roots_refused),
        (1, 1, 1)
    );
}

#[tokio::test]
async fn a_call_that_needs_input_is_declined_and_goes_on() {
    let mut session = open("modern").await;
    let exchange = session.call("ask", Map::new()).await;
    let result = exchange.outcome.success().unwrap_or_else(|| panic!("{exchange:?}"));
    assert_eq!(result["content"][0]["text"], "never mind");
    assert_eq!((session.traffic().n_elicitations_declined, exchange.records.len()), (1, 4));
}

#[tokio::test]
async fn progress_is_counted() {
    let mut session = open("progress").await;
    let exchange = session.call("work", Map::new()).await;
    assert_eq!((exchange.n_progress, exchange.outcome.success().is_some()), (5, true));
}

#[tokio::test]
async fn a_session_opened_with_rmcp_can_be_used_without_a_tap() {
    let session = open("notes").await;
    let mut attached = Session::attach(session.peer(), &Limits::default());
    assert_eq!(attached.list_tools().await.expect("the list can be read").tools.len(), 4);
    let exchange = attached.call("create_note", arguments(json!({ "kind": "task" }))).await;
    assert!(exchange.outcome.success().is_some());
    assert!(exchange.records.is_empty());
}
