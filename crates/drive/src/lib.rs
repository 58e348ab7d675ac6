//! Live MCP servers: sessions that see every raw message, values mined from answers, tools as data, and checks.
//!
//! A [`mcp::Session`] is one conversation with a server, over the pipes of a child process or over HTTP. rmcp does
//! the talking; a tap beside it keeps what really passed, so that malformed JSON, unknown members, wrong ids and
//! answers nobody asked for are seen and not smoothed over. Whatever a call comes to is an [`mcp::Outcome`]: a
//! server that hangs, crashes or babbles is what we are looking for, not an error of ours. Every wait, size, depth
//! and number is bounded by [`mcp::Limits`].
//!
//! The tools become a [`mcp::Catalog`], where one bad tool never spoils the others. What successful answers contain
//! is mined into a [`corpus::Corpus`], each value with its birth, so that a replay can ask for "the id that call 1
//! returned". And [`mcp::CHECKS`] are pure functions of what was observed.
//!
//! A whole test is one call: [`mcp::run`] draws sequences of calls with values that [`callable`] finds, looks into what
//! breaks, and returns an [`mcp::Report`].
//!
//! ```no_run
//! use probity_drive::mcp::{Options, Protocol, Server, StdioServer, Target, run};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::Stdio(StdioServer::new("my-server", ["--stdio"]));
//! let options = Options { strings: vec!["a name it knows".to_owned()], ..Options::default() };
//! let report = run(Target::Server(server), Protocol::Negotiate, options, |_| {}).await?;
//! assert!(report.is_success, "{:?}", report.failures);
//! # Ok(())
//! # }
//! ```
//!
//! The parts can be used alone as well:
//!
//! ```no_run
//! use probity_drive::mcp::{Catalog, Context, ErrorPolicy, check_exchange};
//! use probity_drive::mcp::{Limits, Protocol, Server, Session, StdioServer};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::Stdio(StdioServer::new("my-server", ["--stdio"]));
//! let limits = Limits::default();
//! let mut session = Session::open(&server, &Protocol::Negotiate, &limits).await?;
//! let catalog = Catalog::read(&session.list_tools().await?.tools, &limits);
//! let exchange = session.call("list_notes", serde_json::Map::new()).await;
//! let protocol = session.server().protocol.clone();
//! let context = Context { protocol: &protocol, catalog: &catalog, error_policy: &ErrorPolicy::Anywhere };
//! for finding in check_exchange(&context, &exchange) {
//!     assert_ne!(finding.code, "no-crash", "{}", finding.message);
//! }
//! session.close().await;
//! # Ok(())
//! # }
//! ```

pub mod corpus;
pub mod callable;
pub mod mcp;
pub mod serve;
