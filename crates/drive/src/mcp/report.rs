//! What a run came to, as data with a version: `probity-mcp-report/v1`.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::mcp::contract::{ContractSummary, Measured};
use crate::mcp::coverage::Ruling;
use crate::mcp::finding::Severity;
use crate::mcp::script::{Reference, ScriptCall};
use crate::mcp::session::SessionError;
use crate::mcp::supply::ReplayedOn;

/// The format of the report.
pub const REPORT_FORMAT: &str = "probity-mcp-report/v1";

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Report {
    /// Always [`REPORT_FORMAT`].
    pub format: &'static str,
    /// The version of Probity.
    pub probity_version: &'static str,
    /// Whether the run is a success.
    pub is_success: bool,
    /// Why it is not; empty for a success.
    pub failures: Vec<Failure>,
    /// Who was tested.
    pub server: ServerReport,
    /// What everything was drawn from.
    pub seed: u64,
    /// Sequences that were asked for.
    pub n_planned: u32,
    /// Sequences that were drawn.
    pub n_sequences: u32,
    /// Calls that were drawn; replays do not count.
    pub n_calls: u64,
    /// Calls that were answered with a success.
    pub n_succeeded: u64,
    /// Each tool, in the order of the server's list.
    pub tools: Vec<ToolReport>,
    /// Which tools were called.
    pub coverage: CoverageSummary,
    /// How much of the tools' contracts was shown, if that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<ContractSummary>,
    /// The same target by target; written as a report of its own.
    #[serde(skip)]
    pub measured: Option<Box<Measured>>,
    /// What was found, the worst first.
    pub findings: Vec<FindingReport>,
    /// Things worth knowing.
    pub notes: Vec<String>,
    /// How long the run took, in milliseconds.
    pub duration_ms: u64,
}

impl Report {
    /// The report of a run that could not begin: no tools, no calls, and the reason as its one failure.
    #[must_use]
    pub fn not_begun(error: &SessionError, seed: u64, n_planned: u32) -> Report {
        Report {
            format: REPORT_FORMAT,
            probity_version: env!("CARGO_PKG_VERSION"),
            is_success: false,
            failures: vec![Failure::stopped(&error.to_string())],
            server: ServerReport { name: None, version: None, protocol: String::new() },
            seed,
            n_planned,
            n_sequences: 0,
            n_calls: 0,
            n_succeeded: 0,
            tools: Vec::new(),
            coverage: CoverageSummary {
                n_called: 0,
                n_callable: 0,
                percent_called: 0.0,
                warnings: Vec::new(),
                rulings: Vec::new(),
            },
            contract: None,
            measured: None,
            findings: Vec::new(),
            notes: Vec::new(),
            duration_ms: 0,
        }
    }
}

/// Why a run is not a success.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Failure {
    /// A stable code: `findings`, `nothing_succeeded`, `min_length_unreachable`, `stopped`, `min_coverage`, or that of a
    /// coverage rule.
    pub code: String,
    /// The same in words.
    pub message: String,
    /// The same in data.
    pub details: Value,
}

impl Failure {
    /// The server could not be reached, or not any more.
    pub(crate) fn stopped(reason: &str) -> Failure {
        Failure {
            code: "stopped".to_owned(),
            message: format!("the run could not go on: {reason}"),
            details: json!({ "reason": reason }),
        }
    }
}

/// Who was tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerReport {
    /// What the server calls itself.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The protocol revision that was agreed on; empty if none was.
    pub protocol: String,
}

/// What became of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolReport {
    /// The tool.
    pub name: String,
    /// What became of it.
    pub status: ToolStatus,
    /// Calls that were drawn.
    pub n_calls: u64,
    /// Calls that were answered with a success.
    pub n_succeeded: u64,
    /// Calls that were answered with an error or not at all.
    pub n_errors: u64,
}

/// What became of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ToolStatus {
    /// At least one call succeeded.
    Succeeded,
    /// It was called, and no call succeeded.
    NeverSucceeded,
    /// No valid arguments could be made from what was known.
    Uncallable,
    /// It could be called but no sequence did.
    NotChosen,
    /// It is marked destructive, and that was not allowed.
    SkippedDestructive,
    /// It can only be called as a task, which Probity does not ask for.
    NeedsTask,
    /// The caller did not want it called.
    Excluded,
    /// Its description cannot be used.
    Unusable,
}

/// Which tools were called.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CoverageSummary {
    /// Tools that were called successfully.
    pub n_called: usize,
    /// Tools that count and could be called.
    pub n_callable: usize,
    /// The share of the two, in percent.
    pub percent_called: f64,
    /// Tools that could not be called, each with its reason.
    pub warnings: Vec<CoverageWarning>,
    /// What the rules said.
    pub rulings: Vec<Ruling>,
}

/// A tool that could not be called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CoverageWarning {
    /// The tool.
    pub tool: String,
    /// `missing_string`, `missing_integer`, `missing_number` or `missing_required_value`.
    pub reason: &'static str,
    /// The place in the arguments, as a JSON Pointer.
    pub at: String,
    /// The same in words, and what to do.
    pub message: String,
}

/// How surely a finding shows itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "these are what a user can act on")]
pub enum Label {
    /// Every time, with one call or none.
    Steady,
    /// Every time, but only after other calls.
    NeedsSequence,
    /// Not every time.
    Flaky,
    /// It was seen while drawing and in no replay.
    Unconfirmed,
}

impl Label {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Label::Steady => "steady",
            Label::NeedsSequence => "needs-sequence",
            Label::Flaky => "flaky",
            Label::Unconfirmed => "unconfirmed",
        }
    }
}

/// Something the server did against its contract, looked into.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FindingReport {
    /// The stable code of the check.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The tool it concerns.
    pub tool: Option<String>,
    /// What was seen and what was expected.
    pub message: String,
    /// What findings of one cause have in common.
    pub cause: String,
    /// How surely it shows itself.
    pub label: Label,
    /// Replays that showed it.
    pub n_confirmed: u32,
    /// Replays.
    pub n_confirmations: u32,
    /// What each replay started from.
    pub replayed_on: ReplayedOn,
    /// How often the cause was met while drawing.
    pub n_met: u64,
    /// The sequence it was met in first, counted from 1; 0 for the listing of tools.
    pub sequence: u32,
    /// Executions of the server that shrinking took.
    pub n_executions: u32,
    /// Whether shrinking came to its end; otherwise its limits ended it, and fewer calls may do.
    pub is_minimal: bool,
    /// The shortest sequence that was found to show it.
    pub calls: Vec<CallReport>,
    /// The raw messages that show it, each with an arrow for its direction.
    pub evidence: Vec<String>,
    /// Every message that was sent, to be piped into the server.
    pub transcript: Vec<String>,
}

impl FindingReport {
    /// The sequence as a script.
    #[must_use]
    pub fn script(&self) -> Vec<ScriptCall> {
        let call = |call: &CallReport| ScriptCall {
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            references: call.references.clone(),
        };
        self.calls.iter().map(call).collect()
    }
}

/// A call of a finding, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallReport {
    /// The tool.
    pub tool: String,
    /// The arguments as they were sent.
    pub arguments: Map<String, Value>,
    /// Parts of the arguments that earlier calls returned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// What came of it, in one word.
    pub outcome: &'static str,
    /// The answer, shortened.
    pub answer: String,
}
