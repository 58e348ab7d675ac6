//! A coverage report as one page that needs nothing else: summary first, then the contract as a tree.
//!
//! Whatever came from a contract or an instance is escaped here, or set as text by the page's script.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Value, json};

use crate::counted::counted;
use crate::coverage::escape::escape;
use crate::coverage::evaluate::counts;
use crate::coverage::missed::why_missed;
use crate::coverage::report::{CoverageReport, CoverageStatus, TargetReport};
use crate::coverage::summary::{percent, tally};
use crate::coverage::wording::{describe, place};

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// Longest text of an instance shown on the page.
const INSTANCE_LENGTH: usize = 4_000;
/// Most instances shown on the page.
const INSTANCES: usize = 500;

/// What the page shows beside the report.
#[derive(Debug, Clone, Default)]
pub struct PageFacts {
    /// What the contract is called.
    pub title: String,
    /// What was measured, where the instances were not drawn: the files they stand in, the reports they were united from.
    pub source: Option<String>,
    /// Instances by their number, for those that were the first to hit something.
    pub instances: BTreeMap<u64, Value>,
    /// What instances are called, by their number: the file, and the line in it. One without a name is told by its number.
    pub names: BTreeMap<u64, String>,
}

/// Renders a full report as a page.
#[must_use]
pub fn html(report: &CoverageReport, facts: &PageFacts) -> String {
    let parts: &[(&str, String)] = &[
        ("title", escape(&facts.title)),
        ("style", STYLE.to_owned()),
        ("facts", run_facts(report, facts.source.as_deref())),
        ("summary", summary(report)),
        ("diagnostics", diagnostics(report)),
        ("data", island(report, facts)),
        ("script", SCRIPT.to_owned()),
    ];
    let mut page = String::with_capacity(PAGE.len() + 64 * 1024);
    let mut rest = PAGE;
    // One pass, so that a contract with "{{script}}" in a name is shown as that and not filled in.
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("the page closes what it opens");
        let (_, text) = parts.iter().find(|(known, _)| *known == name).expect("the page names known parts");
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page.push_str(rest);
    page
}

fn run_facts(report: &CoverageReport, source: Option<&str>) -> String {
    let run = &report.run;
    let mode = serde_json::to_value(report.engine.coverage_mode).unwrap_or_default();
    let drawn = || format!("{} of at most {}", counted(run.actual_instances, "instance"), run.max_instances);
    let facts = [
        source.map_or_else(drawn, escape),
        // What was not drawn has no seed.
        source.map_or_else(|| format!("seed {}", run.seed), |_| String::new()),
        escape(mode.as_str().unwrap_or_default()),
        format!("probity {}", escape(&report.engine.foundry_version)),
        escape(&run.started_at),
    ];
    facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn summary(report: &CoverageReport) -> String {
    // Where there are operations, they are what people look for first.
    let mut out = operations(report);
    out.push_str("<ul class=\"cards\">");
    for (name, share) in &report.metrics.by_dimension {
        let (hit, all) = tally(report, |target| target.dimension == *name);
        match all {
            0 => card(&mut out, name, None, "the contract has none"),
            all => card(&mut out, name, Some(*share), &format!("{hit} of {all} targets")),
        }
    }
    let (hit, all) = tally(report, |_| true);
    card(&mut out, "overall", Some(report.metrics.overall), &format!("{hit} of {all} targets"));
    out.push_str("</ul>");
    let least = report.metrics.thresholds.as_ref().and_then(|thresholds| thresholds.overall);
    if let Some(least) = least {
        let (class, verdict) = match report.metrics.coverage_status {
            CoverageStatus::Ok => ("good", "is met"),
            CoverageStatus::MinCoverageNotMet => ("bad", "is not met"),
        };
        let _ = write!(
            out,
            "<p class=\"statement {class}\">The threshold of {} overall {verdict}.</p>",
            percent(least)
        );
    }
    let n = |status: &str| report.metrics.targets_by_status.get(status).copied().unwrap_or_default();
    let policy = if report.run.exclude_unreachable { "not counted" } else { "counted as missed" };
    let _ = write!(
        out,
        "<p class=\"statement\">{} targets are active, {} are proven unreachable ({policy}){}.</p>",
        n("active"),
        n("unreachable"),
        if n("deprecated") > 0 { format!(", {} are shown only", n("deprecated")) } else { String::new() },
    );
    out
}

fn card(out: &mut String, name: &str, share: Option<f64>, of: &str) {
    let class = if share.is_some_and(|share| share < 0.5) { "low" } else { "" };
    let _ = write!(
        out,
        "<li class=\"{class}\"><div class=\"name\">{}</div><div class=\"figure\">{}</div><div class=\"of\">{}</div>\
         <div class=\"bar\" aria-hidden=\"true\"><i style=\"width:{:.1}%\"></i></div></li>",
        escape(name),
        share.map_or_else(|| "–".to_owned(), percent),
        escape(of),
        share.unwrap_or(0.0) * 100.0,
    );
}

fn operations(report: &CoverageReport) -> String {
    let mut rows: Vec<(&String, &f64)> = report.metrics.by_operation.iter().collect();
    if rows.is_empty() {
        return String::new();
    }
    rows.sort_by(|left, right| left.1.total_cmp(right.1).then_with(|| left.0.cmp(right.0)));
    let mut tallies: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for target in report.targets.iter().filter(|target| counts(target, report.run.exclude_unreachable)) {
        let keys = target.meta.get("operations").and_then(Value::as_array);
        for key in keys.into_iter().flatten().filter_map(Value::as_str) {
            let (hit, all) = tallies.entry(key).or_default();
            *hit += usize::from(target.hit);
            *all += 1;
        }
    }
    let mut out = String::from(
        "<h2>Operations, least covered first</h2><table><thead><tr><th>Operation</th>\
         <th class=\"number\">Covered</th><th class=\"number\">Targets hit</th></tr></thead><tbody>",
    );
    for (key, share) in rows {
        let (hit, all) = tallies.get(key.as_str()).copied().unwrap_or_default();
        let _ = write!(
            out,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{hit} of {all}</td></tr>",
            escape(key),
            percent(*share)
        );
    }
    out.push_str("</tbody></table>");
    out
}

fn diagnostics(report: &CoverageReport) -> String {
    let mut out = String::new();
    let caps = &report.diagnostics.planner_caps_hit;
    if !caps.is_empty() {
        out.push_str(
            "<section><h2>Where the plan was capped</h2><table><thead><tr><th>Dimension</th><th>Where</th>\
             <th class=\"number\">Planned</th><th class=\"number\">Left out</th></tr></thead><tbody>",
        );
        for cap in caps {
            let _ = write!(
                out,
                "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
                escape(&cap.dimension),
                escape(&cap.scope_key),
                cap.planned_targets,
                cap.unplanned_targets
            );
        }
        out.push_str("</tbody></table></section>");
    }
    if !report.diagnostics.notes.is_empty() {
        out.push_str("<section><h2>Notes</h2><ul>");
        for note in &report.diagnostics.notes {
            let text =
                note.get("text").and_then(Value::as_str).map_or_else(|| note.to_string(), str::to_owned);
            let _ = write!(out, "<li>{}</li>", escape(&text));
        }
        out.push_str("</ul></section>");
    }
    out
}

/// The data the script reads: rows, not objects, because ten thousand of them are sent.
fn island(report: &CoverageReport, facts: &PageFacts) -> String {
    let dimensions = &report.run.dimensions_enabled;
    let reasons = why_missed(report);
    let row = |(target, why): (&TargetReport, &Option<String>)| {
        let dimension = dimensions.iter().position(|name| *name == target.dimension).unwrap_or_default();
        let state = match (target.hit, target.status.as_str()) {
            (true, _) => 1,
            (false, "unreachable") => 2,
            (false, "deprecated") => 3,
            (false, _) => 0,
        };
        let first = target.meta.get("firstInstance").cloned().unwrap_or(Value::Null);
        json!([dimension, state, place(target), describe(target), target.id, why, first])
    };
    let rows: Vec<Value> = report.targets.iter().zip(&reasons).map(row).collect();
    let shorten = |value: &Value| -> String {
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        let short: String = text.chars().take(INSTANCE_LENGTH).collect();
        if short.len() < text.len() { format!("{short} …") } else { short }
    };
    let firsts: BTreeSet<u64> =
        report.targets.iter().filter_map(|target| target.meta.get("firstInstance")?.as_u64()).collect();
    let shown = facts.instances.iter().filter(|(number, _)| firsts.contains(number)).take(INSTANCES);
    let instances: BTreeMap<String, String> =
        shown.map(|(number, value)| (number.to_string(), shorten(value))).collect();
    let called = facts.names.iter().filter(|(number, _)| firsts.contains(number));
    let names: BTreeMap<String, &String> = called.map(|(number, name)| (number.to_string(), name)).collect();
    let data = json!({"dimensions": dimensions, "targets": rows, "instances": instances, "names": names});
    // Inside a script element only `<` can end it or open a comment; JSON lets it be spelled out.
    data.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
