//! `probity generate`: a schema file into a stream of instances, with coverage if asked for.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use probity_schema::coverage::{self, Observer, Plan, PlanOptions, RunFacts, analyze, plan, prove_missed};
use probity_schema::{Metrics, Oracles, Source, Stop};
use serde_json::Value;

use crate::args::{CoverageMode, GenerateArgs};
use crate::clock::clock;
use crate::command::docket::{Docket, Item};
use crate::command::goal::{check, finished};
use crate::command::report::{Covered, Start, tell, title_of};
use crate::command::sheet::{Sheet, written};
use crate::config::{ContractFile, Generate, in_file, not_a_schema, shown};
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

pub(crate) fn run(args: &GenerateArgs, console: &Console) -> Result<Outcome, Trouble> {
    let data = [("-o", Some(args.output.as_deref().unwrap_or(Path::new("-"))))];
    check(&[&data[..], &args.coverage.goals(), &args.outcome.goals()].concat(), &[&args.schema])?;
    let config = Generate::of(args)?;
    console.notes(&config.contract.left_out);
    let source = Source::of(&config.contract.document, &config.contract.options)
        .map_err(|error| in_file(&args.schema, &error))?;
    console.odd(&shown(&args.schema), source.notes());
    let root = config.contract.document.root();
    if let Some(hint) = not_a_schema(root) {
        console.notes(&[format!("{}: {hint}", shown(&args.schema))]);
    }
    if args.n == Some(0) {
        console.notes(&["--n 0: nothing is drawn".to_owned()]);
    }
    let mut docket = Docket::new(format!("probity generate {}", args.schema.display()));
    docket.items.push(Item { name: "instances".to_owned(), faults: Vec::new() });
    let outcome = match args.coverage.mode(args.mode)? {
        CoverageMode::Off => streamed(args, console, &config, &source, None::<fn(&Value)>),
        CoverageMode::Measure => measured(args, console, &config, &source, &mut docket),
        CoverageMode::Guided => guided(args, console, &config, &source, &mut docket),
    }?;
    docket.write(&args.outcome, None)?;
    Ok(outcome)
}

/// Draws, writes, and shows each instance to `look`, if anyone does, on the way.
fn streamed(
    args: &GenerateArgs,
    console: &Console,
    config: &Generate,
    source: &Source,
    mut look: Option<impl FnMut(&Value)>,
) -> Result<Outcome, Trouble> {
    let mut sheet = Sheet::open(args.output.as_deref(), args.out)?;
    let progress = console.progress(config.job.range.end - config.job.range.start);
    let mut trouble = None;
    let mut looking = Metrics::default();
    let (mut metrics, stop) = source.run(
        &config.job,
        |value| (written(&value, args.out), value),
        |(text, value)| {
            progress.inc(1);
            if let Some(look) = &mut look {
                let started = clock();
                look(&value);
                looking.observe_ns += clock() - started;
                looking.n_observed += 1;
            }
            match sheet.add(&text) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    trouble = Some(error);
                    ControlFlow::Break(())
                }
            }
        },
    );
    progress.finish_and_clear();
    metrics += looking;
    if args.metrics {
        console.say(&table(&metrics));
    }
    finished(trouble.map_or_else(|| sheet.close(), Err))?;
    match stop {
        Some(Stop::GaveUp(gave_up)) => Err(in_file(&args.schema, &gave_up)),
        Some(_) | None => Ok(Outcome::Done),
    }
}

/// The instances of an ordinary run, and what they hit.
fn measured(
    args: &GenerateArgs,
    console: &Console,
    config: &Generate,
    source: &Source,
    docket: &mut Docket,
) -> Result<Outcome, Trouble> {
    let start = Start::now();
    let oracles = oracles(args, config)?;
    let mut universe = analyze(source.contract(), &config.coverage.dimensions);
    let mut observer = Observer::new(source.contract(), &oracles, &universe);
    let root = source.contract().roots()[0];
    let mut number = 0;
    let mut first = BTreeMap::new();
    let look = |value: &Value| {
        if observer.observe(root, value, number) > 0 {
            first.insert(number, value.clone());
        }
        number += 1;
    };
    let outcome = streamed(args, console, config, source, Some(look))?;
    let hits = observer.hits().clone();
    let ContractFile { document, options, left_out: _ } = &config.contract;
    let n_aims = config.coverage.profile.budget.n_aims;
    // The data is written by now; what is proven about the rest changes nothing about it.
    let proven = prove_missed(document, source.contract(), options.formats, &mut universe, &hits, n_aims);
    let facts = RunFacts {
        mode: coverage::CoverageMode::Measure,
        actual_instances: number,
        notes: proven.note().into_iter().collect(),
        ..facts(config)
    };
    let title = &title_of(document.root());
    let covered = Covered { universe: &universe, hits: &hits, facts, title, given: None, first, start };
    let judged = concluded(args, console, config, docket, covered)?;
    Ok(if judged == Outcome::Done { outcome } else { judged })
}

/// Tells what was covered, on the terminal and in every report.
fn concluded(
    args: &GenerateArgs,
    console: &Console,
    config: &Generate,
    docket: &mut Docket,
    covered: Covered<'_>,
) -> Result<Outcome, Trouble> {
    let (outcome, report) = tell(&args.coverage, &config.coverage, covered, console)?;
    docket.cover(&report);
    Ok(outcome)
}

/// Few instances that hit as much as possible.
fn guided(
    args: &GenerateArgs,
    console: &Console,
    config: &Generate,
    source: &Source,
    docket: &mut Docket,
) -> Result<Outcome, Trouble> {
    let start = Start::now();
    let oracles = oracles(args, config)?;
    let mut universe = analyze(source.contract(), &config.coverage.dimensions);
    let options = PlanOptions {
        seed: config.job.seed,
        max_instances: config.job.range.end,
        budget: config.coverage.profile.budget,
    };
    let plan = plan(&config.contract.document, source, &oracles, &mut universe, &options);
    let Plan { units: _, instances, hits, unplanned, undone: _, caps, unsatisfied_hints, notes, metrics } =
        plan;
    let mut sheet = Sheet::open(args.output.as_deref(), args.out)?;
    let ended = instances.iter().try_for_each(|value| sheet.add(&written(value, args.out)));
    finished(ended.and_then(|()| sheet.close()))?;
    if args.metrics {
        console.say(&table(&metrics));
    }
    let facts = RunFacts {
        mode: coverage::CoverageMode::Guided,
        actual_instances: instances.len() as u64,
        unsatisfied_hints,
        planner_caps_hit: caps,
        unplanned,
        notes,
        ..facts(config)
    };
    let first = (0..).zip(instances).collect();
    let title = &title_of(config.contract.document.root());
    let covered = Covered { universe: &universe, hits: &hits, facts, title, given: None, first, start };
    concluded(args, console, config, docket, covered)
}

fn oracles<'a>(args: &GenerateArgs, config: &'a Generate) -> Result<Oracles<'a>, Trouble> {
    Oracles::of(&config.contract.document, config.contract.options.formats)
        .map_err(|error| in_file(&args.schema, &error))
}

fn facts(config: &Generate) -> RunFacts {
    let max_instances = config.job.range.end - config.job.range.start;
    RunFacts { seed: config.job.seed, max_instances, ..RunFacts::default() }
}

/// The metrics as people read them.
fn table(metrics: &Metrics) -> String {
    let Metrics {
        normalize_ns,
        compose_ns,
        generate_ns,
        repair_ns,
        validate_ns,
        observe_ns,
        n_instances,
        n_draws,
        n_repaired,
        n_edits,
        n_discarded,
        n_observed,
    } = *metrics;
    let phases = [
        ("normalize", normalize_ns, String::new()),
        ("compose", compose_ns, String::new()),
        ("generate", generate_ns, format!("{n_draws} draws")),
        ("repair", repair_ns, format!("{n_repaired} repaired with {n_edits} edits, {n_discarded} discarded")),
        ("validate", validate_ns, format!("{n_instances} valid")),
    ];
    let line = |(phase, nanos, counts): &(&str, u64, String)| {
        let milliseconds = format!("{}.{:03}", nanos / 1_000_000, nanos / 1_000 % 1_000);
        format!("{phase:<10} {milliseconds:>12} ms  {counts}").trim_end().to_owned()
    };
    let coverage = ("coverage", observe_ns, format!("{n_observed} looked at"));
    let coverage = (n_observed > 0).then_some(coverage);
    phases.iter().chain(&coverage).map(line).collect::<Vec<_>>().join("\n")
}
