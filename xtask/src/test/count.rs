//! How many tests passed, failed and were skipped, read from what the test runners say.

use std::fmt;

/// What test runners counted.
#[expect(clippy::struct_field_names, reason = "a count starts with n_ everywhere")]
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    n_passed: u64,
    n_failed: u64,
    n_skipped: u64,
}

impl Count {
    /// Adds up the summaries in a transcript of `cargo test` or `cargo nextest`.
    pub(super) fn read(transcript: &str) -> Self {
        let mut total = Self::default();
        for line in transcript.lines() {
            let line = plain(line);
            // An indented result is nextest showing what a failed test printed; its summary counts that test.
            if let Some(counts) = line.strip_prefix("test result: ") {
                // test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
                counts.split(['.', ';']).for_each(|part| total.add_part(part));
            } else if let Some((_, counts)) =
                line.trim_start().strip_prefix("Summary [").and_then(|line| line.split_once(" run: "))
            {
                // Summary [   0.01s] 3 tests run: 2 passed (1 slow), 1 failed, 0 skipped
                counts.split(',').for_each(|part| total.add_part(part));
            }
        }
        total
    }

    pub(super) fn add(&mut self, other: Self) {
        let Self { n_passed, n_failed, n_skipped } = other;
        self.n_passed += n_passed;
        self.n_failed += n_failed;
        self.n_skipped += n_skipped;
    }

    /// Counts a test that ended early, and for the runner well, as what it was.
    pub(super) fn move_to_skipped(&mut self) {
        self.n_passed = self.n_passed.saturating_sub(1);
        self.n_skipped += 1;
    }

    fn add_part(&mut self, part: &str) {
        let mut words = part.split_whitespace();
        let Some(n) = words.next().and_then(|word| word.parse::<u64>().ok()) else { return };
        match words.next() {
            Some("passed") => self.n_passed += n,
            // nextest also counts tests that were "timed out" or whose "exec failed".
            Some("failed" | "timed" | "exec") => self.n_failed += n,
            Some("skipped" | "ignored") => self.n_skipped += n,
            _ => {}
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_passed, n_failed, n_skipped } = self;
        write!(out, "{n_passed} passed, {n_failed} failed")?;
        if *n_skipped > 0 { write!(out, ", {n_skipped} skipped") } else { Ok(()) }
    }
}

/// A line without its terminal colours.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            // A colour runs from the escape to its final letter.
            letters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(letter);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(transcript: &str, expected: &str) {
        assert_eq!(Count::read(transcript).to_string(), expected);
    }

    #[test]
    fn the_summaries_of_cargo_test_are_added_up() {
        check(
            "running 4 tests\n\
             test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.01s\n\
             \n\
             test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
            "7 passed, 1 failed, 1 skipped",
        );
    }

    #[test]
    fn the_summary_of_nextest_is_read_with_colours_and_remarks() {
        check("     Summary [   0.014s] 5 tests run: 5 passed, 0 skipped", "5 passed, 0 failed");
        check(
            "\u{1b}[31;1m     Summary\u{1b}[0m [   9.0s] \u{1b}[1m9\u{1b}[0m tests run: \u{1b}[1m5\u{1b}[0m passed \
             (1 slow, 1 leaky), 2 failed, 1 timed out, 1 exec failed, 3 skipped",
            "5 passed, 4 failed, 3 skipped",
        );
    }

    #[test]
    fn a_test_that_nextest_shows_failing_is_counted_once() {
        check(
            "  stdout ───\n\n    \
             test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.63s\n     \
             Summary [ 134.193s] 509 tests run: 508 passed, 1 failed, 0 skipped",
            "508 passed, 1 failed",
        );
    }

    #[test]
    fn a_skip_that_the_runner_took_for_a_pass_is_counted_as_a_skip() {
        let mut count = Count::read("Summary [ 0.1s] 2 tests run: 2 passed, 0 skipped");
        count.move_to_skipped();
        assert_eq!(count.to_string(), "1 passed, 0 failed, 1 skipped");
    }

    #[test]
    fn text_without_a_summary_counts_nothing() {
        check("5 passed, 0 failed\ntests run: 3 passed", "0 passed, 0 failed");
    }
}
