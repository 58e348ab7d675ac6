//! Every check fires on the server that breaks it and stays silent on the well-behaved one.

use std::collections::BTreeSet;

use probity_drive::mcp::{
    CHECKS, Catalog, Context, ErrorPolicy, Finding, Observation, Outcome, Session, check_exchange,
    check_session,
};
use serde_json::{Map, Value, json};

use crate::{limits, open, web};

/// Calls in order: the name of a tool and its arguments.
type Calls = &'static [(&'static str, &'static str)];

/// Lists, calls, lists again, closes, and runs every check on what was seen.
async fn findings(mut session: Session, calls: Calls, error_policy: &ErrorPolicy) -> Vec<Finding> {
    let mut listings = vec![session.list_tools().await.expect("the list can be read")];
    let catalog = Catalog::read(&listings[0].tools, &limits());
    let (mut exchanges, mut unlisted) = (Vec::new(), None);
    for (tool, arguments) in calls {
        let arguments: Map<String, Value> = serde_json::from_str(arguments).expect("arguments are an object");
        exchanges.push(session.call(tool, arguments).await);
    }
    let is_busy = |outcome: &Outcome| matches!(outcome, Outcome::TimedOut { .. });
    if exchanges
        .iter()
        .map(|exchange| &exchange.outcome)
        .all(|outcome| !outcome.is_session_over() && !is_busy(outcome))
    {
        match session.list_tools().await {
            Ok(listing) => listings.push(listing),
            Err(other) => unlisted = Some(other),
        }
    }
    let (protocol, opening) = (session.server().protocol.clone(), session.opening().clone());
    let closing = session.close().await;
    let context = Context { protocol: &protocol, catalog: &catalog, error_policy };
    let observation = Observation {
        opening: &opening,
        listings: &listings,
        exchanges: &exchanges,
        unlisted: unlisted.as_ref(),
        closing: Some(&closing),
    };
    let mut findings: Vec<Finding> =
        exchanges.iter().flat_map(|exchange| check_exchange(&context, exchange)).collect();
    findings.extend(check_session(&context, &observation));
    findings
}

fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What to call on the breaker of a check, and where errors are allowed.
fn provocation(code: &str) -> (Calls, ErrorPolicy) {
    match code {
        "read-only-tool-changes-nothing" => {
            (&[("count", "{}"), ("count", "{}"), ("peek", "{}"), ("count", "{}")], ErrorPolicy::Anywhere)
        }
        "idempotent-tool-repeats" => (&[("call", "{}"), ("call", "{}")], ErrorPolicy::Anywhere),
        "error-results-only-where-allowed" => (&[("call", "{}")], ErrorPolicy::Only(Vec::new())),
        "valid-http" => (&[("list_notes", "{}")], ErrorPolicy::Anywhere),
        "ends-cleanly" => (&[("spawn", "{}")], ErrorPolicy::Anywhere),
        _ => (&[("call", "{}")], ErrorPolicy::Anywhere),
    }
}

#[tokio::test]
async fn every_check_fires_on_its_breaker_and_no_other_does() {
    for check in CHECKS {
        let mode = format!("breaks-{}", check.code);
        let (calls, policy) = provocation(check.code);
        let findings = if check.code == "valid-http" {
            let (server, _process) = web::start(&mode);
            findings(web::open(&server).await, calls, &policy).await
        } else {
            findings(open(&mode).await, calls, &policy).await
        };
        assert_eq!(codes(&findings), [check.code], "{findings:#?}");
        assert!(findings.iter().all(|finding| !finding.message.is_empty()));
    }
}

#[tokio::test]
async fn no_check_fires_on_a_server_that_keeps_its_promises() {
    let calls: Calls = &[
        ("list_notes", "{}"),
        ("list_notes", "{}"),
        ("create_note", r#"{"kind": "idea"}"#),
        ("read_note", r#"{"id": "note-1"}"#),
        ("read_note", r#"{"id": "note-1"}"#),
        ("list_notes", "{}"),
        ("read_note", r#"{"id": "note-1"}"#),
        ("delete_note", r#"{"id": "note-1"}"#),
        ("read_note", r#"{"id": "note-1"}"#),
    ];
    let findings = findings(open("notes").await, calls, &ErrorPolicy::Anywhere).await;
    assert_eq!(findings, []);
}

#[tokio::test]
async fn planted_bugs_show_up_in_their_shortest_sequence() {
    let cases: &[(&str, Calls, &str)] = &[
        (
            "wrong-type-after-third-push",
            &[("push", r#"{"item":"a"}"#), ("push", r#"{"item":"a"}"#), ("push", r#"{"item":"a"}"#)],
            "structured-content-fits-output-schema",
        ),
        (
            "crash-on-second-use",
            &[("create", "{}"), ("use", r#"{"id":"id-1"}"#), ("use", r#"{"id":"id-1"}"#)],
            "no-crash",
        ),
        (
            "two-options-together",
            &[("format", r#"{"upper":true,"reverse":true}"#)],
            "error-results-only-where-allowed",
        ),
        ("hang", &[("wait", r#"{"way":"slow"}"#)], "no-hang"),
        (
            "nested-array-id",
            &[("create_group", "{}"), ("remove_members", r#"{"members":[{"id":"member-1"}]}"#)],
            "no-crash",
        ),
        ("renamed-value", &[("open", "{}"), ("close", r#"{"session":"t-1"}"#)], "no-crash"),
        (
            "boundary",
            &[("limits", "{}"), ("set_volume", r#"{"level":100}"#)],
            "structured-content-fits-output-schema",
        ),
        (
            "leaked-state",
            &[("render", r#"{"compact":true}"#), ("render", r#"{"compact":false}"#)],
            "structured-content-fits-output-schema",
        ),
    ];
    for (mode, calls, code) in cases {
        let last = findings(open(mode).await, calls, &ErrorPolicy::Anywhere).await;
        assert!(codes(&last).contains(code), "{mode}: {last:#?}");
        let (_, shorter) = calls.split_last().expect("there is a call");
        let before = findings(open(mode).await, shorter, &ErrorPolicy::Anywhere).await;
        assert_eq!(before, [], "{mode}: the bug shows only with the last call");
    }
}

#[tokio::test]
async fn schema_bombs_are_findings_about_their_tools_and_spare_the_others() {
    let mut session = open("schema-bombs").await;
    let listing = session.list_tools().await.expect("the list can be read");
    let catalog = Catalog::read(&listing.tools, &limits());
    let unusable: Vec<&str> =
        catalog.tools.iter().filter(|tool| !tool.is_usable()).map(|tool| tool.name.as_str()).collect();
    assert_eq!(unusable, ["unfolding", "itself", "repeated", "remote", "file", "heavy"]);
    let pattern = catalog.tool("pattern").and_then(|tool| tool.input.as_ref()).expect("it can be compiled");
    let evil = json!({ "a": format!("{}!", "a".repeat(40)) });
    assert!(pattern.violation(&evil).is_some(), "a pattern that backtracks is given up in time");
}
