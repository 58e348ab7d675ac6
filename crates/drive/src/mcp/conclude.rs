//! From what was seen to the report: coverage, rules, and whether the run is a success.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::Duration;

use probity_schema::coverage::{self, OperationsScope, counted};
use serde_json::json;

use crate::callable::{Reason, Shortage, Sourcing, Stock, shortage};
use crate::mcp::catalog::Catalog;
use crate::mcp::contract::{self, Measured};
use crate::mcp::coverage::{Counts, CoverageOptions, n_called, percent, rule};
use crate::mcp::finding::Severity;
use crate::mcp::machine::{Desk, Lab};
use crate::mcp::options::Options;
use crate::mcp::report::{
    CoverageSummary, CoverageWarning, Failure, FindingReport, REPORT_FORMAT, Report, ServerReport,
    ToolReport, ToolStatus,
};

/// What the run itself knows at its end.
pub(crate) struct Ending {
    pub(crate) server: ServerReport,
    pub(crate) n_sequences: u32,
    pub(crate) findings: Vec<FindingReport>,
    pub(crate) others: Vec<(String, ToolStatus)>,
    pub(crate) notes: Vec<String>,
    /// Sequences that ended before the least length because nothing could be called: the first of them, and its length.
    pub(crate) too_short: Option<(u32, usize)>,
    /// Why the run could not go on.
    pub(crate) stopped: Option<String>,
    pub(crate) took: Duration,
}

/// Puts the report together.
pub(crate) fn conclude(lab: &Lab, ending: Ending) -> Report {
    let Ending { server, n_sequences, findings, others, notes, too_short, stopped, took } = ending;
    let desk = lab.desk.borrow();
    let uncallable = uncallable(lab, &desk);
    let tools = tools(&lab.judge.catalog, &desk, &uncallable, &others);
    let coverage = summary(lab, &desk, &uncallable);
    let measured = measured(lab);
    let (n_calls, n_succeeded) = desk
        .tally
        .values()
        .fold((0, 0), |(calls, good), tally| (calls + tally.n_calls, good + tally.n_succeeded));
    let mut findings = findings;
    for finding in &mut findings {
        finding.n_met = desk.known.get(&finding.cause).copied().unwrap_or(1);
    }
    findings.sort_by_key(|finding| (std::cmp::Reverse(finding.severity), finding.sequence));
    let mut failures = Vec::new();
    failures.extend(stopped.map(|reason| Failure::stopped(&reason)));
    failures.extend(of_findings(&findings, lab.options.fail_on));
    failures.extend(too_short.map(|(sequence, n_calls)| Failure {
        code: "min_length_unreachable".to_owned(),
        message: format!(
            "sequence {sequence} ended after {} because no tool could be called; the least length is {}",
            counted(n_calls as u64, "call"),
            lab.options.min_len
        ),
        details: json!({ "sequence": sequence, "calls": n_calls, "minimum": lab.options.min_len }),
    }));
    if n_succeeded == 0 {
        failures.push(Failure {
            code: "nothing_succeeded".to_owned(),
            message: match n_calls {
                1 => "the only call did not succeed, so nothing was tested".to_owned(),
                n_calls => format!("none of {n_calls} calls succeeded, so nothing was tested"),
            },
            details: json!({ "calls": n_calls }),
        });
    }
    let broken = coverage.rulings.iter().filter(|ruling| ruling.is_failure);
    failures.extend(broken.map(|ruling| Failure {
        code: ruling.code.clone(),
        message: ruling.told(),
        details: ruling.details.clone(),
    }));
    failures.extend(measured.as_deref().and_then(of_coverage));
    Report {
        format: REPORT_FORMAT,
        probity_version: env!("CARGO_PKG_VERSION"),
        is_success: failures.is_empty(),
        failures,
        server,
        seed: lab.options.seed,
        n_planned: lab.options.n_sequences,
        n_sequences,
        n_calls,
        n_succeeded,
        tools,
        coverage,
        contract: measured.as_deref().map(contract::summary),
        measured,
        findings,
        notes,
        duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    }
}

fn of_findings(findings: &[FindingReport], fail_on: Severity) -> Option<Failure> {
    let n_bad = findings.iter().filter(|finding| finding.severity >= fail_on).count();
    (n_bad > 0).then(|| Failure {
        code: "findings".to_owned(),
        message: match n_bad {
            1 => format!("1 finding is at least as bad as {fail_on}"),
            _ => format!("{n_bad} findings are at least as bad as {fail_on}"),
        },
        details: json!({ "count": n_bad, "failOn": fail_on.to_string() }),
    })
}

/// What was measured about the contracts of tools.
fn measured(lab: &Lab) -> Option<Box<Measured>> {
    let meter = lab.meter.as_ref()?;
    let Options { n_sequences, max_len, seed, .. } = &lab.options;
    let n_planned = u64::from(*n_sequences).saturating_mul(*max_len as u64);
    let mut measured = meter.lock().unwrap_or_else(PoisonError::into_inner).end(n_planned, *seed);
    let mut names: Vec<&str> = lab.judge.catalog.tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let is_all = measured.facts.operations.len() == names.len();
    measured.facts.operations_scope =
        Some(if is_all { OperationsScope::All } else { OperationsScope::Selected });
    Some(Box::new(measured))
}

fn of_coverage(measured: &Measured) -> Option<Failure> {
    let least = measured.facts.min_coverage?;
    let overall = contract::summary(measured).overall;
    (overall < least).then(|| Failure {
        code: "min_coverage".to_owned(),
        message: format!(
            "{} of the targets of the tools' contracts are hit; the least is {}",
            coverage::percent(overall),
            coverage::percent(least)
        ),
        details: json!({ "minimum": least, "actual": overall }),
    })
}

/// Tools that cannot be called with all that was ever learned.
fn uncallable(lab: &Lab, desk: &Desk) -> BTreeMap<String, Shortage> {
    let silent =
        lab.tools.iter().filter(|tool| desk.tally.get(&tool.name).is_none_or(|tally| tally.n_calls == 0));
    let everything = Stock::of(desk.everything.clone());
    let missing = silent.filter_map(|tool| {
        let shortage = shortage(&tool.blueprint, &everything, lab.options.sourcing)?;
        Some((tool.name.clone(), shortage))
    });
    missing.collect()
}

fn summary(lab: &Lab, desk: &Desk, uncallable: &BTreeMap<String, Shortage>) -> CoverageSummary {
    let CoverageOptions { allow, block, rules, contract: _ } = &lab.options.coverage;
    let is_eligible = |name: &String| (allow.is_empty() || allow.contains(name)) && !block.contains(name);
    let eligible = lab.tools.iter().map(|tool| &tool.name).filter(|name| is_eligible(name));
    let calls =
        eligible.map(|name| (name.clone(), desk.tally.get(name).map_or(0, |tally| tally.n_succeeded)));
    let missing = uncallable.iter().filter(|(name, _)| is_eligible(name));
    let counts = Counts {
        calls: calls.collect(),
        uncallable: missing.map(|(name, shortage)| (name.clone(), shortage.clone())).collect(),
    };
    let (called, callable) = n_called(&counts);
    let warnings = counts.uncallable.iter().map(|(tool, shortage)| CoverageWarning {
        tool: tool.clone(),
        reason: shortage.reason.code(),
        at: shortage.at.clone(),
        message: format!(
            "{tool:?} could not be called: {shortage}; {}",
            advice(shortage.reason, lab.options.sourcing)
        ),
    });
    CoverageSummary {
        n_called: called,
        n_callable: callable,
        percent_called: percent(called, callable),
        warnings: warnings.collect(),
        rulings: rule(rules, &counts),
    }
}

fn advice(reason: Reason, sourcing: Sourcing) -> String {
    let seed = match reason {
        Reason::MissingString => "seed one with --seed-string",
        Reason::MissingInteger | Reason::MissingNumber => "seed one with --seed-number",
        Reason::MissingRequiredValue => "seed values that fit its schema",
    };
    match sourcing {
        Sourcing::Strict => format!("{seed}, or let values be made up with --lenient"),
        Sourcing::Lenient => seed.to_owned(),
    }
}

fn tools(
    catalog: &Catalog,
    desk: &Desk,
    uncallable: &BTreeMap<String, Shortage>,
    others: &[(String, ToolStatus)],
) -> Vec<ToolReport> {
    let mut reports: Vec<ToolReport> = Vec::new();
    for tool in &catalog.tools {
        if reports.iter().any(|report| report.name == tool.name) {
            continue;
        }
        let tally = desk.tally.get(&tool.name).copied().unwrap_or_default();
        let other = others.iter().find(|(name, _)| *name == tool.name).map(|(_, status)| *status);
        let status = match (other, tally.n_succeeded, tally.n_calls) {
            (Some(status), ..) => status,
            (None, 1.., _) => ToolStatus::Succeeded,
            (None, 0, 1..) => ToolStatus::NeverSucceeded,
            (None, 0, 0) if uncallable.contains_key(&tool.name) => ToolStatus::Uncallable,
            (None, 0, 0) => ToolStatus::NotChosen,
        };
        reports.push(ToolReport {
            name: tool.name.clone(),
            status,
            n_calls: tally.n_calls,
            n_succeeded: tally.n_succeeded,
            n_errors: tally.n_errors,
        });
    }
    reports
}
