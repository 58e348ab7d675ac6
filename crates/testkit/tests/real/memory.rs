//! The memory server: a knowledge graph, whose entities are reached only by names that exist.

use probity_drive::mcp::{Options, Server, StdioServer};
use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::{Call, Expected, check, options};

const TOOLS: &[&str] =
    &["create_entities", "create_relations", "add_observations", "read_graph", "search_nodes", "open_nodes"];

/// Drives the server and counts the calls of a tool, and those whose answer holds something under a name.
fn reach(
    sandbox: &Sandbox,
    server: StdioServer,
    options: Options,
    sought: &[(&str, &str)],
) -> Vec<(usize, usize)> {
    let calls =
        check(sandbox, Server::Stdio(server), options, &Expected { succeeding: TOOLS, findings: &[] });
    let reached = |call: &&Call, member: &str| {
        let found = call.result.as_ref().and_then(|result| result["structuredContent"][member].as_array());
        found.is_some_and(|found: &Vec<Value>| !found.is_empty())
    };
    let count = |(tool, member): &(&str, &str)| {
        let of_tool: Vec<&Call> = calls.iter().filter(|call| call.tool == *tool).collect();
        (of_tool.len(), of_tool.iter().filter(|call| reached(call, member)).count())
    };
    sought.iter().map(count).collect()
}

#[test]
fn at_least_half_of_the_calls_that_need_an_entity_reach_one() {
    let sandbox = Sandbox::new("memory");
    let Some(mut server) = sandbox.npm("server-memory", &[]) else { return };
    server.env.push(("MEMORY_FILE_PATH".into(), sandbox.path("memory.jsonl").into()));
    let options = Options { n_sequences: 4, min_len: 30, max_len: 40, ..options(&["Ada", "Blaise", "Carl"]) };
    let sought = [("add_observations", "results"), ("open_nodes", "entities")];
    for (n_calls, n_reached) in reach(&sandbox, server, options, &sought) {
        assert!(
            n_calls >= 10 && 2 * n_reached >= n_calls,
            "{n_reached} of {n_calls} calls reached an entity"
        );
    }
}
