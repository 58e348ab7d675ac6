//! Wrong use: flags that would change nothing, and values of the configuration that mean nothing, are refused with what instead.

mod run;

use run::probity;

#[track_caller]
fn check(arguments: &[&str], code: i32, said: &[&str]) {
    let run = probity(arguments, "");
    assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
    for words in said {
        assert!(run.stderr.contains(words), "{arguments:?}: {words:?} is not said:\n{}", run.stderr);
    }
}

#[test]
fn a_flag_that_would_change_nothing_is_refused_with_what_instead() {
    let (list, measure) = ("--list makes no cases", "--coverage measure");
    let rows: &[(&str, &str, &str)] = &[
        ("generate s.json --coverage-dimensions enum", "--coverage-dimensions", measure),
        ("generate s.json --coverage-profile quick", "--coverage-profile", measure),
        ("generate s.json --coverage-exclude-unreachable false", "--coverage-exclude-unreachable", measure),
        ("generate s.json --report-mode summary", "--report-mode", measure),
        ("generate s.json --coverage off --report-mode summary", "--report-mode", measure),
        ("generate s.json --metrics --quiet", "--metrics", "--quiet"),
        ("openapi a.yaml --report-mode summary", "--report-mode", measure),
        ("openapi a.yaml --list -o x", "--output", list),
        ("openapi a.yaml --list --seed 42", "--seed", list),
        ("openapi a.yaml --list --coverage guided", "--coverage", list),
        ("openapi a.yaml --server http://localhost", "--server", "--curl"),
        ("openapi a.yaml --part response --curl", "--curl", "--part request"),
        ("openapi a.yaml --part request --status 200", "--status", "--part response"),
        ("openapi a.yaml --json x", "--json", "--list"),
        ("mcp --list --html x -- server", "--html", "--list calls nothing"),
        ("mcp --list --junit x -- server", "--junit", "--list calls nothing"),
        ("mcp --list --runs 5 -- server", "--runs", "--list calls nothing"),
        ("mcp --list --coverage-min 1 -- server", "--coverage-min", "--list calls nothing"),
        ("mcp --report-mode summary -- server", "--report-mode", measure),
        ("mcp --header A:b -- server", "--header", "--url"),
        ("mcp --bearer-env A -- server", "--bearer-env", "--url"),
        ("mcp --url http://127.0.0.1:9 --env A=b", "--env", "where the server runs"),
        ("mcp --url http://127.0.0.1:9 --cwd .", "--cwd", "where the server runs"),
        ("mcp --url http://127.0.0.1:9 -- server", "the program after --", "leave out one of them"),
        ("mcp --url http://127.0.0.1:9 --header foo", "--header foo", "NAME: VALUE"),
        ("mcp --url http://127.0.0.1:9 --header :foo", "--header :foo", "NAME: VALUE"),
        ("replay f.json --url http://127.0.0.1:9 -- server", "the program after --", "leave out one of them"),
        ("replay f.json --url http://127.0.0.1:9 --env A=b", "--env", "where the server runs"),
        ("replay f.json --url http://127.0.0.1:9 --cwd .", "--cwd", "where the server runs"),
        ("replay f.json --header A:b -- server", "--header", "--url"),
        (
            "mcp --lint no-crash -- server",
            "--lint no-crash: write CHECK=LEVEL",
            "off, note, warning or error",
        ),
        ("mcp --lint no-crash=of -- server", "--lint no-crash=of", "off, note, warning or error"),
        ("mcp --lint no-crsh=off -- server", "\"no-crsh\" is not a check", "no-crash"),
        ("mcp --max-len 0 -- server", "--max-len 0", "at least one call"),
        ("generate s.json -n -1", "'-1'", "--n <COUNT>"),
        ("generate s.json --seed -3", "'-3'", "--seed <NUMBER>"),
        ("openapi a.yaml -n -1", "'-1'", "--n <COUNT>"),
        ("mcp --timeout -1 -- server", "--timeout -1", "above 0"),
        ("generate s.json --coverage-min -1", "--coverage-min -1", "from 0 to 1"),
        ("generate - --ref a.json", "--ref a.json", "URI=FILE"),
        ("replay f.json --times 0", "'0'", "1.."),
        ("mcp python3 server.py", "'python3'", "comes after --"),
        ("replay f.json python3 server.py", "'python3'", "comes after --"),
        ("mcp --protocol latest -- server", "--protocol latest", "2025-11-25"),
        ("mcp --coverage-allow a --coverage-block a -- server", "blocked", "none counts"),
    ];
    for (line, flag, instead) in rows {
        check(&line.split(' ').collect::<Vec<_>>(), 2, &[flag, instead]);
    }
}

#[test]
fn what_is_read_is_never_written_over_nor_taken_for_a_schema() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let named = |name: &str| folder.path().join(name).to_str().expect("a path that is text").to_owned();
    let (schema, data) = (named("s.json"), named("data.json"));
    std::fs::write(&schema, r#"{"type": "object"}"#).expect("a file is written");
    std::fs::write(&data, r#"{"name": "Ada"}"#).expect("a file is written");
    let (here, over) = (folder.path().to_str().expect("a path that is text"), "would be written over");
    check(&["generate", &schema, "-o", &schema], 2, &[over]);
    check(&["coverage", "measure", &schema, &data, "--coverage-report", &data], 2, &[over]);
    check(&["coverage", "measure", &schema, here, "--junit", &data], 2, &[over]);
    check(
        &["coverage", "measure", &data, &schema],
        2,
        &["no keyword of a schema", "name a JSON Schema first"],
    );
    check(&["generate", &data, "-o", &named("new.json")], 0, &["no keyword of a schema"]);
    let server = ["--", "python3", &schema];
    check(&[&["mcp", "--json", &schema][..], &server].concat(), 2, &[over]);
    check(&["mcp", "--cwd", here, "--html", &schema, "--", "python3", "s.json"], 2, &[over]);
    let finding = r#"{"code": "no-crash", "message": "m", "cause": "c"}"#;
    let finding = format!(
        r#"{{"format": "probity-replay/v1", "server": {{"kind": "stdio", "command": ["python3", {schema:?}]}}, "finding": {finding}, "calls": [], "callLimitMs": 1000}}"#
    );
    std::fs::write(&data, finding).expect("a file is written");
    check(&["replay", &data, "--json", &schema], 2, &[over]);
    check(&[&["replay", &data, "--junit", &schema][..], &server].concat(), 2, &[over]);
    assert_eq!(std::fs::read_to_string(&schema).expect("it is there"), r#"{"type": "object"}"#);
}

#[test]
fn what_a_replay_cannot_use_is_known_from_its_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("finding.json");
    let place = place.to_str().expect("a path that is text");
    let write = |server: &str| {
        let finding = r#"{"code": "no-crash", "message": "m", "cause": "c"}"#;
        let text = format!(
            r#"{{"format": "probity-replay/v1", "server": {server}, "finding": {finding}, "calls": [], "callLimitMs": 1000}}"#
        );
        std::fs::write(place, text).expect("a file is written");
    };
    write(r#"{"kind": "stdio", "command": ["true"]}"#);
    check(&["replay", place, "--header", "A: b"], 2, &["--header", "--url"]);
    check(&["replay", place, "--timeout", "0"], 2, &["--timeout 0", "above 0"]);
    write(r#"{"kind": "http", "url": "http://127.0.0.1:9"}"#);
    check(&["replay", place, "--env", "A=b"], 2, &["--env", "where the server runs"]);
    check(&["replay", place, "--cwd", "."], 2, &["--cwd", "where the server runs"]);
    write(r#"{"kind": "stdio", "command": ["true"], "cwd": "no/such/folder"}"#);
    check(&["replay", place], 2, &["ran in no/such/folder", "--cwd"]);
    check(&["replay", place, "--cwd", "nowhere"], 2, &["--cwd nowhere: this folder is not there"]);
    check(&["replay", place, "--cwd", "."], 3, &["handshake"]);
    write(r#"{"kind": "stdio", "command": ["true"], "env": ["NO_SUCH_A", "NO_SUCH_B"]}"#);
    check(&["replay", place], 3, &["variables NO_SUCH_A, NO_SUCH_B", "--env NAME=VALUE"]);
    check(&["replay", place, "--env", "NO_SUCH_A=1"], 3, &["a variable NO_SUCH_B", "--env NO_SUCH_B=VALUE"]);
}

#[test]
fn a_file_that_is_no_finding_is_told_with_what_it_is_and_what_to_give() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let findings = "the file of a finding";
    let rows: &[(&str, &str, &str, &str)] = &[
        ("a.jsonl", "{\"jsonrpc\": \"2.0\", \"id\": 1}\n{}\n", "raw messages", "the .json file"),
        ("b.json", "{}", "says no format", findings),
        ("b.jsonl", "{\"jsonrpc\": \"2.0\", \"id\": 1}\n{}\n", "raw messages", "b.json instead"),
        ("trace.ndjson", "{\"sequence\": 1, \"messages\": []}\n{}\n", "the trace of a run", findings),
        ("mcp.json", "{\"format\": \"probity-mcp-report/v1\"}", "the report of a run", findings),
        ("other.json", "{\"format\": \"x/v1\"}", "\"x/v1\"", findings),
        ("words.txt", "some words", "not JSON", findings),
    ];
    for (name, text, what, instead) in rows {
        let place = folder.path().join(name);
        std::fs::write(&place, text).expect("a file is written");
        check(&["replay", place.to_str().expect("a path that is text")], 2, &[name, what, instead]);
    }
}

#[test]
fn a_program_that_is_no_server_is_told_with_what_it_wrote() {
    check(&["mcp", "--", "echo", "hi there"], 3, &["it wrote \"hi there\"", "JSON-RPC"]);
}

#[test]
fn what_draws_nothing_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let named = |name: &str| folder.path().join(name).to_str().expect("a path that is text").to_owned();
    std::fs::write(named("s.json"), r#"{"type": "object"}"#).expect("a file is written");
    std::fs::write(named("api.yaml"), "openapi: 3.1.0\npaths: {/a: {get: {responses: {}}}}").expect("a file");
    check(&["generate", &named("s.json"), "-n", "0"], 0, &["--n 0: nothing is drawn"]);
    check(&["openapi", &named("api.yaml"), "-n", "0"], 0, &["--n 0: nothing is drawn"]);
    check(&["openapi", &named("api.yaml"), "--per-operation", "0"], 0, &["--per-operation 0"]);
    let run = probity(&["openapi", &named("api.yaml"), "--out", "dir", "-o", &named("s.json")], "");
    assert_eq!(run.stderr, format!("error: {}: this is a file; name a folder\n", named("s.json")));
}

#[test]
fn a_wrong_value_in_the_configuration_is_told_with_the_file_and_its_key() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("probity.toml");
    let place = place.to_str().expect("a path that is text");
    let mcp = ["mcp", "--config", place, "--url", "http://127.0.0.1:9"];
    let rows: &[(&str, &str, &str)] = &[
        ("timeout = 0", "mcp.timeout = 0", "above 0"),
        ("max-time = -1", "mcp.max-time = -1", "above 0"),
        ("min-len = 9\nmax-len = 3", "mcp.min-len = 9", "probity.toml: mcp.max-len"),
        ("fail-on = \"bad\"", "mcp.fail-on = \"bad\"", "note, warning or error"),
        ("runs = \"2\"", "runs", "write a whole number, without quotes"),
        ("runs = -2", "runs", "write a whole number from 0 to 4294967295"),
        ("runs = 5000000000", "runs", "write a whole number from 0 to 4294967295"),
        ("seed = -2", "seed", "write a whole number from 0 to 9223372036854775807"),
        ("lints = 5", "lints", "write a table"),
        ("coverage = 5", "coverage", "write a table, as in [mcp.coverage]"),
        ("timeout = \"2\"", "timeout", "write a number, without quotes"),
        ("lenient = \"yes\"", "lenient", "write true or false, without quotes"),
        ("tools = \"a\"", "tools", "write a list, as in"),
        ("reset-cmd = 5", "reset-cmd", "write a text in quotes"),
        ("seed-numbers = [\"5\"]", "seed-numbers", "write a number, without quotes"),
        ("max-len = 0", "mcp.max-len = 0", "at least one call"),
        ("[mcp.lints]\nno-crash = \"bad\"", "mcp.lints.no-crash = \"bad\"", "note, warning or error"),
        ("[mcp.lints]\nno-crsh = \"off\"", "mcp.lints.no-crsh", "no-crash"),
        ("[mcp.coverage]\npercent-called = 0.8", "mcp.coverage.percent-called = 0.8", "80"),
        ("[mcp.coverage]\nmin = 80", "mcp.coverage.min = 80", "from 0 to 1"),
        ("[mcp.coverage]\nprofile = \"slow\"", "mcp.coverage.profile = \"slow\"", "thorough"),
        ("[mcp.coverage]\ndimensions = [\"x\"]", "mcp.coverage.dimensions = \"x\"", "operations"),
        ("[mcp.coverage]\nmode = \"on\"", "mcp.coverage.mode = \"on\"", "measure"),
        ("[mcp.coverage]\nreport-mode = \"x\"", "mcp.coverage.report-mode = \"x\"", "summary"),
        ("[mcp.coverage]\nmode = \"off\"\nmin = 0.5", "mcp.coverage.mode = \"off\"", "leave out"),
        (
            "[mcp.coverage]\nreport = \"/dev/stdout\"\nhtml = \"-\"",
            "mcp.coverage.report",
            "mcp.coverage.html",
        ),
    ];
    for (text, key, instead) in rows {
        std::fs::write(place, format!("[mcp]\n{text}\n")).expect("a configuration is written");
        check(&mcp, 2, &["probity.toml", key, instead]);
        let run = probity(&mcp, "");
        assert!(!run.stderr.contains("--"), "{text}: a flag is named that nobody typed:\n{}", run.stderr);
    }
    std::fs::write(place, "[mcp]\nmin-len = 9\n").expect("a configuration is written");
    check(&[&mcp[..], &["--max-len", "3"]].concat(), 2, &["mcp.min-len = 9", "raise --max-len"]);
}

#[test]
fn a_tool_that_is_not_there_is_told_with_the_place_that_names_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("probity.toml");
    let place = place.to_str().expect("a path that is text");
    let server = ["--", env!("CARGO_BIN_EXE_probity"), "demo-server"];
    std::fs::write(place, "[mcp.coverage]\nallow = [\"chekout\"]\n").expect("a configuration is written");
    let missing = "the server has no tool \"chekout\"";
    check(
        &[&["mcp", "--config", place][..], &server].concat(),
        2,
        &["probity.toml: mcp.coverage.allow = ", missing],
    );
    check(&[&["mcp", "--tool", "chekout"][..], &server].concat(), 2, &["--tool chekout: ", missing]);
    check(
        &[&["mcp", "--list", "--tool", "chekout"][..], &server].concat(),
        2,
        &["--tool chekout: ", missing],
    );
    let tools = ["open_cart", "add_item", "apply_voucher", "remove_item", "checkout"];
    let blocked = tools.map(|tool| format!("--coverage-block={tool}"));
    let blocked: Vec<&str> = blocked.iter().map(String::as_str).collect();
    let all = [&["mcp", "--no-uncalled-tools"][..], &blocked, &server].concat();
    check(&all, 2, &["no tool of the server counts for coverage"]);
}

#[test]
fn what_the_configuration_says_for_every_run_does_not_fail_one_that_has_no_use_for_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("probity.toml");
    let place = place.to_str().expect("a path that is text");
    let text = "[mcp]\nruns = 9\n[mcp.coverage]\nreport-mode = \"summary\"\nexclude-unreachable = false\nprofile = \"quick\"\n";
    std::fs::write(place, text).expect("a configuration is written");
    let server = ["--", env!("CARGO_BIN_EXE_probity"), "demo-server"];
    check(&[&["mcp", "--config", place, "--list"][..], &server].concat(), 0, &[]);
    // What is typed may still shape what the file has measured.
    std::fs::write(place, "[mcp.coverage]\nmode = \"measure\"\n").expect("a configuration is written");
    check(&["mcp", "--config", place, "--url", "http://127.0.0.1:9", "--report-mode", "summary"], 3, &[]);
}
