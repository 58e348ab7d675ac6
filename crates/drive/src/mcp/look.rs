//! Looking into a finding: the shortest script that shows it, replays, and a label.

use std::rc::Rc;
use std::time::Instant;

use crate::callable::Blueprint;
use crate::mcp::cause::cause;
use crate::mcp::event::{Event, Phase};
use crate::mcp::finding::Finding;
use crate::mcp::machine::Lab;
use crate::mcp::outcome::{Exchange, Outcome};
use crate::mcp::play::{Played, play};
use crate::mcp::report::{CallReport, FindingReport, Label};
use crate::mcp::script::ScriptCall;
use crate::mcp::session::SessionError;
use crate::mcp::simplify::{Bench, Simplified, simplify};

/// A finding that was met, and the script in which it was.
pub(crate) struct Sighted {
    pub(crate) finding: Finding,
    pub(crate) script: Vec<ScriptCall>,
    pub(crate) sequence: u32,
    /// Executions that the engine's shrinking took.
    pub(crate) n_executions: u32,
}

/// Shrinks, confirms and labels; from here on the cause is known.
pub(crate) async fn look_into(lab: &Rc<Lab>, sighted: Sighted) -> Result<FindingReport, SessionError> {
    let Sighted { finding, script, sequence, n_executions } = sighted;
    let wanted = cause(&finding);
    {
        let mut desk = lab.desk.borrow_mut();
        desk.known.insert(wanted.clone(), 1);
        let Finding { code, tool, message, .. } = &finding;
        (desk.observer)(&Event::Sighted { code, tool: tool.as_deref(), message });
    }
    let now = Instant::now();
    let patience = now + lab.options.shrink_time;
    // Half of what is left of the run's time: the other half is for what else there may be.
    let deadline =
        lab.deadline.map_or(patience, |end| (now + end.saturating_duration_since(now) / 2).min(patience));
    let watched = |phase| {
        move |exchange: &Exchange| {
            (lab.desk.borrow_mut().observer)(&Event::Called { phase, sequence, exchange });
        }
    };
    let (shrinking, confirming) = (watched(Phase::Shrink), watched(Phase::Confirm));
    let mut supply = lab.supply.lock().await;
    let blueprint = |name: &str| -> Option<&Blueprint> {
        lab.tools.iter().find(|tool| tool.name == name).map(|tool| &*tool.blueprint)
    };
    let bench = Bench {
        supply: &mut supply,
        judge: &lab.judge,
        blueprint: &blueprint,
        sourcing: lab.options.sourcing,
        budget: lab.options.shrink_budget,
        deadline,
        watch: &shrinking,
    };
    let Simplified { script, n_executions: n_more, is_minimal } =
        Box::pin(simplify(bench, script, &wanted)).await?;
    let mut confirmation = Confirmation::default();
    for replay in 0..lab.options.n_confirmations {
        // A finding that takes long to show is not waited for more often than needed.
        let n_least = if lab.is_late() { 1 } else { MIN_REPLAYS };
        if replay >= n_least && Instant::now() >= deadline {
            break;
        }
        let played = play(&mut supply, &lab.judge, &script, &confirming).await?;
        confirmation.add(played, &wanted);
    }
    let replayed_on = supply.replays_on();
    drop(supply);
    let Confirmation { n_replays, n_shown, shown, last } = confirmation;
    let label = match (n_shown, script.len()) {
        (0, _) => Label::Unconfirmed,
        (1.., 0 | 1) if n_shown == n_replays => Label::Steady,
        (1.., _) if n_shown == n_replays => Label::NeedsSequence,
        (1.., _) => Label::Flaky,
    };
    let (finding, played) = match shown {
        Some((shown, played)) => (shown, Some(played)),
        None => (finding, last),
    };
    let Finding { code, severity, tool, message, evidence, step: _ } = finding;
    let exchanges = played.as_ref().map_or(&[][..], |played| &played.exchanges);
    let report = FindingReport {
        code,
        severity,
        tool,
        message,
        cause: wanted,
        label,
        n_confirmed: n_shown,
        n_confirmations: n_replays,
        replayed_on,
        n_met: 1,
        sequence,
        n_executions: n_executions + n_more,
        is_minimal,
        calls: calls(&script, exchanges),
        evidence,
        transcript: played.map(|played| played.sent).unwrap_or_default(),
    };
    (lab.desk.borrow_mut().observer)(&Event::Found { finding: &report });
    Ok(report)
}

/// Replays that are made however long they take, unless the time of the whole run is over.
const MIN_REPLAYS: u32 = 2;

#[derive(Default)]
struct Confirmation {
    n_replays: u32,
    n_shown: u32,
    shown: Option<(Finding, Played)>,
    last: Option<Played>,
}

impl Confirmation {
    fn add(&mut self, played: Played, wanted: &str) {
        self.n_replays += 1;
        let found = played.findings.iter().find(|finding| cause(finding) == wanted).cloned();
        match found {
            Some(finding) => {
                self.n_shown += 1;
                self.shown = Some((finding, played));
            }
            None => self.last = Some(played),
        }
    }
}

/// The calls of a script with what came of them.
pub(crate) fn calls(script: &[ScriptCall], exchanges: &[Exchange]) -> Vec<CallReport> {
    let calls = script.iter().enumerate().map(|(index, call)| {
        let exchange = exchanges.get(index);
        let arguments = exchange.map_or(&call.arguments, |exchange| &exchange.arguments);
        CallReport {
            tool: call.tool.clone(),
            arguments: arguments.clone(),
            references: call.references.clone(),
            outcome: exchange.map_or("not-made", |exchange| exchange.outcome.name()),
            answer: exchange.map(|exchange| answer(&exchange.outcome)).unwrap_or_default(),
        }
    });
    calls.collect()
}

/// Longest answer in a report, in characters.
const MAX_ANSWER: usize = 1_000;

/// An answer in words, shortened.
pub(crate) fn answer(outcome: &Outcome) -> String {
    let text = match outcome {
        Outcome::Answered { result } | Outcome::ErrorResult { result } | Outcome::NeedsInput { result } => {
            let said = result.get("structuredContent").or_else(|| result.get("content"));
            said.unwrap_or(result).to_string()
        }
        Outcome::RpcError { code, message, data: _ } => format!("error {code}: {message}"),
        Outcome::TimedOut { after } => format!("no answer within {after:?}"),
        Outcome::Crashed { exit, stderr_tail: _ } => format!("the server ended with {exit}"),
        Outcome::Garbage => "something that is no answer".to_owned(),
        Outcome::Expired => "the server ended the session".to_owned(),
        Outcome::Closed { reason } => format!("the connection ended: {reason}"),
    };
    match text.char_indices().nth(MAX_ANSWER) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
