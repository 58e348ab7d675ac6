//! Links between the project's papers lead somewhere, down to the heading they name.

use crate::tidy::Breach;
use crate::tidy::tree::Tree;

/// Every link to a file or heading that is not there.
#[must_use]
pub fn run(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.ending(".md") {
        for (line, target) in links(&file.text) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() { file.path.clone() } else { resolve(&file.path, path) };
            let message = match tree.file(&path) {
                None if !tree.has(&path) => format!("the link to {target} leads nowhere; there is no {path}"),
                Some(there) if !heading.is_empty() && there.is_markdown() => {
                    if headings(&there.text).iter().any(|slug| slug == heading) {
                        continue;
                    }
                    format!("the link to {target} leads nowhere; {path} has no such heading")
                }
                _ => continue,
            };
            breaches.push(Breach { path: file.path.clone(), line, message });
        }
    }
    breaches
}

/// The targets of links within the project, with their lines.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, line) in prose(text) {
        for (start, _) in line.match_indices("](") {
            let rest = &line[start + 2..];
            let target = rest.split([')', ' ']).next().unwrap_or("");
            let is_outside = target.contains("://") || target.starts_with("mailto:");
            if !target.is_empty() && !is_outside {
                found.push((at, target));
            }
        }
    }
    found
}

/// The numbered lines outside blocks of code.
pub(super) fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push((at + 1, line));
        }
    }
    lines
}

/// A path seen from a file's folder, as seen from the workspace.
fn resolve(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The names by which headings are linked to: lower case, hyphens for spaces, no punctuation.
fn headings(text: &str) -> Vec<String> {
    let slug = |heading: &str| {
        let kept =
            heading.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect::<String>().to_lowercase()
    };
    let lines = prose(text).into_iter().filter(|(_, line)| line.starts_with('#'));
    lines.map(|(_, line)| slug(line.trim_start_matches('#'))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::check;

    #[test]
    fn a_link_to_a_file_folder_or_heading_that_is_there_is_good() {
        let guide = "# How it works\nSee [the map](../ARCHITECTURE.md#code-map), [docs](.), [above](#how-it-works),\n\
                     [the web](https://example.com/x).\n```\n[not](a-link)\n```\n";
        check(run, &[("docs/guide.md", guide), ("ARCHITECTURE.md", "## Code map\n")], &[]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_a_breach() {
        check(
            run,
            &[("docs/guide.md", "[a](b.md)\n[c](../docs/guide.md#d)\n")],
            &[
                "docs/guide.md:1: the link to b.md leads nowhere; there is no docs/b.md",
                "docs/guide.md:2: the link to ../docs/guide.md#d leads nowhere; docs/guide.md has no such heading",
            ],
        );
    }
}
