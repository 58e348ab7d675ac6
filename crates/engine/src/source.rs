//! Reproducible draws from any proptest strategy, by gene.

use std::cell::OnceCell;
use std::fmt::Debug;

use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::dice::Dice;
use crate::diet::{Care, Diet, MAX_FED_REJECTS, diet};
use crate::gene::{Gene, LEAST_WORD, Origin};
use crate::stream::{MAX_REJECTS, Stream, draw_config, rng_of_seed, rng_of_state};
use crate::value::Value;

/// Something values can be drawn from by gene.
pub(crate) trait Source {
    /// The value, and whether every move of the gene's path was possible; `None` if the strategy rejects.
    fn draw(&self, gene: &Gene, brush: &mut Brush) -> Option<(Value, bool)>;
    /// Whether a wanted value can be looked for.
    fn is_fed(&self) -> bool;
    /// Whether no value can be made simpler.
    fn is_rigid(&self) -> bool;
    /// The next value of a stream, and its gene; `None` if the strategy rejects.
    fn next(&self, stream: &mut Stream) -> Option<(Value, Gene)>;
}

/// A strategy whose values are shown by `show`.
pub(crate) struct Shown<T> {
    strategy: BoxedStrategy<T>,
    show: fn(&T) -> String,
    care: Care,
    /// What the strategy reads; `None` if it must not be fed words.
    diet: OnceCell<Option<Diet>>,
}

impl<T: Clone + Debug + 'static> Shown<T> {
    pub(crate) fn new(strategy: BoxedStrategy<T>, show: fn(&T) -> String, care: Care) -> Self {
        Self { strategy, show, care, diet: OnceCell::new() }
    }

    fn diet(&self) -> Option<Diet> {
        *self.diet.get_or_init(|| diet(&self.strategy, self.care))
    }

    pub(crate) fn strategy(&self) -> &BoxedStrategy<T> {
        &self.strategy
    }

    fn tree(&self, gene: &Gene, brush: &mut Brush) -> Option<Box<dyn ValueTree<Value = T>>> {
        let n_tail = match &gene.origin {
            Origin::Seed(_) | Origin::State(_) => 0,
            Origin::Words(_) => {
                let Diet { n_words, n_forks, is_picky } = self.diet()?;
                let n_rounds = if is_picky { MAX_FED_REJECTS as usize + 4 } else { 4 };
                let margin = usize::from(n_forks > 0);
                (N_SPARE_WORDS + n_rounds * n_words) << (n_forks + margin)
            }
        };
        if let Ok(tree) = self.strategy.new_tree(brush.dip(gene, n_tail)) {
            return Some(tree);
        }
        // An old runner has spent part of its allowance of rejections; the verdict belongs to a fresh one.
        *brush = Brush::default();
        self.strategy.new_tree(brush.dip(gene, n_tail)).ok()
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

    fn is_fed(&self) -> bool {
        self.diet().is_some()
    }

    fn is_rigid(&self) -> bool {
        self.care == Care::Rigid
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
    bytes: Vec<u8>,
}

impl Default for Brush {
    fn default() -> Self {
        Self {
            runner: runner(MAX_REJECTS),
            fed: runner(MAX_FED_REJECTS),
            n_draws: 0,
            tail: Vec::new(),
            bytes: Vec::new(),
        }
    }
}

fn runner(max_rejects: u32) -> TestRunner {
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &[1; 16]);
    TestRunner::new_with_rng(draw_config(max_rejects), rng)
}

/// Least words that follow the words of a gene, before chance sets in.
const N_LEAST_WORDS: usize = 64;
/// Chance beyond what the trials of a strategy read.
const N_SPARE_WORDS: usize = 256;

impl Brush {
    fn dip(&mut self, gene: &Gene, n_tail: usize) -> &mut TestRunner {
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
                self.lengthen_tail(4 * n_tail);
                let Self { fed, tail, bytes, .. } = self;
                let least = std::iter::repeat_n(&LEAST_WORD, N_LEAST_WORDS.saturating_sub(words.len()));
                bytes.clear();
                bytes.extend(words.iter().chain(least).flat_map(|word| word.to_le_bytes()));
                bytes.extend_from_slice(&tail[..4 * n_tail]);
                *fed.rng() = TestRng::from_seed(RngAlgorithm::PassThrough, bytes);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(strategy: impl Strategy<Value = i64> + 'static, gene: &Gene) -> Option<String> {
        let source = Shown::new(strategy.boxed(), |value| format!("{value:?}"), Care::Full);
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
