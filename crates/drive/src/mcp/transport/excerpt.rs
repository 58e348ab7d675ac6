//! What is kept of a message: all of it, or its head and tail when it is large.

use std::borrow::Cow;
use std::sync::Arc;

/// The text of one raw message, whole or shortened, cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The text; where something was left out, a mark says how much.
    pub text: Arc<str>,
    /// The size of the message as it came, in bytes.
    pub n_bytes: usize,
    /// How many bytes of it are missing from `text`.
    pub n_omitted: usize,
    /// Whether bytes that are not UTF-8 were replaced.
    pub is_lossy: bool,
}

impl Excerpt {
    /// Keeps at most about `kept` bytes of a message that is at hand in full.
    #[must_use]
    pub fn of(bytes: &[u8], kept: usize) -> Excerpt {
        if bytes.len() <= kept {
            return Excerpt::shortened(bytes, &[], bytes.len());
        }
        let tail = kept / 8;
        Excerpt::shortened(&bytes[..kept - tail], &bytes[bytes.len() - tail..], bytes.len())
    }

    /// Joins the head and the tail of a message of `n_bytes` bytes.
    #[must_use]
    pub fn shortened(head: &[u8], tail: &[u8], n_bytes: usize) -> Excerpt {
        let n_omitted = n_bytes.saturating_sub(head.len() + tail.len());
        if n_omitted == 0 && tail.is_empty() {
            let text = readable(head);
            let is_lossy = matches!(text, Cow::Owned(_));
            return Excerpt { text: Arc::from(text), n_bytes, n_omitted, is_lossy };
        }
        // A cut may fall inside a character, so a shortened text says nothing about the encoding.
        let text = format!(
            "{}…[{n_omitted} bytes left out]…{}",
            String::from_utf8_lossy(head).trim_end_matches('\u{FFFD}'),
            String::from_utf8_lossy(tail).trim_start_matches('\u{FFFD}'),
        );
        Excerpt { text: Arc::from(text), n_bytes, n_omitted, is_lossy: false }
    }
}

/// The text of a message, a copy if bytes that are not UTF-8 had to be replaced. Nearly all are UTF-8, which is quicker to see at once.
pub(crate) fn readable(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], kept: usize, text: &str, n_omitted: usize, is_lossy: bool) {
        let expected = Excerpt { text: Arc::from(text), n_bytes: bytes.len(), n_omitted, is_lossy };
        assert_eq!(Excerpt::of(bytes, kept), expected);
    }

    #[test]
    fn a_small_message_is_kept_whole_and_a_large_one_by_head_and_tail() {
        check(b"{}", 16, "{}", 0, false);
        check(b"a\xFFb", 16, "a\u{FFFD}b", 0, true);
        check(b"0123456789abcdefXYZ", 16, "0123456789abcd…[3 bytes left out]…YZ", 3, false);
    }
}
