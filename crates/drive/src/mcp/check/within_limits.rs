//! Messages stay within the bounds of size, depth, number and time that a client can bear.

use crate::mcp::check::{Check, Context, Observation, Run, anomaly};
use crate::mcp::finding::{Severity, Sighting};
use crate::mcp::outcome::Exchange;
use crate::mcp::transport::AnomalyKind;

pub(crate) const CHECK: Check = Check {
    code: "within-limits",
    severity: Severity::Error,
    description: "No message is too large, too deep or too slow, and there are not too many of them.",
    run: Run::Both(in_call, outside_calls),
};

const KINDS: &[AnomalyKind] = &[
    AnomalyKind::TooLong,
    AnomalyKind::TooDeep,
    AnomalyKind::Flood,
    AnomalyKind::TooManyRequests,
    AnomalyKind::SlowBody,
];

fn in_call(_: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    anomaly::of_exchange(exchange, KINDS)
}

fn outside_calls(_: &Context<'_>, observation: &Observation<'_>) -> Vec<Sighting> {
    anomaly::outside_calls(observation, KINDS)
}
