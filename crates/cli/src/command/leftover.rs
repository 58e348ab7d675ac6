//! Files that earlier runs left in a folder that this run writes to: they are told, and never removed.
//!
//! Only places where such files can be are looked at, because the folder may be one that holds much else.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use probity_drive::mcp::REPLAY_FORMAT;

/// Bytes of a file in which it says what it is.
const OPENING: u64 = 1024;

/// The findings of earlier runs beside those of this one, which are the files given.
pub(crate) fn findings(folder: &Path, written: &[PathBuf]) -> Option<String> {
    let is_finding = |path: &PathBuf| {
        let number = name_of(path).split_once('-').map(|(number, _)| number);
        path.extension().is_some_and(|ending| ending == "json")
            && number.is_some_and(is_number)
            && !written.contains(path)
            && opening(path).is_ok_and(|text| text.contains(REPLAY_FORMAT))
    };
    told(folder, "finding", files(folder, &|_, _| false, 0).into_iter().filter(is_finding))
}

/// The cases of earlier runs beside those of this one, which are the files given.
pub(crate) fn cases(folder: &Path, written: &BTreeSet<PathBuf>) -> Option<String> {
    // A folder for each operation, one for each kind in it, and one for each status among the responses.
    let is_room = |level: usize, name: &str| match level {
        0 | 2 => true,
        1 => ["requests", "responses", "parameters"].contains(&name),
        _ => false,
    };
    let is_case = |path: &PathBuf| {
        let number = name_of(path).strip_suffix(".json").or_else(|| name_of(path).strip_suffix(".sh"));
        let is_inside = path.strip_prefix(folder).is_ok_and(|inside| inside.iter().count() > 2);
        is_inside && number.is_some_and(is_number) && !written.contains(path)
    };
    told(folder, "file", files(folder, &is_room, 0).into_iter().filter(is_case))
}

fn told(folder: &Path, noun: &str, old: impl Iterator<Item = PathBuf>) -> Option<String> {
    let old: Vec<PathBuf> = old.collect();
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

/// The files of a folder and of the folders in it that count, by level and name, in a fixed order. What cannot be looked into has
/// nothing to tell.
fn files(folder: &Path, is_room: &dyn Fn(usize, &str) -> bool, level: usize) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        // A pipe or a device is nobody's leftover, and reading it could take for ever.
        if path.is_file() {
            found.push(path);
        } else if path.is_dir() && !path.is_symlink() && is_room(level, name_of(&path)) {
            found.extend(files(&path, is_room, level + 1));
        }
    }
    found
}

/// How a file begins; what it is stands there, and the rest may be long.
fn opening(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(OPENING).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
