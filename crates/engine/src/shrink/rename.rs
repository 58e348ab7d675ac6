//! Renaming: values that only need to be equal or different, or to keep their order, get the least names there are.

use std::collections::BTreeMap;

use crate::shrink::Shrinker;
use crate::shrink::leaf::{Leaf, leaves, with};

/// Renames the numbers of each class by first appearance, by rank, and by rank with gaps kept as small as they go.
pub(super) async fn ranks(shrinker: &mut Shrinker<'_>) {
    let mut classes: Vec<String> = Vec::new();
    for leaf in leaves(shrinker) {
        if !classes.contains(&leaf.class) {
            classes.push(leaf.class);
        }
    }
    for class in classes {
        for name in NAMINGS {
            let group: Vec<Leaf> = leaves(shrinker).into_iter().filter(|leaf| leaf.class == class).collect();
            let names = name(&group);
            let changes: Vec<(&Leaf, i128)> = group.iter().map(|leaf| (leaf, names[&leaf.value])).collect();
            if changes.iter().all(|(leaf, value)| leaf.value == *value) {
                continue;
            }
            let drafts = with(&shrinker.drafts(), &changes);
            if shrinker.attempt(&drafts).await {
                break;
            }
        }
    }
}

type Naming = fn(&[Leaf]) -> BTreeMap<i128, i128>;

/// From the least names to those that keep most of what the values had in common.
const NAMINGS: &[Naming] = &[by_appearance, by_rank, by_rank_with_gaps];

fn by_appearance(group: &[Leaf]) -> BTreeMap<i128, i128> {
    let mut names = BTreeMap::new();
    for leaf in group {
        let next = leaf.floor + names.len() as i128;
        names.entry(leaf.value).or_insert(next);
    }
    names
}

fn by_rank(group: &[Leaf]) -> BTreeMap<i128, i128> {
    close_up(group, 1)
}

fn by_rank_with_gaps(group: &[Leaf]) -> BTreeMap<i128, i128> {
    close_up(group, 2)
}

/// Moves values down to the floor with gaps of at most `max_gap` between neighbours.
fn close_up(group: &[Leaf], max_gap: i128) -> BTreeMap<i128, i128> {
    let mut names: BTreeMap<i128, i128> = group.iter().map(|leaf| (leaf.value, 0)).collect();
    let floor = group.iter().map(|leaf| leaf.floor).max().unwrap_or(0);
    let mut before: Option<(i128, i128)> = None;
    for (value, name) in &mut names {
        *name = before.map_or(floor, |(old, new)| new + (value - old).min(max_gap));
        before = Some((*value, *name));
    }
    names
}
