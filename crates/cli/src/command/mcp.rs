//! `probity mcp`: a live server is driven, what it does is judged, and what is found is written down.

mod told;
mod progress;
mod trace;
mod replays;

use std::cell::RefCell;
use std::future::Future;
use std::path::Path;
use std::rc::Rc;

use probity_drive::mcp::{
    Event, Interrupt, Report, SessionError, Survey, Target, junit, page, run as drive, survey,
};

use crate::args::McpArgs;
use crate::command::sheet::write_file;
use crate::config::Mcp;
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};
use progress::Progress;
use told::{tell, tell_survey};
use trace::Trace;

pub(crate) use told::tell_call;

pub(crate) fn run(args: &McpArgs, console: &Console) -> Result<Outcome, Trouble> {
    let Mcp { server, protocol, options } = Mcp::of(args)?;
    let target = Target::Server(server.clone());
    if args.list {
        let survey: Survey = block_on(survey(target, protocol, &options))?;
        tell_survey(&survey, console)?;
        return Ok(Outcome::Done);
    }
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
    let report = block_on(async {
        tokio::select! {
            // Listening begins before the first server is started.
            biased;
            () = interrupted_twice(&interrupt) => Err(SessionError::Interrupted),
            report = drive(target, protocol, options, observer) => report,
        }
    })?;
    let (trace, progress) = &mut *shown.borrow_mut();
    progress.end();
    let replays = replays::write(&args.replay_dir, &report, &server, call_limit)?;
    tell(&report, &replays, console);
    if let Some(trace) = trace.take() {
        trace.close()?;
    }
    if let Some(goal) = &args.junit {
        write_file(goal, &junit(&report, fail_on))?;
    }
    if let Some(goal) = &args.html {
        write_file(goal, &page(&report))?;
        console.say(&format!("the page is in {}", goal.display()));
    }
    if let Some(goal) = &args.json {
        let mut text = serde_json::to_string_pretty(&report).expect("a report is plain data");
        if goal == Path::new("-") {
            console.data(&text)?;
        } else {
            text.push('\n');
            write_file(goal, &text)?;
        }
    }
    Ok(outcome(&report))
}

/// The first interrupt ends the run with what it has, the second ends it at once.
async fn interrupted_twice(interrupt: &Interrupt) {
    for _ in 0..2 {
        if tokio::signal::ctrl_c().await.is_err() {
            // Where interrupts cannot be heard, they end the program as they always did.
            std::future::pending::<()>().await;
        }
        interrupt.ring();
    }
}

/// Runs what needs a runtime; a server that cannot be reached is no fault of the command line.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, SessionError>>) -> Result<T, Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Trouble::misused(format!("no runtime can be started: {error}")))?;
    runtime.block_on(future).map_err(|error| Trouble::unreachable(error.to_string()))
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
