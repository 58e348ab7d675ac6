//! One conversation with a server: open, list, call, close, every step bounded in time.
//!
//! A call never fails as a function: whatever the server does is an [`Outcome`], because that is what is tested.

mod error;
mod open;
mod request;
mod list;

use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientConfig, ClientRequest, InputResponses, PingRequest,
};
use rmcp::service::{Peer, RoleClient, RunningService};
use serde_json::{Map, Value, json};

use crate::mcp::limits::Limits;
use crate::mcp::outcome::{Exchange, Outcome};
use crate::mcp::transport::process::Process;
use crate::mcp::transport::tap::Tap;
use crate::mcp::transport::{Anomaly, Exit, HttpServer, Record, StdioServer, Traffic};

pub use error::SessionError;
pub use list::{ListProblem, Listing, Unlisted};

/// A server to talk to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Server {
    /// A program to start.
    Stdio(StdioServer),
    /// An address to call.
    Http(HttpServer),
}

/// Which protocol to ask for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Protocol {
    /// Ask with the handshake that every released server knows, and only if that is refused without it.
    #[default]
    Negotiate,
    /// Ask for this revision, for example `2025-11-25` or `2026-07-28`.
    Revision(String),
}

/// What the server said about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerInfo {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its version, if it has a name.
    pub version: Option<String>,
    /// The protocol revision that was agreed on.
    pub protocol: String,
    /// Whether it declares tools among its capabilities.
    pub has_tools: bool,
    /// Whether it promises to tell when its list of tools changes.
    pub tells_list_changes: bool,
}

/// What passed before the session stood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opening {
    /// The raw messages of the handshake.
    pub records: Vec<Record>,
    /// What was irregular about them.
    pub anomalies: Vec<Anomaly>,
}

/// How a session ended, and what was still to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing {
    /// How the server process ended; nothing for other servers.
    pub exit: Option<Exit>,
    /// Whether the process had to be killed because it stayed after its input was closed.
    pub is_forced: bool,
    /// Processes the server had left behind, which were killed.
    pub n_left_behind: usize,
    /// The end of what the process wrote to standard error.
    pub stderr_tail: String,
    /// Raw messages after the last exchange.
    pub records: Vec<Record>,
    /// What was irregular about them.
    pub anomalies: Vec<Anomaly>,
    /// What passed in the whole session.
    pub traffic: Traffic,
}

/// An open session.
pub struct Session {
    peer: Peer<RoleClient>,
    running: Option<RunningService<RoleClient, ClientConfig>>,
    tap: Option<Tap>,
    process: Option<Process>,
    limits: Limits,
    server: ServerInfo,
    opening: Opening,
    n_calls: usize,
    n_inputs_declined: u64,
    /// Where the records of the next exchange begin.
    first_record: u64,
    /// The message that answered the last request; nothing if it was not answered.
    answered_at: Option<u64>,
    /// How many requests were made since the handshake.
    n_requests: i64,
    /// The ids of the requests of the exchange at hand.
    requests: Vec<i64>,
    /// Changes of the tool list that were announced before the last listing.
    n_list_changed_known: u64,
    /// Changes of the tool list that were announced before the last answer.
    n_list_changed_at_answer: u64,
}

/// Rounds of declining input before the call is reported as one that needs it.
const MAX_DECLINED_ROUNDS: usize = 3;

impl Session {
    /// Starts or calls the server and shakes hands.
    pub async fn open(
        server: &Server,
        protocol: &Protocol,
        limits: &Limits,
    ) -> Result<Session, SessionError> {
        open::open(server, protocol, limits).await
    }

    /// Uses a session somebody else opened with rmcp; there are no raw messages then, only what rmcp understood.
    #[must_use]
    pub fn attach(peer: Peer<RoleClient>, limits: &Limits) -> Session {
        open::attach(peer, limits)
    }

    /// The rmcp side of the session, for requests this type does not know; what passes is still recorded.
    #[must_use]
    pub fn peer(&self) -> Peer<RoleClient> {
        self.peer.clone()
    }

    /// What the server said about itself.
    #[must_use]
    pub fn server(&self) -> &ServerInfo {
        &self.server
    }

    /// What passed during the handshake.
    #[must_use]
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    /// The id of the server process, if we started one.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(Process::pid)
    }

    /// What passed so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let mut traffic = self.tap.as_ref().map(Tap::traffic).unwrap_or_default();
        traffic.n_elicitations_declined += self.n_inputs_declined;
        traffic
    }

    /// Every raw message that is still kept, from the first on.
    #[must_use]
    pub fn transcript(&self) -> Vec<Record> {
        self.tap.as_ref().map(|tap| tap.records(0..u64::MAX)).unwrap_or_default()
    }

    /// Reads the list of tools, all pages of it.
    pub async fn list_tools(&mut self) -> Result<Listing, Unlisted> {
        list::list_tools(self).await
    }

    /// Calls a tool and waits for whatever comes of it.
    pub async fn call(&mut self, tool: &str, arguments: Map<String, Value>) -> Exchange {
        let started = Instant::now();
        self.requests.clear();
        let before = self.traffic();
        let n_issued = self.n_issued();
        let mut n_rounds = 0;
        let mut declined: Option<(InputResponses, Option<String>)> = None;
        let outcome = loop {
            let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
            if let Some((inputs, state)) = declined {
                params = params.with_input_responses(inputs);
                params.request_state = state;
            }
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
            let outcome = sort_result(request::request(self, request).await);
            let Outcome::NeedsInput { result } = &outcome else {
                break outcome;
            };
            let Some(inputs) = declined_inputs(result).filter(|_| n_rounds < MAX_DECLINED_ROUNDS) else {
                break outcome;
            };
            n_rounds += 1;
            self.n_inputs_declined += inputs.len() as u64;
            let state = result.get("requestState").and_then(Value::as_str).map(str::to_owned);
            declined = Some((inputs, state));
        };
        if n_rounds == 0 && request::is_unsent(self, n_issued, &outcome) {
            let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
            request::note_unsent(self, ClientRequest::CallToolRequest(CallToolRequest::new(params)));
        }
        let step = self.n_calls;
        self.n_calls += 1;
        let (records, anomalies) = self.take_exchange();
        let after = self.traffic();
        Exchange {
            step,
            tool: tool.to_owned(),
            arguments,
            outcome,
            requests: std::mem::take(&mut self.requests),
            records,
            anomalies,
            n_progress: after.n_progress - before.n_progress,
            is_list_changed: after.n_list_changed > self.n_list_changed_known,
            took: started.elapsed(),
        }
    }

    /// Ends the session; a server process and everything it started are gone when this returns.
    pub async fn close(self) -> Closing {
        let patience = self.limits.close;
        self.close_within(patience).await
    }

    /// Ends the session with more or less patience for a server that does not end by itself.
    pub(crate) async fn close_within(mut self, patience: Duration) -> Closing {
        let deadline = Instant::now() + patience;
        if let Some(process) = &mut self.process {
            process.look_at_family();
        }
        if let Some(mut running) = self.running.take() {
            let _ = running.close_with_timeout(patience).await;
        }
        let (mut exit, mut is_forced, mut n_left_behind) = (None, false, 0);
        let mut stderr_tail = String::new();
        if let Some(process) = &mut self.process {
            let ending = process.end(deadline.saturating_duration_since(Instant::now()), patience).await;
            (exit, is_forced, n_left_behind) = (ending.exit, ending.is_forced, ending.n_left_behind);
            stderr_tail = process.stderr_tail(self.limits.settle).await;
        }
        let (records, anomalies) = self.take_wire();
        let traffic = self.traffic();
        Closing { exit, is_forced, n_left_behind, stderr_tail, records, anomalies, traffic }
    }

    /// Waits a little until everything that the server had to say is here, and lets go of it: what comes next begins anew.
    /// Says whether the session is still of use.
    pub(crate) async fn settle(&mut self) -> bool {
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let patience = self.limits.settle;
        let pinged = tokio::time::timeout(patience, request::request(self, ping)).await;
        self.take_wire();
        // Not every server answers pings; one that says nothing may still answer calls.
        pinged.map_or(true, |outcome| !outcome.is_session_over())
    }

    /// One more than the highest id that was sent.
    fn n_issued(&self) -> Option<i64> {
        self.tap.as_ref().map(Tap::n_issued)
    }

    /// Takes what passed on the wire up to the answer, or up to now if there was none.
    ///
    /// What follows an answer may be here already or still be on its way, so it is always left for what comes next.
    fn take_exchange(&mut self) -> (Vec<Record>, Vec<Anomaly>) {
        self.take_until(self.answered_at.map(|record| record + 1))
    }

    /// Takes what passed on the wire since it was last taken.
    fn take_wire(&mut self) -> (Vec<Record>, Vec<Anomaly>) {
        self.take_until(None)
    }

    fn take_until(&mut self, end: Option<u64>) -> (Vec<Record>, Vec<Anomaly>) {
        let Some(tap) = &self.tap else {
            return (Vec::new(), Vec::new());
        };
        let end = end.unwrap_or_else(|| tap.next_record());
        let anomalies = tap.take_anomalies(end);
        let records = tap.records(self.first_record..end);
        self.first_record = end;
        (records, anomalies)
    }
}

/// Tells the three kinds of result apart.
fn sort_result(outcome: Outcome) -> Outcome {
    let Outcome::Answered { result } = outcome else {
        return outcome;
    };
    if result.get("resultType").and_then(Value::as_str) == Some("input_required") {
        Outcome::NeedsInput { result }
    } else if result.get("isError") == Some(&Value::Bool(true)) {
        Outcome::ErrorResult { result }
    } else {
        Outcome::Answered { result }
    }
}

/// A polite no to every question, if all of them are of the kind that can be declined.
fn declined_inputs(result: &Value) -> Option<InputResponses> {
    let requests = result.get("inputRequests")?.as_object()?;
    let is_question =
        |request: &Value| request.get("method").and_then(Value::as_str) == Some("elicitation/create");
    (!requests.is_empty() && requests.values().all(is_question))
        .then(|| requests.keys().map(|key| (key.clone(), json!({ "action": "decline" }))).collect())
}
