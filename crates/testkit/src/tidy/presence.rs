//! The papers every visitor looks for are there.

use crate::tidy::Breach;
use crate::tidy::tree::Tree;

/// What each project of ours has at its root.
const PAPERS: &[&str] =
    &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Every paper that is missing or empty.
#[must_use]
pub fn run(tree: &Tree) -> Vec<Breach> {
    let is_missing = |paper: &&&str| tree.file(paper).is_none_or(|file| file.text.trim().is_empty());
    let breach = |paper: &&str| Breach {
        path: (*paper).to_owned(),
        line: 0,
        message: "is missing or empty; every visitor looks for it".to_owned(),
    };
    PAPERS.iter().filter(is_missing).map(breach).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::check;

    #[test]
    fn a_missing_paper_and_an_empty_one_are_breaches() {
        let mut files: Vec<(&str, &str)> = PAPERS.iter().map(|paper| (*paper, "text")).collect();
        check(run, &files, &[]);
        files[0].1 = "\n";
        files.pop();
        check(
            run,
            &files,
            &[
                "README.md: is missing or empty; every visitor looks for it",
                "LICENSE-APACHE: is missing or empty; every visitor looks for it",
            ],
        );
    }
}
