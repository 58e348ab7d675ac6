//! Numbers with their nouns, as people write them.

/// A number of things, one or many.
///
/// ```
/// use probity_schema::coverage::counted;
/// assert_eq!((counted(1, "instance"), counted(0, "call")), ("1 instance".to_owned(), "0 calls".to_owned()));
/// assert_eq!((counted(2, "property"), counted(2, "key")), ("2 properties".to_owned(), "2 keys".to_owned()));
/// ```
#[must_use]
pub fn counted(n: u64, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if n == 1 => format!("1 {noun}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{n} {stem}ies"),
        _ => format!("{n} {noun}s"),
    }
}
