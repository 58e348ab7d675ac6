//! Drawing arrays: how long, what must be among the elements, and that they differ where they have to.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::compose::Kind;
use crate::generate::{Choices, Drawing};
use crate::json::{fingerprint, same};
use crate::sampler::{ArrayRule, At, ContainsRule, Rule, Sameness, UNREACHABLE};

/// Tries at an element that repeats another, or counts where it must not.
const ELEMENT_TRIES: u32 = 16;
/// Arrays up to this length have their elements compared one by one.
const FEW: usize = 16;
/// Element sets up to this size are listed, so that all of them can be used before one repeats.
const MOST_LISTED: usize = 512;

impl<C: Choices> Drawing<'_, C> {
    pub(super) fn array(&mut self, at: At, rule: &ArrayRule, depth: u32) -> Option<Value> {
        let length = self.length(at, rule, depth)?;
        let placed = if rule.contains.is_empty() { BTreeMap::new() } else { self.placed(rule, length)? };
        let length = placed.keys().next_back().map_or(length, |last| length.max(last + 1));
        let mut elements = Elements {
            items: Vec::with_capacity(length.min(FEW)),
            seen: (length > FEW).then(BTreeSet::new),
            listed: Listed::default(),
            tries: ELEMENT_TRIES,
            counted: 0,
        };
        for index in 0..length {
            let source = placed.get(&index).copied().or_else(|| place(rule, index));
            let is_placed = placed.contains_key(&index);
            match self.element(rule, source, is_placed, &mut elements, depth) {
                Some(item) => elements.items.push(item),
                // Shorter is better than nothing, as long as what must be there is.
                None if index as u64 >= rule.low && placed.keys().all(|needed| *needed < index) => break,
                None => return None,
            }
        }
        if rule.sameness == Sameness::Repeated {
            repeat(rule, &mut elements.items)?;
        }
        Some(Value::Array(elements.items))
    }

    fn length(&mut self, at: At, rule: &ArrayRule, depth: u32) -> Option<usize> {
        let ArrayRule { low, high, prefix, items, sameness, contains } = rule;
        let needed: u64 = contains.iter().map(|contains| contains.low).sum();
        let is_closed = items.is_some_and(|items| self.sampler.height(items) == UNREACHABLE);
        // The prefix ends where no element is possible, and so does an array that is closed behind it.
        let dead = prefix.iter().position(|at| self.sampler.height(*at) == UNREACHABLE);
        let most = match (dead, is_closed) {
            (Some(dead), _) => Some(dead as u64),
            (None, true) => Some(prefix.len() as u64),
            (None, false) => None,
        };
        let high = [*high, most].into_iter().flatten().min();
        let twice = if *sameness == Sameness::Repeated { 2 } else { 0 };
        let low = (*low).max(needed.min(high.unwrap_or(u64::MAX))).max(twice);
        if high.is_some_and(|high| high < low) {
            return None;
        }
        let roomy = low.max(prefix.len() as u64).saturating_add(self.limits.max_items);
        let high = high.unwrap_or(u64::MAX).min(roomy);
        let length =
            if self.is_tight(depth) { low } else { self.choices.amount(at, low, high, &mut self.draw) };
        usize::try_from(length).ok()
    }

    /// Which places get an element that must be contained, and from which rule it is drawn.
    fn placed(&mut self, rule: &ArrayRule, length: usize) -> Option<BTreeMap<usize, At>> {
        let mut placed = BTreeMap::new();
        for contains in &rule.contains {
            let ContainsRule { low, high: _, fit_prefix, fit_items, miss_items: _, judge: _ } = contains;
            let fits = |at: At| self.sampler.height(at) < UNREACHABLE;
            let in_front =
                fit_prefix.iter().enumerate().filter(|(_, at)| fits(**at)).map(|(index, at)| (index, *at));
            let behind = (rule.prefix.len()..)
                .take(length + usize::try_from(*low).ok()?)
                .map(|index| (index, *fit_items));
            let behind = behind.filter(|(_, at)| fits(*at));
            let limit = usize::try_from(rule.high.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
            let mut free: Vec<(usize, At)> = behind
                .chain(in_front)
                .filter(|(index, _)| *index < limit && !placed.contains_key(index))
                .collect();
            let inside = free.iter().filter(|(index, _)| *index < length).count();
            let wanted = usize::try_from(*low).ok()?;
            if free.len() < wanted {
                return None;
            }
            // Any of the places within the length will do; beyond it only as many as are needed.
            let shift = if inside > wanted { self.draw.index(inside - wanted + 1) } else { 0 };
            free.rotate_left(shift);
            placed.extend(free.into_iter().take(wanted));
        }
        Some(placed)
    }

    fn element(
        &mut self,
        rule: &ArrayRule,
        source: Option<At>,
        is_placed: bool,
        elements: &mut Elements,
        depth: u32,
    ) -> Option<Value> {
        let must_differ = rule.sameness == Sameness::Distinct;
        for _ in 0..elements.tries {
            let source = if is_placed { source } else { self.missing(rule, source) };
            let item = match source {
                Some(at) => self.value(at, depth + 1)?,
                None => self.anything(depth + 1),
            };
            let counts = |contains: &ContainsRule| contains.high.is_some() && contains.judge.admits(&item);
            if !is_placed && rule.contains.iter().any(counts) {
                continue;
            }
            if !must_differ || elements.is_new(&item) {
                return Some(item);
            }
        }
        // By chance it keeps repeating; go through what is left, if that can be listed, or count on.
        let at = source.filter(|_| must_differ)?;
        if let Some(value) = self.next_new(at, elements) {
            elements.tries = 1;
            return Some(value);
        }
        let mut listed = std::mem::take(&mut elements.listed);
        let values = listed.of(at, || self.sampler.enumerate(at, MOST_LISTED))?;
        let start = self.draw.index(values.len());
        let mut rotated = values[start..].iter().chain(&values[..start]);
        let found = rotated.find(|value| elements.is_new(value)).cloned();
        elements.listed = listed;
        found
    }

    /// A number that no element is yet, next to as many as there are elements.
    fn next_new(&self, at: At, elements: &mut Elements) -> Option<Value> {
        let numbered = |n: usize| match self.sampler.rule(at) {
            Rule::Number(rule) => rule.nth(n),
            Rule::Anything => Some(Value::from(n)),
            Rule::Kinds(kinds) if kinds.contains(&Kind::Integer) || kinds.contains(&Kind::Number) => {
                Some(Value::from(n))
            }
            _ => None,
        };
        // Among one number more than there are elements, one is new; what was tried before is not new any more.
        let first = elements.counted.max(elements.items.len());
        for n in first..=first + elements.items.len() {
            elements.counted = n + 1;
            let value = numbered(n)?;
            if elements.is_new(&value) {
                return Some(value);
            }
        }
        None
    }

    /// The rule of an element that must not count, where one is known.
    fn missing(&self, rule: &ArrayRule, source: Option<At>) -> Option<At> {
        if source != rule.items {
            return source;
        }
        let misses = rule
            .contains
            .iter()
            .find(|contains| contains.high.is_some())
            .and_then(|contains| contains.miss_items);
        misses.filter(|at| self.sampler.height(*at) < UNREACHABLE).or(source)
    }
}

/// Makes two elements behind the prefix the same.
fn repeat(rule: &ArrayRule, items: &mut [Value]) -> Option<()> {
    let free = rule.prefix.len().min(items.len().saturating_sub(2));
    let last = items.len().checked_sub(1).filter(|last| *last > free)?;
    items[last] = items[free].clone();
    Some(())
}

/// The rule of the element at a place.
fn place(rule: &ArrayRule, index: usize) -> Option<At> {
    rule.prefix.get(index).copied().or(rule.items)
}

/// The elements drawn so far, and what is needed to tell a new one from them.
struct Elements {
    items: Vec<Value>,
    /// Their fingerprints, when they are too many to be compared one by one.
    seen: Option<BTreeSet<String>>,
    listed: Listed,
    /// How often the next one is drawn before it is looked for.
    tries: u32,
    /// How far numbers were counted through in search of new ones.
    counted: usize,
}

impl Elements {
    /// Whether the value differs from all elements; it counts as one of them from now on.
    fn is_new(&mut self, value: &Value) -> bool {
        match &mut self.seen {
            Some(seen) => seen.insert(fingerprint(value)),
            None => !self.items.iter().any(|item| same(item, value)),
        }
    }
}

/// The listed values of the rules that were asked for.
#[derive(Default)]
struct Listed(BTreeMap<At, Option<Vec<Value>>>);

impl Listed {
    fn of(&mut self, at: At, list: impl FnOnce() -> Option<Vec<Value>>) -> Option<&[Value]> {
        self.0.entry(at).or_insert_with(list).as_deref().filter(|values| !values.is_empty())
    }
}
