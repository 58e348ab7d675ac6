//! How fast instances come: drawing against judging, a cold start to a hundred instances, and memory over a million.
//!
//! The contracts are those of the corpus beside the workspace; without it the bench says so and ends well. Cold starts
//! and memory are measured on children of this program, one process each, because a process is what users wait for.

#![expect(clippy::cast_precision_loss, reason = "counts of a bench are far below 2^53")]

mod corpus;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use corpus::{corpus, name, schemas};
use probity_schema::{Dialect, Document, Job, Metrics, ReadOptions, Source, SourceOptions};
use serde_json::Value;

/// As in the program that is measured for.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SEED: u64 = 42;
/// Instances drawn, judged and written in one warm round.
const WARM: u64 = 200;
/// Warm rounds; the fastest of each kind counts, since nothing but noise makes one slower.
const ROUNDS: usize = 9;
/// Instances of one cold process.
const COLD: u64 = 100;
/// Instances of the run whose memory is looked at.
const MANY: u64 = 1_000_000;
/// A contract of ordinary size and shape for that run.
const TYPICAL: &str = "schemastore/winget-pkgs-singleton-0.1.json";

fn main() -> ExitCode {
    let Some(corpus) = corpus() else {
        println!("skipped: there is no corpus beside the workspace");
        return ExitCode::SUCCESS;
    };
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["one", path] => one(Path::new(path)),
        ["many", path] => many(Path::new(path)),
        ["warm"] => warm(&corpus),
        ["cold"] => cold(&corpus),
        ["memory"] => memory(&corpus),
        _ => warm(&corpus).and_then(|()| cold(&corpus)).and_then(|()| memory(&corpus)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::FAILURE
        }
    }
}

type Done = Result<(), Box<dyn std::error::Error>>;

fn source(path: &Path) -> Result<Source, Box<dyn std::error::Error>> {
    let document = Document::read(&std::fs::read_to_string(path)?, &ReadOptions::default())?;
    Ok(Source::of(&document, &SourceOptions::default())?)
}

/// Drawing, judging and writing against judging and writing the same instances.
fn warm(corpus: &Path) -> Done {
    let mut ratios = Vec::new();
    let (mut drawn, mut judged) = (Duration::ZERO, Duration::ZERO);
    for path in schemas(&corpus.join("schemastore"))? {
        let (name, source) = (name(&path), source(&path)?);
        let values: Vec<Value> =
            source.instances(SEED).take(usize::try_from(WARM)?).collect::<Result<_, _>>()?;
        let (mut whole, mut floor) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            floor = floor.min(timed(|| {
                for value in &values {
                    assert!(source.oracle().is_valid(black_box(value)), "{name} gave an invalid instance");
                    black_box(value.to_string());
                }
            }));
            whole = whole.min(timed(|| {
                for index in 0..WARM {
                    let value = source.instance(SEED, index, &mut Metrics::default());
                    black_box(value.map(|value| value.to_string()).ok());
                }
            }));
        }
        drawn += whole;
        judged += floor;
        ratios.push((whole.as_secs_f64() / floor.as_secs_f64(), name, whole, floor));
    }
    ratios.sort_by(|left, right| left.0.total_cmp(&right.0));
    let at = |percent: usize| ratios[(ratios.len() - 1) * percent / 100].0;
    println!(
        "warm, {} contracts of SchemaStore, {WARM} instances each; microseconds per instance:",
        ratios.len()
    );
    for (ratio, name, whole, floor) in ratios.iter().rev().take(5) {
        let each = |time: &Duration| time.as_secs_f64() * 1e6 / WARM as f64;
        println!("  {ratio:6.2}  {:8.1} over {:7.1}  {name}", each(whole), each(floor));
    }
    println!("ratio warm/median {:.3} at most 3", at(50));
    println!("ratio warm/p90 {:.3}", at(90));
    println!("ratio warm/worst {:.3}", at(100));
    println!("ratio warm/all {:.3}", drawn.as_secs_f64() / judged.as_secs_f64());
    Ok(())
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

/// Instances per second of processor time, when each contract is read, composed and drawn from in a fresh process.
fn cold(corpus: &Path) -> Done {
    let mut all = (0, 0.0);
    for (part, folder) in [("schemastore", "schemastore"), ("openapi", "openapi/schemas")] {
        let paths = schemas(&corpus.join(folder))?;
        let started = children_seconds()?;
        for path in &paths {
            child("one", path)?;
        }
        let seconds = children_seconds()? - started;
        let n_instances = paths.len() as u64 * COLD;
        println!("ratio cold/{part} {:.0}", n_instances as f64 / seconds);
        all = (all.0 + n_instances, all.1 + seconds);
    }
    let suite = suite(&corpus.join("jsts.ndjson"))?;
    let started = own_seconds()?;
    let n_instances = suite.iter().map(|(text, dialect)| group(text, *dialect)).sum::<u64>();
    let seconds = own_seconds()? - started;
    println!("ratio cold/jsts {:.0}", n_instances as f64 / seconds);
    println!("ratio cold/corpus {:.0} at least 2500", (all.0 + n_instances) as f64 / (all.1 + seconds));
    Ok(())
}

/// A group of the test suite: its schema and its dialect.
type Group = (String, Option<Dialect>);

/// The groups of the test suite that stand on their own, as text and dialect.
fn suite(path: &Path) -> Result<Vec<Group>, Box<dyn std::error::Error>> {
    let mut found = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let group: Value = serde_json::from_str(line)?;
        let is_alone = group["external"].as_array().is_some_and(Vec::is_empty);
        if is_alone && group["satisfiable"] == true && group["optional"] == false {
            found.push((group["schema"].to_string(), group["draft"].as_str().and_then(Dialect::parse)));
        }
    }
    Ok(found)
}

/// Draws from a group of the suite; there are too many for a process each.
fn group(text: &str, dialect: Option<Dialect>) -> u64 {
    let options = ReadOptions { dialect, ..ReadOptions::default() };
    let source = Document::read(text, &options)
        .ok()
        .and_then(|document| Source::of(&document, &SourceOptions::default()).ok());
    let Some(source) = source else { return 0 };
    let values = (0..COLD).zip(source.instances(SEED)).map_while(|(_, value)| value.ok());
    values.fold(0, |n, value| {
        black_box(value.to_string());
        n + 1
    })
}

fn one(path: &Path) -> Done {
    for value in source(path)?.instances(SEED).take(usize::try_from(COLD)?) {
        black_box(value?.to_string());
    }
    Ok(())
}

/// The peak of memory over a long run, in megabytes.
fn memory(corpus: &Path) -> Done {
    let printed = child("many", &corpus.join(TYPICAL))?;
    println!("ratio memory/million-mb {} at most 200", printed.trim());
    Ok(())
}

fn many(path: &Path) -> Done {
    let job = Job { seed: SEED, range: 0..MANY, n_threads: 2 };
    let mut n_bytes = 0;
    let (metrics, stop) = source(path)?.run(
        &job,
        |value| value.to_string(),
        |text| {
            n_bytes += text.len();
            ControlFlow::Continue(())
        },
    );
    assert!(stop.is_none() && metrics.n_instances == MANY && n_bytes > 0, "the run came to its end");
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no peak of memory")?;
    let kilobytes: f64 = peak.trim().trim_end_matches(" kB").parse()?;
    println!("{:.1}", kilobytes / 1024.0);
    Ok(())
}

/// Runs this program for one job and gives back what it printed.
fn child(job: &str, path: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let output = Command::new(std::env::current_exe()?).arg(job).arg(path).output()?;
    if !output.status.success() {
        return Err(format!("{job} {}: {}", path.display(), String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Processor time of this process, its threads included.
fn own_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    seconds([11, 12])
}

/// Processor time of the children that ended.
fn children_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    seconds([13, 14])
}

/// Fields of `/proc/self/stat`, counted from the one after the name; the kernel reports hundredths of a second.
fn seconds(fields: [usize; 2]) -> Result<f64, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let words: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let mut ticks = 0.0;
    for field in fields {
        ticks += words.get(field).ok_or("the kernel reports no times")?.parse::<f64>()?;
    }
    Ok(ticks / 100.0)
}
