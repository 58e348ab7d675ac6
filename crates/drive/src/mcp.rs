//! MCP servers: sessions with them, their tools as data, and checks of what they did.

mod limits;
pub(crate) mod transport;
mod outcome;
mod finding;
mod catalog;
mod session;
mod check;
mod contract;
mod coverage;
mod options;
mod cause;
mod script;
mod supply;
mod judge;
mod play;
mod simplify;
mod report;
mod certainty;
mod format;
mod event;
mod invocation;
mod machine;
mod look;
mod prepare;
mod conclude;
mod run;
mod replay;
mod survey;

pub use catalog::{Annotations, Catalog, CompiledSchema, Side, Tool, ToolProblem};
pub use check::{CHECKS, Check, Context, ErrorPolicy, Observation, Run, check_exchange, check_session};
pub use contract::{ContractOptions, ContractSummary, Measured, ToolContract};
pub use coverage::{Counts, CoverageOptions, CustomRule, Rule, Ruling};
pub use event::{Event, Phase};
pub use finding::{Finding, Severity, Sighting};
pub use format::{junit, page};
pub use limits::Limits;
pub use options::{Accept, Destructive, Interrupt, Level, Options, SessionUse, ToolChoice};
pub use outcome::{Exchange, Outcome};
pub use replay::{Replayed, replay};
pub use report::{
    CallReport, CoverageSummary, CoverageWarning, Failure, FindingReport, Label, REPORT_FORMAT, Report,
    ServerReport, ToolReport, ToolStatus,
};
pub use run::run;
pub use script::{REPLAY_FORMAT, Reference, Replay, ReplayFinding, ReplayServer, ScriptCall};
pub use session::{
    Closing, ListProblem, Listing, Opening, Protocol, Server, ServerInfo, Session, SessionError, Unlisted,
};
pub use supply::{ReplayedOn, Target};
pub use survey::{Survey, SurveyedTool, survey};
pub use transport::{
    Anomaly, AnomalyKind, Direction, Excerpt, Exit, HttpServer, Record, StdioServer, Traffic,
};

// Attaching to a session needs exactly these types, from the version of rmcp that this crate uses.
pub use rmcp::service::{Peer, RoleClient};
