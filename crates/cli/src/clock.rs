//! The clock that metrics are measured by.

use std::sync::OnceLock;
use std::time::Instant;

/// Nanoseconds since the program first asked.
pub(crate) fn clock() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}
