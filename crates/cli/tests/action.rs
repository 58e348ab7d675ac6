//! The GitHub action and the workflow that the guide shows: their steps run here, as scripts, in the order they stand.
//!
//! Steps of other actions (checking out, uploading) are left out; all jobs share one folder, which is what downloading comes to.

mod run;

use std::path::{Path, PathBuf};
use std::process::Command;

use probity_schema::{Limits, TextForm, read_value};
use probity_testkit::workspace;
use serde_json::Value;

fn yaml(path: &str) -> Value {
    let text = std::fs::read_to_string(workspace::root().join(path)).expect("the file is there");
    read_value(&text, TextForm::Yaml, &Limits::default()).expect("it is YAML")
}

/// A folder in which a workflow runs, with what GitHub's runner would keep for it.
struct Runner {
    folder: tempfile::TempDir,
    /// Where steps may leave what goes with the job.
    temp: PathBuf,
    action: Value,
}

impl Runner {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the steps of the last use handed on.
    fn outputs(&self) -> Vec<(String, String)> {
        let text = std::fs::read_to_string(self.path("github-output")).unwrap_or_default();
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// What is in a folder, by name.
    fn listed(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).into_iter().flatten();
        let names = entries.map(|entry| entry.expect("the folder is readable").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs the action with inputs; gives what it printed and the code it ended with.
    fn act(&self, inputs: &[(&str, &str)]) -> (String, i32) {
        let _ = std::fs::remove_file(self.path("github-output"));
        let (mut printed, mut code) = (String::new(), 0);
        for step in self.action["runs"]["steps"].as_array().expect("the action has steps") {
            let Some(script) = step["run"].as_str() else { continue };
            // Nothing is ever cancelled here, so that such a condition means "whatever happened before".
            if code != 0 && !step["if"].as_str().unwrap_or_default().contains("cancelled()") {
                continue;
            }
            let env = step["env"].as_object().into_iter().flatten();
            let env: Vec<(&String, String)> = env
                .map(|(name, value)| (name, self.filled(value.as_str().unwrap_or_default(), inputs)))
                .collect();
            assert!(env.iter().all(|(_, value)| !value.contains("${{")), "{env:?}");
            let ended = Command::new("sh")
                .args(["-e", "-c", script])
                .current_dir(self.folder.path())
                .env("PATH", path_with_probity())
                .env("GITHUB_OUTPUT", self.path("github-output"))
                .env("GITHUB_STEP_SUMMARY", self.path("summary.md"))
                .env("RUNNER_TEMP", &self.temp)
                .envs(env)
                .output()
                .expect("a shell runs");
            printed.push_str(&String::from_utf8_lossy(&ended.stdout));
            printed.push_str(&String::from_utf8_lossy(&ended.stderr));
            if !ended.status.success() {
                code = ended.status.code().unwrap_or(-1);
            }
        }
        (printed, code)
    }

    /// A text of the action with the values that its expressions have.
    fn filled(&self, text: &str, inputs: &[(&str, &str)]) -> String {
        let root = workspace::root();
        let root = root.to_str().expect("a path that is text");
        let mut text = text.replace("${{ github.action_path }}", root);
        for (name, about) in self.action["inputs"].as_object().into_iter().flatten() {
            let given = inputs.iter().find(|(given, _)| *given == name.as_str()).map(|(_, value)| *value);
            let value = given.or(about["default"].as_str()).unwrap_or_default();
            text = text.replace(&format!("${{{{ inputs.{name} }}}}"), value);
        }
        for (name, value) in self.outputs() {
            text = text.replace(&format!("${{{{ steps.run.outputs.{name} }}}}"), &value);
        }
        // An output that no step set is empty.
        if text.starts_with("${{ steps.run.outputs.") { String::new() } else { text }
    }
}

/// The lines that GitHub shows beside the code and with the job.
fn annotations(printed: &str) -> Vec<&str> {
    printed.lines().filter(|line| line.starts_with("::")).collect()
}

/// What one use of the action comes to: its exit code, and how each of its annotations begins.
#[track_caller]
fn check(runner: &Runner, args: &str, code: i32, expected: &[&str]) {
    let (printed, ended) = runner.act(&[("args", args)]);
    let told = annotations(&printed);
    assert_eq!(ended, code, "{args}: {printed}");
    assert_eq!(told.len(), expected.len(), "{args}: {printed}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{args}: {told}");
    }
}

/// What is annotated about the instances in `broken/`.
const BROKEN: &[&str] = &[
    "::error file=broken/writers.ndjson,line=2,title=invalid-instance::at #/id: 0 is less than",
    "::error file=broken/writers.ndjson,line=2,title=invalid-instance::at #/role: ",
];
/// What is annotated about the server of the demonstration.
const BUG: &[&str] = &["::error title=checkout%3A structured-content-fits-output-schema::"];

fn path_with_probity() -> std::ffi::OsString {
    let beside = Path::new(env!("CARGO_BIN_EXE_probity")).parent().expect("a program lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(beside.to_path_buf()).chain(std::env::split_paths(&path));
    std::env::join_paths(all).expect("folders can be joined")
}

fn runner() -> Runner {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run::copy(&workspace::root().join("docs/examples"), folder.path());
    let temp = folder.path().to_path_buf();
    Runner { folder, temp, action: yaml("action.yml") }
}

#[test]
fn the_workflow_of_the_guide_runs_job_by_job() {
    let runner = runner();
    let workflow = yaml("docs/examples/workflows/contracts.yml");
    let mut ended = Vec::new();
    for (job, about) in workflow["jobs"].as_object().expect("there are jobs") {
        let shards = about["strategy"]["matrix"]["shard"].as_array().cloned().unwrap_or(vec![Value::Null]);
        for shard in shards {
            for step in about["steps"].as_array().expect("a job has steps") {
                if step["uses"] != "./.probity" {
                    continue;
                }
                let args = step["with"]["args"].as_str().expect("the action has arguments");
                let args = args.replace("${{ matrix.shard }}", &shard.to_string());
                let (printed, code) = runner.act(&[("args", &args), ("reports", &format!("reports-{job}"))]);
                ended.push((job.clone(), code, printed));
            }
        }
    }
    let codes: Vec<(&str, i32)> = ended.iter().map(|(job, code, _)| (job.as_str(), *code)).collect();
    let expected = [("data", 0), ("data", 0), ("data", 0), ("coverage", 0), ("fixtures", 1), ("server", 1)];
    assert_eq!(codes, expected, "{ended:#?}");
    let annotations: Vec<&str> = ended.iter().flat_map(|(.., printed)| annotations(printed)).collect();
    assert_eq!(annotations.len(), 3, "{annotations:#?}");
    assert_eq!(
        annotations[0],
        "::error file=broken/writers.ndjson,line=2,title=invalid-instance::at #/id: 0 is less than the minimum of 1"
    );
    assert!(
        annotations[2].starts_with("::error title=checkout%3A structured-content-fits-output-schema::"),
        "{annotations:#?}"
    );
    let summary = std::fs::read_to_string(runner.path("summary.md")).expect("there is a summary");
    assert_eq!(summary.matches("### probity ").count(), 6, "{summary}");
    for report in
        ["reports-server/mcp.html", "reports-server/replays", "reports-coverage/coverage.html", "whole.json"]
    {
        assert!(runner.path(report).exists(), "there is no {report}");
    }
}

#[test]
fn each_use_in_a_job_tells_and_keeps_its_own_findings_and_no_others() {
    let runner = runner();
    std::fs::create_dir(runner.path("probity-reports")).expect("a folder can be made");
    std::fs::write(runner.path("probity-reports/notes.txt"), "mine").expect("a file is written");
    check(&runner, "coverage measure user.schema.json broken/", 1, BROKEN);
    check(&runner, "generate user.schema.json", 0, &[]);
    let kept = ["coverage.html", "findings.sarif.json", "junit.xml", "notes.txt"];
    assert_eq!(runner.listed("probity-reports"), kept);
    assert_eq!(runner.listed("probity-reports-2"), ["junit.xml"]);
    for (name, value) in [("reports", "probity-reports-2"), ("artifact", "probity-2"), ("code", "0")] {
        assert!(runner.outputs().contains(&(name.to_owned(), value.to_owned())), "{:?}", runner.outputs());
    }
}

#[test]
fn what_args_asks_for_wins_over_what_the_action_adds() {
    let runner = runner();
    let own = "coverage measure user.schema.json broken/ --junit a.xml --sarif=a.sarif --summary a.md";
    check(&runner, &format!("{own} --coverage-html=a.html"), 1, BROKEN);
    let own = "mcp --runs 200 --junit=b.xml --json b.json --html=b.html --replay-dir b --summary=b.md";
    check(&runner, &format!("{own} -- probity demo-server"), 1, BUG);
    assert_eq!(runner.listed("probity-reports"), Vec::<String>::new());
    assert!(!runner.path("summary.md").exists());
    for report in ["a.xml", "a.sarif", "a.md", "a.html", "b.xml", "b.json", "b.html", "b", "b.md"] {
        assert!(runner.path(report).exists(), "there is no {report}");
    }
    check(&runner, "mcp --list -- probity demo-server", 0, &[]);
    check(&runner, "openapi pets.yaml --list", 0, &[]);
    check(&runner, "openapi pets.yaml --coverage=off", 0, &[]);
    check(&runner, "openapi pets.yaml --coverage off", 0, &[]);
    // What follows `--` is the server's.
    check(&runner, "mcp --runs 200 -- sh -c 'exec probity demo-server' --list --junit=c.xml", 1, BUG);
}

#[test]
fn args_are_read_as_in_a_shell() {
    let runner = runner();
    let schema = std::fs::read(runner.path("user.schema.json")).expect("the schema is there");
    std::fs::write(runner.path("my schema.json"), schema).expect("a file is written");
    check(&runner, "generate 'my schema.json' --n 1 -o \"my data.ndjson\"", 0, &[]);
    check(&runner, "coverage measure user.schema.json my*.ndjson", 0, &[]);
    check(
        &runner,
        "generate user.schema.json\n  # A line of comment.\n  --n 1 \\\n  -o lines.ndjson\n",
        0,
        &[],
    );
    check(&runner, "generate user.schema.json --n 1 > printed.ndjson", 0, &[]);
    let read = |name: &str| std::fs::read_to_string(runner.path(name)).unwrap_or_default();
    let expected = read("my data.ndjson");
    assert_eq!(expected.lines().count(), 1);
    assert_eq!((read("lines.ndjson"), read("printed.ndjson")), (expected.clone(), expected));
}

#[test]
fn commands_without_reports_run_too() {
    let runner = runner();
    for args in ["--version", "--help", "help mcp", "config", "completions bash", "demo -o shown"] {
        check(&runner, args, 0, &[]);
    }
    assert!(!runner.path("probity-reports").exists());
}

#[test]
fn wrong_use_of_the_action_fails_with_the_code_of_the_program_and_says_why() {
    let mut runner = runner();
    let old = "<testcase name=\"old\"><failure type=\"old\" message=\"of another run\"/></testcase>";
    std::fs::write(runner.path("old.xml"), old).expect("a file is written");
    let rows = [
        ("", 2, "::error title=probity%3A exit code 2::args is empty; write "),
        ("generate none.json", 2, "::error title=probity%3A exit code 2::none.json: cannot be read"),
        (
            "generate user.schema.json --n 1 && probity generate none.json",
            2,
            "::error title=probity%3A exit code 2::none.json: cannot be read",
        ),
        ("generate none.json && echo fine", 2, "::error title=probity%3A exit code 2::none.json: "),
        ("generate none.json --junit old.xml", 2, "::error title=probity%3A exit code 2::none.json: "),
        ("generate 'none.json", 2, "::error title=probity%3A exit code 2::"),
        ("nonsense", 2, "::error title=probity%3A exit code 2::unrecognized subcommand 'nonsense'%0A"),
        ("mcp --list -- no-such-program", 3, "::error title=probity%3A exit code 3::cannot start "),
        ("mcp -- no-such-program", 3, "::error title=the server as a whole%3A stopped::the run could "),
    ];
    for (args, code, expected) in rows {
        check(&runner, args, code, &[expected]);
    }
    // Where nothing can be kept, nothing is run; the job fails all the same.
    runner.temp = runner.path("nowhere");
    check(&runner, "--version", 2, &["::error title=probity%3A exit code 2::see the log"]);
}

#[test]
fn the_action_and_the_workflow_are_what_github_expects() {
    for (path, schema) in [
        ("action.yml", "github-action.json"),
        ("docs/examples/workflows/contracts.yml", "github-workflow.json"),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let document = folder.path().join("document.json");
        std::fs::write(&document, yaml(path).to_string()).expect("a file is written");
        run::assert_fits(schema, &document);
    }
}
