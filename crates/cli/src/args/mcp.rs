//! What can be typed after `probity mcp`, `probity replay` and `probity config`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::{CoverageArgs, CoverageMode, OutcomeArgs};

/// Options of `mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Test a server that is started as a program:
    probity mcp -- node server.js
  What does it offer, and what could be called?
    probity mcp --list -- node server.js
  Values that only you know, such as a folder it may read:
    probity mcp --seed-string /srv/files -- my-files-server /srv/files
  Let values be made up where none is known:
    probity mcp --lenient -- node server.js
  A server over HTTP, in CI:
    probity mcp --url http://localhost:8080/mcp --junit mcp.xml --json mcp.json
  What of the tools' contracts was shown, and calls aimed at the rest:
    probity mcp --coverage guided --coverage-html page.html -- node server.js
  See a finding again:
    probity replay probity-replays/1-no-crash.json

Every finding is replayed on a fresh server before it is reported, as steady, needs-sequence, flaky or unconfirmed. Tools \
marked destructive are not called unless --allow-destructive. Options may also stand in probity.toml; see `probity config`.

Exit codes: 0 the contract was kept, 1 findings (or nothing could be tested), 2 wrong use, 3 the server could not be reached \
or the run was interrupted, 4 a coverage rule is broken, or coverage is below the threshold.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that a person types")]
pub(crate) struct McpArgs {
    /// The server: a program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,

    /// The server's address, instead of a program
    #[arg(long, value_name = "URL", help_heading = "The server")]
    pub(crate) url: Option<String>,

    /// An HTTP header; may be repeated
    #[arg(long, value_name = "NAME: VALUE", help_heading = "The server")]
    pub(crate) header: Vec<String>,

    /// The environment variable that holds a bearer token for the address
    #[arg(long, value_name = "NAME", help_heading = "The server")]
    pub(crate) bearer_env: Option<String>,

    /// An environment variable for the program; may be repeated
    #[arg(long, value_name = "NAME=VALUE", help_heading = "The server")]
    pub(crate) env: Vec<String>,

    /// The directory the program runs in
    #[arg(long, value_name = "DIR", help_heading = "The server")]
    pub(crate) cwd: Option<PathBuf>,

    /// The protocol revision to ask for [default: what the server speaks]
    #[arg(long, value_name = "REVISION", help_heading = "The server")]
    pub(crate) protocol: Option<String>,

    /// Use one session for all sequences; for servers that are slow to start
    #[arg(long, help_heading = "The server")]
    pub(crate) reuse_session: bool,

    /// A shell command that puts the server's data back to its first state, run before each session
    #[arg(long, value_name = "COMMAND", help_heading = "The server")]
    pub(crate) reset_cmd: Option<String>,

    /// How many sequences of calls [default: 50]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "The run")]
    pub(crate) runs: Option<u32>,

    /// Fewest calls in a sequence; the run fails if a sequence cannot have so many [default: 1]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "The run")]
    pub(crate) min_len: Option<usize>,

    /// Most calls in a sequence [default: 20, or --min-len if that is more]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "The run")]
    pub(crate) max_len: Option<usize>,

    /// Which sequences: another seed gives others [default: 42]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "The run")]
    pub(crate) seed: Option<u64>,

    /// Most seconds for one call [default: 30]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = "The run")]
    pub(crate) timeout: Option<f64>,

    /// Most seconds until the server has started [default: 20]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = "The run")]
    pub(crate) start_timeout: Option<f64>,

    /// Most seconds for the whole run [default: 600]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = "The run")]
    pub(crate) max_time: Option<f64>,

    /// Make up numbers and strings where no known value fits
    #[arg(long, help_heading = "Values")]
    pub(crate) lenient: bool,

    /// A string that is known from the start; may be repeated
    #[arg(long, value_name = "TEXT", help_heading = "Values")]
    pub(crate) seed_string: Vec<String>,

    /// A number that is known from the start; may be repeated
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Values")]
    pub(crate) seed_number: Vec<String>,

    /// A JSON file of values that are known from the start; every number, string and key in it counts
    #[arg(long, value_name = "FILE", help_heading = "Values")]
    pub(crate) seeds: Option<PathBuf>,

    /// Take values from the texts of answers too, not only from structured content
    #[arg(long, help_heading = "Values")]
    pub(crate) mine_text: bool,

    /// Call only this tool; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Tools")]
    pub(crate) tool: Vec<String>,

    /// Do not call this tool; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Tools")]
    pub(crate) exclude_tool: Vec<String>,

    /// Call tools that are marked destructive too
    #[arg(long, help_heading = "Tools")]
    pub(crate) allow_destructive: bool,

    /// Only this tool may answer with an error; may be repeated [default: any may]
    #[arg(long, value_name = "NAME", help_heading = "Tools")]
    pub(crate) may_fail: Vec<String>,

    /// No tool may answer with an error
    #[arg(long, conflicts_with = "may_fail", help_heading = "Tools")]
    pub(crate) none_may_fail: bool,

    #[command(flatten)]
    pub(crate) coverage: ToolCoverageArgs,

    /// Whether the contracts of tools are measured, and calls aimed at what was not hit yet [default: off, or measure when a threshold or a report is asked for]
    #[arg(long = "coverage", value_enum, help_heading = "Coverage")]
    pub(crate) mode: Option<CoverageMode>,

    #[command(flatten)]
    pub(crate) contract: CoverageArgs,

    /// How bad a finding must be for exit code 1 [default: error]
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = "The outcome")]
    pub(crate) fail_on: Option<FailOn>,

    /// How bad the findings of a check are: off, note, warning or error; may be repeated
    #[arg(long, value_name = "CHECK=LEVEL", help_heading = "The outcome")]
    pub(crate) lint: Vec<String>,

    /// Write the report (probity-mcp-report/v1, JSON) to this file; - for standard output; with --list, the list
    #[arg(long, value_name = "FILE", help_heading = "The outcome")]
    pub(crate) json: Option<PathBuf>,

    /// Write the report for CI (JUnit XML) to this file
    #[arg(long, value_name = "FILE", help_heading = "The outcome")]
    pub(crate) junit: Option<PathBuf>,

    /// Add a summary in Markdown to the end of this file, such as the one that GitHub shows with a job
    #[arg(long, value_name = "FILE", help_heading = "The outcome")]
    pub(crate) summary: Option<PathBuf>,

    /// Write the report as a page to this file
    #[arg(long, value_name = "FILE", help_heading = "The outcome")]
    pub(crate) html: Option<PathBuf>,

    /// Write every call and its answer to this file, one JSON object per line
    #[arg(long, value_name = "FILE", help_heading = "The outcome")]
    pub(crate) trace: Option<PathBuf>,

    /// Where findings are written for `probity replay`; those of earlier runs stay unless they are written over
    #[arg(long, value_name = "DIR", default_value = "probity-replays", help_heading = "The outcome")]
    pub(crate) replay_dir: PathBuf,

    /// Say what the server offers and what could be called with the seeds, and call nothing
    #[arg(long, help_heading = "The outcome")]
    pub(crate) list: bool,

    /// The configuration [default: probity.toml, if it is there]
    #[arg(long, value_name = "FILE", help_heading = "The outcome")]
    pub(crate) config: Option<PathBuf>,

    /// Say nothing on standard error but errors
    #[arg(long, short, help_heading = "The outcome")]
    pub(crate) quiet: bool,
}

/// What is expected of the calls; none of it changes which tools are called.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolCoverageArgs {
    /// Every tool succeeds at least so often
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Coverage")]
    pub(crate) min_calls_per_tool: Option<u64>,

    /// Every tool succeeds at least once
    #[arg(long, help_heading = "Coverage")]
    pub(crate) no_uncalled_tools: bool,

    /// So many percent, from 0 to 100, of the tools that can be called succeed at least once
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, help_heading = "Coverage")]
    pub(crate) percent_called: Option<f64>,

    /// Only this tool counts; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Coverage")]
    pub(crate) coverage_allow: Vec<String>,

    /// This tool does not count; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Coverage")]
    pub(crate) coverage_block: Vec<String>,
}

/// How bad a finding must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// The contract or the protocol is broken
    Error,
    /// Some clients will stumble
    Warning,
    /// Worth knowing
    Note,
}

/// Options of `replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Is it still there?
    probity replay probity-replays/1-no-crash.json
  Ten times, for a finding that is flaky:
    probity replay probity-replays/1-no-crash.json --times 10
  On another build of the server:
    probity replay probity-replays/1-no-crash.json -- node other/server.js

Exit codes: 0 the finding did not show, 1 it did, 2 wrong use, 3 the server could not be reached.")]
pub(crate) struct ReplayArgs {
    /// A finding, as `probity mcp` wrote it
    pub(crate) file: PathBuf,

    /// Another server than the one in the file: a program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,

    /// Another address than the one in the file
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// An HTTP header; may be repeated
    #[arg(long, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,

    /// The environment variable that holds a bearer token for the address
    #[arg(long, value_name = "NAME")]
    pub(crate) bearer_env: Option<String>,

    /// An environment variable for the program; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,

    /// The directory the program runs in [default: as in the file; of a program after --, the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// A shell command that puts the server's data back to its first state, run before each session
    #[arg(long, value_name = "COMMAND")]
    pub(crate) reset_cmd: Option<String>,

    /// How often
    #[arg(long, short = 'n', value_name = "COUNT", allow_negative_numbers = true, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) times: u32,

    /// Most seconds for one call [default: as in the file]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,

    /// Write what came of it (probity-replayed/v1, JSON) to this file; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) outcome: OutcomeArgs,

    /// Say nothing on standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Options of `config`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Begin with every option and every check at its default:
    probity config > probity.toml

`probity mcp` reads probity.toml in the current folder, or what --config names. The command line overrules it.")]
pub(crate) struct ConfigArgs {}
