//! A sampler and a seed into one instance.
//!
//! Nothing here validates; an instance is judged only in `validate`.

mod anything;
mod array;
mod choices;
mod example;
mod object;

use serde_json::Value;

use crate::compose::Kind;
use crate::draw::Draw;
use crate::limits::Limits;
use crate::sampler::{At, Demand, Edge, Rule, Sampler, Spread, UNREACHABLE};
use crate::text::TextSampler;

pub(crate) use choices::{Chance, Choices};
pub(crate) use example::{add_example, has_examples};

/// Values one instance holds before optional parts are left out.
pub(crate) const ROOMY: u64 = 600;
/// Tries at a value that judges turn down before the last one is let through to Repair.
const JUDGED_TRIES: u32 = 24;

/// Tries after which a judged value is drawn with its optional parts, even when space is short.
const STUCK: u32 = 4;
/// How often one instance is drawn larger than its space for that reason.
const RELIEFS: u32 = 100;

/// Alternatives tried before a union is given up.
const MOST_TRIED: usize = 6;

/// An alternative of this many bare types is meant for none of them.
const MOST_MEANT: usize = 4;

/// The weight of an alternative with many values.
const RICH: u64 = 24;

/// The weight of an alternative with a single value: rare as a whole instance, common inside one.
fn plain_weight(depth: u32, spread: Spread) -> u64 {
    match (depth, spread) {
        (0, _) | (1, Spread::Wide) => 1,
        (_, Spread::Near) => 8,
        (_, Spread::Wide) => 3,
    }
}

/// Draws one instance that may hold so many values before optional parts are left out, and says how many values that
/// took, those thrown away included; `None` when no way out was found within the limits.
pub(crate) fn instance(
    sampler: &Sampler,
    limits: &Limits,
    roomy: u64,
    spread: Spread,
    draw: Draw,
    choices: &mut impl Choices,
) -> (Option<Value>, u64) {
    let mut drawing = Drawing {
        sampler,
        limits,
        draw,
        choices,
        roomy,
        left: limits.instance_values,
        density: 50,
        spread,
        relieved: None,
        reliefs: RELIEFS,
        judging: Vec::new(),
        picked: Vec::with_capacity(32),
        weights: Vec::with_capacity(16),
    };
    let weights = match spread {
        Spread::Near => [20, 55, 20, 5],
        Spread::Wide => [2, 18, 60, 20],
    };
    drawing.density = [20, 50, 80, 100][drawing.draw.weighted(&weights)];
    let value = drawing.value(sampler.root, 0);
    (value, limits.instance_values - drawing.left)
}

/// One instance in the making.
pub(crate) struct Drawing<'a, C> {
    pub(crate) sampler: &'a Sampler,
    pub(crate) limits: &'a Limits,
    pub(crate) draw: Draw,
    pub(crate) choices: &'a mut C,
    /// Values until optional parts are left out.
    roomy: u64,
    /// Values until drawing is given up.
    left: u64,
    /// How likely optional members are in this instance, in percent.
    pub(crate) density: u64,
    /// How far from the usual values are drawn.
    pub(crate) spread: Spread,
    /// The members picked for the objects that are being drawn, the innermost object's on top.
    pub(crate) picked: Vec<u32>,
    /// The depth at which optional parts are drawn although space is short, see [`Drawing::relieved`].
    relieved: Option<u32>,
    /// How often that may still happen.
    reliefs: u32,
    /// The judged rules that are being drawn, each with its depth.
    judging: Vec<(At, u32)>,
    /// Room for the weights of one choice, so that a choice needs no memory of its own.
    weights: Vec<u64>,
}

impl<C: Choices> Drawing<'_, C> {
    /// Draws a value of a rule at some depth of the instance.
    pub(crate) fn value(&mut self, at: At, depth: u32) -> Option<Value> {
        if self.sampler.height(at) == UNREACHABLE {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        self.roomy = self.roomy.saturating_sub(1);
        let sampler = self.sampler;
        match sampler.rule(at) {
            Rule::Nothing => None,
            Rule::Anything => Some(self.anything(depth)),
            Rule::Kinds(kinds) => {
                let spread = self.spread;
                let weight = |kind: &Kind| match kind {
                    Kind::Null => plain_weight(depth, spread),
                    Kind::Boolean => 2 * plain_weight(depth, spread),
                    Kind::Integer | Kind::Number | Kind::String | Kind::Array | Kind::Object => RICH,
                };
                self.weights.clear();
                self.weights.extend(kinds.iter().map(weight));
                let index = self.choices.alternative(at, &self.weights, &mut self.draw);
                kinds.get(index).map(|kind| self.of_kind(*kind, depth))
            }
            Rule::Choice(values) => {
                let index = self.choices.listed(at, values.len(), &mut self.draw);
                values.get(index).cloned()
            }
            Rule::Number(rule) => {
                let edge = self.choices.edge(at, &mut self.draw);
                rule.draw(edge, self.spread, &mut self.draw)
            }
            Rule::Text(text) => self.text(at, text).map(Value::String),
            Rule::Array(rule) => self.array(at, rule, depth),
            Rule::Object(rule) => self.object(at, rule, depth),
            Rule::Union(parts) => self.union(at, parts, depth),
            Rule::Same(same) => self.value(*same, depth),
            Rule::Judged { from, demands } => {
                // A rule that leads back to itself for the same value says nothing there.
                if self.judging.contains(&(at, depth)) {
                    return None;
                }
                self.judging.push((at, depth));
                let value = self.judged(from, demands, depth);
                self.judging.pop();
                value
            }
        }
    }

    /// Whether only what is needed should be drawn from here on.
    pub(crate) fn is_tight(&self, depth: u32) -> bool {
        (depth >= self.limits.max_depth || self.roomy == 0) && self.relieved != Some(depth)
    }

    fn text(&mut self, at: At, text: &TextSampler) -> Option<String> {
        let wanted = match self.choices.edge(at, &mut self.draw) {
            Edge::Any => None,
            Edge::Low => Some(text.length_range().0),
            Edge::High => text.length_range().1,
        };
        let at_edge = wanted.and_then(|length| text.draw_of_length(length, &mut self.draw));
        at_edge.or_else(|| text.draw(&mut self.draw))
    }

    /// Tries the alternatives: the chosen one first, then the others in turn; when space is short, the flattest first.
    fn union(&mut self, at: At, parts: &[At], depth: u32) -> Option<Value> {
        if self.is_tight(depth) {
            return self.flattest(parts, depth);
        }
        let sampler = self.sampler;
        let open = || parts.iter().copied().filter(|part| sampler.height(*part) < UNREACHABLE);
        self.weights.clear();
        for part in open() {
            self.weights.push(weight(sampler, part, depth, self.spread));
        }
        let n_open = self.weights.len();
        let first = match n_open {
            0 => return None,
            1 => 0,
            _ => self.choices.alternative(at, &self.weights, &mut self.draw) % n_open,
        };
        let turn = open().skip(first).chain(open().take(first));
        turn.take(MOST_TRIED).find_map(|part| self.value(part, depth))
    }

    fn flattest(&mut self, parts: &[At], depth: u32) -> Option<Value> {
        let sampler = self.sampler;
        let lowest = parts.iter().map(|part| sampler.height(*part)).min()?;
        let is_lowest = |part: &&At| sampler.height(**part) == lowest;
        let first = self.draw.index(parts.iter().filter(is_lowest).count());
        let chosen = parts.iter().filter(is_lowest).nth(first)?;
        let drawn = self.value(*chosen, depth);
        if drawn.is_some() {
            return drawn;
        }
        let mut others: Vec<At> = parts.iter().copied().filter(|part| part != chosen).collect();
        others.sort_by_key(|part| sampler.height(*part));
        others.into_iter().take(MOST_TRIED - 1).find_map(|part| self.value(part, depth))
    }

    /// Draws a value with its optional parts although space is short: what is needed alone may be what alternatives
    /// have in common, so that no judge can tell them apart.
    fn relieved(&mut self, at: At, depth: u32) -> Option<Value> {
        self.reliefs -= 1;
        let before = (self.relieved.replace(depth), std::mem::replace(&mut self.density, 100));
        let value = self.value(at, depth);
        (self.relieved, self.density) = before;
        value
    }

    /// Draws until the judges agree; past the limit the last try goes through, for Repair to mend.
    fn judged(&mut self, from: &[At], demands: &[Demand], depth: u32) -> Option<Value> {
        let sampler = self.sampler;
        let open = || from.iter().copied().filter(|part| sampler.height(*part) < UNREACHABLE);
        let mut last = None;
        for round in 0..JUDGED_TRIES {
            // The tightest part comes first and gets most of the tries.
            let index = if round % 4 == 3 { self.draw.index(open().count()) } else { 0 };
            let part = open().nth(index)?;
            let is_stuck = round >= STUCK && self.is_tight(depth) && self.reliefs > 0;
            let drawn = if is_stuck { self.relieved(part, depth) } else { self.value(part, depth) };
            let Some(value) = drawn else { continue };
            if demands.iter().all(|demand| demand.judge.admits(&value) == demand.wanted) {
                return Some(value);
            }
            last = Some(value);
        }
        last
    }
}

/// An alternative that is a single value says little, so it comes less often than one with many; so does one that is
/// nearly every type, which is what a contract forgot to rule out rather than what it is about. Where what it is about
/// has few values, though, the rest is welcome.
fn weight(sampler: &Sampler, part: At, depth: u32, spread: Spread) -> u64 {
    match sampler.rule(part) {
        _ if sampler.is_single(part) => plain_weight(depth, spread),
        Rule::Kinds(kinds) if kinds.len() >= MOST_MEANT && spread == Spread::Near => 3,
        _ => RICH,
    }
}
