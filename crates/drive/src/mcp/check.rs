//! What a server must not do: one file per check, one table, and two moments to run them.
//!
//! A check is a pure function of what was observed. Checks of one exchange run after each call; checks of a session
//! run at its end and see it whole.

mod anomaly;
mod deterministic_listing;
mod ends_cleanly;
mod error_results_only_where_allowed;
mod no_crash;
mod no_hang;
mod no_soft_errors;
mod result_fits_mcp_schema;
pub(crate) mod same_answer;
mod idempotent_tool_repeats;
mod read_only_tool_changes_nothing;
mod structured_content_fits_output_schema;
mod structured_content_present;
mod tool_list_valid;
mod valid_http;
mod valid_json_rpc;
mod within_limits;

use crate::mcp::catalog::Catalog;
use crate::mcp::finding::{Finding, Severity, Sighting};
use crate::mcp::outcome::Exchange;
use crate::mcp::session::{Closing, Listing, Opening, Unlisted};

/// Where tools may answer with an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ErrorPolicy {
    /// Every tool may.
    #[default]
    Anywhere,
    /// Only these tools may; with an empty list none may.
    Only(Vec<String>),
}

/// What checks know besides the messages.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The protocol revision that was agreed on.
    pub protocol: &'a str,
    /// The tools.
    pub catalog: &'a Catalog,
    /// Where errors are allowed.
    pub error_policy: &'a ErrorPolicy,
}

/// A session from its handshake to its end.
#[derive(Debug, Clone, Copy)]
pub struct Observation<'a> {
    /// The handshake.
    pub opening: &'a Opening,
    /// Every listing of the tools, in order; also those of other sessions with the same server, without their anomalies.
    pub listings: &'a [Listing],
    /// Every call, in order.
    pub exchanges: &'a [Exchange],
    /// What came instead of the list of tools that was asked for after the last call.
    pub unlisted: Option<&'a Unlisted>,
    /// The end, if it has come.
    pub closing: Option<&'a Closing>,
}

/// When a check runs and what it sees.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_enums, reason = "these are the two moments at which a session can be judged")]
pub enum Run {
    /// After each call.
    Exchange(fn(&Context<'_>, &Exchange) -> Vec<Sighting>),
    /// At the end of a session.
    Session(fn(&Context<'_>, &Observation<'_>) -> Vec<Sighting>),
    /// After each call, and at the end for what passed outside calls.
    Both(fn(&Context<'_>, &Exchange) -> Vec<Sighting>, fn(&Context<'_>, &Observation<'_>) -> Vec<Sighting>),
}

/// One thing a server must not do.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// The stable code.
    pub code: &'static str,
    /// How bad it is unless the configuration says otherwise.
    pub severity: Severity,
    /// What it means, in one sentence.
    pub description: &'static str,
    /// The check itself.
    pub run: Run,
}

/// Every check, in the order a report lists them.
pub const CHECKS: &[Check] = &[
    no_crash::CHECK,
    no_hang::CHECK,
    valid_json_rpc::CHECK,
    valid_http::CHECK,
    within_limits::CHECK,
    result_fits_mcp_schema::CHECK,
    structured_content_fits_output_schema::CHECK,
    structured_content_present::CHECK,
    tool_list_valid::CHECK,
    no_soft_errors::CHECK,
    error_results_only_where_allowed::CHECK,
    read_only_tool_changes_nothing::CHECK,
    idempotent_tool_repeats::CHECK,
    deterministic_listing::CHECK,
    ends_cleanly::CHECK,
];

/// Runs the checks of one exchange.
#[must_use]
pub fn check_exchange(context: &Context<'_>, exchange: &Exchange) -> Vec<Finding> {
    let run = |check: &Check| match check.run {
        Run::Exchange(run) | Run::Both(run, _) => run(context, exchange),
        Run::Session(_) => Vec::new(),
    };
    CHECKS.iter().flat_map(|check| findings(check, run(check))).collect()
}

/// Runs the checks of a whole session; those of its exchanges are not run again.
#[must_use]
pub fn check_session(context: &Context<'_>, observation: &Observation<'_>) -> Vec<Finding> {
    let run = |check: &Check| match check.run {
        Run::Exchange(_) => Vec::new(),
        Run::Session(run) | Run::Both(_, run) => run(context, observation),
    };
    CHECKS.iter().flat_map(|check| findings(check, run(check))).collect()
}

fn findings(check: &Check, sightings: Vec<Sighting>) -> Vec<Finding> {
    let Check { code, severity, description: _, run: _ } = *check;
    sightings
        .into_iter()
        .map(|sighting| {
            let Sighting { tool, step, message, evidence, severity: own } = sighting;
            Finding { code, severity: own.unwrap_or(severity), tool, step, message, evidence }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::CHECKS;

    #[test]
    fn every_check_has_a_code_of_its_own_and_says_what_it_means() {
        let codes: BTreeSet<&str> = CHECKS.iter().map(|check| check.code).collect();
        assert_eq!(codes.len(), CHECKS.len());
        assert!(CHECKS.iter().all(|check| !check.description.is_empty()));
    }
}
