//! Planted bugs are found, shrunk to their shortest sequence with the plainest arguments, and shown by every replay.

use probity_drive::mcp::{Label, Options, Protocol, Report, Server, StdioServer, Target, run};
use serde_json::{Value, json};

use crate::{PROGRAM, limits_for};

/// A planted bug and its only shortest sequence.
struct Bug {
    mode: &'static str,
    code: &'static str,
    label: Label,
    calls: Value,
}

fn bugs() -> Vec<Bug> {
    let bug = |mode, code, label, calls| Bug { mode, code, label, calls };
    let misfit = "structured-content-fits-output-schema";
    vec![
        bug(
            "wrong-type-after-third-push",
            misfit,
            Label::NeedsSequence,
            json!([["push", {"item": "a"}], ["push", {"item": "a"}], ["push", {"item": "a"}]]),
        ),
        bug(
            "crash-on-second-use",
            "no-crash",
            Label::NeedsSequence,
            json!([["create", {}], ["use", {"id": "id-1"}], ["use", {"id": "id-1"}]]),
        ),
        bug(
            "two-options-together",
            "error-results-only-where-allowed",
            Label::Steady,
            json!([["format", {"upper": true, "reverse": true}]]),
        ),
        bug("hang", "no-hang", Label::Steady, json!([["wait", {"way": "slow"}]])),
        bug(
            "nested-array-id",
            "no-crash",
            Label::NeedsSequence,
            json!([["create_group", {}], ["remove_members", {"members": [{"id": "member-1"}]}]]),
        ),
        bug(
            "renamed-value",
            "no-crash",
            Label::NeedsSequence,
            json!([["open", {}], ["close", {"session": "t-1"}]]),
        ),
        bug("boundary", misfit, Label::Steady, json!([["set_volume", {"level": 100}]])),
        bug(
            "leaked-state",
            misfit,
            Label::NeedsSequence,
            json!([["render", {"compact": true}], ["render", {"compact": false}]]),
        ),
    ]
}

async fn test(mode: &str, seed: u64) -> Report {
    let target = Target::Server(Server::Stdio(StdioServer::new(PROGRAM, [mode])));
    let options = Options { seed, limits: limits_for(mode), ..Options::default() };
    run(target, Protocol::Negotiate, options, |_| {}).await.unwrap_or_else(|error| panic!("{mode}: {error}"))
}

#[tokio::test]
async fn every_planted_bug_is_found_minimal_and_replays() {
    for Bug { mode, code, label, calls } in bugs() {
        for seed in 0..2 {
            let report = test(mode, seed).await;
            let found = report.findings.iter().find(|finding| finding.code == code);
            let found = found.unwrap_or_else(|| panic!("{mode}, seed {seed}: {report:#?}"));
            let seen: Value =
                found.calls.iter().map(|call| json!([call.tool, call.arguments])).collect::<Vec<_>>().into();
            assert_eq!(seen, calls, "{mode}, seed {seed}");
            assert_eq!(found.label, label, "{mode}, seed {seed}");
            assert_eq!(found.n_confirmed, found.n_confirmations, "{mode}, seed {seed}");
        }
    }
}
