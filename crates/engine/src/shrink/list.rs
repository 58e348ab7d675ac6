//! Lists within a value: fewer elements, and elements in a simpler order.

use crate::shrink::Shrinker;
use crate::shrink::draft::Draft;
use crate::value::simplicity;

/// Elements up to this many are swapped in pairs.
const MAX_FOR_SWAPS: usize = 6;

/// Deletes elements of lists, in chunks and then one by one, and puts simple ones first.
pub(super) async fn elements(shrinker: &mut Shrinker<'_>) {
    let places: Vec<(usize, usize)> = shrinker
        .drafts()
        .iter()
        .enumerate()
        .flat_map(|(step, draft)| (0..draft.arguments.len()).map(move |slot| (step, slot)))
        .collect();
    for (step, slot) in places {
        fewer(shrinker, step, slot).await;
        sorted(shrinker, step, slot).await;
    }
}

async fn fewer(shrinker: &mut Shrinker<'_>, step: usize, slot: usize) {
    let mut size = list_at(&shrinker.drafts(), step, slot).map_or(0, |list| list.elements.len()) / 2;
    size = size.max(1);
    loop {
        let mut end = list_at(&shrinker.drafts(), step, slot).map_or(0, |list| list.elements.len());
        while end > 0 && !shrinker.is_over() {
            let start = end.saturating_sub(size);
            let drafts = shrinker.drafts();
            let Some(mut list) = list_at(&drafts, step, slot) else { return };
            if end > list.elements.len() {
                break;
            }
            list.elements.drain(start..end);
            shrinker.attempt(&with(&drafts, step, slot, &list)).await;
            end = start;
        }
        if size == 1 {
            return;
        }
        size /= 2;
    }
}

async fn sorted(shrinker: &mut Shrinker<'_>, step: usize, slot: usize) {
    let drafts = shrinker.drafts();
    let Some(list) = list_at(&drafts, step, slot).filter(|list| list.elements.len() > 1) else { return };
    let mut all = list.clone();
    all.elements.sort_by_key(|element| simplicity(element, None));
    if all.elements == list.elements || shrinker.attempt(&with(&drafts, step, slot, &all)).await {
        return;
    }
    for first in 0..list.elements.len().min(MAX_FOR_SWAPS) {
        for second in first + 1..list.elements.len().min(MAX_FOR_SWAPS) {
            let drafts = shrinker.drafts();
            let Some(mut list) = list_at(&drafts, step, slot) else { return };
            if second < list.elements.len() {
                list.elements.swap(first, second);
                shrinker.attempt(&with(&drafts, step, slot, &list)).await;
            }
        }
    }
}

/// A value that shows as a list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct List {
    open: char,
    elements: Vec<String>,
    close: char,
}

fn list_at(drafts: &[Draft], step: usize, slot: usize) -> Option<List> {
    let draft = drafts.get(step)?;
    (slot < draft.arguments.len()).then(|| parse(draft.value(slot)?))?
}

fn with(drafts: &[Draft], step: usize, slot: usize, list: &List) -> Vec<Draft> {
    let List { open, elements, close } = list;
    let mut drafts = drafts.to_vec();
    drafts[step].set_text(slot, &format!("{open}{}{close}", elements.join(", ")));
    drafts
}

/// Takes a shown list or set apart at the commas that stand in no bracket and no string.
fn parse(text: &str) -> Option<List> {
    let (open, close) = match text.chars().next()? {
        '[' => ('[', ']'),
        '{' => ('{', '}'),
        _ => return None,
    };
    let inside = text.strip_prefix(open)?.strip_suffix(close)?;
    let mut elements = Vec::new();
    let (mut depth, mut start, mut quote, mut is_escaped) = (0, 0, None, false);
    for (at, letter) in inside.char_indices() {
        match (quote, letter) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth -= 1,
            (None, ',') if depth == 0 => {
                elements.push(inside[start..at].trim().to_owned());
                start = at + 1;
            }
            (Some(_) | None, _) => {}
        }
    }
    let last = inside[start..].trim();
    if !last.is_empty() {
        elements.push(last.to_owned());
    }
    (depth == 0 && quote.is_none()).then_some(List { open, elements, close })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_taken_apart_at_its_own_commas_only() {
        let check = |text: &str, expected: Option<&[&str]>| {
            let elements = parse(text).map(|list| list.elements);
            let expected = expected.map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>());
            assert_eq!(elements, expected, "{text}");
        };
        check("[]", Some(&[]));
        check("[1, 22]", Some(&["1", "22"]));
        check("[(1, 2), [3, 4]]", Some(&["(1, 2)", "[3, 4]"]));
        check(r#"["a, b", "c\"]"]"#, Some(&[r#""a, b""#, r#""c\"]""#]));
        check("[',', ']']", Some(&["','", "']'"]));
        check("{1: 2, 3: 4}", Some(&["1: 2", "3: 4"]));
        check("12", None);
        check("Some([1])", None);
    }
}
