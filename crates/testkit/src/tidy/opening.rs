//! Every source file opens with a sentence that says what it is for, and its name is not a drawer for odds and ends.

use crate::tidy::Breach;
use crate::tidy::tree::Tree;

/// Words that name the drawer, not its contents.
const DRAWERS: &[&str] =
    &["util", "utils", "utility", "utilities", "helper", "helpers", "misc", "miscellaneous", "stuff"];
/// Names that say of which kind the contents are, not what they are about.
const NAMES: &[&str] = &["util", "utils", "helper", "helpers", "misc", "common", "types", "base", "manager"];

/// The fewest words that can say what something is for.
const FEWEST_WORDS: usize = 4;

/// Every source file whose name or opening says nothing.
#[must_use]
pub fn run(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.ending(".rs") {
        let name =
            file.path.trim_end_matches(".rs").trim_end_matches("/mod").rsplit('/').next().unwrap_or("");
        let mut breach = |line, message| breaches.push(Breach { path: file.path.clone(), line, message });
        if NAMES.contains(&name) {
            breach(0, format!("\"{name}\" names a kind of contents; name the idea instead"));
        }
        if let Err(message) = judge(&opening(&file.text)) {
            breach(1, message);
        }
    }
    breaches
}

/// The first paragraph of a file's documentation, as one line.
fn opening(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//! "));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

fn judge(opening: &str) -> Result<(), String> {
    let words: Vec<&str> = opening.split_whitespace().collect();
    let is_drawer =
        |word: &&&str| DRAWERS.contains(&word.to_lowercase().trim_end_matches(['.', ',', ':', ';']));
    if opening.is_empty() {
        Err("opens without a sentence; begin with `//! What this file is for.`".to_owned())
    } else if !opening.ends_with('.') {
        Err(format!("opens with \"{opening}\", which is not a sentence with a full stop"))
    } else if words.len() < FEWEST_WORDS {
        Err(format!("opens with \"{opening}\", which is too short to say what the file is for"))
    } else if let Some(word) = words.iter().find(is_drawer) {
        Err(format!("opens with \"{word}\", which names the drawer and not its contents"))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::check;

    #[test]
    fn a_sentence_over_one_or_two_lines_is_an_opening() {
        check(
            run,
            &[("a.rs", "//! The strings a schema allows.\n//!\n//! Nothing here judges them\n\nfn a() {}")],
            &[],
        );
        check(run, &[("a.rs", "//! The strings a schema allows:\n//! length, pattern and format.\n")], &[]);
    }

    #[test]
    fn an_opening_that_says_nothing_is_a_breach() {
        let says = |text, message| check(run, &[("a.rs", text)], &[&format!("a.rs:1: {message}")]);
        says("fn a() {}", "opens without a sentence; begin with `//! What this file is for.`");
        says(
            "\n//! The strings a schema allows.",
            "opens without a sentence; begin with `//! What this file is for.`",
        );
        says(
            "//! The strings of it",
            "opens with \"The strings of it\", which is not a sentence with a full stop",
        );
        says("//! Strings.", "opens with \"Strings.\", which is too short to say what the file is for");
        says(
            "//! Text Helpers, for schemas.",
            "opens with \"Helpers,\", which names the drawer and not its contents",
        );
    }

    #[test]
    fn a_name_that_says_nothing_is_a_breach() {
        let opening = "//! The strings a schema allows.\n";
        let expected = "x/utils/mod.rs: \"utils\" names a kind of contents; name the idea instead";
        check(run, &[("x/utils/mod.rs", opening)], &[expected]);
    }
}
