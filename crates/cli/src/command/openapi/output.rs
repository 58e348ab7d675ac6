//! Where cases go: lines on a sheet, or a tree of files by operation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use probity_schema::openapi::{Case, Part, Unit};
use serde_json::{Map, Value, json};

use crate::args::Form;
use crate::args::openapi::{CaseForm, OpenapiArgs};
use crate::command::goal::{Unwritten, finished};
use crate::command::leftover;
use crate::command::sheet::{Sheet, write_file};
use crate::config::in_file;
use crate::config::openapi::Openapi;
use crate::exit_code::Trouble;

/// Where cases go.
pub(crate) struct Output<'a> {
    config: &'a Openapi,
    is_curl: bool,
    goal: Goal,
}

enum Goal {
    Lines(Box<Sheet>),
    Tree(Tree),
    /// Nobody reads any more.
    Closed,
}

impl<'a> Output<'a> {
    pub(crate) fn open(args: &OpenapiArgs, config: &'a Openapi) -> Result<Self, Trouble> {
        let goal = match (args.out, &args.output) {
            (CaseForm::Dir, Some(folder)) => Goal::Tree(Tree::of(folder, config)?),
            (CaseForm::Ndjson | CaseForm::Dir, file) => {
                Goal::Lines(Box::new(Sheet::open(file.as_deref(), Form::Ndjson)?))
            }
        };
        Ok(Self { config, is_curl: args.curl, goal })
    }

    pub(crate) fn add(&mut self, unit: &Unit, case: &Case) -> Result<(), Trouble> {
        let operation = &self.config.api.operations()[unit.operation];
        let curl =
            case.request.as_ref().filter(|_| self.is_curl).map(|request| request.curl(&self.config.server));
        match &mut self.goal {
            Goal::Tree(tree) => tree.add(&operation.key, unit, case, curl),
            Goal::Lines(sheet) => {
                let line = match (self.is_curl, curl) {
                    (true, Some(curl)) => curl,
                    (true, None) => return Ok(()),
                    (false, _) => case.to_json(&operation.key, unit).to_string(),
                };
                match sheet.add(&line) {
                    Ok(()) => Ok(()),
                    Err(Unwritten::Closed) => {
                        self.goal = Goal::Closed;
                        Ok(())
                    }
                    Err(failed @ Unwritten::Failed(_)) => finished(Err(failed)),
                }
            }
            Goal::Closed => Ok(()),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.goal, Goal::Closed)
    }

    /// Ends it, and says what else lies in the folder.
    pub(crate) fn close(self) -> Result<Option<String>, Trouble> {
        match self.goal {
            Goal::Lines(sheet) => finished(sheet.close()).map(|()| None),
            Goal::Tree(tree) => tree.close(self.config),
            Goal::Closed => Ok(None),
        }
    }
}

/// A tree of files: a folder for each operation, and an index of them all.
struct Tree {
    root: PathBuf,
    folders: BTreeMap<String, String>,
    n_files: BTreeMap<(String, String), u64>,
    written: BTreeSet<PathBuf>,
}

/// Longest name of a folder.
const NAME: usize = 100;

impl Tree {
    fn of(root: &Path, config: &Openapi) -> Result<Self, Trouble> {
        if root.is_file() {
            return Err(in_file(root, &"this is a file; name a folder"));
        }
        let mut taken = BTreeSet::new();
        let mut folders = BTreeMap::new();
        // Names are given over all operations, so that a selection does not change them.
        for operation in config.api.operations() {
            let name = folder_name(&operation.key);
            let free = (1..).map(|n| if n == 1 { name.clone() } else { format!("{name}-{n}") });
            let free = free.into_iter().find(|name| taken.insert(name.to_lowercase())).unwrap_or(name);
            folders.insert(operation.key.clone(), free);
        }
        Ok(Self { root: root.to_path_buf(), folders, n_files: BTreeMap::new(), written: BTreeSet::new() })
    }

    fn add(&mut self, key: &str, unit: &Unit, case: &Case, curl: Option<String>) -> Result<(), Trouble> {
        let kind = match (unit.part, &unit.status) {
            (Part::Response, Some(status)) => format!("responses/{status}"),
            (Part::Response, None) => "responses".to_owned(),
            (Part::Request, _) => "requests".to_owned(),
            (Part::Parameters, _) => "parameters".to_owned(),
        };
        let folder = self.root.join(&self.folders[key]).join(&kind);
        let n = self.n_files.entry((key.to_owned(), kind)).or_default();
        // The index says that it is there.
        if unit.is_bodiless() {
            return Ok(());
        }
        *n += 1;
        if *n == 1 {
            fs::create_dir_all(&folder)
                .map_err(|error| in_file(&folder, &format!("cannot be made: {error}")))?;
        }
        let content = match (unit.part, &case.body) {
            (Part::Response, Some(body)) => body.clone(),
            (Part::Request | Part::Response | Part::Parameters, _) => case.to_json(key, unit),
        };
        let files = [("json", Some(pretty(&content))), ("sh", curl.map(|curl| format!("{curl}\n")))];
        for (ending, text) in files {
            let Some(text) = text else { continue };
            let file = folder.join(format!("{n}.{ending}"));
            write_file(&file, &text)?;
            self.written.insert(file);
        }
        Ok(())
    }

    fn close(self, config: &Openapi) -> Result<Option<String>, Trouble> {
        let mut index = Vec::new();
        for operation in config.operations.iter().map(|at| &config.api.operations()[*at]) {
            let files = self.n_files.iter().filter(|((key, _), _)| *key == operation.key);
            let files: Map<String, Value> = files.map(|((_, kind), n)| (kind.clone(), json!(n))).collect();
            let folder = &self.folders[&operation.key];
            index.push(json!({
                "operation": operation.key,
                "method": operation.method,
                "path": operation.path,
                "main": operation.main_status(),
                "folder": folder,
                "files": files,
            }));
        }
        fs::create_dir_all(&self.root)
            .map_err(|error| in_file(&self.root, &format!("cannot be made: {error}")))?;
        write_file(&self.root.join("index.json"), &pretty(&Value::Array(index)))?;
        Ok(leftover::cases(&self.root, &self.written))
    }
}

fn pretty(value: &Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    format!("{text}\n")
}

/// A key as a name that every file system takes.
fn folder_name(key: &str) -> String {
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_' || letter == '.';
    let name: String =
        key.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).take(NAME).collect();
    let name = name.trim_matches(['.', '_']).to_owned();
    if name.is_empty() { "operation".to_owned() } else { name }
}
