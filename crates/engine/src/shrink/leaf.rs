//! Numbers wherever they stand in the arguments of a sequence, and changing several of them at once.

use crate::shrink::Shrinker;
use crate::shrink::draft::Draft;
use crate::value::{as_number, tokens};

/// A whole number in an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) step: usize,
    pub(super) slot: usize,
    start: usize,
    end: usize,
    pub(super) value: i128,
    /// The simplest it can be, as far as is known.
    pub(super) floor: i128,
    /// The largest it can be, if that is known.
    pub(super) ceiling: Option<i128>,
    /// Numbers of one class are the same sort of thing: keys among keys, amounts among amounts.
    pub(super) class: String,
}

impl Leaf {
    pub(super) fn is_lowest(&self) -> bool {
        self.value == self.floor
    }
}

/// Every number of the best sequence, in order.
pub(super) fn leaves(shrinker: &mut Shrinker<'_>) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (step, draft) in shrinker.drafts().iter().enumerate() {
        for slot in 0..draft.arguments.len() {
            let Some(text) = draft.value(slot) else { continue };
            let facts = shrinker.facts((draft.command, slot));
            let simplest = facts.simplest.as_deref().map(tokens).unwrap_or_default();
            let is_plain = as_number(text).is_some();
            let numbers = tokens(text).into_iter().enumerate();
            for (index, place, value) in numbers.filter_map(|(index, place)| {
                let value = place.token.as_number()?;
                Some((index, place, value))
            }) {
                let floor = simplest.get(index).and_then(|place| place.token.as_number()).unwrap_or(0);
                let ceiling = facts.largest.filter(|_| is_plain);
                let class = match ceiling {
                    Some(ceiling) => format!("{floor}..={ceiling}"),
                    None if is_plain => facts.name.clone(),
                    None => format!("{}[]", facts.name),
                };
                leaves.push(Leaf {
                    step,
                    slot,
                    start: place.start,
                    end: place.end,
                    value,
                    floor,
                    ceiling,
                    class,
                });
            }
        }
    }
    leaves
}

/// The candidate in which some numbers have other values.
pub(super) fn with(drafts: &[Draft], changes: &[(&Leaf, i128)]) -> Vec<Draft> {
    let mut drafts = drafts.to_vec();
    let mut changes = changes.to_vec();
    // From right to left, so that places in a text stay true while it is rewritten.
    changes.sort_by_key(|(leaf, _)| (leaf.step, leaf.slot, std::cmp::Reverse(leaf.start)));
    for (leaf, value) in changes {
        let draft = &mut drafts[leaf.step];
        let Some(text) = draft.value(leaf.slot) else { continue };
        if leaf.value != value {
            let rewritten = format!("{}{value}{}", &text[..leaf.start], &text[leaf.end..]);
            draft.set_text(leaf.slot, &rewritten);
        }
    }
    drafts
}
