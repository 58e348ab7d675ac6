//! The git server: every call needs the path of the repository, and children of its own do the work.

use std::process::Command;

use probity_drive::mcp::Server;

use crate::sandbox::Sandbox;
use crate::{Expected, check, options};

/// Makes a repository with one commit and one change after it; git must be there, as the server needs it too.
fn fill(sandbox: &Sandbox, folder: &str) {
    sandbox.write("repository/notes.txt", "one\n");
    let steps: &[&[&str]] = &[
        &["init", "--quiet", "--initial-branch=main"],
        &["config", "user.name", "Ada"],
        &["config", "user.email", "ada@example.org"],
        &["add", "notes.txt"],
        &["commit", "--quiet", "--message=one"],
    ];
    for step in steps {
        let mut git = Command::new("git");
        git.current_dir(folder).args(*step).env_clear().envs(sandbox.environment());
        assert!(git.status().is_ok_and(|status| status.success()), "git {step:?} failed");
    }
    sandbox.write("repository/notes.txt", "one\ntwo\n");
}

#[test]
fn a_repository_whose_path_was_seeded_is_looked_at() {
    let sandbox = Sandbox::new("git");
    let folder = sandbox.path("repository");
    let Some(server) = sandbox.python("git", &["--repository", &folder]) else { return };
    fill(&sandbox, &folder);
    let succeeding = ["git_status", "git_diff_unstaged"];
    let expected = Expected { succeeding: &succeeding, findings: &[] };
    // The server runs in the sandbox and so takes the path as seen from there.
    check(&sandbox, Server::Stdio(server), options(&["repository", "main"]), &expected);
}
