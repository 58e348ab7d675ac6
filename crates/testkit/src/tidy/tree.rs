//! The project's files as the rules see them: paths from the workspace, and their texts.

use std::path::Path;
use std::process::Command;

use crate::workspace;

/// Every file that belongs to the project.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Sorted by path.
    pub files: Vec<File>,
}

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// Seen from the workspace, with `/` between folders.
    pub path: String,
    /// What it says; empty for a file that is not text.
    pub text: String,
}

impl File {
    /// Whether it is Rust source.
    #[must_use]
    pub fn is_rust(&self) -> bool {
        self.has_extension("rs")
    }

    /// Whether it is a paper in Markdown.
    #[must_use]
    pub fn is_markdown(&self) -> bool {
        self.has_extension("md")
    }

    fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }
}

impl Tree {
    /// A tree made by hand.
    #[must_use]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        let mut files: Vec<File> = files.iter().map(file).collect();
        files.sort();
        Self { files }
    }

    /// The workspace on disk: what git tracks or would track, or else everything but what is built or installed.
    #[must_use]
    pub fn of_workspace() -> Self {
        let root = workspace::root();
        let paths = tracked(&root).unwrap_or_else(|| {
            let mut paths = Vec::new();
            walk(&root, "", &mut paths);
            paths
        });
        let read = |path: String| {
            let bytes = std::fs::read(root.join(&path)).ok()?;
            Some(File { path, text: String::from_utf8(bytes).unwrap_or_default() })
        };
        let mut files: Vec<File> = paths.into_iter().filter_map(read).collect();
        files.sort();
        Self { files }
    }

    /// The file at a path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Whether a path names a file, or a folder that holds one.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.iter().any(|file| {
            file.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The files whose paths end in a given way.
    pub fn ending<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = &'a File> {
        self.files.iter().filter(move |file| file.path.ends_with(ending))
    }
}

/// What git knows, or `None` where git does not serve: no git, or not a clone.
fn tracked(root: &Path) -> Option<Vec<String>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(arguments).current_dir(root).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let paths: Vec<String> = text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    (output.status.success() && !paths.is_empty()).then_some(paths)
}

/// Folders at the root that hold nothing of the project's own.
const NOT_OURS: &[&str] = &["target", ".git", ".deps"];

fn walk(root: &Path, folder: &str, paths: &mut Vec<String>) {
    for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if !NOT_OURS.contains(&path.as_str()) {
                walk(root, &path, paths);
            }
        } else {
            paths.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_there_when_it_holds_a_file() {
        let tree = Tree::of(&[("docs/a.md", "")]);
        assert!(tree.has("docs") && tree.has("docs/") && tree.has("docs/a.md"));
        assert!(!tree.has("doc") && !tree.has("docs/a"));
    }

    #[test]
    fn git_and_a_walk_of_the_folder_both_find_this_file() {
        let this = "crates/testkit/src/tidy/tree.rs";
        assert!(Tree::of_workspace().file(this).is_some_and(|file| !file.text.is_empty()));
        let mut paths = Vec::new();
        walk(&workspace::root(), "", &mut paths);
        assert!(paths.iter().any(|path| path == this));
        assert!(!paths.iter().any(|path| path.starts_with("target/")));
    }
}
