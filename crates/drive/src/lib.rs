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
//! ```
//! use probity_drive::mcp::{Options, Protocol, Server, StdioServer, Target, run};
//!
//! # // A server in a few lines of shell: requests are numbered from 0.
//! # const SERVER: &str = r#"n=0; while read -r line; do case "$line" in
//! #   *'"initialize"'*) r='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}';;
//! #   *'"tools/list"'*) r='{"tools":[{"name":"list_notes","inputSchema":{"type":"object"}}]}';;
//! #   *'"tools/call"'*) r='{"content":[{"type":"text","text":"none yet"}]}';;
//! #   *) continue;;
//! # esac; echo '{"jsonrpc":"2.0","id":'$n',"result":'"$r"'}'; n=$((n+1)); done"#;
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let server = Server::Stdio(StdioServer::new("sh", ["-c", SERVER]));
//! let options = Options { n_sequences: 5, strings: vec!["a name it knows".to_owned()], ..Options::default() };
//! let report = run(Target::Server(server), Protocol::Negotiate, options, |_| {}).await?;
//! assert!(report.is_success, "{:?}", report.failures);
//! assert!(report.n_succeeded > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The parts can be used alone as well:
//!
//! ```
//! use probity_drive::mcp::{Catalog, Context, ErrorPolicy, check_exchange};
//! use probity_drive::mcp::{Limits, Protocol, Server, Session, StdioServer};
//!
//! # // A server in a few lines of shell: requests are numbered from 0.
//! # const SERVER: &str = r#"n=0; while read -r line; do case "$line" in
//! #   *'"initialize"'*) r='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}';;
//! #   *'"tools/list"'*) r='{"tools":[{"name":"list_notes","inputSchema":{"type":"object"}}]}';;
//! #   *'"tools/call"'*) r='{"content":[{"type":"text","text":"none yet"}]}';;
//! #   *) continue;;
//! # esac; echo '{"jsonrpc":"2.0","id":'$n',"result":'"$r"'}'; n=$((n+1)); done"#;
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let server = Server::Stdio(StdioServer::new("sh", ["-c", SERVER]));
//! let limits = Limits::default();
//! let mut session = Session::open(&server, &Protocol::Negotiate, &limits).await?;
//! let catalog = Catalog::read(&session.list_tools().await?.tools, &limits);
//! let exchange = session.call("list_notes", serde_json::Map::new()).await;
//! let protocol = session.server().protocol.clone();
//! let context = Context { protocol: &protocol, catalog: &catalog, error_policy: &ErrorPolicy::Anywhere };
//! assert_eq!(check_exchange(&context, &exchange), []);
//! assert!(!session.close().await.is_forced);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod corpus;
pub mod callable;
pub mod mcp;
pub mod serve;
