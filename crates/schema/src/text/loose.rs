//! Drawing by walking the syntax tree of a pattern, for shapes too complex for an automaton.
//!
//! A string is drawn from one pattern and tried against all the rest; what comes out is likely right, not certainly.

use std::collections::BTreeMap;

use crate::draw::Draw;
use crate::text::alphabet::Letter;
use crate::text::backtrack;
use crate::text::character::{self, Palette, Reach};
use crate::text::tree::{Pattern, Tree};
use crate::text::word;

/// How often a string is drawn before giving up.
const MAX_TRIES: usize = 60;
/// Constructs one walk may pass through beyond those that a long text needs.
const MAX_STEPS: u64 = 20_000;

/// A shape that is drawn inexactly.
#[derive(Debug, Clone)]
pub(crate) struct Loose {
    pub(crate) required: Vec<Pattern>,
    pub(crate) barred: Vec<Pattern>,
}

/// Draws a string of between `low` and `high` code points that seems to satisfy the shape.
pub(crate) fn draw(loose: &Loose, low: u64, high: u64, draw: &mut Draw) -> Option<String> {
    let mut unsure = None;
    for n_tries in 0..MAX_TRIES {
        let text = candidate(loose, low, high, n_tries, draw);
        if !(low..=high).contains(&(text.chars().count() as u64)) {
            continue;
        }
        let required = loose.required.iter().map(|pattern| backtrack::matches(&pattern.tree, &text));
        let barred =
            loose.barred.iter().map(|pattern| backtrack::matches(&pattern.tree, &text).map(|is| !is));
        match required.chain(barred).try_fold(true, |all, one| match one {
            Some(false) => Err(()),
            Some(true) => Ok(all),
            None => Ok(false),
        }) {
            Ok(true) => return Some(text),
            // The matcher gave up; better an unsure string than none.
            Ok(false) => unsure = Some(text),
            Err(()) => {}
        }
        if unsure.is_some() && n_tries >= 2 {
            break;
        }
    }
    unsure
}

fn candidate(loose: &Loose, low: u64, high: u64, n_tries: usize, draw: &mut Draw) -> String {
    if loose.required.is_empty() {
        return word::draw(low, high, draw);
    }
    let pattern = &loose.required[n_tries % loose.required.len()];
    let mut walk = Walk {
        text: String::new(),
        length: 0,
        captured: BTreeMap::new(),
        previous: None,
        low,
        n_steps: MAX_STEPS + 4 * low,
        // The soft aim shrinks with the tries, so that a tight bound is met in the end.
        is_short: n_tries % 3 == 2,
    };
    walk.write(&pattern.tree, draw);
    walk.text
}

struct Walk {
    text: String,
    length: u64,
    captured: BTreeMap<u32, String>,
    previous: Option<char>,
    low: u64,
    is_short: bool,
    /// Constructs that may still be walked through.
    n_steps: u64,
}

impl Walk {
    fn write(&mut self, tree: &Tree, draw: &mut Draw) {
        if self.n_steps == 0 {
            return;
        }
        self.n_steps -= 1;
        match tree {
            Tree::Class(class) => {
                let letter = Letter::of_class(class);
                if letter.n_characters > 0 {
                    let palette = Palette::of(&[&letter]);
                    let c = character::draw(&palette, Reach::Ascii, self.previous, draw, || vec![&letter]);
                    self.text.push(c);
                    self.previous = Some(c);
                    self.length += 1;
                }
            }
            Tree::Sequence(trees) => trees.iter().for_each(|tree| self.write(tree, draw)),
            Tree::Choice(trees) => {
                if let Some(tree) = draw.pick(trees) {
                    self.write(tree, draw);
                }
            }
            Tree::Repeat { tree, min, max } => {
                let mut n_rounds = *min;
                let most = max.unwrap_or(u32::MAX);
                let ending = if self.is_short { 90 } else { 35 };
                while n_rounds < most && (self.length < self.low || !draw.chance(ending)) {
                    let before = self.length;
                    self.write(tree, draw);
                    n_rounds += 1;
                    if self.length == before || self.n_steps == 0 {
                        break;
                    }
                }
                for _ in 0..*min {
                    if self.n_steps == 0 {
                        break;
                    }
                    self.write(tree, draw);
                }
            }
            Tree::Group { number, tree } => {
                let start = self.text.len();
                self.write(tree, draw);
                self.captured.insert(*number, self.text[start..].to_owned());
            }
            Tree::BackReference { number } => {
                let again = self.captured.get(number).cloned().unwrap_or_default();
                self.length += again.chars().count() as u64;
                self.text.push_str(&again);
            }
            // What a look-around demands is left to the matcher.
            Tree::Start | Tree::End | Tree::Look { direction: _, is_negated: _, tree: _ } => {}
        }
    }
}
