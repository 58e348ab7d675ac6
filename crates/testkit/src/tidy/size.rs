//! Nothing grows beyond what one sitting can read.

use crate::tidy::Breach;
use crate::tidy::tree::Tree;

/// Files of a kind, and how many lines each may have.
struct Limit {
    start: &'static str,
    ending: &'static str,
    n_lines: usize,
    instead: &'static str,
}

/// Every limit there is.
const LIMITS: &[Limit] = &[
    Limit { start: "", ending: ".rs", n_lines: 500, instead: "split it by idea" },
    Limit { start: "ARCHITECTURE.md", ending: ".md", n_lines: 200, instead: "say it shorter, or in docs/" },
    Limit { start: "docs/decisions/", ending: ".md", n_lines: 40, instead: "keep what was decided and why" },
];

/// Every file over its limit.
#[must_use]
pub fn run(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for Limit { start, ending, n_lines, instead } in LIMITS {
        for file in tree.ending(ending).filter(|file| file.path.starts_with(start)) {
            let n_found = file.text.lines().count();
            if n_found > *n_lines {
                let message = format!("{n_found} lines, {n_lines} is the wall; {instead}");
                breaches.push(Breach { path: file.path.clone(), line: 0, message });
            }
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, n_lines: usize, expected: &[&str]) {
        crate::tidy::check(run, &[(path, &"\n".repeat(n_lines))], expected);
    }

    #[test]
    fn a_file_may_reach_its_wall_and_not_pass_it() {
        check("crates/x/src/a.rs", 500, &[]);
        check("crates/x/src/a.rs", 501, &["crates/x/src/a.rs: 501 lines, 500 is the wall; split it by idea"]);
        check(
            "ARCHITECTURE.md",
            201,
            &["ARCHITECTURE.md: 201 lines, 200 is the wall; say it shorter, or in docs/"],
        );
        check(
            "docs/decisions/1-x.md",
            41,
            &["docs/decisions/1-x.md: 41 lines, 40 is the wall; keep what was decided and why"],
        );
        check("docs/guide.md", 1000, &[]);
    }
}
