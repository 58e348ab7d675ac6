//! The first part of the demonstration: few instances that show everything a contract says.

use std::path::Path;

use probity_schema::coverage::{
    CoverageMode, Dimension, PROFILES, PageFacts, PlanOptions, ReportMode, RunFacts, analyze, evaluate, html,
    plan,
};
use probity_schema::{Document, Formats, Oracles, ReadOptions, Source, SourceOptions};

use crate::clock::{clock, timestamp};
use crate::command::demo::{SEED, cut, heading, prompt};
use crate::command::report::{as_text, show_below};
use crate::command::sheet::write_file;
use crate::console::{Console, Paint};
use crate::exit_code::Trouble;

/// A webhook of a shop: small, but with the things that make contracts hard.
const CONTRACT: &str = include_str!("../../../assets/order-event.schema.json");
const NAME: &str = "order-event.schema.json";
/// Instances shown in full width.
const N_SHOWN: usize = 2;

pub(super) fn show(folder: &Path, console: &Console) -> Result<(), Trouble> {
    let began = clock();
    let started_at = timestamp();
    let broken = |error: &dyn std::fmt::Display| Trouble::misused(format!("the built-in contract: {error}"));
    let document = Document::read(CONTRACT, &ReadOptions::default()).map_err(|error| broken(&error))?;
    let source = Source::of(&document, &SourceOptions::default()).map_err(|error| broken(&error))?;
    let oracles = Oracles::of(&document, Formats::Assert).map_err(|error| broken(&error))?;
    let every = [Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries];
    let mut universe = analyze(source.contract(), &every);
    let thorough = PROFILES.last().expect("there are profiles");
    let options = PlanOptions { seed: SEED, max_instances: thorough.max_instances, budget: thorough.budget };
    let plan = plan(&document, &source, &oracles, &mut universe, &options);
    let n_instances = plan.instances.len();
    let facts = RunFacts {
        mode: CoverageMode::Guided,
        seed: SEED,
        max_instances: thorough.max_instances,
        actual_instances: n_instances as u64,
        exclude_unreachable: true,
        report_mode: ReportMode::Full,
        started_at,
        duration_ms: (clock() - began) / 1_000_000,
        ..RunFacts::default()
    };
    let report = evaluate(&universe, &plan.hits, facts);

    heading("1", "Data from a JSON Schema: the order events of a shop", console);
    prompt(
        &format!(
            "probity generate {}/{NAME} --coverage guided --coverage-profile thorough",
            folder.display()
        ),
        console,
    );
    let lines: Vec<String> = plan.instances.iter().map(ToString::to_string).collect();
    for line in lines.iter().take(N_SHOWN) {
        console.painted(&[(Paint::Dim, &format!("   {}", cut(line)))]);
    }
    console.painted(&[(
        Paint::Plain,
        &format!("   … {n_instances} instances, each judged valid by a real validator, that together show:"),
    )]);
    show_below("   ", &report, console);
    let page = html(
        &report,
        &PageFacts {
            title: "Order event".to_owned(),
            instances: (0..).zip(plan.instances).collect(),
            ..PageFacts::default()
        },
    );
    write_file(&folder.join(NAME), CONTRACT)?;
    write_file(&folder.join("orders.ndjson"), &format!("{}\n", lines.join("\n")))?;
    write_file(&folder.join("coverage.json"), &as_text(&report))?;
    write_file(&folder.join("coverage.html"), &page)
}
