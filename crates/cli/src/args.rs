//! What was typed: the commands, their options and their help.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::exit_code::Outcome;

/// Turns a machine-readable contract into tests.
#[derive(Debug, Parser)]
#[command(
    name = "probity",
    version,
    about = "Turns a machine-readable contract into tests",
    after_help = "\
Start here:
  probity demo                          see it work on a built-in contract
  probity generate schema.json          ten valid instances of a JSON Schema

Exit codes: 0 done, 2 wrong use or unreadable input, 70 a bug in probity."
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
    /// Show what probity does, on a built-in contract
    Demo(DemoArgs),
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
    probity generate order.json --ref https://example.com/address.json=address.json
  A quarter of a large run in each of four jobs:
    probity generate schema.json --n 100000 --shard 1/4

The same schema, options and seed give the same bytes, on any machine and any number of threads.
Nothing is ever fetched: a reference leads into the schema or into a file that you name.")]
pub(crate) struct GenerateArgs {
    /// The schema, as JSON or YAML; - reads standard input
    pub(crate) schema: PathBuf,

    /// How many instances
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 10)]
    pub(crate) n: u64,

    /// Which instances: another seed gives others
    #[arg(long, value_name = "NUMBER", default_value_t = 42)]
    pub(crate) seed: u64,

    /// How they are written
    #[arg(long, value_enum, default_value_t = Form::Ndjson)]
    pub(crate) out: Form,

    /// Write them to this file, whole or not at all, instead of standard output
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// The dialect, whatever the schema says of itself: 4, 6, 7, 2019-09 or 2020-12
    #[arg(long, value_name = "DRAFT", help_heading = "The contract")]
    pub(crate) draft: Option<String>,

    /// Whether "format" is a demand or a remark
    #[arg(long, value_enum, default_value_t = FormatMode::Assert, help_heading = "The contract")]
    pub(crate) formats: FormatMode,

    /// A document that references may lead to; may be repeated
    #[arg(long = "ref", value_name = "URI=FILE", help_heading = "The contract")]
    pub(crate) references: Vec<String>,

    /// A folder of such documents, each by its $id and by its path seen from the schema; may be repeated
    #[arg(long, value_name = "DIR", help_heading = "The contract")]
    pub(crate) ref_dir: Vec<PathBuf>,

    /// How many threads draw [default: one per core]
    #[arg(long, value_name = "COUNT", help_heading = "The run")]
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

/// Options of `demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {}

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

/// Reads the command line; help and mistakes are answered here.
pub(crate) fn parse() -> Result<Args, Outcome> {
    Args::try_parse().map_err(|answer| {
        // Help and version come this way too; they belong on standard output, and a closed one is no trouble.
        let _ = answer.print();
        if answer.use_stderr() { Outcome::Misused } else { Outcome::Done }
    })
}
