//! Reading the list of tools, page by page, within bounds.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams};
use serde_json::Value;

use crate::mcp::outcome::Outcome;
use crate::mcp::session::request::{is_unsent, note_unsent, request};
use crate::mcp::session::{Session, SessionError};
use crate::mcp::transport::{Anomaly, Record};

/// The tools as the server listed them, nothing interpreted.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// Each entry of each page, in order.
    pub tools: Vec<Value>,
    /// How many pages there were.
    pub n_pages: usize,
    /// Whether the server had said, since the listing before, that the list has changed.
    pub is_change_announced: bool,
    /// What was wrong with the list as a whole.
    pub problems: Vec<ListProblem>,
    /// The raw messages of the listing.
    pub records: Vec<Record>,
    /// What was irregular about them.
    pub anomalies: Vec<Anomaly>,
}

/// What is wrong with a list of tools as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the line above a variant says what its fields mean")]
pub enum ListProblem {
    /// The server declares no tools and so was not asked.
    #[error("the server does not declare the capability \"tools\", so it was not asked for any")]
    NoCapability,
    /// A cursor came a second time.
    #[error("page {page} names the cursor {cursor:?} again; the rest was not read")]
    RepeatedCursor { page: usize, cursor: String },
    /// A cursor is not a string.
    #[error("page {page} has a \"nextCursor\" that is not a string; the rest was not read")]
    BadCursor { page: usize },
    /// More pages than the limit.
    #[error("there are more than {limit} pages; the rest was not read")]
    TooManyPages { limit: usize },
    /// The pages come so slowly that the time to start is over.
    #[error("after {n_pages} pages in {limit:?} there are still more; the rest was not read")]
    TooSlow { n_pages: usize, limit: Duration },
    /// More tools than the limit.
    #[error("there are more than {limit} tools; the rest was not read")]
    TooManyTools { limit: usize },
}

/// What came instead of a list of tools.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the list of tools could not be read: {}", self.reason())]
pub struct Unlisted {
    /// What became of the request for the page that was not read.
    pub outcome: Outcome,
    /// The raw messages of the listing.
    pub records: Vec<Record>,
    /// What was irregular about them.
    pub anomalies: Vec<Anomaly>,
}

impl Unlisted {
    /// Why there is no list, in words.
    #[must_use]
    pub fn reason(&self) -> String {
        match &self.outcome {
            Outcome::Answered { .. } => "the result has no array \"tools\"".to_owned(),
            Outcome::RpcError { code, message, data: _ } => {
                format!("the server answered with error {code}: {message}")
            }
            Outcome::TimedOut { after } => format!("no answer within {after:?}"),
            Outcome::Crashed { exit, stderr_tail: _ } => format!("the server ended with {exit}"),
            Outcome::Expired => "the server ended the session (HTTP 404)".to_owned(),
            Outcome::Closed { reason } => format!("the connection ended: {reason}"),
            Outcome::Garbage | Outcome::ErrorResult { .. } | Outcome::NeedsInput { .. } => {
                "the answer is no list".to_owned()
            }
        }
    }
}

impl From<Unlisted> for SessionError {
    fn from(unlisted: Unlisted) -> SessionError {
        let reason = unlisted.reason();
        SessionError::NoToolList { reason, anomalies: unlisted.anomalies }
    }
}

pub(crate) async fn list_tools(session: &mut Session) -> Result<Listing, Unlisted> {
    let (mut tools, mut problems, mut n_pages): (Vec<Value>, _, _) = (Vec::new(), Vec::new(), 0);
    if !session.server.has_tools {
        let (records, anomalies) = session.take_wire();
        problems.push(ListProblem::NoCapability);
        return Ok(Listing { tools, n_pages, is_change_announced: false, problems, records, anomalies });
    }
    let mut n_list_changed = session.n_list_changed_known;
    let mut cursors = BTreeSet::new();
    let mut cursor: Option<String> = None;
    let started = Instant::now();
    loop {
        let mut page = match ask(session, cursor.take()).await {
            Outcome::Answered { result } => result,
            other => return Err(unlisted(session, other)),
        };
        n_pages += 1;
        if n_pages == 1 {
            // What is announced after the first page may concern the pages after it, so it is not yet known.
            n_list_changed = session.n_list_changed_at_answer;
        }
        let n_before = tools.len();
        match page.get_mut("tools").map(Value::take) {
            Some(Value::Array(entries)) => tools.extend(entries),
            _ => return Err(unlisted(session, Outcome::Answered { result: page })),
        }
        if tools.len() > session.limits.tools {
            tools.truncate(session.limits.tools);
            problems.push(ListProblem::TooManyTools { limit: session.limits.tools });
            break;
        }
        let next = match page.get("nextCursor") {
            None => break,
            Some(Value::String(next)) => next.clone(),
            Some(_) => {
                problems.push(ListProblem::BadCursor { page: n_pages });
                break;
            }
        };
        if !cursors.insert(next.clone()) {
            problems.push(ListProblem::RepeatedCursor { page: n_pages, cursor: next });
            // A server that pays no heed to cursors sends the same page again; its tools have no second name for that.
            let (before, again) = tools.split_at(n_before);
            if again.iter().all(|entry| before.contains(entry)) {
                tools.truncate(n_before);
            }
            break;
        }
        if n_pages == session.limits.list_pages {
            problems.push(ListProblem::TooManyPages { limit: n_pages });
            break;
        }
        if started.elapsed() >= session.limits.start {
            problems.push(ListProblem::TooSlow { n_pages, limit: session.limits.start });
            break;
        }
        cursor = Some(next);
    }
    let is_change_announced = n_list_changed > session.n_list_changed_known;
    session.n_list_changed_known = n_list_changed;
    let (records, anomalies) = session.take_exchange();
    Ok(Listing { tools, n_pages, is_change_announced, problems, records, anomalies })
}

async fn ask(session: &mut Session, cursor: Option<String>) -> Outcome {
    let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
    let question = params.map_or_else(ListToolsRequest::default, ListToolsRequest::with_param);
    let question = ClientRequest::ListToolsRequest(question);
    let n_issued = session.n_issued();
    let outcome = request(session, question.clone()).await;
    if is_unsent(session, n_issued, &outcome) {
        note_unsent(session, question);
    }
    outcome
}

fn unlisted(session: &mut Session, outcome: Outcome) -> Unlisted {
    let (records, anomalies) = session.take_wire();
    Unlisted { outcome, records, anomalies }
}
