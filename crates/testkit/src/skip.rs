//! Saying aloud that a test could not look at what it wanted to look at.
//!
//! A test runner shows nothing of a test that passes, so each skip is also written to the file named by
//! [`SKIP_LOG`], which `cargo xtask test` reads: what was skipped is listed and counted at the end of its run.

use std::fs::OpenOptions;
use std::io::Write as _;

/// The environment variable that names the file in which skips are gathered.
pub const SKIP_LOG: &str = "PROBITY_SKIP_LOG";

/// Says that the running test stops here, and why.
///
/// ```
/// # fn main() {
/// let Some(corpus) = probity_testkit::corpus::Corpus::beside_workspace() else {
///     return probity_testkit::skip("there is no corpus beside the workspace");
/// };
/// # let _ = corpus;
/// # }
/// ```
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let line = format!("skipped: {}: {reason}\n", thread.name().unwrap_or("a test"));
    eprint!("{line}");
    let Some(path) = std::env::var_os(SKIP_LOG) else { return };
    let appended = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut log| log.write_all(line.as_bytes()));
    if let Err(error) = appended {
        eprintln!("the file named by {SKIP_LOG} cannot be written: {error}");
    }
}
