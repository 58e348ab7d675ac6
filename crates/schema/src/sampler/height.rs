//! How deep the smallest value of each rule nests, so that recursion always knows a way out.

use crate::sampler::array::ArrayRule;
use crate::sampler::object::{Member, ObjectRule};
use crate::sampler::{At, Rule};

/// The height of a rule that has no finite value.
pub(crate) const UNREACHABLE: u32 = u32::MAX;

/// The heights of all rules: the least fixed point, reached in rounds. A rule's parts mostly stand behind it, so a
/// round goes from the last rule to the first and a few of them suffice.
pub(super) fn heights(rules: &[Rule]) -> Vec<u32> {
    let mut heights = vec![UNREACHABLE; rules.len()];
    loop {
        let mut has_changed = false;
        for (index, rule) in rules.iter().enumerate().rev() {
            let height = height(rule, &heights);
            if height < heights[index] {
                heights[index] = height;
                has_changed = true;
            }
        }
        if !has_changed {
            return heights;
        }
    }
}

fn height(rule: &Rule, heights: &[u32]) -> u32 {
    let of = |at: &At| heights[at.index()];
    let least = |parts: &[At]| parts.iter().map(of).min().unwrap_or(UNREACHABLE);
    match rule {
        Rule::Nothing => UNREACHABLE,
        Rule::Anything | Rule::Kinds(_) | Rule::Choice(_) | Rule::Number(_) | Rule::Text(_) => 0,
        Rule::Array(array) => array_height(array, heights),
        Rule::Object(object) => object_height(object, heights),
        Rule::Union(parts) | Rule::Judged { from: parts, .. } => least(parts),
        Rule::Same(at) => of(at),
    }
}

fn one_more(height: u32) -> u32 {
    if height == UNREACHABLE { UNREACHABLE } else { height + 1 }
}

fn array_height(array: &ArrayRule, heights: &[u32]) -> u32 {
    let ArrayRule { low, high: _, prefix, items, sameness: _, contains } = array;
    let of = |at: At| heights[at.index()];
    let n_prefix = usize::try_from(*low).unwrap_or(usize::MAX).min(prefix.len());
    let in_front = prefix[..n_prefix].iter().map(|at| of(*at)).max();
    let behind = (*low > prefix.len() as u64).then(|| items.map_or(0, of));
    let contained = contains.iter().filter(|rule| rule.low > 0).map(|rule| {
        rule.fit_prefix.iter().copied().chain([rule.fit_items]).map(of).min().unwrap_or(UNREACHABLE)
    });
    in_front.into_iter().chain(behind).chain(contained).max().map_or(0, one_more)
}

fn object_height(object: &ObjectRule, heights: &[u32]) -> u32 {
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
    } = object;
    let of = |at: At| heights[at.index()];
    let (required, optional): (Vec<&Member>, Vec<&Member>) =
        members.iter().partition(|member| member.is_required);
    if high.is_some_and(|high| high < *low || high < required.len() as u64) {
        return UNREACHABLE;
    }
    let needed = required.iter().map(|member| of(member.value)).max();
    let broken = breaches
        .iter()
        .map(|ways| ways.iter().map(|extra| of(extra.value)).min().unwrap_or(UNREACHABLE))
        .max();
    let missing = usize::try_from(*low).unwrap_or(usize::MAX).saturating_sub(required.len());
    let filled = (missing > 0).then(|| {
        let mut optional: Vec<u32> = optional.iter().map(|member| of(member.value)).collect();
        optional.sort_unstable();
        let free = extras.iter().map(|extra| of(extra.value)).min().unwrap_or(UNREACHABLE);
        // Either enough optional members, or free names for the rest.
        optional.get(missing - 1).copied().unwrap_or(UNREACHABLE).min(free)
    });
    needed.into_iter().chain(broken).chain(filled).max().map_or(0, one_more)
}
