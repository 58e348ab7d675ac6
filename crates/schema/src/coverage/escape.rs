//! Text from contracts, instances and servers made harmless for markup.

/// The text with everything spelled out that HTML or XML reads as markup; control characters are shown as such.
///
/// ```
/// assert_eq!(probity_schema::coverage::escape("<b> & \u{1b}"), "&lt;b&gt; &amp; \u{fffd}");
/// ```
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            // XML has no way to write most control characters, and directions can make a line show something else.
            other if other.is_control() || is_unwritable(other) => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

fn is_unwritable(letter: char) -> bool {
    matches!(letter, '\u{fffe}' | '\u{ffff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn what_a_server_says_stays_text() {
        let said = "<script>alert('1')</script> & \u{1b}[31m\u{202e}";
        assert_eq!(
            escape(said),
            "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; \u{fffd}[31m\u{fffd}"
        );
    }
}
