//! The code points of a shape, grouped into letters that no class of its patterns tells apart.

use regex_syntax::hir::ClassUnicode;

/// Characters beyond ASCII that readers recognise: letters of several scripts, signs, an astral one.
pub(crate) const FOREIGN: &[char] = &[
    'é', 'ñ', 'ü', 'ß', 'ø', 'Ω', 'λ', 'Ж', 'я', '漢', '字', 'あ', '한', 'ع', 'ש', '€', '→', '…', '😀',
    '\u{a0}',
];

/// Code points that behave alike.
#[derive(Debug, Clone, Default)]
pub(crate) struct Letter {
    /// Inclusive ranges of code points, in order.
    pub(crate) ranges: Vec<(u32, u32)>,
    /// Those below 128 as a set of bits.
    pub(crate) ascii: u128,
    /// Those beyond ASCII that a reader would know.
    pub(crate) foreign: Vec<char>,
    /// How many code points there are.
    pub(crate) n_characters: u64,
    /// One bit for each class that holds the letter.
    classes: Vec<u64>,
}

/// All letters; every code point is in exactly one.
#[derive(Debug, Clone)]
pub(crate) struct Alphabet {
    letters: Vec<Letter>,
    /// Where each run of code points starts and which letter it belongs to, in order.
    runs: Vec<(u32, u32)>,
}

/// The half-open gap of surrogates, which no text holds.
const SURROGATES: (u32, u32) = (0xD800, 0xE000);
const END: u32 = 0x11_0000;

impl Alphabet {
    /// The coarsest letters that respect all classes.
    pub(crate) fn new(classes: &[ClassUnicode]) -> Self {
        let mut cuts = vec![0, 128, SURROGATES.0, SURROGATES.1, END];
        for class in classes {
            for range in class.ranges() {
                cuts.push(u32::from(range.start()));
                cuts.push(u32::from(range.end()) + 1);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let n_words = classes.len().div_ceil(64).max(1);
        let mut signatures = vec![0_u64; cuts.len() * n_words];
        for (index, class) in classes.iter().enumerate() {
            for range in class.ranges() {
                let first = cuts.partition_point(|cut| *cut < u32::from(range.start()));
                let end = cuts.partition_point(|cut| *cut <= u32::from(range.end()));
                for run in first..end {
                    signatures[run * n_words + index / 64] |= 1 << (index % 64);
                }
            }
        }
        let mut alphabet = Self { letters: Vec::new(), runs: Vec::new() };
        let mut known: std::collections::BTreeMap<&[u64], usize> = std::collections::BTreeMap::new();
        for (run, pair) in cuts.windows(2).enumerate() {
            let (low, high) = (pair[0], pair[1] - 1);
            if low == SURROGATES.0 {
                continue;
            }
            let signature = &signatures[run * n_words..(run + 1) * n_words];
            let letter = *known.entry(signature).or_insert(alphabet.letters.len());
            if letter == alphabet.letters.len() {
                let classes = signature.to_vec();
                alphabet.letters.push(Letter { classes, ..Letter::default() });
            }
            alphabet.letters[letter].add(low, high);
            alphabet
                .runs
                .push((low, u32::try_from(letter).expect("there are fewer letters than code points")));
        }
        for c in FOREIGN {
            let letter = alphabet.letter_of(*c);
            alphabet.letters[letter as usize].foreign.push(*c);
        }
        alphabet
    }

    /// The letters by number.
    pub(crate) fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The letter of a code point.
    pub(crate) fn letter_of(&self, c: char) -> u32 {
        let after = self.runs.partition_point(|(low, _)| *low <= u32::from(c));
        self.runs[after - 1].1
    }
}

impl Letter {
    /// All code points of a class as one letter.
    pub(crate) fn of_class(class: &ClassUnicode) -> Self {
        let mut letter = Self::default();
        for range in class.ranges() {
            let (low, high) = (u32::from(range.start()), u32::from(range.end()));
            for (low, high) in [(low, high.min(127)), (low.max(128), high)] {
                if low <= high {
                    letter.add(low, high);
                }
            }
        }
        let is_here =
            |c: &&char| letter.ranges.iter().any(|(low, high)| (*low..=*high).contains(&u32::from(**c)));
        letter.foreign = FOREIGN.iter().filter(is_here).copied().collect();
        letter
    }

    fn add(&mut self, low: u32, high: u32) {
        self.n_characters += u64::from(high - low) + 1;
        if high < 128 {
            self.ascii |= (u128::MAX >> (127 - (high - low))) << low;
        }
        match self.ranges.last_mut() {
            Some(last) if last.1 + 1 == low => last.1 = high,
            _ => self.ranges.push((low, high)),
        }
    }

    /// Whether the class with this number holds the letter.
    pub(crate) fn is_in(&self, class: u32) -> bool {
        self.classes[class as usize / 64] >> (class % 64) & 1 == 1
    }

    /// Whether two letters are in the same ones of the classes chosen by `mask`.
    pub(crate) fn is_like(&self, other: &Letter, mask: &[u64]) -> bool {
        self.classes
            .iter()
            .zip(&other.classes)
            .zip(mask)
            .all(|((one, other), mask)| (one ^ other) & mask == 0)
    }
}
