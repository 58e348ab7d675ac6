//! How much memory a matcher of a pattern takes, by estimate, before any is built.

use regex_syntax::hir::ClassUnicode;
use regex_syntax::utf8::Utf8Sequences;

use crate::text::parse::parse;
use crate::text::tree::{Pattern, Tree};

/// Bytes for one step over one byte of a character, as measured on large patterns.
const BYTES_PER_STEP: u64 = 40;

/// About how many bytes a matcher of the pattern takes; nothing for one that cannot be read.
///
/// ```
/// use probity_schema::pattern_bytes;
/// assert!(pattern_bytes("^[a-z]{1,63}$") < 10_000);
/// assert!(pattern_bytes("^.{1,5000}$") > 1_000_000);
/// ```
#[must_use]
pub fn pattern_bytes(pattern: &str) -> u64 {
    parse(pattern).map_or(0, |Pattern { tree, .. }| n_steps(&tree).saturating_mul(BYTES_PER_STEP))
}

fn n_steps(tree: &Tree) -> u64 {
    match tree {
        Tree::Class(set) => of_class(set),
        Tree::Sequence(trees) | Tree::Choice(trees) => trees.iter().map(n_steps).fold(1, u64::saturating_add),
        // A counted repetition is unrolled.
        Tree::Repeat { tree, min, max } => {
            n_steps(tree).saturating_mul(u64::from(max.unwrap_or(min.saturating_add(1)).max(1)))
        }
        Tree::Group { number: _, tree } | Tree::Look { direction: _, is_negated: _, tree } => n_steps(tree),
        Tree::BackReference { number: _ } | Tree::Start | Tree::End => 1,
    }
}

/// The steps of the UTF-8 texts of a set of characters.
fn of_class(set: &ClassUnicode) -> u64 {
    let sequences = set.iter().flat_map(|range| Utf8Sequences::new(range.start(), range.end()));
    sequences.map(|sequence| sequence.len() as u64).sum()
}
