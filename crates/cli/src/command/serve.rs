//! `probity serve`: an MCP server on standard input and output, and the workers it starts for its calls.

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use probity_drive::mcp::StdioServer;
use probity_drive::serve::{ServeOptions, serve, work};

use crate::args::ServeArgs;
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

pub(crate) fn run(args: &ServeArgs, console: &Console) -> Result<Outcome, Trouble> {
    if args.work {
        return run_worker(console);
    }
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("probity"));
    let worker = StdioServer::new(program, ["serve", "--work"]);
    let options = ServeOptions {
        time_limit: Duration::from_secs(args.time_limit),
        n_workers: usize::try_from(args.workers).unwrap_or(1),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Trouble::misused(format!("no runtime can be started: {error}")))?;
    let ended = runtime.block_on(serve(worker, options));
    // A read of a terminal cannot be broken off, so it is not waited for.
    runtime.shutdown_background();
    ended.map(|()| Outcome::Done).map_err(|error| Trouble::misused(error.to_string()))
}

fn run_worker(console: &Console) -> Result<Outcome, Trouble> {
    let mut request = String::new();
    let read = std::io::stdin().read_to_string(&mut request);
    read.map_err(|error| Trouble::misused(format!("standard input cannot be read: {error}")))?;
    console.data(&work(&request))?;
    Ok(Outcome::Done)
}
