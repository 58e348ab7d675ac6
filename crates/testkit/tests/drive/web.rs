//! Servers over HTTP, regular and hostile.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use probity_drive::mcp::{AnomalyKind, HttpServer, Outcome, Protocol, Server, Session, SessionError};
use serde_json::{Map, json};

use crate::{PROGRAM, limits, limits_for};

/// A fixture over HTTP; it ends when this is dropped, because its input ends then.
pub(crate) struct WebProcess(Child);

impl Drop for WebProcess {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Starts a fixture over HTTP and reads its address.
pub(crate) fn start(mode: &str) -> (HttpServer, WebProcess) {
    let mut child = Command::new(PROGRAM)
        .arg(mode)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the fixture can be started");
    let mut address = String::new();
    let output = child.stdout.take().expect("its output is piped");
    BufReader::new(output).read_line(&mut address).expect("it tells its address");
    (HttpServer::new(address.trim()), WebProcess(child))
}

pub(crate) async fn open(server: &HttpServer) -> Session {
    try_open(server).await.unwrap_or_else(|error| panic!("{error}"))
}

async fn try_open(server: &HttpServer) -> Result<Session, SessionError> {
    Session::open(&Server::Http(server.clone()), &Protocol::Negotiate, &limits()).await
}

async fn open_in(mode: &str, server: &HttpServer) -> Session {
    let opened = Session::open(&Server::Http(server.clone()), &Protocol::Negotiate, &limits_for(mode)).await;
    opened.unwrap_or_else(|error| panic!("{mode}: {error}"))
}

#[tokio::test]
async fn a_regular_server_is_driven_by_json_and_by_events() {
    for mode in ["http-json", "http-events"] {
        let (server, _process) = start(mode);
        let mut session = open(&server).await;
        assert_eq!(session.list_tools().await.expect("the list can be read").tools.len(), 4, "{mode}");
        let arguments = json!({ "kind": "idea" }).as_object().cloned().unwrap_or_default();
        let exchange = session.call("create_note", arguments).await;
        let result = exchange.outcome.success().unwrap_or_else(|| panic!("{mode}: {exchange:?}"));
        assert_eq!(result["structuredContent"]["id"], "note-1", "{mode}");
        assert_eq!(exchange.anomalies, [], "{mode}");
        assert!(exchange.records.iter().any(|record| record.text.text.contains("note-1")), "{mode}");
        session.close().await;
    }
}

#[tokio::test]
async fn a_token_is_sent_and_a_missing_one_is_told() {
    let (mut server, _process) = start("http-bearer");
    let refused = try_open(&server).await.err().expect("there is no session without a token");
    assert!(matches!(refused, SessionError::NeedsAuthorization { .. }), "{refused}");
    server.bearer = Some("secret".to_owned());
    assert!(open(&server).await.list_tools().await.is_ok());
    server.bearer = None;
    server.headers.push(("Authorization".to_owned(), "Bearer secret".to_owned()));
    assert!(open(&server).await.list_tools().await.is_ok());
    assert!(!format!("{server:?}").contains("secret"));
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_told_from_one_that_redirects() {
    let (server, process) = start("http-redirects");
    let redirected = try_open(&server).await.err().expect("redirects are not followed");
    assert!(
        matches!(&redirected, SessionError::Redirected { to, .. } if to.contains("elsewhere")),
        "{redirected}"
    );
    drop(process);
    let unreachable = try_open(&server).await.err().expect("nobody is there");
    assert!(matches!(unreachable, SessionError::Unreachable { .. }), "{unreachable}");
    let nonsense = try_open(&HttpServer::new("not an address")).await.err().expect("it is no address");
    assert!(matches!(nonsense, SessionError::BadAddress { .. }), "{nonsense}");
}

#[tokio::test]
async fn every_hostile_answer_over_http_ends_in_its_outcome() {
    let cases = [
        ("http-redirects-calls", "garbage", Some(AnomalyKind::Redirect)),
        ("http-slow-drip", "garbage", Some(AnomalyKind::SlowBody)),
        ("http-huge", "garbage", Some(AnomalyKind::TooLong)),
        ("http-huge-event", "garbage", Some(AnomalyKind::TooLong)),
        ("http-cut-stream", "garbage", Some(AnomalyKind::CutOff)),
        ("http-page", "garbage", Some(AnomalyKind::ContentType)),
        ("http-fails", "garbage", Some(AnomalyKind::HttpStatus)),
        ("http-fails-in-json", "garbage", Some(AnomalyKind::HttpStatus)),
        ("http-guards-calls", "closed", None),
        ("http-forgets", "expired", None),
        ("http-hangs", "timed-out", None),
    ];
    for (mode, outcome, anomaly) in cases {
        let (server, _process) = start(mode);
        let mut session = open_in(mode, &server).await;
        let exchange = session.call("list_notes", Map::new()).await;
        assert_eq!(exchange.outcome.name(), outcome, "{mode}: {exchange:?}");
        let kinds: Vec<AnomalyKind> = exchange.anomalies.iter().map(|anomaly| anomaly.kind).collect();
        assert_eq!(kinds.first(), anomaly.as_ref(), "{mode}: {:?}", exchange.anomalies);
        if let Outcome::Closed { reason } = &exchange.outcome {
            assert_eq!(reason, "HTTP 401, the server wants authorization (Bearer realm=\"fixture\")");
        }
        session.close().await;
    }
}
