//! Argument values without their types: what a command receives, how it reads, and which of two is simpler.

use std::any::Any;
use std::fmt::{self, Debug};
use std::rc::Rc;

/// One argument of a step: some value, and the way to show it.
#[derive(Clone)]
pub struct Value(Rc<dyn Held>);

impl Value {
    /// Holds a value that shows itself through `Debug`.
    pub fn new<T: Clone + Debug + 'static>(value: T) -> Self {
        Self::with_show(value, |value| format!("{value:?}"))
    }

    /// Holds a value that is shown by `show`.
    ///
    /// Two values that show alike are taken to be equal, so the text must tell them apart.
    pub fn with_show<T: Clone + 'static>(value: T, show: fn(&T) -> String) -> Self {
        Self(Rc::new(Cell { value, show }))
    }

    /// The value itself, if it is a `T`.
    #[must_use]
    pub fn get<T: Clone + 'static>(&self) -> Option<&T> {
        self.0.value().downcast_ref()
    }

    /// The value as text.
    #[must_use]
    pub fn show(&self) -> String {
        self.0.show()
    }
}

impl Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show())
    }
}

trait Held {
    fn value(&self) -> &dyn Any;
    fn show(&self) -> String;
}

struct Cell<T> {
    value: T,
    show: fn(&T) -> String,
}

impl<T: 'static> Held for Cell<T> {
    fn value(&self) -> &dyn Any {
        &self.value
    }

    fn show(&self) -> String {
        (self.show)(&self.value)
    }
}

/// A piece of a shown value, ordered from simple to complex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Token {
    /// A whole number: by magnitude, the positive one first.
    Number { magnitude: u128, is_negative: bool },
    /// One character of a quoted text.
    Char(char),
    /// Anything else: a name, a bracket, a fraction.
    Word(String),
}

impl Token {
    pub(crate) fn number(value: i128) -> Self {
        Self::Number { magnitude: value.unsigned_abs(), is_negative: value < 0 }
    }

    /// The whole number this token is, if it fits.
    pub(crate) fn as_number(&self) -> Option<i128> {
        match self {
            Self::Number { magnitude, is_negative } => {
                let value = i128::try_from(*magnitude).ok()?;
                Some(if *is_negative { -value } else { value })
            }
            Self::Char(_) | Self::Word(_) => None,
        }
    }
}

/// A token and where it stands in the text.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Cuts a shown value into tokens.
pub(crate) fn tokens(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().expect("the rest is not empty");
        let end = at
            + match first {
                '"' => quoted(rest, &mut places, at),
                '-' | '0'..='9' => number(rest, &mut places, at),
                _ => word(rest, &mut places, at),
            };
        at = end;
    }
    places
}

fn quoted(rest: &str, places: &mut Vec<Place>, at: usize) -> usize {
    let mut chars = rest.char_indices().skip(1);
    while let Some((start, first)) = chars.next() {
        if first == '"' {
            return start + 1;
        }
        let mut end = start + first.len_utf8();
        let mut shown = first;
        if first == '\\'
            && let Some((start, escaped)) = chars.next()
        {
            end = start + escaped.len_utf8();
            shown = unescape(escaped);
            if escaped == 'u' {
                for (start, digit) in chars.by_ref() {
                    end = start + digit.len_utf8();
                    if digit == '}' {
                        break;
                    }
                }
                let digits = rest[start..end].trim_start_matches("u{").trim_end_matches('}');
                shown = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).unwrap_or('u');
            }
        }
        places.push(Place { token: Token::Char(shown), start: at + start, end: at + end });
    }
    rest.len()
}

fn unescape(letter: char) -> char {
    match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        other => other,
    }
}

fn number(rest: &str, places: &mut Vec<Place>, at: usize) -> usize {
    let digits = rest.len() - rest[1..].trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = rest[digits..].chars().next();
    let is_whole = !matches!(after, Some('.' | 'e' | '_')) && !after.is_some_and(char::is_alphabetic);
    match rest[..digits].parse::<i128>() {
        Ok(value) if is_whole => {
            places.push(Place { token: Token::number(value), start: at, end: at + digits });
            digits
        }
        _ => word(rest, places, at),
    }
}

fn word(rest: &str, places: &mut Vec<Place>, at: usize) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let end =
        if rest.starts_with(is_name) { rest.find(|c| !is_name(c)).unwrap_or(rest.len()) } else { first };
    if rest[..end].trim() != "" {
        let token = Token::Word(rest[..end].to_owned());
        places.push(Place { token, start: at, end: at + end });
    }
    end
}

/// How simple a value is: fewer tokens first, then token by token; what the strategy itself calls simplest is least.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Simplicity {
    n_tokens: usize,
    tokens: Vec<Token>,
}

/// The simplicity of a shown value, given the simplest value of its slot (if it is known).
pub(crate) fn simplicity(text: &str, simplest: Option<&str>) -> Simplicity {
    if simplest == Some(text) {
        return Simplicity { n_tokens: 0, tokens: Vec::new() };
    }
    let tokens: Vec<Token> = tokens(text).into_iter().map(|place| place.token).collect();
    Simplicity { n_tokens: tokens.len() + 1, tokens }
}

/// The whole number a text is, if it is nothing else.
pub(crate) fn as_number(text: &str) -> Option<i128> {
    text.parse().ok()
}

/// The characters of a text that is one quoted string.
pub(crate) fn as_string(text: &str) -> Option<Vec<char>> {
    text.starts_with('"').then_some(())?;
    let chars: Option<Vec<char>> = tokens(text)
        .into_iter()
        .map(|place| match place.token {
            Token::Char(c) => Some(c),
            Token::Number { .. } | Token::Word(_) => None,
        })
        .collect();
    chars.filter(|chars| quote(chars) == text)
}

/// The text of a quoted string.
pub(crate) fn quote(chars: &[char]) -> String {
    format!("{:?}", chars.iter().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(simpler: &str, than: &str) {
        assert!(simplicity(simpler, None) < simplicity(than, None), "{simpler} before {than}");
    }

    #[test]
    fn values_order_as_a_reader_would_order_them() {
        check("0", "1");
        check("9", "10");
        check("3", "-3");
        check("-3", "4");
        check(r#""b""#, r#""aa""#);
        check(r#""ab""#, r#""b\"""#);
        check("[7]", "[0, 0]");
        check("(1, 5)", "(2, 0)");
        check("false", "true");
    }

    #[test]
    fn a_string_survives_being_taken_apart_and_quoted() {
        for text in ["", "abc", "a\"b\\", "line\n\u{1}", "é漢"] {
            let quoted = format!("{text:?}");
            let chars = as_string(&quoted).map(|chars| chars.len());
            assert_eq!(chars, Some(text.chars().count()), "{quoted}");
        }
        assert_eq!(as_string(r#""a" "b""#), None);
        assert_eq!(as_string("12"), None);
        assert_eq!(quote(&['a', '"']), r#""a\"""#);
    }
}
