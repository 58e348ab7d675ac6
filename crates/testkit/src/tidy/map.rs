//! The map of the house names only rooms that exist.

use crate::tidy::Breach;
use crate::tidy::tree::Tree;

const MAP: &str = "ARCHITECTURE.md";

/// Endings that make a word the name of a file.
const FILE_ENDINGS: &[&str] =
    &[".rs", ".md", ".toml", ".json", ".mjs", ".txt", ".yml", ".yaml", ".html", ".sh"];

/// Every path in `ARCHITECTURE.md` that is not there.
#[must_use]
pub fn run(tree: &Tree) -> Vec<Breach> {
    let Some(map) = tree.file(MAP) else { return Vec::new() };
    let mut breaches = Vec::new();
    for (at, line) in map.text.lines().enumerate() {
        for name in names(line) {
            if is_path(tree, name) && !exists(tree, name) {
                let message = format!("there is no {name}; a map that names what is gone is worse than none");
                breaches.push(Breach { path: MAP.to_owned(), line: at + 1, message });
            }
        }
    }
    breaches
}

/// The words of a line that could be paths: between back quotes, or anything with a slash or a file's ending.
fn names(line: &str) -> Vec<&str> {
    let words = line.split(|letter: char| letter.is_whitespace() || "`()[]{}|,;\"'<>".contains(letter));
    let trimmed = words.map(|word| word.trim_end_matches(['.', ':', '!', '?']).trim_start_matches("./"));
    trimmed.filter(|word| !word.is_empty() && !word.contains("://")).collect()
}

/// Whether a word is meant as a path: it has a file's ending, ends in a slash, or begins with a folder of ours.
fn is_path(tree: &Tree, word: &str) -> bool {
    let (first, rest) = word.split_once('/').unwrap_or((word, ""));
    let is_file = FILE_ENDINGS.iter().any(|ending| word.len() > ending.len() && word.ends_with(ending));
    let begins_with_ours = word.contains('/') && !rest.is_empty() && tree.has(first);
    let is_folder = word.len() > 1 && word.ends_with('/') && !word.starts_with('/');
    is_file || is_folder || begins_with_ours
}

/// Whether a path is there, seen from the workspace, or from a crate, or from a crate's sources; `*` is any name.
fn exists(tree: &Tree, path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let wanted: Vec<&str> = path.split('/').collect();
    let starts_like = |parts: &[&str]| {
        parts.len() >= wanted.len() && wanted.iter().zip(parts).all(|(wanted, part)| matches(wanted, part))
    };
    tree.files.iter().any(|file| {
        let parts: Vec<&str> = file.path.split('/').collect();
        let inside = |n_folders: usize| parts.get(n_folders..).is_some_and(starts_like);
        inside(0) || (parts[0] == "crates" && (inside(1) || inside(2) || inside(3)))
    })
}

/// Whether a name fits a pattern with at most one `*`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, missing: &[&str]) {
        let tree = Tree::of(&[
            (MAP, line),
            ("docs/guide.md", ""),
            ("crates/schema/src/coverage/plan.rs", ""),
            ("crates/schema/src/lib.rs", ""),
        ]);
        let breaches = run(&tree);
        let found: Vec<&str> = breaches
            .iter()
            .filter_map(|breach| breach.message.strip_prefix("there is no ")?.split(';').next())
            .collect();
        assert_eq!(found, missing, "{line}");
    }

    #[test]
    fn what_exists_may_be_named_from_the_root_the_crate_or_its_sources() {
        check(
            "See `docs/guide.md`, `crates/schema/src/coverage/plan.rs`, coverage/plan.rs and `schema/src/lib.rs`.",
            &[],
        );
        check("`crates/*/src/lib.rs`, `coverage/`, [guide](docs/guide.md)", &[]);
    }

    #[test]
    fn what_is_gone_must_not_be_named() {
        check(
            "See `docs/gone.md` and coverage/gone.rs: `crates/gone`",
            &["docs/gone.md", "coverage/gone.rs", "crates/gone"],
        );
        check("`gone/` and gone.toml", &["gone/", "gone.toml"]);
    }

    #[test]
    fn other_words_with_a_slash_are_left_alone() {
        check("`application/json` and/or 1/2, https://example.com/a.md, `#/properties/a`, `.rs`", &[]);
    }
}
