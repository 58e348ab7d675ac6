//! Words that must not stand in the project: unfinished work, tests that do not test, and this or that machine.

use crate::tidy::Breach;
use crate::tidy::rust;
use crate::tidy::tree::{File, Tree};

/// A word, where it must not stand, and why.
struct Word {
    text: &'static str,
    place: Place,
    why: &'static str,
}

/// Where a word is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In Rust code; comments and literals may speak of it.
    Code,
    /// In the code of a crate's `src`.
    Library,
    /// In any line of any file that does not name an issue (`#12`).
    LineWithoutIssue,
    /// In any file, wherever.
    Anywhere,
}

/// Every word; those that must not stand anywhere are cut in two, since this file is somewhere too.
const WORDS: &[Word] = &[
    Word { text: "todo!(", place: Place::Code, why: "unfinished; finish it or leave it out" },
    Word { text: "unimplemented!(", place: Place::Code, why: "unfinished; finish it or leave it out" },
    Word { text: "dbg!(", place: Place::Code, why: "a trace left behind" },
    Word { text: "#[ignore", place: Place::Code, why: "a test that does not run shows nothing" },
    Word { text: "should_panic", place: Place::Code, why: "compare the outcome instead" },
    Word {
        text: "println!(",
        place: Place::Library,
        why: "libraries never print; return what is to be said",
    },
    Word {
        text: concat!("TO", "DO"),
        place: Place::LineWithoutIssue,
        why: "say which issue it belongs to, as #12",
    },
    Word {
        text: concat!("FIX", "ME"),
        place: Place::LineWithoutIssue,
        why: "say which issue it belongs to, as #12",
    },
    Word { text: concat!("/wo", "rk/"), place: Place::Anywhere, why: "a path of one machine" },
    Word { text: concat!("/ro", "ot/"), place: Place::Anywhere, why: "a path of one machine" },
    Word { text: concat!("/fa", "rm/"), place: Place::Anywhere, why: "a path of one machine" },
    Word {
        text: concat!("://regi", "stry"),
        place: Place::Anywhere,
        why: "an address that is each machine's own to set",
    },
];

/// Every line with a word that must not stand there.
#[must_use]
pub fn run(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in &tree.files {
        let is_rust = file.is_rust();
        let code = if is_rust { rust::code(&file.text) } else { String::new() };
        for Word { text, place, why } in WORDS {
            let lines = match place {
                Place::Code => lines_with(&code, text),
                Place::Library if is_library(file) => lines_with(&code, text),
                Place::Library => Vec::new(),
                Place::LineWithoutIssue | Place::Anywhere => lines_with(&file.text, text),
            };
            let lines =
                lines.into_iter().filter(|(_, line)| *place != Place::LineWithoutIssue || !names_issue(line));
            breaches.extend(lines.map(|(at, _)| Breach {
                path: file.path.clone(),
                line: at,
                message: format!("\"{text}\" must not stand here: {why}"),
            }));
        }
    }
    breaches
}

fn is_library(file: &File) -> bool {
    ["crates/engine/src/", "crates/schema/src/", "crates/drive/src/"]
        .iter()
        .any(|crate_| file.path.starts_with(crate_))
}

/// The numbered lines in which a word stands by itself, not as the end of a longer one.
fn lines_with<'a>(text: &'a str, word: &str) -> Vec<(usize, &'a str)> {
    let starts_with_letter = word.starts_with(|letter: char| letter.is_alphanumeric());
    let stands_alone = |line: &str, at: usize| {
        let before = line[..at].chars().next_back();
        !starts_with_letter || before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
    };
    let holds = |line: &str| line.match_indices(word).any(|(at, _)| stands_alone(line, at));
    text.lines().enumerate().filter(|(_, line)| holds(line)).map(|(at, line)| (at + 1, line)).collect()
}

fn names_issue(line: &str) -> bool {
    line.split('#').skip(1).any(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, words: &[&str]) {
        let breaches = run(&Tree::of(&[(path, text)]));
        let found: Vec<&str> =
            breaches.iter().map(|breach| breach.message.split('"').nth(1).unwrap_or("")).collect();
        assert_eq!(found, words, "{path}: {text}");
    }

    #[test]
    fn unfinished_work_is_a_breach_in_code_and_not_in_words_about_it() {
        check("a.rs", "fn a() { todo!() }", &["todo!("]);
        check("a.rs", "fn a() { unimplemented!(\"b\") }", &["unimplemented!("]);
        check("a.rs", "fn a(b: u8) { dbg!(b); }", &["dbg!("]);
        check("a.rs", "// Never write todo!() here.\nlet a = \"todo!()\";", &[]);
    }

    #[test]
    fn a_test_that_does_not_test_is_a_breach() {
        check("a.rs", "#[test]\n#[ignore]\nfn a() {}", &["#[ignore"]);
        check("a.rs", "#[ignore = \"slow\"]", &["#[ignore"]);
        check("a.rs", "#[should_panic(expected = \"b\")]", &["should_panic"]);
    }

    #[test]
    fn a_library_that_prints_is_a_breach() {
        check("crates/schema/src/a.rs", "println!(\"a\");", &["println!("]);
        check("crates/schema/tests/a.rs", "println!(\"a\");", &[]);
    }

    #[test]
    fn work_left_for_later_names_its_issue() {
        let word = concat!("TO", "DO");
        check("a.md", &format!("{word}: say more"), &[word]);
        check("a.md", &format!("{word} (#12): say more"), &[]);
    }

    #[test]
    fn a_machine_of_ours_is_named_nowhere() {
        for word in
            [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/fa", "rm/"), concat!("://regi", "stry")]
        {
            check("docs/a.md", &format!("see {word}x"), &[word]);
        }
    }
}
