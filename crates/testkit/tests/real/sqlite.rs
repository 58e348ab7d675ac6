//! The sqlite server: it tells errors in results that claim success.

use probity_drive::mcp::{Options, Server, SessionUse, ToolChoice};

use crate::sandbox::Sandbox;
use crate::{Expected, check, options};

const SOFT: &str = "no-soft-errors";

/// Drives the server over some of its tools, or over all of them if none is named.
fn check_soft_errors(name: &str, tools: &[&str], sessions: SessionUse, expected: &Expected<'_>) {
    let n_sequences = match sessions {
        SessionUse::Fresh => 2,
        SessionUse::Reused => 12,
    };
    let sandbox = Sandbox::new(name);
    let database = sandbox.path("test.db");
    let Some(server) = sandbox.python("sqlite", &["--db-path", &database]) else { return };
    let only = tools.iter().map(|tool| (*tool).to_owned()).collect();
    let options = Options {
        // A sequence ends with its first news, so there are more of them than there is to find.
        n_sequences,
        sessions,
        tools: ToolChoice { only, ..ToolChoice::default() },
        ..options(&["SELECT 1", "CREATE TABLE notes (body TEXT)", "notes"])
    };
    check(&sandbox, Server::Stdio(server), options, expected);
}

#[test]
fn an_error_told_as_a_success_is_found_and_confirmed_on_fresh_servers() {
    let expected = Expected { succeeding: &["read_query"], findings: &[(SOFT, "read_query")] };
    check_soft_errors("sqlite-fresh", &["read_query"], SessionUse::Fresh, &expected);
}

#[test]
fn every_tool_that_tells_errors_as_successes_is_named_in_one_session() {
    let tools = ["read_query", "write_query", "create_table", "describe_table"];
    let expected = Expected {
        succeeding: &["list_tables", "append_insight"],
        findings: &tools.map(|tool| (SOFT, tool)),
    };
    check_soft_errors("sqlite-reused", &[], SessionUse::Reused, &expected);
}
