//! Playing a script in a session of its own, from the handshake to the end, with every check at the end.

use serde_json::Value;

use crate::mcp::check::Observation;
use crate::mcp::finding::Finding;
use crate::mcp::judge::Judge;
use crate::mcp::outcome::{Exchange, Outcome};
use crate::mcp::script::{ScriptCall, resolved};
use crate::mcp::session::{Listing, Session, SessionError, Unlisted};
use crate::mcp::supply::{ReplayedOn, Supply, Use};
use crate::mcp::transport::Direction;

/// What came of a script.
#[derive(Debug, Clone)]
pub(crate) struct Played {
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) findings: Vec<Finding>,
    /// Every message that was sent, in order: what to pipe into the server to see the same.
    pub(crate) sent: Vec<String>,
}

/// Plays a script; it ends early if the session does.
pub(crate) async fn play(
    supply: &mut Supply,
    judge: &Judge,
    script: &[ScriptCall],
    watch: &dyn Fn(&Exchange),
) -> Result<Played, SessionError> {
    let mut session = supply.open().await?;
    let mut listings: Vec<_> = session.list_tools().await.into_iter().collect();
    let (mut exchanges, mut next) = make_calls(&mut session, script, watch).await;
    let mut unlisted = None;
    if let [before @ .., last] = exchanges.as_slice()
        && last.outcome.is_gone()
    {
        // It seldom comes to that, and what is carried about for it is large.
        unlisted = Box::pin(ended_after(supply, &script[..before.len()], watch)).await?;
    }
    if unlisted.is_some() {
        // The call came too late to have had a part in that.
        exchanges.pop();
    } else {
        unlisted = list_at_end(&mut session, &mut listings, &mut next).await;
    }
    let opening = session.opening().clone();
    let records = session.transcript().into_iter();
    let sent = records
        .filter(|record| record.direction == Direction::Sent)
        .map(|record| record.text.text.to_string());
    let sent = sent.collect();
    let closing = supply.end(session, next).await;
    let observation = Observation {
        opening: &opening,
        listings: &listings,
        exchanges: &exchanges,
        unlisted: unlisted.as_ref(),
        closing: closing.as_ref(),
    };
    let mut findings: Vec<Finding> = exchanges.iter().flat_map(|exchange| judge.exchange(exchange)).collect();
    findings.extend(judge.session(&observation));
    Ok(Played { exchanges, findings, sent })
}

/// Makes the calls of a script until the session is over, and says what it is good for after that.
async fn make_calls(
    session: &mut Session,
    script: &[ScriptCall],
    watch: &dyn Fn(&Exchange),
) -> (Vec<Exchange>, Use) {
    let mut exchanges: Vec<Exchange> = Vec::new();
    let mut results: Vec<Option<Value>> = Vec::new();
    let mut next = Use::Usable;
    for call in script {
        let mut exchange = session.call(&call.tool, resolved(call, &results)).await;
        // In a session that is used again the count goes on; in a script it starts with the script.
        exchange.step = exchanges.len();
        results.push(exchange.outcome.success().cloned());
        watch(&exchange);
        next = use_after(&exchange.outcome);
        exchanges.push(exchange);
        if next != Use::Usable {
            break;
        }
    }
    (exchanges, next)
}

/// Makes calls on a fresh server and says what shows that it ends after the last of them, if it does.
///
/// A server may end right after an answer. Whoever calls it next finds nobody, whatever is called. These calls alone, and the
/// list of tools instead of the next one, tell that from a call that ends the server.
pub(crate) async fn ended_after(
    supply: &mut Supply,
    script: &[ScriptCall],
    watch: &dyn Fn(&Exchange),
) -> Result<Option<Unlisted>, SessionError> {
    if script.is_empty() || supply.replays_on() == ReplayedOn::SameSession {
        return Ok(None);
    }
    let mut session = supply.open().await?;
    let (_, mut next) = make_calls(&mut session, script, watch).await;
    let unlisted = list_at_end(&mut session, &mut Vec::new(), &mut next).await;
    supply.end(session, next).await;
    Ok(unlisted.filter(|unlisted| unlisted.outcome.is_gone()))
}

/// Reads the list of tools after the last call, unless the session is over by then; says what came instead of it.
pub(crate) async fn list_at_end(
    session: &mut Session,
    listings: &mut Vec<Listing>,
    next: &mut Use,
) -> Option<Unlisted> {
    if *next != Use::Usable {
        return None;
    }
    match session.list_tools().await {
        Ok(listing) => {
            listings.push(listing);
            None
        }
        Err(unlisted) => {
            *next = use_after(&unlisted.outcome);
            Some(unlisted)
        }
    }
}

/// What a session is good for after a call.
pub(crate) fn use_after(outcome: &Outcome) -> Use {
    match outcome {
        Outcome::Answered { .. }
        | Outcome::ErrorResult { .. }
        | Outcome::NeedsInput { .. }
        | Outcome::RpcError { .. } => Use::Usable,
        // A server that still works on an old call would answer the next one late.
        Outcome::TimedOut { .. } => Use::Busy,
        // What comes after something that is no answer may belong to either call.
        Outcome::Garbage | Outcome::Crashed { .. } | Outcome::Expired | Outcome::Closed { .. } => Use::Over,
    }
}
