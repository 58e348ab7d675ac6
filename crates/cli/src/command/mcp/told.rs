//! What people read about a run: each finding with its calls, then the tools, then the verdict.

use std::path::{Path, PathBuf};

use probity_drive::mcp::{
    CallReport, FindingReport, ReplayedOn, Report, Severity, Survey, SurveyedTool, ToolReport, ToolStatus,
};
use probity_schema::coverage::counted;
use serde_json::{Value, json};

use crate::console::Console;
use crate::exit_code::Trouble;

/// Most characters of arguments or answers on one line.
const MAX_SHOWN: usize = 160;
/// Most lines of evidence for one finding.
const MAX_EVIDENCE: usize = 6;

/// `again` is what follows the file of a finding on the command line that shows it again.
pub(crate) fn tell(report: &Report, replays: &[PathBuf], again: &str, console: &Console) {
    let server = &report.server;
    let name = server.name.as_deref().map_or_else(|| "a server without a name".to_owned(), word);
    let version = server.version.as_deref().map(|version| format!(" {}", word(version))).unwrap_or_default();
    let n_tools = counted(report.tools.len() as u64, "tool");
    console.say(&format!("{name}{version}, MCP {}, {n_tools}", word(&server.protocol)));
    for (finding, path) in report.findings.iter().zip(replays) {
        console.say("");
        tell_finding(finding, path, again, console);
    }
    console.say("");
    tell_tools(&report.tools, console);
    let warnings: Vec<String> =
        report.coverage.warnings.iter().map(|warning| flat(&warning.message)).collect();
    console.notes(&warnings);
    console.notes(&report.notes.iter().map(|note| flat(note)).collect::<Vec<String>>());
    for ruling in report.coverage.rulings.iter().filter(|ruling| !ruling.is_failure) {
        console.notes(&[flat(&ruling.told())]);
    }
    let Report { n_sequences, n_calls, n_succeeded, tools, findings, seed, .. } = report;
    let findings = counted(findings.len() as u64, "finding");
    let (sequences, calls) = (counted(u64::from(*n_sequences), "sequence"), counted(*n_calls, "call"));
    // Which tools count for rules about coverage does not change which of them answered.
    let n_answered = tools.iter().filter(|tool| tool.status == ToolStatus::Succeeded).count();
    let is_callable = |tool: &&ToolReport| {
        matches!(tool.status, ToolStatus::Succeeded | ToolStatus::NeverSucceeded | ToolStatus::NotChosen)
    };
    let callable = counted(tools.iter().filter(is_callable).count() as u64, "callable tool");
    console.say(&format!(
        "{sequences}, {calls}, {n_succeeded} succeeded; {n_answered} of {callable} answered; {findings}; seed {seed}"
    ));
    if report.is_success {
        console.say(&verdict(report.findings.iter().map(|finding| finding.severity).max()));
    }
    for failure in &report.failures {
        console.failed(&flat(&failure.message));
    }
}

/// What a run that passed comes to.
fn verdict(worst: Option<Severity>) -> String {
    match worst {
        None => "the contract was kept".to_owned(),
        Some(worst) => {
            format!("the run passed: no finding is worse than a {worst}; --fail-on {worst} would let it fail")
        }
    }
}

/// One finding: what, how surely, by which calls, and how to see it again.
fn tell_finding(finding: &FindingReport, replay: &Path, again: &str, console: &Console) {
    let FindingReport { code, severity, tool, message, .. } = finding;
    let tool = tool.as_deref().map(|tool| format!(" in {}", word(tool))).unwrap_or_default();
    console.finding(*severity, &format!("{code}{tool}: {}", flat(message)));
    console.say(&format!("  {}", finding.certainty()));
    for (index, call) in finding.calls.iter().enumerate() {
        tell_call(index, call, console);
    }
    tell_last_words(&finding.evidence, console);
    if finding.calls.is_empty() {
        for line in finding.evidence.iter().take(MAX_EVIDENCE) {
            console.say(&format!("     {}", short(line)));
        }
    }
    let raw = replay.with_extension("jsonl");
    console.say(&format!("  to see it again: probity replay {}{again}", replay.display()));
    let way = match finding.replayed_on {
        ReplayedOn::FreshSession => "post to",
        _ => "pipe into",
    };
    console.say(&format!("  its raw messages, to {way} the server: {}", raw.display()));
}

/// What the server wrote to standard error at last, where a cause mostly stands.
pub(crate) fn tell_last_words(evidence: &[String], console: &Console) {
    let words: Vec<&String> = evidence.iter().filter(|line| line.starts_with("stderr: ")).collect();
    let n_left = words.len().saturating_sub(MAX_EVIDENCE);
    if n_left > 0 {
        console.say(&format!("     stderr: … {} before", counted(n_left as u64, "line")));
    }
    for line in &words[n_left..] {
        console.say(&format!("     {}", short(line)));
    }
}

/// One call with its answer, and where its values came from.
pub(crate) fn tell_call(index: usize, call: &CallReport, console: &Console) {
    let CallReport { tool, arguments, references, outcome, answer } = call;
    let arguments = short(&Value::Object(arguments.clone()).to_string());
    console.say(&format!("  {}. {} {arguments}", index + 1, word(tool)));
    for reference in references {
        let place = &reference.place;
        console.say(&format!(
            "       {} is {} of the answer to call {}",
            flat(&reference.at),
            flat(&place.to_string()),
            reference.call + 1
        ));
    }
    console.say(&format!("       {outcome}: {}", short(answer)));
}

fn tell_tools(tools: &[ToolReport], console: &Console) {
    let width = tools.iter().map(|tool| tool.name.chars().count()).max().unwrap_or(0).min(40);
    for tool in tools {
        let ToolReport { name, status, n_calls, n_succeeded, n_errors: _ } = tool;
        let name = word(name);
        let told = match status {
            ToolStatus::Succeeded => format!("{n_succeeded} of {} succeeded", counted(*n_calls, "call")),
            ToolStatus::NeverSucceeded => match *n_calls {
                1 => "the only call did not succeed".to_owned(),
                n_calls => format!("none of {n_calls} calls succeeded"),
            },
            other => told_status(*other).to_owned(),
        };
        console.say(&format!("{name:<width$}  {told}"));
    }
}

fn told_status(status: ToolStatus) -> &'static str {
    match status {
        ToolStatus::Succeeded => "succeeded",
        ToolStatus::NeverSucceeded => "never succeeded",
        ToolStatus::Uncallable => "could not be called: a value it needs is not known",
        ToolStatus::NotChosen => "could be called, but no sequence did; try more runs",
        ToolStatus::SkippedDestructive => "skipped: it is marked destructive (--allow-destructive calls it)",
        ToolStatus::NeedsTask => "skipped: it can only be called as a task, which is not supported",
        ToolStatus::Excluded => "left out, as you asked",
        ToolStatus::Unusable => "cannot be called: no arguments can be made from its description",
        _ => "not called",
    }
}

/// The tools of a server and whether they can be called now, on standard output.
pub(crate) fn tell_survey(survey: &Survey, console: &Console) -> Result<(), Trouble> {
    for tool in &survey.tools {
        let SurveyedTool { name, description, annotations, status, shortage, problems, .. } = tool;
        let now = match (status, shortage) {
            (Some(status), _) => told_status(*status).to_owned(),
            (None, Some(shortage)) => format!("not yet: {} ({shortage})", shortage.reason.code()),
            (None, None) => "can be called now".to_owned(),
        };
        let marks = [
            (annotations.is_read_only(), "read-only"),
            (annotations.is_destructive(), "destructive"),
            (annotations.is_idempotent(), "idempotent"),
            (tool.declares_output, "structured output"),
        ];
        let marks: Vec<&str> = marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| *mark).collect();
        let marks = if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join(", ")) };
        let targets =
            tool.n_targets.map(|n| format!(", {}", counted(n as u64, "target"))).unwrap_or_default();
        console.listed(&format!("{}{marks}: {now}{targets}", word(name)))?;
        if let Some(first) = description.as_deref().and_then(|text| text.lines().next()) {
            console.listed(&format!("    {}", short(first)))?;
        }
        for problem in problems {
            console.listed(&format!("    wrong: {}", short(problem)))?;
        }
    }
    Ok(())
}

/// The same as data with a version.
pub(crate) fn survey_data(survey: &Survey) -> Value {
    let tools = survey.tools.iter().map(|tool| {
        let SurveyedTool { name, description, annotations, status, shortage, problems, declares_output, .. } = tool;
        json!({
            "name": name,
            "description": description,
            "isReadOnly": annotations.is_read_only(),
            "isDestructive": annotations.is_destructive(),
            "isIdempotent": annotations.is_idempotent(),
            "declaresOutput": declares_output,
            "isCallable": status.is_none() && shortage.is_none(),
            "status": status,
            "missing": shortage.as_ref().map(|shortage| json!({ "reason": shortage.reason.code(), "at": shortage.at })),
            "problems": problems,
        })
    });
    json!({ "format": "probity-mcp-survey/v1", "tools": tools.collect::<Vec<Value>>() })
}

/// Most characters of a name, and of a message.
const MAX_NAME: usize = 80;
const MAX_MESSAGE: usize = 2_000;

fn short(text: &str) -> String {
    clipped(text, MAX_SHOWN)
}

/// A name that the server gave, as one word of a line.
fn word(name: &str) -> String {
    clipped(name, MAX_NAME)
}

/// A message in one line, however long within reason.
fn flat(message: &str) -> String {
    clipped(message, MAX_MESSAGE)
}

/// The first characters of a text in one line: what a server says must not look like a line of ours or of a log it ends up in.
fn clipped(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (index, letter) in text.chars().enumerate() {
        if index == most {
            out.push('…');
            break;
        }
        match letter {
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                out.extend(letter.escape_default());
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        assert_eq!(word(name), expected);
    }

    #[test]
    fn what_a_server_says_stays_in_its_line_and_within_bounds() {
        check("read_file", "read_file");
        check("x\n::error::forged", "x\\n::error::forged");
        check("a\r\u{2028}b", "a\\r\\u{2028}b");
        check(&"é".repeat(100), &format!("{}…", "é".repeat(80)));
    }
}
