//! Whether a text matches a pattern, decided by search; only for patterns no automaton was built for.

use std::collections::BTreeMap;

use crate::text::tree::{Direction, Tree};

/// Most steps of one search.
const MAX_STEPS: usize = 50_000;
/// Deepest recursion of one search.
const MAX_DEPTH: usize = 1_500;

/// Whether the pattern is found somewhere in the text; `None` when the search was given up.
pub(crate) fn matches(tree: &Tree, text: &str) -> Option<bool> {
    let text: Vec<char> = text.chars().collect();
    let mut search = Search { text: &text, n_steps: 0, depth: 0, captured: BTreeMap::new() };
    for start in 0..=text.len() {
        if search.matches(tree, start, &mut |_, _| Some(true))? {
            return Some(true);
        }
    }
    Some(false)
}

/// What must hold at the place a match ended.
type Then<'t> = &'t mut dyn FnMut(&mut Search<'_>, usize) -> Option<bool>;

struct Search<'a> {
    text: &'a [char],
    n_steps: usize,
    depth: usize,
    captured: BTreeMap<u32, (usize, usize)>,
}

impl Search<'_> {
    fn matches(&mut self, tree: &Tree, at: usize, then: Then<'_>) -> Option<bool> {
        self.n_steps += 1;
        if self.n_steps > MAX_STEPS || self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let result = self.matches_one(tree, at, then);
        self.depth -= 1;
        result
    }

    fn matches_one(&mut self, tree: &Tree, at: usize, then: Then<'_>) -> Option<bool> {
        match tree {
            Tree::Class(class) => match self.text.get(at) {
                Some(c) if class.ranges().iter().any(|range| (range.start()..=range.end()).contains(c)) => {
                    then(self, at + 1)
                }
                _ => Some(false),
            },
            Tree::Sequence(trees) => self.sequence(trees, at, then),
            Tree::Choice(trees) => {
                for tree in trees {
                    if self.matches(tree, at, then)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            Tree::Repeat { tree, min, max } => self.repeat(tree, (*min, *max), at, then),
            Tree::Group { number, tree } => {
                let before = self.captured.get(number).copied();
                let is_found = self.matches(tree, at, &mut |search, end| {
                    search.captured.insert(*number, (at, end));
                    then(search, end)
                })?;
                match before {
                    Some(before) if !is_found => self.captured.insert(*number, before),
                    None if !is_found => self.captured.remove(number),
                    _ => None,
                };
                Some(is_found)
            }
            Tree::BackReference { number } => {
                let (start, end) = self.captured.get(number).copied().unwrap_or((0, 0));
                let is_here = self.text[at..].starts_with(&self.text[start..end]);
                if is_here { then(self, at + end - start) } else { Some(false) }
            }
            Tree::Start if at == 0 => then(self, at),
            Tree::End if at == self.text.len() => then(self, at),
            Tree::Start | Tree::End => Some(false),
            Tree::Look { direction: Direction::Ahead, is_negated, tree } => {
                let is_ahead = self.matches(tree, at, &mut |_, _| Some(true))?;
                if is_ahead == *is_negated { Some(false) } else { then(self, at) }
            }
            Tree::Look { direction: Direction::Behind, is_negated, tree } => {
                let mut is_behind = false;
                for start in (0..=at).rev() {
                    is_behind = self.matches(tree, start, &mut |_, end| Some(end == at))?;
                    if is_behind {
                        break;
                    }
                }
                if is_behind == *is_negated { Some(false) } else { then(self, at) }
            }
        }
    }

    fn sequence(&mut self, trees: &[Tree], at: usize, then: Then<'_>) -> Option<bool> {
        match trees {
            [] => then(self, at),
            [first, rest @ ..] => {
                self.matches(first, at, &mut |search, end| search.sequence(rest, end, then))
            }
        }
    }

    fn repeat(
        &mut self,
        tree: &Tree,
        (min, max): (u32, Option<u32>),
        at: usize,
        then: Then<'_>,
    ) -> Option<bool> {
        if max != Some(0) {
            let left = (min.saturating_sub(1), max.map(|max| max - 1));
            let is_found = self.matches(tree, at, &mut |search, end| {
                // A round that consumes nothing would go on for ever.
                if end == at && min == 0 { Some(false) } else { search.repeat(tree, left, end, then) }
            })?;
            if is_found {
                return Some(true);
            }
        }
        if min == 0 { then(self, at) } else { Some(false) }
    }
}
