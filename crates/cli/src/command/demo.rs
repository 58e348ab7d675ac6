//! `probity demo`: what probity does, on a contract that is built in.

use std::ops::ControlFlow;

use probity_schema::coverage::{
    CoverageMode, Dimension, PROFILES, PlanOptions, RunFacts, analyze, evaluate, plan,
};
use probity_schema::{Document, Formats, Job, Oracles, ReadOptions, Source, SourceOptions};

use crate::clock::clock;
use crate::command::generate;
use crate::command::report::show;
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

/// A webhook of a shop: small, but with the things that make contracts hard.
const CONTRACT: &str = include_str!("../../assets/order-event.schema.json");
const SEED: u64 = 42;

pub(crate) fn run(console: &Console) -> Result<Outcome, Trouble> {
    console.heading("A contract: the order events of a shop (JSON Schema, built in)");
    console.say("  An order is placed, paid or cancelled; each has its own demands; totals, dates and ids have formats.\n");
    let broken = |error: &dyn std::fmt::Display| Trouble::misused(format!("the built-in contract: {error}"));
    let document = Document::read(CONTRACT, &ReadOptions::default()).map_err(|error| broken(&error))?;
    let options = SourceOptions { clock: Some(clock), ..SourceOptions::default() };
    let source = Source::of(&document, &options).map_err(|error| broken(&error))?;

    console.heading("Five instances of it, each judged valid:");
    let mut lines = Vec::new();
    let (metrics, _) = source.run(
        &Job { seed: SEED, range: 0..5, n_threads: 1 },
        |value| value.to_string(),
        |line| {
            lines.push(line);
            ControlFlow::Continue(())
        },
    );
    console.data(&lines.join("\n"))?;
    console.heading("\nWhere the time went:");
    console.say(&generate::table(&metrics));

    let oracles = Oracles::of(&document, Formats::Assert).map_err(|error| broken(&error))?;
    let every = [Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries];
    let mut universe = analyze(source.contract(), &every);
    let thorough = PROFILES.last().expect("there are profiles");
    let options = PlanOptions { seed: SEED, max_instances: 50, budget: thorough.budget };
    let plan = plan(&document, &source, &oracles, &mut universe, &options);
    let n_instances = plan.instances.len();
    console.heading(&format!(
        "\nA guided run: {n_instances} instances chosen so that together they show all the contract says:"
    ));
    let facts = RunFacts {
        mode: CoverageMode::Guided,
        seed: SEED,
        max_instances: 50,
        actual_instances: n_instances as u64,
        exclude_unreachable: true,
        ..RunFacts::default()
    };
    show(&evaluate(&universe, &plan.hits, facts), console);

    console.heading("\nNow yours:");
    console.say("  probity generate your.schema.json --n 100 --metrics");
    console.say("  probity generate your.schema.json --coverage guided --coverage-html coverage.html");
    console.say("  probity coverage measure your.schema.json your/fixtures/");
    Ok(Outcome::Done)
}
