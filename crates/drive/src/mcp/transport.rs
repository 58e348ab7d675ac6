//! How messages travel: a child process or HTTP, with a tap that keeps every raw one.

mod anomaly;
pub(crate) mod depth;
mod envelope;
mod excerpt;
mod mark;
pub(crate) mod frame;
mod record;
pub(crate) mod tap;
pub(crate) mod process;
pub(crate) mod stdio;
pub(crate) mod http;

pub use anomaly::{Anomaly, AnomalyKind};
pub(crate) use envelope::Body;
pub use excerpt::Excerpt;
pub use http::HttpServer;
pub use process::{Exit, StdioServer};
pub use record::{Direction, Record, Traffic};
