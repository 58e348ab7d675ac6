//! Transcripts in Markdown: blocks of commands with what they print, run in a folder of their own and compared.
//!
//! A block is fenced as `console`. A line that begins with `$ ` is a command for the shell, continued by lines that begin
//! with `> `; the lines below are what it prints on both outputs. `[..]` stands for any text within a line, a line `...` for any
//! lines, and a last line `exit code N` for an ending other than 0.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A command of a transcript, with the lines it takes up in the text.
pub(crate) struct Step {
    /// Where its expected lines begin, counted from 0.
    first: usize,
    command: String,
    expected: Vec<String>,
}

/// The fenced blocks of a text: language, first line inside (counted from 0), and the lines.
pub(crate) fn blocks(text: &str) -> Vec<(String, usize, Vec<&str>)> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize, Vec<&str>)> = None;
    for (at, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(language), None) => open = Some((language.trim().to_owned(), at + 1, Vec::new())),
            (None, Some((.., lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    found
}

/// Every command in the `console` blocks of a text, in order.
pub(crate) fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (language, start, lines) in blocks(text) {
        if language != "console" {
            continue;
        }
        let mut in_block = false;
        for (at, line) in (start..).zip(lines) {
            match (line.strip_prefix("$ "), line.strip_prefix("> "), steps.last_mut()) {
                (Some(command), ..) => {
                    in_block = true;
                    steps.push(Step { first: at + 1, command: command.to_owned(), expected: Vec::new() });
                }
                (None, Some(more), Some(step)) if in_block && step.expected.is_empty() => {
                    let _ = write!(step.command, "\n{more}");
                    step.first = at + 1;
                }
                (None, _, Some(step)) if in_block => step.expected.push(line.to_owned()),
                (None, ..) => panic!("line {}: a transcript begins with a command", at + 1),
            }
        }
    }
    steps
}

/// Runs every command of a text in a folder and says what does not match; `rewritten` is the text as it should be.
pub(crate) fn check(text: &str, folder: &Path) -> (Vec<String>, String) {
    let mut faults = Vec::new();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut moved: isize = 0;
    for Step { first, command, expected } in steps(text) {
        let printed = run(&command, folder);
        if !fits(&expected.iter().map(String::as_str).collect::<Vec<_>>(), &printed) {
            let (wanted, got) = (expected.join("\n"), printed.join("\n"));
            faults.push(format!("line {first}: $ {command}\n--- written\n{wanted}\n--- printed\n{got}\n"));
            let start = first.saturating_add_signed(moved);
            lines.splice(start..start + expected.len(), printed.clone());
            moved +=
                isize::try_from(printed.len()).unwrap_or(0) - isize::try_from(expected.len()).unwrap_or(0);
        }
    }
    lines.push(String::new());
    (faults, lines.join("\n"))
}

/// What a command prints, the exit code last if it is not 0.
fn run(command: &str, folder: &Path) -> Vec<String> {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_probity"));
    let beside = program.parent().expect("a program lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(beside.to_path_buf()).chain(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", std::env::join_paths(paths).expect("folders can be joined"))
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()
        .expect("a shell runs");
    let mut lines: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    match output.status.code() {
        Some(0) => {}
        Some(code) => lines.push(format!("exit code {code}")),
        None => lines.push("killed by a signal".to_owned()),
    }
    lines
}

/// Whether lines fit a pattern of lines.
fn fits(pattern: &[&str], lines: &[String]) -> bool {
    match (pattern.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((&"...", rest)), _) => (0..=lines.len()).any(|skipped| fits(rest, &lines[skipped..])),
        (Some((first, rest)), Some((line, others))) => line_fits(first, line) && fits(rest, others),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// Whether a line fits a pattern in which `[..]` is any text.
fn line_fits(pattern: &str, line: &str) -> bool {
    match pattern.split_once("[..]") {
        None => pattern.trim_end() == line.trim_end(),
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.into_iter().any(|at| line_fits(after, &rest[at..]))
        }),
    }
}

#[test]
fn lines_fit_patterns_with_gaps() {
    let lines: Vec<String> = ["a 12 ms b", "x", "y", "end"].map(str::to_owned).to_vec();
    for (pattern, is_fit) in [
        (&["a [..] ms b", "...", "end"][..], true),
        (&["a [..] ms b", "x", "y", "end", "..."], true),
        (&["..."], true),
        (&["a [..] s b", "..."], false),
        (&["a 12 ms b", "x"], false),
        (&["...", "other"], false),
    ] {
        assert_eq!(fits(pattern, &lines), is_fit, "{pattern:?}");
    }
}

#[test]
fn a_transcript_is_cut_into_commands_with_what_they_print() {
    let text = "say\n```console\n$ one \\\n> two\nout\n$ three\n```\n```json\n$ no\n```\n";
    let steps = steps(text);
    let seen: Vec<(usize, &str, usize)> =
        steps.iter().map(|step| (step.first, step.command.as_str(), step.expected.len())).collect();
    assert_eq!(seen, [(4, "one \\\ntwo", 1), (6, "three", 0)]);
}
