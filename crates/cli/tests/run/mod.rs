//! Running the program as a person would: arguments, standard input, and what came of it.

use std::fs::File;
use std::io::Write;
use std::process::{Child, Command, Stdio};

/// What came of a run.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    #[allow(dead_code, reason = "each test file uses what it needs")]
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program with standard input.
pub(crate) fn probity(arguments: &[&str], input: &str) -> Run {
    finish(start(arguments, input, Stdio::piped()))
}

/// Runs it with nobody reading its output.
#[allow(dead_code, reason = "each test file uses what it needs")]
pub(crate) fn into_closed_pipe(arguments: &[&str], input: &str) -> Option<i32> {
    let mut child = start(arguments, input, Stdio::piped());
    drop(child.stdout.take());
    child.wait().expect("the program ends").code()
}

/// Runs it with an output that takes nothing.
#[allow(dead_code, reason = "each test file uses what it needs")]
pub(crate) fn into_full_device(arguments: &[&str], input: &str) -> Run {
    let full = File::options().write(true).open("/dev/full").expect("a device that is always full");
    finish(start(arguments, input, Stdio::from(full)))
}

fn start(arguments: &[&str], input: &str, stdout: Stdio) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_probity"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let input = input.to_owned();
    // A program that refuses its arguments does not read; a broken pipe here is no failure of the test.
    std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    child
}

fn finish(child: Child) -> Run {
    let output = child.wait_with_output().expect("the program ends");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
