//! A server whose tools and answers come from the environment, for tests that are tables.

use serde_json::{Value, json};

use crate::servers::Mode;
use crate::servers::service::{Reply, Service, serve};

pub(crate) const MODES: &[Mode] = &[Mode {
    name: "scripted",
    about: "Tools and answers from FIXTURE_TOOLS: [{name, inputSchema, outputSchema?, annotations?, answers: [..]}].",
    run: scripted,
}];

/// The environment variable with the tools.
pub const VARIABLE: &str = "FIXTURE_TOOLS";

/// A tool answers with its answers in turn, over and over: structured content, or `{"isError": ..}` for an error. One that
/// has none answers with its arguments.
fn scripted() {
    let text = std::env::var(VARIABLE).unwrap_or_default();
    let mut tools: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
    let mut answers: Vec<(String, Vec<Value>, usize)> = Vec::new();
    for tool in &mut tools {
        let own = tool.as_object_mut().and_then(|tool| tool.shift_remove("answers"));
        let own = own.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
        answers.push((tool["name"].as_str().unwrap_or_default().to_owned(), own, 0));
    }
    serve(Service::new(tools, move |name, arguments, _| {
        let Some((_, own, n_calls)) = answers.iter_mut().find(|(known, ..)| known == name) else {
            return Reply::RpcError(-32602, format!("there is no tool {name:?}"));
        };
        let answer = if own.is_empty() { arguments.clone() } else { own[*n_calls % own.len()].clone() };
        *n_calls += 1;
        match answer.get("isError") {
            Some(content) => Reply::Result(json!({
                "content": [{ "type": "text", "text": "no" }], "isError": true, "structuredContent": content,
            })),
            None => Reply::Structured(answer),
        }
    }));
}
