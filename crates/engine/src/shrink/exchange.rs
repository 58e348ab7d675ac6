//! Changes that only work together: a reference and a number, a step and its heir, one number for another.

use crate::shrink::Shrinker;
use crate::shrink::draft::Draft;
use crate::shrink::leaf::{leaves, with};
use crate::value::{as_number, as_string};

/// Sequences up to this length are searched for pairs of changes.
const MAX_STEPS: usize = 8;
/// Pairs tried at most by each pass.
const MAX_TRIES: usize = 40;

/// Lets a reference point to another birth while one number falls to its floor.
pub(super) async fn rewire(shrinker: &mut Shrinker<'_>) {
    let drafts = shrinker.drafts();
    let mut candidates = Vec::new();
    for (step, slot) in places(&drafts) {
        let Some(birth) = drafts[step].arguments[slot].birth else { continue };
        let mut others: Vec<_> =
            drafts.iter().flat_map(|draft| &draft.arguments).filter_map(|argument| argument.birth).collect();
        others.sort_unstable();
        others.dedup();
        let others = others.into_iter().filter(|other| *other != birth).map(Some).chain([None]);
        for other in others {
            let mut rewired = drafts.clone();
            match other {
                Some(other) => rewired[step].set_birth(slot, other),
                None => rewired[step].set_simplest(slot, None),
            }
            for leaf in leaves(shrinker).iter().filter(|leaf| !leaf.is_lowest()) {
                candidates.push(with(&rewired, &[(leaf, leaf.floor)]));
            }
        }
    }
    attempt_any(shrinker, candidates).await;
}

/// Deletes a step while another takes over one of its values.
pub(super) async fn inherit(shrinker: &mut Shrinker<'_>) {
    let drafts = shrinker.drafts();
    let mut candidates = Vec::new();
    for (step, slot) in places(&drafts) {
        let Some(value) = drafts[step].value(slot) else { continue };
        for (heir, place) in places(&drafts) {
            let Some(old) = drafts[heir].value(place).filter(|old| *old != value) else { continue };
            let is_alike = as_number(old).is_some() == as_number(value).is_some()
                && as_string(old).is_some() == as_string(value).is_some();
            if heir == step || !is_alike {
                continue;
            }
            let mut shorter = drafts.clone();
            shorter[heir].set_text(place, value);
            shorter.remove(step);
            candidates.push(shorter);
        }
    }
    attempt_any(shrinker, candidates).await;
}

/// Lowers a number by one while a later one rises as far as it can.
pub(super) async fn trade(shrinker: &mut Shrinker<'_>) {
    let all = leaves(shrinker);
    let drafts = shrinker.drafts();
    let mut candidates = Vec::new();
    for (index, first) in all.iter().enumerate() {
        let lower = first.value - (first.value - first.floor).signum();
        for second in &all[index + 1..] {
            let Some(ceiling) = second.ceiling.filter(|ceiling| *ceiling > second.value) else { continue };
            if !first.is_lowest() {
                candidates.push(with(&drafts, &[(first, lower), (second, ceiling)]));
            }
        }
    }
    attempt_any(shrinker, candidates).await;
}

fn places(drafts: &[Draft]) -> Vec<(usize, usize)> {
    let places = drafts.iter().enumerate();
    places.flat_map(|(step, draft)| (0..draft.arguments.len()).map(move |slot| (step, slot))).collect()
}

/// Tries candidates until one is simpler; the rest were made for a sequence that is no more.
async fn attempt_any(shrinker: &mut Shrinker<'_>, candidates: Vec<Vec<Draft>>) {
    if shrinker.best.done.len() > MAX_STEPS {
        return;
    }
    for candidate in candidates.into_iter().take(MAX_TRIES) {
        if shrinker.is_over() || shrinker.attempt(&candidate).await {
            return;
        }
    }
}
