//! The generator of a run: one continuing stream, and the way to a gene for any place in it.
//!
//! To make a generator for every value costs more than to draw the value. So a run has one, and only if the run turns
//! out to matter are its values drawn once more in the same order: the state of the generator before a value is its
//! gene.

use std::fmt::Debug;

use proptest::prelude::Rng;
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::dice::mix;
use crate::gene::{Gene, Origin};

/// Values a filter may refuse in one draw.
pub(crate) const MAX_REJECTS: u32 = 2048;

/// The generator of one run.
pub(crate) struct Stream {
    runner: TestRunner,
    /// Tells runs apart, for those who remember values of this run only.
    pub(crate) run: u64,
}

impl Stream {
    /// The stream that belongs to `seed` alone; `run` must differ between streams of one machine.
    pub(crate) fn new(seed: u64, run: u64) -> Self {
        Self { runner: TestRunner::new_with_rng(draw_config(MAX_REJECTS), rng_of_seed(seed)), run }
    }

    /// The same stream as a new one, at less cost.
    pub(crate) fn restart(&mut self, seed: u64, run: u64) {
        let config = self.runner.config().clone();
        *self = Self { runner: TestRunner::new_with_rng(config, rng_of_seed(seed)), run };
    }

    /// The next value of a strategy; `None` if it rejects.
    pub(crate) fn next<T: Debug>(&mut self, strategy: &BoxedStrategy<T>) -> Option<T> {
        if let Ok(tree) = strategy.new_tree(&mut self.runner) {
            return Some(tree.current());
        }
        self.renew();
        strategy.new_tree(&mut self.runner).ok().map(|tree| tree.current())
    }

    /// The same, with the gene that draws the value again.
    pub(crate) fn next_with_gene<T: Debug>(&mut self, strategy: &BoxedStrategy<T>) -> Option<(T, Gene)> {
        let gene = self.gene();
        if let Ok(tree) = strategy.new_tree(&mut self.runner) {
            return Some((tree.current(), gene));
        }
        self.renew();
        let gene = self.gene();
        strategy.new_tree(&mut self.runner).ok().map(|tree| (tree.current(), gene))
    }

    /// A runner has an allowance of rejections; the verdict on a strategy belongs to one that has all of it.
    fn renew(&mut self) {
        let rng = self.runner.rng().clone();
        self.runner = TestRunner::new_with_rng(draw_config(MAX_REJECTS), rng);
    }

    /// The gene of whatever is drawn next.
    pub(crate) fn gene(&mut self) -> Gene {
        Gene { origin: Origin::State(state_of(self.runner.rng())), path: Vec::new() }
    }
}

/// The state of a xorshift generator, which it does not tell: its next four words are its state four words later, and
/// from there every word can be taken back.
pub(crate) fn state_of(rng: &TestRng) -> [u32; 4] {
    let mut ahead = rng.clone();
    state_before(std::array::from_fn(|_| ahead.next_u32()), 0)
}

/// The state of a generator that gives these words after `n_others`.
pub(crate) fn state_before(words: [u32; 4], n_others: usize) -> [u32; 4] {
    let back = |[y, z, w, next]: [u32; 4]| {
        let mixed = next ^ w ^ (w >> 19);
        let shifted = mixed ^ (mixed >> 8) ^ (mixed >> 16) ^ (mixed >> 24);
        [shifted ^ (shifted << 11) ^ (shifted << 22), y, z, w]
    };
    (0..n_others + 4).fold(words, |state, _| back(state))
}

/// The number of words between two states, if it is at most `limit`.
pub(crate) fn distance(from: [u32; 4], to: [u32; 4], limit: usize) -> Option<usize> {
    let forth = |[x, y, z, w]: &[u32; 4]| {
        let shifted = x ^ (x << 11);
        Some([*y, *z, *w, w ^ (w >> 19) ^ shifted ^ (shifted >> 8)])
    };
    std::iter::successors(Some(from), forth).take(limit + 1).position(|state| state == to)
}

pub(crate) fn rng_of_seed(seed: u64) -> TestRng {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&mix(seed ^ 0x2545_F491_4F6C_DD1D).to_le_bytes());
    bytes[8..].copy_from_slice(&(mix(seed) | 1).to_le_bytes());
    TestRng::from_seed(RngAlgorithm::XorShift, &bytes)
}

pub(crate) fn rng_of_state(state: [u32; 4]) -> TestRng {
    let mut bytes = [0; 16];
    for (bytes, word) in bytes.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    TestRng::from_seed(RngAlgorithm::XorShift, &bytes)
}

/// Proptest's own settings for draws, without its files.
pub(crate) fn draw_config(max_local_rejects: u32) -> Config {
    Config { failure_persistence: None, max_local_rejects, ..Config::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_generator_is_found_and_draws_the_same_again() {
        let mut stream = Stream::new(7, 1);
        let strategy = proptest::collection::vec(0..1000i64, 0..5).boxed();
        for _ in 0..50 {
            let (value, gene) = stream.next_with_gene(&strategy).expect("nothing is rejected");
            let Origin::State(state) = gene.origin else { panic!("a stream gives states") };
            let mut runner = TestRunner::new_with_rng(draw_config(MAX_REJECTS), rng_of_state(state));
            assert_eq!(strategy.new_tree(&mut runner).expect("as before").current(), value);
        }
    }

    #[test]
    fn a_generator_can_be_made_to_give_words_at_a_place() {
        let start = state_before([1, 2, 3, 4], 7);
        let mut rng = rng_of_state(start);
        let words: Vec<u32> = (0..11).map(|_| rng.next_u32()).collect();
        assert_eq!(words[7..], [1, 2, 3, 4]);
        assert_eq!(distance(start, state_of(&rng), 20), Some(11));
        assert_eq!(distance(start, state_of(&rng), 10), None);
    }
}
