//! Runs against a server that a test describes in place: its tools, their answers, and what came of it.

use std::cell::RefCell;
use std::rc::Rc;

use probity_drive::mcp::{
    Event, Exchange, Options, Phase, Protocol, Report, Server, StdioServer, Target, run,
};
use probity_testkit::servers::VARIABLE;
use serde_json::{Value, json};

use crate::{PROGRAM, limits};

/// A run and every call that was drawn in it.
pub(crate) struct Driven {
    pub(crate) report: Report,
    /// Each call with the number of its sequence.
    pub(crate) calls: Vec<(u32, Exchange)>,
}

impl Driven {
    /// The calls of one tool.
    pub(crate) fn of(&self, tool: &str) -> Vec<&Exchange> {
        self.calls.iter().map(|(_, exchange)| exchange).filter(|exchange| exchange.tool == tool).collect()
    }

    /// The values one argument had.
    pub(crate) fn values(&self, tool: &str, argument: &str) -> Vec<Value> {
        self.of(tool).iter().filter_map(|exchange| exchange.arguments.get(argument)).cloned().collect()
    }

    /// The tools of each sequence, in order.
    pub(crate) fn sequences(&self) -> Vec<Vec<&str>> {
        let mut sequences: Vec<Vec<&str>> = Vec::new();
        for (sequence, exchange) in &self.calls {
            let sequence = *sequence as usize;
            sequences.resize(sequences.len().max(sequence), Vec::new());
            sequences[sequence - 1].push(&exchange.tool);
        }
        sequences
    }

    pub(crate) fn failures(&self) -> Vec<&str> {
        self.report.failures.iter().map(|failure| failure.code.as_str()).collect()
    }
}

/// A tool with arguments, of which some are required, and the answers it gives in turn.
#[expect(clippy::needless_pass_by_value, reason = "callers write the parts in place")]
pub(crate) fn tool(name: &str, properties: Value, required: &[&str], answers: &[Value]) -> Value {
    json!({
        "name": name,
        "inputSchema": { "type": "object", "properties": properties, "required": required },
        "answers": answers,
    })
}

/// Options for a short run.
pub(crate) fn short() -> Options {
    Options { n_sequences: 8, max_len: 12, limits: limits(), ..Options::default() }
}

/// Drives a server with these tools.
pub(crate) async fn drive(tools: &[Value], options: Options) -> Driven {
    let mut server = StdioServer::new(PROGRAM, ["scripted"]);
    server.env = vec![(VARIABLE.into(), Value::from(tools).to_string().into())];
    drive_server(server, options).await
}

/// Drives any server.
pub(crate) async fn drive_server(server: StdioServer, options: Options) -> Driven {
    let calls = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&calls);
    let observer = move |event: &Event<'_>| {
        if let Event::Called { phase: Phase::Draw, sequence, exchange } = event {
            seen.borrow_mut().push((*sequence, (*exchange).clone()));
        }
    };
    let target = Target::Server(Server::Stdio(server));
    let report =
        run(target, Protocol::Negotiate, options, observer).await.expect("the server can be reached");
    let calls = calls.borrow().clone();
    Driven { report, calls }
}
