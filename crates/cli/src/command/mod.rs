//! The commands, one file each.

mod sheet;
mod report;
mod generate;
mod openapi;
mod coverage;
mod demo;

use crate::args::{Args, Command};
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

/// Runs the command that was asked for.
pub(crate) fn run(args: &Args, console: &Console) -> Result<Outcome, Trouble> {
    match &args.command {
        Command::Generate(args) => generate::run(args, console),
        Command::Openapi(args) => openapi::run(args, console),
        Command::Coverage(command) => coverage::run(command, console),
        Command::Demo(_) => demo::run(console),
    }
}
