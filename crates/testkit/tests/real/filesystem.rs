//! The filesystem server: files are read only below one folder, and two options exclude each other.

use std::collections::BTreeSet;

use probity_drive::mcp::{Options, Server, ToolChoice};

use crate::sandbox::Sandbox;
use crate::{Expected, check, options};

/// Below the folder that the server may read; it takes names as seen from there.
const FILES: &[&str] = &["a.txt", "b.txt", "c.txt", "d.txt", "deep/e.txt", "deep/f.txt"];

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
