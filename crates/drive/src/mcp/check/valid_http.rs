//! Over HTTP, answers come from the address that was asked, with the status and type of an answer.

use crate::mcp::check::{Check, Context, Observation, Run, anomaly};
use crate::mcp::finding::{Severity, Sighting};
use crate::mcp::outcome::Exchange;
use crate::mcp::transport::AnomalyKind;

pub(crate) const CHECK: Check = Check {
    code: "valid-http",
    severity: Severity::Error,
    description: "An HTTP answer has a fitting status and content type, and no redirect sends us elsewhere.",
    run: Run::Both(in_call, outside_calls),
};

const KINDS: &[AnomalyKind] = &[AnomalyKind::Redirect, AnomalyKind::HttpStatus, AnomalyKind::ContentType];

fn in_call(_: &Context<'_>, exchange: &Exchange) -> Vec<Sighting> {
    anomaly::of_exchange(exchange, KINDS)
}

fn outside_calls(_: &Context<'_>, observation: &Observation<'_>) -> Vec<Sighting> {
    anomaly::outside_calls(observation, KINDS)
}
