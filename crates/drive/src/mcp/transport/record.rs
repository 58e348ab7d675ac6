//! The transcript of a session: raw messages in order, and what was counted among them.

use std::time::Duration;

use crate::mcp::transport::excerpt::Excerpt;

/// One raw message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its place among all messages of the session, counted from 0 in both directions together.
    pub index: u64,
    /// Who sent it.
    pub direction: Direction,
    /// When it passed, since the session was opened.
    pub at: Duration,
    /// What it said.
    pub text: Excerpt,
}

/// Who sent a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third side")]
pub enum Direction {
    /// From us to the server.
    Sent,
    /// From the server to us.
    Received,
}

/// How many messages of each kind passed in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Messages we sent.
    pub n_sent: u64,
    /// Messages, or pieces of text in their place, the server sent.
    pub n_received: u64,
    /// Notifications of any kind.
    pub n_notifications: u64,
    /// Progress notifications.
    pub n_progress: u64,
    /// Notices that the list of tools has changed.
    pub n_list_changed: u64,
    /// Pings, which are answered.
    pub n_pings: u64,
    /// Elicitation requests, which are declined.
    pub n_elicitations_declined: u64,
    /// Sampling requests, which are refused.
    pub n_samplings_refused: u64,
    /// Requests for roots, which are answered with none.
    pub n_roots_refused: u64,
    /// Other requests, which are refused as unknown.
    pub n_unknown_requests: u64,
    /// Answers that came after the call was given up, which MCP allows.
    pub n_late_answers: u64,
    /// Irregularities, including those beyond what is kept.
    pub n_anomalies: u64,
    /// Messages the transcript no longer holds.
    pub n_forgotten: u64,
}
