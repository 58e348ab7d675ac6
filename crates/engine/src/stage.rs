//! Which closure of a test is running, to know whom to blame for a panic.

/// The closure that is running; commands and invariants by index.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    Precondition(usize),
    Draw(usize),
    Run(usize),
    Postcondition(usize),
    Invariant(usize),
    Fingerprint,
}
