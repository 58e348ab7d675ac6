//! The everything server: each feature of the protocol once, over standard input and output and over HTTP.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use probity_drive::callable::Sourcing;
use probity_drive::mcp::{HttpServer, Limits, Options, Server, ToolChoice};
use probity_testkit::workspace;

use crate::sandbox::{Sandbox, npm_script};
use crate::{Expected, check, options};

/// Tools that want the network or many seconds.
const LEFT_OUT: &[&str] = &["gzip-file-as-resource", "trigger-long-running-operation"];

const SUCCEEDING: &[&str] = &[
    "echo",
    "get-annotated-message",
    "get-env",
    "get-resource-links",
    "get-structured-content",
    "get-sum",
    "toggle-simulated-logging",
    "toggle-subscriber-updates",
];

const SOFT_ERROR: (&str, &str) = ("no-soft-errors", "get-annotated-message");

fn lenient() -> Options {
    let except = LEFT_OUT.iter().map(|tool| (*tool).to_owned()).collect();
    let tools = ToolChoice { except, ..ToolChoice::default() };
    let ordinary = options(&[]);
    // The server has to be killed each time it was told to send messages by itself; that need not be waited for long.
    let limits = Limits { close: Duration::from_secs(2), ..ordinary.limits.clone() };
    Options { sourcing: Sourcing::Lenient, tools, limits, n_sequences: 6, ..ordinary }
}

#[test]
fn everything_answers_over_standard_input_and_output() {
    let sandbox = Sandbox::new("everything-stdio");
    let Some(server) = sandbox.npm("server-everything", &[]) else { return };
    let expected = Expected { succeeding: SUCCEEDING, findings: &[SOFT_ERROR, ("ends-cleanly", "")] };
    check(&sandbox, Server::Stdio(server), lenient(), &expected);
}

#[test]
fn everything_answers_over_http() {
    // The host is ours to end, so it lives in a sandbox of its own.
    let (sandbox, outside) = (Sandbox::new("everything-http"), Sandbox::new("everything-host"));
    let Some(script) = npm_script("server-everything") else { return };
    let host = Host::start(&outside, &script);
    let server = Server::Http(HttpServer::new(format!("http://127.0.0.1:{}/mcp", host.port)));
    let expected = Expected { succeeding: SUCCEEDING, findings: &[SOFT_ERROR] };
    check(&sandbox, server, lenient(), &expected);
    drop(host);
    outside.assert_deserted();
}

/// The server as a process of ours, on a free port of the loopback interface.
struct Host {
    child: Child,
    port: u16,
}

impl Host {
    fn start(sandbox: &Sandbox, script: &str) -> Host {
        let mut node = Command::new("node");
        node.arg("--require").arg(workspace::root().join("testdeps").join("loopback.cjs"));
        node.args([script, "streamableHttp"]).env_clear().envs(sandbox.environment()).env("PORT", "0");
        node.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = node.spawn().expect("node can be started");
        let errors = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut host = Host { child, port: 0 };
        let mut lines = errors.lines().map_while(Result::ok);
        let port = lines.find_map(|line| line.strip_prefix("loopback port ")?.parse().ok());
        // What else it says is read and dropped, so that it never waits for room in the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        host.port = port.expect("the server says where it listens");
        host
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
