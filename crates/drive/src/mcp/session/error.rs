//! Why there is no session, or no list of tools.

use std::time::Duration;

use crate::mcp::catalog::Catalog;
use crate::mcp::transport::{Anomaly, AnomalyKind, Exit};

/// Why a server could not be reached or did not begin a session.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the line above a variant says what its fields mean")]
pub enum SessionError {
    /// The program could not be started.
    #[error("cannot start {program:?}: {reason}")]
    NotStarted { program: String, reason: String },
    /// The process ended before the handshake was over.
    #[error(
        "the server ended with {exit} before the handshake was over{}{}",
        said(anomalies),
        tail(stderr_tail)
    )]
    Exited { exit: Exit, stderr_tail: String, anomalies: Vec<Anomaly> },
    /// The handshake took too long.
    #[error("no handshake within {limit:?}{}{}", said(anomalies), tail(stderr_tail))]
    StartTimedOut { limit: Duration, stderr_tail: String, anomalies: Vec<Anomaly> },
    /// The server answered the handshake with an error.
    #[error("the server refused the handshake: error {code}: {message}")]
    Refused { code: i64, message: String },
    /// What came back is not the handshake of an MCP server.
    #[error(
        "the server did not answer the handshake as MCP requires: {reason}{}{}",
        said(anomalies),
        tail(stderr_tail)
    )]
    NotMcp { reason: String, stderr_tail: String, anomalies: Vec<Anomaly> },
    /// The address cannot be used.
    #[error("cannot use the address {url:?}: {reason}")]
    BadAddress { url: String, reason: String },
    /// Nobody answers at the address.
    #[error("cannot reach {url:?}: {reason}")]
    Unreachable { url: String, reason: String },
    /// The server answered with an HTTP status that is no success.
    #[error("{url:?} answered with HTTP status {status}")]
    HttpStatus { url: String, status: u16 },
    /// The server redirects, which is not followed.
    #[error("{url:?} redirects to {to:?}; redirects are not followed, use the final address")]
    Redirected { url: String, to: String },
    /// The server wants credentials.
    #[error("{url:?} requires authorization ({challenge}); pass a bearer token or a header")]
    NeedsAuthorization { url: String, challenge: String },
    /// The list of tools could not be read.
    #[error("the list of tools could not be read: {reason}{}", said(anomalies))]
    NoToolList { reason: String, anomalies: Vec<Anomaly> },
    /// The caller named a tool that the server does not have.
    #[error("the server has no tool {name:?}; it has {}", shown(tools))]
    UnknownTool { name: String, tools: Vec<String> },
    /// There are rules about coverage, and the caller left no tool for them.
    #[error(
        "no tool of the server counts for coverage, so its rules would judge nothing; allow some, or block fewer"
    )]
    NothingCounts,
    /// The command that puts the server back to its first state failed.
    #[error("the reset command {command:?} failed: {reason}")]
    ResetFailed { command: String, reason: String },
    /// The caller ended the run.
    #[error("it was interrupted")]
    Interrupted,
    /// The session ended earlier.
    #[error("the session is over: {reason}")]
    Over { reason: String },
}

impl SessionError {
    pub(crate) fn unknown_tool(name: &str, catalog: &Catalog) -> SessionError {
        let tools = catalog.tools.iter().map(|tool| tool.name.clone()).collect();
        SessionError::UnknownTool { name: name.to_owned(), tools }
    }
}

/// The line of standard error that speaks of an error, or else the last one, which usually holds the cause.
fn tail(stderr_tail: &str) -> String {
    let mut lines = stderr_tail.lines().rev().filter(|line| !line.trim().is_empty());
    let last = lines.clone().next();
    let cause = lines.find(|line| line.to_ascii_lowercase().contains("error"));
    match (cause, last) {
        (Some(cause), Some(last)) if cause != last => {
            format!("; its standard error says {cause:?} and ends with {last:?}")
        }
        (_, Some(last)) => format!("; its standard error ends with {last:?}"),
        (_, None) => String::new(),
    }
}

fn said(anomalies: &[Anomaly]) -> String {
    let told = |anomaly: &Anomaly| {
        if anomaly.kind == AnomalyKind::NotJson {
            format!("; instead of a message of JSON-RPC it wrote {}", anomaly.detail)
        } else {
            format!("; it sent something else: {anomaly}")
        }
    };
    anomalies.first().map(told).unwrap_or_default()
}

/// The first names of a list.
fn shown(tools: &[String]) -> String {
    const MOST: usize = 12;
    let names: Vec<String> = tools.iter().take(MOST).map(|name| format!("{name:?}")).collect();
    match (tools.len(), tools.len().saturating_sub(MOST)) {
        (0, _) => "none".to_owned(),
        (_, 0) => names.join(", "),
        (_, n_more) => format!("{} and {n_more} more", names.join(", ")),
    }
}
