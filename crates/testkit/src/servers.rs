//! Fixture servers: one program with many ways to behave, so that every finding has a culprit that can be started.

mod service;
mod process;
mod hostile;
mod planted;
mod regular;
mod scripted;
mod web;
mod breaker;

pub use planted::{BUGS, Bug};
pub use scripted::VARIABLE;

/// One way to behave.
#[derive(Debug, Clone, Copy)]
pub struct Mode {
    /// What the program's argument calls it.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// Does it, until its input ends.
    pub run: fn(),
}

/// Every way to behave, family by family.
pub const MODES: &[&[Mode]] = &[
    regular::MODES,
    scripted::MODES,
    planted::MODES,
    breaker::MODES,
    hostile::MODES,
    process::MODES,
    web::MODES,
];
