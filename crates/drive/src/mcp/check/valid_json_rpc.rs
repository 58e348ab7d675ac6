//! Every message is one JSON-RPC 2.0 message that answers a question of ours, or needs no answer.

use crate::mcp::check::{Check, Context, Observation, Run, anomaly};
use crate::mcp::finding::{Severity, Sighting};
use crate::mcp::outcome::Exchange;
use crate::mcp::transport::AnomalyKind;

pub(crate) const CHECK: Check = Check {
    code: "valid-json-rpc",
    severity: Severity::Error,
    description: "Everything the server sends is a JSON-RPC 2.0 message with the right id, once.",
    run: Run::Both(in_call, outside_calls),
};

const KINDS: &[AnomalyKind] = &[
    AnomalyKind::NotJson,
    AnomalyKind::NotUtf8,
    AnomalyKind::NotJsonRpc,
    AnomalyKind::CutOff,
    AnomalyKind::UnknownId,
    AnomalyKind::DuplicateAnswer,
    AnomalyKind::ChangedIdType,
    AnomalyKind::UnknownMember,
];

fn in_call(_: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    anomaly::of_exchange(exchange, KINDS)
}

fn outside_calls(_: &Context<'_>, observation: &Observation<'_>) -> Vec<Sighting> {
    anomaly::outside_calls(observation, KINDS)
}
