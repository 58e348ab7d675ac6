//! Hostile servers: each ends in a clear outcome within its limit and costs little memory.

use std::time::{Duration, Instant};

use probity_drive::mcp::{
    Anomaly, AnomalyKind, Exchange, Exit, Limits, ListProblem, Options, Outcome, Protocol, Server, Session,
    SessionError, StdioServer,
};
use serde_json::Map;

use crate::scripted::drive_server;
use crate::{PROGRAM, limits_for, open, try_open};

/// How a call in one mode has to end.
struct Case {
    mode: &'static str,
    outcome: &'static str,
    anomaly: Option<AnomalyKind>,
}

const fn case(mode: &'static str, outcome: &'static str, anomaly: Option<AnomalyKind>) -> Case {
    Case { mode, outcome, anomaly }
}

const CALLS: &[Case] = &[
    case("breaks-no-hang", "timed-out", None),
    case("breaks-no-crash", "crashed", None),
    case("garbage-call", "garbage", Some(AnomalyKind::NotJson)),
    case("wrong-id", "garbage", Some(AnomalyKind::UnknownId)),
    case("string-id", "answered", Some(AnomalyKind::ChangedIdType)),
    case("fraction-id", "answered", Some(AnomalyKind::ChangedIdType)),
    case("both-result-and-error", "answered", Some(AnomalyKind::NotJsonRpc)),
    case("flood", "garbage", Some(AnomalyKind::Flood)),
    case("word-flood-in-call", "garbage", Some(AnomalyKind::NotJson)),
    case("request-flood", "answered", Some(AnomalyKind::TooManyRequests)),
    case("huge", "garbage", Some(AnomalyKind::TooLong)),
    case("deep", "garbage", Some(AnomalyKind::TooDeep)),
    case("invalid-utf8", "answered", Some(AnomalyKind::NotUtf8)),
    case("closes-mid-message", "garbage", Some(AnomalyKind::CutOff)),
    case("ends-mid-message", "crashed", Some(AnomalyKind::CutOff)),
    case("breaks-valid-json-rpc", "answered", Some(AnomalyKind::NotJson)),
    case("escapes", "answered", None),
];

#[tokio::test]
async fn every_hostile_call_ends_in_its_outcome_within_its_limit() {
    for Case { mode, outcome, anomaly } in CALLS {
        let started = Instant::now();
        let mut session = open(mode).await;
        let pid = session.pid().expect("a process was started");
        let exchange = session.call("call", Map::new()).await;
        assert_eq!(exchange.outcome.name(), *outcome, "{mode}: {exchange:?}");
        let kinds: Vec<AnomalyKind> = exchange.anomalies.iter().map(|anomaly| anomaly.kind).collect();
        assert_eq!(kinds.first(), anomaly.as_ref(), "{mode}: {:?}", exchange.anomalies);
        session.close().await;
        crate::assert_gone(pid);
        assert!(started.elapsed() < Duration::from_secs(20), "{mode} took {:?}", started.elapsed());
    }
}

#[tokio::test]
async fn what_follows_an_answer_belongs_to_its_call_and_is_seen_at_the_same_moment_every_time() {
    let mut session = open("answers-twice").await;
    let first = session.call("call", Map::new()).await;
    let second = session.call("call", Map::new()).await;
    let closing = session.close().await;
    let seen = |anomalies: &[Anomaly]| -> Vec<(AnomalyKind, Option<i64>)> {
        anomalies.iter().map(|anomaly| (anomaly.kind, anomaly.request)).collect()
    };
    let again = |exchange: &Exchange| (AnomalyKind::DuplicateAnswer, exchange.requests.first().copied());
    assert_eq!(seen(&first.anomalies), []);
    assert_eq!(seen(&second.anomalies), [again(&first)]);
    assert_eq!(seen(&closing.anomalies), [again(&second)]);
}

#[tokio::test]
async fn a_crash_tells_its_exit_code_and_the_last_words() {
    let mut session = open("breaks-no-crash").await;
    let exchange = session.call("call", Map::new()).await;
    let expected = Outcome::Crashed { exit: Exit::Code(3), stderr_tail: "about to fall\n".to_owned() };
    assert_eq!(exchange.outcome, expected);
    let next = session.call("call", Map::new()).await;
    assert_eq!(next.outcome.name(), "crashed");
}

#[tokio::test]
async fn a_server_that_never_reads_does_not_block_us() {
    let mut session = open("never-reads").await;
    for _ in 0..3 {
        let mut arguments = Map::new();
        arguments.insert("padding".to_owned(), "x".repeat(1 << 20).into());
        let exchange = session.call("call", arguments).await;
        assert_eq!(exchange.outcome.name(), "timed-out");
    }
    assert!(session.close().await.is_forced);
}

#[tokio::test]
async fn a_handshake_that_fails_says_why() {
    let error = |error: Result<_, SessionError>| error.err().expect("there is no session");
    let silent = error(try_open("never-answers").await);
    assert!(matches!(silent, SessionError::StartTimedOut { .. }), "{silent}");
    let words = error(try_open("garbage").await);
    assert!(
        matches!(&words, SessionError::StartTimedOut { anomalies, .. } if !anomalies.is_empty()),
        "{words}"
    );
    let flood = error(try_open("word-flood").await);
    assert!(flood.to_string().contains("instead of a message of JSON-RPC it wrote \"y\""), "{flood}");
    let broken = error(try_open("broken-handshake").await);
    assert!(matches!(&broken, SessionError::NotMcp { anomalies, .. } if !anomalies.is_empty()), "{broken}");
    let refusal = error(try_open("refuses").await);
    assert!(matches!(refusal, SessionError::Refused { code: -32000, .. }), "{refusal}");
    let missing = error(try_open("no such mode").await);
    assert!(matches!(missing, SessionError::Exited { exit: Exit::Code(2), .. }), "{missing}");
    assert!(missing.to_string().contains("there is no mode"), "{missing}");
}

#[tokio::test]
async fn a_list_that_never_ends_is_cut() {
    let mut session = open("endless-pages").await;
    let listing = session.list_tools().await.expect("the list can be read");
    assert_eq!((listing.n_pages, listing.problems), (64, vec![ListProblem::TooManyPages { limit: 64 }]));
    let listing = open("ignores-cursors").await.list_tools().await.expect("the list can be read");
    let problem = ListProblem::RepeatedCursor { page: 2, cursor: "more".to_owned() };
    assert_eq!((listing.tools.len(), listing.problems), (1, vec![problem]));
    let limit = Duration::from_secs(3);
    let limits = Limits { start: limit, ..limits_for("slow-pages") };
    let server = Server::Stdio(StdioServer::new(PROGRAM, ["slow-pages"]));
    let mut session = Session::open(&server, &Protocol::Negotiate, &limits).await.expect("it shakes hands");
    let listing = session.list_tools().await.expect("the list can be read");
    assert_eq!(listing.problems, [ListProblem::TooSlow { n_pages: listing.n_pages, limit }]);
}

#[tokio::test]
async fn a_change_of_the_list_is_noticed_when_it_is_announced() {
    for (mode, is_announced) in [("changes-tools", true), ("changes-tools-silently", false)] {
        let mut session = open(mode).await;
        let before = session.list_tools().await.expect("the list can be read");
        session.call("call", Map::new()).await;
        let after = session.list_tools().await.expect("the list can be read");
        assert_eq!((before.tools.len(), after.tools.len()), (1, 2), "{mode}");
        assert_eq!((before.is_change_announced, after.is_change_announced), (false, is_announced), "{mode}");
    }
}

/// Set in the process that the test below starts to be alone in it: other tests have memory of their own.
const ALONE: &str = "PROBITY_TEST_ALONE";

#[tokio::test]
async fn a_huge_answer_costs_a_bounded_amount_of_memory() {
    if std::env::var_os(ALONE).is_none() {
        let program = std::env::current_exe().expect("a test is a program");
        let name = "hostile::a_huge_answer_costs_a_bounded_amount_of_memory";
        let alone = std::process::Command::new(program).args(["--exact", name]).env(ALONE, "1").output();
        let alone = alone.expect("a test can be started");
        let said = String::from_utf8_lossy(&alone.stdout);
        assert!(alone.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let mut session = open("huge").await;
    let exchange = session.call("call", Map::new()).await;
    let seen = exchange.records.iter().max_by_key(|record| record.text.n_bytes).expect("there are records");
    assert!(seen.text.n_bytes > 100 << 20);
    assert!(seen.text.text.len() < 1 << 20);
    assert!(seen.text.text.starts_with("{\"jsonrpc\""), "its head is kept");
    assert!(seen.text.text.ends_with("\"}]}}"), "its tail is kept");
    assert!(peak_memory() < 90 << 20, "{} bytes", peak_memory());
}

/// What a whole run against a hostile server has to find.
const RUNS: &[(&str, &str)] = &[
    ("garbage-call", "valid-json-rpc"),
    ("wrong-id", "valid-json-rpc"),
    ("answers-twice", "valid-json-rpc"),
    ("talks-after-answers", "valid-json-rpc"),
    ("both-result-and-error", "valid-json-rpc"),
    ("request-flood", "within-limits"),
    ("word-flood-in-call", "within-limits"),
    ("word-flood-in-call", "valid-json-rpc"),
    ("deep", "within-limits"),
    ("invalid-utf8", "valid-json-rpc"),
    ("closes-mid-message", "valid-json-rpc"),
    ("ends-mid-message", "no-crash"),
    ("duplicate-names", "tool-list-valid"),
    ("schema-bombs", "tool-list-valid"),
    ("escapes", "tool-list-valid"),
    ("leaves-child", "ends-cleanly"),
];

#[tokio::test]
async fn a_whole_run_against_a_hostile_server_ends_in_a_confirmed_finding() {
    for (mode, code) in RUNS {
        let options = Options {
            n_sequences: 2,
            max_len: 3,
            n_confirmations: 2,
            shrink_budget: 6,
            limits: limits_for(mode),
            ..Options::default()
        };
        let report = drive_server(StdioServer::new(PROGRAM, [mode]), options).await.report;
        let found = report.findings.iter().find(|finding| finding.code == *code);
        let found = found.unwrap_or_else(|| panic!("{mode}: {report:#?}"));
        assert_eq!(found.n_confirmed, found.n_confirmations, "{mode}: {found:#?}");
    }
}

/// The most memory this process ever had.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("there is a status");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("the status has a peak");
    let kilobytes = line.split_whitespace().nth(1).and_then(|number| number.parse::<usize>().ok());
    kilobytes.expect("the peak is a number") << 10
}
