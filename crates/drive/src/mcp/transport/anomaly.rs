//! What was wrong with a raw message, seen before any library could smooth it over.

use std::fmt;

/// One irregularity of the wire, with the message it was seen in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anomaly {
    /// What kind of irregularity it is.
    pub kind: AnomalyKind,
    /// The index of the raw message in the transcript.
    pub record: u64,
    /// The request of ours that the message answers, if it says so.
    pub request: Option<i64>,
    /// What exactly was seen, in the words of an error message.
    pub detail: String,
}

/// The kinds of irregularity, each with a stable name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum AnomalyKind {
    /// The text is not JSON.
    NotJson,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The JSON is not a JSON-RPC 2.0 message.
    NotJsonRpc,
    /// The message is larger than the limit.
    TooLong,
    /// The message nests deeper than the limit.
    TooDeep,
    /// The stream ended in the middle of a message.
    CutOff,
    /// An answer bears an id nobody used.
    UnknownId,
    /// A second answer to the same request.
    DuplicateAnswer,
    /// The id of a request came back as a string or a fraction instead of the whole number it was.
    ChangedIdType,
    /// The envelope has a member that JSON-RPC does not know.
    UnknownMember,
    /// More messages than the limit within one call.
    Flood,
    /// More requests to the client than the limit within one session.
    TooManyRequests,
    /// An HTTP redirect, which is not followed.
    Redirect,
    /// An HTTP status that does not fit the exchange.
    HttpStatus,
    /// An HTTP content type that is neither JSON nor an event stream.
    ContentType,
    /// An HTTP body that did not end within its time.
    SlowBody,
}

impl AnomalyKind {
    /// The stable name of this kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AnomalyKind::NotJson => "not-json",
            AnomalyKind::NotUtf8 => "not-utf8",
            AnomalyKind::NotJsonRpc => "not-json-rpc",
            AnomalyKind::TooLong => "too-long",
            AnomalyKind::TooDeep => "too-deep",
            AnomalyKind::CutOff => "cut-off",
            AnomalyKind::UnknownId => "unknown-id",
            AnomalyKind::DuplicateAnswer => "duplicate-answer",
            AnomalyKind::ChangedIdType => "changed-id-type",
            AnomalyKind::UnknownMember => "unknown-member",
            AnomalyKind::Flood => "flood",
            AnomalyKind::TooManyRequests => "too-many-requests",
            AnomalyKind::Redirect => "redirect",
            AnomalyKind::HttpStatus => "http-status",
            AnomalyKind::ContentType => "content-type",
            AnomalyKind::SlowBody => "slow-body",
        }
    }
}

impl fmt::Display for Anomaly {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Anomaly { kind, record, request: _, detail } = self;
        write!(formatter, "message {record}: {}: {detail}", kind.name())
    }
}
