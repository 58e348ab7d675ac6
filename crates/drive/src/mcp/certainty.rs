//! How surely a finding shows itself, in words: the same in every form of the report.

use crate::mcp::report::{FindingReport, Label};
use crate::mcp::supply::ReplayedOn;

impl FindingReport {
    /// The label, what it means, and how many replays say so.
    #[must_use]
    pub fn certainty(&self) -> String {
        let FindingReport { label, n_confirmed, n_confirmations, n_met, replayed_on, is_minimal, .. } = self;
        let place = match replayed_on {
            ReplayedOn::FreshServer => "on a fresh server",
            ReplayedOn::FreshSession => "in a fresh session",
            ReplayedOn::SameSession => "in the same session",
        };
        let replays = if *n_confirmations == 1 { "replay" } else { "replays" };
        let seen = if *n_met <= 1 { "once".to_owned() } else { format!("{n_met} times") };
        let meaning = match label {
            Label::Steady => "it shows every time".to_owned(),
            Label::NeedsSequence if !is_minimal => {
                "it shows every time after these calls; shrinking ran out of time or budget, so that fewer may do".to_owned()
            }
            Label::NeedsSequence => "it shows every time, but only after the calls before".to_owned(),
            Label::Flaky => "it does not show every time".to_owned(),
            Label::Unconfirmed if *n_confirmations == 0 => {
                return format!("{}: it was seen {seen} and not replayed", label.name());
            }
            Label::Unconfirmed => {
                return format!(
                    "{}: it was seen {seen}, and not again in {n_confirmations} {replays} {place}; the answers are those of \
                     the last replay",
                    label.name()
                );
            }
        };
        format!("{}: {meaning} ({n_confirmed} of {n_confirmations} {replays} {place})", label.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::finding::Severity;

    #[track_caller]
    fn check(
        label: Label,
        (n_confirmed, n_confirmations): (u32, u32),
        replayed_on: ReplayedOn,
        expected: &str,
    ) {
        let finding = FindingReport {
            code: "no-crash",
            severity: Severity::Error,
            tool: None,
            message: String::new(),
            cause: String::new(),
            label,
            n_confirmed,
            n_confirmations,
            replayed_on,
            n_met: 1,
            sequence: 1,
            n_executions: 0,
            is_minimal: true,
            calls: Vec::new(),
            evidence: Vec::new(),
            transcript: Vec::new(),
        };
        assert_eq!(finding.certainty(), expected);
    }

    #[test]
    fn words_say_how_often_and_where_it_was_replayed() {
        let (server, session, same) =
            (ReplayedOn::FreshServer, ReplayedOn::FreshSession, ReplayedOn::SameSession);
        check(
            Label::Steady,
            (5, 5),
            server,
            "steady: it shows every time (5 of 5 replays on a fresh server)",
        );
        check(
            Label::NeedsSequence,
            (1, 1),
            session,
            "needs-sequence: it shows every time, but only after the calls before (1 of 1 replay in a fresh session)",
        );
        check(
            Label::Flaky,
            (2, 5),
            same,
            "flaky: it does not show every time (2 of 5 replays in the same session)",
        );
        check(
            Label::Unconfirmed,
            (0, 5),
            server,
            "unconfirmed: it was seen once, and not again in 5 replays on a fresh server; the answers are those of the last replay",
        );
        check(Label::Unconfirmed, (0, 0), server, "unconfirmed: it was seen once and not replayed");
    }
}
