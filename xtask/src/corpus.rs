//! Starts the run over a folder of schemas, which is a program of its own: `xtask/corpus`.
//!
//! It needs the whole pipeline, and optimised; the other chores should not wait for that to be built.

use std::time::Duration;

use crate::deps;
use crate::process::{self, ProcessError};
use probity_testkit::trouble::Trouble;

pub(crate) const ARGUMENTS: &str = "DIR [--n N] [--seed S] [--part NAME]";
pub(crate) const ABOUT: &str =
    "Draw N instances (100, or 10 for the test suite) from every schema in a folder and print what
      our validator and AJV say of them, how varied they are, and whether the bytes are always the same.
      DIR is any folder of .json, .yaml or .yml schemas, or one laid out as the shared corpus.
      --part takes the beginning of a part's name, such as jsts or schemastore.";

/// How long a run may take, its build included.
const LIMIT: Duration = Duration::from_secs(4 * 3600);

pub(crate) fn run(arguments: &[String]) -> Result<(), Trouble> {
    if arguments.is_empty() {
        return Err(Trouble::usage(format!("corpus needs a folder of schemas: {ARGUMENTS}")));
    }
    deps::run(&[])?;
    let mut command = process::cargo(&["run", "--release", "--quiet", "--package", "xtask-corpus", "--"]);
    // A relative folder is meant from where we were called, not from the workspace.
    command.args(arguments).current_dir(std::env::current_dir().unwrap_or_default());
    process::run(command, LIMIT).map_err(|error| match error {
        ProcessError::Unsuccessful { line: _, status } => {
            Trouble::Told { exit_code: status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1) }
        }
        ProcessError::Missing { .. } | ProcessError::Unstartable { .. } | ProcessError::TooLong { .. } => {
            Trouble::failed(error.to_string())
        }
    })
}
