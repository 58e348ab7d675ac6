//! Which code point to take from a set: what a reader would rather see, first.

use crate::draw::Draw;
use crate::text::alphabet::Letter;

const LOWER: u128 = bits(b'a', b'z');
const UPPER: u128 = bits(b'A', b'Z');
const DIGIT: u128 = bits(b'0', b'9');
const SPACE: u128 = 1 << b' ';
const MARK: u128 = bits(b'!', b'~') & !LOWER & !UPPER & !DIGIT;
const VOWEL: u128 = 1 << b'a' | 1 << b'e' | 1 << b'i' | 1 << b'o' | 1 << b'u';
/// The control characters that both judges see alike and that people know.
const BREAK: u128 = 1 << b'\n' | 1 << b'\t';

const fn bits(low: u8, high: u8) -> u128 {
    (u128::MAX >> (127 - (high - low))) << low
}

/// How a set competes with others: by what can be read, damped so that a lone hyphen still gets its turn.
pub(crate) fn weight(ascii: u128, n_characters: u64) -> u64 {
    let count = |mask: u128| u64::from((ascii & mask).count_ones());
    let liking = 10 * count(LOWER) + 8 * count(DIGIT) + 4 * count(UPPER) + 3 * count(MARK) + 3 * count(SPACE);
    let beyond = u64::from(n_characters > u64::from(ascii.count_ones()));
    ((liking + beyond) * 64).isqrt().max(1)
}

/// How far beyond ASCII a shape is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only where there is nothing else: the judges may read the patterns differently out there.
    Ascii,
    /// Now and then.
    Known,
    /// Often, and anywhere: the strings are so short that there would be few of them otherwise.
    Wide,
}

/// What there is to draw from some letters, worked out once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Palette {
    ascii: u128,
    /// The one character there is, if there is only one.
    only: Option<char>,
    /// The readable characters of ASCII, group after group.
    characters: Vec<u8>,
    /// Where each group of [`GROUPS`] starts, and where the last one ends.
    starts: [usize; N_GROUPS + 1],
    /// How likely lower-case letters, digits, upper-case letters, marks, blanks and known characters beyond ASCII are;
    /// the last share depends on the reach.
    shares: [u64; 6],
    has_foreign: bool,
}

/// The groups of readable characters; the two of lower-case letters stand together.
const GROUPS: [u128; N_GROUPS] = [LOWER & !VOWEL, VOWEL, DIGIT, UPPER, MARK, SPACE];
const N_GROUPS: usize = 6;

impl Palette {
    pub(crate) fn of(letters: &[&Letter]) -> Self {
        let ascii = letters.iter().fold(0, |ascii, letter| ascii | letter.ascii);
        let n_characters: u64 = letters.iter().map(|letter| letter.n_characters).sum();
        let only = letters.iter().find_map(|letter| letter.ranges.first()).map(|range| range.0);
        let share = |mask: u128, share: u64| if ascii & mask == 0 { 0 } else { share };
        let count = |mask: u128, most: u64| u64::from((ascii & mask).count_ones()).min(most);
        let mut characters = Vec::new();
        let mut starts = [0; N_GROUPS + 1];
        for (group, mask) in GROUPS.iter().enumerate() {
            characters.extend((0..128_u8).filter(|c| ascii & mask & 1 << c != 0));
            starts[group + 1] = characters.len();
        }
        Self {
            ascii,
            only: only.filter(|_| n_characters == 1).and_then(char::from_u32),
            characters,
            starts,
            shares: [
                // A class like `[Aa]` leaves only its case to vary, so a lone letter counts little.
                if count(LOWER, 3) < 3 { 20 * count(LOWER, 3) } else { 40 * count(LOWER, 8) },
                6 * count(DIGIT, 6),
                12 * count(UPPER, 2),
                share(MARK, 10 + count(MARK, 8)),
                share(SPACE, 10),
                0,
            ],
            has_foreign: letters.iter().any(|letter| !letter.foreign.is_empty()),
        }
    }

    /// One of the characters of the groups from `first` up to `end`, chosen by 32 bits.
    fn pick(&self, first: usize, end: usize, bits: u32) -> char {
        let characters = &self.characters[self.starts[first]..self.starts[end]];
        let index = (u64::from(bits) * characters.len() as u64) >> 32;
        usize::try_from(index).ok().and_then(|index| characters.get(index)).map_or('a', |c| char::from(*c))
    }

    /// A lower-case letter that is easy to say after the previous character.
    fn spoken(&self, previous: Option<char>, is_free: bool, bits: u32) -> char {
        let [start, vowels, end, ..] = self.starts;
        match previous {
            Some('a' | 'e' | 'i' | 'o' | 'u') if !is_free && start < vowels => self.pick(0, 1, bits),
            Some('b'..='z') if !is_free && vowels < end => self.pick(1, 2, bits),
            _ => self.pick(0, 2, bits),
        }
    }
}

/// Draws a code point. After a consonant a vowel is likely, so that runs of letters can be said aloud. The letters
/// themselves are only asked for beyond ASCII.
pub(crate) fn draw<'a>(
    palette: &Palette,
    reach: Reach,
    previous: Option<char>,
    draw: &mut Draw,
    letters: impl FnOnce() -> Vec<&'a Letter>,
) -> char {
    let Palette { ascii, only, characters: _, starts: _, shares, has_foreign } = palette;
    if let Some(c) = only {
        return *c;
    }
    let mut weights = *shares;
    if previous.is_some_and(|c| c.is_ascii_uppercase()) {
        weights[2] = weights[2] * 5 / 2;
    }
    if *has_foreign {
        weights[5] = match reach {
            Reach::Ascii => 0,
            Reach::Known => 4,
            Reach::Wide => 300,
        };
    }
    // One number serves all choices: 16 bits for the group, 8 for going astray, 32 for the character.
    let bits = draw.bits();
    let mut left = ((bits & 0xFFFF) * weights.iter().sum::<u64>()) >> 16;
    let group = weights.iter().position(|weight| {
        let is_here = left < *weight;
        left = left.saturating_sub(*weight);
        is_here
    });
    let is_free = ((((bits >> 16) & 0xFF) * 100) >> 8) < 15;
    let bits = u32::try_from(bits >> 32).expect("half of 64 bits are 32");
    match group {
        None => rare(&letters(), *ascii, draw),
        Some(0) => palette.spoken(previous, is_free, bits),
        Some(group @ 1..5) => palette.pick(group + 1, group + 2, bits),
        Some(_) => foreign(&letters(), reach, draw),
    }
}

/// The characters of the letters, best first, at most `most` of them.
pub(crate) fn in_order(letters: &[&Letter], most: usize) -> Vec<(u32, char)> {
    let mut found = Vec::new();
    for letter in letters {
        let ascii = (0..128).filter(|bit| letter.ascii >> bit & 1 == 1);
        let beyond = letter.ranges.iter().flat_map(|(low, high)| (*low).max(128)..=*high).take(most);
        found.extend(ascii.chain(beyond).filter_map(char::from_u32).map(|c| (rank(c), c)));
    }
    found.sort_unstable();
    found.truncate(most);
    found
}

fn rank(c: char) -> u32 {
    let bit = if c.is_ascii() { 1 << u32::from(c) } else { 0 };
    let group = [LOWER, DIGIT, UPPER, MARK, SPACE, BREAK].iter().position(|mask| mask & bit != 0);
    let group = group.unwrap_or(if c.is_ascii() { 8 } else { 7 });
    u32::try_from(group).expect("there are few groups") << 24 | u32::from(c)
}

fn any_bit(set: u128, draw: &mut Draw) -> char {
    let mut left = draw.below(u64::from(set.count_ones()));
    let mut rest = set;
    while left > 0 {
        rest &= rest - 1;
        left -= 1;
    }
    char::from_u32(rest.trailing_zeros()).unwrap_or('a')
}

/// A character beyond ASCII: a known one if there is any, else one from near the start of some range.
fn foreign(letters: &[&Letter], reach: Reach, draw: &mut Draw) -> char {
    let known: Vec<char> = letters.iter().flat_map(|letter| letter.foreign.iter().copied()).collect();
    if reach == Reach::Wide && known.contains(&'漢') && draw.chance(80) {
        let c = ideograph(draw);
        let has = |letter: &&&Letter| {
            letter.ranges.iter().any(|(low, high)| (*low..=*high).contains(&u32::from(c)))
        };
        if letters.iter().any(|letter| has(&letter)) {
            return c;
        }
    }
    if let Some(c) = draw.pick(&known) {
        return *c;
    }
    let ranges: Vec<(u32, u32)> = letters
        .iter()
        .flat_map(|letter| letter.ranges.iter().copied())
        .filter(|range| range.1 > 127)
        .collect();
    let Some((low, high)) = draw.pick(&ranges).copied() else { return 'é' };
    let low = low.max(128);
    let number = low + u32::try_from(draw.below(u64::from((high - low).min(200)) + 1)).unwrap_or(0);
    // A range does not cross the surrogates, so the number is a character.
    char::from_u32(number).unwrap_or('é')
}

/// One of the twenty thousand characters of the basic block of Han.
pub(crate) fn ideograph(draw: &mut Draw) -> char {
    u32::try_from(draw.below(0x51A6)).ok().and_then(|offset| char::from_u32(0x4E00 + offset)).unwrap_or('漢')
}

/// A character of sets that hold nothing readable.
fn rare(letters: &[&Letter], ascii: u128, draw: &mut Draw) -> char {
    if ascii & BREAK != 0 {
        return any_bit(ascii & BREAK, draw);
    }
    // A carriage return ends a line for one judge only, so it comes last.
    match ascii & !(1 << b'\r') {
        0 if ascii == 0 => foreign(letters, Reach::Known, draw),
        0 => '\r',
        others => any_bit(others, draw),
    }
}
