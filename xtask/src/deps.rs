//! Installs what the tests run beside Probity: npm packages and Python environments, pinned, in an ignored folder, and a
//! browser if that is possible.
//!
//! What to install is said by files alone: `testdeps/npm/package-lock.json`, and for each `testdeps/python/NAME.txt`
//! an environment of its own, because two Python servers may need versions of one library that exclude each other.
//! A copy of the list is kept beside what was installed from it; while they are the same there is nothing to do.

use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use probity_testkit::{browser, workspace};

use crate::process::{self, ProcessError};
use probity_testkit::trouble::{Trouble, no_arguments};

pub(crate) const ABOUT: &str =
    "Install what the tests need (AJV, real MCP servers) into .deps; quick if nothing changed.";

/// How long one attempt to install may take.
const LIMIT: Duration = Duration::from_secs(600);
/// How long to wait before each further attempt, because networks fail for moments.
const WAITS: &[Duration] = &[Duration::from_secs(2), Duration::from_secs(10)];

pub(crate) fn run(arguments: &[String]) -> Result<(), Trouble> {
    no_arguments("deps", arguments)?;
    install(&workspace::root().join("testdeps"), &workspace::deps())
}

/// Installs what the lists in one folder name into another folder.
fn install(lists: &Path, into: &Path) -> Result<(), Trouble> {
    fs::create_dir_all(into).map_err(|error| unwritable(into, &error))?;
    // Two runs at once must not install over each other; the second one then finds its work done.
    let lock_path = into.join("lock");
    let lock = File::create(&lock_path).map_err(|error| unwritable(&lock_path, &error))?;
    lock.lock().map_err(|error| unwritable(&lock_path, &error))?;
    install_npm(&lists.join("npm"), &into.join("npm"))?;
    for (name, list) in python_lists(&lists.join("python"))? {
        install_python(&list, &into.join("python").join(name))?;
    }
    offer_browser();
    Ok(())
}

/// Installs Chromium where Debian's packages can be had; tests of pages say that they were skipped without it.
fn offer_browser() {
    if browser::chromium().is_some() {
        println!("Chromium: there already");
        return;
    }
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--no-install-recommends", "chromium"])
        .env("DEBIAN_FRONTEND", "noninteractive");
    if let Err(error) = process::run(apt, LIMIT) {
        println!("Chromium: not installed ({error}); tests of pages will be skipped");
    }
}

fn install_npm(list: &Path, into: &Path) -> Result<(), Trouble> {
    let lock = read(&list.join("package-lock.json"))?;
    if is_installed(into, &lock) {
        println!("npm packages: up to date");
        return Ok(());
    }
    fs::create_dir_all(into).map_err(|error| unwritable(into, &error))?;
    for name in ["package.json", "package-lock.json", ".npmrc"] {
        fs::copy(list.join(name), into.join(name)).map_err(|error| unwritable(&into.join(name), &error))?;
    }
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    patiently(|| {
        let mut npm = Command::new(program);
        npm.args(["ci", "--no-audit", "--no-fund"]).current_dir(into);
        // npm's own waits of up to a minute would make a machine without a network wait for many.
        npm.args(["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"]);
        npm
    })
    .map_err(|error| {
        needs(&error, "Node.js 20 or newer (with npm)", "what our tests compare with and drive")
    })?;
    mark_installed(into, &lock)
}

fn install_python(list: &Path, into: &Path) -> Result<(), Trouble> {
    let wanted = read(list)?;
    if is_installed(into, &wanted) {
        println!("{}: up to date", into.display());
        return Ok(());
    }
    if into.exists() {
        // An environment made from another list may hold packages that the new one does not name.
        fs::remove_dir_all(into).map_err(|error| unwritable(into, &error))?;
    }
    let program = if cfg!(windows) { "python" } else { "python3" };
    let needs_python =
        |error: ProcessError| needs(&error, "Python 3.11 or newer (with venv)", "what our tests drive");
    patiently(|| {
        let mut venv = Command::new(program);
        venv.args(["-m", "venv"]).arg(into);
        venv
    })
    .map_err(needs_python)?;
    let inside = into.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    patiently(|| {
        let mut pip = Command::new(&inside);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(list);
        pip
    })
    .map_err(needs_python)?;
    mark_installed(into, &wanted)
}

/// Every list of Python packages with the name of its environment, sorted by name.
fn python_lists(folder: &Path) -> Result<Vec<(String, PathBuf)>, Trouble> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut lists = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        if let (Some(name), true) = (name, path.extension().is_some_and(|ending| ending == "txt")) {
            lists.push((name, path));
        }
    }
    lists.sort();
    Ok(lists)
}

/// Runs a command until it succeeds or has failed too often; a missing program does not appear by waiting.
fn patiently(command: impl Fn() -> Command) -> Result<(), ProcessError> {
    for wait in WAITS {
        match process::run(command(), LIMIT) {
            Ok(()) => return Ok(()),
            Err(missing @ ProcessError::Missing { .. }) => return Err(missing),
            Err(error) => eprintln!("{error}; trying again in {} s", wait.as_secs()),
        }
        std::thread::sleep(*wait);
    }
    process::run(command(), LIMIT)
}

/// The list that was installed, kept beside what was installed from it.
fn stamp(into: &Path) -> PathBuf {
    into.join("installed-from")
}

fn is_installed(into: &Path, list: &str) -> bool {
    fs::read_to_string(stamp(into)).is_ok_and(|installed| installed == list)
}

fn mark_installed(into: &Path, list: &str) -> Result<(), Trouble> {
    fs::write(stamp(into), list).map_err(|error| unwritable(&stamp(into), &error))
}

fn read(path: &Path) -> Result<String, Trouble> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::failed(format!("{} cannot be read: {error}", path.display()))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::failed(format!("{} cannot be written: {error}", path.display()))
}

fn needs(error: &ProcessError, program: &str, purpose: &str) -> Trouble {
    match error {
        ProcessError::Missing { .. } => {
            Trouble::failed(format!("{error}: {purpose} needs {program}; install it and try again"))
        }
        ProcessError::Unstartable { .. }
        | ProcessError::Unsuccessful { .. }
        | ProcessError::TooLong { .. } => {
            Trouble::failed(format!("{error}: {purpose} could not be installed; is the network there?"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_an_environment_and_other_files_are_not() {
        let folder = std::env::temp_dir().join(format!("probity-python-lists-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the folder for temporary files is writable");
        for name in ["time.txt", "README.md", "git.txt"] {
            fs::write(folder.join(name), "").expect("a temporary file is writable");
        }
        let lists = python_lists(&folder).expect("the folder is readable");
        fs::remove_dir_all(&folder).expect("the folder is ours");
        let names: Vec<&str> = lists.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["git", "time"]);
    }

    #[test]
    fn a_missing_program_is_named_together_with_what_needs_it() {
        let missing = ProcessError::Missing { program: "npm".to_owned() };
        assert_eq!(
            needs(&missing, "Node.js", "AJV").to_string(),
            "npm is not on the PATH: AJV needs Node.js; install it and try again"
        );
    }
}
