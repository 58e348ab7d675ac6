//! Strings: letters renamed everywhere, shorter texts, and texts that are parts of others changed together.

use crate::shrink::Shrinker;
use crate::shrink::draft::Draft;
use crate::value::{as_string, quote};

/// Letters that are the plainest of some alphabet, plainest first.
const PLAIN: &[char] = &['a', 'A', '0', ' '];
/// Strings up to this length are tried with other letters.
const MAX_FOR_OTHERS: usize = 4;

/// A string among the arguments.
#[derive(Clone, Debug)]
struct Text {
    step: usize,
    slot: usize,
    chars: Vec<char>,
}

fn texts(drafts: &[Draft]) -> Vec<Text> {
    let mut texts = Vec::new();
    for (step, draft) in drafts.iter().enumerate() {
        for slot in 0..draft.arguments.len() {
            if let Some(chars) = draft.value(slot).and_then(|text| as_string(text)) {
                texts.push(Text { step, slot, chars });
            }
        }
    }
    texts
}

fn with(drafts: &[Draft], changed: &[Text]) -> Vec<Draft> {
    let mut drafts = drafts.to_vec();
    for Text { step, slot, chars } in changed {
        let text = quote(chars);
        if drafts[*step].value(*slot).is_none_or(|old| **old != *text) {
            drafts[*step].set_text(*slot, &text);
        }
    }
    drafts
}

/// Renames letters in all strings at once: all to the plainest, by first appearance, then letter by letter.
pub(super) async fn rename(shrinker: &mut Shrinker<'_>) {
    let before = texts(&shrinker.drafts());
    let mut letters: Vec<char> = Vec::new();
    for letter in before.iter().flat_map(|text| &text.chars) {
        if !letters.contains(letter) {
            letters.push(*letter);
        }
    }
    if letters.is_empty() {
        return;
    }
    if map_letters(shrinker, |_| PLAIN[0]).await {
        return;
    }
    let ordered = |letter: char| {
        let index = letters.iter().position(|known| *known == letter).unwrap_or(0);
        u8::try_from(index).ok().filter(|index| *index < 26).map_or(letter, |index| char::from(b'a' + index))
    };
    map_letters(shrinker, ordered).await;
    let mut now: Vec<char> = texts(&shrinker.drafts()).into_iter().flat_map(|text| text.chars).collect();
    now.sort_unstable();
    now.dedup();
    for letter in now.into_iter().rev() {
        for plain in ['a', 'b', 'A', '0'] {
            let is_done = plain >= letter;
            if is_done || map_letters(shrinker, |one| if one == letter { plain } else { one }).await {
                break;
            }
        }
    }
    parts(shrinker).await;
}

/// Where one string is a part of another: makes the part a single letter that stands out among plain ones.
async fn parts(shrinker: &mut Shrinker<'_>) {
    let n_texts = texts(&shrinker.drafts()).len();
    for (first, second) in (0..n_texts).flat_map(|first| (0..n_texts).map(move |second| (first, second))) {
        let drafts = shrinker.drafts();
        let all = texts(&drafts);
        let (Some(whole), Some(part)) = (all.get(first), all.get(second)) else { return };
        let Some(start) = find(&whole.chars, &part.chars).filter(|_| whole.chars.len() > part.chars.len())
        else {
            continue;
        };
        let end = start + part.chars.len();
        let mut plain = vec!['a'; whole.chars.len()];
        plain[end - 1] = 'b';
        let changed = [Text { chars: plain, ..whole.clone() }, Text { chars: vec!['b'], ..part.clone() }];
        shrinker.attempt(&with(&drafts, &changed)).await;
    }
}

async fn map_letters(shrinker: &mut Shrinker<'_>, map: impl Fn(char) -> char) -> bool {
    let drafts = shrinker.drafts();
    let mut changed = texts(&drafts);
    for text in &mut changed {
        text.chars.iter_mut().for_each(|letter| *letter = map(*letter));
    }
    shrinker.attempt(&with(&drafts, &changed)).await
}

/// Shortens strings, equal ones and those that contain one another together, then makes their letters plain.
pub(super) async fn edits(shrinker: &mut Shrinker<'_>) {
    let mut at = 0;
    loop {
        let drafts = shrinker.drafts();
        let all = texts(&drafts);
        let Some(text) = all.get(at) else { return };
        if shrinker.is_over() {
            return;
        }
        shorten(shrinker, &drafts, text, &all).await;
        plainer(shrinker, at).await;
        at += 1;
    }
}

/// Cuts letters off a string: alone, then from every string that contains it as well.
async fn shorten(shrinker: &mut Shrinker<'_>, drafts: &[Draft], text: &Text, all: &[Text]) {
    let n_letters = text.chars.len();
    if n_letters == 0 {
        return;
    }
    let prefix = |n_kept: usize| Text { chars: text.chars[..n_kept].to_vec(), ..text.clone() };
    let empty = prefix(0);
    if shrinker.attempt(&with(drafts, &[empty])).await {
        return;
    }
    let equal: Vec<&Text> = all.iter().filter(|other| other.chars == text.chars).collect();
    if equal.len() > 1 {
        let emptied: Vec<Text> =
            equal.iter().map(|other| Text { chars: Vec::new(), ..(*other).clone() }).collect();
        if shrinker.attempt(&with(drafts, &emptied)).await {
            return;
        }
    }
    if n_letters > 1 && shrinker.attempt(&with(drafts, &[prefix(n_letters - 1)])).await {
        let (mut passes, mut fails) = (0, n_letters - 1);
        while fails - passes > 1 {
            let middle = passes + (fails - passes) / 2;
            if shrinker.attempt(&with(drafts, &[prefix(middle)])).await {
                fails = middle;
            } else {
                passes = middle;
            }
        }
        return;
    }
    for index in (0..n_letters).rev() {
        let drafts = shrinker.drafts();
        let now = texts(&drafts);
        let Some(current) = now.iter().find(|other| (other.step, other.slot) == (text.step, text.slot))
        else {
            return;
        };
        if index >= current.chars.len() || current.chars.len() == 1 && now.len() == 1 {
            continue;
        }
        let mut shorter = current.clone();
        shorter.chars.remove(index);
        if shrinker.attempt(&with(&drafts, &[shorter.clone()])).await {
            continue;
        }
        let related: Vec<Text> = now
            .iter()
            .filter(|other| (other.step, other.slot) != (current.step, current.slot))
            .filter_map(|other| {
                let start = find(&other.chars, &current.chars)?;
                let mut other = other.clone();
                other.chars.remove(start + index);
                Some(other)
            })
            .collect();
        if !related.is_empty() {
            let changed: Vec<Text> = related.into_iter().chain([shorter]).collect();
            shrinker.attempt(&with(&drafts, &changed)).await;
        }
    }
}

/// Where `part` stands in `whole`.
fn find(whole: &[char], part: &[char]) -> Option<usize> {
    (!part.is_empty()).then(|| whole.windows(part.len()).position(|window| window == part))?
}

/// Shorter strings of other letters, for those that are as short as their own letters let them be.
pub(super) async fn other_letters(shrinker: &mut Shrinker<'_>) {
    for at in 0..texts(&shrinker.drafts()).len() {
        let n_letters = texts(&shrinker.drafts()).get(at).map_or(0, |text| text.chars.len());
        for n_kept in 1..n_letters.min(MAX_FOR_OTHERS) {
            for last in ['a', 'b', 'A', '0', '1'] {
                let drafts = shrinker.drafts();
                let all = texts(&drafts);
                let Some(text) = all.get(at).filter(|text| text.chars.len() > n_kept) else { break };
                let mut chars = vec!['a'; n_kept];
                chars[n_kept - 1] = last;
                shrinker.attempt(&with(&drafts, &[Text { chars, ..text.clone() }])).await;
            }
        }
    }
}

/// Makes the letters of one string plain, one by one.
async fn plainer(shrinker: &mut Shrinker<'_>, at: usize) {
    let n_letters = texts(&shrinker.drafts()).get(at).map_or(0, |text| text.chars.len());
    for index in 0..n_letters {
        let drafts = shrinker.drafts();
        let all = texts(&drafts);
        let Some(text) = all.get(at).filter(|text| index < text.chars.len()) else { return };
        let letter = text.chars[index];
        if PLAIN.contains(&letter) {
            continue;
        }
        let candidates = ['a', 'b', 'A', '0', '1', ' '];
        for candidate in candidates.into_iter().filter(|candidate| *candidate < letter) {
            let mut plain = text.clone();
            plain.chars[index] = candidate;
            if shrinker.attempt(&with(&drafts, &[plain])).await {
                break;
            }
        }
    }
}
