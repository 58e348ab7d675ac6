//! Drawing objects: the required members, a fair share of the optional ones, and free names where there are any.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::generate::Drawing;
use crate::sampler::{At, Extra, Names, ObjectRule, Spread, UNREACHABLE};

/// Optional members an object has on average when it could have many.
const USUAL_MEMBERS: u64 = 14;
/// Tries at a free name that is taken already or turned down.
const NAME_TRIES: u32 = 12;

impl Drawing<'_> {
    pub(super) fn object(&mut self, at: At, rule: &ObjectRule, depth: u32) -> Option<Value> {
        let mut chosen = self.chosen(at, rule, depth);
        let mut broken = self.broken(rule, depth)?;
        let n_known = |chosen: &BTreeSet<usize>| chosen.len() as u64;
        self.fill(rule, &mut chosen, broken.len() as u64);
        let mut members = Map::new();
        for index in &chosen {
            let member = &rule.members[*index];
            if let Some(value) = broken.remove(&member.name) {
                members.insert(member.name.clone(), value);
                continue;
            }
            match self.value(member.value, depth + 1) {
                Some(value) => drop(members.insert(member.name.clone(), value)),
                None if member.is_required => return None,
                None => {}
            }
        }
        members.extend(broken);
        let n_free = self.n_free(at, rule, n_known(&chosen), members.len() as u64, depth);
        for _ in 0..n_free {
            let Some((name, value)) = self.free(at, rule, &members, depth) else { break };
            members.insert(name, value);
        }
        (members.len() as u64 >= rule.low).then_some(Value::Object(members))
    }

    /// The known members that are there: all required ones, and optional ones as it comes.
    fn chosen(&mut self, at: At, rule: &ObjectRule, depth: u32) -> BTreeSet<usize> {
        let is_open =
            |drawing: &Self, index: usize| drawing.sampler.height(rule.members[index].value) < UNREACHABLE;
        let mut chosen: BTreeSet<usize> =
            (0..rule.members.len()).filter(|index| rule.members[*index].is_required).collect();
        let optional: Vec<usize> = (0..rule.members.len())
            .filter(|index| !rule.members[*index].is_required && is_open(self, *index))
            .collect();
        if self.is_tight(depth) || optional.is_empty() {
            return chosen;
        }
        let most = rule.high.unwrap_or(u64::MAX);
        let share = (USUAL_MEMBERS * 100 / optional.len() as u64).clamp(3, 100);
        let percent = (self.density * share / 100).max(2);
        // Start anywhere, so that a limit on the number does not favour the first ones.
        let start =
            if (chosen.len() + optional.len()) as u64 > most { self.draw.index(optional.len()) } else { 0 };
        for index in optional[start..].iter().chain(&optional[..start]) {
            if chosen.len() as u64 >= most {
                break;
            }
            if self.choices.is_present(at, *index, percent, &mut self.draw) {
                chosen.insert(*index);
            }
        }
        if chosen.is_empty() && most > 0 && !self.draw.chance(6) {
            let index = self.draw.index(optional.len());
            chosen.insert(optional[index]);
        }
        chosen
    }

    /// Adds optional members until there are as many as there must be.
    fn fill(&mut self, rule: &ObjectRule, chosen: &mut BTreeSet<usize>, others: u64) {
        if chosen.len() as u64 + others >= rule.low {
            return;
        }
        let free: Vec<usize> = (0..rule.members.len())
            .filter(|index| {
                !chosen.contains(index) && self.sampler.height(rule.members[*index].value) < UNREACHABLE
            })
            .collect();
        let start = self.draw.index(free.len());
        for index in free[start..].iter().chain(&free[..start]) {
            if chosen.len() as u64 + others >= rule.low {
                return;
            }
            chosen.insert(*index);
        }
    }

    /// The members that break a rule that must be broken, by name.
    fn broken(&mut self, rule: &ObjectRule, depth: u32) -> Option<Map<String, Value>> {
        let mut broken = Map::new();
        for ways in &rule.breaches {
            let open: Vec<&Extra> =
                ways.iter().filter(|extra| self.sampler.height(extra.value) < UNREACHABLE).collect();
            let extra = *self.draw.pick(&open)?;
            let name = self.name(rule, extra, &broken)?;
            let value = self.value(extra.value, depth + 1)?;
            broken.insert(name, value);
        }
        Some(broken)
    }

    /// How many members get a free name.
    fn n_free(&mut self, at: At, rule: &ObjectRule, n_known: u64, n_members: u64, depth: u32) -> u64 {
        let needed = rule.low.saturating_sub(n_members);
        let room = rule.high.unwrap_or(u64::MAX).saturating_sub(n_members);
        let is_open = rule.extras.iter().any(|extra| self.sampler.height(extra.value) < UNREACHABLE);
        if !is_open || self.is_tight(depth) {
            return needed;
        }
        // An object that declares its members is seldom meant to have others; a map always is.
        let is_map = rule.members.is_empty()
            || rule.extras.len() > 1
            || matches!(rule.extras.first(), Some(extra) if !self.is_any(extra.value));
        let percent = if is_map { 50 } else { self.free_percent(depth) };
        let is_wanted = (is_map && n_known == 0) || self.choices.wants_free(at, percent, &mut self.draw);
        if !is_wanted {
            return needed;
        }
        self.choices.amount(at, needed, needed.saturating_add(3).min(room).max(needed), &mut self.draw)
    }

    /// How often an object that declares its members has others beside them.
    fn free_percent(&self, depth: u32) -> u64 {
        match (self.spread, depth) {
            (Spread::Near, _) => 5,
            (Spread::Wide, 0) => 94,
            (Spread::Wide, _) => 30,
        }
    }

    fn is_any(&self, at: At) -> bool {
        matches!(self.sampler.rule(at), crate::sampler::Rule::Anything)
    }

    /// A member with a free name.
    fn free(
        &mut self,
        at: At,
        rule: &ObjectRule,
        members: &Map<String, Value>,
        depth: u32,
    ) -> Option<(String, Value)> {
        let open: Vec<&Extra> =
            rule.extras.iter().filter(|extra| self.sampler.height(extra.value) < UNREACHABLE).collect();
        let start = self.choices.name_source(at, open.len(), &mut self.draw) % open.len().max(1);
        for extra in open[start..].iter().chain(&open[..start]) {
            if let Some(name) = self.name(rule, extra, members) {
                return Some((name, self.value(extra.value, depth + 1)?));
            }
        }
        None
    }

    fn name(&mut self, rule: &ObjectRule, extra: &Extra, taken: &Map<String, Value>) -> Option<String> {
        let is_taken = |name: &str| {
            taken.contains_key(name)
                || rule.names.as_ref().is_some_and(|names| !names.admits(&Value::from(name)))
        };
        match &extra.names {
            Names::Drawn(text) => {
                let drawn =
                    (0..NAME_TRIES).find_map(|_| text.draw(&mut self.draw).filter(|name| !is_taken(name)));
                // By chance every name is taken; go through them, if they can be listed.
                drawn.or_else(|| text.enumerate(512)?.into_iter().find(|name| !is_taken(name)))
            }
            Names::Listed(names) => {
                let start = self.draw.index(names.len());
                names[start..].iter().chain(&names[..start]).find(|name| !is_taken(name)).cloned()
            }
        }
    }
}
