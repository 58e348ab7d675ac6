//! What happens during a run, told as it happens.

use crate::mcp::catalog::Catalog;
use crate::mcp::outcome::Exchange;
use crate::mcp::report::FindingReport;
use crate::mcp::session::ServerInfo;

/// What a call was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a call is new or it is a replay")]
pub enum Phase {
    /// A new sequence is being drawn.
    Draw,
    /// A sequence is being shortened.
    Shrink,
    /// A finding is being confirmed on a fresh server.
    Confirm,
}

impl Phase {
    /// A stable word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Phase::Draw => "draw",
            Phase::Shrink => "shrink",
            Phase::Confirm => "confirm",
        }
    }
}

/// Something that happened.
#[derive(Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the line above a variant says what its fields mean")]
pub enum Event<'a> {
    /// The server was reached and its tools are known.
    Ready { server: &'a ServerInfo, catalog: &'a Catalog },
    /// A sequence begins, counted from 1.
    Began { sequence: u32, n_sequences: u32 },
    /// A call was made.
    Called { phase: Phase, sequence: u32, exchange: &'a Exchange },
    /// The call before was held against the contract of its tool: targets of schemas that are hit, of how many.
    Measured { n_hit: usize, n_targets: usize },
    /// Something was found and will be looked into.
    Sighted { code: &'a str, tool: Option<&'a str>, message: &'a str },
    /// A finding was confirmed.
    Found { finding: &'a FindingReport },
}
