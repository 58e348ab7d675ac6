//! The house rules, as functions from the project's files to what breaks them; `tests/tidy.rs` runs them all.
//!
//! One rule is one file with a `run` function, its own tests on small bad examples, and one line in `tests/tidy.rs`.

pub mod tree;
pub mod rust;
pub mod presence;
pub mod layer;
pub mod unused;
pub mod room;
pub mod size;
pub mod opening;
pub mod word;
pub mod test_name;
pub mod link;
pub mod map;

use std::fmt;

/// A place where a house rule is broken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// The file, seen from the workspace.
    pub path: String,
    /// The line, counted from 1; 0 stands for the file as a whole.
    pub line: usize,
    /// What is wrong there, and what to do instead.
    pub message: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, message } = self;
        match line {
            0 => write!(out, "{path}: {message}"),
            line => write!(out, "{path}:{line}: {message}"),
        }
    }
}

/// Checks a rule on a tree made of paths and texts; for the rules' own tests.
#[cfg(test)]
#[track_caller]
fn check(rule: fn(&tree::Tree) -> Vec<Breach>, files: &[(&str, &str)], expected: &[&str]) {
    let breaches: Vec<String> = rule(&tree::Tree::of(files)).iter().map(ToString::to_string).collect();
    assert_eq!(breaches, expected);
}
