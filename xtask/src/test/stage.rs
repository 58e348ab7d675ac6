//! The stages of `cargo xtask test`: cheap and telling first, the test runner and its summary last.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use probity_testkit::skip::SKIP_LOG;
use probity_testkit::workspace;

use crate::deps;
use crate::process::{self, ProcessError};
use crate::test::count::Count;
use probity_testkit::trouble::Trouble;

/// A part of the test that can be run alone; it adds what its runner counted.
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) run: fn(skip_log: &Path, count: &mut Count) -> Result<(), Trouble>,
}

/// Every stage, in the order it runs.
pub(super) const STAGES: &[Stage] = &[
    Stage { name: "deps", about: "what the tests need beside Rust", run: |_, _| deps::run(&[]) },
    Stage { name: "fmt", about: "every file is formatted", run: |_, _| plain(&["fmt", "--all", "--check"]) },
    Stage { name: "clippy", about: "no lint has anything to say", run: |_, _| plain(CLIPPY) },
    Stage { name: "doc", about: "the examples in the documentation hold", run: run_doc_tests },
    Stage { name: "examples", about: "every example runs", run: |_, _| run_examples() },
    Stage { name: "unit", about: "every test passes, the house rules among them", run: run_tests },
];

const CLIPPY: &[&str] = &["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"];
const DOC_TESTS: &[&str] = &["test", "--workspace", "--doc", "--locked", "--no-fail-fast"];
const NEXTEST: &[&str] = &["nextest", "run", "--workspace", "--locked", "--no-fail-fast"];
/// Without nextest; the documentation and the examples have stages of their own.
const CARGO_TEST: &[&str] = &["test", "--workspace", "--tests", "--locked", "--no-fail-fast"];

/// How long a stage may take before it counts as hanging.
const LIMIT: Duration = Duration::from_secs(3600);

fn plain(arguments: &[&str]) -> Result<(), Trouble> {
    process::run(process::cargo(arguments), LIMIT).map_err(|error| repeatable(&error, arguments))
}

fn run_doc_tests(skip_log: &Path, count: &mut Count) -> Result<(), Trouble> {
    counted(DOC_TESTS, skip_log, count)
}

fn run_tests(skip_log: &Path, count: &mut Count) -> Result<(), Trouble> {
    let mut probe = process::cargo(&["nextest", "--version"]);
    let has_nextest = probe.output().is_ok_and(|output| output.status.success());
    counted(if has_nextest { NEXTEST } else { CARGO_TEST }, skip_log, count)
}

fn counted(arguments: &[&str], skip_log: &Path, count: &mut Count) -> Result<(), Trouble> {
    let mut command = process::cargo(arguments);
    command.env(SKIP_LOG, skip_log);
    let transcript = process::tee(command, LIMIT).map_err(|error| repeatable(&error, arguments))?;
    count.add(Count::read(&transcript.text));
    transcript.ending.map_err(|error| repeatable(&error, arguments))
}

fn run_examples() -> Result<(), Trouble> {
    for Example { package, name } in examples(&workspace::root().join("crates"))? {
        println!("-- {package}: {name}");
        plain(&["run", "--quiet", "--locked", "--package", &package, "--example", &name])?;
    }
    Ok(())
}

/// A program in a crate's `examples` folder.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Example {
    package: String,
    name: String,
}

/// Every example of every crate in a folder, by package and name.
fn examples(crates: &Path) -> Result<Vec<Example>, Trouble> {
    let mut examples = Vec::new();
    for folder in children(crates)? {
        let inside = folder.join("examples");
        let programs = if inside.is_dir() { children(&inside)? } else { Vec::new() };
        for path in programs.iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            examples.extend(name.map(|name| Example { package: package_name(&folder), name }));
        }
    }
    examples.sort();
    Ok(examples)
}

fn children(folder: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let unreadable = |error| Trouble::failed(format!("{} cannot be read: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(unreadable)).collect()
}

/// The name a crate gives itself: the first `name = ".."` of its manifest, which stands under `[package]`.
fn package_name(folder: &Path) -> String {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let named = manifest.lines().find_map(|line| line.strip_prefix("name = \""));
    named.map_or_else(String::new, |rest| rest.trim_end_matches('"').to_owned())
}

fn repeatable(error: &ProcessError, arguments: &[&str]) -> Trouble {
    let mut command = Command::new("cargo");
    command.args(arguments);
    Trouble::failed(format!("{error}\nto repeat the command: {}", process::line(&command)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_found_with_the_package_they_belong_to() {
        let folder = std::env::temp_dir().join(format!("probity-examples-{}", std::process::id()));
        let crate_folder = folder.join("engine");
        std::fs::create_dir_all(crate_folder.join("examples")).expect("temporary folders are writable");
        let write = |name: &str, text: &str| {
            std::fs::write(crate_folder.join(name), text).expect("temporary files are writable");
        };
        write("Cargo.toml", "[package]\nname = \"probity\"\n");
        write("examples/store.rs", "fn main() {}");
        write("examples/counter.rs", "fn main() {}");
        write("examples/notes.md", "");
        let found = examples(&folder);
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        let names: Vec<String> = found
            .expect("the folder is readable")
            .into_iter()
            .map(|Example { package, name }| format!("{package} {name}"))
            .collect();
        assert_eq!(names, ["probity counter", "probity store"]);
    }
}
