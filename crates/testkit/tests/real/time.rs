//! The time server: every call fails unless somebody knows the names of time zones.

use probity_drive::mcp::Server;

use crate::sandbox::Sandbox;
use crate::{Expected, check, options};

#[test]
fn time_zones_that_were_seeded_are_asked_for() {
    let sandbox = Sandbox::new("time");
    let Some(server) = sandbox.python("time", &[]) else { return };
    let zones = ["Europe/Berlin", "Asia/Tokyo", "America/Lima", "Africa/Cairo"];
    let expected = Expected { succeeding: &["get_current_time"], findings: &[] };
    check(&sandbox, Server::Stdio(server), options(&zones), &expected);
}
