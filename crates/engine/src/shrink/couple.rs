//! Coupled numbers: a sum or a difference that must stay, and steps that can go if the others take their share.

use crate::shrink::Shrinker;
use crate::shrink::leaf::{Leaf, leaves, with};

/// Numbers up to this many are tried in every pair.
const MAX_FOR_PAIRS: usize = 10;

/// Lowers an earlier number while later ones follow it down, or take what it loses.
pub(super) async fn pairs(shrinker: &mut Shrinker<'_>) {
    all_down(shrinker).await;
    for first in 0..MAX_FOR_PAIRS {
        let mut tried: Vec<(usize, i128)> = Vec::new();
        for second in 0..MAX_FOR_PAIRS {
            for sign in [-1, 1] {
                let all = leaves(shrinker);
                if second >= all.len() || first >= all.len() || all[first].is_lowest() || shrinker.is_over() {
                    break;
                }
                let value = all[second].value;
                // Numbers that are equal move together; a later one may not move up an earlier one.
                let same: Vec<&Leaf> =
                    all.iter().filter(|leaf| leaf.value == value && **leaf != all[first]).collect();
                let is_new = !tried.contains(&(same.len(), value * sign));
                if second == first || same.is_empty() || !is_new || (sign == 1 && second < first) {
                    continue;
                }
                tried.push((same.len(), value * sign));
                if shift(shrinker, &all[first], &same, sign).await {
                    tried.clear();
                } else if same.len() > 1 && second > first {
                    shift(shrinker, &all[first], &[&all[second]], sign).await;
                }
            }
        }
    }
}

/// Moves every number above its floor down by the same amount.
async fn all_down(shrinker: &mut Shrinker<'_>) {
    let all = leaves(shrinker);
    let high: Vec<&Leaf> = all.iter().filter(|leaf| leaf.value > leaf.floor).collect();
    let room = high.iter().map(|leaf| leaf.value - leaf.floor).min().unwrap_or(0);
    if high.len() < 3 || room == 0 {
        return;
    }
    let drafts = shrinker.drafts();
    for amount in [room, 1] {
        let changes: Vec<(&Leaf, i128)> = high.iter().map(|leaf| (*leaf, leaf.value - amount)).collect();
        if shrinker.attempt(&with(&drafts, &changes)).await {
            return;
        }
    }
}

/// Lowers `first` by as much as possible while `others` move by `sign` times the same; true if it moved.
async fn shift(shrinker: &mut Shrinker<'_>, first: &Leaf, others: &[&Leaf], sign: i128) -> bool {
    let room = first.value - first.floor;
    let limits = others.iter().map(|other| match sign {
        1 => other.ceiling.map_or(room, |ceiling| ceiling - other.value),
        _ => other.value - other.floor,
    });
    let limit = limits.min().unwrap_or(0).min(room);
    if limit <= 0 {
        return false;
    }
    let base = shrinker.drafts();
    let n_steps = base.len();
    let at = |amount: i128| {
        let mut changes = vec![(first, first.value - amount)];
        changes.extend(others.iter().map(|other| (*other, other.value + sign * amount)));
        with(&base, &changes)
    };
    if shrinker.attempt(&at(limit)).await {
        return true;
    }
    if limit == 1 || !shrinker.attempt(&at(1)).await {
        return false;
    }
    let (mut fails, mut passes) = (1, limit);
    while passes - fails > 1 && shrinker.best.done.len() == n_steps && !shrinker.is_over() {
        let middle = fails + (passes - fails) / 2;
        if shrinker.attempt(&at(middle)).await {
            fails = middle;
        } else {
            passes = middle;
        }
    }
    true
}

/// Drops a step whose share another can take, or raises all numbers of a class so that fewer steps suffice.
pub(super) async fn merge(shrinker: &mut Shrinker<'_>) {
    let mut classes: Vec<String> = Vec::new();
    for leaf in leaves(shrinker) {
        if leaf.ceiling.is_some_and(|ceiling| ceiling > leaf.value) && !classes.contains(&leaf.class) {
            classes.push(leaf.class);
        }
    }
    for class in classes {
        let all: Vec<Leaf> = leaves(shrinker).into_iter().filter(|leaf| leaf.class == class).collect();
        if raise(shrinker, &all).await {
            return;
        }
        for pair in all.windows(2) {
            let [first, second] = pair else { continue };
            let ceiling = second.ceiling.unwrap_or(i128::MAX);
            let sum = (first.value.saturating_add(second.value)).min(ceiling);
            if first.step == second.step || sum == second.value {
                continue;
            }
            let mut drafts = with(&shrinker.drafts(), &[(second, sum)]);
            drafts.remove(first.step);
            if shrinker.attempt(&drafts).await {
                return;
            }
        }
    }
}

/// Raises all numbers to their largest and sees what can then go or fall; true if the sequence got simpler.
async fn raise(shrinker: &mut Shrinker<'_>, all: &[Leaf]) -> bool {
    let raise: Vec<(&Leaf, i128)> = all.iter().filter_map(|leaf| Some((leaf, leaf.ceiling?))).collect();
    let raised = with(&shrinker.drafts(), &raise);
    if all.len() < 2 {
        return false;
    }
    let Some(trace) = shrinker.execute(&raised).await else { return false };
    if shrinker.adopt(trace) {
        return true;
    }
    let mut steps: Vec<usize> = all.iter().map(|leaf| leaf.step).collect();
    steps.dedup();
    for step in &steps {
        let mut shorter = raised.clone();
        shorter.remove(*step);
        if steps.len() > 1 && shrinker.attempt(&shorter).await {
            return true;
        }
    }
    let Some(high) = all.iter().find(|leaf| !leaf.is_lowest()) else { return false };
    let kept: Vec<(&Leaf, i128)> = raise.iter().filter(|(leaf, _)| *leaf != high).copied().collect();
    let mut lowered = kept.clone();
    lowered.push((high, high.floor));
    lowered.retain(|(leaf, _)| leaf.step > high.step || (leaf.step == high.step && leaf.slot >= high.slot));
    let candidate = with(&shrinker.drafts(), &lowered);
    shrinker.attempt(&candidate).await
}
