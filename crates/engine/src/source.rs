//! Reproducible draws from any proptest strategy, by gene.

use std::cell::OnceCell;
use std::fmt::Debug;

use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::dice::Dice;
use crate::gene::{Gene, LEAST_WORD, Origin};
use crate::stream::{MAX_REJECTS, Stream, draw_config, rng_of_seed, rng_of_state};
use crate::value::Value;

/// Something values can be drawn from by gene.
pub(crate) trait Source {
    /// The value, and whether every move of the gene's path was possible; `None` if the strategy rejects.
    fn draw(&self, gene: &Gene, brush: &mut Brush) -> Option<(Value, bool)>;
    /// The next value of a stream, and its gene; `None` if the strategy rejects.
    fn next(&self, stream: &mut Stream) -> Option<(Value, Gene)>;
}

/// A strategy whose values are shown by `show`.
pub(crate) struct Shown<T> {
    strategy: BoxedStrategy<T>,
    show: fn(&T) -> String,
    /// The most words that a draw reads, by sample; `None` if it is too hungry to be fed words.
    appetite: OnceCell<Option<usize>>,
}

impl<T: Clone + Debug + 'static> Shown<T> {
    pub(crate) fn new(strategy: BoxedStrategy<T>, show: fn(&T) -> String) -> Self {
        Self { strategy, show, appetite: OnceCell::new() }
    }

    pub(crate) fn strategy(&self) -> &BoxedStrategy<T> {
        &self.strategy
    }

    fn tree(&self, gene: &Gene, brush: &mut Brush) -> Option<Box<dyn ValueTree<Value = T>>> {
        let appetite = match &gene.origin {
            Origin::Seed(_) | Origin::State(_) => 0,
            Origin::Words(_) => (*self.appetite.get_or_init(|| appetite(&self.strategy)))?,
        };
        if let Ok(tree) = self.strategy.new_tree(brush.dip(gene, appetite)) {
            return Some(tree);
        }
        // An old runner has spent part of its allowance of rejections; the verdict belongs to a fresh one.
        *brush = Brush::default();
        self.strategy.new_tree(brush.dip(gene, appetite)).ok()
    }
}

impl<T: Clone + Debug + 'static> Source for Shown<T> {
    fn draw(&self, gene: &Gene, brush: &mut Brush) -> Option<(Value, bool)> {
        let mut tree = self.tree(gene, brush)?;
        let mut is_whole = true;
        let mut has_simplified = false;
        for is_simplify in &gene.path {
            // A tree may complicate only after it simplified, and a refused move must be the last: otherwise
            // values leave the strategy's range.
            is_whole = if *is_simplify { tree.simplify() } else { has_simplified && tree.complicate() };
            if !is_whole {
                break;
            }
            has_simplified |= *is_simplify;
        }
        Some((Value::with_show(tree.current(), self.show), is_whole))
    }

    fn next(&self, stream: &mut Stream) -> Option<(Value, Gene)> {
        let (value, gene) = stream.next_with_gene(&self.strategy)?;
        Some((Value::with_show(value, self.show), gene))
    }
}

/// The proptest runner every draw goes through.
pub(crate) struct Brush {
    runner: TestRunner,
    /// The runner for draws that are fed words.
    fed: TestRunner,
    n_draws: u32,
    tail: Vec<u8>,
}

impl Default for Brush {
    fn default() -> Self {
        Self { runner: runner(MAX_REJECTS), fed: runner(MAX_FED_REJECTS), n_draws: 0, tail: Vec::new() }
    }
}

fn runner(max_rejects: u32) -> TestRunner {
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &[1; 16]);
    TestRunner::new_with_rng(draw_config(max_rejects), rng)
}

/// The same for a draw that is fed words, which must not run out before it is given up.
const MAX_FED_REJECTS: u32 = 96;
/// Least words that follow the words of a gene, before chance sets in.
const N_LEAST_WORDS: usize = 64;
/// Chance beyond what the samples of a strategy read, for the branches that none of them took.
const N_SPARE_WORDS: usize = 2048;
/// Draws by which the appetite of a strategy is measured.
const N_SAMPLES: u8 = 24;
/// A strategy that reads more than this is drawn from seeds only.
const MAX_APPETITE: usize = 512;

impl Brush {
    fn dip(&mut self, gene: &Gene, appetite: usize) -> &mut TestRunner {
        self.n_draws += 1;
        // Flat-mapped trees spend an allowance of the runner when they are walked; a path always gets a full one.
        if self.n_draws > 1 && !gene.path.is_empty() {
            *self = Self { n_draws: 1, tail: std::mem::take(&mut self.tail), ..Self::default() };
        }
        match &gene.origin {
            Origin::Seed(seed) => {
                *self.runner.rng() = rng_of_seed(*seed);
                &mut self.runner
            }
            Origin::State(state) => {
                *self.runner.rng() = rng_of_state(*state);
                &mut self.runner
            }
            Origin::Words(words) => {
                // The stream must never run dry: after its end come zeros, and those can be refused for ever.
                let n_tail = N_SPARE_WORDS + (MAX_FED_REJECTS as usize + 4) * appetite;
                let mut bytes = Vec::with_capacity(4 * (words.len() + N_LEAST_WORDS + n_tail));
                let least = std::iter::repeat_n(&LEAST_WORD, N_LEAST_WORDS.saturating_sub(words.len()));
                bytes.extend(words.iter().chain(least).flat_map(|word| word.to_le_bytes()));
                self.lengthen_tail(4 * n_tail);
                bytes.extend_from_slice(&self.tail[..4 * n_tail]);
                *self.fed.rng() = TestRng::from_seed(RngAlgorithm::PassThrough, &bytes);
                &mut self.fed
            }
        }
    }

    /// Makes the chance that follows the words of a gene; it is the same for all of them.
    fn lengthen_tail(&mut self, n_bytes: usize) {
        if self.tail.len() < n_bytes {
            let mut dice = Dice::new(0, 0);
            self.tail = (0..n_bytes.div_ceil(8)).flat_map(|_| dice.next().to_le_bytes()).collect();
        }
    }
}

/// The most words that a strategy read in a few draws; `None` if it reads too many or refuses too much.
fn appetite<T: Debug>(strategy: &BoxedStrategy<T>) -> Option<usize> {
    let reads = (0..N_SAMPLES).map(|seed| {
        let rng = TestRng::from_seed(RngAlgorithm::Recorder, &[seed; 32]);
        let mut runner = TestRunner::new_with_rng(draw_config(MAX_FED_REJECTS), rng);
        strategy.new_tree(&mut runner).ok().map(|_| runner.bytes_used().len() / 4)
    });
    let reads: Option<Vec<usize>> = reads.collect();
    reads?.into_iter().max().filter(|n_words| *n_words <= MAX_APPETITE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(strategy: impl Strategy<Value = i64> + 'static, gene: &Gene) -> Option<String> {
        let source = Shown::new(strategy.boxed(), |value| format!("{value:?}"));
        source.draw(gene, &mut Brush::default()).map(|(value, _)| value.show())
    }

    #[test]
    fn a_gene_draws_the_same_value_again_and_never_leaves_the_range() {
        for seed in 0..200 {
            let mut gene = Gene::from_seed(seed);
            assert_eq!(draw(3..=9i64, &gene), draw(3..=9i64, &gene));
            gene.path = (0..12).map(|bit| (seed >> (bit % 7)) & 1 == 0).collect();
            let value: i64 = draw(3..=9i64, &gene).and_then(|text| text.parse().ok()).expect("a number");
            assert!((3..=9).contains(&value), "{gene:?} drew {value}");
        }
    }

    #[test]
    fn no_words_draw_the_low_end_and_a_rejecting_strategy_draws_nothing() {
        assert_eq!(draw(3..=9i64, &Gene::from_words(&[])), Some("3".into()));
        assert_eq!(draw((3..=9i64).prop_filter("none", |_| false), &Gene::from_seed(1)), None);
    }
}
