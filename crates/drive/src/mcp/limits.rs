//! Every bound a session keeps, in one place: time, size, depth and number.
//!
//! A limit that is reached is never silent: it becomes an outcome, an anomaly or a note.

use std::time::Duration;

/// How long, how large, how deep and how many; the defaults suit a server on the same machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// From starting a server to the end of its handshake.
    pub start: Duration,
    /// From sending a call to its answer.
    pub call: Duration,
    /// From the first to the last byte of one HTTP body that is not a stream of events.
    pub body: Duration,
    /// For a server to end by itself after its input was closed; then it is told to, then killed.
    pub close: Duration,
    /// Between a message that looks like a broken answer and giving up on the right one.
    pub settle: Duration,
    /// Largest message that is read; of a larger one only the head and the tail are kept.
    pub message_bytes: usize,
    /// Deepest nesting that is parsed; at most 127, where the parser stops by itself.
    pub nesting: usize,
    /// How much of one message the transcript keeps.
    pub kept_bytes: usize,
    /// How much the transcript keeps in all; the oldest messages go first.
    pub transcript_bytes: usize,
    /// How much of the end of standard error is kept.
    pub stderr_bytes: usize,
    /// Messages a server may send during one call before it counts as a flood.
    pub messages_per_call: u64,
    /// Requests of the server that are answered in one session; further ones are only counted.
    pub server_requests: u64,
    /// Pages of a tool list that are read.
    pub list_pages: usize,
    /// Tools that are kept from a tool list.
    pub tools: usize,
    /// Largest schema of a tool that is compiled, in bytes of JSON.
    pub schema_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            start: Duration::from_secs(20),
            call: Duration::from_secs(30),
            body: Duration::from_secs(20),
            close: Duration::from_secs(5),
            settle: Duration::from_millis(300),
            message_bytes: 16 << 20,
            nesting: 100,
            kept_bytes: 64 << 10,
            transcript_bytes: 16 << 20,
            stderr_bytes: 16 << 10,
            messages_per_call: 100_000,
            server_requests: 256,
            list_pages: 64,
            tools: 2_000,
            schema_bytes: 1 << 20,
        }
    }
}
