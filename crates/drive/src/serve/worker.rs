//! A worker as its server sees it: a process that gets one request, has so much time and memory, and is then gone.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::mcp::transport::process::Process;
use crate::mcp::{Limits, StdioServer};
use crate::serve::tool::{Effect, Tool};
use crate::serve::work::{Answer, Request};

/// Longest answer of a worker that is read, in bytes.
const MAX_ANSWER: u64 = 16 << 20;
/// Memory that a worker may ask for, in bytes; most of what it asks for is room for deep calls that it never uses.
#[cfg(target_os = "linux")]
const MAX_MEMORY: u64 = 6 << 30;
/// How long a worker that has answered may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// Has a worker do what the request says. Whatever happens to it, and also if this is dropped, nothing of it stays.
pub(crate) async fn ask(worker: &StdioServer, tool: &Tool, request: &Request, limit: Duration) -> Answer {
    let started = Process::start(worker, &Limits::default());
    let (mut process, mut stdin, stdout) = match started {
        Ok(started) => started,
        Err(error) => return Answer::Failed(format!("no worker can be started: {error}; try again later")),
    };
    if tool.effect == Effect::None {
        confine(process.pid());
    }
    let request = serde_json::to_vec(request).expect("a request is plain data");
    let conversation = async {
        // A worker that ended early is told by what it did not answer.
        let _ = stdin.write_all(&request).await;
        drop(stdin);
        let mut text = Vec::new();
        let _ = stdout.take(MAX_ANSWER + 1).read_to_end(&mut text).await;
        text
    };
    let Ok(text) = timeout(limit, conversation).await else {
        let advice = match tool.effect {
            Effect::None => {
                "ask for less (fewer instances, a smaller schema), or use the command line, which has no limit"
            }
            Effect::Anything => "the server may hang; test fewer tools or give more time",
        };
        return Answer::Failed(format!("{}: no answer within {} s; {advice}", tool.name, limit.as_secs()));
    };
    let ending = process.end(PATIENCE, PATIENCE).await;
    if text.len() as u64 > MAX_ANSWER {
        return Answer::Failed(format!(
            "{}: the answer is longer than {MAX_ANSWER} bytes; ask for less",
            tool.name
        ));
    }
    if let Ok(answer) = serde_json::from_slice(&text) {
        return answer;
    }
    let exit = ending.exit.map_or_else(|| "no exit status".to_owned(), |exit| exit.to_string());
    let said = process.stderr_tail(PATIENCE).await;
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Answer::Failed(format!(
        "{}: the worker ended with {exit} and no answer, perhaps for want of memory; ask for less; its last words: {last}",
        tool.name
    ))
}

/// Bounds the memory of a worker that computes; one that tests must not bound the servers it starts.
#[cfg(target_os = "linux")]
fn confine(pid: u32) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let bound = Rlimit { current: Some(MAX_MEMORY), maximum: Some(MAX_MEMORY) };
        // It may be gone already.
        let _ = prlimit(Some(pid), Resource::As, bound);
    }
}

#[cfg(not(target_os = "linux"))]
fn confine(_pid: u32) {}
