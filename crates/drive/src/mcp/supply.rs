//! Where sessions come from: a fresh server each time, or one session that is used again.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use rmcp::service::{Peer, RoleClient};
use serde::Serialize;
use tokio::process::Command;
use tokio::time::timeout;

use crate::mcp::limits::Limits;
use crate::mcp::options::{Options, SessionUse};
use crate::mcp::session::{Closing, Protocol, Server, Session, SessionError};
use crate::mcp::transport::Traffic;

/// What is tested.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Target {
    /// A server that can be started or called.
    Server(Server),
    /// A session that somebody else opened; it is used again and again.
    Attached(Peer<RoleClient>),
}

/// What a replay started from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ReplayedOn {
    /// A server process of its own.
    FreshServer,
    /// A session of its own, with a server that is not ours to start.
    FreshSession,
    /// The session in which everything else was done too.
    SameSession,
}

/// A source of sessions.
pub(crate) struct Supply {
    target: Target,
    sessions: SessionUse,
    reset: Option<Vec<OsString>>,
    limits: Limits,
    protocol: Protocol,
    kept: Option<Session>,
    /// How often in a row a server had to be killed, after all the patience there is.
    n_forced: u32,
    refused: Refused,
    /// Sessions handed out so far.
    n_opened: u64,
}

/// Requests of servers that were declined or refused, replays included.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_field_names, reason = "counts start with n, everywhere")]
struct Refused {
    n_elicitations: u64,
    n_samplings: u64,
    n_roots: u64,
    n_others: u64,
}

impl Refused {
    fn add(&mut self, traffic: &Traffic) {
        self.n_elicitations += traffic.n_elicitations_declined;
        self.n_samplings += traffic.n_samplings_refused;
        self.n_roots += traffic.n_roots_refused;
        self.n_others += traffic.n_unknown_requests;
    }
}

/// What is to become of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It can make further calls.
    Usable,
    /// It is over, or of no more use.
    Over,
    /// The server is still busy with a call and cannot see its input close.
    Busy,
}

/// Patience with a server that is busy, and with one that never ended by itself before.
const SHORT: Duration = Duration::from_millis(50);
const SHORTER_BY: u32 = 8;
/// Servers that have to be killed before the next is expected to be no better: a busy machine may delay one or two.
const MAX_FORCED: u32 = 3;

impl Supply {
    pub(crate) fn new(target: Target, protocol: Protocol, options: &Options) -> Supply {
        Supply {
            target,
            sessions: options.sessions,
            reset: options.reset.clone(),
            limits: options.limits.clone(),
            protocol,
            kept: None,
            n_forced: 0,
            refused: Refused::default(),
            n_opened: 0,
        }
    }

    /// What a session that is opened starts from.
    pub(crate) fn replays_on(&self) -> ReplayedOn {
        match (&self.target, self.sessions) {
            (Target::Attached(_), _) | (Target::Server(_), SessionUse::Reused) => ReplayedOn::SameSession,
            (Target::Server(Server::Stdio(_)), SessionUse::Fresh) => ReplayedOn::FreshServer,
            (Target::Server(Server::Http(_)), SessionUse::Fresh) => ReplayedOn::FreshSession,
        }
    }

    /// A session to make calls in, as fresh as was asked for.
    pub(crate) async fn open(&mut self) -> Result<Session, SessionError> {
        self.run_reset().await?;
        self.n_opened += 1;
        if let Some(session) = self.kept.take() {
            return Ok(session);
        }
        let session = match &self.target {
            Target::Server(server) => Session::open(server, &self.protocol, &self.limits).await?,
            Target::Attached(peer) => Session::attach(peer.clone(), &self.limits),
        };
        let agreed = &session.server().protocol;
        if !agreed.is_empty() {
            // What was agreed on once need not be found out again.
            self.protocol = Protocol::Revision(agreed.clone());
        }
        Ok(session)
    }

    /// Takes a session back; one that is to be used again is kept, any other ends here.
    pub(crate) async fn end(&mut self, mut session: Session, next: Use) -> Option<Closing> {
        let is_kept = self.sessions == SessionUse::Reused && next == Use::Usable;
        if is_kept && session.settle().await {
            self.kept = Some(session);
            return None;
        }
        let patience = match next {
            Use::Busy => SHORT,
            // It was given all the time it could want more than once; waiting again shows nothing new.
            Use::Usable | Use::Over if self.n_forced >= MAX_FORCED => self.limits.close / SHORTER_BY,
            Use::Usable | Use::Over => self.limits.close,
        };
        let closing = session.close_within(patience).await;
        self.refused.add(&closing.traffic);
        self.n_forced = match (closing.is_forced, next) {
            (_, Use::Busy) => self.n_forced,
            (true, Use::Usable | Use::Over) => self.n_forced + 1,
            (false, Use::Usable | Use::Over) => 0,
        };
        Some(closing)
    }

    /// Ends what was kept.
    pub(crate) async fn finish(&mut self) -> Option<Closing> {
        let closing = self.kept.take()?.close().await;
        self.refused.add(&closing.traffic);
        Some(closing)
    }

    /// What servers asked of us in all sessions that have ended, in words.
    pub(crate) fn refused(&self) -> Option<String> {
        let Refused { n_elicitations, n_samplings, n_roots, n_others } = self.refused;
        let kinds = [
            (n_elicitations, "for input (elicitation)"),
            (n_samplings, "for a model's words (sampling)"),
            (n_roots, "for roots"),
            (n_others, "for what no client has"),
        ];
        let asked: Vec<String> = kinds
            .iter()
            .filter(|(n_times, _)| *n_times > 0)
            .map(|(n_times, what)| match n_times {
                1 => format!("once {what}"),
                n_times => format!("{n_times} times {what}"),
            })
            .collect();
        (!asked.is_empty())
            .then(|| format!("the server asked {}; all of that was declined or left open", asked.join(", ")))
    }

    async fn run_reset(&self) -> Result<(), SessionError> {
        let Some((program, args)) = self.reset.as_ref().and_then(|words| words.split_first()) else {
            return Ok(());
        };
        let nth = self.n_opened + 1;
        let failed = |reason: String| SessionError::ResetFailed {
            command: worded(program, args),
            reason: format!("before session {nth} {reason}"),
        };
        let mut command = Command::new(program);
        command
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let output = timeout(self.limits.start, command.output()).await;
        let output = output.map_err(|_| failed(format!("it did not end within {:?}", self.limits.start)))?;
        let output = output.map_err(|error| failed(format!("it could not be started: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&output.stderr);
        let last = words.lines().rev().find(|line| !line.trim().is_empty());
        let last = last.map_or_else(
            || "it wrote nothing to standard error".to_owned(),
            |line| format!("its last words are {line:?}"),
        );
        let ended = match output.status.code() {
            Some(code) => format!("it ended with exit code {code}"),
            None => format!("it was ended by a {}", output.status),
        };
        Err(failed(format!("{ended}; {last}")))
    }
}

/// A command as a person would type it: of one that a shell runs, what the shell is told.
fn worded(program: &OsString, args: &[OsString]) -> String {
    match args {
        [flag, text] if flag == "-c" => text.to_string_lossy().into_owned(),
        _ => std::iter::once(program)
            .chain(args)
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" "),
    }
}
