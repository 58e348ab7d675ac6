//! When two findings are the same: the same check, the same tool, the same words but for the values in them.

use crate::mcp::finding::Finding;

/// A key that findings of one cause share.
#[must_use]
pub(crate) fn cause(finding: &Finding) -> String {
    let tool = finding.tool.as_deref().unwrap_or_default();
    format!("{} {tool} {}", finding.code, without_values(&finding.message))
}

/// Longest part of a message that tells causes apart.
const MAX_WORDS: usize = 160;

/// The message with quoted parts and numbers blanked; what follows a long excerpt does not count.
fn without_values(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '"' => {
                let mut is_escaped = false;
                for inner in rest.by_ref() {
                    match inner {
                        '"' if !is_escaped => break,
                        '\\' => is_escaped = !is_escaped,
                        _ => is_escaped = false,
                    }
                }
                out.push('…');
            }
            letter if letter.is_ascii_digit() => {
                while rest.peek().is_some_and(|next| next.is_ascii_digit() || *next == '.') {
                    rest.next();
                }
                out.push('#');
            }
            // From an object or a list on the message quotes an answer.
            '{' | '[' => break,
            letter => out.push(letter),
        }
        if out.len() > MAX_WORDS {
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(left: &str, right: &str, is_same: bool) {
        assert_eq!(without_values(left) == without_values(right), is_same, "{left} and {right}");
    }

    #[test]
    fn values_do_not_tell_causes_apart_and_places_do() {
        check(
            "at /size: \"3\" is not of type \"integer\"",
            "at /size: \"17\" is not of type \"integer\"",
            true,
        );
        check("no answer within 1.5s", "no answer within 30s", true);
        check("at /size: \"3\" is wrong", "at /level: \"3\" is wrong", false);
        check("ended with exit code 1: {\"a\": 1}", "ended with exit code 1: {\"b\": []}", true);
        check("said \"a \\\" b\" twice", "said \"c\" twice", true);
    }
}
