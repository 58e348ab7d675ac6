//! What was meant by `probity mcp`: the file `probity.toml`, then the command line, then the defaults.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probity_drive::callable::Sourcing;
use probity_drive::corpus::{Birth, Corpus, MineText, mine};
use probity_drive::mcp::{
    CHECKS, CoverageOptions, Destructive, ErrorPolicy, HttpServer, Level, Options, Protocol, Rule, Server,
    SessionUse, Severity, StdioServer, ToolChoice,
};
use serde::Deserialize;
use serde_json::{Number, Value, json};

use crate::args::{FailOn, McpArgs};
use crate::config::contract::{Contract, CoverageTable};
use crate::config::origin::Origin;
use crate::config::{in_file, read_text};
use crate::exit_code::Trouble;

/// The configuration that is printed by `probity config`; every line says the default.
pub(crate) const ANNOTATED: &str = include_str!("probity.toml");

/// The file that is read without being named.
const USUAL: &str = "probity.toml";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    mcp: Table,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct Table {
    runs: Option<u32>,
    min_len: Option<usize>,
    max_len: Option<usize>,
    seed: Option<u64>,
    timeout: Option<f64>,
    start_timeout: Option<f64>,
    max_time: Option<f64>,
    lenient: Option<bool>,
    mine_text: Option<bool>,
    seed_strings: Vec<String>,
    seed_numbers: Vec<Number>,
    tools: Vec<String>,
    exclude_tools: Vec<String>,
    allow_destructive: Option<bool>,
    may_fail: Option<Vec<String>>,
    reuse_session: Option<bool>,
    reset_cmd: Option<String>,
    fail_on: Option<String>,
    coverage: CoverageTable,
    lints: BTreeMap<String, String>,
}

/// A run of `mcp`, ready to start.
pub(crate) struct Mcp {
    pub(crate) server: Server,
    pub(crate) protocol: Protocol,
    pub(crate) options: Options,
    /// What is told about the contracts of tools.
    pub(crate) contract: Contract,
    /// Every tool that was named, and where.
    pub(crate) named: Vec<(String, Origin)>,
}

impl Mcp {
    pub(crate) fn of(args: &McpArgs) -> Result<Self, Trouble> {
        let server =
            server(&args.command, args.url.as_deref(), &args.env, &args.header, args.bearer_env.as_deref())?;
        let missing = || Trouble::misused("no server: write it after --, or give its address with --url");
        let server = placed(server.ok_or_else(missing)?, args.cwd.as_deref())?;
        let (table, file) = table(args.config.as_deref())?;
        let protocol = match args.protocol.as_deref() {
            None => Protocol::Negotiate,
            Some(revision) if REVISIONS.contains(&revision) => Protocol::Revision(revision.to_owned()),
            Some(other) => {
                let known = REVISIONS.join(", ");
                return Err(Trouble::misused(format!("--protocol {other}: write one of {known}")));
            }
        };
        let contract = Contract::of(args, &table.coverage, &file)?;
        let named = named(args, &table, &file);
        let mut options = options(args, table, &file)?;
        options.coverage.contract = contract.options.clone();
        let CoverageOptions { allow, block, .. } = &options.coverage;
        if !allow.is_empty() && allow.iter().all(|tool| block.contains(tool)) {
            return Err(Trouble::misused(
                "the tools that coverage allows are all blocked, so that none counts",
            ));
        }
        Ok(Self { server, protocol, options, contract, named })
    }
}

/// The tools that are named on the command line and in the file.
fn named(args: &McpArgs, table: &Table, file: &Path) -> Vec<(String, Origin)> {
    let (typed, written) = (&args.coverage, &table.coverage);
    let may_fail = table.may_fail.as_deref().unwrap_or_default();
    let lists: [(&[String], &[String], _, _); 5] = [
        (&args.tool, &table.tools, "--tool", "tools"),
        (&args.exclude_tool, &table.exclude_tools, "--exclude-tool", "exclude-tools"),
        (&args.may_fail, may_fail, "--may-fail", "may-fail"),
        (&typed.coverage_allow, &written.allow, "--coverage-allow", "coverage.allow"),
        (&typed.coverage_block, &written.block, "--coverage-block", "coverage.block"),
    ];
    let origins = lists.into_iter().flat_map(|(typed, written, flag, key)| {
        let names = |names: &[String], is_typed: bool| {
            let origin = Origin::of(is_typed, flag, file, key);
            names.iter().map(|name| (name.clone(), origin.clone())).collect::<Vec<_>>()
        };
        [names(typed, true), names(written, false)].concat()
    });
    origins.collect()
}

/// The server that was named, if one was.
pub(crate) fn server(
    command: &[String],
    url: Option<&str>,
    env: &[String],
    headers: &[String],
    bearer_env: Option<&str>,
) -> Result<Option<Server>, Trouble> {
    if let Some(url) = url {
        let mut server = HttpServer::new(url);
        server.headers =
            headers.iter().map(|header| pair(header, ':', "--header")).collect::<Result<_, _>>()?;
        server.bearer = bearer_env.map(token).transpose()?;
        return Ok(Some(Server::Http(server)));
    }
    let Some((program, args)) = command.split_first() else { return Ok(None) };
    let mut server = StdioServer::new(program, args);
    server.env = variables(env)?;
    Ok(Some(Server::Stdio(server)))
}

/// The server in the directory that was named for it, if one was.
pub(crate) fn placed(server: Server, cwd: Option<&Path>) -> Result<Server, Trouble> {
    match (server, cwd) {
        (Server::Stdio(_), Some(cwd)) if !cwd.is_dir() => {
            Err(Trouble::misused(format!("--cwd {}: this folder is not there", cwd.display())))
        }
        (Server::Stdio(server), Some(cwd)) => {
            Ok(Server::Stdio(StdioServer { cwd: Some(cwd.to_path_buf()), ..server }))
        }
        (server, _) => Ok(server),
    }
}

pub(crate) fn variables(env: &[String]) -> Result<Vec<(OsString, OsString)>, Trouble> {
    let variables = env.iter().map(|text| pair(text, '=', "--env"));
    variables.map(|pair| pair.map(|(name, value)| (name.into(), value.into()))).collect()
}

fn token(name: &str) -> Result<String, Trouble> {
    std::env::var(name)
        .map_err(|_| Trouble::misused(format!("--bearer-env {name}: there is no such variable")))
}

fn pair(text: &str, sign: char, flag: &str) -> Result<(String, String), Trouble> {
    let form = if sign == ':' { "NAME: VALUE" } else { "NAME=VALUE" };
    let (name, value) = text
        .split_once(sign)
        .filter(|(name, _)| !name.trim().is_empty())
        .ok_or_else(|| Trouble::misused(format!("{flag} {text}: write {form}")))?;
    let value = if sign == ':' { value.trim_start() } else { value };
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// The words that run a text in the shell.
pub(crate) fn shell(text: &str) -> Vec<OsString> {
    ["sh", "-c", text].map(OsString::from).to_vec()
}

/// What the file says, and which file it is.
fn table(named: Option<&Path>) -> Result<(Table, PathBuf), Trouble> {
    let path = match named {
        Some(path) => path,
        None if Path::new(USUAL).exists() => Path::new(USUAL),
        None => return Ok((Table::default(), USUAL.into())),
    };
    let text = read_text(path)?;
    let file: File = toml::from_str(&text).map_err(|error| in_file(path, &plainly(&error.to_string())))?;
    Ok((file.mcp, path.to_path_buf()))
}

/// What the reader of the file expects, in its words and in those of who writes one.
const EXPECTED: &[(&str, &str)] = &[
    ("u32", "a whole number, without quotes"),
    ("u64", "a whole number, without quotes"),
    ("usize", "a whole number, without quotes"),
    ("f64", "a number, without quotes"),
    ("a JSON number", "a number, without quotes"),
    ("a boolean", "true or false, without quotes"),
    ("a string", "a text in quotes"),
    ("a sequence", "a list, as in [\"one\", \"two\"]"),
    ("a map", "a table, as in [mcp.lints]"),
    ("path string", "the path of a file, in quotes"),
    ("struct Table", "a table, as in [mcp]"),
    ("struct CoverageTable", "a table, as in [mcp.coverage]"),
];

/// The same for whole numbers that are too small or too large.
const RANGES: &[(&str, &str)] = &[
    ("u32", "a whole number from 0 to 4294967295"),
    ("u64", "a whole number from 0 to 9223372036854775807"),
    ("usize", "a whole number from 0 to 9223372036854775807"),
];

/// An error of the reader, whose last line may name types of Rust, in plain words.
fn plainly(error: &str) -> String {
    let (place, reason) = error.trim_end().rsplit_once('\n').unwrap_or(("", error.trim_end()));
    let reason = reason.split_once(", expected ").and_then(|(found, expected)| {
        let (_, found) =
            found.split_once("invalid type: ").or_else(|| found.split_once("invalid value: "))?;
        let ranges = if found.starts_with("integer") { RANGES } else { &[] };
        let (_, instead) = ranges.iter().chain(EXPECTED).find(|(theirs, _)| *theirs == expected)?;
        Some(format!("{found} cannot stand here; write {instead}"))
    });
    reason.map_or_else(|| error.trim_end().to_owned(), |reason| format!("{place}\n{reason}"))
}

fn options(args: &McpArgs, table: Table, file: &Path) -> Result<Options, Trouble> {
    let usual = Options::default();
    let of = |is_typed: bool, flag: &'static str, key: &str| Origin::of(is_typed, flag, file, key);
    let mut limits = usual.limits.clone();
    let time = |flag: &'static str, typed: Option<f64>, written: Option<f64>, usual: Duration| {
        seconds(&of(typed.is_some(), flag, &flag[2..]), typed.or(written), usual)
    };
    limits.call = time("--timeout", args.timeout, table.timeout, limits.call)?;
    limits.start = time("--start-timeout", args.start_timeout, table.start_timeout, limits.start)?;
    let max_time = time("--max-time", args.max_time, table.max_time, usual.max_time.unwrap_or_default())?;
    let min_len = args.min_len.or(table.min_len).unwrap_or(usual.min_len);
    let max_len = args.max_len.or(table.max_len).unwrap_or(usual.max_len.max(min_len));
    if max_len == 0 {
        let most = of(args.max_len.is_some(), "--max-len", "max-len").with(max_len);
        return Err(Trouble::misused(format!("{most}: a sequence has at least one call")));
    }
    if min_len > max_len {
        let least =
            of(args.min_len.is_some() || table.min_len.is_none(), "--min-len", "min-len").with(min_len);
        let most = of(args.max_len.is_some() || table.max_len.is_none(), "--max-len", "max-len").place();
        let message = format!("{least}: a sequence has at most {max_len} calls; raise {most}");
        return Err(Trouble::misused(message));
    }
    let is = |typed: bool, written: Option<bool>| typed || written.unwrap_or(false);
    let (mut numbers, mut strings) = seeds(args)?;
    numbers.splice(0..0, table.seed_numbers);
    strings.splice(0..0, table.seed_strings);
    let named =
        |typed: &[String], written: Vec<String>| if typed.is_empty() { written } else { typed.to_vec() };
    let reset = args.reset_cmd.clone().or(table.reset_cmd);
    let error_policy = match (args.none_may_fail, args.may_fail.is_empty(), table.may_fail) {
        (true, ..) => ErrorPolicy::Only(Vec::new()),
        (false, false, _) => ErrorPolicy::Only(args.may_fail.clone()),
        (false, true, Some(tools)) => ErrorPolicy::Only(tools),
        (false, true, None) => ErrorPolicy::Anywhere,
    };
    let fail_on = match (args.fail_on, &table.fail_on) {
        (Some(FailOn::Error), _) => Severity::Error,
        (Some(FailOn::Warning), _) => Severity::Warning,
        (Some(FailOn::Note), _) => Severity::Note,
        (None, Some(written)) => severity(&of(false, "", "fail-on"), written, "note, warning or error")?,
        (None, None) => usual.fail_on,
    };
    let mut levels = Vec::new();
    for (code, level) in &table.lints {
        levels.push(lint(&of(false, "", &format!("lints.{code}")), code, level)?);
    }
    for text in &args.lint {
        let Some((code, level)) = text.split_once('=') else {
            let message =
                format!("--lint {text}: write CHECK=LEVEL, such as no-crash=warning; a level is {LEVELS}");
            return Err(Trouble::misused(message));
        };
        let (code, level) = (code.trim(), level.trim());
        lint(&Origin::Flag("--lint"), code, "off")?;
        let level = lint(&Origin::Flag("--lint"), code, level);
        let wrong =
            |_| Trouble::misused(format!("--lint {text}: there is no such level; a level is {LEVELS}"));
        levels.push(level.map_err(wrong)?);
    }
    Ok(Options {
        n_sequences: args.runs.or(table.runs).unwrap_or(usual.n_sequences),
        min_len,
        max_len,
        seed: args.seed.or(table.seed).unwrap_or(usual.seed),
        sourcing: if is(args.lenient, table.lenient) { Sourcing::Lenient } else { Sourcing::Strict },
        numbers,
        strings,
        mine_text: if is(args.mine_text, table.mine_text) { MineText::Always } else { MineText::Never },
        limits,
        max_time: Some(max_time),
        sessions: if is(args.reuse_session, table.reuse_session) {
            SessionUse::Reused
        } else {
            SessionUse::Fresh
        },
        reset: reset.as_deref().map(shell),
        destructive: if is(args.allow_destructive, table.allow_destructive) {
            Destructive::Called
        } else {
            Destructive::Skipped
        },
        tools: ToolChoice {
            only: named(&args.tool, table.tools),
            except: named(&args.exclude_tool, table.exclude_tools),
            accept: None,
        },
        error_policy,
        fail_on,
        levels,
        coverage: coverage(args, table.coverage, file)?,
        ..usual
    })
}

fn coverage(args: &McpArgs, table: CoverageTable, file: &Path) -> Result<CoverageOptions, Trouble> {
    let CoverageTable { min_calls_per_tool, no_uncalled_tools, percent_called, allow, block, .. } = table;
    let typed = &args.coverage;
    let mut rules = Vec::new();
    rules.extend(typed.min_calls_per_tool.or(min_calls_per_tool).map(Rule::MinCallsPerTool));
    if typed.no_uncalled_tools || no_uncalled_tools.unwrap_or(false) {
        rules.push(Rule::NoUncalledTools);
    }
    let origin =
        Origin::of(typed.percent_called.is_some(), "--percent-called", file, "coverage.percent-called");
    rules.extend(percent(typed.percent_called.or(percent_called), &origin)?.map(Rule::PercentCalled));
    let named =
        |typed: &[String], written: Vec<String>| if typed.is_empty() { written } else { typed.to_vec() };
    Ok(CoverageOptions {
        allow: named(&typed.coverage_allow, allow),
        block: named(&typed.coverage_block, block),
        rules,
        ..CoverageOptions::default()
    })
}

/// A number of percent; what looks like a share from 0 to 1, which other options take, is more likely a slip.
fn percent(typed: Option<f64>, origin: &Origin) -> Result<Option<f64>, Trouble> {
    let Some(value) = typed else { return Ok(None) };
    let place = origin.with(value);
    let message = match value {
        _ if value > 0.0 && value < 1.0 => format!(
            "{place}: this is in percent, from 0 to 100; write {0} for {0} %, and at least 1",
            ((value * 10_000.0).round() / 100.0).max(1.0)
        ),
        _ if (0.0..=100.0).contains(&value) => return Ok(typed),
        _ => format!("{place}: give a number of percent from 0 to 100, such as 80"),
    };
    Err(Trouble::misused(message))
}

/// A number of seconds as a time.
pub(crate) fn seconds(origin: &Origin, value: Option<f64>, usual: Duration) -> Result<Duration, Trouble> {
    let Some(value) = value else { return Ok(usual) };
    let wrong = || Trouble::misused(format!("{}: give a number of seconds above 0", origin.with(value)));
    Duration::try_from_secs_f64(value).ok().filter(|limit| !limit.is_zero()).ok_or_else(wrong)
}

/// The numbers and strings of the flags, then those of the file, in their order.
fn seeds(args: &McpArgs) -> Result<(Vec<Number>, Vec<String>), Trouble> {
    let mut numbers = Vec::new();
    for text in &args.seed_number {
        let wrong = |_| Trouble::misused(format!("--seed-number {text}: this is not a JSON number"));
        numbers.push(text.parse().map_err(wrong)?);
    }
    let mut strings = args.seed_string.clone();
    if let Some(path) = &args.seeds {
        let value: Value = serde_json::from_str(&read_text(path)?).map_err(|error| in_file(path, &error))?;
        let mut corpus = Corpus::default();
        mine(&mut corpus, &json!({ "structuredContent": value }), 0, MineText::Never);
        debug_assert!((0..corpus.n_strings()).all(|at| !matches!(corpus.string(at), Some((_, Birth::Seed)))));
        numbers.extend(corpus.numbers().cloned());
        strings.extend(corpus.strings().map(str::to_owned));
    }
    Ok((numbers, strings))
}

fn lint(origin: &Origin, code: &str, level: &str) -> Result<(String, Level), Trouble> {
    if !CHECKS.iter().any(|check| check.code == code) {
        let known: Vec<&str> = CHECKS.iter().map(|check| check.code).collect();
        let known = known.join(", ");
        return Err(Trouble::misused(format!(
            "{}: {code:?} is not a check; there are: {known}",
            origin.place()
        )));
    }
    let level = if level == "off" { Level::Off } else { Level::At(severity(origin, level, LEVELS)?) };
    Ok((code.to_owned(), level))
}

/// How bad the findings of a check can be.
const LEVELS: &str = "off, note, warning or error";

/// The revisions of MCP that a server can be asked for.
const REVISIONS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

fn severity(origin: &Origin, text: &str, levels: &str) -> Result<Severity, Trouble> {
    match text {
        "note" => Ok(Severity::Note),
        "warning" => Ok(Severity::Warning),
        "error" => Ok(Severity::Error),
        _ => Err(Trouble::misused(format!("{}: write {levels}", origin.with_text(text)))),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use probity_drive::mcp::{Check, ContractOptions};

    use super::*;
    use crate::args::{Args, Command};

    #[test]
    fn the_annotated_configuration_is_read_and_names_every_check() {
        let file: File = toml::from_str(ANNOTATED).expect("what we print we can read");
        // A line would make milder findings of its check as bad as the others.
        assert!(file.mcp.lints.is_empty(), "{:?}", file.mcp.lints);
        let (_, lints) = ANNOTATED.split_once("[mcp.lints]").expect("a table of checks");
        let words =
            |text: &str| text.split_whitespace().filter(|word| *word != "#").collect::<Vec<_>>().join(" ");
        let told = words(lints);
        for Check { code, severity, description, .. } in CHECKS {
            let expected = words(&format!("{description} {code} = \"{severity}\""));
            assert!(told.contains(&expected), "{expected}");
        }
    }

    #[test]
    fn the_annotated_configuration_says_the_defaults() {
        let table = toml::from_str::<File>(ANNOTATED).expect("what we print we can read").mcp;
        let usual = Options::default();
        assert_eq!(table.runs, Some(usual.n_sequences));
        assert_eq!((table.min_len, table.max_len), (Some(usual.min_len), Some(usual.max_len)));
        assert_eq!(table.seed, Some(usual.seed));
        assert_eq!(table.timeout, Some(usual.limits.call.as_secs_f64()));
        assert_eq!(table.start_timeout, Some(usual.limits.start.as_secs_f64()));
        assert_eq!(table.max_time, usual.max_time.map(|limit| limit.as_secs_f64()));
        assert_eq!(table.fail_on, Some(usual.fail_on.to_string()));
        let command = ["probity", "mcp", "--", "server"];
        let Ok(Args { command: Command::Mcp(args) }) = Args::try_parse_from(command) else {
            panic!("{command:?} is a command")
        };
        let written = Contract::of(&args, &table.coverage, Path::new(USUAL)).expect("what we print is right");
        assert_eq!(written.options, ContractOptions::default());
    }
}
