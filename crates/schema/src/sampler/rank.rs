//! Small finite sets: how many values a rule has, and which is the k-th, so that none repeats before all were drawn.

use serde_json::{Map, Value};

use crate::compose::Kind;
use crate::sampler::object::Member;
use crate::sampler::{ArrayRule, At, ObjectRule, Rule, Sameness, Sampler};

/// Sets with more values than this are drawn by chance; repeats are rare enough there.
const MOST: u64 = 20_000;
/// Strings listed at most.
const MOST_TEXTS: usize = 4_096;

impl Sampler {
    /// How many values a rule has, when they are few; values that two alternatives share count twice.
    pub(crate) fn count(&self, at: At) -> Option<u64> {
        self.count_within(at, 12)
    }

    fn count_within(&self, at: At, depth: u32) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let count = match self.rule(at) {
            Rule::Nothing => 0,
            Rule::Choice(values) => values.len() as u64,
            Rule::Kinds(kinds) => kinds.iter().map(|kind| kind_count(*kind)).sum::<Option<u64>>()?,
            Rule::Number(rule) => rule.enumerate(usize::try_from(MOST).ok()?)?.len() as u64,
            Rule::Text(text) => text.enumerate(MOST_TEXTS)?.len() as u64,
            Rule::Same(same) => self.count_within(*same, depth)?,
            Rule::Union(parts) => {
                let mut sum = 0u64;
                for part in parts {
                    sum = sum.checked_add(self.count_within(*part, depth)?)?;
                }
                sum
            }
            Rule::Object(rule) => self.object_count(rule, depth)?,
            Rule::Array(rule) => self.array_count(rule, depth)?,
            Rule::Anything | Rule::Judged { .. } => return None,
        };
        (count <= MOST).then_some(count)
    }

    fn object_count(&self, rule: &ObjectRule, depth: u32) -> Option<u64> {
        let ObjectRule {
            low,
            high,
            members,
            extras,
            breaches,
            names: _,
            n_required: _,
            n_optional: _,
            freedom: _,
        } = rule;
        // Limits on the number of members make the product wrong; such objects are drawn by chance.
        if *low > 0 || high.is_some() || !extras.is_empty() || !breaches.is_empty() {
            return None;
        }
        members.iter().try_fold(1u64, |product, member| {
            let values = self.count_within(member.value, depth)?;
            product.checked_mul(values + u64::from(!member.is_required)).filter(|product| *product <= MOST)
        })
    }

    fn array_count(&self, rule: &ArrayRule, depth: u32) -> Option<u64> {
        let ArrayRule { low, high, prefix, items, sameness, contains } = rule;
        let high = (*high)?;
        if *low != high || high > 8 || !contains.is_empty() || *sameness != Sameness::Free {
            return None;
        }
        (0..usize::try_from(high).ok()?).try_fold(1u64, |product, index| {
            let place = prefix.get(index).copied().or(*items)?;
            product.checked_mul(self.count_within(place, depth)?).filter(|product| *product <= MOST)
        })
    }

    /// The k-th value of a rule that was counted; `k` is below the count.
    pub(crate) fn nth(&self, at: At, k: u64) -> Option<Value> {
        match self.rule(at) {
            Rule::Choice(values) => values.get(usize::try_from(k).ok()?).cloned(),
            Rule::Kinds(kinds) => {
                kinds.iter().flat_map(|kind| kind_values(*kind)).nth(usize::try_from(k).ok()?)
            }
            Rule::Number(rule) => {
                rule.enumerate(usize::try_from(MOST).ok()?)?.into_iter().nth(usize::try_from(k).ok()?)
            }
            Rule::Text(text) => {
                text.enumerate(MOST_TEXTS)?.into_iter().nth(usize::try_from(k).ok()?).map(Value::String)
            }
            Rule::Same(same) => self.nth(*same, k),
            Rule::Union(parts) => {
                let mut left = k;
                for part in parts {
                    let count = self.count(*part)?;
                    if left < count {
                        return self.nth(*part, left);
                    }
                    left -= count;
                }
                None
            }
            Rule::Object(rule) => {
                let mut left = k;
                let mut members = Map::new();
                for member in &rule.members {
                    let values = self.count(member.value)?;
                    let choices = values + u64::from(!member.is_required);
                    let pick = left % choices;
                    left /= choices;
                    if pick < values {
                        members.insert(member.name.clone(), self.nth(member.value, pick)?);
                    }
                }
                Some(Value::Object(members))
            }
            Rule::Array(rule) => {
                let mut left = k;
                let places = (0..usize::try_from(rule.low).ok()?)
                    .map(|index| rule.prefix.get(index).copied().or(rule.items));
                let items = places.map(|place| {
                    let place = place?;
                    let count = self.count(place)?;
                    let pick = left % count;
                    left /= count;
                    self.nth(place, pick)
                });
                items.collect::<Option<Vec<_>>>().map(Value::Array)
            }
            Rule::Nothing | Rule::Anything | Rule::Judged { .. } => None,
        }
    }
}

/// Which rules have one value and no more, as far as can be told at once; parts stand behind what is made of them.
pub(super) fn singles(rules: &[Rule]) -> Vec<bool> {
    let mut is_single = vec![false; rules.len()];
    for (index, rule) in rules.iter().enumerate().rev() {
        is_single[index] = match rule {
            Rule::Choice(values) => values.len() == 1,
            Rule::Kinds(kinds) => kinds.as_slice() == [Kind::Null],
            Rule::Object(object) => {
                let is_fixed = |member: &Member| member.is_required && is_single[member.value.index()];
                object.extras.is_empty() && object.members.iter().all(is_fixed)
            }
            Rule::Array(array) => array.high == Some(0),
            Rule::Same(same) => is_single[same.index()],
            Rule::Nothing
            | Rule::Anything
            | Rule::Number(_)
            | Rule::Text(_)
            | Rule::Union(_)
            | Rule::Judged { .. } => false,
        };
    }
    is_single
}

fn kind_count(kind: Kind) -> Option<u64> {
    match kind {
        Kind::Null => Some(1),
        Kind::Boolean => Some(2),
        Kind::Integer | Kind::Number | Kind::String | Kind::Array | Kind::Object => None,
    }
}

fn kind_values(kind: Kind) -> Vec<Value> {
    match kind {
        Kind::Null => vec![Value::Null],
        Kind::Boolean => vec![Value::Bool(false), Value::Bool(true)],
        Kind::Integer | Kind::Number | Kind::String | Kind::Array | Kind::Object => Vec::new(),
    }
}
