//! What JSON means here: pointers into a value, and when two values are the same.

use std::fmt;

use serde_json::{Number, Value};

/// A JSON Pointer (RFC 6901), printed as a fragment: `#/properties/name`.
///
/// ```
/// use probity_schema::Pointer;
/// let pointer = Pointer::root().child("properties").child("a/b");
/// assert_eq!(pointer.to_string(), "#/properties/a~1b");
/// assert_eq!(pointer.as_str(), "/properties/a~1b");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// The whole document.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads `/a/b`, `#/a/b` or the empty text; `None` when the text is no pointer.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('#').unwrap_or(text);
        (text.is_empty() || text.starts_with('/')).then(|| Self(text.to_owned()))
    }

    /// The pointer one token deeper.
    #[must_use]
    pub fn child(&self, token: &str) -> Self {
        let mut text = String::with_capacity(self.0.len() + token.len() + 1);
        text.push_str(&self.0);
        text.push('/');
        for letter in token.chars() {
            match letter {
                '~' => text.push_str("~0"),
                '/' => text.push_str("~1"),
                other => text.push(other),
            }
        }
        Self(text)
    }

    /// The pointer of one array element.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }

    /// The text of RFC 6901, without the `#`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The unescaped tokens from the root down.
    pub fn tokens(&self) -> impl Iterator<Item = String> + '_ {
        self.0.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
    }

    /// Whether this place is another or lies in it.
    #[must_use]
    pub fn is_within(&self, whole: &Self) -> bool {
        self.0.strip_prefix(&whole.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The value at this place, if there is one.
    #[must_use]
    pub fn find<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        value.pointer(&self.0)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{}", self.0)
    }
}

/// Whether JSON Schema takes two values for the same: `1` and `1.0` are, member order does not count.
///
/// ```
/// use probity_schema::same;
/// use serde_json::json;
/// assert!(same(&json!({"a": 1, "b": [2.0]}), &json!({"b": [2], "a": 1.0})));
/// assert!(!same(&json!(1), &json!(true)));
/// ```
#[must_use]
pub fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| same(left, right)))
        }
        (left, right) => left == right,
    }
}

fn same_number(left: &Number, right: &Number) -> bool {
    if let (Some(left), Some(right)) = (left.as_i64(), right.as_i64()) {
        return left == right;
    }
    if let (Some(left), Some(right)) = (left.as_u64(), right.as_u64()) {
        return left == right;
    }
    left.as_f64() == right.as_f64()
}

/// A text that two values share exactly when [`same`] holds, for sets of values.
#[must_use]
pub fn fingerprint(value: &Value) -> String {
    let mut out = String::new();
    write_fingerprint(value, &mut out);
    out
}

fn write_fingerprint(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push('n'),
        Value::Bool(true) => out.push('t'),
        Value::Bool(false) => out.push('f'),
        Value::Number(number) => match whole(number) {
            Some(whole) => out.push_str(&whole.to_string()),
            None => out.push_str(&number.to_string()),
        },
        Value::String(text) => out.push_str(&Value::from(text.as_str()).to_string()),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_fingerprint(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            out.push('{');
            for (name, member) in sorted {
                out.push_str(&Value::from(name.as_str()).to_string());
                write_fingerprint(member, out);
                out.push(',');
            }
            out.push('}');
        }
    }
}

/// The JSON text that two values share when [`same`] holds: whole numbers without a fraction, members by name.
///
/// ```
/// use probity_schema::canonical_text;
/// use serde_json::json;
/// assert_eq!(canonical_text(&json!({"b": [2.0, null], "a": "x"})), r#"{"a":"x","b":[2,null]}"#);
/// ```
#[must_use]
pub fn canonical_text(value: &Value) -> String {
    let listed = |open: char, parts: Vec<String>, close: char| format!("{open}{}{close}", parts.join(","));
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => value.to_string(),
        Value::Number(number) => whole(number).map_or_else(|| number.to_string(), |whole| whole.to_string()),
        Value::Array(items) => listed('[', items.iter().map(canonical_text).collect(), ']'),
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            let member = |(name, member): (&String, &Value)| {
                format!("{}:{}", Value::from(name.as_str()), canonical_text(member))
            };
            listed('{', sorted.into_iter().map(member).collect(), '}')
        }
    }
}

/// The number as an integer, when it is one (`2.0` is).
#[must_use]
pub fn whole(number: &Number) -> Option<i128> {
    if let Some(whole) = number.as_i64() {
        return Some(i128::from(whole));
    }
    if let Some(whole) = number.as_u64() {
        return Some(i128::from(whole));
    }
    let real = number.as_f64()?;
    // Beyond this every double is an integer, and the cast is exact as long as it fits.
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked on the same line")]
    let whole = (real.fract() == 0.0 && real.abs() < 1.7e38).then_some(real as i128);
    whole
}

/// How many values a value is made of, itself included.
pub(crate) fn n_values(value: &Value) -> u64 {
    match value {
        Value::Object(members) => members.values().map(n_values).sum::<u64>() + 1,
        Value::Array(items) => items.iter().map(n_values).sum::<u64>() + 1,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// A count that a schema sets; one too large for us is as good as the largest.
pub(crate) fn count(number: &Number) -> u64 {
    whole(number).map_or(u64::MAX, |whole| u64::try_from(whole.max(0)).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(left: &Value, right: &Value, expected: bool) {
        assert_eq!(same(left, right), expected, "{left} and {right}");
        assert_eq!(fingerprint(left) == fingerprint(right), expected, "fingerprints of {left} and {right}");
        assert_eq!(canonical_text(left) == canonical_text(right), expected, "texts of {left} and {right}");
    }

    #[test]
    fn numbers_are_the_same_when_their_values_are() {
        check(&json!(1), &json!(1.0), true);
        check(&json!(0), &json!(-0.0), true);
        check(&json!(1), &json!(1.5), false);
        check(&json!(18_446_744_073_709_551_615_u64), &json!(18_446_744_073_709_551_614_u64), false);
        check(&json!(1e300), &json!(1e300), true);
    }

    #[test]
    fn values_of_different_types_are_never_the_same() {
        check(&json!(1), &json!(true), false);
        check(&json!("1"), &json!(1), false);
        check(&json!(null), &json!(false), false);
        check(&json!([]), &json!({}), false);
    }

    #[test]
    fn the_order_of_members_does_not_count_and_the_order_of_items_does() {
        check(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1}), true);
        check(&json!([1, 2]), &json!([2, 1]), false);
        check(&json!(["a,b"]), &json!(["a", "b"]), false);
    }

    #[test]
    fn a_pointer_finds_what_its_tokens_name() {
        let value = json!({"a/b": {"~": [10, 20]}});
        let pointer = Pointer::root().child("a/b").child("~").item(1);
        assert_eq!(pointer.to_string(), "#/a~1b/~0/1");
        assert_eq!(pointer.find(&value), Some(&json!(20)));
        assert_eq!(pointer.tokens().collect::<Vec<_>>(), ["a/b", "~", "1"]);
        assert_eq!(Pointer::parse("#/a~1b/~0/1"), Some(pointer));
        assert_eq!(Pointer::parse("a"), None);
    }
}
