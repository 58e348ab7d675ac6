//! `probity demo`: what probity does, on a contract that is built in.

use std::io::Write;
use std::ops::ControlFlow;

use probity_schema::{Document, Job, ReadOptions, Source, SourceOptions};

use crate::clock::clock;
use crate::command::generate;
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

/// A webhook of a shop: small, but with the things that make contracts hard.
const CONTRACT: &str = include_str!("../../assets/order-event.schema.json");

pub(crate) fn run(console: &Console) -> Result<Outcome, Trouble> {
    console.heading("A contract: the order events of a shop (JSON Schema, built in)");
    console.say("  an order is placed, paid or cancelled; each has its own demands; totals, dates and ids have formats\n");
    let broken = |error: &dyn std::fmt::Display| Trouble::misused(format!("the built-in contract: {error}"));
    let document = Document::read(CONTRACT, &ReadOptions::default()).map_err(|error| broken(&error))?;
    let options = SourceOptions { clock: Some(clock), ..SourceOptions::default() };
    let source = Source::of(&document, &options).map_err(|error| broken(&error))?;

    console.heading("Five instances of it, each judged valid:");
    let mut out = std::io::stdout();
    let job = Job { seed: 42, range: 0..5, n_threads: 1 };
    let (metrics, _) = source.run(
        &job,
        |value| value.to_string(),
        |text| match writeln!(out, "{text}") {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        },
    );
    console.heading("\nWhere the time went:");
    console.say(&generate::table(&metrics));
    console.heading("\nNow yours:");
    console.say("  probity generate your.schema.json --n 100 --metrics\n  probity generate --help");
    Ok(Outcome::Done)
}
