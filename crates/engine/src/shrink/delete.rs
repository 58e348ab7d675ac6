//! Fewer steps: whole kinds, whole stories about one value, chunks, single steps, and pairs that only go together.

use std::collections::BTreeMap;

use crate::shrink::Shrinker;
use crate::shrink::draft::Draft;

/// Sequences up to this length are searched for every pair of steps that can go together.
const MAX_FOR_PAIRS: usize = 12;

/// Large cuts: what has nothing to do with the last step, a command everywhere, all steps on one value.
pub(super) async fn coarse(shrinker: &mut Shrinker<'_>) {
    unrelated(shrinker).await;
    kinds(shrinker).await;
    stories(shrinker).await;
    loops(shrinker).await;
}

/// Keeps the steps that share a value with the last one, with or without those that take no arguments.
async fn unrelated(shrinker: &mut Shrinker<'_>) {
    for keeps_bare in [false, true] {
        let drafts = shrinker.drafts();
        let Some(last) = drafts.last() else { return };
        let subjects = subjects(last);
        if drafts.len() < 4 || subjects.is_empty() {
            return;
        }
        let is_kept = |draft: &Draft| {
            (keeps_bare && draft.arguments.is_empty())
                || self::subjects(draft).iter().any(|one| subjects.contains(one))
        };
        let births: Vec<u32> =
            last.arguments.iter().filter_map(|argument| Some(argument.birth?.uid)).collect();
        let kept: Vec<Draft> =
            drafts.iter().filter(|draft| is_kept(draft) || births.contains(&draft.uid)).cloned().collect();
        if kept.len() < drafts.len() && shrinker.attempt(&kept).await {
            return;
        }
    }
}

async fn kinds(shrinker: &mut Shrinker<'_>) {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for draft in shrinker.drafts() {
        *counts.entry(draft.command).or_default() += 1;
    }
    let mut counts: Vec<(usize, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(command, count)| (std::cmp::Reverse(*count), *command));
    for (command, _) in counts {
        delete_where(shrinker, 2, |draft| draft.command == command).await;
    }
}

async fn stories(shrinker: &mut Shrinker<'_>) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for subject in shrinker.drafts().iter().flat_map(subjects) {
        *counts.entry(subject).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().filter(|(_, count)| *count > 2).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (subject, _) in counts.into_iter().take(8) {
        delete_where(shrinker, 3, |draft| subjects(draft).contains(&subject)).await;
    }
}

/// Cuts out stretches that lead the model back to where it was.
async fn loops(shrinker: &mut Shrinker<'_>) {
    let mut at = 0;
    while at < shrinker.best.done.len() {
        let here = shrinker.best.done[at].fingerprint;
        let after = &shrinker.best.done[at + 1..];
        let back = after.iter().rposition(|done| here.is_some() && done.fingerprint == here);
        if let Some(back) = back {
            let mut drafts = shrinker.drafts();
            drafts.drain(at + 1..=at + 1 + back);
            if shrinker.attempt(&drafts).await {
                continue;
            }
        }
        at += 1;
    }
}

/// Deletes all steps of some sort except the last step, if there are enough of them to be worth an execution.
async fn delete_where(shrinker: &mut Shrinker<'_>, n_least: usize, is_deleted: impl Fn(&Draft) -> bool) {
    let mut drafts = shrinker.drafts();
    let n_before = drafts.len();
    let mut index = 0;
    drafts.retain(|draft| {
        index += 1;
        index == n_before || !is_deleted(draft)
    });
    if n_before - drafts.len() >= n_least {
        shrinker.attempt(&drafts).await;
    }
}

/// What a step is about: its values, and the births it refers to.
fn subjects(draft: &Draft) -> Vec<String> {
    let arguments = draft.arguments.iter().filter_map(|argument| match argument.birth {
        Some(birth) => Some(format!("@{}.{}", birth.uid, birth.ordinal)),
        None => argument.text.as_ref().map(ToString::to_string),
    });
    arguments.collect()
}

/// Deletes ever smaller chunks, from the end to the front.
pub(super) async fn chunks(shrinker: &mut Shrinker<'_>) {
    let mut size = (shrinker.best.done.len() / 2).max(1);
    loop {
        let mut end = shrinker.best.done.len();
        while end > 0 && !shrinker.is_over() {
            let start = end.saturating_sub(size);
            let mut drafts = shrinker.drafts();
            drafts.drain(start..end);
            end = if shrinker.attempt(&drafts).await { start.min(shrinker.best.done.len()) } else { start };
        }
        if size == 1 {
            return;
        }
        size /= 2;
    }
}

/// Deletes each step alone.
pub(super) async fn singles(shrinker: &mut Shrinker<'_>) {
    let mut at = shrinker.best.done.len();
    while at > 0 && !shrinker.is_over() {
        at = (at - 1).min(shrinker.best.done.len() - 1);
        let mut drafts = shrinker.drafts();
        drafts.remove(at);
        shrinker.attempt(&drafts).await;
    }
}

/// Deletes two steps at once: an open and its close, a push and its pop.
pub(super) async fn pairs(shrinker: &mut Shrinker<'_>) {
    let n_steps = shrinker.best.done.len();
    // In a long sequence only neighbours and steps on the same value are worth a try.
    for distance in 1..n_steps {
        for first in 0..n_steps - distance {
            let second = first + distance;
            let mut drafts = shrinker.drafts();
            let related = subjects(&drafts[first]);
            let is_related = subjects(&drafts[second]).iter().any(|subject| related.contains(subject));
            if n_steps > MAX_FOR_PAIRS && distance > 2 && !is_related {
                continue;
            }
            drafts.remove(second);
            drafts.remove(first);
            if shrinker.attempt(&drafts).await || shrinker.is_over() {
                return;
            }
        }
    }
    for size in 3..=n_steps.saturating_sub(2).min(6) {
        for start in 0..=n_steps - size {
            let mut drafts = shrinker.drafts();
            drafts.drain(start..start + size);
            if shrinker.attempt(&drafts).await || shrinker.is_over() {
                return;
            }
        }
    }
}
