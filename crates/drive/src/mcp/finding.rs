//! What a check found: plain data, ready for confirmation and for a report.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::mcp::outcome::Exchange;
use crate::mcp::transport::{Direction, Record};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "reports and exit codes know exactly these")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Some clients will stumble.
    Warning,
    /// The contract or the protocol is broken.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// Something the server did against its contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The stable code of the check.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The tool it concerns, if it concerns one.
    pub tool: Option<String>,
    /// The call it was seen in, counted in its session.
    pub step: Option<usize>,
    /// What was seen and what was expected.
    pub message: String,
    /// The raw messages that show it, shortened, each with an arrow for its direction.
    pub evidence: Vec<String>,
}

/// What a check saw, before it is given the check's code and severity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The tool it concerns, if it concerns one.
    pub tool: Option<String>,
    /// The call it was seen in.
    pub step: Option<usize>,
    /// What was seen and what was expected.
    pub message: String,
    /// The raw messages that show it.
    pub evidence: Vec<String>,
    /// A severity other than that of the check.
    pub severity: Option<Severity>,
}

impl Sighting {
    /// Something about one call.
    pub(crate) fn in_call(exchange: &Exchange, message: String) -> Sighting {
        Sighting {
            tool: Some(exchange.tool.clone()),
            step: Some(exchange.step),
            message,
            evidence: evidence(&exchange.records),
            severity: None,
        }
    }
}

/// Longest raw message in the evidence, in bytes.
const MAX_TEXT: usize = 2_000;
/// Most raw messages in the evidence.
const MAX_RECORDS: usize = 8;

/// The last raw messages in a form people can read.
pub(crate) fn evidence(records: &[Record]) -> Vec<String> {
    let skipped = records.len().saturating_sub(MAX_RECORDS);
    records[skipped..]
        .iter()
        .map(|record| {
            let arrow = match record.direction {
                Direction::Sent => "→",
                Direction::Received => "←",
            };
            let text = &record.text.text;
            let end =
                (0..=MAX_TEXT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            let more = if end < text.len() { "…" } else { "" };
            format!("{arrow} {}{more}", &text[..end])
        })
        .collect()
}
