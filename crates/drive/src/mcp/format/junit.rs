//! The report as `JUnit` XML: a test case per tool, and one for the server and the run as a whole.

use std::fmt::Write;

use crate::mcp::finding::Severity;
use crate::mcp::report::{FindingReport, Report, ToolReport, ToolStatus};
use probity_schema::coverage::escape;

/// Renders the report as `JUnit` XML; findings below `fail_on` are written as output, not as failures.
#[must_use]
pub fn junit(report: &Report, fail_on: Severity) -> String {
    let mut cases = String::new();
    let (mut n_failed, mut n_skipped) = (0, 0);
    for tool in &report.tools {
        let findings = report.findings.iter().filter(|finding| finding.tool.as_ref() == Some(&tool.name));
        let findings: Vec<&FindingReport> = findings.collect();
        let skipped = skipped(tool);
        n_failed += usize::from(findings.iter().any(|finding| finding.severity >= fail_on));
        n_skipped += usize::from(skipped.is_some());
        case(&mut cases, &tool.name, skipped.as_deref(), &findings, fail_on, &[]);
    }
    let known = |name: &String| report.tools.iter().any(|tool| tool.name == *name);
    let rest = report.findings.iter().filter(|finding| !finding.tool.as_ref().is_some_and(known));
    let rest: Vec<&FindingReport> = rest.collect();
    let others = report.failures.iter().filter(|failure| failure.code != "findings");
    let others: Vec<(&str, &str)> =
        others.map(|other| (other.code.as_str(), other.message.as_str())).collect();
    n_failed += usize::from(!others.is_empty() || rest.iter().any(|finding| finding.severity >= fail_on));
    case(&mut cases, "the server as a whole", None, &rest, fail_on, &others);
    let n_cases = report.tools.len() + 1;
    let name = escape(report.server.name.as_deref().unwrap_or("MCP server"));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"probity mcp\" tests=\"{n_cases}\" \
         failures=\"{n_failed}\">\n  <testsuite name=\"{name}\" tests=\"{n_cases}\" failures=\"{n_failed}\" \
         skipped=\"{n_skipped}\" time=\"{}.{:03}\">\n{cases}  </testsuite>\n</testsuites>\n",
        report.duration_ms / 1000,
        report.duration_ms % 1000,
    )
}

fn skipped(tool: &ToolReport) -> Option<String> {
    let reason = match tool.status {
        ToolStatus::Succeeded | ToolStatus::NeverSucceeded | ToolStatus::Unusable => return None,
        ToolStatus::Uncallable => "a value it needs is not known",
        ToolStatus::NotChosen => "no sequence called it",
        ToolStatus::SkippedDestructive => "it is marked destructive",
        ToolStatus::NeedsTask => "it can only be called as a task",
        ToolStatus::Excluded => "it was left out",
    };
    Some(reason.to_owned())
}

fn case(
    out: &mut String,
    name: &str,
    skipped: Option<&str>,
    findings: &[&FindingReport],
    fail_on: Severity,
    others: &[(&str, &str)],
) {
    let mut inside = String::new();
    let (bad, mild): (Vec<&FindingReport>, Vec<&FindingReport>) =
        findings.iter().partition(|finding| finding.severity >= fail_on);
    for finding in &bad {
        let (code, message) = (escape(finding.code), escape(&finding.message));
        let calls = escape(&calls(finding));
        let _ = writeln!(inside, "      <failure type=\"{code}\" message=\"{message}\">{calls}</failure>");
    }
    for (code, message) in others {
        let (code, message) = (escape(code), escape(message));
        let _ = writeln!(inside, "      <failure type=\"{code}\" message=\"{message}\"/>");
    }
    if let Some(reason) = skipped.filter(|_| inside.is_empty()) {
        let _ = writeln!(inside, "      <skipped message=\"{}\"/>", escape(reason));
    }
    if !mild.is_empty() {
        let told =
            mild.iter().map(|one| format!("{} {}: {}\n{}", one.severity, one.code, one.message, calls(one)));
        let told = escape(&told.collect::<Vec<_>>().join("\n"));
        let _ = writeln!(inside, "      <system-out>{told}</system-out>");
    }
    let name = escape(name);
    let _ =
        writeln!(out, "    <testcase classname=\"probity.mcp\" name=\"{name}\">\n{inside}    </testcase>");
}

/// The calls of a finding, a line each.
fn calls(finding: &FindingReport) -> String {
    let mut out = format!("{}\n", finding.certainty());
    for (index, call) in finding.calls.iter().enumerate() {
        let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
        let _ = writeln!(out, "{}. {} {arguments} -> {}", index + 1, call.tool, call.answer);
    }
    out
}
