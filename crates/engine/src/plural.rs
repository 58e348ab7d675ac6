//! Counts in words: `1 step`, `2 steps`.

use std::fmt::Display;

/// A count with its noun, which takes an `s` unless there is one.
pub(crate) fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let s = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{s}")
}
