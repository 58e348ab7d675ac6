//! How much randomness a strategy reads, found by trying: only one that is modest in all trials may be fed words.
//!
//! Words come from a generator that gives zeros for ever after its end, and uniform sampling may refuse zeros for ever.
//! So a strategy is fed only if its appetite is known: from samples, and from draws in which extreme words stand at each
//! place that the samples read, which takes it into the branches that chance seldom takes. These trials draw from
//! generators that never end.

use std::fmt::Debug;

use proptest::prelude::Rng;
use proptest::strategy::{BoxedStrategy, Strategy};
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::gene::LEAST_WORD;
use crate::stream::{distance, draw_config, rng_of_seed, rng_of_state, state_before, state_of};

/// What a strategy reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Diet {
    /// The most words that one draw read.
    pub(crate) n_words: usize,
    /// The most generators of its own that one draw made; each takes away half of the words that are left.
    pub(crate) n_forks: usize,
    /// Whether a filter refused something, so that draws begin again.
    pub(crate) is_picky: bool,
}

/// How many trials a strategy is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    /// It is there for the whole test.
    Full,
    /// It is made for one moment.
    Light,
    /// It is made for one moment, and its values cannot be made simpler.
    Rigid,
}

/// Values a filter may refuse in a draw that is fed words.
pub(crate) const MAX_FED_REJECTS: u32 = 96;
/// A strategy that reads more than this is drawn from seeds only.
const MAX_WORDS: usize = 512;
/// Places at which extreme words are tried.
const MAX_PLACES: usize = 48;
/// A strategy that makes more generators of its own is drawn from seeds only.
const MAX_FORKS: usize = 5;
/// Words that such a generator is made of, one for each byte of its seed.
const WORDS_OF_A_FORK: usize = 32;
/// Words that take strategies to their ends.
const EXTREMES: [u32; 3] = [u32::MAX, 0x7FFF_FFFF, LEAST_WORD];

/// What a strategy reads; `None` if it must not be fed.
pub(crate) fn diet<T: Debug>(strategy: &BoxedStrategy<T>, care: Care) -> Option<Diet> {
    let (n_samples, max_places) = match care {
        Care::Full => (32, MAX_PLACES),
        Care::Light | Care::Rigid => (4, 2),
    };
    let mut diet = Diet { n_words: 0, n_forks: 0, is_picky: false };
    for seed in 0..n_samples {
        let (n_words, n_forks) = sample(strategy, seed)?;
        diet.n_words = diet.n_words.max(n_words);
        diet.n_forks = diet.n_forks.max(n_forks);
        let mut runner = TestRunner::new_with_rng(draw_config(0), rng_of_seed(u64::from(seed)));
        diet.is_picky |= strategy.new_tree(&mut runner).is_err();
    }
    for place in 0..=diet.n_words.min(max_places) {
        for word in EXTREMES {
            let start = state_before([word; 4], place);
            let mut runner = TestRunner::new_with_rng(draw_config(MAX_FED_REJECTS), rng_of_state(start));
            if strategy.new_tree(&mut runner).is_ok() {
                let n_words = distance(start, state_of(runner.rng()), MAX_WORDS)?;
                diet.n_words = diet.n_words.max(n_words);
            }
        }
    }
    (diet.n_words <= MAX_WORDS).then_some(diet)
}

/// The words that one draw reads, and the generators it makes; `None` if it refuses or makes too many.
fn sample<T: Debug>(strategy: &BoxedStrategy<T>, seed: u8) -> Option<(usize, usize)> {
    let rng = TestRng::from_seed(RngAlgorithm::Recorder, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(draw_config(MAX_FED_REJECTS), rng);
    strategy.new_tree(&mut runner).ok()?;
    let n_words = runner.bytes_used().len() / 4;
    // What was read but not recorded went into other generators.
    let mut twin = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let most = n_words + MAX_FORKS * WORDS_OF_A_FORK + 4;
    let words: Vec<u32> = (0..most).map(|_| twin.next_u32()).collect();
    let next: [u32; 4] = std::array::from_fn(|_| runner.rng().next_u32());
    let n_forks =
        (0..=MAX_FORKS).find(|n_forks| words[n_words + n_forks * WORDS_OF_A_FORK..].starts_with(&next))?;
    Some((n_words, n_forks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_fed<T: Debug + 'static>(strategy: impl Strategy<Value = T> + 'static) -> bool {
        diet(&strategy.boxed(), Care::Full).is_some()
    }

    #[test]
    fn modest_strategies_are_fed_and_others_are_not() {
        assert!(is_fed(0..=9i64));
        assert!(is_fed("[a-z]{0,6}"));
        assert!(is_fed((any::<u8>(), proptest::collection::vec(0..9i32, 0..6))));
        assert!(!is_fed(proptest::collection::vec(0..9i32, 0..9000)));
        assert!(is_fed(proptest::option::of(0..9i32)));
        let depending = (1..9usize).prop_flat_map(|n| proptest::collection::vec(0..9i32, n));
        assert!(!is_fed(proptest::collection::vec(depending, 0..20)));
        let large = proptest::collection::vec(0..9i32, 5000).prop_map(|list| list.len());
        assert!(!is_fed((0..9i32, 0..9i32, prop_oneof![5000 => 0..9usize, 1 => large])));
    }
}
