//! Every tool that Probity offers as a server, in the order of the list.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::serve::argument::Arguments;
use crate::serve::{generate, measure, test_server};

/// A tool: what it says of itself, and what it does.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) effect: Effect,
    pub(crate) input: fn() -> Value,
    pub(crate) output: fn() -> Value,
    pub(crate) run: fn(&Arguments) -> Result<Value, String>,
}

/// What a call does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It computes an answer from its arguments, and nothing else.
    None,
    /// It starts programs or calls addresses, which may do anything.
    Anything,
}

pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "generate",
        title: "Draw instances of a JSON Schema",
        description: generate::DESCRIPTION,
        effect: Effect::None,
        input: generate::input,
        output: generate::output,
        run: generate::run,
    },
    Tool {
        name: "measure_coverage",
        title: "Measure what instances cover of a JSON Schema",
        description: measure::DESCRIPTION,
        effect: Effect::None,
        input: measure::input,
        output: measure::output,
        run: measure::run,
    },
    Tool {
        name: "test_server",
        title: "Test an MCP server",
        description: test_server::DESCRIPTION,
        effect: Effect::Anything,
        input: test_server::input,
        output: test_server::output,
        run: test_server::run,
    },
];

pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// How long a test may take beyond the limit it was given: the last call has to end, and servers have to be closed.
const SLACK: Duration = Duration::from_secs(30);

impl Tool {
    /// How long a call of it may take, if one that computes may take `usual`.
    pub(crate) fn limit(&self, usual: Duration, arguments: &Map<String, Value>) -> Duration {
        match self.effect {
            Effect::None => usual,
            Effect::Anything => {
                let asked = arguments.get("timeLimitSeconds").and_then(Value::as_u64);
                Duration::from_secs(asked.unwrap_or(60).min(test_server::MAX_SECONDS)) + SLACK
            }
        }
    }
}
