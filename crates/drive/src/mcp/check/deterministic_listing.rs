//! The list of tools stays the same unless the server says that it has changed.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::mcp::check::{Check, Context, Observation, Run};
use crate::mcp::finding::{Severity, Sighting, evidence};
use crate::mcp::outcome::Outcome;
use crate::mcp::session::{Listing, Unlisted};

pub(crate) const CHECK: Check = Check {
    code: "deterministic-listing",
    severity: Severity::Error,
    description: "The server lists its tools whenever it is asked, the same in the same order unless it announced a change.",
    run: Run::Session(run),
};

fn run(_: &Context<'_>, observation: &Observation<'_>) -> Vec<Sighting> {
    let changed = |pair: &[Listing]| {
        let [before, after] = pair else { return None };
        let is_silent = before.tools != after.tools && !after.is_change_announced;
        is_silent.then(|| Sighting {
            tool: None,
            step: None,
            message: format!("the list of tools changed without notice: {}", difference(before, after)),
            evidence: evidence(&after.records),
            severity: None,
        })
    };
    let silent = observation.listings.windows(2).filter_map(changed);
    silent.chain(observation.unlisted.and_then(unreadable)).collect()
}

/// A list that could be read once and not again, from a server that is still there. What is no answer at all is told as that.
fn unreadable(unlisted: &Unlisted) -> Option<Sighting> {
    let is_told = unlisted.outcome.is_session_over() || unlisted.outcome == Outcome::Garbage;
    (!is_told).then(|| Sighting {
        tool: None,
        step: None,
        message: format!("the list of tools could not be read again: {}", unlisted.reason()),
        evidence: evidence(&unlisted.records),
        severity: None,
    })
}

fn difference(before: &Listing, after: &Listing) -> String {
    let names = |listing: &Listing| -> BTreeSet<String> {
        let name = |tool: &Value| tool.get("name").and_then(Value::as_str).map(str::to_owned);
        listing.tools.iter().filter_map(name).collect()
    };
    let (before_names, after_names) = (names(before), names(after));
    let gone: Vec<&String> = before_names.difference(&after_names).collect();
    let new: Vec<&String> = after_names.difference(&before_names).collect();
    match (gone.is_empty(), new.is_empty()) {
        (true, true) => "the same names in another order or with other descriptions".to_owned(),
        _ => format!("gone {gone:?}, new {new:?}"),
    }
}
