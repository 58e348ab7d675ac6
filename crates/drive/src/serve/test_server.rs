//! The tool `test_server`: drives another MCP server and tells what breaks, with the shortest calls that show it.

use std::time::Duration;

use serde_json::{Number, Value, json};

use crate::callable::Sourcing;
use crate::mcp::{
    CallReport, Destructive, Failure, FindingReport, HttpServer, Limits, Options, Protocol, Replay, Report,
    Server, StdioServer, Target, ToolChoice,
};
use crate::serve::argument::Arguments;
use crate::serve::generate::MAX_SEED;
use crate::serve::shape::{count, list, object, text};

pub(crate) const DESCRIPTION: &str = "Tests a live MCP server: starts it (or connects to it), calls its tools in random sequences \
    with values learned from its own answers, and judges every answer: crashes, hangs, protocol errors, results that break \
    their own output schema, broken annotations. What is found is shrunk to the shortest sequence of calls, confirmed on fresh \
    servers, and told with a file for `probity replay`. This runs the given program and really calls its tools; tools that \
    call themselves destructive are left alone unless allowDestructive is set. A test that takes longer than its time limit tells what it found so far.";

/// Longest a test may take, in seconds.
pub(crate) const MAX_SECONDS: u64 = 600;
/// How long a test takes unless more is asked for.
const USUAL_SECONDS: u64 = 60;
/// Longest a single call may take, and a start.
const CALL: Duration = Duration::from_secs(10);
const START: Duration = Duration::from_secs(20);
/// Most findings told in full.
const MAX_FINDINGS: usize = 20;

pub(crate) fn input() -> Value {
    let texts =
        |about: &str| json!({ "type": "array", "items": text(), "maxItems": 1_000, "description": about });
    let pairs =
        |about: &str| json!({ "type": "object", "additionalProperties": text(), "description": about });
    let number = |least: u64, most: u64, usual: u64, about: &str| json!({ "type": "integer", "minimum": least, "maximum": most, "default": usual, "description": about });
    let flag = |about: &str| json!({ "type": "boolean", "default": false, "description": about });
    let command = json!({
        "type": "array", "items": text(), "minItems": 1, "maxItems": 1_000,
        "description": "The server as a program and its arguments, such as [\"node\", \"server.js\"]. Give this or url."
    });
    let numbers = json!({
        "type": "array", "items": { "type": "number" }, "maxItems": 1_000,
        "description": "Numbers that the server knows, to call its tools with."
    });
    let properties = vec![
        ("command", command),
        ("url", json!({ "type": "string", "description": "The server's address, instead of command." })),
        ("cwd", json!({ "type": "string", "description": "The directory the program runs in." })),
        ("env", pairs("Environment variables for the program.")),
        ("headers", pairs("HTTP headers for the address.")),
        ("runs", number(1, 500, 20, "How many sequences of calls.")),
        ("maxLength", number(1, 100, 20, "Most calls in a sequence.")),
        ("seed", number(0, MAX_SEED, 42, "Another seed gives other calls.")),
        ("lenient", flag("Make values up where none is known.")),
        ("seedStrings", texts("Strings that the server knows (ids, paths, names), to call its tools with.")),
        ("seedNumbers", numbers),
        ("tools", texts("Call only these tools.")),
        ("excludeTools", texts("Do not call these tools.")),
        ("allowDestructive", flag("Also call tools that are marked destructive.")),
        ("timeLimitSeconds", number(1, MAX_SECONDS, USUAL_SECONDS, "How long the test may take.")),
    ];
    object(properties, &[])
}

pub(crate) fn output() -> Value {
    let boolean = json!({ "type": "boolean" });
    let any_text = json!({ "type": ["string", "null"] });
    let failure = object(vec![("code", text()), ("message", text())], &["code", "message"]);
    let server = object(
        vec![("name", any_text.clone()), ("version", any_text), ("protocol", text())],
        &["name", "version", "protocol"],
    );
    let tool_names = ["name", "status", "nCalls", "nSucceeded", "nErrors"];
    let tool = object(
        vec![
            ("name", text()),
            ("status", text()),
            ("nCalls", count()),
            ("nSucceeded", count()),
            ("nErrors", count()),
        ],
        &tool_names,
    );
    let warning = object(
        vec![("tool", text()), ("reason", text()), ("at", text()), ("message", text())],
        &["tool", "reason", "at", "message"],
    );
    let names = [
        "isSuccess",
        "failures",
        "server",
        "seed",
        "nPlanned",
        "nSequences",
        "nCalls",
        "nSucceeded",
        "tools",
        "uncallable",
        "findings",
        "nFindings",
        "notes",
    ];
    let properties = vec![
        ("isSuccess", boolean),
        ("failures", list(&failure)),
        ("server", server),
        ("seed", count()),
        ("nPlanned", count()),
        ("nSequences", count()),
        ("nCalls", count()),
        ("nSucceeded", count()),
        ("tools", list(&tool)),
        ("uncallable", list(&warning)),
        ("findings", json!({ "type": "array", "maxItems": MAX_FINDINGS, "items": finding_output() })),
        ("nFindings", count()),
        ("notes", list(&text())),
    ];
    object(properties, &names)
}

fn finding_output() -> Value {
    let any_text = json!({ "type": ["string", "null"] });
    let call = object(
        vec![
            ("tool", text()),
            ("arguments", json!({ "type": "object" })),
            ("outcome", text()),
            ("answer", text()),
        ],
        &["tool", "arguments", "outcome", "answer"],
    );
    let finding_names = [
        "code",
        "severity",
        "tool",
        "message",
        "label",
        "certainty",
        "nConfirmed",
        "nConfirmations",
        "nMet",
        "calls",
        "evidence",
        "replay",
        "messages",
    ];
    object(
        vec![
            ("code", text()),
            ("severity", json!({ "type": "string", "enum": ["note", "warning", "error"] })),
            ("tool", any_text),
            ("message", text()),
            ("label", text()),
            (
                "certainty",
                json!({ "type": "string", "description": "How surely it shows itself, in words." }),
            ),
            ("nConfirmed", count()),
            ("nConfirmations", count()),
            ("nMet", count()),
            ("calls", list(&call)),
            ("evidence", list(&text())),
            (
                "replay",
                json!({ "type": "object", "description": "Save this to a file for `probity replay FILE`." }),
            ),
            ("messages", list(&text())),
        ],
        &finding_names,
    )
}

pub(crate) fn run(arguments: &Arguments) -> Result<Value, String> {
    let server = server(arguments)?;
    let options = options(arguments)?;
    let limits = options.limits.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime can be started: {error}"))?;
    let tested = crate::mcp::run(Target::Server(server.clone()), Protocol::Negotiate, options, |_| {});
    let report = runtime.block_on(tested).map_err(|error| error.to_string())?;
    Ok(told(&report, &server, limits.call))
}

fn server(arguments: &Arguments) -> Result<Server, String> {
    let command = arguments.texts("command");
    match (command.split_first(), arguments.text("url")) {
        (Some((program, args)), None) => Ok(Server::Stdio(StdioServer {
            env: arguments
                .pairs("env")
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            cwd: arguments.text("cwd").map(Into::into),
            ..StdioServer::new(program, args)
        })),
        (None, Some(url)) => {
            Ok(Server::Http(HttpServer { headers: arguments.pairs("headers"), ..HttpServer::new(url) }))
        }
        (Some(_), Some(_)) => Err("at /url: there is a command too; give one of the two".to_owned()),
        (None, None) => Err("at the root: there is no server; give command or url".to_owned()),
    }
}

fn options(arguments: &Arguments) -> Result<Options, String> {
    let small = |name: &str, usual: u32| {
        arguments.count(name).and_then(|count| u32::try_from(count).ok()).unwrap_or(usual)
    };
    let limit = Duration::from_secs(arguments.count("timeLimitSeconds").unwrap_or(USUAL_SECONDS));
    let numbers: Vec<Number> =
        arguments.list("seedNumbers").iter().filter_map(Value::as_number).cloned().collect();
    for pair in arguments.pairs("env") {
        if pair.0.is_empty() || pair.0.contains(['=', '\0']) || pair.1.contains('\0') {
            return Err(format!(
                "at /env: {:?} is no name of a variable, or its value cannot be one",
                pair.0
            ));
        }
    }
    Ok(Options {
        n_sequences: small("runs", 20),
        max_len: small("maxLength", 20) as usize,
        seed: arguments.count("seed").unwrap_or(42),
        sourcing: if arguments.is_set("lenient") { Sourcing::Lenient } else { Sourcing::Strict },
        numbers,
        strings: arguments.texts("seedStrings"),
        limits: Limits {
            call: CALL.min(limit),
            start: START.min(limit),
            body: CALL.min(limit),
            ..Limits::default()
        },
        max_time: Some(limit),
        shrink_time: limit / 4,
        max_findings: MAX_FINDINGS,
        destructive: if arguments.is_set("allowDestructive") {
            Destructive::Called
        } else {
            Destructive::Skipped
        },
        tools: ToolChoice {
            only: arguments.texts("tools"),
            except: arguments.texts("excludeTools"),
            accept: None,
        },
        ..Options::default()
    })
}

/// The main parts of a report.
fn told(report: &Report, server: &Server, call_limit: Duration) -> Value {
    let failure = |failure: &Failure| json!({ "code": failure.code, "message": failure.message });
    let finding = |finding: &FindingReport| {
        json!({
            "code": finding.code,
            "severity": finding.severity,
            "tool": finding.tool,
            "message": finding.message,
            "label": finding.label.name(),
            "certainty": finding.certainty(),
            "nConfirmed": finding.n_confirmed,
            "nConfirmations": finding.n_confirmations,
            "nMet": finding.n_met,
            "calls": finding.calls.iter().map(call).collect::<Vec<_>>(),
            "evidence": finding.evidence,
            "replay": Replay::of(finding, server, call_limit),
            "messages": finding.transcript.iter().map(|line| line.trim_end()).collect::<Vec<_>>(),
        })
    };
    json!({
        "isSuccess": report.is_success,
        "failures": report.failures.iter().map(failure).collect::<Vec<_>>(),
        "server": report.server,
        "seed": report.seed,
        "nPlanned": report.n_planned,
        "nSequences": report.n_sequences,
        "nCalls": report.n_calls,
        "nSucceeded": report.n_succeeded,
        "tools": report.tools.iter().map(|tool| json!({
            "name": tool.name,
            "status": tool.status,
            "nCalls": tool.n_calls,
            "nSucceeded": tool.n_succeeded,
            "nErrors": tool.n_errors,
        })).collect::<Vec<_>>(),
        "uncallable": report.coverage.warnings,
        "findings": report.findings.iter().take(MAX_FINDINGS).map(finding).collect::<Vec<_>>(),
        "nFindings": report.findings.len(),
        "notes": report.notes,
    })
}

fn call(call: &CallReport) -> Value {
    json!({ "tool": call.tool, "arguments": call.arguments, "outcome": call.outcome, "answer": call.answer })
}
