//! The checks with everything they need to know, and the severities the user wants.

use std::rc::Rc;

use crate::mcp::catalog::Catalog;
use crate::mcp::check::same_answer::is_same_call;
use crate::mcp::check::{Context, ErrorPolicy, Observation, check_exchange, check_session};
use crate::mcp::finding::Finding;
use crate::mcp::options::Level;
use crate::mcp::outcome::Exchange;
use crate::mcp::session::Opening;

/// Judges what a server did.
#[derive(Debug, Clone)]
pub(crate) struct Judge {
    pub(crate) catalog: Rc<Catalog>,
    pub(crate) protocol: String,
    pub(crate) error_policy: ErrorPolicy,
    pub(crate) levels: Vec<(String, Level)>,
    /// What is wrong with tools besides what the checks see.
    pub(crate) about_tools: Vec<Finding>,
}

impl Judge {
    /// What was wrong with one call.
    pub(crate) fn exchange(&self, exchange: &Exchange) -> Vec<Finding> {
        self.levelled(check_exchange(&self.context(), exchange))
    }

    /// What was wrong with a session; its exchanges are not judged again one by one.
    pub(crate) fn session(&self, observation: &Observation<'_>) -> Vec<Finding> {
        let mut findings = check_session(&self.context(), observation);
        findings.extend(self.about_tools.iter().cloned());
        self.levelled(findings)
    }

    /// What the last of several calls showed about calls before it; one that was not made before shows nothing about them.
    pub(crate) fn last_of(&self, exchanges: &[Exchange]) -> Vec<Finding> {
        let makes_promises = |exchange: &Exchange| {
            let tool = self.catalog.tool(&exchange.tool);
            tool.is_some_and(|tool| tool.annotations.is_read_only() || tool.annotations.is_idempotent())
        };
        let Some((last, before)) = exchanges.split_last().filter(|(last, _)| makes_promises(last)) else {
            return Vec::new();
        };
        let Some(first) = before.iter().position(|exchange| is_same_call(exchange, last)) else {
            return Vec::new();
        };
        let opening = Opening::default();
        let observation = Observation {
            opening: &opening,
            listings: &[],
            exchanges: &exchanges[first..],
            unlisted: None,
            closing: None,
        };
        let mut findings = self.session(&observation);
        findings.retain(|finding| finding.step == Some(last.step));
        findings
    }

    /// A finding with the severity the user wants; none if it is not wanted at all.
    fn levelled_one(&self, finding: Finding) -> Option<Finding> {
        let level = self.levels.iter().rev().find(|(code, _)| code == finding.code).map(|(_, level)| *level);
        match level {
            None => Some(finding),
            Some(Level::Off) => None,
            Some(Level::At(severity)) => Some(Finding { severity, ..finding }),
        }
    }

    fn levelled(&self, findings: Vec<Finding>) -> Vec<Finding> {
        findings.into_iter().filter_map(|finding| self.levelled_one(finding)).collect()
    }

    fn context(&self) -> Context<'_> {
        Context { protocol: &self.protocol, catalog: &self.catalog, error_policy: &self.error_policy }
    }
}
