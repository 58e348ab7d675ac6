//! How many more instances each rule of a sampler needs until every choice in it was made once.
//!
//! A union needs as many as its alternatives together, an object as many as its neediest member, because members
//! share an instance.

use crate::coverage::choice_log::{Choice, ChoiceLog};
use crate::sampler::{At, Rule, Sampler, UNREACHABLE};

/// Rules deeper than this below the root are taken to need nothing: no instance goes there.
const MOST_DEPTH: u32 = 120;
/// Items of one array that are drawn for what is new in them.
pub(crate) const RICH_ITEMS: u64 = 24;

/// The needs of all rules.
#[derive(Debug, Clone)]
pub(crate) struct Needs {
    of_rule: Vec<Option<u32>>,
}

impl Needs {
    /// Reckons the needs from the root down.
    pub(crate) fn of(sampler: &Sampler, log: &ChoiceLog) -> Self {
        let mut needs = Self { of_rule: vec![None; sampler.rules.len()] };
        needs.reckon(sampler, log, sampler.root, 0);
        needs
    }

    /// What a rule needs.
    pub(crate) fn get(&self, at: At) -> u32 {
        self.of_rule[at.index()].unwrap_or(0)
    }

    /// A rule is about to be drawn from so many times, which serves as many of its needs.
    pub(crate) fn serve(&mut self, sampler: &Sampler, at: At, times: u32) {
        let mut at = at;
        // A rule that only names another shares its needs; such chains are short.
        for _ in 0..8 {
            if let Some(need) = &mut self.of_rule[at.index()] {
                *need = need.saturating_sub(times);
            }
            match sampler.rule(at) {
                Rule::Same(same) => at = *same,
                _ => return,
            }
        }
    }

    fn reckon(&mut self, sampler: &Sampler, log: &ChoiceLog, at: At, depth: u32) -> u32 {
        if let Some(known) = self.of_rule[at.index()] {
            return known;
        }
        if depth >= MOST_DEPTH || sampler.height(at) == UNREACHABLE {
            return 0;
        }
        // A rule that comes back to itself needs nothing more on the way round.
        self.of_rule[at.index()] = Some(0);
        let fresh = |choice: Choice| u32::from(log.is_fresh(at, choice));
        let need = match sampler.rule(at) {
            Rule::Nothing | Rule::Anything => 0,
            Rule::Kinds(kinds) => (0..kinds.len()).map(|one| fresh(Choice::Part(one))).sum(),
            Rule::Choice(values) => (0..values.len()).map(|one| fresh(Choice::Part(one))).sum(),
            Rule::Number(_) | Rule::Text(_) => fresh(Choice::Low) + fresh(Choice::High),
            Rule::Same(same) => self.reckon(sampler, log, *same, depth + 1),
            Rule::Judged { from, demands: _ } => {
                from.iter().map(|part| self.reckon(sampler, log, *part, depth + 1)).max().unwrap_or(0)
            }
            Rule::Union(parts) => {
                let open = parts.iter().filter(|part| sampler.height(**part) < UNREACHABLE).enumerate();
                let of = |(one, part): (usize, &At)| {
                    self.reckon(sampler, log, *part, depth + 1).max(fresh(Choice::Part(one)))
                };
                open.map(of).sum()
            }
            Rule::Array(rule) => {
                let edges = fresh(Choice::Low) + fresh(Choice::High);
                let in_front =
                    rule.prefix.iter().map(|part| self.reckon(sampler, log, *part, depth + 1)).max();
                let behind = rule.items.map_or(0, |items| self.reckon(sampler, log, items, depth + 1));
                let contained: Vec<At> = rule.contains.iter().map(|contains| contains.fit_items).collect();
                let inside =
                    contained.into_iter().map(|part| self.reckon(sampler, log, part, depth + 1)).max();
                let rich = u32::try_from(RICH_ITEMS.min(rule.high.unwrap_or(u64::MAX)).max(1)).unwrap_or(1);
                edges.max(in_front.unwrap_or(0)).max(behind.div_ceil(rich)).max(inside.unwrap_or(0))
            }
            Rule::Object(rule) => {
                let mut need = 0;
                for (one, member) in rule.members.iter().enumerate() {
                    let present = if member.is_required { 0 } else { fresh(Choice::Member(one)) };
                    need = need.max(self.reckon(sampler, log, member.value, depth + 1)).max(present);
                }
                let open = rule.extras.iter().filter(|extra| sampler.height(extra.value) < UNREACHABLE);
                for (one, extra) in open.enumerate() {
                    let below = self.reckon(sampler, log, extra.value, depth + 1).div_ceil(3);
                    need = need.max(below).max(fresh(Choice::Source(one)));
                }
                for extra in rule.breaches.iter().flatten() {
                    need = need.max(self.reckon(sampler, log, extra.value, depth + 1));
                }
                need
            }
        };
        let need = need.min(100_000);
        self.of_rule[at.index()] = Some(need);
        need
    }
}
