//! Files that earlier runs left in a folder that this run writes to: they are told, and never removed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use probity_drive::mcp::REPLAY_FORMAT;

use crate::config::files_below;

/// The findings of earlier runs beside those of this one, which are the files given.
pub(crate) fn findings(folder: &Path, written: &[PathBuf]) -> Option<String> {
    let written: BTreeSet<&PathBuf> = written.iter().collect();
    let is_finding = |path: &Path| {
        let number = named(path).split_once('-').map(|(number, _)| number);
        number.is_some_and(is_number)
            && std::fs::read_to_string(path).is_ok_and(|text| text.contains(REPLAY_FORMAT))
    };
    told(folder, &["json"], "finding", |path| !written.contains(&path.to_path_buf()) && is_finding(path))
}

/// The cases of earlier runs beside those of this one, of which `is_written` knows.
pub(crate) fn cases(folder: &Path, is_written: impl Fn(&Path) -> bool) -> Option<String> {
    let is_case = |path: &Path| {
        let inside = path.strip_prefix(folder).unwrap_or(path);
        let names: Vec<String> = inside.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let is_counted =
            names.last().and_then(|name| name.split_once('.')).is_some_and(|(n, _)| is_number(n));
        let kinds = ["requests", "responses", "parameters"];
        is_counted && names.get(1).is_some_and(|kind| kinds.contains(&kind.as_str()))
    };
    told(folder, &["json", "sh"], "file", |path| is_case(path) && !is_written(path))
}

fn told(folder: &Path, endings: &[&str], noun: &str, is_old: impl Fn(&Path) -> bool) -> Option<String> {
    // A folder that cannot be looked into has nothing to tell; that it cannot be written to is told elsewhere.
    let files = if folder.is_dir() { files_below(folder, endings).unwrap_or_default() } else { Vec::new() };
    let old: Vec<PathBuf> = files.into_iter().filter(|path| is_old(path)).collect();
    let shown = folder.display();
    match &old[..] {
        [] => None,
        [only] => Some(format!(
            "{shown} also holds a {noun} that is not of this run: {}; remove it if it is of no use",
            only.display()
        )),
        [first, ..] => Some(format!(
            "{shown} also holds {} {noun}s that are not of this run, such as {}; remove them if they are of no use",
            old.len(),
            first.display()
        )),
    }
}

fn named(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
