//! What CI is told: JUnit that an existing parser reads, SARIF that its schema accepts, Markdown that adds up.

mod run;

use std::path::Path;
use std::process::Command;

use probity_testkit::{skip, workspace};
use run::{assert_fits, probity};
use serde_json::Value;

const SCHEMA: &str = r#"{"type": "object", "required": ["kind"], "properties": {
  "kind": {"enum": ["cat", "dog", "<b>|"]}, "age": {"type": "integer", "minimum": 0}}}"#;

const API: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    get:
      operationId: listPets
      responses:
        200: {description: ok, content: {application/json: {schema: {type: integer}}}}
    post:
      operationId: createPet
      requestBody:
        required: true
        content:
          application/json:
            schema:
              $ref: '#/components/schemas/Pett'
      responses:
        200: {description: ok, content: {application/json: {schema: {type: integer}}}}
components: {schemas: {Pet: {type: object}}}
";

/// A folder with a contract, fixtures of which three are invalid, and a broken API.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file is written");
    std::fs::create_dir(folder.path().join("fix tures")).expect("a folder is made");
    write("pet.json", SCHEMA);
    write("fix tures/good.json", "{\"kind\": \"cat\"}");
    write("fix tures/bad.json", "{\n  \"kind\": \"dog\",\n  \"age\": -1\n}\n");
    write("fix tures/many.ndjson", "{\"kind\": \"dog\"}\n\n{\"kind\": \"<script>alert(1)</script>\"}\n{}\n");
    write("api.yaml", API);
    folder
}

fn at(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().expect("a path that is text").to_owned()
}

fn read(folder: &tempfile::TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).expect("it was written")
}

/// Asks junitparser what is in a file: names of suites, numbers of tests and failures, and the names of what failed.
fn parsed(path: &Path) -> Option<Value> {
    let python = workspace::python("junitparser").join("bin/python");
    if !python.is_file() {
        skip("junitparser is not installed; `cargo xtask deps` does that");
        return None;
    }
    let script = "import json, sys\nfrom junitparser import JUnitXml\nxml = JUnitXml.fromfile(sys.argv[1])\n\
        cases = [case for suite in xml for case in suite]\n\
        print(json.dumps({'suites': [suite.name for suite in xml], 'tests': sum(s.tests for s in xml),\n\
        'failures': sum(s.failures for s in xml), 'failed': [c.name for c in cases if c.is_failure],\n\
        'cases': len(cases)}))";
    let output = Command::new(python).args(["-c", script]).arg(path).output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).expect("the script prints JSON"))
}

#[test]
fn invalid_fixtures_are_test_failures_with_their_place() {
    let folder = folder();
    let (junit, sarif) = (at(&folder, "out.xml"), at(&folder, "out.sarif.json"));
    let arguments = ["coverage", "measure", &at(&folder, "pet.json"), &at(&folder, "fix tures")];
    let more = ["--junit", &junit, "--sarif", &sarif, "--coverage-min", "1"];
    assert_eq!(probity(&[&arguments[..], &more].concat(), "").code, Some(1));
    let log: Value = serde_json::from_str(&read(&folder, "out.sarif.json")).expect("SARIF is JSON");
    let results = log["runs"][0]["results"].as_array().expect("there are results");
    let places: Vec<(String, u64)> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().expect("a file").to_owned();
            (
                uri.rsplit('/').next().unwrap_or_default().to_owned(),
                place["region"]["startLine"].as_u64().unwrap_or(0),
            )
        })
        .collect();
    let expected = [("bad.json", 3), ("many.ndjson", 3), ("many.ndjson", 4)];
    assert_eq!(places, expected.map(|(name, line)| (name.to_owned(), line)));
    assert!(log.to_string().contains("fix%20tures"), "{log}");
    assert_fits("sarif-2.1.0.json", Path::new(&sarif));
    let Some(report) = parsed(Path::new(&junit)) else { return };
    assert_eq!((&report["tests"], &report["failures"], &report["cases"]), (&6.into(), &4.into(), &6.into()));
    assert_eq!(report["failed"][3], "coverage");
}

#[test]
fn regressions_thresholds_and_replays_are_test_failures_too() {
    let folder = folder();
    let schema = at(&folder, "pet.json");
    let (before, after) = (at(&folder, "before.json"), at(&folder, "after.json"));
    for (goal, n) in [(&before, "50"), (&after, "1")] {
        let run =
            probity(&["generate", &schema, "--n", n, "--coverage", "measure", "--coverage-report", goal], "");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let junit = at(&folder, "out.xml");
    let check = |arguments: &[&str], code: i32, failures: &str| {
        let run = probity(&[arguments, &["--junit", &junit]].concat(), "");
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        let Some(report) = parsed(Path::new(&junit)) else { return };
        assert_eq!(report["failures"].to_string(), failures, "{report}");
    };
    let lost = read(&folder, "before.json").matches("\"hit\": true").count()
        - read(&folder, "after.json").matches("\"hit\": true").count();
    check(&["coverage", "diff", &before, &after], 1, &lost.to_string());
    check(&["coverage", "diff", &after, &before], 0, "0");
    check(&["coverage", "merge", &after, "-o", &at(&folder, "m.json"), "--coverage-min", "1"], 4, "1");
    check(&["coverage", "merge", &after, &before, "-o", &at(&folder, "m.json")], 0, "0");
    check(&["generate", &schema, "--n", "1", "--coverage", "measure", "--coverage-min", "1"], 4, "1");
    let server = env!("CARGO_BIN_EXE_probity");
    let replays = at(&folder, "replays");
    let arguments =
        ["mcp", "--runs", "200", "--replay-dir", &replays, "--junit", &junit, "--env", "SHOP_TOKEN=hushed"];
    let run = probity(&[&arguments[..], &["--", server, "demo-server"]].concat(), "");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("-schema.json --env SHOP_TOKEN=VALUE\n"), "{}", run.stderr);
    let finding = read(&folder, "replays/1-structured-content-fits-output-schema.json");
    assert!(finding.contains("SHOP_TOKEN") && !finding.contains("hushed"), "{finding}");
    if let Some(report) = parsed(Path::new(&junit)) {
        assert_eq!((&report["tests"], &report["failed"][0]), (&6.into(), &"checkout".into()));
    }
    check(&["replay", &format!("{replays}/1-structured-content-fits-output-schema.json")], 1, "1");
}

#[test]
fn broken_parts_of_an_api_have_their_line_and_weigh_what_the_user_says() {
    let folder = folder();
    let sarif = at(&folder, "api.sarif.json");
    let check = |more: &[&str], code: i32, level: &str| {
        let arguments =
            ["openapi", &at(&folder, "api.yaml"), "--sarif", &sarif, "-o", &at(&folder, "cases.ndjson")];
        let run = probity(&[&arguments[..], more].concat(), "");
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        let log: Value = serde_json::from_str(&read(&folder, "api.sarif.json")).expect("SARIF is JSON");
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["level"], level, "{log}");
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 16, "{log}");
        assert_fits("sarif-2.1.0.json", Path::new(&sarif));
    };
    check(&[], 0, "warning");
    check(&["--strict"], 2, "error");
}

#[test]
fn lists_and_replays_are_written_for_machines_with_their_format() {
    let folder = folder();
    let server = env!("CARGO_BIN_EXE_probity");
    let check = |arguments: &[&str], code: i32, format: &str| -> Value {
        let run = probity(arguments, "");
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        let data: Value = serde_json::from_str(&run.stdout).expect("standard output is JSON");
        assert_eq!(data["format"], format);
        data
    };
    let list =
        check(&["openapi", &at(&folder, "api.yaml"), "--list", "--json", "-"], 0, "probity-openapi-list/v1");
    assert_eq!(list["operations"][0]["operation"], "listPets");
    let survey =
        check(&["mcp", "--list", "--json", "-", "--", server, "demo-server"], 0, "probity-mcp-survey/v1");
    assert_eq!(
        (&survey["tools"][0]["isCallable"], &survey["tools"][1]["missing"]["at"]),
        (&true.into(), &"/cart".into())
    );
    let replays = at(&folder, "replays");
    let run = ["mcp", "--runs", "200", "--replay-dir", &replays, "--json", "-", "--", server, "demo-server"];
    check(&run, 1, "probity-mcp-report/v1");
    let file = format!("{replays}/1-structured-content-fits-output-schema.json");
    // A pipe that is named like a finding is none, and nobody writes to it.
    let pipe = std::process::Command::new("mkfifo").arg(format!("{replays}/2-pipe.json")).status();
    assert!(pipe.is_ok_and(|status| status.success()), "a pipe can be made");
    let stale = probity(
        &["mcp", "--tool", "open_cart", "--runs", "1", "--replay-dir", &replays, "--", server, "demo-server"],
        "",
    );
    assert!(stale.stderr.contains("also holds a finding that is not of this run: "), "{}", stale.stderr);
    let replayed = check(&["replay", &file, "--json", "-"], 1, "probity-replayed/v1");
    assert_eq!((&replayed["nShown"], &replayed["calls"][4]["tool"]), (&1.into(), &"checkout".into()));
    assert_eq!(probity(&["replay", &file, "--", server, "serve"], "").code, Some(2), "it has no such tools");
    assert_eq!(probity(&["replay", &at(&folder, "pet.json")], "").code, Some(2), "it is no replay");
    let astray = probity(&["mcp", "--cwd", &at(&folder, "nowhere"), "--", server, "demo-server"], "");
    assert!(
        astray.code == Some(2) && astray.stderr.contains("this folder is not there"),
        "{}",
        astray.stderr
    );
    let report = at(&folder, "mcp.json");
    let rule = ["mcp", "--runs", "5", "--max-len", "2", "--no-uncalled-tools", "--json", &report];
    let rule = [&rule[..], &["--coverage", "guided"]].concat();
    assert_eq!(probity(&[&rule[..], &["--", server, "demo-server"]].concat(), "").code, Some(4));
    let schema = workspace::root().join("crates/drive/schemas/mcp-report-v1.schema.json");
    let judged = probity(&["coverage", "measure", &schema.display().to_string(), &report], "");
    assert_eq!(judged.code, Some(0), "warnings, rulings and contracts are in the schema: {}", judged.stderr);
    assert_eq!(
        probity(&["openapi", &at(&folder, "api.yaml"), "--json", "-"], "").code,
        Some(2),
        "--json is for --list"
    );
}

#[test]
fn summaries_add_up_in_one_file_and_hold_no_markup_of_the_contract() {
    let folder = folder();
    let goal = at(&folder, "summary.md");
    let schema = at(&folder, "pet.json");
    let measure = ["coverage", "measure", &schema, &at(&folder, "fix tures"), "--summary", &goal];
    assert_eq!(probity(&measure, "").code, Some(1));
    let generate =
        ["generate", &schema, "--coverage", "guided", "--summary", &goal, "-o", &at(&folder, "x.ndjson")];
    assert_eq!(probity(&generate, "").code, Some(0));
    let server = ["--", env!("CARGO_BIN_EXE_probity"), "demo-server"];
    let drive = ["mcp", "--runs", "2", "--tool", "open_cart", "--coverage", "measure", "--summary", &goal];
    assert_eq!(probity(&[&drive[..], &server].concat(), "").code, Some(0));
    let text = read(&folder, "summary.md");
    assert!(text.starts_with("### probity coverage measure"), "{text}");
    assert_eq!(text.matches("### probity ").count(), 3, "{text}");
    assert!(text.contains("### probity mcp: corner-shop") && text.contains("| open\\_cart |"), "{text}");
    assert!(text.contains("| overall | 100 % |") && text.contains("invalid-instance"), "{text}");
    assert!(text.contains("**passed**\n") && text.contains(" failed\n"), "{text}");
    assert!(!text.contains("<script>") && !text.contains("<b>"), "{text}");
}
