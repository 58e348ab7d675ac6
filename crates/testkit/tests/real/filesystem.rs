//! The filesystem server: files are read only below one folder, and two options exclude each other.

use std::collections::BTreeSet;

use probity_drive::mcp::{Options, Server, ToolChoice};
use probity_schema::coverage::CoverageMode;

use crate::sandbox::Sandbox;
use crate::{Expected, check, drive, options};

/// Below the folder that the server may read; it takes names as seen from there.
const FILES: &[&str] = &["a.txt", "b.txt", "c.txt", "d.txt", "deep/e.txt", "deep/f.txt"];

/// How much of the tools' contracts a few sequences show, all tools being called.
fn covered(mode: CoverageMode, seed: u64) -> Option<f64> {
    let sandbox = Sandbox::new(&format!("filesystem-{mode:?}-{seed}"));
    for name in FILES {
        sandbox.write(&format!("files/{name}"), "one\ntwo\nthree\n");
    }
    let folder = sandbox.path("files");
    let server = sandbox.npm("server-filesystem", &[&folder])?;
    let strings = ["a.txt", "b.txt", "deep", "new.txt"];
    let numbers = vec![1.into(), 2.into()];
    let mut options = Options { n_sequences: 4, seed, numbers, ..options(&strings) };
    options.coverage.contract.mode = mode;
    let (report, _) = drive(Server::Stdio(server), options);
    sandbox.assert_deserted();
    report.contract.map(|figures| figures.overall)
}

#[test]
fn guided_calls_are_accepted_for_more_of_the_contracts() {
    let sum = |mode| [1, 2].into_iter().map(|seed| covered(mode, seed)).sum::<Option<f64>>();
    let Some(measured) = sum(CoverageMode::Measure) else { return };
    let guided = sum(CoverageMode::Guided).expect("the server is there");
    assert!(guided > measured + 0.1, "{guided} against {measured}, of 2");
}

#[test]
fn files_are_read_with_and_without_their_optional_arguments() {
    let sandbox = Sandbox::new("filesystem");
    for name in FILES {
        sandbox.write(&format!("files/{name}"), "one\ntwo\nthree\n");
    }
    let folder = sandbox.path("files");
    let Some(server) = sandbox.npm("server-filesystem", &[&folder]) else { return };
    let succeeding = ["read_file", "read_text_file", "read_multiple_files", "list_allowed_directories"];
    let only = succeeding.iter().map(|name| (*name).to_owned()).collect();
    let tools = ToolChoice { only, ..ToolChoice::default() };
    let numbers = vec![1.into(), 2.into()];
    let options = Options { n_sequences: 5, numbers, tools, ..options(FILES) };
    let expected = Expected { succeeding: &succeeding, findings: &[] };
    let calls = check(&sandbox, Server::Stdio(server), options, &expected);
    let read = calls.iter().filter(|call| call.tool == "read_file" && call.result.is_some());
    let is_whole: BTreeSet<bool> = read.map(|call| call.arguments.len() == 1).collect();
    assert_eq!(is_whole, BTreeSet::from([false, true]), "files are read whole, and in part");
}
