//! What a command judged, item by item, and how CI is told of it: JUnit, SARIF, and Markdown for a job's page.

mod place;
mod junit;
mod sarif;
mod markdown;

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use probity_schema::coverage::{CoverageReport, CoverageStatus, percent};

use crate::args::OutcomeArgs;
use crate::command::goal::is_output;
use crate::command::sheet::write_file;
use crate::config::in_file;
use crate::exit_code::Trouble;

pub(crate) use place::line_of;

/// Everything a command judged.
#[derive(Debug)]
pub(crate) struct Docket {
    /// The command and what it was about.
    pub(crate) title: String,
    pub(crate) items: Vec<Item>,
    pub(crate) coverage: Option<CoverageReport>,
}

/// Something that was judged, with what is wrong about it.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) faults: Vec<Fault>,
}

/// Something that is wrong.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    pub(crate) rule: Rule,
    pub(crate) weight: Weight,
    pub(crate) message: String,
    pub(crate) place: Option<Place>,
}

/// What a fault means for the item, the heaviest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// The command fails.
    Failure,
    /// The item, or a part of it, was left out.
    Skip,
    /// The item was judged all the same.
    Remark,
    /// Nothing is wrong.
    Aside,
}

/// Where a fault lies.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) file: PathBuf,
    /// Counted from 1.
    pub(crate) line: usize,
    /// Where in the document, as a JSON Pointer.
    pub(crate) pointer: String,
}

/// A kind of fault: its stable code, and what it means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rule {
    pub(crate) code: String,
    pub(crate) about: String,
}

impl Rule {
    pub(crate) fn new(code: &str, about: &str) -> Self {
        Self { code: code.to_owned(), about: about.to_owned() }
    }
}

impl Docket {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), items: Vec::new(), coverage: None }
    }

    /// Takes in a report on coverage; a threshold is one more thing that was judged.
    pub(crate) fn cover(&mut self, report: &CoverageReport) {
        self.coverage = Some(report.clone());
        let Some(least) = report.metrics.thresholds.as_ref().and_then(|thresholds| thresholds.overall) else {
            return;
        };
        let fault = |()| Fault {
            rule: Rule::new("coverage-below-threshold", "Less of the contract was covered than asked for"),
            weight: Weight::Failure,
            message: format!(
                "{} is covered, {} was asked for",
                percent(report.metrics.overall),
                percent(least)
            ),
            place: None,
        };
        let is_missed = report.metrics.coverage_status == CoverageStatus::MinCoverageNotMet;
        self.items.push(Item {
            name: "coverage".to_owned(),
            faults: is_missed.then_some(()).map(fault).into_iter().collect(),
        });
    }

    /// Writes whatever was asked for.
    pub(crate) fn write(&self, args: &OutcomeArgs, sarif: Option<&Path>) -> Result<(), Trouble> {
        let OutcomeArgs { junit, summary } = args;
        if let Some(goal) = junit {
            write_file(goal, &junit::text(self))?;
        }
        if let Some(goal) = sarif {
            write_file(goal, &sarif::text(self))?;
        }
        summary.as_deref().map_or(Ok(()), |goal| self.append(goal))
    }

    /// Adds the Markdown to the end of a file, after what other steps of a job wrote there.
    fn append(&self, goal: &Path) -> Result<(), Trouble> {
        if is_output(goal) {
            return write_file(goal, &markdown::text(self));
        }
        let file = OpenOptions::new().create(true).append(true).open(goal);
        let written = file.and_then(|mut file| file.write_all(markdown::text(self).as_bytes()));
        written.map_err(|error| in_file(goal, &format!("cannot be written: {error}")))
    }

    /// Every fault; one that several items share in one place comes once.
    fn faults(&self) -> impl Iterator<Item = (&Item, &Fault)> {
        let mut seen = BTreeSet::new();
        let all = self.items.iter().flat_map(|item| item.faults.iter().map(move |fault| (item, fault)));
        all.filter(move |(_, fault)| fault.place.is_none() || seen.insert(*fault))
    }

    fn n_skipped(&self) -> usize {
        self.items.iter().filter(|item| item.is_skipped()).count()
    }

    fn n_failed(&self) -> usize {
        self.items.iter().filter(|item| item.is_failed()).count()
    }
}

impl Item {
    fn is_failed(&self) -> bool {
        self.faults.iter().any(|fault| fault.weight == Weight::Failure)
    }

    fn is_skipped(&self) -> bool {
        !self.is_failed() && self.faults.iter().any(|fault| fault.weight == Weight::Skip)
    }
}
