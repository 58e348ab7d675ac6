//! How a value was drawn, never what it was: where the randomness came from, and a path of simplify and complicate moves.
//!
//! Drawing again from the same strategy by the same gene gives the same value on any machine.

use std::rc::Rc;

/// How one argument was drawn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gene {
    pub(crate) origin: Origin,
    /// `true` is a simplify move, `false` a complicate move.
    pub(crate) path: Vec<bool>,
}

/// Where a strategy's randomness comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Seed(u64),
    /// The state of the generator of a run before the value was drawn.
    State([u32; 4]),
    /// Exactly these words, then the least there is, then chance.
    Words(Rc<[u32]>),
}

/// The word that stands for "the least": uniform sampling may refuse a zero for ever, but never a one.
pub(crate) const LEAST_WORD: u32 = 1;

impl Gene {
    pub(crate) fn from_seed(seed: u64) -> Self {
        Self { origin: Origin::Seed(seed), path: Vec::new() }
    }

    /// The gene that reads `words`; least words at the end say nothing and are dropped.
    pub(crate) fn from_words(words: &[u32]) -> Self {
        let n_used = words.iter().rposition(|word| *word != LEAST_WORD).map_or(0, |last| last + 1);
        Self { origin: Origin::Words(words[..n_used].into()), path: Vec::new() }
    }
}
