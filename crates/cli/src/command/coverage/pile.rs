//! The instances of files and folders, those that are no JSON among them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use probity_schema::coverage::Named;
use probity_schema::{Limits, Oracle, Pointer, ReadError, TextForm, read_value};
use serde_json::Value;

use crate::command::docket::{Fault, Place, Rule, Weight};
use crate::config::{files_below, read_bytes, text_of};
use crate::exit_code::Trouble;

/// What files of these endings hold counts when a folder is named.
const ENDINGS: &[&str] = &["json", "ndjson", "jsonl"];

/// The instances that are to be judged.
#[derive(Debug, Default)]
pub(super) struct Pile {
    /// All of them, in their order.
    pub(super) names: Vec<String>,
    /// Those that can be read.
    pub(super) instances: Vec<Named>,
    /// Why the others cannot.
    pub(super) broken: BTreeMap<String, Fault>,
}

impl Pile {
    /// Reads files and folders; that there is nothing to judge is a mistake, and no success.
    pub(super) fn of(paths: &[PathBuf]) -> Result<Self, Trouble> {
        let mut pile = Self::default();
        for path in paths {
            let shown = path.display();
            let n_before = pile.names.len();
            let files = if path.is_dir() { files_below(path, ENDINGS)? } else { vec![path.clone()] };
            if files.is_empty() {
                return Err(Trouble::misused(format!("no .json, .ndjson or .jsonl file in {shown}")));
            }
            for file in &files {
                match read_bytes(file) {
                    Ok(bytes) => pile.read(file, bytes),
                    // One of many that cannot be read hides no other.
                    Err(Trouble { message, .. }) if path.is_dir() => {
                        let name = file.display().to_string();
                        let reason =
                            message.strip_prefix(&format!("{name}: ")).unwrap_or(&message).to_owned();
                        pile.add_broken(name, file, 1, reason);
                    }
                    Err(trouble) => return Err(trouble),
                }
            }
            if pile.names.len() == n_before {
                return Err(Trouble::misused(format!("no instance in {shown}")));
            }
        }
        Ok(pile)
    }

    fn read(&mut self, path: &Path, bytes: Vec<u8>) {
        let name = path.display().to_string();
        let text = match text_of(bytes) {
            Ok(text) => text,
            Err(reason) => return self.add_broken(name, path, 1, reason),
        };
        if !is_lines(path) {
            return self.add(name, &text, path, None);
        }
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            self.add(format!("{name}:{}", index + 1), line, path, Some(index + 1));
        }
    }

    /// Adds what a text holds; the line is that of the text in its file, if it is one of many.
    fn add(&mut self, name: String, text: &str, path: &Path, line: Option<usize>) {
        match read_value(text, TextForm::Json, &Limits::default()) {
            Ok(value) => {
                self.names.push(name.clone());
                self.instances.push(Named { name, value });
            }
            Err(error) => {
                let (within, reason) = told(&error);
                // One of many lines has its number in its name.
                let reason = match line {
                    Some(_) => reason.replacen("at line 1, ", "at ", 1),
                    None if holds_lines(text) => format!("{reason}; {LINES}"),
                    None => reason,
                };
                self.add_broken(name, path, line.unwrap_or(within), reason);
            }
        }
    }

    /// What to do about lists that do not fit, although what is in them does: a list is one instance.
    pub(super) fn lists(&self, oracle: &Oracle) -> Vec<String> {
        // Only where the contract takes no arrays; one that does means them.
        let is_foreign = |value: &Value| {
            let violations = oracle.violations(value, MOST_LOOKED_AT);
            violations.iter().any(|one| one.keyword == "type" && one.instance == Pointer::root())
        };
        let is_of_instances = |value: &Value| match value.as_array() {
            Some(items) if !items.is_empty() && !oracle.is_valid(value) => {
                is_foreign(value) && items.iter().take(MOST_LOOKED_AT).all(|item| oracle.is_valid(item))
            }
            _ => false,
        };
        let lists = self.instances.iter().filter(|named| is_of_instances(&named.value));
        lists.map(|named| format!("{}: this array is judged as one instance; {LINES}", named.name)).collect()
    }

    fn add_broken(&mut self, name: String, path: &Path, line: usize, reason: String) {
        let fault = Fault {
            rule: Rule::new("not-json", "An instance is not JSON"),
            weight: Weight::Failure,
            message: reason,
            place: Some(Place { file: path.to_path_buf(), line, pointer: "#".to_owned() }),
        };
        // A file that is named twice is broken once.
        if self.broken.insert(name.clone(), fault).is_none() {
            self.names.push(name);
        }
    }
}

/// Violations of a list and items in it that are looked at to see whether these are instances.
const MOST_LOOKED_AT: usize = 3;
/// How several instances stand in one file.
const LINES: &str = "several instances stand one per line in a file that ends in .ndjson or .jsonl";

/// Whether a text that is no JSON looks like one instance per line.
fn holds_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let is_json = |line: &str| read_value(line, TextForm::Json, &Limits::default()).is_ok();
    lines.next().is_some_and(is_json) && lines.next().is_some_and(is_json)
}

/// Whether a file holds an instance per line.
pub(super) fn is_lines(path: &Path) -> bool {
    matches!(path.extension().and_then(|end| end.to_str()), Some("ndjson" | "jsonl"))
}

/// The line of an error, and what it says of an instance.
fn told(error: &ReadError) -> (usize, String) {
    match error {
        ReadError::Empty => (1, "the text is empty; an instance is a JSON value".to_owned()),
        ReadError::TooLarge { bytes, most } => {
            (1, format!("the text has {bytes} bytes, the limit is {most}"))
        }
        ReadError::NotJson { line, .. } => (*line, error.to_string()),
        ReadError::TooDeep { line } => {
            let shown = usize::try_from(*line).unwrap_or(1);
            (shown, format!("at line {line}: nested more than 127 levels deep"))
        }
        other => (1, other.to_string()),
    }
}
