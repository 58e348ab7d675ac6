//! `probity mcp`: a live server is driven, what it does is judged, and what is found is written down.

mod told;
mod progress;
mod trace;
mod replays;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use probity_drive::mcp::{
    Event, FindingReport, Interrupt, Measured, Report, Server, SessionError, Severity, StdioServer, Survey,
    Target, junit, page, run as drive, survey,
};
use probity_schema::coverage::percent;
use tokio::runtime::Runtime;

use crate::args::{McpArgs, OutcomeArgs};
use crate::command::docket::{Docket, Fault, Item, Rule, Weight};
use crate::command::goal::{check, check_folder, is_output};
use crate::command::leftover;
use crate::command::report::{Covered, Start, tell as tell_coverage};
use crate::command::sheet::{write_file, write_json};
use crate::config::{Mcp, Origin};
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};
use progress::Progress;
use told::{survey_data, tell, tell_survey};
use trace::Trace;

pub(crate) use replays::write as write_replays;
pub(crate) use told::{tell_call, tell_last_words};

pub(crate) fn run(args: &McpArgs, console: &Console) -> Result<Outcome, Trouble> {
    let start = Start::now();
    let Mcp { server, protocol, options, contract, named } = Mcp::of(args)?;
    let target = Target::Server(server.clone());
    let program = files_of(&server);
    let inputs: Vec<&Path> =
        args.seeds.iter().chain(&args.config).chain(&program).map(PathBuf::as_path).collect();
    check(&[("--json", args.json.as_deref())], &inputs)?;
    if args.list {
        let surveyed = runtime()?.block_on(survey(target, protocol, &options));
        let survey: Survey = surveyed.map_err(|error| trouble_in_run(&error, &named))?;
        match &args.json {
            Some(goal) => write_json(goal, &survey_data(&survey))?,
            None => tell_survey(&survey, console)?,
        }
        return Ok(Outcome::Done);
    }
    let goals = [
        ("--json", args.json.as_deref()),
        ("--junit", args.junit.as_deref()),
        ("--summary", args.summary.as_deref()),
        ("--html", args.html.as_deref()),
        ("--trace", args.trace.as_deref()),
    ];
    check(&[&goals[..], &contract.goals()].concat(), &inputs)?;
    check_folder(&args.replay_dir)?;
    let trace = args.trace.as_deref().map(Trace::open).transpose()?;
    let shown = Rc::new(RefCell::new((trace, Progress::start(console, options.n_sequences))));
    let watched = Rc::clone(&shown);
    let observer = move |event: &Event<'_>| {
        let (trace, progress) = &mut *watched.borrow_mut();
        if let Some(trace) = trace {
            trace.note(event);
        }
        progress.note(event);
    };
    let (call_limit, fail_on) = (options.limits.call, options.fail_on);
    let interrupt = options.interrupt.clone();
    let (seed, n_planned) = (options.seed, options.n_sequences);
    let driven = runtime()?.block_on(async {
        tokio::select! {
            // Listening begins before the first server is started.
            biased;
            () = interrupted_twice(&interrupt) => Err(SessionError::Interrupted),
            report = drive(target, protocol, options, observer) => report,
        }
    });
    let (trace, progress) = &mut *shown.borrow_mut();
    progress.end();
    let report = match driven {
        Ok(report) => report,
        Err(error) => {
            let trouble = trouble_in_run(&error, &named);
            // What reads the reports must not find those of an earlier run; a command that is wrong was no run.
            if trouble.outcome == Outcome::Unreachable && error != SessionError::Interrupted {
                let report = Report::not_begun(&error, seed, n_planned);
                let written = write_reports(args, &report, &docket(&report, fail_on), fail_on);
                // That a report cannot be written must not hide why there is nothing to report.
                if let Err(unwritten) = written {
                    console.error(&unwritten.message);
                }
            }
            return Err(trouble);
        }
    };
    let replays = write_replays(&args.replay_dir, &report, &server, call_limit)?;
    tell(&report, &replays, &again(&server), console);
    console.notes(&leftover::findings(&args.replay_dir, &replays).into_iter().collect::<Vec<_>>());
    let mut docket = docket(&report, fail_on);
    if let (Some(measured), Some(figures)) = (&report.measured, &report.contract) {
        let Measured { universe, hits, facts, first, .. } = &**measured;
        let title = report.server.name.as_deref().unwrap_or("MCP server");
        let covered =
            Covered { universe, hits, facts: facts.clone(), title, given: None, first: first.clone(), start };
        // Whether the threshold was met is among the failures of the run.
        let (_, coverage) = tell_coverage(&contract.args, &contract.coverage, covered, console)?;
        docket.coverage = Some(coverage);
        let sent = percent(figures.sent);
        console.say(&format!(
            "calls that were accepted count; with all that were sent it would be {sent} overall"
        ));
    }
    if let Some(trace) = trace.take() {
        trace.close()?;
    }
    write_reports(args, &report, &docket, fail_on)?;
    if let Some(goal) = args.html.as_ref().filter(|goal| !is_output(goal)) {
        console.say(&format!("the page is in {}", goal.display()));
    }
    Ok(outcome(&report))
}

/// The files among the words that start a server, which are the server or what it reads.
pub(crate) fn files_of(server: &Server) -> Vec<PathBuf> {
    let Server::Stdio(StdioServer { program, args, cwd, .. }) = server else { return Vec::new() };
    let folder = cwd.as_deref().unwrap_or(Path::new(""));
    let words = std::iter::once(program).chain(args);
    words.map(|word| folder.join(word)).filter(|path| path.is_file()).collect()
}

/// What a replay needs besides the file of a finding, which holds no values of variables.
fn again(server: &Server) -> String {
    let Server::Stdio(StdioServer { env, .. }) = server else { return String::new() };
    let names: BTreeSet<_> = env.iter().map(|(name, _)| name.display().to_string()).collect();
    names.iter().map(|name| format!(" --env {name}=VALUE")).collect::<Vec<_>>().concat()
}

/// Writes the report in every form that was asked for.
fn write_reports(args: &McpArgs, report: &Report, docket: &Docket, fail_on: Severity) -> Result<(), Trouble> {
    if let Some(goal) = &args.junit {
        write_file(goal, &junit(report, fail_on))?;
    }
    docket.write(&OutcomeArgs { junit: None, summary: args.summary.clone() }, None)?;
    if let Some(goal) = &args.html {
        write_file(goal, &page(report))?;
    }
    if let Some(goal) = &args.json {
        write_json(goal, report)?;
    }
    Ok(())
}

/// Every tool with what was found on it, and the server as a whole.
fn docket(report: &Report, fail_on: Severity) -> Docket {
    let name = report.server.name.as_deref().unwrap_or("a server without a name");
    let mut docket = Docket::new(format!("probity mcp: {name}"));
    let of = |tool: Option<&str>| -> Vec<Fault> {
        let findings = report.findings.iter().filter(|finding| finding.tool.as_deref() == tool);
        findings.map(|finding| fault(finding, fail_on)).collect()
    };
    docket.items.push(Item { name: "the server".to_owned(), faults: of(None) });
    for tool in &report.tools {
        docket.items.push(Item { name: tool.name.clone(), faults: of(Some(&tool.name)) });
    }
    let others = report.failures.iter().filter(|failure| failure.code != "findings");
    docket.items.extend(others.map(|failure| Item {
        name: failure.code.clone(),
        faults: vec![Fault {
            rule: Rule::new(&failure.code, "The run is not a success"),
            weight: Weight::Failure,
            message: failure.message.clone(),
            place: None,
        }],
    }));
    docket
}

fn fault(finding: &FindingReport, fail_on: Severity) -> Fault {
    let steps: Vec<&str> = finding.calls.iter().map(|call| call.tool.as_str()).collect();
    Fault {
        rule: Rule::new(finding.code, "What a server must not do"),
        weight: if finding.severity >= fail_on { Weight::Failure } else { Weight::Remark },
        message: format!("{} ({}: {})", finding.message, finding.label.name(), steps.join(", ")),
        place: None,
    }
}

/// The first interrupt, or word to terminate, ends the run with what it has, the second ends it at once.
async fn interrupted_twice(interrupt: &Interrupt) {
    for _ in 0..2 {
        let is_heard = tokio::select! {
            heard = tokio::signal::ctrl_c() => heard.is_ok(),
            is_heard = told_to_terminate() => is_heard,
        };
        if !is_heard {
            // Where interrupts cannot be heard, they end the program as they always did.
            std::future::pending::<()>().await;
        }
        interrupt.ring();
    }
}

#[cfg(unix)]
async fn told_to_terminate() -> bool {
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(mut terminate) => terminate.recv().await.is_some(),
        Err(_) => false,
    }
}

#[cfg(not(unix))]
async fn told_to_terminate() -> bool {
    std::future::pending().await
}

/// Runs what needs a runtime; a server that cannot be reached is no fault of the command line.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, SessionError>>) -> Result<T, Trouble> {
    runtime()?.block_on(future).map_err(|error| trouble_of(&error))
}

fn runtime() -> Result<Runtime, Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Trouble::misused(format!("no runtime can be started: {error}")))
}

fn trouble_of(error: &SessionError) -> Trouble {
    match error {
        SessionError::UnknownTool { .. } | SessionError::NothingCounts | SessionError::BadAddress { .. } => {
            Trouble::misused(error.to_string())
        }
        SessionError::NotStarted { program, .. } if program.contains(char::is_whitespace) => {
            Trouble::unreachable(format!(
                "{error}; write the program and each of its arguments as a word of its own, without quotes around all"
            ))
        }
        _ => Trouble::unreachable(error.to_string()),
    }
}

/// The same, with what can be changed in this command: the place that names a tool which the server does not have, or a limit.
fn trouble_in_run(error: &SessionError, named: &[(String, Origin)]) -> Trouble {
    let trouble = trouble_of(error);
    match error {
        SessionError::UnknownTool { name, .. } => match named.iter().find(|(tool, _)| tool == name) {
            Some((_, origin)) => Trouble::misused(format!("{}: {}", origin.with_text(name), trouble.message)),
            None => trouble,
        },
        SessionError::StartTimedOut { .. } => {
            Trouble::unreachable(format!("{}; --start-timeout gives it more time", trouble.message))
        }
        _ => trouble,
    }
}

/// What the failures of a run mean for a script: the gravest first.
fn outcome(report: &Report) -> Outcome {
    let has = |code: &str| report.failures.iter().any(|failure| failure.code == code);
    match () {
        () if report.is_success => Outcome::Done,
        () if has("findings") => Outcome::Findings,
        () if has("stopped") => Outcome::Unreachable,
        () if has("nothing_succeeded") || has("min_length_unreachable") => Outcome::Findings,
        () => Outcome::BelowThreshold,
    }
}
