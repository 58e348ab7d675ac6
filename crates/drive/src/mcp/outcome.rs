//! What became of one call, as data: an answer of some kind, or the way the server failed to give one.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::mcp::transport::{Anomaly, Exit, Record};

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the line above a variant says what its fields mean")]
pub enum Outcome {
    /// A result that does not call itself an error; it is the result member as it came.
    Answered { result: Value },
    /// A result with `isError: true`.
    ErrorResult { result: Value },
    /// A result that asks for input, which we could not decline.
    NeedsInput { result: Value },
    /// A JSON-RPC error.
    RpcError { code: i64, message: String, data: Option<Value> },
    /// No answer within the time limit; the call was cancelled.
    TimedOut { after: Duration },
    /// The server process ended before it answered.
    Crashed { exit: Exit, stderr_tail: String },
    /// Something came that was meant as an answer and is none; the exchange's anomalies say what.
    Garbage,
    /// The server ended the session, as HTTP allows it to; a client then opens another one.
    Expired,
    /// The connection ended, or could not be used, without the server process ending.
    Closed { reason: String },
}

impl Outcome {
    /// The result of a call that went well.
    #[must_use]
    pub fn success(&self) -> Option<&Value> {
        match self {
            Outcome::Answered { result } => Some(result),
            Outcome::ErrorResult { .. }
            | Outcome::NeedsInput { .. }
            | Outcome::RpcError { .. }
            | Outcome::TimedOut { .. }
            | Outcome::Crashed { .. }
            | Outcome::Garbage
            | Outcome::Expired
            | Outcome::Closed { .. } => None,
        }
    }

    /// Whether the session may still be used after this.
    #[must_use]
    pub fn is_session_over(&self) -> bool {
        self.is_gone() || matches!(self, Outcome::Expired)
    }

    /// Whether nobody was there to answer, or is any more.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Outcome::Crashed { .. } | Outcome::Closed { .. })
    }

    /// A stable word for the kind of outcome.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Answered { .. } => "answered",
            Outcome::ErrorResult { .. } => "error-result",
            Outcome::NeedsInput { .. } => "needs-input",
            Outcome::RpcError { .. } => "rpc-error",
            Outcome::TimedOut { .. } => "timed-out",
            Outcome::Crashed { .. } => "crashed",
            Outcome::Garbage => "garbage",
            Outcome::Expired => "expired",
            Outcome::Closed { .. } => "closed",
        }
    }
}

/// Largest answer that is kept whole once it has been judged and mined.
const MAX_KEPT: usize = 256 << 10;

/// One call and everything that passed on the wire because of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The number of the call in its session, from 0.
    pub step: usize,
    /// The tool that was called.
    pub tool: String,
    /// The arguments it was called with.
    pub arguments: Map<String, Value>,
    /// How it ended.
    pub outcome: Outcome,
    /// The ids of the requests that were made for it: one, and one more for each time that input was declined.
    pub requests: Vec<i64>,
    /// The raw messages since the answer before and up to the answer, in both directions.
    pub records: Vec<Record>,
    /// What was irregular about them; some of it may be about a request of an earlier exchange.
    pub anomalies: Vec<Anomaly>,
    /// Progress notifications that came meanwhile.
    pub n_progress: u64,
    /// Whether the server said that its list of tools has changed.
    pub is_list_changed: bool,
    /// How long it took.
    pub took: Duration,
}

impl Exchange {
    /// The exchange in a size that a whole sequence of them can have: of a large answer only its size and its two ends stay,
    /// which is enough to see whether another answer is the same.
    pub(crate) fn into_kept(mut self) -> Exchange {
        let largest = self.records.iter().max_by_key(|record| record.text.n_bytes);
        let Some(largest) = largest.filter(|record| record.text.n_bytes > MAX_KEPT) else {
            return self;
        };
        if let Outcome::Answered { result } | Outcome::ErrorResult { result } = &mut self.outcome {
            *result = json!({ "structuredContent": { "bytes": largest.text.n_bytes, "ends": &*largest.text.text } });
        }
        self
    }
}
