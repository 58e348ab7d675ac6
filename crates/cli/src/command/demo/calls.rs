//! The second part of the demonstration: a live server is driven until its bug is found, shrunk and replayed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use probity_drive::mcp::{
    Event, FindingReport, Options, Phase, Protocol, Replay, Report, Server, StdioServer, Target, page,
    replay, run,
};
use serde_json::Value;

use crate::command::demo::{SEED, cut, heading, prompt};
use crate::command::mcp::{block_on, write_replays};
use crate::command::sheet::write_file;
use crate::config::{in_file, read_text};
use crate::console::{Console, Paint};
use crate::exit_code::Trouble;

/// The bug needs five calls with the right ids; some hundred sequences meet it for almost any seed.
const N_SEQUENCES: u32 = 200;

pub(super) fn show(folder: &Path, console: &Console) -> Result<(), Trouble> {
    let program = std::env::current_exe()
        .map_err(|error| Trouble::unreachable(format!("where this program lies is not known: {error}")))?;
    let server = Server::Stdio(StdioServer::new(program, ["demo-server"]));
    let options = Options { seed: SEED, n_sequences: N_SEQUENCES, ..Options::default() };

    heading("2", "Calls against a live MCP server: a corner shop with five tools, and a bug", console);
    prompt(&format!("probity mcp --runs {N_SEQUENCES} -- probity demo-server"), console);
    let lengths: Rc<RefCell<BTreeMap<u32, usize>>> = Rc::default();
    let counted = Rc::clone(&lengths);
    let observer = move |event: &Event<'_>| {
        if let Event::Called { phase: Phase::Draw, sequence, .. } = event {
            *counted.borrow_mut().entry(*sequence).or_default() += 1;
        }
    };
    let limit = options.limits.call;
    let target = || Target::Server(server.clone());
    let report: Report = block_on(run(target(), Protocol::Negotiate, options.clone(), observer))?;
    let Report { n_sequences, n_calls, n_succeeded, .. } = &report;
    console.painted(&[(
        Paint::Plain,
        &format!(
            "   {n_sequences} sequences, {n_calls} calls, {n_succeeded} succeeded; ids come from the server's own answers"
        ),
    )]);
    let Some(finding) = report.findings.first() else {
        return Err(Trouble::unreachable("the built-in server showed no bug, which cannot be right"));
    };
    let length = lengths.borrow().get(&finding.sequence).copied().unwrap_or_default();
    show_finding(finding, length, console);

    let files = write_replays(&folder.join("replays"), &report, &server, limit)?;
    write_file(&folder.join("mcp.html"), &page(&report))?;
    let Some(file) = files.first() else { return Ok(()) };
    prompt(&format!("probity replay {}", file.display()), console);
    let script: Replay = serde_json::from_str(&read_text(file)?).map_err(|error| in_file(file, &error))?;
    let replayed = block_on(replay(target(), Protocol::Negotiate, &options, &script, 1))?;
    let told =
        format!("   {} showed in {} of {} replays", finding.code, replayed.n_shown, replayed.n_replays);
    console.painted(&[(Paint::Plain, &told), (Paint::Dim, ", on a fresh server")]);
    Ok(())
}

fn show_finding(finding: &FindingReport, length: usize, console: &Console) {
    let FindingReport {
        code, tool, message, label, calls, n_executions, n_confirmed, n_confirmations, ..
    } = finding;
    let tool = tool.as_deref().unwrap_or("the server");
    console.painted(&[
        (Paint::Red, "   found"),
        (Paint::Plain, &format!(" in {tool}: {code}, {}", label.name())),
    ]);
    console.painted(&[(Paint::Plain, &format!("   {message}"))]);
    let n_calls = calls.len();
    console.painted(&[
        (Paint::Green, "   shrunk"),
        (
            Paint::Plain,
            &format!(
                " from {length} calls to {n_calls}, in {n_executions} runs of the server, and confirmed in {n_confirmed} of {n_confirmations}:"
            ),
        ),
    ]);
    let width = calls.iter().map(|call| call.tool.chars().count()).max().unwrap_or(0);
    for (index, call) in calls.iter().enumerate() {
        let arguments = Value::Object(call.arguments.clone()).to_string();
        let is_last = index + 1 == n_calls;
        console.painted(&[
            (Paint::Dim, &format!("     {}. ", index + 1)),
            (Paint::Bold, &format!("{:<width$}", call.tool)),
            (Paint::Plain, &format!(" {:<40} ", cut(&arguments))),
            (if is_last { Paint::Red } else { Paint::Dim }, &cut(&call.answer)),
        ]);
    }
}
