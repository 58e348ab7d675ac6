//! MCP servers: sessions with them, their tools as data, and checks of what they did.

mod limits;
mod transport;
mod outcome;
mod finding;
mod catalog;
mod session;
mod check;

pub use catalog::{Annotations, Catalog, CompiledSchema, Side, Tool, ToolProblem};
pub use check::{CHECKS, Check, Context, ErrorPolicy, Observation, Run, check_exchange, check_session};
pub use finding::{Finding, Severity, Sighting};
pub use limits::Limits;
pub use outcome::{Exchange, Outcome};
pub use session::{
    Closing, ListProblem, Listing, Opening, Protocol, Server, ServerInfo, Session, SessionError,
};
pub use transport::{
    Anomaly, AnomalyKind, Direction, Excerpt, Exit, HttpServer, Record, StdioServer, Traffic,
};

// Attaching to a session needs exactly these types, from the version of rmcp that this crate uses.
pub use rmcp::service::{Peer, RoleClient};
