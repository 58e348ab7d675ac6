//! No process stays behind, whatever the server does and however we end.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Map;

use crate::{assert_gone, is_alive, open};

async fn spawned(mode: &str) -> (probity_drive::mcp::Session, u32, u32) {
    let mut session = open(mode).await;
    let exchange = session.call("spawn", Map::new()).await;
    let pid = exchange.outcome.success().and_then(|result| result["structuredContent"]["pid"].as_u64());
    let child = u32::try_from(pid.expect("the tool tells a process id")).expect("process ids are small");
    let server = session.pid().expect("a process was started");
    (session, server, child)
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_its_input_is_killed() {
    let session = open("ignores-end").await;
    let pid = session.pid().expect("a process was started");
    let closing = session.close().await;
    assert!(closing.is_forced);
    assert_gone(pid);
}

#[tokio::test]
async fn children_of_a_server_are_killed_with_it_in_whatever_group_they_are() {
    for mode in ["leaves-child", "leaves-stranger", "leaves-nameless"] {
        let (session, server, child) = spawned(mode).await;
        assert!(is_alive(child), "{mode}");
        let closing = session.close().await;
        assert_eq!(closing.n_left_behind, 1, "{mode}");
        assert_gone(server);
        assert_gone(child);
    }
}

#[tokio::test]
async fn dropping_a_session_kills_everything_too() {
    for mode in ["leaves-child", "leaves-stranger", "leaves-nameless"] {
        let (session, server, child) = spawned(mode).await;
        drop(session);
        assert_gone(child);
        assert_gone(server);
    }
}

#[tokio::test]
async fn a_crash_is_seen_although_a_child_holds_the_output_open() {
    let mut session = open("crashes-leaving-child").await;
    let exchange = session.call("spawn", Map::new()).await;
    assert_eq!(exchange.outcome.name(), "crashed", "{:?}", exchange.outcome);
    let probity_drive::mcp::Outcome::Crashed { stderr_tail, .. } = exchange.outcome else { unreachable!() };
    let child = stderr_tail.trim().strip_prefix("child ").and_then(|pid| pid.parse().ok());
    session.close().await;
    assert_gone(child.expect("the server told the id of its child"));
}

/// Names the mode to hold a session with; set only when this program was started to be killed.
const HOLD: &str = "PROBITY_TEST_HOLD_SESSION";

/// Not a test of its own: the other half of the next one, which starts this program again and kills it.
#[tokio::test]
async fn holds_a_session_until_killed_if_asked_to() {
    let Ok(mode) = std::env::var(HOLD) else { return };
    let (session, server, child) = spawned(&mode).await;
    println!("\npids {server} {child}");
    // Ends by itself if nobody kills it.
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    drop(session);
}

/// Starts a program that holds a session open, kills it, and looks for what it had started.
#[track_caller]
fn check_death_by(signal: &str, mode: &str) {
    let mut holder = Command::new(std::env::current_exe().expect("a running program has a path"))
        .args(["process::holds_a_session_until_killed_if_asked_to", "--exact", "--nocapture"])
        .env(HOLD, mode)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the holder can be started");
    let output = BufReader::new(holder.stdout.take().expect("its output is piped"));
    let told = output.lines().map_while(Result::ok).find(|line| line.starts_with("pids"));
    let told = told.expect("it tells the ids of its processes");
    let pids: Vec<u32> = told.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
    assert!(pids.len() == 2 && pids.iter().all(|pid| is_alive(*pid)), "{told:?}");
    let killed = Command::new("kill").args([signal, &holder.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    holder.wait().expect("the holder ends");
    pids.into_iter().for_each(assert_gone);
}

#[test]
fn nothing_stays_when_we_are_killed_ourselves() {
    for signal in ["-KILL", "-TERM", "-INT"] {
        for mode in ["leaves-child", "leaves-stranger"] {
            check_death_by(signal, mode);
        }
    }
}
