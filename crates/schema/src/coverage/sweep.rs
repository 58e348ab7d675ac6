//! Choices that look for what is new: every open choice goes where something was never drawn before.
//!
//! Where nothing is new, the shortest way is taken, so that an instance holds little beside what it is drawn for.

use crate::coverage::choice_log::{Choice, ChoiceLog};
use crate::coverage::need::{Needs, RICH_ITEMS};
use crate::draw::Draw;
use crate::generate::Choices;
use crate::sampler::{At, Edge, Rule, Sampler, UNREACHABLE};

/// Steers one instance.
#[derive(Debug)]
pub(crate) struct Sweep<'a> {
    sampler: &'a Sampler,
    log: &'a mut ChoiceLog,
    needs: Needs,
}

impl<'a> Sweep<'a> {
    /// Steers by what the log has not seen yet.
    pub(crate) fn new(sampler: &'a Sampler, log: &'a mut ChoiceLog, needs: Needs) -> Self {
        Self { sampler, log, needs }
    }

    /// A part is about to be drawn: what it needs is served once, so that other places do not draw it again for that.
    fn visit(&mut self, part: At) {
        self.needs.serve(self.sampler, part, 1);
    }

    /// The first alternative that is most in need, if any is.
    fn neediest(&self, at: At, parts: &[At]) -> Option<usize> {
        let score = |one: usize| {
            let fresh = u32::from(self.log.is_fresh(at, Choice::Part(one)));
            self.needs.get(parts[one]).max(fresh)
        };
        let best = (0..parts.len()).max_by_key(|one| (score(*one), std::cmp::Reverse(*one)))?;
        (score(best) > 0).then_some(best)
    }
}

impl Choices for Sweep<'_> {
    fn alternative(&mut self, at: At, weights: &[u64], draw: &mut Draw) -> usize {
        let sampler = self.sampler;
        let chosen = if let Rule::Union(parts) = sampler.rule(at) {
            let open: Vec<At> =
                parts.iter().copied().filter(|part| sampler.height(*part) < UNREACHABLE).collect();
            let shortest = || (0..open.len()).min_by_key(|one| sampler.height(open[*one]));
            let chosen = self.neediest(at, &open).or_else(shortest).unwrap_or(0);
            open.get(chosen).into_iter().for_each(|part| self.visit(*part));
            chosen
        } else {
            let fresh = (0..weights.len()).find(|one| self.log.is_fresh(at, Choice::Part(*one)));
            fresh.unwrap_or_else(|| draw.weighted(weights))
        };
        self.log.make(at, Choice::Part(chosen));
        chosen
    }

    fn listed(&mut self, at: At, n: usize, draw: &mut Draw) -> usize {
        let fresh = (0..n).find(|one| self.log.is_fresh(at, Choice::Part(*one)));
        let chosen = fresh.unwrap_or_else(|| draw.index(n));
        self.log.make(at, Choice::Part(chosen));
        chosen
    }

    fn is_present(&mut self, at: At, member: usize, _: u64, _: &mut Draw) -> bool {
        let Rule::Object(rule) = self.sampler.rule(at) else { return false };
        let value = rule.members[member].value;
        let is_wanted = self.log.is_fresh(at, Choice::Member(member)) || self.needs.get(value) > 0;
        if is_wanted {
            self.log.make(at, Choice::Member(member));
            self.visit(value);
        }
        is_wanted
    }

    fn amount(&mut self, at: At, low: u64, high: u64, _: &mut Draw) -> u64 {
        match self.sampler.rule(at) {
            Rule::Array(rule) => {
                let below = rule.items.map_or(0, |items| self.needs.get(items));
                let most = rule.high.filter(|most| *most == high);
                let serve = |sweep: &mut Self, length: u64| {
                    rule.prefix.iter().for_each(|part| sweep.visit(*part));
                    let behind = length.saturating_sub(rule.prefix.len() as u64);
                    let behind = u32::try_from(behind).unwrap_or(u32::MAX);
                    rule.items.into_iter().for_each(|items| sweep.needs.serve(sweep.sampler, items, behind));
                };
                if let Some(most) = most.filter(|_| self.log.is_fresh(at, Choice::High)) {
                    self.log.make(at, Choice::High);
                    serve(self, most);
                    return most;
                }
                let in_front = rule.prefix.iter().any(|part| self.needs.get(*part) > 0);
                let in_front = if in_front { rule.prefix.len() as u64 } else { 0 };
                let rich =
                    if below > 0 { rule.prefix.len() as u64 + u64::from(below).min(RICH_ITEMS) } else { 0 };
                let length = in_front.max(rich).clamp(low, high.max(low));
                if length == low {
                    self.log.make(at, Choice::Low);
                }
                serve(self, length);
                length
            }
            Rule::Object(rule) => {
                let open = rule.extras.iter().filter(|extra| self.sampler.height(extra.value) < UNREACHABLE);
                let wanted: u64 = open
                    .enumerate()
                    .map(|(one, extra)| {
                        let fresh = u64::from(self.log.is_fresh(at, Choice::Source(one)));
                        u64::from(self.needs.get(extra.value)).max(fresh)
                    })
                    .sum();
                low.saturating_add(wanted).clamp(low, high.max(low))
            }
            _ => low,
        }
    }

    fn wants_free(&mut self, at: At, _: u64, _: &mut Draw) -> bool {
        let Rule::Object(rule) = self.sampler.rule(at) else { return false };
        let open = rule.extras.iter().filter(|extra| self.sampler.height(extra.value) < UNREACHABLE);
        open.enumerate()
            .any(|(one, extra)| self.log.is_fresh(at, Choice::Source(one)) || self.needs.get(extra.value) > 0)
    }

    fn name_source(&mut self, at: At, n: usize, draw: &mut Draw) -> usize {
        let Rule::Object(rule) = self.sampler.rule(at) else { return 0 };
        let open: Vec<At> = rule
            .extras
            .iter()
            .map(|extra| extra.value)
            .filter(|part| self.sampler.height(*part) < UNREACHABLE)
            .collect();
        let fresh = (0..n).find(|one| self.log.is_fresh(at, Choice::Source(*one)));
        let needy = (0..n.min(open.len())).find(|one| self.needs.get(open[*one]) > 0);
        let chosen = fresh.or(needy).unwrap_or_else(|| draw.index(n));
        self.log.make(at, Choice::Source(chosen));
        open.get(chosen).into_iter().for_each(|part| self.visit(*part));
        chosen
    }

    fn edge(&mut self, at: At, _: &mut Draw) -> Edge {
        let (choice, edge) = if self.log.is_fresh(at, Choice::Low) {
            (Choice::Low, Edge::Low)
        } else if self.log.is_fresh(at, Choice::High) {
            (Choice::High, Edge::High)
        } else {
            return Edge::Any;
        };
        self.log.make(at, choice);
        edge
    }
}
