//! The memory server: a knowledge graph, whose entities are reached only by names that exist.

use probity_drive::callable::Sourcing;
use probity_drive::mcp::{Options, Server};
use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::{Call, Expected, check, options};

const TOOLS: &[&str] =
    &["create_entities", "create_relations", "add_observations", "read_graph", "search_nodes", "open_nodes"];

/// Calls that need an entity, and the member of the answer that holds it.
const SOUGHT: &[(&str, &str)] = &[("add_observations", "results"), ("open_nodes", "entities")];

/// Drives the server: at least half of the calls that need an entity reach one.
#[track_caller]
fn check_reach(name: &str, sourcing: Sourcing, strings: &[&str]) {
    let sandbox = Sandbox::new(name);
    let Some(mut server) = sandbox.npm("server-memory", &[]) else { return };
    server.env.push(("MEMORY_FILE_PATH".into(), sandbox.path("memory.jsonl").into()));
    let options = Options { sourcing, n_sequences: 4, min_len: 30, max_len: 40, ..options(strings) };
    let expected = Expected { succeeding: TOOLS, findings: &[] };
    let calls = check(&sandbox, Server::Stdio(server), options, &expected);
    let is_reached = |call: &&&Call, member: &str| {
        let found = call.result.as_ref().and_then(|result| result["structuredContent"][member].as_array());
        found.is_some_and(|found: &Vec<Value>| !found.is_empty())
    };
    for (tool, member) in SOUGHT {
        let of_tool: Vec<&Call> = calls.iter().filter(|call| call.tool == *tool).collect();
        let (n_calls, n_reached) =
            (of_tool.len(), of_tool.iter().filter(|call| is_reached(call, member)).count());
        assert!(
            n_calls >= 10 && 2 * n_reached >= n_calls,
            "{n_reached} of {n_calls} calls of {tool} reached an entity"
        );
    }
}

#[test]
fn at_least_half_of_the_calls_that_need_an_entity_reach_one_with_seeds() {
    check_reach("memory-seeds", Sourcing::Strict, &["Ada", "Blaise", "Carl"]);
}

#[test]
fn at_least_half_of_the_calls_that_need_an_entity_reach_one_if_values_may_be_made_up() {
    check_reach("memory-lenient", Sourcing::Lenient, &[]);
}
