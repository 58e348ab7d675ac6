//! Sessions against fixture servers: what each kind of misbehaviour comes to, and that nothing stays behind.

mod certainty;
mod check;
mod contract;
mod hostile;
mod planted;
mod process;
mod regular;
mod scripted;
mod sequence_scenario;
mod generator_scenario;
mod web;
mod whole;

use std::time::{Duration, Instant};

use probity_drive::mcp::{Limits, Protocol, Server, Session, SessionError, StdioServer};

/// The path of the fixture program.
const PROGRAM: &str = env!("CARGO_BIN_EXE_fixture-server");

/// Modes whose calls are known to hang; waiting for them is kept short.
const HANGING: &[&str] = &["breaks-no-hang", "never-reads", "hang", "http-hangs"];

/// Limits for a mode: a server that does nothing should cost little, and a busy machine should not matter.
fn limits_for(mode: &str) -> Limits {
    let call = if HANGING.contains(&mode) { Duration::from_secs(1) } else { Duration::from_secs(30) };
    Limits { call, ..limits() }
}

fn limits() -> Limits {
    Limits {
        start: Duration::from_secs(3),
        body: Duration::from_millis(500),
        close: Duration::from_millis(500),
        settle: Duration::from_millis(100),
        ..Limits::default()
    }
}

async fn try_open(mode: &str) -> Result<Session, SessionError> {
    let server = Server::Stdio(StdioServer::new(PROGRAM, [mode]));
    Session::open(&server, &Protocol::Negotiate, &limits_for(mode)).await
}

async fn open(mode: &str) -> Session {
    try_open(mode).await.unwrap_or_else(|error| panic!("{mode}: {error}"))
}

/// Whether a process runs; one that only waits to be reaped does not.
fn is_alive(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

/// Waits for a process to be gone, for a while.
#[track_caller]
fn assert_gone(pid: u32) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while is_alive(pid) {
        assert!(Instant::now() < deadline, "process {pid} is still alive");
        std::thread::yield_now();
    }
}
