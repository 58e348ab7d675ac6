//! What was typed after `probity openapi`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::{CoverageArgs, CoverageMode, OutcomeArgs, ReadingArgs};

/// Options of `openapi`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  One request and one response for every operation, a line each:
    probity openapi petstore.yaml
  What is there, with the keys that --operation takes:
    probity openapi petstore.yaml --list
  Five whole requests of one operation, to paste into a shell:
    probity openapi petstore.yaml --operation createPet --part request \\
      --per-operation 5 --curl
  By method and path, and by tag; * stands for anything:
    probity openapi petstore.yaml --operation 'GET /pets/*' --tag admin
  Bodies of error responses, for a mock server:
    probity openapi petstore.yaml --part response --status 4XX \\
      --out dir -o mocks/
  Few cases that show all that requests and responses in JSON may hold,
  errors included, with a page about it:
    probity openapi petstore.yaml --status all --coverage guided \\
      --coverage-html page.html
  A description that is split over files:
    probity openapi api/openapi.yaml --ref-dir api/

A line is {operation, part, status?, mediaType?, instance?, parameters?, request?}: the instance is the body, parameters are \
values by place and name, the request is what to send. --out dir writes DIR/index.json, DIR/OPERATION/requests/N.json (such \
lines) and DIR/OPERATION/responses/STATUS/N.json (bodies alone); the index names the status of a call that succeeds, and counts 0 \
files where a response has no body; files of an earlier run that are not written over stay, and are told.

The same description, options and seed give the same bytes; a case does not depend on which other operations are selected.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct OpenapiArgs {
    /// The OpenAPI 3.0 or 3.1 document, as JSON or YAML; - reads standard input
    pub(crate) spec: PathBuf,

    /// Only this operation: its id, or "METHOD /path"; * stands for any text, as in "* /pets"; may be repeated
    #[arg(long, value_name = "KEY", help_heading = "Operations")]
    pub(crate) operation: Vec<String>,

    /// Only operations with this tag; may be repeated
    #[arg(long, value_name = "TAG", help_heading = "Operations")]
    pub(crate) tag: Vec<String>,

    /// Only this part; all is whole requests and responses
    #[arg(long, value_enum, default_value_t = PartName::All, help_heading = "Operations")]
    pub(crate) part: PartName,

    /// Responses with this status instead of the first success in JSON: 404, 4XX, default or all; may be repeated
    #[arg(long, value_name = "STATUS", help_heading = "Operations")]
    pub(crate) status: Vec<String>,

    /// List the operations with their keys, schemas, number of targets and what is broken, and write nothing
    #[arg(long, help_heading = "Operations")]
    pub(crate) list: bool,

    /// With --list: write the list (probity-openapi-list/v1, JSON) to this file; - for standard output
    #[arg(long, value_name = "FILE", requires = "list", help_heading = "Operations")]
    pub(crate) json: Option<PathBuf>,

    /// At most so many cases in all, shared fairly among the parts of all operations
    #[arg(long, short = 'n', value_name = "COUNT", allow_negative_numbers = true)]
    pub(crate) n: Option<u64>,

    /// So many cases for each part of each operation; in a guided run, at most so many [default: 1, or as the coverage profile says]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub(crate) per_operation: Option<u64>,

    /// Which cases: another seed gives others
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, default_value_t = 42)]
    pub(crate) seed: u64,

    /// How they are written
    #[arg(long, value_enum, default_value_t = CaseForm::Ndjson)]
    pub(crate) out: CaseForm,

    /// Write them to this file, whole or not at all, or into this folder, instead of standard output
    #[arg(short = 'o', long = "output", value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Write requests as curl commands, a line each, or a file each with --out dir
    #[arg(long)]
    pub(crate) curl: bool,

    /// The server in curl commands [default: the first that the document names]
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Exit with 2 when any part of the document is broken or cannot be made, instead of serving the rest
    #[arg(long, help_heading = "The contract")]
    pub(crate) strict: bool,

    /// Whether and how coverage steers the run [default: off, or measure when a threshold or a report is asked for]
    #[arg(long = "coverage", value_name = "MODE", value_enum, help_heading = "Coverage")]
    pub(crate) mode: Option<CoverageMode>,

    #[command(flatten)]
    pub(crate) coverage: CoverageArgs,

    #[command(flatten)]
    pub(crate) outcome: OutcomeArgs,

    /// Write what is broken or not made for code scanning (SARIF 2.1.0) to this file
    #[arg(long, value_name = "FILE", help_heading = "The outcome")]
    pub(crate) sarif: Option<PathBuf>,

    /// How many threads plan a guided run; any other run takes one, and the cases do not depend on it [default: one per core]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "The run")]
    pub(crate) threads: Option<usize>,

    /// Say nothing on standard error but errors
    #[arg(long, short, help_heading = "The run")]
    pub(crate) quiet: bool,
}

/// Which part of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartName {
    /// Whole requests
    Request,
    /// Bodies of responses
    Response,
    /// Parameters of requests alone
    Parameters,
    /// Whole requests and bodies of responses
    All,
}

/// How cases are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CaseForm {
    /// One case per line
    Ndjson,
    /// A folder of files, by operation
    Dir,
}
