//! A test's name is a sentence that is false when the test fails.

use crate::tidy::Breach;
use crate::tidy::rust;
use crate::tidy::tree::Tree;

/// The fewest words a sentence has.
const FEWEST_WORDS: usize = 3;

/// Every test whose name claims nothing.
#[must_use]
pub fn run(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.ending(".rs") {
        let code = rust::code(&file.text);
        let mut is_test = false;
        for (at, line) in code.lines().map(str::trim).enumerate() {
            is_test |= line.starts_with("#[test]") || (line.starts_with("#[") && line.contains("::test"));
            let Some(name) = function_name(line).filter(|_| is_test) else { continue };
            is_test = false;
            if name.starts_with("test_") || name.split('_').count() < FEWEST_WORDS {
                let message = format!("\"{name}\" is no sentence; say what is so when the test passes");
                breaches.push(Breach { path: file.path.clone(), line: at + 1, message });
            }
        }
    }
    breaches
}

fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_start = before.split_whitespace().all(|word| matches!(word, "async" | "pub" | "#[test]"));
    let end = after.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    is_start.then(|| &after[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::check;

    #[test]
    fn a_name_of_a_word_or_two_is_a_breach() {
        check(run, &[("a.rs", "#[test]\nfn a_b_c() {}\nfn d() {}\n")], &[]);
        let expected = "a.rs:2: \"parses\" is no sentence; say what is so when the test passes";
        check(run, &[("a.rs", "#[test]\nfn parses() {}\n")], &[expected]);
        let expected = "a.rs:3: \"test_it_parses\" is no sentence; say what is so when the test passes";
        check(run, &[("a.rs", "\n#[tokio::test]\nasync fn test_it_parses() {}\n")], &[expected]);
    }
}
