//! What is told about coverage: the report file, the page, the summary, and whether the threshold was met.

use std::collections::BTreeMap;

use probity_schema::coverage::{
    CoverageReport, CoverageStatus, Hits, PageFacts, ReportMode, RunFacts, Topic, Universe, evaluate, html,
    percent, summary,
};
use serde_json::Value;

use crate::args::{CoverageArgs, ReportForm};
use crate::clock::{clock, timestamp};
use crate::command::goal::is_output;
use crate::command::sheet::write_file;
use crate::config::Coverage;
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

/// What a page is called that is about reports, whose contract has no name there.
pub(crate) const TITLE: &str = "several runs";

/// What a contract calls itself.
pub(crate) fn title_of(contract: &Value) -> String {
    let title = contract.get("title").and_then(Value::as_str).filter(|title| !title.trim().is_empty());
    title.unwrap_or("a contract without a title").to_owned()
}

/// Most letters of a label before the columns give way.
const WIDTH: usize = 48;

/// When the work that is reported on began.
pub(crate) struct Start {
    started_at: String,
    began: u64,
}

impl Start {
    pub(crate) fn now() -> Self {
        Self { started_at: timestamp(), began: clock() }
    }
}

/// A run that is over, as far as coverage is concerned.
pub(crate) struct Covered<'a> {
    pub(crate) universe: &'a Universe,
    pub(crate) hits: &'a Hits,
    pub(crate) facts: RunFacts,
    /// What the page is called.
    pub(crate) title: &'a str,
    /// What was measured, where it was not drawn.
    pub(crate) given: Option<Given>,
    /// The instances that the page shows, by their number.
    pub(crate) first: BTreeMap<u64, Value>,
    pub(crate) start: Start,
}

/// Instances that somebody else made.
#[derive(Default)]
pub(crate) struct Given {
    /// How many, and where they were found.
    pub(crate) source: Option<String>,
    /// What they are called, by their number.
    pub(crate) names: BTreeMap<u64, String>,
}

/// Evaluates a run and tells about it wherever the user asked for it.
pub(crate) fn tell(
    args: &CoverageArgs,
    config: &Coverage,
    covered: Covered<'_>,
    console: &Console,
) -> Result<(Outcome, CoverageReport), Trouble> {
    let Covered { universe, hits, facts, title, given, first, start } = covered;
    let Given { source, names } = given.unwrap_or_default();
    let facts = RunFacts {
        report_mode: match args.report_mode {
            Some(ReportForm::Full) | None => ReportMode::Full,
            Some(ReportForm::Summary) => ReportMode::Summary,
        },
        exclude_unreachable: args.coverage_exclude_unreachable.unwrap_or(true),
        min_coverage: config.least,
        started_at: start.started_at,
        duration_ms: (clock() - start.began) / 1_000_000,
        ..facts
    };
    let page = args.coverage_html.as_ref().map(|goal| {
        let full = evaluate(universe, hits, RunFacts { report_mode: ReportMode::Full, ..facts.clone() });
        (goal, html(&full, &PageFacts { title: title.to_owned(), source, instances: first, names }))
    });
    let report = evaluate(universe, hits, facts);
    show(&report, console);
    console.notes(&config.narrowed().into_iter().collect::<Vec<_>>());
    // The data is complete by now; a report that cannot be written loses nothing else.
    if let Some(goal) = &args.coverage_report {
        write_file(goal, &as_text(&report))?;
    }
    if let Some((goal, page)) = page {
        write_file(goal, &page)?;
        if !is_output(goal) {
            console.say(&format!("the page is in {}", goal.display()));
        }
    }
    Ok((judged(&report), report))
}

/// What a report means for a script.
pub(crate) fn judged(report: &CoverageReport) -> Outcome {
    match report.metrics.coverage_status {
        CoverageStatus::Ok => Outcome::Done,
        CoverageStatus::MinCoverageNotMet => Outcome::BelowThreshold,
    }
}

/// A report as it stands in a file.
pub(crate) fn as_text(report: &CoverageReport) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("a report is plain data");
    text.push('\n');
    text
}

/// The summary, line by line, in the order of importance.
pub(crate) fn show(report: &CoverageReport, console: &Console) {
    show_below("", report, console);
}

/// The same, set in by some letters.
pub(crate) fn show_below(indent: &str, report: &CoverageReport, console: &Console) {
    let lines = summary(report);
    let width = lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0).clamp(14, WIDTH);
    for line in lines {
        let share = line.share.map(percent).unwrap_or_default();
        let bar = match (line.topic, line.share) {
            (Topic::Dimension | Topic::Operation | Topic::Overall, Some(share)) => console.bar(share),
            _ => console.no_bar(),
        };
        let rest = format!(" {share:>7}  {}", line.detail);
        console.drawn(&format!("{indent}{:<width$}", line.label), &bar, rest.trim_end());
    }
}
