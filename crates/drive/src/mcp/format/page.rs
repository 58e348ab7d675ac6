//! The report as one page that needs nothing else; whatever a server said is escaped here.

use std::fmt::Write;

use crate::mcp::finding::Severity;
use crate::mcp::report::{CallReport, FindingReport, Report, ToolReport};
use probity_schema::coverage::{counted, escape, percent};

const STYLE: &str = include_str!("page.css");

/// Renders the report as a page.
#[must_use]
pub fn page(report: &Report) -> String {
    let server = &report.server;
    let name = escape(server.name.as_deref().unwrap_or("MCP server"));
    let version = escape(server.version.as_deref().unwrap_or_default());
    let (class, verdict) = match report.findings.iter().map(|finding| finding.severity).max() {
        _ if !report.is_success => ("bad", "The run failed.".to_owned()),
        None => ("good", "The contract was kept.".to_owned()),
        Some(worst) => ("good", format!("The run passed: no finding is worse than a {worst}.")),
    };
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>{name}: probity mcp</title>\n\
         <style>{STYLE}</style></head><body><main>\n<h1>{name} {version}</h1>\n\
         <p class=\"facts\">MCP {} · {} · {}, {} succeeded · seed {} · probity {}</p>\n\
         <p class=\"statement {class}\">{verdict}</p>\n",
        escape(&server.protocol),
        counted(u64::from(report.n_sequences), "sequence"),
        counted(report.n_calls, "call"),
        report.n_succeeded,
        report.seed,
        escape(report.probity_version),
    );
    list(&mut out, "", report.failures.iter().map(|failure| failure.message.as_str()));
    let _ = writeln!(out, "<h2>Findings: {}</h2>", report.findings.len());
    for finding in &report.findings {
        finding_section(&mut out, finding);
    }
    tools_table(&mut out, &report.tools);
    let coverage = &report.coverage;
    let _ = writeln!(
        out,
        "<p>Tools called, of those that could be: {} of {}, which is {:.1} %.</p>",
        coverage.n_called, coverage.n_callable, coverage.percent_called
    );
    if let Some(contract) = &report.contract {
        let _ = writeln!(
            out,
            "<p>Accepted calls and answers show {} of what the schemas of the tools say; with all calls that were sent it \
             would be {}.</p>",
            percent(contract.overall),
            percent(contract.sent)
        );
    }
    list(&mut out, "Could not be called", coverage.warnings.iter().map(|warning| warning.message.as_str()));
    list(&mut out, "Notes", report.notes.iter().map(String::as_str));
    out.push_str("</main></body></html>\n");
    out
}

fn list<'a>(out: &mut String, title: &str, lines: impl Iterator<Item = &'a str>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    if !title.is_empty() {
        let _ = writeln!(out, "<h2>{}</h2>", escape(title));
    }
    out.push_str("<ul>");
    for line in lines {
        let _ = write!(out, "<li>{}</li>", escape(line));
    }
    out.push_str("</ul>\n");
}

fn finding_section(out: &mut String, finding: &FindingReport) {
    let class = match finding.severity {
        Severity::Error => "bad",
        Severity::Warning => "odd",
        Severity::Note => "mild",
    };
    let tool = finding.tool.as_deref().map(|tool| format!(" in {}", escape(tool))).unwrap_or_default();
    let _ = writeln!(
        out,
        "<section class=\"finding {class}\"><h3>{} <code>{}</code>{tool}</h3><p>{}</p>\
         <p class=\"facts\">{} · met {} times</p>",
        finding.severity,
        escape(finding.code),
        escape(&finding.message),
        escape(&finding.certainty()),
        finding.n_met,
    );
    if !finding.calls.is_empty() {
        out.push_str("<ol>");
        for call in &finding.calls {
            call_item(out, call);
        }
        out.push_str("</ol>");
    }
    block(out, "Evidence", &finding.evidence);
    block(out, "Messages to send to the server", &finding.transcript);
    out.push_str("</section>\n");
}

fn call_item(out: &mut String, call: &CallReport) {
    let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
    let _ = write!(out, "<li><code>{} {}</code>", escape(&call.tool), escape(&arguments));
    for reference in &call.references {
        let _ = write!(
            out,
            "<div class=\"facts\"><code>{}</code> is what call {} answered at <code>{}</code></div>",
            escape(&reference.at),
            reference.call + 1,
            escape(&reference.place.to_string()),
        );
    }
    let _ = write!(out, "<div>{}: <code>{}</code></div></li>", escape(call.outcome), escape(&call.answer));
}

fn block(out: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let text = lines.iter().map(|line| escape(line.trim_end())).collect::<Vec<_>>().join("\n");
    let _ = write!(out, "<details><summary>{}</summary><pre>{text}</pre></details>", escape(title));
}

fn tools_table(out: &mut String, tools: &[ToolReport]) {
    out.push_str(
        "<h2>Tools</h2><table><thead><tr><th>Tool</th><th>Status</th><th class=\"number\">Calls</th>\
         <th class=\"number\">Succeeded</th></tr></thead><tbody>",
    );
    for tool in tools {
        let status = serde_json::to_value(tool.status).unwrap_or_default();
        let _ = write!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
            escape(&tool.name),
            escape(status.as_str().unwrap_or_default()),
            tool.n_calls,
            tool.n_succeeded,
        );
    }
    out.push_str("</tbody></table>\n");
}
