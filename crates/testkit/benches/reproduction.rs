//! How surely planted bugs are found, how short their sequences become, and how often a replay shows them: 20 seeds each.

use std::time::{Duration, Instant};

use probity_drive::mcp::{
    Limits, Options, Protocol, REPLAY_FORMAT, Replay, ReplayFinding, ReplayServer, Server, StdioServer,
    Target, replay, run,
};
use probity_testkit::servers::{BUGS, Bug};
use serde_json::{Value, json};

/// The path of the fixture program.
const PROGRAM: &str = env!("CARGO_BIN_EXE_fixture-server");
/// Seeds for each bug.
const SEEDS: u64 = 20;
/// Replays of each finding on fresh servers, beyond the confirmations of the run itself.
const REPLAYS: u32 = 5;

/// What was counted for one bug.
#[derive(Default)]
#[expect(clippy::struct_field_names, reason = "counts start with n, everywhere")]
struct Score {
    n_found: u64,
    n_minimal: u64,
    n_replayed: u64,
    n_executions: u64,
    n_other: usize,
}

fn main() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    for bug in BUGS {
        let started = Instant::now();
        let mut score = Score::default();
        for seed in 0..SEEDS {
            runtime.block_on(try_seed(bug, seed, &mut score));
        }
        let Score { n_found, n_minimal, n_replayed, n_executions, n_other } = score;
        let (mode, took) = (bug.mode, started.elapsed());
        println!(
            "{mode}: {n_executions} executions to shrink {n_found} findings, {n_other} other findings, {took:.1?}"
        );
        let share = |count: u64| {
            #[expect(clippy::cast_precision_loss, reason = "there are 20")]
            let share = count as f64 / SEEDS as f64;
            share
        };
        println!("ratio {mode}/found {} at least 1", share(n_found));
        println!("ratio {mode}/minimal {} at least 1", share(n_minimal));
        println!("ratio {mode}/replayed {} at least 1", share(n_replayed));
        println!("ratio {mode}/executions {}", share(n_executions));
    }
}

async fn try_seed(bug: &Bug, seed: u64, score: &mut Score) {
    let Bug { mode, code, label: _, calls } = bug;
    let call = if *mode == "hang" { Duration::from_millis(500) } else { Duration::from_secs(30) };
    let limits = Limits { call, close: Duration::from_millis(200), ..Limits::default() };
    let options = Options { seed, limits, ..Options::default() };
    let target = Target::Server(Server::Stdio(StdioServer::new(PROGRAM, [*mode])));
    let report =
        run(target.clone(), Protocol::Negotiate, options.clone(), |_| {}).await.expect("the server starts");
    let Some(found) = report.findings.iter().find(|finding| finding.code == *code) else {
        println!("{mode}, seed {seed}: not found");
        return;
    };
    score.n_found += 1;
    score.n_other += report.findings.len() - 1;
    score.n_executions += u64::from(found.n_executions);
    let shown: Value =
        found.calls.iter().map(|call| json!([call.tool, call.arguments])).collect::<Vec<_>>().into();
    let expected: Value = serde_json::from_str(calls).expect("the table holds JSON");
    score.n_minimal += u64::from(shown == expected);
    if shown != expected {
        println!("{mode}, seed {seed}: {shown}");
    }
    let file = Replay {
        format: REPLAY_FORMAT.to_owned(),
        server: ReplayServer::Stdio {
            command: vec![PROGRAM.to_owned(), (*mode).to_owned()],
            cwd: None,
            env: Vec::new(),
        },
        finding: ReplayFinding {
            code: found.code.to_owned(),
            tool: found.tool.clone(),
            message: found.message.clone(),
            cause: found.cause.clone(),
        },
        call_limit_ms: 0,
        calls: found.script(),
    };
    let replayed =
        replay(target, Protocol::Negotiate, &options, &file, REPLAYS).await.expect("the server starts");
    score.n_replayed += u64::from(replayed.n_shown == REPLAYS);
}
