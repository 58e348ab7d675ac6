//! `probity serve` as a program: it passes `probity mcp`, clients nobody here wrote can use it, and nothing they send breaks it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use probity_testkit::{skip, workspace};
use serde_json::{Value, json};

/// The path of the fixture program.
const FIXTURE: &str = env!("CARGO_BIN_EXE_fixture-server");

/// The program, which stands beside the fixture once the workspace is built.
fn program() -> Option<PathBuf> {
    let path = Path::new(FIXTURE).with_file_name("probity");
    if path.is_file() {
        return Some(path);
    }
    skip(&format!("there is no {}; build the workspace first", path.display()));
    None
}

#[test]
fn it_passes_its_own_test_of_servers() {
    let Some(program) = program() else { return };
    let path = program.to_str().expect("our own names are plain");
    let seeds = ["--seed-string", r#"{"type": "integer", "maximum": 9}"#, "--seed-number", "7"];
    for options in [&["--lenient"][..], &seeds] {
        let output = Command::new(&program)
            .args(["mcp", "--runs", "5", "--fail-on", "note", "--json", "-"])
            .args(options)
            .args(["--", path, "serve"])
            .output()
            .expect("the program runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(output.status.code(), Some(0), "{report:#}");
        let status = |index: usize| report["tools"][index]["status"].clone();
        assert_eq!([status(0), status(1), status(2)], ["succeeded", "succeeded", "skipped-destructive"]);
    }
}

#[test]
fn both_generations_of_the_official_python_client_can_use_it() {
    let Some(program) = program() else { return };
    // The environments of two servers hold the client too, one of version 2 and one of version 1.
    for environment in ["time", "sqlite"] {
        let python = workspace::python(environment).join("bin/python");
        if !python.is_file() {
            skip(&format!("the Python environment {environment:?} is missing; `cargo xtask deps` makes it"));
            continue;
        }
        check_client(&python, &program);
    }
}

/// Has the client make some calls, and looks at what it makes of the answers.
#[track_caller]
fn check_client(python: &Path, program: &Path) {
    let mut client = Command::new(python)
        .arg(workspace::root().join("testdeps/serve-client.py"))
        .arg(program)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the client starts");
    let schema = json!({"enum": ["a", "b"]});
    let calls = [
        json!({"name": "generate", "arguments": {"schema": schema, "coverage": "guided"}}),
        json!({"name": "measure_coverage", "arguments": {"schema": schema, "instances": ["a", "c"]}}),
        json!({"name": "generate", "arguments": {"schema": schema, "n": 100_000}}),
        json!({"name": "test_server", "arguments": {"command": [FIXTURE, "crash-on-second-use"], "runs": 5}}),
    ];
    let mut input = client.stdin.take().expect("its input is a pipe");
    for call in &calls {
        writeln!(input, "{call}").expect("the client reads");
    }
    drop(input);
    let output = client.wait_with_output().expect("the client ends");
    let lines: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let [opening, guided, measured, refused, tested] = lines.as_slice() else { panic!("{lines:#?}") };
    assert_eq!(opening["server"]["name"], "probity");
    assert_eq!(opening["tools"].as_array().map(Vec::len), Some(3));
    assert_eq!(guided["structuredContent"]["coverage"]["overall"], 1.0, "{guided:#}");
    assert_eq!(measured["structuredContent"]["nInvalid"], 1, "{measured:#}");
    assert_eq!(refused["isError"], true, "{refused:#}");
    assert!(refused["content"][0]["text"].as_str().is_some_and(|text| text.contains("at /n")), "{refused:#}");
    let finding = &tested["structuredContent"]["findings"][0];
    assert_eq!((&finding["code"], &finding["label"]), (&json!("no-crash"), &json!("needs-sequence")));
    assert_eq!(finding["replay"]["calls"].as_array().map(Vec::len), Some(3), "{finding:#}");
}

/// A client that says what it likes.
struct Rough {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Rough {
    fn start(program: &Path, arguments: &[&str]) -> Rough {
        let mut server = Command::new(program)
            .arg("serve")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take().expect("its input is a pipe");
        let output = BufReader::new(server.stdout.take().expect("its output is a pipe"));
        let mut rough = Rough { server, input, output };
        let opening = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "rough", "version": "1" }
        });
        let answer = rough
            .ask(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening}).to_string());
        assert_eq!(answer["result"]["serverInfo"]["name"], "probity");
        rough.tell(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        rough
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the server reads");
    }

    fn ask(&mut self, line: &str) -> Value {
        self.tell(line);
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("the server answers");
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{answer:?}: {error}"))
    }

    /// What a call is answered with, in words.
    fn call(&mut self, name: &str, arguments: &str) -> String {
        let params = format!("{{\"name\":\"{name}\",\"arguments\":{arguments}}}");
        let answer = self
            .ask(&format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}"));
        let told = [&answer["error"]["message"], &answer["result"]["content"][0]["text"]];
        told.into_iter().find_map(Value::as_str).unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    #[track_caller]
    fn end(mut self) {
        drop(self.input);
        assert!(self.server.wait().expect("the server ends").success());
    }
}

#[test]
fn whatever_a_client_sends_is_answered_and_the_next_call_works() {
    let Some(program) = program() else { return };
    let mut rough = Rough::start(&program, &[]);
    let deep = format!("{{\"schema\":{}{}}}", "[".repeat(9_000), "]".repeat(9_000));
    let long = format!("{{\"schema\":\"{}\"}}", "x".repeat(9 << 20));
    let cases = [
        ("generate", deep.as_str(), "levels deep"),
        ("generate", &long, "bytes long"),
        ("generate", "[]", "\"arguments\", an object"),
        ("generate", "{}", "\"schema\" is a required property"),
        ("generate", r#"{"schema": 5}"#, "at /schema"),
        ("generate", r#"{"schema": {}, "n": -1}"#, "at /n"),
        ("generate", r#"{"schema": {"type": "nonsense"}}"#, "in /schema"),
        ("generate", r##"{"schema": {"$ref": "#/nowhere"}}"##, "in /schema"),
        ("generate", r#"{"schema": {"not": {}}}"#, "admits no value"),
        ("generate", r#"{"schema": {"type": "array", "minItems": 1000000000}}"#, "in /schema"),
        ("measure_coverage", r#"{"schema": {}, "instances": 3}"#, "at /instances"),
        ("test_server", r#"{"command": []}"#, "at /command"),
        ("test_server", r#"{"command": ["no-such-program"]}"#, "no-such-program"),
        ("test_server", r#"{"url": "http://127.0.0.1:9/mcp"}"#, "127.0.0.1:9"),
        ("nonsense", "{}", "there are generate"),
        ("generate", r#"{"schema": {"const": 7}, "n": 1}"#, "[7]"),
    ];
    for (name, arguments, part) in cases {
        let told = rough.call(name, arguments);
        assert!(told.contains(part), "{part:?} is not in {told:?}");
    }
    let answer = rough.ask("{\"nonsense");
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    rough.end();
}

#[test]
fn a_call_that_takes_too_long_is_given_up() {
    let Some(program) = program() else { return };
    let mut rough = Rough::start(&program, &["--time-limit", "1"]);
    // Hundreds of thousands of targets, each aimed at.
    let members =
        (0..6_000).map(|number| (format!("m{number}"), json!({"enum": (0..50).collect::<Vec<_>>()})));
    let schema = json!({"type": "object", "properties": members.collect::<serde_json::Map<_, _>>()});
    let told =
        rough.call("generate", &json!({"schema": schema, "coverage": "guided", "n": 1000}).to_string());
    assert!(told.contains("no answer within 1 s"), "{told}");
    assert!(rough.call("generate", r#"{"schema": {"const": 7}, "n": 1}"#).contains("[7]"));
    rough.end();
}
