//! Numbers with their nouns, as people write them.

/// A number of things, one or many.
///
/// ```
/// use probity_schema::coverage::counted;
/// assert_eq!((counted(1, "instance"), counted(0, "call")), ("1 instance".to_owned(), "0 calls".to_owned()));
/// ```
#[must_use]
pub fn counted(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
