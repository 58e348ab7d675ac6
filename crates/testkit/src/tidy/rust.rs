//! Rust source without what only looks like code: comments and the insides of literals become spaces.
//!
//! This is not a parser; it knows just enough of the language for rules that look for words and paths.

/// The source with comments and literals blanked out, every line where it was.
#[must_use]
pub fn code(source: &str) -> String {
    let letters: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < letters.len() {
        let end = match letters[at..] {
            ['/', '/', ..] => until(&letters, at, |rest| rest.starts_with(&['\n'])),
            ['/', '*', ..] => comment_end(&letters, at),
            ['"', ..] => string_end(&letters, at + 1),
            ['r', '"' | '#', ..] if !is_inside_word(&letters, at) => raw_string_end(&letters, at),
            ['b', 'r', '"' | '#', ..] if !is_inside_word(&letters, at) => raw_string_end(&letters, at + 1),
            ['\'', '\\', ..] => string_end_at(&letters, at + 1, '\''),
            ['\'', _, '\'', ..] => at + 3,
            _ => at,
        };
        if end == at {
            code.push(letters[at]);
            at += 1;
        } else {
            code.extend(letters[at..end].iter().map(|letter| if *letter == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    code
}

/// The part of a blanked source that is compiled into the product: all before its module of tests.
#[must_use]
pub fn without_tests(code: &str) -> &str {
    let mut start = 0;
    let mut is_test_next = false;
    for line in code.split_inclusive('\n') {
        let is_module = line.trim_start().starts_with("mod ") && line.contains('{');
        if is_test_next && is_module {
            return &code[..start];
        }
        is_test_next = line.trim() == "#[cfg(test)]" || (is_test_next && line.trim().is_empty());
        start += line.len();
    }
    code
}

fn is_inside_word(letters: &[char], at: usize) -> bool {
    at > 0 && (letters[at - 1].is_alphanumeric() || letters[at - 1] == '_')
}

/// The first place from `at` on where the rest meets a condition, or the end.
fn until(letters: &[char], at: usize, is_end: impl Fn(&[char]) -> bool) -> usize {
    (at..letters.len()).find(|place| is_end(&letters[*place..])).unwrap_or(letters.len())
}

fn comment_end(letters: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while at < letters.len() {
        match letters[at..] {
            ['/', '*', ..] => (at, depth) = (at + 2, depth + 1),
            ['*', '/', ..] if depth == 1 => return at + 2,
            ['*', '/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    at
}

fn string_end(letters: &[char], at: usize) -> usize {
    string_end_at(letters, at, '"')
}

fn string_end_at(letters: &[char], mut at: usize, quote: char) -> usize {
    while at < letters.len() {
        match letters[at] {
            '\\' => at += 2,
            letter if letter == quote => return at + 1,
            _ => at += 1,
        }
    }
    letters.len()
}

/// The end of `r"..."` or `r##"..."##` that starts at an `r`; the place itself if it is a raw identifier.
fn raw_string_end(letters: &[char], at: usize) -> usize {
    let n_hashes = letters[at + 1..].iter().take_while(|letter| **letter == '#').count();
    let inside = at + 1 + n_hashes;
    if letters.get(inside) != Some(&'"') {
        return at;
    }
    let closing: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', n_hashes)).collect();
    let end = until(letters, inside + 1, |rest| rest.starts_with(&closing));
    (end + closing.len()).min(letters.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let blanked: Vec<String> =
            code(source).lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(blanked.join("\n"), expected);
    }

    #[test]
    fn comments_and_literals_are_blanked_and_lines_stay() {
        check("a // b\nc", "a\nc");
        check("a /* b /* c */ d */ e", "a e");
        check("a(\"b \\\" c\", 'd', '\\'', \"e\")", "a( , , , )");
        check("a(r#\"b \" c\"#, br\"d\")", "a( , )");
        check("a::<'b>(\"c\nd\")", "a::<'b>(\n)");
        check("for r in r#type {}", "for r in r#type {}");
        check("unclosed \"", "unclosed");
    }

    #[test]
    fn what_comes_before_the_tests_is_the_product() {
        assert_eq!(without_tests("a\n#[cfg(test)]\nmod tests {\n}\n"), "a\n#[cfg(test)]\n");
        assert_eq!(without_tests("#[cfg(test)]\nfn a() {}\nb\n"), "#[cfg(test)]\nfn a() {}\nb\n");
    }
}
