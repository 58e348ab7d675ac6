//! A shape made ready for drawing, and all that can be asked of it.

use std::sync::Arc;

use crate::draw::Draw;
use crate::text::character::Reach;
use crate::text::compile::{self, Compiled, Source, Tables, Words};
use crate::text::length::{self, Lengths};
use crate::text::loose;
use crate::text::walk::{self, Window};
use crate::text::word;
use crate::text::{TextLimits, TextProblem, TextShape};

/// How often a string is drawn again because it was an excluded one.
const MAX_TRIES: usize = 24;

/// Most lengths looked at in search of one that the excluded strings leave something of.
const MAX_GAP: usize = 1000;

/// All strings of a shape.
#[derive(Debug, Clone)]
pub struct TextSampler {
    compiled: Arc<Compiled>,
}

impl TextSampler {
    /// Makes a shape ready; fails when no string satisfies it or none can be drawn within the limits.
    pub fn compile(shape: &TextShape, limits: &TextLimits) -> Result<Self, TextProblem> {
        let compiled = Arc::new(compile::compile(shape, limits)?);
        let sampler = Self { compiled };
        if sampler.compiled.excluded.is_empty() || !sampler.is_exact() || sampler.count_at_most(1) > 0 {
            return Ok(sampler);
        }
        Err(TextProblem::Empty { why: "every string left is excluded".to_owned() })
    }

    /// Draws a string; `None` only when the sampler is not exact and the tries ran out.
    pub fn draw(&self, draw: &mut Draw) -> Option<String> {
        let tries = (0..MAX_TRIES).find_map(|_| self.draw_any(draw).filter(|text| self.is_allowed(text)));
        if tries.is_some() || self.compiled.excluded.is_empty() {
            return tries;
        }
        let left = self.first_allowed(64);
        draw.pick(&left).cloned()
    }

    /// Draws a string of exactly `length` code points, if there is one.
    pub fn draw_of_length(&self, length: u64, draw: &mut Draw) -> Option<String> {
        let tries = (0..MAX_TRIES).find_map(|_| {
            let text = self.draw_between(length, length, draw)?;
            self.is_allowed(&text).then_some(text)
        });
        if tries.is_some() || self.compiled.excluded.is_empty() {
            return tries;
        }
        let left = self.in_order(length, length, self.compiled.excluded.len() + 1);
        left.into_iter().find(|text| self.is_allowed(text))
    }

    /// The shortest string, of the characters best to read.
    #[must_use]
    pub fn simplest(&self) -> Option<String> {
        match &self.compiled.source {
            Source::Loose(_) => self.draw(&mut Draw::new(0)),
            Source::Words | Source::Automaton(_) => self.first_allowed(1).into_iter().next(),
        }
    }

    /// The fewest and the most code points of a string, as far as they are known.
    #[must_use]
    pub fn length_range(&self) -> (u64, Option<u64>) {
        let Compiled { source, max_length, low, .. } = &*self.compiled;
        // Each length that is used up takes at least one excluded string, apart from gaps that no string fills.
        let shortest = (*low..).take(MAX_GAP).find(|length| !self.is_used_up(*length)).unwrap_or(*low);
        let longest = match source {
            Source::Words | Source::Loose(_) => *max_length,
            Source::Automaton(tables) => {
                let longest = tables.automaton.longest();
                let bound = [longest, *max_length].into_iter().flatten().min();
                bound.map(|bound| longest_within(tables, bound).unwrap_or(bound))
            }
        };
        (shortest, longest)
    }

    /// Whether every string drawn satisfies the shape by construction.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.compiled.is_exact
    }

    /// All strings in a fixed order, if there are at most `most` of them and all are known.
    #[must_use]
    pub fn enumerate(&self, most: usize) -> Option<Vec<String>> {
        let Compiled { is_exact, is_narrowed, excluded, .. } = &*self.compiled;
        let limit = most.saturating_add(excluded.len()).saturating_add(1);
        if !is_exact || *is_narrowed || self.count_all(limit as u64) >= limit as u64 {
            return None;
        }
        let (low, high) = (self.compiled.low, self.length_range().1?);
        let all: Vec<String> =
            self.in_order(low, high, limit).into_iter().filter(|text| self.is_allowed(text)).collect();
        (all.len() <= most).then_some(all)
    }

    /// Whether a string satisfies the shape, where that is known.
    #[must_use]
    pub fn matches(&self, text: &str) -> Option<bool> {
        let Compiled { source, min_length, max_length, is_exact, is_narrowed, .. } = &*self.compiled;
        let length = text.chars().count() as u64;
        if length < *min_length || max_length.is_some_and(|max| max < length) || !self.is_allowed(text) {
            return Some(false);
        }
        let is_accepted = match source {
            Source::Words => true,
            Source::Automaton(tables) => tables.automaton.accepts(text),
            Source::Loose(_) => return None,
        };
        match (is_accepted, is_exact, is_narrowed) {
            (_, false, _) | (false, true, true) => None,
            (is_accepted, true, _) => Some(is_accepted),
        }
    }

    /// How many strings there are, counted no further than `most`.
    #[must_use]
    pub fn count_at_most(&self, most: u64) -> u64 {
        let excluded = &self.compiled.excluded;
        let limit = most.saturating_add(excluded.len() as u64);
        let n_lost = excluded.iter().filter(|text| self.is_of_source(text)).count() as u64;
        self.count_all(limit).saturating_sub(n_lost).min(most)
    }

    fn count_all(&self, most: u64) -> u64 {
        let Compiled { source, low, max_length, .. } = &*self.compiled;
        match source {
            Source::Words if *max_length == Some(0) => most.min(1),
            Source::Words | Source::Loose(_) => most,
            Source::Automaton(tables) => {
                let automaton = &tables.automaton;
                if max_length.is_none() && automaton.longest().is_none() {
                    return most;
                }
                walk::count(automaton, *low, max_length.unwrap_or(u64::MAX), most)
            }
        }
    }

    fn is_allowed(&self, text: &str) -> bool {
        let excluded = &self.compiled.excluded;
        excluded.is_empty() || !excluded.contains(text)
    }

    /// Whether a string would satisfy the shape if nothing were excluded.
    fn is_of_source(&self, text: &str) -> bool {
        let Compiled { source, low, max_length, .. } = &*self.compiled;
        let length = text.chars().count() as u64;
        let is_accepted = match source {
            Source::Words => true,
            Source::Automaton(tables) => tables.automaton.accepts(text),
            Source::Loose(_) => false,
        };
        is_accepted && *low <= length && max_length.is_none_or(|max| length <= max)
    }

    /// Whether the excluded strings take all that have this length.
    fn is_used_up(&self, length: u64) -> bool {
        let Compiled { source, max_length, excluded, .. } = &*self.compiled;
        let is_lost = |text: &&String| text.chars().count() as u64 == length && self.is_of_source(text);
        let n_lost = excluded.iter().filter(is_lost).count() as u64;
        let n_all = match source {
            _ if max_length.is_some_and(|max| max <= length) => return false,
            Source::Loose(_) => return false,
            Source::Words => u64::from(length == 0) + u64::from(length > 0) * 0x10_F800,
            Source::Automaton(tables) => walk::count(&tables.automaton, length, length, n_lost + 1),
        };
        // A length no string has at all, between used-up ones, is passed over too.
        n_all <= n_lost && !excluded.is_empty()
    }

    fn draw_any(&self, draw: &mut Draw) -> Option<String> {
        let Compiled { source, low, high, .. } = &*self.compiled;
        match source {
            Source::Words => Some(word::draw(*low, *high, draw)),
            Source::Loose(loose) => loose::draw(loose, *low, *high, draw),
            Source::Automaton(tables) => {
                if tables.words != Words::None && draw.chance(70) {
                    let text = match tables.words {
                        Words::Any => word::draw(*low, *high, draw),
                        Words::Single | Words::None => word::word(draw),
                    };
                    let length = text.len() as u64;
                    let is_fit = tables.words == Words::Any || (*low <= length && length <= *high);
                    if is_fit
                        && tables.automaton.accepts(&text)
                        && (tables.reach != Reach::Ascii || text.is_ascii())
                    {
                        return Some(text);
                    }
                }
                if tables.is_sparse {
                    let wanted = low + draw.below(high - low + 1);
                    let first = |lengths: &Lengths| lengths.first(0, wanted, *high).unwrap_or(*low);
                    let length = tables.lengths.as_ref().map_or(*low, first);
                    return self.draw_between(length, length, draw);
                }
                let is_edge = tables.lengths.is_some() && draw.below(12) == 0;
                match is_edge {
                    true if draw.chance(50) => self.draw_between(*low, *low, draw),
                    true if *high <= 256 => self.draw_between(longest_within(tables, *high)?, *high, draw),
                    _ => self.draw_between(*low, *high, draw),
                }
            }
        }
    }

    fn draw_between(&self, low: u64, high: u64, draw: &mut Draw) -> Option<String> {
        let Compiled { source, min_length, max_length, .. } = &*self.compiled;
        if high < *min_length || max_length.is_some_and(|max| max < low) {
            return None;
        }
        match source {
            Source::Words if low == high => Some(word::of_length(low, draw)),
            Source::Words => Some(word::draw(low, high, draw)),
            Source::Loose(loose) => loose::draw(loose, low, high, draw),
            Source::Automaton(tables) => {
                let Tables { automaton, lengths, words: _, is_sparse: _, reach } = &**tables;
                if lengths.is_none() && low <= self.compiled.low {
                    return walk::draw(automaton, Window { low, high, lengths: None }, *reach, draw);
                }
                with_lengths(tables, high, |lengths| {
                    let window = Window { low, high, lengths: Some(lengths) };
                    walk::draw(automaton, window, *reach, draw)
                })?
            }
        }
    }

    /// The first strings in order that are not excluded, at most `most`.
    fn first_allowed(&self, most: usize) -> Vec<String> {
        let Compiled { low, max_length, excluded, .. } = &*self.compiled;
        let longest = excluded.iter().map(|text| text.chars().count() as u64).max().unwrap_or(0);
        let high = longest.max(self.length_range().0).max(*low).saturating_add(1);
        let high = max_length.unwrap_or(u64::MAX).min(high);
        let mut left = self.in_order(*low, high, most.saturating_add(excluded.len()));
        left.retain(|text| self.is_allowed(text));
        left.truncate(most);
        left
    }

    fn in_order(&self, low: u64, high: u64, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        match &self.compiled.source {
            Source::Words => {
                if low == 0 {
                    found.push(String::new());
                }
                let numbered = (0..most as u64).map(|number| numbered_word(number, low.max(1)));
                found.extend(numbered.filter(|text| text.chars().count() as u64 <= high));
                found.truncate(most);
            }
            Source::Loose(_) => {}
            Source::Automaton(tables) => {
                with_lengths(tables, high, |lengths| {
                    let window = Window { low, high, lengths: Some(lengths) };
                    walk::in_order(&tables.automaton, window, most, &mut |text| {
                        found.push(text);
                        found.len() < most
                    });
                });
            }
        }
        found
    }
}

/// The largest feasible length up to a bound, where working it out is cheap.
fn longest_within(tables: &Tables, bound: u64) -> Option<u64> {
    if bound > 4096 {
        return None;
    }
    with_lengths(tables, bound, |lengths| lengths.last(0, 0, bound))?
}

/// Hands over feasible lengths up to `high`: those at hand, or new ones.
fn with_lengths<T>(tables: &Tables, high: u64, use_them: impl FnOnce(&Lengths) -> T) -> Option<T> {
    match &tables.lengths {
        Some(lengths) if lengths.reach() >= high => Some(use_them(lengths)),
        _ => Some(use_them(&length::measure(&tables.automaton, high).ok()?)),
    }
}

/// The string with this number among all lower-case ones from `length` letters on.
fn numbered_word(number: u64, length: u64) -> String {
    let mut letters = Vec::new();
    let mut left = number;
    while left > 0 || (letters.len() as u64) < length {
        letters.push(char::from(b'a' + u8::try_from(left % 26).expect("a remainder of 26 is a byte")));
        left /= 26;
    }
    letters.into_iter().rev().collect()
}
