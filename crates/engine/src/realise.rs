//! Finding the gene of a wanted value: the words a strategy must read so that it draws exactly that.
//!
//! Strategies read their randomness in the order in which the value is shown, and mostly rise with it. So the words
//! are settled one after the other, each by a binary search that compares what was drawn with what is wanted.
//! Nothing here runs a command; a value that cannot be found costs a few hundred draws and is given up.

use std::cmp::Ordering;

use crate::gene::{Gene, LEAST_WORD};
use crate::source::{Brush, Source};
use crate::value::{Token, as_number, simplicity, tokens};

/// More moves than a tree of ordinary size takes to its simplest value.
const MOVES_TO_SIMPLEST: usize = 192;
/// Longest run of words that is searched for one value.
const MAX_WORDS: usize = 96;
/// Draws after which a value counts as not to be found.
const MAX_DRAWS: u32 = 800;
/// Words without any use in a row, after which a value is given up.
const MAX_IDLE: usize = 8;

/// The simplest value a source can draw, and its gene; of one whose values cannot be made simpler, the simplest of two.
pub(crate) fn simplest(source: &dyn Source, brush: &mut Brush) -> Option<(String, Gene)> {
    let mut best: Option<(String, Gene)> = None;
    let words: [&[u32]; 3] = [&[], &[u32::MAX; 8], &[0x7FFF_FFFF; 8]];
    let starts: Vec<Gene> = match () {
        () if source.is_rigid() => (0..2).map(Gene::from_seed).collect(),
        () if source.is_fed() => words.iter().map(|words| Gene::from_words(words)).collect(),
        () => (0..8).map(Gene::from_seed).collect(),
    };
    for start in starts {
        let leap = Gene { path: vec![true; MOVES_TO_SIMPLEST], ..start.clone() };
        let leap = (!source.is_rigid()).then_some(leap);
        for gene in leap.into_iter().chain([start]) {
            let Some((value, _)) = source.draw(&gene, brush) else { continue };
            let text = value.show();
            if best.as_ref().is_none_or(|(least, _)| simplicity(&text, None) < simplicity(least, None)) {
                best = Some((text, gene));
            }
        }
    }
    // A gene of plain words is shorter to write down than a path, if there is one.
    let (text, gene) = best?;
    let gene = if gene.path.is_empty() { gene } else { realise(source, &text, brush).unwrap_or(gene) };
    Some((text, gene))
}

/// The largest whole number a source draws at the ends of its randomness.
pub(crate) fn largest(source: &dyn Source, brush: &mut Brush) -> Option<(i128, Gene)> {
    const TOP: u32 = u32::MAX;
    const HALF: u32 = 0x7FFF_FFFF;
    let ends = [[TOP, TOP], [TOP, HALF], [HALF, HALF], [0xFFFF_FF00, 0xFFFF_FF00], [0x7F, 0x7F], [1, 1]];
    let drawn = ends.iter().filter_map(|words| {
        let gene = Gene::from_words(&words.repeat(4));
        let (value, _) = source.draw(&gene, brush)?;
        Some((as_number(&value.show())?, gene))
    });
    drawn.max_by_key(|(number, _)| *number)
}

/// The gene that draws the value shown as `wanted`.
pub(crate) fn realise(source: &dyn Source, wanted: &str, brush: &mut Brush) -> Option<Gene> {
    if !source.is_fed() {
        return None;
    }
    let target = tokens(wanted).into_iter().map(|place| place.token).collect();
    let mut search = Search { source, brush, wanted, target, words: Vec::new(), n_draws: 0 };
    let mut gap = search.gap()?;
    let mut at = 0;
    let mut n_idle = 0;
    while gap.aspect != Aspect::None && at < MAX_WORDS && n_idle < MAX_IDLE {
        search.words.resize(search.words.len().max(at + 2), LEAST_WORD);
        match search.effect(at, gap) {
            // A word of what is right already is not idle, it is done.
            Effect::Breaks => {
                (at, n_idle) = (at + 1, 0);
                continue;
            }
            Effect::None => {
                (at, n_idle) = (at + 1, n_idle + 1);
                continue;
            }
            Effect::Moves => n_idle += 1,
        }
        let narrow = WINDOWS.iter().find_map(|window| search.settle(at, 1, *window, gap));
        let found =
            narrow.or_else(|| WIDE_WINDOWS.iter().find_map(|window| search.settle(at, 2, *window, gap)));
        at += found.map_or(1, |(n_words, _)| n_words);
        n_idle = if found.is_some() { 0 } else { n_idle };
        gap = found.map_or(gap, |(_, gap)| gap);
    }
    (gap.aspect == Aspect::None).then(|| Gene::from_words(&search.words))
}

/// Ranges of one word in which values are likely to rise: halves, and those of types read from the low bits alone.
const WINDOWS: &[(u64, u64)] = &[
    (1, 0x7FFF_FFFF),
    (0x8000_0001, 0xFFFF_FF01),
    (0xFFFF_FF01, 0xFFFF_FFFF),
    (0, 0x7F),
    (0x80, 0xFF),
    (0, 0x7FFF),
    (0x8000, 0xFFFF),
];

/// The same for two words read as one.
const WIDE_WINDOWS: &[(u64, u64)] = &[
    (1, 0x7FFF_FFFF_FFFF_FFFF),
    (0x8000_0000_0000_0001, 0xFFFF_FFFF_FFFF_FF01),
    (0xFFFF_FFFF_FFFF_FF01, u64::MAX),
    (0, 1),
];

/// What separates a drawn value from the wanted one, and which way to go.
#[derive(Clone, Copy, Debug)]
struct Gap {
    aspect: Aspect,
    /// `Less` if the drawn value is below the wanted one.
    side: Ordering,
}

/// From far to near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Aspect {
    /// The number of tokens differs.
    Count,
    /// The token at this index is the first that differs.
    Token(usize),
    None,
}

struct Search<'a> {
    source: &'a dyn Source,
    brush: &'a mut Brush,
    wanted: &'a str,
    target: Vec<Token>,
    words: Vec<u32>,
    n_draws: u32,
}

impl Search<'_> {
    /// Looks in one window of the words at `at` for a setting that brings the value nearer, and leaves it there.
    fn settle(
        &mut self,
        at: usize,
        n_words: usize,
        (mut low, mut high): (u64, u64),
        before: Gap,
    ) -> Option<(usize, Gap)> {
        if self.n_draws >= MAX_DRAWS {
            return None;
        }
        let old = [self.words[at], self.words[at + 1]];
        let bottom = self.try_at(at, n_words, low, before);
        let top = self.try_at(at, n_words, high, before);
        let found = match (bottom, top) {
            (Trial::Nearer(gap), _) => {
                self.set(at, n_words, low);
                Some(gap)
            }
            (_, Trial::Nearer(gap)) => {
                self.set(at, n_words, high);
                Some(gap)
            }
            (Trial::Same(Ordering::Less), Trial::Same(Ordering::Greater) | Trial::Farther) => loop {
                if high - low < 2 {
                    break None;
                }
                let middle = low + (high - low) / 2;
                // Uniform sampling refuses round words; their neighbours are safe.
                let is_round = middle.trailing_zeros() >= 8 && high - low > 16;
                let middle = middle + u64::from(is_round);
                match self.try_at(at, n_words, middle, before) {
                    Trial::Nearer(gap) => break Some(gap),
                    Trial::Same(Ordering::Less) => low = middle,
                    Trial::Same(Ordering::Greater) | Trial::Farther => high = middle,
                    Trial::Same(Ordering::Equal) => break None,
                }
            },
            _ => None,
        };
        if found.is_none() {
            self.words[at..at + 2].copy_from_slice(&old);
        }
        found.map(|gap| (n_words, gap))
    }

    /// What the word at `at` does to the value, alone or with the next.
    fn effect(&mut self, at: usize, before: Gap) -> Effect {
        let old = [self.words[at], self.words[at + 1]];
        let settings = [[0x7FFF_FFFF, old[1]], [0xFFFF_FF01, old[1]], [u32::MAX, 0x7FFF_FFFF], [u32::MAX; 2]];
        let mut effect = Effect::None;
        let first = self.text();
        for words in settings {
            self.words[at..at + 2].copy_from_slice(&words);
            let text = self.text();
            if text == first {
                continue;
            }
            let is_broken =
                text.is_some_and(|text| self.gap_of(&text).is_some_and(|gap| gap.aspect < before.aspect));
            effect =
                if is_broken && !matches!(effect, Effect::Moves) { Effect::Breaks } else { Effect::Moves };
        }
        self.words[at..at + 2].copy_from_slice(&old);
        effect
    }

    fn try_at(&mut self, at: usize, n_words: usize, word: u64, before: Gap) -> Trial {
        self.set(at, n_words, word);
        match self.gap() {
            Some(gap) if gap.aspect > before.aspect => Trial::Nearer(gap),
            Some(gap) if gap.aspect == before.aspect => Trial::Same(gap.side),
            _ => Trial::Farther,
        }
    }

    fn set(&mut self, at: usize, n_words: usize, word: u64) {
        for (index, half) in word.to_le_bytes().chunks_exact(4).take(n_words).enumerate() {
            self.words[at + index] = u32::from_le_bytes([half[0], half[1], half[2], half[3]]);
        }
    }

    fn gap(&mut self) -> Option<Gap> {
        let text = self.text()?;
        self.gap_of(&text)
    }

    fn text(&mut self) -> Option<String> {
        self.n_draws += 1;
        self.source.draw(&Gene::from_words(&self.words), self.brush).map(|(value, _)| value.show())
    }

    fn gap_of(&self, text: &str) -> Option<Gap> {
        if text == self.wanted {
            return Some(Gap { aspect: Aspect::None, side: Ordering::Equal });
        }
        let drawn = tokens(text);
        let by_count = drawn.len().cmp(&self.target.len());
        if by_count != Ordering::Equal {
            return Some(Gap { aspect: Aspect::Count, side: by_count });
        }
        let pairs = drawn.iter().map(|place| &place.token).zip(&self.target);
        let (index, (drawn, target)) = pairs.enumerate().find(|(_, (drawn, target))| drawn != target)?;
        Some(Gap { aspect: Aspect::Token(index), side: direction(drawn, target) })
    }
}

/// What a word does to the value.
enum Effect {
    None,
    /// It changes only what is right already.
    Breaks,
    Moves,
}

enum Trial {
    Nearer(Gap),
    Same(Ordering),
    Farther,
}

/// Which way a token lies from the wanted one as strategies count, which is not by magnitude.
fn direction(drawn: &Token, target: &Token) -> Ordering {
    match (drawn.as_number(), target.as_number()) {
        (Some(drawn), Some(target)) => drawn.cmp(&target),
        _ => drawn.cmp(target),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diet::Care;
    use crate::source::Shown;
    use proptest::prelude::*;
    use std::fmt::Debug;

    #[track_caller]
    fn check<T: Clone + Debug + 'static>(strategy: impl Strategy<Value = T> + 'static, wanted: &[&str]) {
        let source = Shown::new(strategy.boxed(), |value: &T| format!("{value:?}"), Care::Full);
        let mut brush = Brush::default();
        for wanted in wanted {
            let gene = realise(&source, wanted, &mut brush);
            let drawn = gene.and_then(|gene| source.draw(&gene, &mut brush)).map(|(value, _)| value.show());
            assert_eq!(drawn.as_deref(), Some(*wanted));
        }
    }

    #[test]
    fn wanted_values_of_common_strategies_are_found() {
        check(0..=1000i64, &["0", "1", "17", "500", "999", "1000"]);
        check(1..=5u8, &["1", "2", "3", "4", "5"]);
        check(0..8usize, &["0", "3", "7"]);
        check(-50..=50i32, &["-50", "-1", "0", "50"]);
        check(0..1_000_000_000_000u64, &["0", "999999999999", "123456789012"]);
        check(any::<u8>(), &["0", "77", "200", "255"]);
        check(any::<i8>(), &["0", "-1", "127", "-128"]);
        check(any::<i64>(), &["0", "5", "-3", "1234567890123"]);
        check(any::<u32>(), &["0", "5", "4000000000"]);
        check(any::<bool>(), &["false", "true"]);
        check("[a-z]{0,6}", &["\"\"", "\"a\"", "\"aaaa\"", "\"hello\"", "\"zzzzzz\""]);
        check("[a-c]{1,3}", &["\"a\"", "\"cab\""]);
        check("[a-z]{1,3}-[0-9]{2}", &["\"a-00\"", "\"xyz-42\""]);
        check((0..10i32, 0..10i32), &["(0, 0)", "(3, 9)", "(9, 0)"]);
        check(proptest::collection::vec(0..100i32, 0..6), &["[]", "[0]", "[5, 99, 0]", "[0, 0, 0, 0, 0]"]);
        check(proptest::option::of(0..10i32), &["None", "Some(0)", "Some(7)"]);
        check(prop_oneof![Just("red"), Just("green"), Just("blue")], &["\"red\"", "\"blue\"", "\"green\""]);
        check((0..10i32).prop_map(|x| x * 10), &["0", "70", "90"]);
    }

    #[test]
    fn values_outside_the_strategy_are_not_found() {
        let source = Shown::new((0..=9i32).boxed(), |value| format!("{value}"), Care::Full);
        for wanted in ["10", "-1", "x", "\"a\"", ""] {
            assert_eq!(realise(&source, wanted, &mut Brush::default()), None, "{wanted}");
        }
    }

    #[test]
    fn of_a_rigid_strategy_the_simplest_of_a_few_is_taken_and_of_others_the_simplest_there_is() {
        let simplest_of = |strategy: BoxedStrategy<i64>, care: Care| {
            let source = Shown::new(strategy, |value| format!("{value}"), care);
            simplest(&source, &mut Brush::default()).map(|(text, _)| text)
        };
        let plain = (0..1000i64).no_shrink().boxed();
        let rare = prop_oneof![9 => Just(700i64), 1 => Just(3i64)].boxed();
        for care in [Care::Full, Care::Light] {
            assert_eq!(simplest_of(plain.clone(), care).as_deref(), Some("0"));
            assert_eq!(simplest_of(rare.clone(), care).as_deref(), Some("3"));
        }
        let drawn = |seed| text_of_seed(&plain, seed);
        assert_eq!(simplest_of(plain.clone(), Care::Rigid), [drawn(0), drawn(1)].into_iter().min());
    }

    /// The text of the value that a seed draws.
    fn text_of_seed(strategy: &BoxedStrategy<i64>, seed: u64) -> String {
        let source = Shown::new(strategy.clone(), |value| format!("{value}"), Care::Rigid);
        let drawn = source.draw(&Gene::from_seed(seed), &mut Brush::default());
        drawn.expect("nothing is rejected").0.show()
    }

    #[test]
    fn the_simplest_and_the_largest_are_those_of_the_strategy() {
        let ends = |strategy: BoxedStrategy<i64>| {
            let source = Shown::new(strategy, |value| format!("{value}"), Care::Full);
            let mut brush = Brush::default();
            let simplest = simplest(&source, &mut brush).map(|(text, _)| text);
            (simplest, largest(&source, &mut brush).map(|(number, _)| number))
        };
        assert_eq!(ends((-9..=9i64).boxed()), (Some("0".into()), Some(9)));
        assert_eq!(ends((3..=7i64).boxed()), (Some("3".into()), Some(7)));
        assert_eq!(ends(any::<i64>().boxed()), (Some("0".into()), Some(i64::MAX.into())));
    }
}
