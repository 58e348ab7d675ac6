//! How far guided runs reach, with how few instances, and what coverage costs.
//!
//! The contracts are those of the corpus beside the workspace; without it the bench says so and ends well. Arguments
//! choose parts: `reach`, `proofs`, `cost`, `growth`; without one all of them run.

#![expect(clippy::cast_precision_loss, reason = "counts of a bench are far below 2^53")]

mod corpus;

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use corpus::{corpus, name, schemas};
use probity_schema::coverage::{
    Dimension, Observer, PROFILES, Plan, PlanOptions, Status, Universe, analyze, lower_bound, plan,
    widest_choice,
};
use probity_schema::{Document, Formats, Oracles, ReadOptions, Source, SourceOptions};
use serde_json::{Map, Value, json};

/// As in the program that is measured for.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ALL: &[Dimension] =
    &[Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries];
/// Instances that are held against each proof.
const DOUBTS: usize = 10_000;
/// Instances drawn with and without measuring.
const COST: usize = 200;
/// Rounds of a measurement; the fastest counts, since nothing but noise makes one slower.
const ROUNDS: usize = 5;

type Done = Result<(), Box<dyn std::error::Error>>;

/// A part of the bench: its name and what it does.
type Part = (&'static str, fn(&Path) -> Done);
const PARTS: &[Part] = &[("reach", reach), ("proofs", proofs), ("cost", cost), ("growth", growth)];

fn main() -> ExitCode {
    let Some(corpus) = corpus() else {
        println!("skipped: there is no corpus beside the workspace");
        return ExitCode::SUCCESS;
    };
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    for (name, run) in PARTS {
        if (wanted.is_empty() || wanted.iter().any(|word| word == name))
            && let Err(trouble) = run(&corpus)
        {
            eprintln!("{trouble}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// A contract and what looks at it.
struct Subject {
    name: String,
    document: Document,
    source: Source,
}

impl Subject {
    fn read(path: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        Self::of(name(path), Document::read(&std::fs::read_to_string(path)?, &ReadOptions::default())?)
    }

    fn of(name: String, document: Document) -> Result<Self, Box<dyn std::error::Error>> {
        let source = Source::of(&document, &SourceOptions::default())?;
        Ok(Self { name, document, source })
    }

    fn oracles(&self) -> Result<Oracles<'_>, Box<dyn std::error::Error>> {
        Ok(Oracles::of(&self.document, Formats::Assert)?)
    }

    /// A guided run with a profile; the targets know afterwards which of them are proven unreachable.
    fn guided(&self, n: u64, profile: usize) -> Result<(Universe, Plan), Box<dyn std::error::Error>> {
        let mut universe = analyze(self.source.contract(), ALL);
        let options = PlanOptions { seed: 1, max_instances: n, budget: PROFILES[profile].budget };
        let plan = plan(&self.document, &self.source, &self.oracles()?, &mut universe, &options);
        Ok((universe, plan))
    }
}

/// The share of reachable targets that guided runs hit, and how few instances they need where they hit all.
fn reach(corpus: &Path) -> Done {
    for (part, folder, n, least) in [
        ("schemastore", "schemastore", 100, 0.95),
        ("schemastore-10", "schemastore", 10, 0.8),
        ("openapi", "openapi/schemas", 20, 0.98),
    ] {
        let (mut shares, mut pooled, mut suites, mut bounds) = (Vec::new(), (0, 0), Vec::new(), Vec::new());
        let mut by_dimension = vec![Vec::new(); ALL.len()];
        for path in schemas(&corpus.join(folder))? {
            let subject = Subject::read(&path)?;
            let (universe, plan) = subject.guided(n, 2)?;
            let (hit, of) = share(&universe, &plan, None);
            pooled = (pooled.0 + hit, pooled.1 + of);
            shares.extend(ratio(hit, of));
            for (dimension, shares) in ALL.iter().zip(&mut by_dimension) {
                let (hit, of) = share(&universe, &plan, Some(*dimension));
                shares.extend(ratio(hit, of));
            }
            if hit == of {
                suites.extend(ratio(plan.instances.len(), usize::try_from(widest_choice(&universe))?));
                let bound = lower_bound(subject.source.contract(), &universe);
                bounds.extend(ratio(plan.instances.len(), usize::try_from(bound)?));
            }
        }
        println!("reach, {} contracts of {folder}, at most {n} instances each", shares.len());
        println!("ratio reach/{part}/mean {:.4} at least {least}", mean(&shares));
        println!(
            "ratio reach/{part}/pooled {:.4} at least {}",
            ratio(pooled.0, pooled.1).unwrap_or(1.0),
            0.9_f64.min(least)
        );
        for (dimension, shares) in ALL.iter().zip(&by_dimension) {
            let bound = if n == 100 { " at least 0.9" } else { "" };
            println!("ratio reach/{part}/{} {:.4}{bound}", dimension.name(), mean(shares));
        }
        let bound = if n == 100 { " at most 1.5" } else { "" };
        println!("ratio suite/{part} {:.3}{bound}", mean(&suites));
        println!("ratio suite/{part}/tight-bound {:.3}", mean(&bounds));
    }
    Ok(())
}

/// Looks among many random instances for one that hits a target proven unreachable.
fn proofs(corpus: &Path) -> Done {
    let (mut n_proven, mut n_refuted) = (0, 0);
    for folder in ["schemastore", "openapi/schemas"] {
        for path in schemas(&corpus.join(folder))? {
            let subject = Subject::read(&path)?;
            let (universe, _) = subject.guided(100, 2)?;
            let proven: Vec<usize> = (0..universe.targets.len())
                .filter(|at| universe.targets[*at].status == Status::Unreachable)
                .collect();
            if proven.is_empty() {
                continue;
            }
            n_proven += proven.len();
            // Only the doubted targets are watched, so that nothing is pruned before they are seen.
            let mut doubted = universe.clone();
            for target in &mut doubted.targets {
                let is_proven = target.status == Status::Unreachable;
                target.status = if is_proven { Status::Active } else { Status::Unreachable };
            }
            let oracles = subject.oracles()?;
            let contract = subject.source.contract();
            let mut observer = Observer::new(contract, &oracles, &doubted);
            for instance in subject.source.instances(99).take(DOUBTS).flatten() {
                observer.observe(contract.roots()[0], &instance, 0);
            }
            for at in proven.into_iter().filter(|at| observer.hits().has(*at)) {
                println!("  refuted: {} of {}", universe.targets[at].id, subject.name);
                n_refuted += 1;
            }
        }
    }
    println!("proofs, {n_proven} targets called unreachable, {DOUBTS} instances held against each");
    println!("ratio proofs/refuted {n_refuted} at most 0");
    Ok(())
}

/// Measuring over not measuring, and planning by the target.
fn cost(corpus: &Path) -> Done {
    let (mut off, mut measured, mut ratios) = (Duration::ZERO, Duration::ZERO, Vec::new());
    let (mut planning, mut n_targets) = (Duration::ZERO, 0);
    let mut longest = (Duration::ZERO, String::new());
    for path in schemas(&corpus.join("schemastore"))? {
        let subject = Subject::read(&path)?;
        let oracles = subject.oracles()?;
        let universe = analyze(subject.source.contract(), ALL);
        let without = fastest(|| drawn(&subject, COST, |_, _| {}));
        let with = fastest(|| {
            let mut observer = Observer::new(subject.source.contract(), &oracles, &universe);
            let root = subject.source.contract().roots()[0];
            drawn(&subject, COST, |number, value| {
                black_box(observer.observe(root, value, number));
            });
        });
        ratios.extend(Some(with.as_secs_f64() / without.as_secs_f64()));
        (off, measured) = (off + without, measured + with);
        let started = Instant::now();
        let (universe, _) = subject.guided(100, 1)?;
        let took = started.elapsed();
        planning += took;
        n_targets += universe.targets.len();
        longest = longest.max((took, subject.name.clone()));
    }
    ratios.sort_by(f64::total_cmp);
    println!("cost, {COST} instances each; longest plan: {}", longest.1);
    println!("ratio measure/median {:.3} at most 2", ratios[ratios.len() / 2]);
    println!("ratio measure/all {:.3} at most 2", measured.as_secs_f64() / off.as_secs_f64());
    println!("ratio plan/ms-per-target {:.3} at most 5", planning.as_secs_f64() * 1000.0 / n_targets as f64);
    println!("ratio plan/longest-s {:.2} at most 30", longest.0.as_secs_f64());
    Ok(())
}

/// Cost by the instance and by the target when there is once, twice and four times as much.
fn growth(corpus: &Path) -> Done {
    let subject = Subject::read(&corpus.join("schemastore/winget-pkgs-singleton-0.1.json"))?;
    let oracles = subject.oracles()?;
    let universe = analyze(subject.source.contract(), ALL);
    let root = subject.source.contract().roots()[0];
    let mut each = Vec::new();
    for times in [1, 2, 4] {
        let n = 500 * times;
        let took = fastest(|| {
            let mut observer = Observer::new(subject.source.contract(), &oracles, &universe);
            drawn(&subject, n, |number, value| {
                black_box(observer.observe(root, value, number));
            });
        });
        each.push(took.as_secs_f64() / n as f64);
        println!(
            "growth, {n} instances measured: {:.2} microseconds each",
            took.as_secs_f64() * 1e6 / n as f64
        );
    }
    println!("ratio growth/instances-4x {:.3} at most 1.5", each[2] / each[0]);
    let mut each = Vec::new();
    for times in [1, 2, 4] {
        let subject = wide(100 * times)?;
        let n = analyze(subject.source.contract(), ALL).targets.len();
        let took = fastest(|| drop(black_box(subject.guided(100, 1).ok())));
        each.push(took.as_secs_f64() / n as f64);
        println!("growth, {n} targets planned: {:.2} microseconds each", took.as_secs_f64() * 1e6 / n as f64);
    }
    println!("ratio growth/targets-4x {:.3} at most 1.5", each[2] / each[0]);
    Ok(())
}

/// A contract of so many members, each with a choice, a bound and a branch.
fn wide(n: usize) -> Result<Subject, Box<dyn std::error::Error>> {
    let member = |n: usize| {
        let body = match n % 3 {
            0 => json!({"enum": ["a", "b", "c"]}),
            1 => json!({"type": "integer", "minimum": 1, "maximum": 9}),
            _ => json!({"oneOf": [{"type": "string", "maxLength": 5}, {"type": "boolean"}]}),
        };
        (format!("member{n}"), body)
    };
    let members: Map<String, Value> = (0..n).map(member).collect();
    let schema = json!({"type": "object", "properties": members});
    Subject::of(n.to_string(), Document::of_value(schema, &ReadOptions::default())?)
}

fn drawn(subject: &Subject, n: usize, mut look: impl FnMut(u64, &Value)) {
    for (number, value) in (0..).zip(subject.source.instances(5).take(n).flatten()) {
        look(number, &value);
        black_box(value.to_string());
    }
}

fn fastest(mut work: impl FnMut()) -> Duration {
    let timed = |_| {
        let started = Instant::now();
        work();
        started.elapsed()
    };
    (0..ROUNDS).map(timed).min().unwrap_or_default()
}

/// How many reachable targets are hit, of how many.
fn share(universe: &Universe, plan: &Plan, dimension: Option<Dimension>) -> (usize, usize) {
    let counts = |at: &usize| {
        let target = &universe.targets[*at];
        target.status == Status::Active && dimension.is_none_or(|dimension| target.dimension() == dimension)
    };
    let among: Vec<usize> = (0..universe.targets.len()).filter(counts).collect();
    (among.iter().filter(|at| plan.hits.has(**at)).count(), among.len())
}

fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len().max(1) as f64
}
