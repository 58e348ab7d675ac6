//! The names of members that values stood under, and which names speak of the same thing.

use std::collections::BTreeSet;

use indexmap::IndexMap;

/// Names kept in all; an object with many thousands of keys is a table, and its keys are no names.
const MAX_NAMES: usize = 1_000;
/// Names kept for one value.
const MAX_PER_VALUE: usize = 4;

/// Every name that values stood under, each as its words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(IndexMap<String, Vec<String>>);

/// The names one value stood under, the first ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NameSet(Vec<usize>);

impl Names {
    /// Adds a name to those of a value.
    pub(crate) fn add(&mut self, name: &str, known: &mut NameSet) {
        let NameSet(known) = known;
        if known.len() >= MAX_PER_VALUE {
            return;
        }
        let index = self.0.get_index_of(name).or_else(|| {
            (self.0.len() < MAX_NAMES).then(|| self.0.insert_full(name.to_owned(), words(name)).0)
        });
        if let Some(index) = index.filter(|index| !known.contains(index)) {
            known.push(index);
        }
    }

    /// The names that speak of what `name` speaks of.
    pub(crate) fn related(&self, name: &str) -> Related {
        let wanted = words(name);
        let known = self.0.values().enumerate();
        Related(known.filter(|(_, words)| is_related(words, &wanted)).map(|(index, _)| index).collect())
    }
}

/// Names that speak of one thing.
#[derive(Debug, Default)]
pub(crate) struct Related(BTreeSet<usize>);

impl Related {
    /// Whether no value stood under any such name.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a value stood under one of them.
    pub(crate) fn has(&self, NameSet(names): &NameSet) -> bool {
        names.iter().any(|name| self.0.contains(name))
    }
}

/// Whether one name says the same as the other, or the same more closely: `entityName` and `name`, `id` and `user_id`.
fn is_related(left: &[String], right: &[String]) -> bool {
    !left.is_empty() && !right.is_empty() && (left.ends_with(right) || right.ends_with(left))
}

/// Whether a name says what another says, or says it more closely.
pub(crate) fn says_more(name: &str, other: &str) -> bool {
    let (name, other) = (words(name), words(other));
    !other.is_empty() && name.ends_with(&other)
}

/// The words of a name in small letters, each in the singular: `entityNames`, `entity_name` and `entity-name` are alike.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_inside = false;
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            is_inside = false;
            continue;
        }
        let begins = !is_inside || (was_small && letter.is_uppercase());
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
        is_inside = true;
        was_small = letter.is_lowercase() || letter.is_numeric();
    }
    words.into_iter().map(singular).collect()
}

fn singular(word: String) -> String {
    match word.strip_suffix("ies") {
        Some(stem) if stem.len() > 1 => format!("{stem}y"),
        _ => match word.strip_suffix('s') {
            Some(stem) if stem.len() > 1 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
            _ => word,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(left: &str, right: &str, expected: bool) {
        assert_eq!(is_related(&words(left), &words(right)), expected, "{left} and {right}");
        assert_eq!(is_related(&words(right), &words(left)), expected, "{right} and {left}");
    }

    #[test]
    fn names_are_related_if_one_says_the_other_more_closely() {
        check("name", "name", true);
        check("entityName", "name", true);
        check("names", "name", true);
        check("entity_names", "entityName", true);
        check("userId", "id", true);
        check("user-id", "USER_ID", true);
        check("userIDs", "id", true);
        check("entries", "entry", true);
    }

    #[test]
    fn names_of_different_things_are_not_related() {
        check("userId", "orderId", false);
        check("nameOfUser", "name", false);
        check("status", "statu", false);
        check("from", "name", false);
        check("", "name", false);
        check("__", "", false);
    }

    #[test]
    fn only_so_many_names_are_kept() {
        let mut names = Names::default();
        let mut known = NameSet::default();
        for index in 0..2 * MAX_NAMES {
            names.add(&format!("n{index}"), &mut known);
            names.add(&format!("n{index}"), &mut NameSet::default());
        }
        assert_eq!((names.0.len(), known.0.len()), (MAX_NAMES, MAX_PER_VALUE));
    }
}
