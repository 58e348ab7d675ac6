//! The commands, one file each.

mod interrupt;
mod goal;
mod sheet;
mod leftover;
mod docket;
mod report;
mod generate;
mod openapi;
mod coverage;
mod mcp;
mod replay;
mod serve;
mod demo;
mod packaging;

use crate::args::{Args, Command};
use crate::config::ANNOTATED;
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

/// Runs the command that was asked for.
pub(crate) fn run(args: &Args, console: &Console) -> Result<Outcome, Trouble> {
    match &args.command {
        Command::Generate(args) => generate::run(args, console),
        Command::Openapi(args) => openapi::run(args, console),
        Command::Coverage(command) => coverage::run(command, console),
        Command::Mcp(args) => mcp::run(args, console),
        Command::Replay(args) => replay::run(args, console),
        Command::Serve(args) => serve::run(args, console),
        Command::Config(_) => console.data(ANNOTATED.trim_end()).map(|()| Outcome::Done),
        Command::Demo(args) => demo::run(args, console),
        Command::Completions(args) => packaging::completions(args, console),
        Command::Man(args) => packaging::man(args, console),
        Command::DemoServer => demo::serve(),
    }
}
