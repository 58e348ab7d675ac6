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
    action: Value,
}

impl Runner {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the action with inputs; gives what it printed and the code it ended with.
    fn act(&self, inputs: &[(&str, &str)]) -> (String, i32) {
        let output = self.path("github-output");
        let _ = std::fs::remove_file(&output);
        let mut printed = String::new();
        for step in self.action["runs"]["steps"].as_array().expect("the action has steps") {
            let Some(script) = step["run"].as_str() else { continue };
            let code = std::fs::read_to_string(&output).unwrap_or_default();
            let code = code.lines().find_map(|line| line.strip_prefix("code=")).unwrap_or("0").to_owned();
            let filled = |text: &str| {
                let root = workspace::root();
                let mut text =
                    text.replace("${{ github.action_path }}", root.to_str().expect("a path that is text"));
                text = text.replace("${{ steps.run.outputs.code }}", &code);
                inputs.iter().fold(text, |text, (name, value)| {
                    text.replace(&format!("${{{{ inputs.{name} }}}}"), value)
                })
            };
            let env = step["env"].as_object().into_iter().flatten();
            let env: Vec<(&String, String)> =
                env.map(|(name, value)| (name, filled(value.as_str().unwrap_or_default()))).collect();
            assert!(env.iter().all(|(_, value)| !value.contains("${{")), "{env:?}");
            let ended = Command::new("sh")
                .args(["-e", "-c", script])
                .current_dir(self.folder.path())
                .env("PATH", path_with_probity())
                .env("GITHUB_OUTPUT", &output)
                .env("GITHUB_STEP_SUMMARY", self.path("summary.md"))
                .envs(env)
                .output()
                .expect("a shell runs");
            printed.push_str(&String::from_utf8_lossy(&ended.stdout));
            printed.push_str(&String::from_utf8_lossy(&ended.stderr));
            if !ended.status.success() {
                return (printed, ended.status.code().unwrap_or(-1));
            }
        }
        (printed, 0)
    }
}

fn path_with_probity() -> std::ffi::OsString {
    let beside = Path::new(env!("CARGO_BIN_EXE_probity")).parent().expect("a program lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(beside.to_path_buf()).chain(std::env::split_paths(&path));
    std::env::join_paths(all).expect("folders can be joined")
}

fn runner() -> Runner {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run::copy(&workspace::root().join("docs/examples"), folder.path());
    Runner { folder, action: yaml("action.yml") }
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
    let annotations: Vec<&str> = ended
        .iter()
        .flat_map(|(.., printed)| printed.lines())
        .filter(|line| line.starts_with("::"))
        .collect();
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
fn wrong_use_of_the_action_fails_with_the_code_of_the_program() {
    let (printed, code) = runner().act(&[("args", "generate no-such-file.json"), ("reports", "reports")]);
    assert_eq!(code, 2, "{printed}");
    assert!(printed.contains("no-such-file.json"), "{printed}");
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
