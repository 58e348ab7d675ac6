//! What a test of a server is asked to do, with the defaults that suit a server on the same machine.

use std::ffi::OsString;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Number;
use tokio::sync::Notify;

use crate::callable::Sourcing;
use crate::corpus::{CorpusLimits, MineText};
use crate::mcp::catalog::Tool;
use crate::mcp::check::ErrorPolicy;
use crate::mcp::coverage::CoverageOptions;
use crate::mcp::finding::Severity;
use crate::mcp::limits::Limits;

/// How a server is tested.
#[derive(Debug, Clone)]
pub struct Options {
    /// Sequences of calls to make.
    pub n_sequences: u32,
    /// Fewest calls in a sequence; a sequence that cannot have so many fails the run.
    pub min_len: usize,
    /// Most calls in a sequence.
    pub max_len: usize,
    /// Everything drawn is a function of this.
    pub seed: u64,
    /// Where numbers and strings come from.
    pub sourcing: Sourcing,
    /// Numbers that are known from the start, in order.
    pub numbers: Vec<Number>,
    /// Strings that are known from the start, in order.
    pub strings: Vec<String>,
    /// Whether the texts of answers are mined too.
    pub mine_text: MineText,
    /// The bounds of every session.
    pub limits: Limits,
    /// The bounds of the values kept from answers.
    pub corpus: CorpusLimits,
    /// How long the run may take; then it stops with what it has.
    pub max_time: Option<Duration>,
    /// Executions of the server that shrinking one finding may take.
    pub shrink_budget: u32,
    /// Time that shrinking one finding may take.
    pub shrink_time: Duration,
    /// Replays on a fresh server before a finding is reported.
    pub n_confirmations: u32,
    /// Findings after which no new ones are looked into.
    pub max_findings: usize,
    /// Whether each sequence gets a server of its own.
    pub sessions: SessionUse,
    /// A command that puts what the server keeps outside of itself back to its first state, run before each session.
    pub reset: Option<Vec<OsString>>,
    /// Whether tools marked destructive are called.
    pub destructive: Destructive,
    /// Which tools may be called.
    pub tools: ToolChoice,
    /// Where tools may answer with an error.
    pub error_policy: ErrorPolicy,
    /// How bad a finding must be to make the run a failure.
    pub fail_on: Severity,
    /// How bad findings of a check are, if not as bad as the check says.
    pub levels: Vec<(String, Level)>,
    /// What coverage is expected.
    pub coverage: CoverageOptions,
    /// Ends the run early when it is rung.
    pub interrupt: Interrupt,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            n_sequences: 50,
            min_len: 1,
            max_len: 20,
            seed: 42,
            sourcing: Sourcing::Strict,
            numbers: Vec::new(),
            strings: Vec::new(),
            mine_text: MineText::Never,
            limits: Limits::default(),
            corpus: CorpusLimits::default(),
            max_time: Some(Duration::from_secs(600)),
            shrink_budget: 200,
            shrink_time: Duration::from_secs(60),
            n_confirmations: 5,
            max_findings: 100,
            sessions: SessionUse::Fresh,
            reset: None,
            destructive: Destructive::Skipped,
            tools: ToolChoice::default(),
            error_policy: ErrorPolicy::Anywhere,
            fail_on: Severity::Error,
            levels: Vec::new(),
            coverage: CoverageOptions::default(),
            interrupt: Interrupt::default(),
        }
    }
}

/// A bell that ends a run: the sequence that is being drawn is broken off, and the report tells what was found so far.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<Bell>);

#[derive(Debug, Default)]
struct Bell {
    is_rung: AtomicBool,
    wake: Notify,
}

impl Interrupt {
    /// Rings the bell; it stays rung.
    pub fn ring(&self) {
        self.0.is_rung.store(true, Ordering::Release);
        // A permit is left behind if nobody waits yet, so a ring is never missed.
        self.0.wake.notify_one();
    }

    /// Waits for the bell.
    pub(crate) async fn rung(&self) {
        while !self.0.is_rung.load(Ordering::Acquire) {
            self.0.wake.notified().await;
        }
    }
}

/// Whether each sequence gets a server of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a session is fresh or it is not")]
pub enum SessionUse {
    /// Every sequence and every replay starts the server anew.
    Fresh,
    /// One session is used again until it breaks.
    Reused,
}

/// Whether tools marked destructive are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third way")]
pub enum Destructive {
    /// They are listed as skipped.
    Skipped,
    /// They are called like others.
    Called,
}

/// A predicate on tools.
pub type Accept = Rc<dyn Fn(&Tool) -> bool>;

/// Which tools may be called.
#[derive(Clone, Default)]
pub struct ToolChoice {
    /// Only these; all if there are none.
    pub only: Vec<String>,
    /// Not these.
    pub except: Vec<String>,
    /// Only those it accepts.
    pub accept: Option<Accept>,
}

impl ToolChoice {
    /// Whether a tool may be called.
    #[must_use]
    pub fn allows(&self, tool: &Tool) -> bool {
        let ToolChoice { only, except, accept } = self;
        (only.is_empty() || only.contains(&tool.name))
            && !except.contains(&tool.name)
            && accept.as_ref().is_none_or(|accept| accept(tool))
    }
}

impl fmt::Debug for ToolChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ToolChoice { only, except, accept } = self;
        let mut out = formatter.debug_struct("ToolChoice");
        out.field("only", only).field("except", except).field("accept", &accept.is_some()).finish()
    }
}

/// How bad the findings of one check are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "these are the severities, and none")]
pub enum Level {
    /// They are not reported at all.
    Off,
    /// They are this bad.
    At(Severity),
}
