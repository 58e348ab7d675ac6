//! Prints how far guided runs reach: `coverage_figures N PLACE..`, a place being a schema or a folder of schemas.
//!
//! With `PROOFS=n` in the environment, n instances drawn by chance are held against every proof of unreachability;
//! with `COST=n` drawing and writing n instances is timed with and without measuring;
//! with `MISSED=1` the targets that were missed are listed; with `PAGE=file` the page of the last schema is written.

use std::path::{Path, PathBuf};
use std::time::Instant;

use probity_schema::coverage::{
    CoverageMode, Dimension, Observer, PROFILES, PageFacts, Plan, PlanOptions, RunFacts, Status, Universe,
    analyze, evaluate, html, lower_bound, plan, widest_choice,
};
use probity_schema::{Document, Formats, Oracles, ReadOptions, Source, SourceOptions};

const ALL: &[Dimension] =
    &[Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries];

/// The figures of all schemas so far.
#[derive(Default)]
struct Table {
    shares: Vec<f64>,
    by_dimension: [Vec<f64>; 4],
    pooled: (usize, usize),
    ratios: Vec<f64>,
    thumbs: Vec<f64>,
    n_refuted: usize,
    n_proven: usize,
    costs: Vec<f64>,
}

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(n) = args.next().and_then(|n| n.parse::<u64>().ok()) else {
        println!(
            "usage: coverage_figures N PLACE..: guided runs of at most N instances over the schemas of each place"
        );
        return;
    };
    let mut table = Table::default();
    for place in args {
        for path in schemas(Path::new(&place)) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            match row(&path, n, &mut table) {
                Ok(row) => println!("{name:<52} {row}"),
                Err(error) => println!("{name:<52} {error}"),
            }
        }
    }
    let Table { shares, by_dimension, pooled, ratios, thumbs, n_refuted, n_proven, costs } = table;
    println!(
        "schemas {}, mean {:.4}, pooled {:.4}",
        shares.len(),
        mean(&shares),
        ratio(pooled).unwrap_or(1.0)
    );
    for (dimension, shares) in ALL.iter().zip(&by_dimension) {
        println!("  {:<10} {:.4}", dimension.name(), mean(shares));
    }
    println!(
        "instances over the lower bound {:.2}, over the widest choice {:.2}",
        mean(&ratios),
        mean(&thumbs)
    );
    println!("measuring over not measuring {:.2}", mean(&costs));
    println!("proofs {n_proven}, refuted {n_refuted}");
}

fn schemas(place: &Path) -> Vec<PathBuf> {
    let Ok(folder) = std::fs::read_dir(place) else { return vec![place.to_owned()] };
    let mut paths: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn row(path: &Path, n: u64, table: &mut Table) -> Result<String, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(path)?;
    let document = Document::read(text.trim_start_matches('\u{feff}'), &ReadOptions::default())?;
    let started = Instant::now();
    let source = Source::of(&document, &SourceOptions::default())?;
    let prepared = started.elapsed();
    let oracles = Oracles::of(&document, Formats::Assert)?;
    let started = Instant::now();
    let mut universe = analyze(source.contract(), ALL);
    let options = PlanOptions { seed: 1, max_instances: n, budget: PROFILES[2].budget };
    let plan = plan(&document, &source, &oracles, &mut universe, &options);
    let planned = started.elapsed();
    let all = share(&universe, &plan, None);
    table.pooled = (table.pooled.0 + all.0, table.pooled.1 + all.1);
    table.shares.extend(ratio(all));
    let mut line = format!(
        "{:>5} of {:>5} {:.3} in {:>3} prep {:>5} ms plan {:>5} ms",
        all.0,
        all.1,
        ratio(all).unwrap_or(1.0),
        plan.instances.len(),
        prepared.as_millis(),
        planned.as_millis()
    );
    for (dimension, shares) in ALL.iter().zip(&mut table.by_dimension) {
        let one = ratio(share(&universe, &plan, Some(*dimension)));
        shares.extend(one);
        line = format!("{line} {}", one.map_or_else(|| "  - ".to_owned(), |one| format!("{one:.2}")));
    }
    if plan.notes[0]["reason"] == "objectives-satisfied" {
        let bound = usize::try_from(lower_bound(source.contract(), &universe))?;
        let widest = usize::try_from(widest_choice(&universe))?;
        table.ratios.extend(ratio((plan.instances.len(), bound)));
        table.thumbs.extend(ratio((plan.instances.len(), widest)));
        line = format!("{line} bound {bound} widest {widest}");
    }
    refute(&source, &oracles, &universe, table);
    table.costs.extend(cost(&source, &oracles, &universe));
    if let Ok(page) = std::env::var("PAGE") {
        std::fs::write(page, drawn_page(path, n, &universe, &plan))?;
    }
    if std::env::var("MISSED").is_ok() {
        for (at, target) in universe.targets.iter().enumerate() {
            match target.status {
                Status::Unreachable => {
                    line = format!("{line}\n    unreachable {} {:?}", target.id, target.meta.get("cause"));
                }
                _ if !plan.hits.has(at) => line = format!("{line}\n    missed {}", target.id),
                _ => {}
            }
        }
    }
    let cost = table.costs.last().copied().unwrap_or_default();
    Ok(format!("{line} cost {cost:.2} {}", plan.notes[0]["reason"]))
}

fn drawn_page(path: &Path, n: u64, universe: &Universe, plan: &Plan) -> String {
    let facts = RunFacts {
        mode: CoverageMode::Guided,
        seed: 1,
        max_instances: n,
        actual_instances: plan.instances.len() as u64,
        exclude_unreachable: true,
        unsatisfied_hints: plan.unsatisfied_hints.clone(),
        planner_caps_hit: plan.caps.clone(),
        unplanned: plan.unplanned.clone(),
        notes: plan.notes.clone(),
        ..RunFacts::default()
    };
    let title = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let instances = (0..).zip(plan.instances.iter().cloned()).collect();
    html(&evaluate(universe, &plan.hits, facts), &PageFacts { title, instances })
}

/// How much longer drawing and writing takes when every instance is observed.
fn cost(source: &Source, oracles: &Oracles<'_>, universe: &Universe) -> Option<f64> {
    let n: usize = std::env::var("COST").ok()?.parse().ok()?;
    let mut size = 0;
    let started = Instant::now();
    for instance in source.instances(5).take(n).flatten() {
        size += instance.to_string().len();
    }
    let off = started.elapsed();
    let started = Instant::now();
    let mut observer = Observer::new(source.contract(), oracles, universe);
    for (number, instance) in (0..).zip(source.instances(5).take(n).flatten()) {
        observer.observe(source.contract().roots()[0], &instance, number);
        size += instance.to_string().len();
    }
    let measured = started.elapsed();
    (size > 0).then(|| measured.as_secs_f64() / off.as_secs_f64().max(1e-9))
}

/// Looks among random instances for one that hits a target proven unreachable.
fn refute(source: &Source, oracles: &Oracles<'_>, universe: &Universe, table: &mut Table) {
    let proven: Vec<usize> = (0..universe.targets.len())
        .filter(|at| universe.targets[*at].status == Status::Unreachable)
        .collect();
    table.n_proven += proven.len();
    let n: usize = std::env::var("PROOFS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    if n == 0 || proven.is_empty() {
        return;
    }
    let contract = source.contract();
    // Only the doubted targets are watched, so that nothing is pruned before they are seen.
    let mut doubted = universe.clone();
    for target in &mut doubted.targets {
        target.status =
            if target.status == Status::Unreachable { Status::Active } else { Status::Unreachable };
    }
    let mut observer = Observer::new(contract, oracles, &doubted);
    for instance in source.instances(99).take(n).flatten() {
        observer.observe(contract.roots()[0], &instance, 0);
    }
    for at in proven.into_iter().filter(|at| observer.hits().has(*at)) {
        println!("    REFUTED {}", universe.targets[at].id);
        table.n_refuted += 1;
    }
}

fn share(universe: &Universe, plan: &Plan, dimension: Option<Dimension>) -> (usize, usize) {
    let counts = |at: &usize| {
        let target = &universe.targets[*at];
        target.status == Status::Active && dimension.is_none_or(|dimension| target.dimension() == dimension)
    };
    let among: Vec<usize> = (0..universe.targets.len()).filter(counts).collect();
    (among.iter().filter(|at| plan.hits.has(**at)).count(), among.len())
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn ratio((part, whole): (usize, usize)) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len().max(1) as f64
}
