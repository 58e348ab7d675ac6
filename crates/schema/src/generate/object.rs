//! Drawing objects: the required members, a fair share of the optional ones, and free names where there are any.

use serde_json::{Map, Value};

use crate::generate::{Choices, Drawing};
use crate::sampler::{At, Extra, Freedom, Names, ObjectRule, Spread, UNREACHABLE};

/// Optional members an object has on average when it could have many.
const USUAL_MEMBERS: u64 = 14;
/// So few optional members that leaving out one leaves out much.
const FEW_MEMBERS: usize = 5;
/// So many members that usual names are mostly taken.
const MANY_NAMES: usize = 10_000;
/// Lengths of names to fall back on.
const LONG_NAMES: std::ops::Range<u64> = 14..22;
/// Tries at a free name that is taken already or turned down.
const NAME_TRIES: u32 = 12;

impl<C: Choices> Drawing<'_, C> {
    pub(super) fn object(&mut self, at: At, rule: &ObjectRule, depth: u32) -> Option<Value> {
        let base = self.picked.len();
        let drawn = self.drawn_object(at, rule, depth, base);
        self.picked.truncate(base);
        drawn
    }

    /// Draws an object whose picked members stand on the stack from `base` on.
    fn drawn_object(&mut self, at: At, rule: &ObjectRule, depth: u32, base: usize) -> Option<Value> {
        self.pick(at, rule, depth, base);
        let mut broken = if rule.breaches.is_empty() { None } else { Some(self.broken(rule, depth)?) };
        let n_broken = broken.as_ref().map_or(0, Map::len);
        self.fill(rule, base, n_broken as u64);
        let n_known = self.picked.len() - base;
        let mut members = Map::with_capacity(n_known + n_broken);
        for place in base..base + n_known {
            let member = &rule.members[self.picked[place] as usize];
            if let Some(value) = broken.as_mut().and_then(|broken| broken.remove(&member.name)) {
                members.insert(member.name.clone(), value);
                continue;
            }
            match self.value(member.value, depth + 1) {
                Some(value) => drop(members.insert(member.name.clone(), value)),
                None if member.is_required => return None,
                None => {}
            }
        }
        members.extend(broken.into_iter().flatten());
        let n_free = self.n_free(at, rule, n_known as u64, members.len() as u64, depth);
        for _ in 0..n_free {
            if self.free(at, rule, &mut members, depth).is_none() {
                break;
            }
        }
        (members.len() as u64 >= rule.low).then_some(Value::Object(members))
    }

    /// Picks the known members that are there: all required ones, and optional ones as it comes.
    fn pick(&mut self, at: At, rule: &ObjectRule, depth: u32, base: usize) {
        let n_required = rule.n_required;
        let n_optional = if self.is_tight(depth) { 0 } else { rule.n_optional };
        let most = usize::try_from(rule.high.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let share = (USUAL_MEMBERS * 100 / (n_optional as u64).max(1)).clamp(3, 100);
        let percent = (self.density * share / 100).max(self.least_percent(n_optional, depth));
        // Start anywhere, so that a limit on the number does not favour the first ones.
        let start = if n_optional > 0 && n_required + n_optional > most {
            self.draw.index(rule.members.len())
        } else {
            0
        };
        let mut n_picked = n_required;
        for index in (start..rule.members.len()).chain(0..start) {
            let member = &rule.members[index];
            let number = u32::try_from(index).expect("an object has fewer members than the rule limit");
            if member.is_required {
                self.picked.push(number);
            } else if n_optional > 0
                && n_picked < most
                && member.is_optional
                && self.choices.is_present(at, index, percent, &mut self.draw)
            {
                n_picked += 1;
                self.picked.push(number);
            }
        }
        if start > 0 {
            self.picked[base..].sort_unstable();
        }
        if n_picked == 0 && n_optional > 0 && most > 0 && !self.draw.chance(6) {
            let nth = self.draw.index(n_optional);
            let index = (0..).zip(&rule.members).filter(|(_, member)| member.is_optional).nth(nth);
            self.picked.extend(index.map(|(index, _)| index));
        }
    }

    /// The least share of optional members: a whole instance of only few says little when most are left out.
    fn least_percent(&self, n_optional: usize, depth: u32) -> u64 {
        match self.spread {
            _ if depth > 0 || n_optional > FEW_MEMBERS => 2,
            Spread::Wide => 94,
            Spread::Near => 45,
        }
    }

    /// Adds optional members until there are as many as there must be.
    fn fill(&mut self, rule: &ObjectRule, base: usize, others: u64) {
        let n_picked = self.picked.len() - base;
        let missing = rule.low.saturating_sub(n_picked as u64 + others);
        if missing == 0 {
            return;
        }
        let is_free = |index: &u32| {
            let is_open = self.sampler.height(rule.members[*index as usize].value) < UNREACHABLE;
            is_open && self.picked[base..].binary_search(index).is_err()
        };
        let mut free: Vec<u32> = (0..).take(rule.members.len()).filter(is_free).collect();
        let start = self.draw.index(free.len());
        free.rotate_left(start);
        free.truncate(usize::try_from(missing).unwrap_or(usize::MAX));
        self.picked.extend(free);
        self.picked[base..].sort_unstable();
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
        if rule.freedom == Freedom::Closed || self.is_tight(depth) {
            return needed;
        }
        let is_map = rule.freedom == Freedom::Map;
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

    /// Adds a member with a free name.
    fn free(
        &mut self,
        at: At,
        rule: &ObjectRule,
        members: &mut Map<String, Value>,
        depth: u32,
    ) -> Option<()> {
        let sampler = self.sampler;
        let open = || rule.extras.iter().filter(|extra| sampler.height(extra.value) < UNREACHABLE);
        let n_open = open().count();
        let start = self.choices.name_source(at, n_open, &mut self.draw) % n_open.max(1);
        for extra in open().skip(start).chain(open().take(start)) {
            if let Some(name) = self.name(rule, extra, members) {
                let value = self.value(extra.value, depth + 1)?;
                members.insert(name, value);
                return Some(());
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
                let tries = if taken.len() > MANY_NAMES { 1 } else { NAME_TRIES };
                let drawn = (0..tries).find_map(|_| text.draw(&mut self.draw).filter(|name| !is_taken(name)));
                // By chance every name is taken; longer ones are rarer, and few ones can be gone through.
                let longer = || {
                    LONG_NAMES.into_iter().find_map(|length| {
                        text.draw_of_length(length, &mut self.draw).filter(|name| !is_taken(name))
                    })
                };
                let listed = || text.enumerate(512)?.into_iter().find(|name| !is_taken(name));
                drawn.or_else(longer).or_else(listed)
            }
            Names::Listed(names) => {
                let start = self.draw.index(names.len());
                names[start..].iter().chain(&names[..start]).find(|name| !is_taken(name)).cloned()
            }
        }
    }
}
