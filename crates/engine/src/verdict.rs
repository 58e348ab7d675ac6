//! What a check may return: `bool`, nothing (with assertions inside), or a `Result`.

use std::fmt::Display;

/// The outcome of a postcondition or an invariant.
pub trait Verdict {
    /// `Err` with what is wrong.
    fn verdict(self) -> Result<(), String>;
}

impl Verdict for bool {
    fn verdict(self) -> Result<(), String> {
        if self { Ok(()) } else { Err("it returned false".to_owned()) }
    }
}

impl Verdict for () {
    fn verdict(self) -> Result<(), String> {
        Ok(())
    }
}

impl<E: Display> Verdict for Result<(), E> {
    fn verdict(self) -> Result<(), String> {
        self.map_err(|error| error.to_string())
    }
}
