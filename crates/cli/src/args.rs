//! What was typed: the commands, their options and their help.

pub(crate) mod idle;
pub(crate) mod openapi;
mod coverage;
mod mcp;
mod packaging;
mod serve;

use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{Parser, Subcommand, ValueEnum};

use crate::exit_code::Outcome;

pub(crate) use coverage::{
    CoverageArgs, CoverageCommand, CoverageMode, DiffArgs, MeasureArgs, MergeArgs, ReportForm,
};
pub(crate) use mcp::{ConfigArgs, FailOn, McpArgs, ReplayArgs};
pub(crate) use packaging::{CompletionsArgs, ManArgs};
pub(crate) use serve::ServeArgs;

/// What `--version` says; `-V` says the first line.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit: ",
    env!("PROBITY_COMMIT"),
    "\ntarget: ",
    env!("PROBITY_TARGET"),
    "\ncompiler: ",
    env!("PROBITY_COMPILER"),
);

/// Turns a machine-readable contract into tests.
#[derive(Debug, Parser)]
#[command(
    name = "probity",
    version,
    long_version = LONG_VERSION,
    about = "Turns a machine-readable contract into tests",
    after_help = "\
Start here:
  See it work, with nothing to set up:
    probity demo
  Ten valid instances of a JSON Schema:
    probity generate schema.json
  Few instances that show everything the schema says:
    probity generate schema.json --coverage guided
  A request and a response for every operation:
    probity openapi petstore.yaml
  What your own fixtures cover:
    probity coverage measure schema.json fixtures/
  What a live MCP server does against its contract:
    probity mcp -- node server.js
  All this as an MCP server, for an agent:
    probity serve

Exit codes: 0 done, 1 findings (an invalid instance, a regression), 2 wrong use or unreadable input, \
3 the server could not be reached, 4 coverage below the threshold, 70 a bug in probity."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Draw valid, varied, reproducible instances from a JSON Schema
    Generate(GenerateArgs),
    /// Draw whole requests and responses for the operations of an OpenAPI document
    Openapi(openapi::OpenapiArgs),
    /// Measure what instances cover, compare reports, unite them
    #[command(subcommand)]
    Coverage(CoverageCommand),
    /// Drive a live MCP server, find what breaks, and prove it
    Mcp(Box<McpArgs>),
    /// See a finding of `mcp` again, on a fresh server
    Replay(ReplayArgs),
    /// Be an MCP server, so that an agent can generate, measure and test
    Serve(ServeArgs),
    /// Print the annotated default configuration
    Config(ConfigArgs),
    /// Show what probity does, on a built-in contract and a built-in server
    Demo(DemoArgs),
    /// Print the completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for every command
    Man(ManArgs),
    /// The server that `demo` tests, over standard input and output
    #[command(hide = true)]
    DemoServer,
}

/// Options of `generate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Ten instances, one per line:
    probity generate schema.json
  A thousand, as a JSON array in a file:
    probity generate schema.json --n 1000 --out json -o fixtures.json
  Others, and again the same others:
    probity generate schema.json --seed 7
  A schema that refers to other files:
    probity generate order.json --ref-dir schemas/
    probity generate order.json --ref https://example.com/a.json=address.json
  Few instances that show everything the schema says, and a page about it:
    probity generate schema.json --coverage guided --coverage-html page.html
  Fail a CI job when less than 90 % is covered:
    probity generate schema.json --coverage guided --coverage-min 0.9
  A quarter of a large run in each of four jobs:
    probity generate schema.json --n 100000 --shard 1/4

The same schema, options and seed give the same bytes, on any machine and any number of threads. \
Nothing is ever fetched: a reference leads into the schema or into a file that you name.")]
pub(crate) struct GenerateArgs {
    /// The schema, as JSON or YAML; - reads standard input
    pub(crate) schema: PathBuf,

    /// How many instances; in a guided run, at most so many [default: 10, or as the coverage profile says]
    #[arg(long, short = 'n', value_name = "COUNT", allow_negative_numbers = true)]
    pub(crate) n: Option<u64>,

    /// Which instances: another seed gives others
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, default_value_t = 42)]
    pub(crate) seed: u64,

    /// How they are written
    #[arg(long, value_enum, default_value_t = Form::Ndjson)]
    pub(crate) out: Form,

    /// Write them to this file, whole or not at all, instead of standard output
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) contract: ContractArgs,

    #[command(flatten)]
    pub(crate) coverage: CoverageArgs,

    /// Whether and how coverage steers the run [default: off, or measure when a threshold or a report is asked for]
    #[arg(long = "coverage", value_name = "MODE", value_enum, help_heading = "Coverage")]
    pub(crate) mode: Option<CoverageMode>,

    #[command(flatten)]
    pub(crate) outcome: OutcomeArgs,

    /// How many threads draw; a guided run is planned by one [default: one per core]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "The run")]
    pub(crate) threads: Option<usize>,

    /// Only this part of the run: the first of four is 1/4; all parts in order are the whole run
    #[arg(long, value_name = "I/N", help_heading = "The run")]
    pub(crate) shard: Option<String>,

    /// Nesting past which only what is required is drawn
    #[arg(long, value_name = "LEVELS", default_value_t = 6, help_heading = "The run")]
    pub(crate) max_depth: u32,

    /// Say on standard error where the time went and what was mended or thrown away
    #[arg(long, help_heading = "The run")]
    pub(crate) metrics: bool,

    /// Say nothing on standard error but errors
    #[arg(long, short, help_heading = "The run")]
    pub(crate) quiet: bool,
}

/// What CI is told.
#[derive(Debug, clap::Args)]
pub(crate) struct OutcomeArgs {
    /// Write what was judged for CI (JUnit XML) to this file
    #[arg(long, value_name = "FILE", help_heading = "The outcome")]
    pub(crate) junit: Option<PathBuf>,

    /// Add a summary in Markdown to the end of this file, such as the one that GitHub shows with a job
    #[arg(long, value_name = "FILE", help_heading = "The outcome")]
    pub(crate) summary: Option<PathBuf>,
}

impl OutcomeArgs {
    /// What is written, with the flags that say so.
    pub(crate) fn goals(&self) -> [(&'static str, Option<&Path>); 2] {
        let Self { junit, summary } = self;
        [("--junit", junit.as_deref()), ("--summary", summary.as_deref())]
    }
}

/// How a JSON Schema is read.
#[derive(Debug, clap::Args)]
pub(crate) struct ContractArgs {
    /// The dialect, whatever the schema says of itself: 4, 6, 7, 2019-09 or 2020-12
    #[arg(long, value_name = "DRAFT", help_heading = "The contract")]
    pub(crate) draft: Option<String>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How any contract is read.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadingArgs {
    /// Whether "format" is a demand or a remark
    #[arg(long, value_enum, default_value_t = FormatMode::Assert, help_heading = "The contract")]
    pub(crate) formats: FormatMode,

    /// A document that references may lead to; the URI as they write it or in full, the file seen from here; may be repeated
    #[arg(long = "ref", value_name = "URI=FILE", help_heading = "The contract")]
    pub(crate) references: Vec<String>,

    /// A folder of such documents, each by its $id and by its path seen from the contract; may be repeated
    #[arg(long, value_name = "DIR", help_heading = "The contract")]
    pub(crate) ref_dir: Vec<PathBuf>,
}

/// Options of `demo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Everything, in a few seconds:
    probity demo
  The files somewhere else:
    probity demo -o /tmp/probity

The server that is tested is built in too: `probity mcp --runs 200 -- probity demo-server` drives it like any \
other and finds its bug.")]
pub(crate) struct DemoArgs {
    /// The folder for the files that the demonstration leaves
    #[arg(short = 'o', long = "output", value_name = "DIR", default_value = "probity-demo")]
    pub(crate) output: PathBuf,
}

/// How instances are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// One instance per line
    Ndjson,
    /// One JSON array, an instance per line
    Json,
    /// One JSON array, indented
    Pretty,
}

/// What `format` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatMode {
    /// A string must have the format
    Assert,
    /// Any string will do
    Annotate,
}

/// The command line as data, for completions and manual pages.
pub(crate) fn described() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

/// Reads the command line; help and mistakes are answered here.
pub(crate) fn parse() -> Result<Args, Outcome> {
    let mut described = described();
    let read = described.try_get_matches_from_mut(std::env::args_os()).and_then(|typed| {
        idle::check(&mut described, &typed)?;
        <Args as clap::FromArgMatches>::from_arg_matches(&typed)
    });
    read.map_err(|mut answer| {
        let is_word =
            |value: &ContextValue| matches!(value, ContextValue::String(word) if !word.starts_with('-'));
        let takes_server =
            std::env::args().nth(1).is_some_and(|command| matches!(command.as_str(), "mcp" | "replay"));
        if takes_server && answer.get(ContextKind::InvalidArg).is_some_and(is_word) {
            let tip = "a server's command comes after --, as in `-- python3 server.py`";
            answer.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        // Help and version come this way too; they belong on standard output, and a closed one is no trouble.
        let _ = answer.print();
        if answer.use_stderr() { Outcome::Misused } else { Outcome::Done }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command that does something, with its name.
    fn leaves(command: &clap::Command, name: &str) -> Vec<(String, clap::Command)> {
        let below: Vec<&clap::Command> =
            command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help").collect();
        if below.is_empty() {
            return vec![(name.to_owned(), command.clone())];
        }
        below.into_iter().flat_map(|one| leaves(one, &format!("{name} {}", one.get_name()))).collect()
    }

    #[test]
    fn the_command_line_is_in_order_and_every_command_has_examples() {
        described().debug_assert();
        for (name, command) in leaves(&described(), "probity") {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(
                help.contains("Examples:\n") && help.contains(&name),
                "{name} shows no examples of itself"
            );
        }
    }

    #[test]
    fn what_follows_the_options_fits_eighty_columns_or_is_prose_that_wraps_by_itself() {
        let mut commands = leaves(&described(), "probity");
        commands.push(("probity".to_owned(), described()));
        for (name, command) in commands {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for paragraph in help.split("\n\n") {
                let is_prose = paragraph.lines().count() == 1;
                for line in paragraph.lines().filter(|_| !is_prose) {
                    assert!(line.chars().count() <= 80, "{name}: {line}");
                }
            }
        }
    }

    #[test]
    fn a_flag_has_one_meaning_in_all_commands() {
        let mut known: std::collections::BTreeMap<String, (String, Option<char>, bool)> =
            std::collections::BTreeMap::new();
        for (name, command) in leaves(&described(), "probity") {
            for flag in command.get_arguments().filter(|flag| flag.get_long().is_some()) {
                let long = flag.get_long().unwrap_or_default().to_owned();
                let takes = flag.get_action().takes_values();
                let (first, short, took) =
                    known.entry(long.clone()).or_insert_with(|| (name.clone(), flag.get_short(), takes));
                assert_eq!(
                    (*short, *took),
                    (flag.get_short(), takes),
                    "--{long} of {name} is not that of {first}"
                );
            }
        }
    }
}
