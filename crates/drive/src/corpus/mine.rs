//! Taking the values out of an answer: arrays by index, objects by sorted key, each key before its value.
//!
//! The walk keeps its own stack, so that no answer is too deep for it.

use serde_json::{Number, Value};

use crate::corpus::place::{Place, text_of};
use crate::corpus::text::{json_in_text, tokens};
use crate::corpus::{Birth, Corpus};

/// Whether the text content of answers is mined beside their structured content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MineText {
    /// Only `structuredContent` counts, as the spec has it.
    #[default]
    Never,
    /// JSON inside a text counts like structured content; of other texts the words count.
    Always,
}

/// Adds what the result of a *successful* call contains; the caller keeps error results away.
///
/// ```
/// use probity_drive::corpus::{Corpus, CorpusLimits, MineText, mine};
/// let mut corpus = Corpus::new(CorpusLimits::default());
/// corpus.seed([7.into()], ["first".to_owned()]);
/// let result = serde_json::json!({"structuredContent": {"id": "note-1", "size": 3}});
/// mine(&mut corpus, &result, 0, MineText::Never);
/// assert_eq!(corpus.strings().collect::<Vec<_>>(), ["first", "id", "note-1", "size"]);
/// assert_eq!(corpus.n_integers(), 2);
/// ```
pub fn mine(corpus: &mut Corpus, result: &Value, step: usize, text: MineText) {
    if let Some(structured) = result.get("structuredContent") {
        let value_place = |pointer: &str| Place::Value { pointer: pointer.to_owned() };
        let key_place = |pointer: &str, ordinal: usize| Place::Key { pointer: pointer.to_owned(), ordinal };
        mine_json(corpus, structured, step, &value_place, &key_place);
    }
    match text {
        MineText::Never => {}
        MineText::Always => mine_texts(corpus, result, step),
    }
}

fn mine_texts(corpus: &mut Corpus, result: &Value, step: usize) {
    let n_blocks = result.get("content").and_then(Value::as_array).map_or(0, Vec::len);
    for block in 0..n_blocks {
        let Some(text) = text_of(result, block) else {
            continue;
        };
        if let Some(json) = json_in_text(text) {
            let value_place = |pointer: &str| Place::TextValue { block, pointer: pointer.to_owned() };
            let key_place = |pointer: &str, ordinal: usize| Place::TextKey {
                block,
                pointer: pointer.to_owned(),
                ordinal,
            };
            mine_json(corpus, &json, step, &value_place, &key_place);
            continue;
        }
        for (ordinal, token) in tokens(text).enumerate() {
            let birth = || Birth::Answer { step, place: Place::Token { block, ordinal } };
            corpus.insert_string(token, None, birth);
            // A word such as "42" may be wanted as a number as well.
            if let Ok(number) = token.parse::<Number>() {
                corpus.insert_number(&number, None, birth);
            }
        }
    }
}

/// A container that is being walked, and where its own pointer ends in the shared path.
struct Level<'a> {
    n_path: usize,
    /// The member it stands under; elements of an array stand where the array does.
    name: Option<&'a str>,
    children: Children<'a>,
}

enum Children<'a> {
    Items(std::iter::Enumerate<std::slice::Iter<'a, Value>>),
    Members(std::iter::Enumerate<std::vec::IntoIter<(&'a String, &'a Value)>>),
}

fn mine_json(
    corpus: &mut Corpus,
    root: &Value,
    step: usize,
    value_place: &dyn Fn(&str) -> Place,
    key_place: &dyn Fn(&str, usize) -> Place,
) {
    let mut path = String::new();
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut next: Option<(Option<&str>, &Value)> = Some((None, root));
    loop {
        if let Some((name, value)) = next.take() {
            let birth = || Birth::Answer { step, place: value_place(&path) };
            match value {
                Value::String(string) => corpus.insert_string(string, name, birth),
                Value::Number(number) => corpus.insert_number(number, name, birth),
                Value::Array(items) => {
                    let children = Children::Items(items.iter().enumerate());
                    levels.push(Level { n_path: path.len(), name, children });
                }
                Value::Object(members) => {
                    let mut members: Vec<(&String, &Value)> = members.iter().collect();
                    members.sort_unstable_by_key(|(key, _)| *key);
                    let children = Children::Members(members.into_iter().enumerate());
                    levels.push(Level { n_path: path.len(), name, children });
                }
                Value::Null | Value::Bool(_) => {}
            }
        }
        let Some(level) = levels.last_mut() else {
            return;
        };
        path.truncate(level.n_path);
        next = match &mut level.children {
            Children::Items(items) => items.next().map(|(index, item)| {
                path.push('/');
                path.push_str(&index.to_string());
                (level.name, item)
            }),
            Children::Members(members) => members.next().map(|(ordinal, (key, member))| {
                let birth = || Birth::Answer { step, place: key_place(&path, ordinal) };
                corpus.insert_string(key, None, birth);
                path.push('/');
                push_escaped(&mut path, key);
                (Some(key.as_str()), member)
            }),
        };
        if next.is_none() {
            levels.pop();
        }
    }
}

/// Appends a member's name as JSON Pointers write it.
fn push_escaped(path: &mut String, name: &str) {
    for letter in name.chars() {
        match letter {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            other => path.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::corpus::CorpusLimits;

    /// Mines the results in order and compares integers, numbers and strings as they are written.
    #[track_caller]
    fn check(results: &[Value], text: MineText, integers: &str, numbers: &str, strings: &str) {
        let mut corpus = Corpus::default();
        for (step, result) in results.iter().enumerate() {
            mine(&mut corpus, result, step, text);
        }
        let joined = |values: Vec<String>| values.join(" ");
        assert_eq!(joined(corpus.integers().map(|number| number.to_string()).collect()), integers);
        assert_eq!(joined(corpus.numbers().map(ToString::to_string).collect()), numbers);
        assert_eq!(joined(corpus.strings().map(str::to_owned).collect()), strings);
    }

    #[test]
    fn keys_and_values_are_mined_at_any_depth_in_sorted_order() {
        let result = json!({"structuredContent": {"b": [1, {"z": "last", "a": 2.5}], "a": "first"}});
        check(&[result], MineText::Never, "1", "1 2.5", "a first b z last");
    }

    #[test]
    fn integral_numbers_are_integers_however_they_are_written_and_others_are_not() {
        let result = json!({"structuredContent": [3.0, 3, -0.5, 1e300, 18_446_744_073_709_551_615_u64, 7]});
        let numbers = "3.0 -0.5 1e+300 18446744073709551615 7";
        check(&[result], MineText::Never, "3 18446744073709551615 7", numbers, "");
    }

    #[test]
    fn a_value_met_again_keeps_its_first_place() {
        let first = json!({"structuredContent": {"id": "x"}});
        let second = json!({"structuredContent": {"id": "y", "of": "x"}});
        check(&[first, second], MineText::Never, "", "", "id x y of");
    }

    #[test]
    fn text_is_mined_only_by_choice_as_json_or_as_words() {
        let result = json!({"content": [
            {"type": "text", "text": "{\"id\": 7}"},
            {"type": "image", "data": "no", "mimeType": "no"},
            {"type": "text", "text": "Made note 42."},
        ]});
        check(std::slice::from_ref(&result), MineText::Never, "", "", "");
        check(&[result], MineText::Always, "7 42", "7 42", "id Made note 42");
    }

    #[test]
    fn every_value_can_be_found_again_at_its_birthplace() {
        let result = json!({
            "structuredContent": {"a/b": [{"~": "deep"}, 5]},
            "content": [{"type": "text", "text": "[{\"k\": \"in text\"}]"}, {"type": "text", "text": "one two"}],
        });
        let mut corpus = Corpus::default();
        mine(&mut corpus, &result, 4, MineText::Always);
        let births = (0..corpus.n_strings()).filter_map(|index| corpus.string(index));
        for (string, birth) in births {
            let Birth::Answer { step: 4, place } = birth else { panic!("{string} was born in call 4") };
            assert_eq!(place.find(&result), Some(Value::from(string)), "{place:?}");
        }
        assert_eq!(corpus.n_strings(), 7);
    }

    #[test]
    fn a_full_corpus_says_what_it_refused() {
        let refused = |limits: CorpusLimits| {
            let mut corpus = Corpus::new(limits);
            mine(&mut corpus, &json!({"structuredContent": ["long", "abc", "d", 1, 2]}), 0, MineText::Never);
            (corpus.n_strings(), corpus.n_numbers(), corpus.n_refused())
        };
        assert_eq!(refused(CorpusLimits { values: 1, string_bytes: 3, total_bytes: 100 }), (1, 1, 4));
        assert_eq!(refused(CorpusLimits { values: 9, string_bytes: 9, total_bytes: 5 }), (2, 2, 1));
    }

    #[test]
    fn depth_is_no_danger() {
        let mut value = json!("bottom");
        for _ in 0..200_000 {
            value = Value::Array(vec![value]);
        }
        // Assembled by hand, since the macro serializes, which recurses.
        let mut result = Value::Object([("structuredContent".to_owned(), value)].into_iter().collect());
        let mut corpus = Corpus::default();
        mine(&mut corpus, &result, 0, MineText::Never);
        assert_eq!(corpus.strings().next(), Some("bottom"));
        // Taken apart by hand, since dropping a value recurses.
        let mut rest = result["structuredContent"].take();
        while let Value::Array(mut items) = rest {
            rest = items.pop().unwrap_or(Value::Null);
        }
    }
}
