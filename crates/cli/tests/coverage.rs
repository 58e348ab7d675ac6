//! Coverage on the command line: measuring, guiding, thresholds, comparing and uniting.

mod run;

use std::path::{Path, PathBuf};

use probity_testkit::workspace;
use run::{Run, probity};
use serde_json::Value;

const PET: &str = r#"{"type": "object", "required": ["kind"], "additionalProperties": false, "properties": {
  "kind": {"enum": ["cat", "dog", "bird", "fish"]},
  "age": {"type": "integer", "minimum": 0, "maximum": 30},
  "home": {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}}}"#;

/// A folder with the schema in it.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let schema = folder.path().join("pet.json");
    std::fs::write(&schema, PET).expect("the schema is written");
    (folder, schema)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path that is text")
}

#[track_caller]
fn check(arguments: &[&str], code: i32, said: &[&str]) -> Run {
    let run = probity(arguments, "");
    assert_eq!(run.code, Some(code), "{}", run.stderr);
    for words in said {
        assert!(run.stderr.contains(words), "{words:?} is not said:\n{}", run.stderr);
    }
    run
}

fn report(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a report")).expect("a report is JSON")
}

#[test]
fn measuring_emits_what_an_ordinary_run_emits() {
    let (_folder, schema) = folder();
    let off = check(&["generate", text(&schema), "--n", "50"], 0, &[]);
    let measured = check(
        &["generate", text(&schema), "--n", "50", "--coverage", "measure"],
        0,
        &["structure", "overall"],
    );
    assert_eq!(off.stdout, measured.stdout);
}

/// A value and a branch that no instance can have.
const NARROW: &str = r#"{"type": "object", "required": ["kind"], "properties": {
  "kind": {"type": "string", "enum": ["cat", 7]},
  "home": {"type": "string", "oneOf": [{"minLength": 3}, {"type": "null"}]}}}"#;

#[test]
fn what_no_instance_can_hit_is_proven_whoever_made_the_instances() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| text(&folder.path().join(name)).to_owned();
    let (schema, instance, api) = (place("narrow.json"), place("cat.json"), place("api.json"));
    let document = format!(
        r##"{{"openapi": "3.1.0", "info": {{"title": "t", "version": "1"}}, "paths": {{"/a": {{"post": {{
  "requestBody": {{"content": {{"application/json": {{"schema": {{"$ref": "#/components/schemas/A"}}}}}}}},
  "responses": {{}}}}}}}}, "components": {{"schemas": {{"A": {NARROW}}}}}}}"##
    );
    for (path, text) in [(&schema, NARROW), (&instance, r#"{"kind": "cat"}"#), (&api, &document)] {
        std::fs::write(path, text).expect("a file is written");
    }
    let commands: [&[&str]; 4] = [
        &["coverage", "measure", &schema, &instance],
        &["generate", &schema, "--coverage", "measure"],
        &["generate", &schema, "--coverage", "guided"],
        &["openapi", &api, "--coverage", "measure", "--per-operation", "10"],
    ];
    for command in commands {
        check(command, 0, &[" 3 unreachable (excluded from coverage)"]);
    }
    check(&[commands[0], &["--coverage-exclude-unreachable", "false"]].concat(), 0, &["counted as missed"]);
}

#[test]
fn a_guided_run_covers_everything_with_few_instances() {
    let (folder, schema) = folder();
    let goal = folder.path().join("coverage.json");
    let run = check(
        &[
            "generate",
            text(&schema),
            "--coverage",
            "guided",
            "--coverage-profile",
            "thorough",
            "--coverage-min",
            "1",
            "--coverage-report",
            text(&goal),
        ],
        0,
        &["branches", "enum", "100"],
    );
    assert!(run.stdout.lines().count() <= 6, "{}", run.stdout);
    let report = report(&goal);
    assert_eq!(report["version"], "coverage-report/v1");
    assert_eq!(report["metrics"]["overall"], 1.0);
}

#[test]
fn a_guided_run_hits_no_less_than_an_ordinary_one_of_as_many_instances() {
    let (folder, pet) = folder();
    let user = workspace::root().join("docs/examples/user.schema.json");
    let goal = folder.path().join("report.json");
    for schema in [&pet, &user] {
        for (n, seed) in [("1", "42"), ("1", "1"), ("1", "7"), ("2", "42"), ("3", "3")] {
            let overall = |mode: &str| {
                let run = ["generate", text(schema), "--n", n, "--seed", seed, "--coverage", mode];
                check(&[&run[..], &["--coverage-report", text(&goal)]].concat(), 0, &[]);
                report(&goal)["metrics"]["overall"].as_f64().expect("a figure")
            };
            assert!(overall("guided") >= overall("measure"), "{} {n} {seed}", schema.display());
        }
    }
}

#[test]
fn a_guided_run_is_the_same_on_any_number_of_threads() {
    let (folder, schema) = folder();
    let run = |threads: &str| {
        let goal = folder.path().join(format!("{threads}.json"));
        let arguments = ["generate", text(&schema), "--coverage", "guided", "--threads", threads];
        let run = check(&[&arguments[..], &["--coverage-report", text(&goal)]].concat(), 0, &[]);
        let mut report = report(&goal);
        for time in ["startedAt", "durationMs"] {
            report["run"][time] = Value::Null;
        }
        (run.stdout, report)
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn a_threshold_that_is_not_met_is_exit_code_4_with_the_gaps_named_and_the_data_there() {
    let (_folder, schema) = folder();
    let arguments =
        ["generate", text(&schema), "--n", "1", "--coverage", "measure", "--coverage-min", "0.99"];
    let run = check(&arguments, 4, &["not met", "missed"]);
    assert_eq!(run.stdout.lines().count(), 1);
}

#[test]
fn metrics_tell_what_coverage_took() {
    let (_folder, schema) = folder();
    for mode in ["measure", "guided"] {
        let arguments = ["generate", text(&schema), "--coverage", mode, "--metrics"];
        check(&arguments, 0, &["generate ", "validate ", "coverage ", "looked at"]);
    }
}

#[test]
fn a_threshold_or_a_report_alone_asks_for_measuring() {
    let (folder, schema) = folder();
    let plain = check(&["generate", text(&schema), "--n", "1"], 0, &[]);
    let gated = check(&["generate", text(&schema), "--n", "1", "--coverage-min", "0.99"], 4, &["not met"]);
    assert_eq!(plain.stdout, gated.stdout);
    let goal = folder.path().join("report.json");
    check(&["generate", text(&schema), "--coverage-report", text(&goal)], 0, &["overall"]);
    assert_eq!(report(&goal)["engine"]["coverageMode"], "measure");
}

#[test]
fn a_threshold_or_a_report_contradicts_no_coverage() {
    let (folder, schema) = folder();
    let (goal, toml) = (folder.path().join("report"), folder.path().join("probity.toml"));
    let write = |text: &str| std::fs::write(&toml, text).expect("a configuration is written");
    let mcp = ["mcp", "--config", text(&toml), "--url", "http://127.0.0.1:9"];
    write("");
    for command in [&["generate", text(&schema)][..], &["openapi", text(&schema)], &mcp] {
        for (flag, value) in
            [("--coverage-min", "0.5"), ("--coverage-report", text(&goal)), ("--coverage-html", text(&goal))]
        {
            let arguments = [command, &["--coverage", "off", flag, value]].concat();
            check(&arguments, 2, &["--coverage off", flag, "leave out one"]);
        }
    }
    write("[mcp.coverage]\nmode = \"off\"\nmin = 0.5\n");
    check(&mcp, 2, &["coverage.mode", "coverage.min"]);
    check(&[&mcp[..], &["--coverage", "off"]].concat(), 3, &[]);
    check(&[&mcp[..], &["--coverage-min", "0.5"]].concat(), 3, &[]);
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_any_work() {
    let (folder, schema) = folder();
    let schema = text(&schema);
    let (none, same) = (folder.path().join("none/x.json"), folder.path().join("x.json"));
    let (none, same) = (text(&none), text(&same));
    let is_not_there = "none/x.json: the folder";
    let generate = &["generate", schema, "-o", "-"][..];
    // What is read is not there either, and is not come to.
    let (measure, openapi) = (["coverage", "measure", "no.json", "no.json"], ["openapi", "no.yaml"]);
    let (diff, merge) = (["coverage", "diff", "no.json", "no.json"], ["coverage", "merge", "no.json"]);
    let (replay, mcp) = (["replay", "no.json"], ["mcp", "--url", "http://127.0.0.1:9"]);
    let rows: &[(&[&str], &[&str])] = &[
        (&["generate", schema], &["-o"]),
        (generate, &["--coverage-report", "--coverage-html", "--junit", "--summary"]),
        (&measure, &["--coverage-report", "--coverage-html", "--junit", "--summary", "--sarif"]),
        (&openapi, &["-o", "--coverage-report", "--coverage-html", "--junit", "--summary", "--sarif"]),
        (&diff, &["--json", "--junit", "--summary"]),
        (&merge, &["-o", "--coverage-html", "--junit", "--summary"]),
        (&replay, &["--json", "--junit", "--summary"]),
        (&mcp, &["--json", "--junit", "--summary", "--html", "--trace", "--coverage-report"]),
    ];
    for (command, flags) in rows {
        for flag in *flags {
            let run = check(&[command, &[*flag, none][..]].concat(), 2, &[is_not_there, "is not there"]);
            assert!(run.stdout.is_empty() && !run.stderr.contains("no.json"), "{flag}: {}", run.stderr);
        }
    }
    let below = folder.path().join("pet.json/x");
    check(&[&mcp[..], &["--replay-dir", text(&below)]].concat(), 2, &["pet.json is no folder"]);
    check(&[&openapi[..], &["--out", "dir", "-o", text(&below)]].concat(), 2, &["pet.json is no folder"]);
    check(&[generate, &["--junit", "-"]].concat(), 2, &["-o and --junit", "standard output"]);
    check(
        &[generate, &["--junit", same, "--coverage-html", same]].concat(),
        2,
        &["--coverage-html and --junit"],
    );
    assert!(!Path::new(same).exists());
}

#[test]
fn a_dash_is_standard_output_for_every_output() {
    let (folder, schema) = folder();
    let data = folder.path().join("data.ndjson");
    let starts = |run: &Run, text: &str| assert!(run.stdout.starts_with(text), "{}", run.stdout);
    let generate = ["generate", text(&schema), "-o", text(&data)];
    for (flag, start) in
        [("--coverage-report", "{"), ("--coverage-html", "<!"), ("--junit", "<?xml"), ("--summary", "###")]
    {
        starts(&check(&[&generate[..], &[flag, "-"]].concat(), 0, &[]), start);
    }
    let measure = ["coverage", "measure", text(&schema), text(&data), "--sarif", "-"];
    starts(&check(&measure, 0, &[]), "{");
    let server = ["--", env!("CARGO_BIN_EXE_probity"), "demo-server"];
    let mcp = ["mcp", "--runs", "1", "--tool", "open_cart"];
    for (flag, start) in [("--trace", "{"), ("--html", "<!"), ("--json", "{")] {
        starts(&check(&[&mcp[..], &[flag, "-"], &server].concat(), 0, &[]), start);
    }
    assert!(!Path::new("-").exists());
}

#[test]
fn fixtures_are_measured_and_the_invalid_ones_are_named() {
    let (folder, schema) = folder();
    let fixtures = folder.path().join("fixtures");
    std::fs::create_dir(&fixtures).expect("a folder is made");
    std::fs::write(fixtures.join("cat.json"), r#"{"kind": "cat"}"#).expect("a fixture is written");
    std::fs::write(fixtures.join("more.ndjson"), "{\"kind\": \"dog\", \"age\": 0}\n\n{\"kind\": \"cow\"}\n")
        .expect("fixtures");
    let page = folder.path().join("page.html");
    let run = check(
        &["coverage", "measure", text(&schema), text(&fixtures), "--coverage-html", text(&page)],
        1,
        &["more.ndjson:3", "#/kind", "enum"],
    );
    assert!(run.stderr.contains("overall"), "{}", run.stderr);
    let page = std::fs::read_to_string(page).expect("the page");
    assert!(page.contains(&format!("2 valid of 3 instances in {}", text(&fixtures))), "{page}");
    assert!(!page.contains("seed 0") && !page.contains("at most"), "{page}");
    std::fs::write(fixtures.join("bad.ndjson"), "{\"kind\": \"dog\"}\nnonsense\n").expect("fixtures");
    let (goal, junit) = (folder.path().join("report.json"), folder.path().join("junit.xml"));
    for (name, broken) in
        [("empty.json", &b""[..]), ("cut.json", b"{\n\"kind\": "), ("latin.json", b"\"\xe9\"")]
    {
        std::fs::write(fixtures.join(name), broken).expect("a fixture is written");
    }
    std::os::unix::fs::symlink("nowhere", fixtures.join("lost.json")).expect("a link is made");
    let arguments = ["coverage", "measure", text(&schema), text(&fixtures), "--coverage-report", text(&goal)];
    let said = &[
        "bad.ndjson:2: at column 2: not JSON",
        "empty.json: the text is empty; an instance",
        "cut.json: at line 2",
        "latin.json: byte 1 is not UTF-8",
        "lost.json: cannot be read",
        "more.ndjson:3: at #/kind",
        "overall",
    ];
    check(&[&arguments[..], &["--junit", text(&junit)]].concat(), 1, said);
    assert_eq!(report(&goal)["run"]["actualInstances"], 3);
    let junit = std::fs::read_to_string(junit).expect("the test results");
    assert_eq!(junit.matches("<testcase").count(), 9, "{junit}");
    assert_eq!(junit.matches("<failure").count(), 6, "{junit}");
}

#[test]
fn what_is_judged_in_another_way_than_it_may_be_meant_is_told_with_what_to_do() {
    let (folder, schema) = folder();
    let fixture = folder.path().join("fixture.json");
    let rows: &[(&str, &str, &[&str])] = &[
        (r#"[{"kind": "cat"}, {"kind": "dog"}]"#, "", &["this array is judged as one instance", ".ndjson"]),
        (
            "{\"kind\": \"cat\"}\n{\"kind\": \"dog\"}\n",
            "",
            &["not JSON", "one per line in a file that ends in .ndjson"],
        ),
        (
            "{}",
            r#"{"required": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]}"#,
            &["fixture.json: and 1 more violation"],
        ),
    ];
    for (instance, contract, said) in rows {
        std::fs::write(&fixture, instance).expect("a fixture is written");
        if !contract.is_empty() {
            std::fs::write(&schema, contract).expect("a schema is written");
        }
        check(&["coverage", "measure", text(&schema), text(&fixture)], 1, said);
    }
    std::fs::write(&schema, r#"{"type": "string", "minLength": 2, "maxLength": 1}"#)
        .expect("a schema is written");
    let said = &["the contract admits no value", "minLength 2 is more than maxLength 1"];
    check(&["coverage", "measure", text(&schema), text(&fixture)], 2, said);
}

#[test]
fn nothing_to_judge_is_no_success() {
    let (folder, schema) = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("none")).expect("a folder is made");
    std::fs::write(at("none/read.me"), "{}").expect("a file is written");
    std::fs::write(at("empty.ndjson"), "\n\n").expect("a file is written");
    let measure = ["coverage", "measure", text(&schema)];
    let check_path = |name: &str, code: i32, said: &[&str]| {
        check(&[&measure[..], &[text(&at(name))]].concat(), code, said)
    };
    check_path("none", 2, &["no .json, .ndjson or .jsonl file in", "none"]);
    check_path("empty.ndjson", 2, &["no instance in", "empty.ndjson"]);
    check_path("absent.json", 2, &["absent.json", "cannot be read"]);
    std::fs::copy(at("empty.ndjson"), at("none/empty.ndjson")).expect("a file is copied");
    check_path("none", 2, &["no instance in"]);
    std::fs::write(at("none/cat.json"), r#"{"kind": "cat"}"#).expect("a fixture is written");
    check_path("none", 0, &["overall"]);
}

#[test]
fn reports_are_compared_and_united() {
    let (folder, schema) = folder();
    let make = |name: &str, n: &str, seed: &str| {
        let goal = folder.path().join(name);
        let arguments = [
            "generate",
            text(&schema),
            "--n",
            n,
            "--seed",
            seed,
            "--coverage",
            "measure",
            "--coverage-report",
            text(&goal),
        ];
        check(&arguments, 0, &[]);
        goal
    };
    let (small, large, other) =
        (make("a.json", "1", "1"), make("b.json", "200", "1"), make("c.json", "1", "2"));
    check(&["coverage", "diff", text(&small), text(&large)], 0, &["newly covered"]);
    check(&["coverage", "diff", text(&large), text(&small)], 1, &["no longer covered"]);
    let run = check(&["coverage", "diff", "--json", "-", text(&large), text(&small)], 1, &[]);
    let changes: Value = serde_json::from_str(&run.stdout).expect("the difference is JSON");
    assert_eq!(changes["version"], "coverage-diff/v1");

    let united = folder.path().join("all.json");
    check(&["coverage", "merge", text(&small), text(&other), "-o", text(&united)], 0, &["overall"]);
    let overall = |path: &Path| report(path)["metrics"]["overall"].as_f64().expect("a figure");
    assert!(overall(&united) >= overall(&small).max(overall(&other)));
    let over = ["coverage", "merge", text(&small), text(&other), "-o", text(&other)];
    check(&over, 2, &["c.json: this file is read, and would be written over"]);
    check(&["coverage", "merge", text(&small), text(&small)], 2, &["a.json: this report is named twice"]);
    let copy = folder.path().join("copy.json");
    std::fs::copy(&small, &copy).expect("a file is copied");
    let page = folder.path().join("united.html");
    let twice = ["coverage", "merge", text(&small), text(&copy), "--coverage-html", text(&page)];
    check(&twice, 0, &["are the same report", "2 instances"]);
    assert!(std::fs::read_to_string(page).expect("the page").contains("2 instances of 2 reports: "));

    let summary = folder.path().join("summary.json");
    let generate =
        ["generate", text(&schema), "--coverage-report", text(&summary), "--report-mode", "summary"];
    check(&[&generate[..], &["--n", "1"]].concat(), 0, &["1 instance\n"]);
    let alone = folder.path().join("alone.json");
    check(
        &["generate", text(&schema), "--coverage-dimensions", "enum", "--coverage-report", text(&alone)],
        0,
        &[],
    );
    let foreign = folder.path().join("foreign.json");
    let user = workspace::root().join("docs/examples/user.schema.json");
    check(&["generate", text(&user), "--n", "1", "--coverage-report", text(&foreign)], 0, &[]);
    check(&["coverage", "diff", text(&small), text(&foreign)], 1, &["reports of different contracts"]);
    for command in ["diff", "merge"] {
        check(
            &["coverage", command, text(&small), text(&summary)],
            2,
            &["summary.json: this is a summary", "--report-mode full"],
        );
        check(&["coverage", command, text(&small), text(&schema)], 2, &["pet.json", "no coverage report"]);
    }
    check(&["coverage", "merge", text(&small), text(&alone)], 2, &["alone.json: this is about", "a.json"]);
}

#[test]
fn united_reports_are_judged_by_the_threshold_that_is_given_for_them_and_by_no_other() {
    let (folder, schema) = folder();
    let [strict, lax] = [("strict.json", "1", 4), ("lax.json", "0", 0)].map(|(name, least, code)| {
        let goal = folder.path().join(name);
        let seed = ["generate", text(&schema), "--n", "1", "--seed", least];
        let rest = ["--coverage-min", least, "--coverage-report", text(&goal)];
        check(&[&seed[..], &rest].concat(), code, &[]);
        goal
    });
    for (first, second) in [(&strict, &lax), (&lax, &strict)] {
        let merge = ["coverage", "merge", text(first), text(second)];
        let run = check(&merge, 0, &["overall"]);
        let united: Value = serde_json::from_str(&run.stdout).expect("a report is JSON");
        assert!(united["metrics"].get("thresholds").is_none_or(Value::is_null), "{united}");
        check(&[&merge[..], &["--coverage-min", "0.1"]].concat(), 0, &["threshold"]);
        check(&[&merge[..], &["--coverage-min", "1"]].concat(), 4, &["not met"]);
    }
}

#[test]
fn an_enumeration_that_is_only_sampled_is_told_wherever_it_counts_as_covered() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name);
    let values: Vec<u32> = (0..2_500).collect();
    std::fs::write(place("many.json"), serde_json::json!({ "enum": values }).to_string()).expect("a schema");
    let (page, summary) = (place("page.html"), place("summary.md"));
    let reports = ["--coverage-html", text(&page), "--summary", text(&summary)];
    let generate = ["generate", text(&place("many.json")), "--n", "1"].map(str::to_owned);
    let generate: Vec<&str> = generate.iter().map(String::as_str).chain(reports).collect();
    check(&generate, 0, &["samples", "1500 values of 1 long enumeration are no targets"]);
    for (file, words) in
        [(&page, "only 1000, evenly spread"), (&summary, "1500 values of 1 long enumeration")]
    {
        let told = std::fs::read_to_string(file).expect("it is written");
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn wrong_use_is_explained() {
    let (folder, schema) = folder();
    for (percent, said) in [("0.8", "write 80 "), ("101", "from 0 to 100"), ("NaN", "from 0 to 100")] {
        let mcp = ["mcp", "--url", "http://127.0.0.1:9", "--percent-called", percent];
        check(&mcp, 2, &["--percent-called", said]);
    }
    check(&["mcp", "--url", "http://127.0.0.1:9", "--percent-called", "80"], 3, &[]);
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, "{\"version\": \"coverage-report/v9\"}").expect("a file is written");
    check(&["coverage", "diff", text(&broken), text(&broken)], 2, &["broken.json"]);
    check(&["generate", text(&schema), "--coverage", "measure", "--coverage-min", "80"], 2, &["from 0 to 1"]);
    let guided = ["generate", text(&schema), "--coverage", "guided"];
    check(&[&guided[..], &["--coverage-dimensions", "colour"]].concat(), 2, &["colour", "boundaries"]);
    check(&[&guided[..], &["--coverage-profile", "heroic"]].concat(), 2, &["heroic", "thorough"]);
    check(&[&guided[..], &["--shard", "1/2"]].concat(), 2, &["planned as a whole"]);
}
