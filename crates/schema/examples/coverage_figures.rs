//! Prints how far guided runs reach on a folder of schemas: `coverage_figures N FOLDER..`.

use std::path::Path;
use std::time::Instant;

use probity_schema::coverage::{Dimension, PROFILES, PlanOptions, Status, analyze, plan};
use probity_schema::{Document, Formats, Oracles, ReadOptions, Source, SourceOptions};

const ALL: &[Dimension] =
    &[Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries];

fn main() {
    let mut args = std::env::args().skip(1);
    let n: u64 = args.next().and_then(|n| n.parse().ok()).expect("the number of instances comes first");
    let is_verbose = std::env::var("MISSED").is_ok();
    let (mut shares, mut by_dimension, mut pooled) =
        (Vec::new(), vec![Vec::new(); ALL.len()], (0_usize, 0_usize));
    for folder in args {
        let mut paths: Vec<_> = if Path::new(&folder).is_dir() {
            std::fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path()).collect()
        } else {
            vec![folder.clone().into()]
        };
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let started = Instant::now();
            let Ok(document) = Document::read(&text, &ReadOptions::default()) else {
                println!("{name}: unread");
                continue;
            };
            let source = match Source::of(&document, &SourceOptions::default()) {
                Ok(source) => source,
                Err(error) => {
                    println!("{name}: {error}");
                    continue;
                }
            };
            let prepared = started.elapsed();
            let oracles = Oracles::of(&document, Formats::Assert).expect("read before");
            let started = Instant::now();
            let mut universe = analyze(source.contract(), ALL);
            let options = PlanOptions { seed: 1, max_instances: n, budget: PROFILES[2].budget };
            let plan = plan(&document, &source, &oracles, &mut universe, &options);
            let planned = started.elapsed();
            assert!(plan.instances.iter().all(|value| source.oracle().is_valid(value)), "{name}");
            let active: Vec<usize> = (0..universe.targets.len())
                .filter(|at| universe.targets[*at].status == Status::Active)
                .collect();
            let share = |of: &dyn Fn(usize) -> bool| {
                let among: Vec<_> = active.iter().filter(|at| of(**at)).collect();
                let hit = among.iter().filter(|at| plan.hits.has(***at)).count();
                (hit, among.len())
            };
            let ratio = |(hit, all): (usize, usize)| (all > 0).then(|| hit as f64 / all as f64);
            let all = share(&|_| true);
            pooled = (pooled.0 + all.0, pooled.1 + all.1);
            shares.extend(ratio(all));
            let mut line = format!(
                "{name:<46} {:>4} of {:>5} {:6.3} inst {:>3} prep {:>5}ms plan {:>6}ms",
                all.0,
                all.1,
                ratio(all).unwrap_or(1.0),
                plan.instances.len(),
                prepared.as_millis(),
                planned.as_millis()
            );
            for (at, dimension) in ALL.iter().enumerate() {
                let one = ratio(share(&|target| universe.targets[target].dimension() == *dimension));
                by_dimension[at].extend(one);
                line +=
                    &format!(" {}={}", dimension.name(), one.map_or("-".into(), |one| format!("{one:.2}")));
            }
            println!("{line} {}", plan.notes[0]["reason"]);
            if is_verbose {
                for target in universe.targets.iter().filter(|target| target.status == Status::Unreachable) {
                    println!("    UNREACHABLE {} {:?}", target.id, target.meta.get("cause"));
                }
            }
            if is_verbose {
                for at in active.iter().filter(|at| !plan.hits.has(**at)).take(400) {
                    println!("    {} {:?}", universe.targets[*at].id, universe.targets[*at].params());
                }
            }
        }
    }
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len().max(1) as f64;
    println!(
        "schemas {} mean {:.4} pooled {:.4}",
        shares.len(),
        mean(&shares),
        pooled.0 as f64 / pooled.1.max(1) as f64
    );
    for (at, dimension) in ALL.iter().enumerate() {
        println!("  {} {:.4}", dimension.name(), mean(&by_dimension[at]));
    }
}
