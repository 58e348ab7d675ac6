//! The world outside: recorded failures in files, and what the environment says.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A seed that no one has asked for.
pub(crate) fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}
