//! What Probity costs beside a bare rmcp client that makes the same calls: CPU time per call, and wall time per sequence with a
//! fresh process.
//!
//! Everything runs on one CPU. On two, a virtual machine puts the idle one to sleep while the client works, and waking it costs more
//! than a call: a bare client that merely idles 10 microseconds after each answer takes 1.6 times as long per sequence there, and
//! 1.15 times on one.

use std::cell::RefCell;
use std::path::Path;
use std::process::Stdio;
use std::rc::Rc;
use std::time::{Duration, Instant};

use probity_drive::mcp::{
    Event, Options, Protocol, Server, SessionUse, StdioServer, Target, ToolChoice, run,
};
use probity_testkit::workspace;
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value};

/// The allocator of the program, for both sides.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rounds in which the two take turns. Other work on the machine only ever adds to a time, so the least of each side counts.
const ROUNDS: u64 = 8;
/// Calls in a sequence with a process of its own.
const LENGTH: usize = 20;

type Call = (String, Map<String, Value>);

/// A server to measure with.
struct Subject {
    name: &'static str,
    server: StdioServer,
    /// The tools to call; all if there are none.
    only: &'static [&'static str],
    /// Sequences of a short and of a long run.
    n_short: u32,
    n_long: u32,
}

fn main() {
    keep_to_one_cpu();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let scratch = tempfile::tempdir().expect("there is room for files");
    for subject in [Some(fixture("trivial")), memory(scratch.path())].into_iter().flatten() {
        let ratio = runtime.block_on(wall(&subject));
        println!("ratio sequence/wall/{} {ratio:.3} at most 1.2", subject.name);
    }
    for (mode, least) in [("trivial", " at least 0.5"), ("notes", "")] {
        let ratio = runtime.block_on(cpu(&fixture(mode)));
        println!("ratio calls/cpu/{mode} {ratio:.3}{least}");
    }
}

/// Keeps this process, and what it starts, to one CPU.
#[cfg(target_os = "linux")]
fn keep_to_one_cpu() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let allowed = sched_getaffinity(None).expect("a process may ask where it runs");
    let first = (0..CpuSet::MAX_CPU).find(|cpu| allowed.is_set(*cpu)).expect("it runs somewhere");
    let mut one = CpuSet::new();
    one.set(first);
    sched_setaffinity(None, &one).expect("a process may keep to a part of what it has");
}

#[cfg(not(target_os = "linux"))]
fn keep_to_one_cpu() {
    println!("skipped: keeping to one CPU, which is done on Linux only");
}

/// A fixture of ours, which starts in a millisecond: the harshest measure there is.
fn fixture(mode: &'static str) -> Subject {
    let server = StdioServer::new(env!("CARGO_BIN_EXE_fixture-server"), [mode]);
    Subject { name: mode, server, only: &[], n_short: 25, n_long: 125 }
}

/// A server that people use, if it is installed.
fn memory(scratch: &Path) -> Option<Subject> {
    let script = workspace::npm().join("node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    if !script.exists() {
        println!("skipped: sequence/wall/memory needs the server; `cargo xtask deps` installs it");
        return None;
    }
    let mut server = StdioServer::new("node", [script]);
    server.env.push(("MEMORY_FILE_PATH".into(), scratch.join("memory.jsonl").into()));
    Some(Subject { name: "memory", server, only: &["read_graph"], n_short: 1, n_long: 7 })
}

impl Subject {
    fn options(&self, n_sequences: u32, length: usize) -> Options {
        let only = self.only.iter().map(|tool| (*tool).to_owned()).collect();
        let tools = ToolChoice { only, ..ToolChoice::default() };
        Options { n_sequences, min_len: length, max_len: length, tools, ..Options::default() }
    }
}

/// Calls per CPU second of Probity in one long session, in relation to those of the bare client.
async fn cpu(subject: &Subject) -> f64 {
    let (mut ours, mut bare, mut n_calls) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..ROUNDS {
        let options = Options { sessions: SessionUse::Reused, ..subject.options(80, 100) };
        let calls = calls_of(subject, options.clone()).await;
        let started = cpu_time();
        drive(subject, options, |_| {}).await;
        ours = ours.min(cpu_time().saturating_sub(started));
        n_calls = calls.len();
        let started = cpu_time();
        by_hand(subject, &calls).await;
        bare = bare.min(cpu_time().saturating_sub(started));
    }
    println!("{}: {n_calls} calls took {ours:?} of CPU time, by hand {bare:?}", subject.name);
    bare.as_secs_f64() / ours.as_secs_f64()
}

/// Wall time of a sequence with a fresh process, in relation to starting that process and making the calls by hand.
///
/// What a run costs once (looking at the server, preparing its schemas) is no cost of a sequence, so it is taken off: by the
/// difference between a long and a short run.
async fn wall(subject: &Subject) -> f64 {
    let Subject { name, n_short, n_long, .. } = subject;
    let calls = calls_of(subject, subject.options(*n_long, LENGTH)).await;
    assert_eq!(calls.len(), *n_long as usize * LENGTH, "no sequence is cut short");
    let (mut short, mut long, mut bare) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        for (n_sequences, least) in [(*n_short, &mut short), (*n_long, &mut long)] {
            let started = Instant::now();
            drive(subject, subject.options(n_sequences, LENGTH), |_| {}).await;
            *least = started.elapsed().min(*least);
        }
        let started = Instant::now();
        for sequence in calls.chunks(LENGTH).skip(*n_short as usize) {
            by_hand(subject, sequence).await;
        }
        bare = bare.min(started.elapsed());
    }
    let n_sequences = n_long - n_short;
    let ours = long.checked_sub(short).expect("more sequences take longer") / n_sequences;
    let bare = bare / n_sequences;
    println!(
        "{name}: a sequence of {LENGTH} calls took {ours:?}, by hand {bare:?}; {n_short} of them alone {short:?}"
    );
    ours.as_secs_f64() / bare.as_secs_f64()
}

/// The calls that a test with these options makes; the same seed makes the same ones again.
async fn calls_of(subject: &Subject, options: Options) -> Vec<Call> {
    let calls = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&calls);
    let observer = move |event: &Event<'_>| {
        if let Event::Called { exchange, .. } = event {
            noted.borrow_mut().push((exchange.tool.clone(), exchange.arguments.clone()));
        }
    };
    drive(subject, options, observer).await;
    Rc::try_unwrap(calls).expect("the run is over").into_inner()
}

/// Tests the server.
async fn drive(subject: &Subject, options: Options, observer: impl FnMut(&Event<'_>) + 'static) {
    let target = Target::Server(Server::Stdio(subject.server.clone()));
    let report = run(target, Protocol::Negotiate, options, observer).await.expect("the server starts");
    assert!(report.is_success, "{:?}", report.failures);
}

/// Starts the server, makes the calls with rmcp alone, and waits for its end.
async fn by_hand(subject: &Subject, calls: &[Call]) {
    let StdioServer { program, args, env, .. } = &subject.server;
    let mut child = tokio::process::Command::new(program)
        .args(args)
        .envs(env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let input = child.stdin.take().expect("its input is a pipe");
    let output = child.stdout.take().expect("its output is a pipe");
    let client = ().serve((output, input)).await.expect("the server shakes hands");
    for (tool, arguments) in calls {
        let call = CallToolRequestParams::new(tool.clone()).with_arguments(arguments.clone());
        client.call_tool(call).await.expect("the server answers");
    }
    client.cancel().await.expect("the client ends");
    child.wait().await.expect("the server ends");
}

/// CPU time of this process and its threads so far, in steps of 10 ms; that of children does not count.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this bench runs on Linux");
    let fields: Vec<u64> = stat
        .rsplit(") ")
        .next()
        .unwrap_or_default()
        .split(' ')
        .map(|field| field.parse().unwrap_or_default())
        .collect();
    // utime and stime, fields 14 and 15, in hundredths of a second; field 3 comes first here.
    Duration::from_millis(10 * (fields[11] + fields[12]))
}
