//! Live MCP servers: raw sessions, values mined from answers, tools as data, and checks.
//!
pub mod corpus;
pub mod mcp;
