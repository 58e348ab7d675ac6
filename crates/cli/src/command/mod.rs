//! The commands, one file each.

mod demo;
mod generate;

use std::sync::OnceLock;
use std::time::Instant;

use crate::args::{Args, Command};
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

/// Runs the command that was asked for.
pub(crate) fn run(args: &Args, console: &Console) -> Result<Outcome, Trouble> {
    match &args.command {
        Command::Generate(args) => generate::run(args, console),
        Command::Demo(_) => demo::run(console),
    }
}

/// Nanoseconds since the program first asked.
pub(crate) fn clock() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}
