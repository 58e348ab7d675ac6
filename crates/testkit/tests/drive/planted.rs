//! Planted bugs are found, shrunk to their shortest sequence with the plainest arguments, and shown by every replay.

use probity_drive::mcp::{Options, Protocol, Report, Server, StdioServer, Target, run};
use probity_schema::coverage::CoverageMode;
use probity_testkit::servers::{BUGS, Bug};
use serde_json::{Value, json};

use crate::{PROGRAM, limits_for};

async fn test(mode: &str, seed: u64, coverage: CoverageMode) -> Report {
    let target = Target::Server(Server::Stdio(StdioServer::new(PROGRAM, [mode])));
    let mut options = Options { seed, limits: limits_for(mode), ..Options::default() };
    options.coverage.contract.mode = coverage;
    run(target, Protocol::Negotiate, options, |_| {}).await.unwrap_or_else(|error| panic!("{mode}: {error}"))
}

#[tokio::test]
async fn every_planted_bug_is_found_minimal_and_replays() {
    for Bug { mode, code, label, calls } in BUGS {
        // A hang costs its limit every time; the bench tries more seeds of all of them.
        let n_seeds = if *mode == "hang" { 1 } else { 3 };
        for seed in 0..n_seeds {
            // What a guided run finds is shrunk and replayed like anything else.
            let coverage = if seed == 2 { CoverageMode::Guided } else { CoverageMode::Off };
            let report = test(mode, seed, coverage).await;
            let found = report.findings.iter().find(|finding| finding.code == *code);
            let found = found.unwrap_or_else(|| panic!("{mode}, seed {seed}: {report:#?}"));
            let seen: Vec<Value> =
                found.calls.iter().map(|call| json!([call.tool, call.arguments])).collect();
            let expected: Value = serde_json::from_str(calls).expect("the table holds JSON");
            assert_eq!(Value::from(seen), expected, "{mode}, seed {seed}");
            assert_eq!(found.label.name(), *label, "{mode}, seed {seed}");
            assert_eq!(found.n_confirmed, found.n_confirmations, "{mode}, seed {seed}");
        }
    }
}
