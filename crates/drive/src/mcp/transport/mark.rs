//! The mark of a session: an environment variable by which everything that its server starts is found again.
//!
//! No two sessions share a mark, so it differs from run to run. A server may tell its environment, and the same seed must see
//! the same answers: whatever comes from a server is read with the digits of its mark turned to zeros. Marks are as long as
//! one another, so nothing else about a message tells them apart.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use memchr::memmem::Finder;

/// The environment variable that marks a server and everything it starts.
pub(crate) const VARIABLE: &str = "PROBITY_CHILD_OF";

/// The length of a name: an id of ten digits, an hour of thirteen, a number of ten, and two dots.
const NAME_LENGTH: usize = 35;

/// The value of the variable: `:OWNER.NUMBER`, after the marks that we were given ourselves if we are a server that is tested.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    value: Arc<str>,
    /// Finds each of the marks; every message is looked through.
    finders: Arc<[Finder<'static>]>,
}

impl Mark {
    /// A mark that nobody else has.
    pub(crate) fn new() -> Mark {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let outer = std::env::var(VARIABLE).unwrap_or_default();
        Mark::of(format!("{outer}:{}.{number:010}", owner()))
    }

    fn of(value: String) -> Mark {
        // Whatever else somebody put into the variable is none of ours, and may be as short as a digit.
        let names = value.split(':').filter(|name| name.len() == NAME_LENGTH);
        let finders = names.map(|name| Finder::new(name).into_owned()).collect();
        Mark { value: value.into(), finders }
    }

    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    /// What is this session's alone.
    fn name(&self) -> &str {
        self.value.rsplit(':').next().unwrap_or_default()
    }

    /// Whether an environment carries this mark, among others perhaps.
    pub(crate) fn is_in(&self, environment: &[u8]) -> bool {
        let values = environment.split(|byte| *byte == 0).filter_map(|variable| {
            std::str::from_utf8(variable.strip_prefix(VARIABLE.as_bytes())?.strip_prefix(b"=")?).ok()
        });
        values.flat_map(|value| value.split(':')).any(|name| name == self.name())
    }

    /// Turns the digits of this mark, and of those before it, to zeros wherever they stand.
    pub(crate) fn veil(&self, bytes: &mut [u8]) {
        for finder in self.finders.iter() {
            let mut start = 0;
            while let Some(at) = finder.find(&bytes[start..]) {
                let end = start + at + finder.needle().len();
                bytes[start + at..end]
                    .iter_mut()
                    .filter(|byte| byte.is_ascii_digit())
                    .for_each(|byte| *byte = b'0');
                start = end;
            }
        }
    }
}

/// The first part of every mark of this process: its id and, since ids return, its hour of birth.
pub(crate) fn owner() -> &'static str {
    static OWNER: OnceLock<String> = OnceLock::new();
    OWNER.get_or_init(|| {
        let born = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{:010}.{:013}", std::process::id(), born.as_millis())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(environment: &str, expected: bool) {
        let mark = Mark::of(":5.900.0:17.1000.3".to_owned());
        let bytes = environment.replace('|', "\0");
        assert_eq!(mark.is_in(bytes.as_bytes()), expected, "{environment}");
    }

    #[test]
    fn a_mark_is_found_among_others_and_never_in_part() {
        check("HOME=/|PROBITY_CHILD_OF=:17.1000.3|A=b|", true);
        check("PROBITY_CHILD_OF=:5.900.0:17.1000.3", true);
        check("PROBITY_CHILD_OF=:17.1000.3:99.2000.0|", true);
        check("PROBITY_CHILD_OF=:5.900.0|", false);
        check("PROBITY_CHILD_OF=:17.1000.33|", false);
        check("PROBITY_CHILD_OF=:117.1000.3|", false);
        check("OTHER=:17.1000.3|", false);
        check("", false);
    }

    #[test]
    fn what_a_server_says_of_its_mark_is_the_same_in_every_session() {
        let said = |mark: &Mark| {
            let mut bytes = format!("[7, \"{}\", \"{}\"]", mark.value(), mark.name()).into_bytes();
            mark.veil(&mut bytes);
            String::from_utf8(bytes)
        };
        let (one, other) = (Mark::new(), Mark::new());
        assert_ne!(one.value(), other.value());
        assert_eq!(said(&one), said(&other));
        assert!(
            said(&one).is_ok_and(|text| text.starts_with("[7, \":0000000000.0000000000000.0000000000\""))
        );
        let mut told = b"1 of 10".to_vec();
        Mark::of(":1:10".to_owned()).veil(&mut told);
        assert_eq!(told, b"1 of 10", "only what is a mark is one");
    }
}
