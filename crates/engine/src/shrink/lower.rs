//! Simpler arguments: all at once, one parameter at a time, equal values in lock step, then each alone.

use std::collections::BTreeMap;

use crate::gene::Gene;
use crate::sequence::Choice;
use crate::shrink::Shrinker;
use crate::shrink::leaf::{Leaf, leaves, with};
use crate::value::{as_number, as_string};

/// Makes every argument the simplest at once, then those of one parameter name, then those of one parameter.
pub(super) async fn leap(shrinker: &mut Shrinker<'_>) {
    if leap_where(shrinker, |_, _, _| true).await {
        return;
    }
    let mut names: Vec<String> = Vec::new();
    let mut places: Vec<(usize, usize)> = Vec::new();
    for draft in shrinker.drafts() {
        for slot in 0..draft.arguments.len() {
            let name = shrinker.facts((draft.command, slot)).name.clone();
            if !names.contains(&name) {
                names.push(name);
            }
            if !places.contains(&(draft.command, slot)) {
                places.push((draft.command, slot));
            }
        }
    }
    for wanted in &names {
        leap_where(shrinker, |_, _, name| name == wanted).await;
    }
    for place in places {
        leap_where(shrinker, |command, slot, _| (command, slot) == place).await;
    }
}

async fn leap_where(shrinker: &mut Shrinker<'_>, is_chosen: impl Fn(usize, usize, &str) -> bool) -> bool {
    let mut drafts = shrinker.drafts();
    let mut has_changed = false;
    for draft in &mut drafts {
        for slot in 0..draft.arguments.len() {
            let facts = shrinker.facts((draft.command, slot));
            if draft.value(slot).is_none() || !is_chosen(draft.command, slot, &facts.name) {
                continue;
            }
            let simplest = facts.simplest.clone();
            if simplest.is_none() || draft.value(slot) != simplest.as_ref() {
                draft.set_simplest(slot, simplest);
                has_changed = true;
            }
        }
    }
    has_changed && shrinker.attempt(&drafts).await
}

/// Lets references point to the earliest birth: all of them, then one by one.
pub(super) async fn references(shrinker: &mut Shrinker<'_>) {
    let mut all = shrinker.drafts();
    let mut places = Vec::new();
    for (step, draft) in all.iter_mut().enumerate() {
        for slot in 0..draft.arguments.len() {
            if draft.arguments[slot].birth.is_some() {
                draft.set_simplest(slot, None);
                places.push((step, slot));
            }
        }
    }
    if places.len() > 1 && shrinker.attempt(&all).await {
        return;
    }
    for (step, slot) in places {
        let drafts = shrinker.drafts();
        let Some(birth) = drafts.get(step).and_then(|draft| draft.arguments[slot].birth) else { continue };
        // Births of the same parameter, earlier than the one referred to now.
        let place = (drafts[step].command, slot);
        let mut earlier: Vec<_> = drafts
            .iter()
            .filter(|draft| draft.command == place.0)
            .filter_map(|draft| draft.arguments[slot].birth)
            .filter(|other| *other != birth)
            .collect();
        earlier.dedup();
        let mut simplest = drafts.clone();
        simplest[step].set_simplest(slot, None);
        if shrinker.attempt(&simplest).await {
            continue;
        }
        for other in earlier.into_iter().take(3) {
            let mut drafts = shrinker.drafts();
            drafts[step].set_birth(slot, other);
            if shrinker.attempt(&drafts).await {
                break;
            }
        }
    }
}

/// Lowers all arguments that show the same value together.
pub(super) async fn groups(shrinker: &mut Shrinker<'_>) {
    let mut counts: BTreeMap<i128, usize> = BTreeMap::new();
    let all = leaves(shrinker);
    for leaf in &all {
        *counts.entry(leaf.value).or_default() += 1;
    }
    let mut values: Vec<i128> = Vec::new();
    for leaf in &all {
        if counts[&leaf.value] > 1 && !values.contains(&leaf.value) {
            values.push(leaf.value);
        }
    }
    for value in values {
        let group: Vec<Leaf> = leaves(shrinker).into_iter().filter(|leaf| leaf.value == value).collect();
        if group.len() > 1 {
            lower_together(shrinker, &group).await;
        }
    }
}

/// Lowers each number alone.
pub(super) async fn singles(shrinker: &mut Shrinker<'_>) {
    let mut at = 0;
    loop {
        let all = leaves(shrinker);
        let Some(leaf) = all.get(at) else { return };
        if shrinker.is_over() {
            return;
        }
        lower_together(shrinker, std::slice::from_ref(leaf)).await;
        at += 1;
    }
}

/// Brings numbers of one value as far down as the failure allows, in few executions.
pub(super) async fn lower_together(shrinker: &mut Shrinker<'_>, group: &[Leaf]) {
    let Some(first) = group.first() else { return };
    let floor = group.iter().map(|leaf| leaf.floor).max_by_key(|floor| floor.abs()).unwrap_or(0);
    let value = first.value;
    if value == floor {
        return;
    }
    let toward = if value > floor { -1 } else { 1 };
    let distance = (value - floor).abs();
    let base = shrinker.drafts();
    let n_steps = base.len();
    let at = |offset: i128| {
        let changes: Vec<(&Leaf, i128)> = group.iter().map(|leaf| (leaf, floor - toward * offset)).collect();
        with(&base, &changes)
    };
    if shrinker.attempt(&at(0)).await || distance == 1 {
        return;
    }
    // A value that cannot move by one is bound to something else: a binary search would find nothing.
    if !shrinker.attempt(&at(distance - 1)).await || shrinker.best.done.len() != n_steps {
        return;
    }
    let (mut passes, mut fails) = (0, distance - 1);
    while fails - passes > 1 && !shrinker.is_over() {
        let middle = passes + (fails - passes) / 2;
        if shrinker.attempt(&at(middle)).await {
            fails = middle;
            if shrinker.best.done.len() != n_steps {
                return;
            }
        } else {
            passes = middle;
        }
    }
}

/// Numbers tried at the low end for a value that is stuck, if few are, and if many are.
const N_SMALL: (i128, i128) = (20, 4);

/// Tries the few simplest numbers, and those seen elsewhere, for numbers that are bound to something.
pub(super) async fn small_values(shrinker: &mut Shrinker<'_>) {
    let mut at = 0;
    loop {
        let all = leaves(shrinker);
        let Some(leaf) = all.get(at) else { return };
        at += 1;
        if leaf.is_lowest() || shrinker.is_over() {
            continue;
        }
        let toward = if leaf.value > leaf.floor { 1 } else { -1 };
        let distance = (leaf.value - leaf.floor).abs();
        let n_stuck = all.iter().filter(|leaf| !leaf.is_lowest()).count();
        let n_small = if n_stuck < 2 { N_SMALL.0 } else { N_SMALL.1 };
        let small = (1..=n_small.min(distance - 1)).map(|offset| leaf.floor + toward * offset);
        let mut candidates: Vec<i128> = small.collect();
        for other in &all {
            candidates.extend([other.value - 1, other.value, other.value + 1]);
        }
        candidates.retain(|candidate| {
            let offset = (candidate - leaf.floor) * toward;
            offset > 0 && offset < distance
        });
        candidates.sort_by_key(|candidate| (candidate - leaf.floor).abs());
        candidates.dedup();
        for candidate in candidates.into_iter().take(24) {
            if shrinker.attempt(&with(&shrinker.drafts(), &[(leaf, candidate)])).await {
                break;
            }
        }
    }
}

/// Most moves of a strategy's own shrinking that are followed for one argument.
const MAX_MOVES: usize = 60;

/// Follows the strategy's own way of shrinking, for values that are neither numbers nor strings, or cannot be wished for.
pub(super) async fn tree_moves(shrinker: &mut Shrinker<'_>) {
    for step in 0..shrinker.best.done.len() {
        let n_slots = shrinker.drafts().get(step).map_or(0, |draft| draft.arguments.len());
        for slot in 0..n_slots {
            follow(shrinker, step, slot).await;
        }
    }
}

async fn follow(shrinker: &mut Shrinker<'_>, step: usize, slot: usize) {
    let drafts = shrinker.drafts();
    let Some(draft) = drafts.get(step) else { return };
    let Some(text) = draft.value(slot) else { return };
    let facts = shrinker.facts((draft.command, slot));
    let is_simplest = facts.simplest.as_ref() == Some(text);
    let is_plain = facts.is_fed && (as_number(text).is_some() || as_string(text).is_some());
    let Choice::Gene(gene) = &draft.arguments[slot].choice else { return };
    if is_simplest || is_plain {
        return;
    }
    let mut path = gene.path.clone();
    let mut n_failed = 0;
    for _ in 0..MAX_MOVES {
        path.push(n_failed == 0);
        let mut drafts = shrinker.drafts();
        if drafts.len() <= step || shrinker.is_over() {
            return;
        }
        let choice = Choice::Gene(Gene { path: path.clone(), ..gene.clone() });
        drafts[step].arguments[slot].choice = choice;
        drafts[step].arguments[slot].text = None;
        let has_improved = shrinker.attempt(&drafts).await;
        n_failed = if has_improved { 0 } else { n_failed + 1 };
        if n_failed > 4 {
            return;
        }
    }
}
