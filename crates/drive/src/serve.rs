//! Probity as an MCP server over standard input and output, so that an agent can test with it.
//!
//! Each call of a tool is done by a process of its own, the *worker*: a schema that takes for ever, or that fills the memory, costs
//! that call and nothing else. [`serve`] is the server; [`work`] is what a worker does with the one request it is given.
//!
//! ```no_run
//! use probity_drive::mcp::StdioServer;
//! use probity_drive::serve::{ServeOptions, serve};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // A program that hands what it reads from standard input to `work`, and prints what comes of it.
//! let worker = StdioServer::new(std::env::current_exe()?, ["--work"]);
//! serve(worker, ServeOptions::default()).await?;
//! # Ok(())
//! # }
//! ```

mod shape;
mod argument;
mod contract;
mod figures;
mod generate;
mod measure;
mod test_server;
mod tool;
mod work;
mod worker;
mod wire;
mod service;

pub use service::{ServeError, ServeOptions, serve};
pub use work::work;
