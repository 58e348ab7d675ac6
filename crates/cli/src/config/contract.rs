//! What was meant by the coverage options of `probity mcp`: the command line, then the file, then the defaults.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use probity_drive::mcp::ContractOptions;
use probity_schema::coverage;
use serde::Deserialize;

use crate::args::idle::MEASURE;
use crate::args::{CoverageArgs, CoverageMode, McpArgs};
use crate::config::Coverage;
use crate::config::origin::{CoverageOrigins, Origin};
use crate::exit_code::Trouble;

/// What the file says about coverage.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct CoverageTable {
    pub(super) min_calls_per_tool: Option<u64>,
    pub(super) no_uncalled_tools: Option<bool>,
    pub(super) percent_called: Option<f64>,
    pub(super) allow: Vec<String>,
    pub(super) block: Vec<String>,
    pub(super) mode: Option<String>,
    pub(super) dimensions: Vec<String>,
    pub(super) profile: Option<String>,
    pub(super) min: Option<f64>,
    pub(super) report: Option<PathBuf>,
    pub(super) html: Option<PathBuf>,
    pub(super) report_mode: Option<String>,
    pub(super) exclude_unreachable: Option<bool>,
}

/// What is measured about the contracts of tools, and where it is told.
pub(crate) struct Contract {
    pub(crate) options: ContractOptions,
    pub(crate) args: CoverageArgs,
    pub(crate) coverage: Coverage,
    /// Where the report and the page are asked for.
    goals: [String; 2],
}

impl Contract {
    pub(super) fn of(args: &McpArgs, table: &CoverageTable, file: &Path) -> Result<Self, Trouble> {
        let typed = &args.contract;
        let CoverageTable { dimensions, profile, min, report, html, exclude_unreachable, .. } = table;
        let named = &typed.coverage_dimensions;
        let of = |is_typed: bool, flag: &'static str, key: &str| Origin::of(is_typed, flag, file, key);
        let origins = CoverageOrigins {
            profile: of(typed.coverage_profile.is_some(), "--coverage-profile", "coverage.profile"),
            dimensions: of(!named.is_empty(), "--coverage-dimensions", "coverage.dimensions"),
            least: of(typed.coverage_min.is_some(), "--coverage-min", "coverage.min"),
        };
        let merged = CoverageArgs {
            coverage_dimensions: if named.is_empty() { dimensions.clone() } else { named.clone() },
            coverage_profile: typed.coverage_profile.clone().or_else(|| profile.clone()),
            coverage_min: typed.coverage_min.or(*min),
            coverage_report: typed.coverage_report.clone().or_else(|| report.clone()),
            coverage_html: typed.coverage_html.clone().or_else(|| html.clone()),
            coverage_exclude_unreachable: typed.coverage_exclude_unreachable.or(*exclude_unreachable),
            report_mode: match typed.report_mode {
                Some(typed) => Some(typed),
                None => word(&of(false, "", "coverage.report-mode"), table.report_mode.as_deref())?,
            },
        };
        let coverage = Coverage::of_operations(&merged, &origins)?;
        let mode = match (args.mode, word(&of(false, "", "coverage.mode"), table.mode.as_deref())?) {
            // What is typed overrules the file, so only what is typed can contradict it.
            (Some(mode), _) => {
                typed.mode(Some(mode))?;
                mode
            }
            (None, Some(CoverageMode::Off)) if typed.needs_measuring().is_some() => CoverageMode::Measure,
            (None, Some(CoverageMode::Off)) if merged.needs_measuring().is_some() => {
                let place = of(false, "", "coverage.mode").with_text("off");
                return Err(Trouble::misused(format!(
                    "{place} contradicts coverage.min, report and html; leave out the one or the others"
                )));
            }
            (None, written) => merged.mode(written)?,
        };
        // A list counts the targets of the dimensions that are asked for, although it measures nothing.
        if let Some(flag) = typed.shapes_measuring().filter(|_| mode == CoverageMode::Off && !args.list) {
            return Err(Trouble::misused(format!("{flag} has no effect here: {MEASURE}")));
        }
        let options = ContractOptions {
            mode: match mode {
                CoverageMode::Off => coverage::CoverageMode::Off,
                CoverageMode::Measure => coverage::CoverageMode::Measure,
                CoverageMode::Guided => coverage::CoverageMode::Guided,
            },
            dimensions: coverage.dimensions.clone(),
            budget: coverage.profile.budget,
            min_coverage: coverage.least,
            exclude_unreachable: merged.coverage_exclude_unreachable.unwrap_or(true),
        };
        let goals = [
            of(typed.coverage_report.is_some(), "--coverage-report", "coverage.report"),
            of(typed.coverage_html.is_some(), "--coverage-html", "coverage.html"),
        ];
        Ok(Self { options, args: merged, coverage, goals: goals.map(|origin| origin.place()) })
    }

    /// What is written, with the flags or the keys that say so.
    pub(crate) fn goals(&self) -> [(&str, Option<&Path>); 2] {
        let [report, page] = &self.goals;
        let [(_, to_report), (_, to_page)] = self.args.goals();
        [(report, to_report), (page, to_page)]
    }
}

/// A word of the file that the command line knows too.
fn word<T: ValueEnum>(origin: &Origin, written: Option<&str>) -> Result<Option<T>, Trouble> {
    let Some(written) = written else { return Ok(None) };
    T::from_str(written, false).map(Some).map_err(|_| {
        let known = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let known: Vec<String> = known.map(|value| value.get_name().to_owned()).collect();
        Trouble::misused(format!("{}: write {}", origin.with_text(written), known.join(" or ")))
    })
}
