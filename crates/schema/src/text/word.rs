//! Strings without a pattern or a format: words a person could read, and now and then something sharp.

use crate::draw::Draw;
use crate::text::character;

// The parts of words, each of at most two letters, filled up with zeros.
const STARTS: &[[u8; 2]] = &[
    *b"b\0", *b"br", *b"c\0", *b"d\0", *b"dr", *b"f\0", *b"fl", *b"g\0", *b"gr", *b"h\0", *b"j\0", *b"k\0",
    *b"l\0", *b"m\0", *b"n\0", *b"p\0", *b"pl", *b"qu", *b"r\0", *b"s\0", *b"st", *b"t\0", *b"tr", *b"v\0",
    *b"w\0", *b"z\0",
];
const VOWELS: &[[u8; 2]] =
    &[*b"a\0", *b"e\0", *b"i\0", *b"o\0", *b"u\0", *b"a\0", *b"e\0", *b"o\0", *b"ai", *b"ou", *b"ea"];
const ENDS: &[[u8; 2]] = &[
    *b"\0\0", *b"\0\0", *b"\0\0", *b"l\0", *b"m\0", *b"n\0", *b"r\0", *b"s\0", *b"t\0", *b"nd", *b"rk",
    *b"st", *b"x\0",
];

/// Strings that break careless programs; each is drawn only where its length allows.
const SHARP: &[&str] = &[
    " ",
    "é",
    "漢字",
    "😀",
    "\"",
    "\\",
    "'",
    "<script>alert(1)</script>",
    "null",
    "0",
    "-1",
    "a\nb",
    "\t",
    " edge ",
    "a/b",
    "100%",
    "${x}",
    "--",
    "ﬁn",
    "e\u{301}",
    "true",
    "NaN",
    "../..",
    "@",
    "日本語テキスト",
    "naïve café",
];

/// Draws a string of between `low` and `high` code points; `high` is not below `low`.
pub(crate) fn draw(low: u64, high: u64, draw: &mut Draw) -> String {
    if high == 0 {
        return String::new();
    }
    if high <= 2 {
        return short(low.max(1), high, draw);
    }
    let kind = draw.below(120);
    if kind < 10
        && let Some(text) = edge(low, high, draw)
    {
        return text;
    }
    let mut text = String::with_capacity(24);
    push_word(&mut text, draw);
    match kind % 10 {
        0 | 1 => {
            text.push(' ');
            push_word(&mut text, draw);
        }
        2 => {
            text.push('-');
            push_word(&mut text, draw);
        }
        3 => text.get_mut(..1).expect("a word starts with a letter of ASCII").make_ascii_uppercase(),
        4 => {
            let number = draw.below(100);
            text.extend((number > 9).then(|| digit(number / 10)));
            text.push(digit(number % 10));
        }
        _ => {}
    }
    fit(&mut text, low, high, draw);
    text
}

fn digit(number: u64) -> char {
    u32::try_from(number).ok().and_then(|number| char::from_digit(number, 10)).unwrap_or('0')
}

/// Draws a string of exactly `length` code points.
pub(crate) fn of_length(length: u64, draw: &mut Draw) -> String {
    if (1..=2).contains(&length) {
        return short(length, length, draw);
    }
    let mut text = word(draw);
    fit(&mut text, length, length, draw);
    text
}

/// One or two characters; there are few that people use, so others help out.
fn short(low: u64, high: u64, draw: &mut Draw) -> String {
    const COMMON: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.!";
    let length = low + draw.below(high - low + 1);
    let one = |draw: &mut Draw| match draw.pick(COMMON) {
        Some(c) if draw.chance(55) => char::from(*c),
        _ => character::ideograph(draw),
    };
    (0..length).map(|_| one(draw)).collect()
}

/// A pronounceable word of lower-case letters.
pub(crate) fn word(draw: &mut Draw) -> String {
    let mut word = String::with_capacity(16);
    push_word(&mut word, draw);
    word
}

/// Appends a word. All its parts come from one number of 64 bits, nine for each: plenty for tables this small.
fn push_word(text: &mut String, draw: &mut Draw) {
    let mut bits = draw.bits();
    let mut below = |n: usize| {
        let index = ((bits & 0x1FF) * n as u64) >> 9;
        bits >>= 9;
        usize::try_from(index).expect("an index of a small table is a usize")
    };
    let mut letters = Letters::default();
    let n_syllables = [1, 1, 2, 2, 2, 2, 2, 3, 3, 3][below(10)];
    for syllable in 0..3 {
        let is_there = syllable < n_syllables;
        letters.push(STARTS[below(STARTS.len())], is_there);
        letters.push(VOWELS[below(VOWELS.len())], is_there);
    }
    // The syllables have used up the number; the end has its own.
    letters.push(ENDS[draw.index(ENDS.len())], true);
    letters.add_to(text);
}

/// A word in the making, in one register. Parts are written whole and then counted, because a branch on the length of
/// each would be guessed wrong half of the time.
#[derive(Default)]
struct Letters {
    bits: u128,
    length: usize,
}

impl Letters {
    fn push(&mut self, part: [u8; 2], is_there: bool) {
        let [first, second] = part;
        let length = usize::from(first != 0) + usize::from(second != 0);
        let kept = u16::from_le_bytes(part) * u16::from(is_there);
        self.bits |= u128::from(kept) << (8 * self.length);
        self.length += length * usize::from(is_there);
    }

    fn add_to(self, text: &mut String) {
        let bytes = self.bits.to_le_bytes();
        text.push_str(std::str::from_utf8(&bytes[..self.length]).expect("the parts of words are ASCII"));
    }
}

/// An edge of what is allowed: the shortest, the longest when that is not much, or a sharp string.
fn edge(low: u64, high: u64, draw: &mut Draw) -> Option<String> {
    let length = |text: &str| text.chars().count() as u64;
    match draw.below(8) {
        0 => Some(of_length(if low == 0 && draw.chance(75) { 1 } else { low }, draw)),
        1 if high <= 64 => Some(of_length(high, draw)),
        _ => {
            let start = draw.index(SHARP.len());
            let mut from_there = SHARP[start..].iter().chain(&SHARP[..start]);
            from_there.find(|text| (low..=high).contains(&length(text))).map(|text| (*text).to_owned())
        }
    }
}

/// Lengthens with more words or cuts, so that the length lies between the bounds.
fn fit(text: &mut String, low: u64, high: u64, draw: &mut Draw) {
    // Words are ASCII, so bytes are code points.
    while (text.len() as u64) < low {
        if high - text.len() as u64 > 1 {
            text.push(' ');
        }
        push_word(text, draw);
    }
    if text.len() as u64 > high {
        text.truncate(usize::try_from(high).unwrap_or(usize::MAX));
        // A cut that leaves a blank at the end would look like a mistake.
        if text.ends_with([' ', '-']) {
            text.pop();
            text.push(char::from(b'a' + u8::try_from(draw.below(26)).unwrap_or(0)));
        }
    }
}
