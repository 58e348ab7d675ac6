//! Coupled numbers: a sum or a difference that must stay, and steps that can go if the others take their share.

use crate::shrink::Shrinker;
use crate::shrink::leaf::{Leaf, leaves, with};

/// Numbers up to this many are tried in every pair.
const MAX_FOR_PAIRS: usize = 10;

/// Lowers an earlier number while a later one follows it down, or takes what it loses.
pub(super) async fn pairs(shrinker: &mut Shrinker<'_>) {
    all_down(shrinker).await;
    for first in 0..MAX_FOR_PAIRS {
        for second in first + 1..MAX_FOR_PAIRS {
            for sign in [-1, 1] {
                let all = leaves(shrinker);
                if second >= all.len() || all[first].is_lowest() || shrinker.is_over() {
                    break;
                }
                shift(shrinker, &all[first], &all[second], sign).await;
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

/// Lowers `first` by as much as possible while `second` moves by `sign` times the same.
async fn shift(shrinker: &mut Shrinker<'_>, first: &Leaf, second: &Leaf, sign: i128) {
    let room = first.value - first.floor;
    let limit = match sign {
        1 => second.ceiling.map_or(room, |ceiling| room.min(ceiling - second.value)),
        _ => room.min(second.value - second.floor),
    };
    if room <= 0 || limit <= 0 {
        return;
    }
    let base = shrinker.drafts();
    let n_steps = base.len();
    let at =
        |amount: i128| with(&base, &[(first, first.value - amount), (second, second.value + sign * amount)]);
    if shrinker.attempt(&at(limit)).await || limit == 1 {
        return;
    }
    if !shrinker.attempt(&at(1)).await {
        return;
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
}

/// Raises the numbers of a class to their largest and drops a step, or lowers the first ones to the floor.
pub(super) async fn merge(shrinker: &mut Shrinker<'_>) {
    let mut classes: Vec<String> = Vec::new();
    for leaf in leaves(shrinker) {
        if leaf.ceiling.is_some_and(|ceiling| ceiling > leaf.value) && !classes.contains(&leaf.class) {
            classes.push(leaf.class);
        }
    }
    for class in classes {
        let all: Vec<Leaf> = leaves(shrinker).into_iter().filter(|leaf| leaf.class == class).collect();
        let mut steps: Vec<usize> = all.iter().map(|leaf| leaf.step).collect();
        steps.dedup();
        if steps.len() < 2 {
            continue;
        }
        let raise: Vec<(&Leaf, i128)> = all.iter().filter_map(|leaf| Some((leaf, leaf.ceiling?))).collect();
        let raised = with(&shrinker.drafts(), &raise);
        let Some(trace) = shrinker.execute(&raised).await else { continue };
        if trace.done.len() != raised.len() {
            continue;
        }
        for step in &steps {
            let mut shorter = raised.clone();
            shorter.remove(*step);
            if shrinker.attempt(&shorter).await {
                return;
            }
        }
        for lowered in &all {
            let mut drafts = with(&shrinker.drafts(), &raise);
            let base = drafts.clone();
            let simplest = shrinker.facts((base[lowered.step].command, lowered.slot)).simplest.clone();
            drafts[lowered.step].set_simplest(lowered.slot, simplest);
            if lowered.is_lowest() {
                continue;
            }
            if shrinker.attempt(&drafts).await {
                return;
            }
            break;
        }
    }
}
