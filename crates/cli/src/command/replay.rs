//! `probity replay`: a finding is shown again, on a fresh server.

use std::path::{Path, PathBuf};
use std::time::Duration;

use probity_drive::mcp::{
    Finding, Options, Protocol, REPLAY_FORMAT, Replay, ReplayServer, Replayed, Server, StdioServer, Target,
    replay,
};

use serde_json::{Value, json};

use crate::args::ReplayArgs;
use crate::args::idle::{FOR_ADDRESSES, FOR_PROGRAMS};
use crate::command::docket::{Docket, Fault, Item, Rule, Weight};
use crate::command::goal::check;
use crate::command::mcp::{block_on, files_of, tell_call, tell_last_words};
use crate::command::sheet::write_json;
use crate::config::{Origin, in_file, placed, read_text, seconds, server, shell, variables};
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

pub(crate) fn run(args: &ReplayArgs, console: &Console) -> Result<Outcome, Trouble> {
    let goals = [&[("--json", args.json.as_deref())][..], &args.outcome.goals()].concat();
    check(&goals, &[&args.file])?;
    let file = finding_in(&args.file)?;
    let named =
        server(&args.command, args.url.as_deref(), &args.env, &args.header, args.bearer_env.as_deref())?;
    let server = match named {
        Some(server) => placed(server, args.cwd.as_deref())?,
        None => recorded(args, &file.server)?,
    };
    check(&goals, &files_of(&server).iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    console.notes(&unset(&server, &file.server).into_iter().collect::<Vec<_>>());
    let mut options = Options::default();
    let recorded = Duration::from_millis(file.call_limit_ms);
    options.limits.call = seconds(&Origin::Flag("--timeout"), args.timeout, recorded)?;
    options.reset = args.reset_cmd.as_deref().map(shell);
    let is_elsewhere = matches!(&server, Server::Stdio(server) if server.cwd.is_none());
    let replayed = block_on(replay(Target::Server(server), Protocol::Negotiate, &options, &file, args.times))
        .map_err(|trouble| match trouble.outcome {
            Outcome::Unreachable if is_elsewhere => Trouble::unreachable(format!(
                "{}; it was started in this folder, --cwd names another",
                trouble.message
            )),
            _ => trouble,
        })?;
    let Replayed { n_replays, n_shown, finding, calls, .. } = &replayed;
    for (index, call) in calls.iter().enumerate() {
        tell_call(index, call, console);
    }
    if let Some(finding) = finding {
        console.finding(finding.severity, &format!("{}: {}", finding.code, finding.message));
        tell_last_words(&finding.evidence, console);
    }
    console.say(&format!("{} showed in {n_shown} of {n_replays} replays", file.finding.code));
    for other in &replayed.others {
        console.notes(&[format!("also found: {}: {}", other.code, other.message)]);
    }
    if let Some(goal) = &args.json {
        let seen = |finding: &Finding| json!({ "code": finding.code, "severity": finding.severity, "tool": finding.tool, "message": finding.message });
        let data = json!({
            "format": "probity-replayed/v1",
            "nReplays": n_replays,
            "nShown": n_shown,
            "finding": finding.as_ref().map(seen),
            "others": replayed.others.iter().map(seen).collect::<Vec<Value>>(),
            "calls": calls,
        });
        write_json(goal, &data)?;
    }
    let fault = finding.as_ref().map(|finding| Fault {
        rule: Rule::new(finding.code, "A finding showed again"),
        weight: Weight::Failure,
        message: format!("{} (in {n_shown} of {n_replays} replays)", finding.message),
        place: None,
    });
    let mut docket = Docket::new(format!("probity replay {}", args.file.display()));
    let tool =
        finding.as_ref().and_then(|finding| finding.tool.clone()).or_else(|| file.finding.tool.clone());
    let name = tool.unwrap_or_else(|| "the server".to_owned());
    docket.items.push(Item { name, faults: fault.into_iter().collect() });
    docket.write(&args.outcome, None)?;
    Ok(if *n_shown > 0 { Outcome::Findings } else { Outcome::Done })
}

/// The finding of a file; anything else is told with what it is and what to give instead.
fn finding_in(path: &Path) -> Result<Replay, Trouble> {
    let text = read_text(path)?;
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line: Option<Value> = serde_json::from_str(first).ok();
    let is_line = |name: &str| line.as_ref().is_some_and(|line| line.get(name).is_some());
    let beside = path.with_extension("json");
    let wrong = match (is_line("jsonrpc"), is_line("messages") && is_line("sequence")) {
        (true, _) if beside.is_file() && beside != path => format!(
            "these are the raw messages of a finding, for the server itself; give {} instead",
            beside.display()
        ),
        (true, _) => {
            "these are raw messages, for the server itself; give the .json file of the finding instead"
                .to_owned()
        }
        (_, true) => format!("this is the trace of a run; {FINDINGS}"),
        (false, false) => {
            let data: Value = serde_json::from_str(&text)
                .map_err(|error| in_file(path, &format!("not JSON: {error}; {FINDINGS}")))?;
            match data.get("format").and_then(Value::as_str) {
                Some(REPLAY_FORMAT) => {
                    return serde_json::from_value(data).map_err(|error| in_file(path, &error));
                }
                Some("probity-mcp-report/v1") => format!("this is the report of a run; {FINDINGS}"),
                Some(other) => format!("the format is {other:?}, and not {REPLAY_FORMAT:?}; {FINDINGS}"),
                None => format!("this says no format, and so is no finding ({REPLAY_FORMAT:?}); {FINDINGS}"),
            }
        }
    };
    Err(in_file(path, &wrong))
}

/// The variables that the server had when the finding was made, and has not now.
fn unset(server: &Server, recorded: &ReplayServer) -> Option<String> {
    let (Server::Stdio(stdio), ReplayServer::Stdio { env, .. }) = (server, recorded) else { return None };
    let is_set = |name: &str| {
        std::env::var_os(name).is_some() || stdio.env.iter().any(|(given, _)| given.as_os_str() == name)
    };
    let names: Vec<&str> = env.iter().map(String::as_str).filter(|name| !is_set(name)).collect();
    match &names[..] {
        [] => None,
        [only] => Some(format!(
            "the server had a variable {only} when this was found, and it is not set; give it with --env {only}=VALUE"
        )),
        all => Some(format!(
            "the server had variables {} when this was found, and they are not set; give them with --env NAME=VALUE",
            all.join(", ")
        )),
    }
}

/// What to give.
const FINDINGS: &str = "give the file of a finding, which `probity mcp` writes to its --replay-dir";

/// The server that the file names, with what the command line adds.
fn recorded(args: &ReplayArgs, server: &ReplayServer) -> Result<Server, Trouble> {
    let (flags, why): (&[(&str, bool)], &str) = match server {
        ReplayServer::Stdio { .. } => (
            &[("--header", !args.header.is_empty()), ("--bearer-env", args.bearer_env.is_some())],
            FOR_ADDRESSES,
        ),
        _ => (&[("--env", !args.env.is_empty()), ("--cwd", args.cwd.is_some())], FOR_PROGRAMS),
    };
    if let Some((flag, _)) = flags.iter().find(|(_, is_typed)| *is_typed) {
        return Err(Trouble::misused(format!("{flag} has no effect here: {why}")));
    }
    match server {
        ReplayServer::Stdio { command, cwd, env: _ } => {
            let Some((program, words)) = command.split_first() else {
                return Err(in_file(&args.file, &"it names no program; write one after --"));
            };
            let mut stdio = StdioServer::new(program, words);
            stdio.env = variables(&args.env)?;
            let recorded = cwd.as_deref().map(Path::new).filter(|_| args.cwd.is_none());
            if let Some(gone) = recorded.filter(|folder| !folder.is_dir()) {
                let message = format!(
                    "the server ran in {}, which is not there; name another folder with --cwd",
                    gone.display()
                );
                return Err(in_file(&args.file, &message));
            }
            stdio.cwd = recorded.map(Path::to_path_buf);
            placed(Server::Stdio(stdio), args.cwd.as_deref())
        }
        ReplayServer::Http { url } => {
            let http =
                crate::config::server(&[], Some(url), &args.env, &args.header, args.bearer_env.as_deref())?;
            http.ok_or_else(|| in_file(&args.file, &"it names no address"))
        }
        _ => Err(in_file(&args.file, &"it names a server of a kind that this version does not know")),
    }
}
