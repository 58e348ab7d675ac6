//! The name most like one that is not there, for messages that say what may have been meant.

/// The name most like the one that was written; of equals, the first. A beginning of a name stands for it.
pub(crate) fn nearest<'n>(names: impl IntoIterator<Item = &'n str>, wanted: &str) -> Option<&'n str> {
    names.into_iter().min_by_key(|name| {
        let is_begun = !wanted.is_empty() && name.to_lowercase().starts_with(&wanted.to_lowercase());
        (!is_begun, distance(name, wanted), name.len().abs_diff(wanted.len()))
    })
}

/// How many letters differ between two names, at least; whether they are small or large letters does not count.
pub(crate) fn distance(left: &str, right: &str) -> usize {
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
