//! What Probity costs beside a bare rmcp client that makes the same calls: CPU time per call, and wall time per sequence with a
//! fresh process.

use std::cell::RefCell;
use std::process::Stdio;
use std::rc::Rc;
use std::time::{Duration, Instant};

use probity_drive::mcp::{Event, Options, Protocol, Server, SessionUse, StdioServer, Target, run};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value};

/// The allocator of the program, for both sides.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The path of the fixture program.
const PROGRAM: &str = env!("CARGO_BIN_EXE_fixture-server");
/// Rounds in which the two take turns. Other work on the machine only ever adds to a time, so the least of each side counts.
const ROUNDS: u64 = 8;

type Call = (String, Map<String, Value>);

fn main() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let ratio = runtime.block_on(wall("trivial"));
    println!("ratio sequence/wall/trivial {ratio:.3} at most 1.2");
    for (mode, least) in [("trivial", " at least 0.5"), ("notes", "")] {
        let ratio = runtime.block_on(cpu(mode));
        println!("ratio calls/cpu/{mode} {ratio:.3}{least}");
    }
}

/// Calls per CPU second of Probity in one long session, in relation to those of the bare client.
async fn cpu(mode: &str) -> f64 {
    let (mut ours, mut bare, mut n_calls) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..ROUNDS {
        let options = Options {
            n_sequences: 80,
            min_len: 100,
            max_len: 100,
            sessions: SessionUse::Reused,
            ..Options::default()
        };
        let calls = calls_of(mode, options.clone()).await;
        let started = cpu_time();
        drive(mode, options, |_| {}).await;
        ours = ours.min(cpu_time().saturating_sub(started));
        n_calls = calls.len();
        let started = cpu_time();
        by_hand(mode, &calls).await;
        bare = bare.min(cpu_time().saturating_sub(started));
    }
    println!("{mode}: {n_calls} calls took {ours:?} of CPU time, by hand {bare:?}");
    bare.as_secs_f64() / ours.as_secs_f64()
}

/// Wall time of a sequence with a fresh process, in relation to starting that process and making the calls by hand.
///
/// What a run costs once (looking at the server, preparing its schemas) is no cost of a sequence, so it is taken off: by the difference
/// between a long and a short run.
async fn wall(mode: &str) -> f64 {
    const LENGTH: usize = 20;
    const SHORT: u32 = 25;
    const LONG: u32 = 125;
    let options =
        |n_sequences| Options { n_sequences, min_len: LENGTH, max_len: LENGTH, ..Options::default() };
    let calls = calls_of(mode, options(LONG)).await;
    let (mut short, mut long, mut bare) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        for (n_sequences, least) in [(SHORT, &mut short), (LONG, &mut long)] {
            let started = Instant::now();
            drive(mode, options(n_sequences), |_| {}).await;
            *least = started.elapsed().min(*least);
        }
        let started = Instant::now();
        for sequence in calls.chunks(LENGTH).skip(SHORT as usize) {
            by_hand(mode, sequence).await;
        }
        bare = bare.min(started.elapsed());
    }
    let n_sequences = LONG - SHORT;
    let (ours, bare) = (long.saturating_sub(short) / n_sequences, bare / n_sequences);
    println!(
        "{mode}: a sequence of {LENGTH} calls took {ours:?}, by hand {bare:?}; a run of {SHORT} took {short:?}"
    );
    ours.as_secs_f64() / bare.as_secs_f64()
}

/// The calls that a test with these options makes; the same seed makes the same ones again.
async fn calls_of(mode: &str, options: Options) -> Vec<Call> {
    let calls = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&calls);
    let observer = move |event: &Event<'_>| {
        if let Event::Called { exchange, .. } = event {
            noted.borrow_mut().push((exchange.tool.clone(), exchange.arguments.clone()));
        }
    };
    drive(mode, options, observer).await;
    Rc::try_unwrap(calls).expect("the run is over").into_inner()
}

/// Tests the fixture.
async fn drive(mode: &str, options: Options, observer: impl FnMut(&Event<'_>) + 'static) {
    let target = Target::Server(Server::Stdio(StdioServer::new(PROGRAM, [mode])));
    let report = run(target, Protocol::Negotiate, options, observer).await.expect("the server starts");
    assert!(report.is_success, "{:?}", report.failures);
}

/// Starts the fixture, makes the calls with rmcp alone, and waits for its end.
async fn by_hand(mode: &str, calls: &[Call]) {
    let mut child = tokio::process::Command::new(PROGRAM)
        .arg(mode)
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
