//! What was meant by the coverage options of `probity mcp`: the command line, then the file, then the defaults.

use std::path::PathBuf;

use clap::ValueEnum;
use probity_drive::mcp::ContractOptions;
use probity_schema::coverage;
use serde::Deserialize;

use crate::args::{CoverageArgs, CoverageMode, McpArgs};
use crate::config::Coverage;
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
}

impl Contract {
    pub(super) fn of(args: &McpArgs, table: &CoverageTable) -> Result<Self, Trouble> {
        let typed = &args.contract;
        let CoverageTable { dimensions, profile, min, report, html, exclude_unreachable, .. } = table;
        let named = &typed.coverage_dimensions;
        let merged = CoverageArgs {
            coverage_dimensions: if named.is_empty() { dimensions.clone() } else { named.clone() },
            coverage_profile: typed.coverage_profile.clone().or_else(|| profile.clone()),
            coverage_min: typed.coverage_min.or(*min),
            coverage_report: typed.coverage_report.clone().or_else(|| report.clone()),
            coverage_html: typed.coverage_html.clone().or_else(|| html.clone()),
            coverage_exclude_unreachable: typed.coverage_exclude_unreachable.or(*exclude_unreachable),
            report_mode: match typed.report_mode {
                Some(typed) => Some(typed),
                None => word("report-mode", table.report_mode.as_deref())?,
            },
        };
        let coverage = Coverage::of_operations(&merged)?;
        let mode = match (args.mode, word("mode", table.mode.as_deref())?) {
            // What is typed overrules the file, so only what is typed can contradict it.
            (Some(mode), _) => {
                typed.mode(Some(mode))?;
                mode
            }
            (None, Some(CoverageMode::Off)) if typed.needs_measuring().is_some() => CoverageMode::Measure,
            (None, Some(CoverageMode::Off)) if merged.needs_measuring().is_some() => {
                return Err(Trouble::misused(
                    "coverage.mode = \"off\" contradicts coverage.min, report and html; leave out the one or the others",
                ));
            }
            (None, written) => merged.mode(written)?,
        };
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
        Ok(Self { options, args: merged, coverage })
    }
}

/// A word of the file that the command line knows too.
fn word<T: ValueEnum>(name: &str, written: Option<&str>) -> Result<Option<T>, Trouble> {
    let Some(written) = written else { return Ok(None) };
    T::from_str(written, false).map(Some).map_err(|_| {
        let known = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let known: Vec<String> = known.map(|value| value.get_name().to_owned()).collect();
        Trouble::misused(format!("coverage.{name} = {written:?}: write {}", known.join(" or ")))
    })
}
