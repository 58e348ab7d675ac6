//! Values in prose: JSON inside a text, or else its words.

use serde_json::Value;

/// The object or array a text consists of.
pub(crate) fn json_in_text(text: &str) -> Option<Value> {
    // The parser refuses nesting beyond 127 levels by itself, so this cannot overflow.
    text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text).ok()).flatten()
}

/// The words of a text without the punctuation around them.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter_map(|word| {
        let word = word
            .trim_end_matches(['.', ',', ';', ':', '!', '?', '"', '\'', '`', ')', ']', '}', '>', '…'])
            .trim_start_matches(['"', '\'', '`', '(', '[', '{', '<']);
        (!word.is_empty()).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn words_lose_the_punctuation_around_them_and_keep_what_is_inside() {
        for (text, expected) in [
            ("Task task-1 created.", &["Task", "task-1", "created"][..]),
            ("see \"/tmp/a.txt\", (id: 7)!", &["see", "/tmp/a.txt", "id", "7"]),
            ("...", &[]),
        ] {
            assert_eq!(tokens(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
