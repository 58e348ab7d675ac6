//! `probity demo`: what it shows, what it leaves, and that it is the same every time.

mod run;

use std::path::Path;
use std::process::Command;

use run::{Run, probity};
use serde_json::Value;

fn demo(folder: &Path) -> Run {
    let run = probity(&["demo", "-o", folder.to_str().expect("a path that is text")], "");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    run
}

#[test]
fn the_demo_covers_a_contract_and_finds_shrinks_and_replays_a_bug() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = demo(folder.path());
    let said = [
        "overall          100 %",
        "found in checkout: structured-content-fits-output-schema",
        "-10 is less than the minimum of 0",
        "     5. checkout ",
        "showed in 1 of 1 replays",
        "probity mcp -- node your-server.js",
    ];
    for words in said {
        assert!(run.stdout.contains(words), "{words:?} is not said:\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("     6. "), "the sequence is not the shortest:\n{}", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn the_demo_leaves_pages_data_and_a_replay_that_shows_the_bug_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    demo(folder.path());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    for page in ["coverage.html", "mcp.html"] {
        assert!(read(page).to_lowercase().starts_with("<!doctype html>"), "{page} is a page");
    }
    let report: Value = serde_json::from_str(&read("coverage.json")).expect("the report is JSON");
    assert_eq!(report["metrics"]["overall"], 1.0);
    let text = |name: &str| folder.path().join(name).to_str().expect("a path that is text").to_owned();
    let measured =
        probity(&["coverage", "measure", &text("order-event.schema.json"), &text("orders.ndjson")], "");
    assert_eq!(measured.code, Some(0), "{}", measured.stderr);
    let again = probity(&["replay", &text("replays/1-structured-content-fits-output-schema.json")], "");
    assert_eq!(again.code, Some(1), "{}", again.stderr);
}

#[test]
fn the_demo_says_the_same_every_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (first, second) = (demo(folder.path()), demo(folder.path()));
    assert_eq!(first.stdout, second.stdout);
}

#[test]
fn the_picture_in_the_readme_shows_what_the_demo_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/demo.svg");
    let picture = std::fs::read_to_string(path).expect("there is a picture");
    let plain = |line: &str| -> String {
        let text = line.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text);
        text.collect::<String>().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    };
    let lines = picture.lines().filter(|line| line.starts_with("<text")).map(plain);
    let words = |line: &str| line.replace('█', "").split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: Vec<String> = lines.skip(1).map(|line| words(&line)).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = Command::new(env!("CARGO_BIN_EXE_probity")).arg("demo").current_dir(folder.path()).output();
    let printed = String::from_utf8_lossy(&run.expect("the program runs").stdout).into_owned();
    let printed: Vec<String> = printed.lines().map(words).collect();
    assert_eq!(shown, printed, "the demo changed; `cargo xtask picture` draws it again");
}

#[test]
fn colours_come_only_where_they_are_wanted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("s.json"), "{\"enum\": [1, 2]}").expect("a schema is written");
    let has_colour = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
        command.args(["generate", "s.json", "--coverage", "measure"]).current_dir(folder.path());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(variables.iter().copied());
        let output = command.output().expect("the program runs");
        assert!(output.status.success());
        output.stderr.contains(&0x1b)
    };
    assert!(!has_colour(&[]), "a pipe is no terminal");
    assert!(has_colour(&[("CLICOLOR_FORCE", "1")]));
    assert!(!has_colour(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn a_folder_that_cannot_be_made_is_named_with_what_to_do() {
    let run = probity(&["demo", "-o", "/dev/null/x"], "");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("-o DIR"), "{}", run.stderr);
}
