//! What can be typed about coverage: after `probity coverage`, and beside the options of other commands.

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};

use crate::args::{ContractArgs, OutcomeArgs};
use crate::exit_code::Trouble;

/// What is reported about coverage.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CoverageArgs {
    /// Which targets: structure, branches, enum, boundaries, and in openapi and mcp operations [default: as the profile says]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Coverage")]
    pub(crate) coverage_dimensions: Vec<String>,

    /// How much is spent on it, and which targets count: quick (structure and branches), balanced (enum too) or thorough
    /// (boundaries too) [default: balanced]
    #[arg(long, value_name = "NAME", help_heading = "Coverage")]
    pub(crate) coverage_profile: Option<String>,

    /// Exit with 4 when less than this share, from 0 to 1, of all targets is hit
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, help_heading = "Coverage")]
    pub(crate) coverage_min: Option<f64>,

    /// Write the report (coverage-report/v1, JSON) to this file
    #[arg(long, value_name = "FILE", help_heading = "Coverage")]
    pub(crate) coverage_report: Option<PathBuf>,

    /// Write the report as a page to this file
    #[arg(long, value_name = "FILE", help_heading = "Coverage")]
    pub(crate) coverage_html: Option<PathBuf>,

    /// Whether targets proven unreachable are left out of the figures [default: true]
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set, help_heading = "Coverage")]
    pub(crate) coverage_exclude_unreachable: Option<bool>,

    /// Whether the report lists every target or only the figures and the worst gaps [default: full]
    #[arg(long, value_enum, help_heading = "Coverage")]
    pub(crate) report_mode: Option<ReportForm>,
}

impl CoverageArgs {
    /// What is written, with the flags that say so.
    pub(crate) fn goals(&self) -> [(&'static str, Option<&Path>); 2] {
        let Self { coverage_report, coverage_html, .. } = self;
        [("--coverage-report", coverage_report.as_deref()), ("--coverage-html", coverage_html.as_deref())]
    }

    /// The mode of a run: what was typed, or what the other options need.
    pub(crate) fn mode(&self, typed: Option<CoverageMode>) -> Result<CoverageMode, Trouble> {
        match (typed, self.needs_measuring()) {
            (Some(CoverageMode::Off), Some(flag)) => Err(Trouble::misused(format!(
                "--coverage off and {flag} contradict each other; leave out one of them"
            ))),
            (Some(typed), _) => Ok(typed),
            (None, Some(_)) => Ok(CoverageMode::Measure),
            (None, None) => Ok(CoverageMode::Off),
        }
    }

    /// The first option that only says how to measure.
    pub(crate) fn shapes_measuring(&self) -> Option<&'static str> {
        let Self { coverage_dimensions, coverage_profile, coverage_exclude_unreachable, report_mode, .. } =
            self;
        let flags = [
            ("--coverage-dimensions", !coverage_dimensions.is_empty()),
            ("--coverage-profile", coverage_profile.is_some()),
            ("--coverage-exclude-unreachable", coverage_exclude_unreachable.is_some()),
            ("--report-mode", report_mode.is_some()),
        ];
        flags.into_iter().find(|(_, is_given)| *is_given).map(|(flag, _)| flag)
    }

    /// The first option that means nothing unless something is measured.
    pub(crate) fn needs_measuring(&self) -> Option<&'static str> {
        let Self { coverage_min, coverage_report, coverage_html, .. } = self;
        let flags = [
            ("--coverage-min", coverage_min.is_some()),
            ("--coverage-report", coverage_report.is_some()),
            ("--coverage-html", coverage_html.is_some()),
        ];
        flags.into_iter().find(|(_, is_given)| *is_given).map(|(flag, _)| flag)
    }
}

/// What to do with coverage.
#[derive(Debug, Subcommand)]
pub(crate) enum CoverageCommand {
    /// Say how much of a schema existing instances cover, and which of them are invalid
    Measure(MeasureArgs),
    /// Say what changed between two reports; exit with 1 when the second is worse
    Diff(DiffArgs),
    /// Unite the reports of shards or of several runs of one contract
    Merge(MergeArgs),
}

/// Options of `coverage measure`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  What do my fixtures cover?
    probity coverage measure schema.json fixtures/ --coverage-html page.html
  Fail when they cover less than 80 %:
    probity coverage measure schema.json fixtures.ndjson --coverage-min 0.8
  Invalid fixtures as annotations, test results and a summary in CI:
    probity coverage measure schema.json fixtures/ --sarif fixtures.sarif \\
      --junit fixtures.xml --summary summary.md

A file that ends in .ndjson or .jsonl holds an instance per line; any other holds one. Of a folder, every .json, .ndjson and \
.jsonl file counts. Exits with 1 when an instance is invalid or not JSON.")]
pub(crate) struct MeasureArgs {
    /// The schema, as JSON or YAML
    pub(crate) schema: PathBuf,

    /// Instances: files or folders
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) contract: ContractArgs,

    #[command(flatten)]
    pub(crate) coverage: CoverageArgs,

    #[command(flatten)]
    pub(crate) outcome: OutcomeArgs,

    /// Write what is wrong in files for code scanning (SARIF 2.1.0) to this file
    #[arg(long, value_name = "FILE", help_heading = "The outcome")]
    pub(crate) sarif: Option<PathBuf>,

    /// Say nothing on standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Options of `coverage diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  What did a change do to coverage?
    probity coverage diff main.json branch.json
  The same for a machine (coverage-diff/v1):
    probity coverage diff main.json branch.json --json -

The figures compare the targets that both reports have; what each report says of itself is told beside them when that is something \
else. Exits with 1 when a target that was hit is no longer hit, or when new targets are not hit.")]
pub(crate) struct DiffArgs {
    /// The report before
    pub(crate) before: PathBuf,
    /// The report after
    pub(crate) after: PathBuf,
    /// Write the difference (coverage-diff/v1, JSON) to this file; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) outcome: OutcomeArgs,
    /// Say nothing on standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Options of `coverage merge`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  The report of a run that was split over three jobs:
    probity coverage merge part-1.json part-2.json part-3.json -o whole.json
  Fail when all of them together cover less than 90 %:
    probity coverage merge part-*.json --coverage-min 0.9 -o whole.json

The reports are about one contract. A target is hit when any of them hit it.")]
pub(crate) struct MergeArgs {
    /// The reports
    #[arg(required = true)]
    pub(crate) reports: Vec<PathBuf>,
    /// Write the united report to this file instead of standard output
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Exit with 4 when less than this share, from 0 to 1, of all targets is hit
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) coverage_min: Option<f64>,
    /// Write the united report as a page to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage_html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) outcome: OutcomeArgs,
    /// Say nothing on standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What coverage does to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CoverageMode {
    /// Nothing
    Off,
    /// The same instances, and a report on what they hit
    Measure,
    /// Few instances that hit as much as possible, and a report
    Guided,
}

/// How much a report lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// Every target
    Full,
    /// The figures and the worst gaps
    Summary,
}
