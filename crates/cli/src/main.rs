//! The command line: what was typed becomes what was meant, one command runs, and its outcome is an exit code.

mod exit_code;
mod clock;
mod args;
mod console;
mod config;
mod command;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::thread;

use args::Args;
use console::Console;
use exit_code::{Outcome, Trouble};

/// An instance is many small pieces of memory that are soon given back, which is what this allocator is good at.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Contracts and instances nest, and so do the calls that walk them.
const STACK: usize = 512 << 20;

fn main() -> ExitCode {
    let args = match args::parse() {
        Ok(args) => args,
        Err(outcome) => return outcome.into(),
    };
    let worker = thread::Builder::new().stack_size(STACK).spawn(move || run(&args));
    let outcome = match worker.map(thread::JoinHandle::join) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) | Err(_) => Outcome::Bug,
    };
    outcome.into()
}

fn run(args: &Args) -> Outcome {
    let console = Console::of(args);
    ended(&console, || command::run(args, &console))
}

/// What a command came to, even when it fell.
fn ended(console: &Console, command: impl FnOnce() -> Result<Outcome, Trouble>) -> Outcome {
    match catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(trouble)) => {
            console.error(&trouble.message);
            trouble.outcome
        }
        Err(_) => {
            console.error("this is a bug in probity; please report it with the command and the contract");
            Outcome::Bug
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_panics_is_a_bug_of_ours_and_says_so_by_its_exit_code() {
        let args = <Args as clap::Parser>::try_parse_from(["probity", "config"]).expect("this can be typed");
        let console = Console::of(&args);
        assert_eq!(ended(&console, || Ok(Outcome::Done)), Outcome::Done);
        assert_eq!(ended(&console, || panic!("an invariant fell")), Outcome::Bug);
        assert_eq!(format!("{:?}", ExitCode::from(Outcome::Bug)), format!("{:?}", ExitCode::from(70)));
    }
}
