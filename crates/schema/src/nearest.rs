//! The name most like one that is not there, for messages that say what may have been meant.

/// The name most like the one that was written; of equals, the first. A beginning of a name stands for it.
pub(crate) fn nearest<'n>(names: impl IntoIterator<Item = &'n str>, wanted: &str) -> Option<&'n str> {
    names.into_iter().min_by_key(|name| {
        let is_begun = !wanted.is_empty() && name.to_lowercase().starts_with(&wanted.to_lowercase());
        (!is_begun, distance(name, wanted), name.len().abs_diff(wanted.len()))
    })
}

/// How many letters differ between two names, at least; whether they are small or large letters does not count.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.to_lowercase().chars().take(64).collect();
    let right: Vec<char> = right.to_lowercase().chars().take(64).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, mine) in left.iter().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, theirs) in right.iter().enumerate() {
            let replaced = before + usize::from(mine != theirs);
            before = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(before + 1);
        }
    }
    row[right.len()]
}

/// Letters that may be wrong in a long name.
const MOST_SLIPS: usize = 3;

/// The name that was probably meant: the nearest, if it is only a slip away.
pub(crate) fn near<'n>(names: impl IntoIterator<Item = &'n str>, word: &str) -> Option<&'n str> {
    let most = |name: &str| match name.len() {
        0..=2 => 0,
        3..=7 => 1,
        8..=13 => 2,
        _ => MOST_SLIPS,
    };
    let close = names.into_iter().filter(|name| name.len().abs_diff(word.len()) <= MOST_SLIPS);
    let slips =
        close.map(|name| (n_slips(name, word), name)).filter(|(n_slips, name)| *n_slips <= most(name));
    slips.min_by_key(|(n_slips, _)| *n_slips).map(|(_, name)| name)
}

/// The letters of a word in one order, large or small.
pub(crate) fn letters(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.to_lowercase().chars().collect();
    letters.sort_unstable();
    letters
}

/// How many letters are wrong; two that changed places are one slip.
fn n_slips(name: &str, word: &str) -> usize {
    match distance(name, word) {
        2 if letters(name) == letters(word) => 1,
        n_different => n_different,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], wanted: &str, expected: &str) {
        assert_eq!(nearest(names.iter().copied(), wanted), Some(expected), "{wanted}");
    }

    #[test]
    fn the_nearest_name_is_the_one_with_the_fewest_letters_to_change() {
        check(&["Pets", "Pet", "Car"], "Pte", "Pet");
        check(&["array", "string", "integer"], "strng", "string");
        check(&["array", "string", "integer"], "int", "integer");
        check(&["listPets", "createPet"], "CREATEPETS", "createPet");
    }
}
