//! `probity mcp` as a program: what it prints and writes, its exit codes, and that it leaves no process behind.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The path of the fixture program.
const FIXTURE: &str = env!("CARGO_BIN_EXE_fixture-server");

/// The program, which stands beside the fixture once the workspace is built.
fn program() -> Option<PathBuf> {
    let path = Path::new(FIXTURE).with_file_name("probity");
    if path.is_file() {
        return Some(path);
    }
    println!("skipped: there is no {}; build the workspace first", path.display());
    None
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(FIXTURE).with_file_name("command-tests").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder can be made");
    path
}

fn start(program: &Path, folder: &Path, arguments: &[&str]) -> Child {
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn run(program: &Path, folder: &Path, arguments: &[&str]) -> Output {
    start(program, folder, arguments).wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn exit_codes_say_what_came_of_it() {
    let Some(program) = program() else { return };
    let folder = folder("exit-codes");
    let cases: &[(i32, &[&str])] = &[
        (0, &["mcp", "--runs", "5", "--", FIXTURE, "notes"]),
        (1, &["mcp", "--runs", "5", "--", FIXTURE, "breaks-no-crash"]),
        (0, &["mcp", "--runs", "5", "--", FIXTURE, "breaks-idempotent-tool-repeats"]),
        (1, &["mcp", "--runs", "9", "--fail-on", "warning", "--", FIXTURE, "breaks-idempotent-tool-repeats"]),
        (
            1,
            &[
                "mcp",
                "--runs",
                "5",
                "--none-may-fail",
                "--",
                FIXTURE,
                "breaks-error-results-only-where-allowed",
            ],
        ),
        (1, &["mcp", "--runs", "5", "--", FIXTURE, "breaks-error-results-only-where-allowed"]),
        (2, &["mcp"]),
        (2, &["mcp", "--min-len", "9", "--max-len", "3", "--", FIXTURE, "notes"]),
        (2, &["mcp", "--lint", "no-such-check=off", "--", FIXTURE, "notes"]),
        (2, &["mcp", "--timeout", "0", "--", FIXTURE, "notes"]),
        (3, &["mcp", "--", "no-such-program"]),
        (3, &["mcp", "--url", "http://127.0.0.1:9/mcp"]),
        (4, &["mcp", "--runs", "5", "--min-calls-per-tool", "999", "--", FIXTURE, "notes"]),
        (
            4,
            &[
                "mcp",
                "--tool",
                "create_note",
                "--runs",
                "1",
                "--max-len",
                "1",
                "--coverage",
                "measure",
                "--coverage-min",
                "1",
                "--",
                FIXTURE,
                "notes",
            ],
        ),
        (2, &["mcp", "--coverage-min", "2", "--", FIXTURE, "notes"]),
        (2, &["mcp", "--coverage-dimensions", "colours", "--", FIXTURE, "notes"]),
        (2, &["replay", "no-such-file.json"]),
        (0, &["config"]),
    ];
    for (code, arguments) in cases {
        let output = run(&program, &folder, arguments);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_finding_is_told_written_and_replayed() {
    let Some(program) = program() else { return };
    let folder = folder("finding");
    let outputs = ["--json", "r.json", "--junit", "r.xml", "--html", "r.html", "--trace", "r.ndjson"];
    let arguments = [&["mcp"][..], &outputs, &["--", FIXTURE, "crash-on-second-use"]].concat();
    let output = run(&program, &folder, &arguments);
    let told = text(&output.stderr);
    for part in ["no-crash in use", "needs-sequence", "3. use {\"id\":\"id-1\"}", "stderr: fatal: used twice"]
    {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let report = json(&folder.join("r.json"));
    assert_eq!(report["format"], "probity-mcp-report/v1");
    assert_eq!(report["findings"][0]["label"], "needs-sequence");
    let schemas = probity_testkit::workspace::root().join("crates/drive/schemas");
    for (schema, file) in [("mcp-report-v1", "r.json"), ("replay-v1", "probity-replays/1-no-crash.json")] {
        let schema = schemas.join(format!("{schema}.schema.json")).display().to_string();
        let judged = run(&program, &folder, &["coverage", "measure", &schema, file]);
        assert_eq!(judged.status.code(), Some(0), "{file}: {}", text(&judged.stderr));
    }
    let junit = std::fs::read_to_string(folder.join("r.xml")).expect("it was written");
    assert!(junit.contains("<failure type=\"no-crash\"") && junit.contains("tests=\"3\""), "{junit}");
    let page = std::fs::read_to_string(folder.join("r.html")).expect("it was written");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("used twice"), "{page}");
    let trace = std::fs::read_to_string(folder.join("r.ndjson")).expect("it was written");
    let n_drawn = trace.lines().filter(|line| line.contains("\"phase\":\"draw\"")).count();
    assert_eq!(report["nCalls"], n_drawn);
    for _ in 0..3 {
        let again = run(&program, &folder, &["replay", "probity-replays/1-no-crash.json"]);
        assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
    }
    let raw = std::fs::File::open(folder.join("probity-replays/1-no-crash.jsonl")).expect("it was written");
    let piped =
        Command::new(FIXTURE).arg("crash-on-second-use").stdin(raw).output().expect("the server runs");
    assert_eq!(piped.status.code(), Some(101), "the raw messages show it too");
}

#[test]
fn a_run_that_could_not_begin_leaves_reports_that_say_so() {
    let Some(program) = program() else { return };
    let folder = folder("not-begun");
    let outputs = ["--json", "r.json", "--junit", "r.xml", "--html", "r.html", "--summary", "r.md"];
    for name in ["r.json", "r.xml", "r.html", "r.md"] {
        std::fs::write(folder.join(name), "of an earlier run").expect("it can be written");
    }
    let output = run(&program, &folder, &[&["mcp"][..], &outputs, &["--", "no-such-program"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    for name in ["r.json", "r.xml", "r.html", "r.md"] {
        let report = std::fs::read_to_string(folder.join(name)).expect("it was written");
        assert!(report.contains("the run could not go on"), "{name}: {report}");
        assert!(report.contains("no-such-program"), "{name}: {report}");
    }
    let schema = probity_testkit::workspace::root().join("crates/drive/schemas/mcp-report-v1.schema.json");
    let judged = run(&program, &folder, &["coverage", "measure", &schema.display().to_string(), "r.json"]);
    assert_eq!(judged.status.code(), Some(0), "{}", text(&judged.stderr));
}

#[test]
fn what_a_server_says_is_text_wherever_it_is_shown() {
    let Some(program) = program() else { return };
    let folder = folder("escapes");
    let arguments =
        ["mcp", "--runs", "3", "--fail-on", "note", "--html", "r.html", "--junit", "r.xml", "--", FIXTURE];
    let output = run(&program, &folder, &[&arguments[..], &["escapes"]].concat());
    assert!(!text(&output.stderr).contains('\u{1b}'), "{}", text(&output.stderr));
    for file in ["r.html", "r.xml"] {
        let written = std::fs::read_to_string(folder.join(file)).expect("it was written");
        assert!(!written.contains("<script") && !written.contains('\u{1b}'), "{written}");
    }
    let list = run(&program, &folder, &["mcp", "--list", "--", FIXTURE, "escapes"]);
    assert!(!text(&list.stdout).contains('\u{1b}'), "{}", text(&list.stdout));
}

#[test]
fn a_configuration_file_is_obeyed_and_the_command_line_overrules_it() {
    let Some(program) = program() else { return };
    let folder = folder("config");
    let annotated = run(&program, &folder, &["config"]).stdout;
    std::fs::write(folder.join("probity.toml"), &annotated).expect("it can be written");
    assert_eq!(
        run(&program, &folder, &["mcp", "--runs", "3", "--", FIXTURE, "notes"]).status.code(),
        Some(0)
    );
    let config = "[mcp]\nruns = 3\n[mcp.lints]\nno-crash = \"off\"\n";
    std::fs::write(folder.join("probity.toml"), config).expect("it can be written");
    let arguments = ["mcp", "--json", "-", "--", FIXTURE, "breaks-no-crash"];
    let report: Value =
        serde_json::from_slice(&run(&program, &folder, &arguments).stdout).expect("it is JSON");
    assert_eq!((&report["nSequences"], &report["findings"]), (&3.into(), &Value::Array(Vec::new())));
    let arguments =
        ["mcp", "--runs", "2", "--lint", "no-crash=note", "--json", "-", "--", FIXTURE, "breaks-no-crash"];
    let report: Value =
        serde_json::from_slice(&run(&program, &folder, &arguments).stdout).expect("it is JSON");
    assert_eq!((&report["nSequences"], &report["findings"][0]["severity"]), (&2.into(), &"note".into()));
    std::fs::write(folder.join("probity.toml"), "[mcp]\nrnus = 3\n").expect("it can be written");
    let output = run(&program, &folder, &["mcp", "--", FIXTURE, "notes"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("rnus"), "{}", text(&output.stderr));
}

#[test]
fn coverage_of_contracts_is_told_and_written_as_the_options_or_the_file_say() {
    let Some(program) = program() else { return };
    let folder = folder("coverage");
    let config = "[mcp.coverage]\nmode = \"measure\"\nreport = \"file.json\"\nmin = 0.2\n";
    std::fs::write(folder.join("probity.toml"), config).expect("it can be written");
    let by_file = run(&program, &folder, &["mcp", "--runs", "5", "--", FIXTURE, "notes"]);
    assert_eq!(by_file.status.code(), Some(0), "{}", text(&by_file.stderr));
    let report = json(&folder.join("file.json"));
    assert_eq!(
        (&report["version"], &report["metrics"]["thresholds"]["overall"]),
        (&"coverage-report/v1".into(), &0.2.into())
    );
    let typed = ["--coverage", "guided", "--coverage-report", "typed.json", "--coverage-html", "typed.html"];
    let typed = [&["mcp", "--runs", "5", "--json", "r.json"][..], &typed, &["--", FIXTURE, "notes"]].concat();
    let told = text(&run(&program, &folder, &typed).stderr);
    let report = json(&folder.join("typed.json"));
    assert_eq!(report["engine"]["coverageMode"], "guided");
    assert_eq!(report["metrics"]["overall"], json(&folder.join("r.json"))["contract"]["overall"]);
    let page = std::fs::read_to_string(folder.join("typed.html")).expect("it was written");
    assert!(page.starts_with("<!doctype html>") && page.contains("create_note"), "{page}");
    assert!(told.contains("overall") && told.contains("with all that were sent"), "{told}");
    let list = run(&program, &folder, &["mcp", "--list", "--", FIXTURE, "notes"]);
    assert!(text(&list.stdout).contains("can be called now, 11 targets"), "{}", text(&list.stdout));
}

/// The living processes that were started by a process.
fn children(of: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |process: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let (state, parent) = (fields.next().unwrap_or("Z"), fields.next().unwrap_or("0"));
        state != "Z" && parent.parse() == Ok(of)
    };
    processes.filter(is_child).collect()
}

fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !matches!(stat.rsplit(") ").next().and_then(|rest| rest.chars().next()), None | Some('Z' | 'X'))
}

/// Waits for something, for a while.
#[track_caller]
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn interrupted_it_writes_a_report_of_what_it_has() {
    let Some(program) = program() else { return };
    let folder = folder("interrupted");
    let arguments = ["mcp", "--runs", "1000000", "--json", "r.json", "--", FIXTURE, "notes"];
    let mut child = start(&program, &folder, &arguments);
    wait_for("a server is started", || !children(child.id()).is_empty());
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().expect("kill runs");
    assert!(sent.success());
    assert_eq!(child.wait().expect("the program ends").code(), Some(3));
    let report = json(&folder.join("r.json"));
    assert_eq!(report["failures"][0]["code"], "stopped", "{report:#}");
    assert_eq!(report["failures"][0]["message"], "the run could not go on: it was interrupted");
}

#[test]
fn killed_by_a_signal_it_leaves_no_process_behind() {
    let Some(program) = program() else { return };
    let folder = folder("signals");
    for signal in ["INT", "TERM", "KILL"] {
        let mut child = start(&program, &folder, &["mcp", "--", FIXTURE, "breaks-no-hang"]);
        let is_server = |process: &u32| {
            let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            text(&line).contains("breaks-no-hang")
        };
        let servers =
            || -> Vec<u32> { children(child.id()).into_iter().filter(|one| is_server(one)).collect() };
        wait_for("the server is started", || !servers().is_empty());
        let servers = servers();
        let id = child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{signal}"), &id]).status().expect("kill runs");
        assert!(sent.success());
        child.wait().expect("the program ends");
        for server in servers {
            wait_for("the server is gone", || !is_alive(server));
        }
        let mut rest = String::new();
        let mut stderr = child.stderr.take().expect("standard error is a pipe");
        stderr.read_to_string(&mut rest).expect("nobody holds standard error open");
    }
}
