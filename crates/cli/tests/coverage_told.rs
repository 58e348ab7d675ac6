//! What coverage tells: the same about a contract wherever it lies, and about people's own files in their own words.

mod run;

use std::path::Path;

use run::probity;
use serde_json::Value;
use tempfile::TempDir;

/// A folder with these files in it.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder is made");
        std::fs::write(path, text).expect("a file is written");
    }
    folder
}

/// Runs the program on files of a folder, each of which is written as `@name`.
#[track_caller]
fn run_in(folder: &Path, line: &str, code: i32) -> (String, String) {
    let place = |word: &str| match word.strip_prefix('@') {
        Some(name) => folder.join(name).display().to_string(),
        None => word.to_owned(),
    };
    let arguments: Vec<String> = line.split(' ').map(place).collect();
    let run = probity(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), "");
    assert_eq!(run.code, Some(code), "{line}\n{}", run.stderr);
    (run.stdout, run.stderr)
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("it is written")
}

/// A report without the times, which are those of the run.
fn timeless(report: &str) -> Value {
    let mut report: Value = serde_json::from_str(report).expect("a report is JSON");
    for name in ["startedAt", "durationMs"] {
        report["run"].as_object_mut().expect("facts of the run").shift_remove(name);
    }
    report
}

#[test]
fn a_contract_of_several_files_is_the_same_in_whichever_folder_it_lies() {
    let schema =
        r#"{"properties": {"a": {"$ref": "addr.json"}, "b": {"$ref": "../common/b.json#/$defs/n"}}}"#;
    let api = "openapi: 3.1.0\npaths:\n  /a:\n    $ref: 'parts/a.yaml#/a'\n";
    let part = "a:\n  get:\n    responses:\n      200:\n        content:\n          application/json:\n            \
                schema: {$ref: '../addr.json'}\n";
    let files: &[(&str, &str)] = &[
        ("main/order.json", schema),
        (
            "main/addr.json",
            r#"{"enum": ["x", "y"], "oneOf": [{"const": "x"}, {"type": "string", "minLength": 1}]}"#,
        ),
        ("common/b.json", r#"{"$defs": {"n": {"type": "integer", "minimum": 1, "titel": "n"}}}"#),
        ("main/api.yaml", api),
        ("main/parts/a.yaml", part),
        ("main/f.ndjson", "{\"b\": 1}\n{}\n"),
    ];
    let check = |line: &str, paths: &[&str]| {
        // One of them lies deeper than the other, so that no relative path of both is right by chance.
        let deeper: Vec<(String, &str)> =
            files.iter().map(|(name, text)| (format!("some/where/else/{name}"), *text)).collect();
        let deeper: Vec<(&str, &str)> = deeper.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        let (one, other) = (folder(files), folder(&deeper));
        let other_place = other.path().join("some/where/else");
        let runs = [one.path(), &other_place].map(|place| {
            let (stdout, _) = run_in(place, &format!("{line} --coverage-report @report.json"), 0);
            (stdout, timeless(&read(place, "report.json")))
        });
        assert_eq!(runs[0], runs[1], "{line}");
        let report = read(one.path(), "report.json");
        assert!(!report.contains("file:"), "{report}");
        for path in paths {
            assert!(report.contains(&format!("\"canonPath\": \"{path}\"")), "{path} is not in {report}");
        }
        std::fs::copy(other_place.join("report.json"), one.path().join("other.json"))
            .expect("a file is copied");
        let (_, said) = run_in(one.path(), "coverage diff @report.json @other.json", 0);
        assert!(!said.contains("added") && !said.contains("removed"), "{said}");
        run_in(one.path(), "coverage merge @report.json @other.json -o @united.json", 0);
    };
    let supplied = "--ref-dir @main --ref-dir @common";
    let schema_paths = &["addr.json#", "addr.json#/oneOf", "../common/b.json#/$defs/n"];
    // A fixture is named on the page only, never in the report.
    check(&format!("coverage measure @main/order.json @main/f.ndjson {supplied}"), schema_paths);
    check(&format!("generate @main/order.json --n 20 {supplied}"), schema_paths);
    check(
        &format!("generate @main/order.json --coverage guided --coverage-profile thorough {supplied}"),
        schema_paths,
    );
    let api_paths = &["addr.json#", "parts/a.yaml#/a/get/responses/200"];
    check("openapi @main/api.yaml --coverage guided --ref-dir @main", api_paths);
}

/// Runs a command in a folder and compares lines of what it says, each of which must be there as a whole.
#[track_caller]
fn check(folder: &Path, line: &str, code: i32, lines: &[&str], never: &[&str]) {
    let (_, said) = run_in(folder, line, code);
    for expected in lines {
        assert!(said.lines().any(|line| line == *expected), "{expected:?} is not a line of\n{said}");
    }
    for words in never {
        assert!(!said.contains(words), "{words:?} is said:\n{said}");
    }
}

#[test]
fn a_difference_says_what_its_figures_count_and_what_each_report_says_of_itself() {
    let files = [
        ("a.json", r#"{"enum": ["x", "y"], "type": "string", "minLength": 1}"#),
        ("b.json", r#"{"enum": ["v", "w", "x", "y"], "type": "string", "minLength": 0}"#),
        ("f.ndjson", "\"x\"\n\"y\"\n"),
    ];
    let folder = folder(&files);
    for name in ["a", "b"] {
        let all = "--coverage-dimensions enum,boundaries";
        let line = format!("coverage measure @{name}.json @f.ndjson {all} --coverage-report @{name}.report");
        run_in(folder.path(), &line, 0);
    }
    let expected = &[
        "overall        100 % -> 100 %  of the targets in both",
        "each by itself 100 % -> 50.0 %  of all targets that the report has",
        "new gaps: 2",
        "  # the value \"w\"",
        "removed: 1",
        "  # the shortest string, length 1",
    ];
    check(
        folder.path(),
        "coverage diff @a.report @b.report",
        1,
        expected,
        &["no longer covered", "value \"x\""],
    );
    check(folder.path(), "coverage diff @a.report @a.report", 0, &[], &["each by itself"]);
    // Where several targets stand in one place, it is told which of them changed.
    let before = read(folder.path(), "a.report");
    let at = before.find("\"enum:#:\\\"y\\\"\"").expect("the target");
    let (head, tail) = before.split_at(at);
    let changed = format!("{head}{}", tail.replacen("\"active\"", "\"unreachable\"", 1));
    std::fs::write(folder.path().join("c.report"), changed).expect("a file is written");
    check(
        folder.path(),
        "coverage diff @a.report @c.report",
        0,
        &["# the value \"y\": active -> unreachable"],
        &[],
    );
    run_in(folder.path(), "coverage diff @a.report @b.report --json @diff.json", 1);
    let json: Value = serde_json::from_str(&read(folder.path(), "diff.json")).expect("a difference is JSON");
    assert_eq!((&json["overall"]["after"], &json["reportedOverall"]["after"]), (&1.0.into(), &0.5.into()));
}

#[test]
fn a_summary_in_markdown_says_how_much_it_leaves_out_and_names_places_as_they_are_written() {
    let values: Vec<u32> = (0..39).collect();
    let schema = serde_json::json!({"$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"k": {"enum": values}}, "items": {"$ref": "#/definitions/k"}});
    let folder = folder(&[("s.json", schema.to_string().as_str()), ("f.json", "[0]")]);
    let line = "coverage measure @s.json @f.json --summary @summary.md";
    let missed = "missed                  #/definitions/k the value 1";
    check(folder.path(), line, 0, &[missed, "                        and 28 more"], &["$defs"]);
    let summary = read(folder.path(), "summary.md");
    for row in ["| missed |  | #/definitions/k the value 1 |", "|  |  | and 28 more |"] {
        assert!(summary.lines().any(|line| line == row), "{row:?} is not in\n{summary}");
    }
}

#[test]
fn a_page_names_the_file_and_the_line_of_the_fixture_that_was_first() {
    let folder = folder(&[
        ("s.json", r#"{"enum": [1, 2, 3]}"#),
        ("f/a.json", "1"),
        ("f/b.ndjson", "1\n\n2\n\"bad\"\n3\n"),
    ]);
    run_in(folder.path(), "coverage measure @s.json @f --coverage-html @page.html", 1);
    let page = read(folder.path(), "page.html");
    let names: Vec<&str> = page.split("\"names\":{").nth(1).expect("the names").split('}').collect();
    for (number, name) in [("0", "f/a.json"), ("2", "f/b.ndjson:3"), ("4", "f/b.ndjson:5")] {
        let name = folder.path().join(name).display().to_string();
        assert!(names[0].contains(&format!("\"{number}\":\"{name}\"")), "{name} is not in {}", names[0]);
    }
    assert!(!names[0].contains("b.ndjson:1"), "it was not the first to hit anything: {}", names[0]);
}

#[test]
fn a_gate_says_which_targets_its_profile_does_not_count() {
    let folder = folder(&[("s.json", r#"{"enum": [1, 2]}"#), ("f.json", "1")]);
    let note = "note: the threshold looks at structure, branches only: the profile quick does not count enum";
    let rows: &[(&str, i32, bool)] = &[
        ("--coverage-min 1 --coverage-profile quick", 0, true),
        ("--coverage-min 0.5 --coverage-profile quick --coverage-dimensions structure,enum", 0, false),
        ("--coverage-profile quick", 0, false),
        ("--coverage-min 1", 4, false),
        ("--coverage-min 1 --coverage-profile thorough", 4, false),
    ];
    for (flags, code, is_told) in rows {
        let (told, never) =
            if *is_told { (&[note][..], &[][..]) } else { (&[][..], &["the threshold looks"][..]) };
        check(folder.path(), &format!("coverage measure @s.json @f.json {flags}"), *code, told, never);
    }
    let (help, _) = run_in(folder.path(), "coverage measure --help", 0);
    let help: Vec<&str> = help.split_whitespace().collect();
    assert!(help.join(" ").contains("quick (structure and branches), balanced (enum too)"), "{help:?}");
}
