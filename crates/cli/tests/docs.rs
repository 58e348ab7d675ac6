//! The README and the guides: every command in them runs as written, and prints what they say.
//!
//! Each page has a folder of its own with a copy of `docs/examples`. `PROBITY_WRITE_DOCS=1` writes what is printed into the
//! pages instead of comparing; look at the difference before you commit it.

mod run;
mod transcript;

use std::fs;
use std::path::{Path, PathBuf};

use probity_drive::mcp::{CHECKS, Check};
use run::copy;
use transcript::{blocks, check};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The README and every page directly in `docs`.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let entries = fs::read_dir(root().join("docs")).expect("there is documentation");
    let paths = entries.map(|entry| entry.expect("the folder is readable").path());
    pages.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    pages.sort();
    pages
}

#[test]
fn every_command_in_the_documentation_prints_what_it_says() {
    let is_writing = std::env::var_os("PROBITY_WRITE_DOCS").is_some();
    let check_page = |page: &PathBuf| {
        let text = fs::read_to_string(page).expect("a page is readable");
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(&root().join("docs/examples"), folder.path());
        let (faults, rewritten) = check(&text, folder.path());
        if is_writing && !faults.is_empty() {
            fs::write(page, rewritten).expect("a page is writable");
            return Vec::new();
        }
        let name = page.file_name().expect("a page has a name").to_string_lossy().into_owned();
        faults.into_iter().map(|fault| format!("{name}, {fault}")).collect::<Vec<_>>()
    };
    // Each page waits for its programs most of the time.
    let faults: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            pages().into_iter().map(|page| scope.spawn(move || check_page(&page))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a page is checked")).collect()
    });
    assert!(faults.is_empty(), "{} commands print something else:\n{}", faults.len(), faults.join("\n"));
}

/// Whoever copies the examples has the schemas of our reports beside them.
#[test]
fn the_schemas_among_the_examples_are_those_that_are_shipped() {
    let is_writing = std::env::var_os("PROBITY_WRITE_DOCS").is_some();
    let beside = root().join("docs/examples/schemas");
    for shipped in ["crates/schema/schemas", "crates/drive/schemas"] {
        if is_writing {
            copy(&root().join(shipped), &beside);
        }
        for entry in fs::read_dir(root().join(shipped)).expect("the schemas are there") {
            let path = entry.expect("the folder is readable").path();
            let copied = beside.join(path.file_name().expect("a schema has a name"));
            let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
            assert!(text(&path) == text(&copied), "{} is not {}", copied.display(), path.display());
        }
    }
}

#[test]
fn every_check_is_explained_in_the_guide() {
    let page = fs::read_to_string(root().join("docs/mcp.md")).expect("the guide");
    for Check { code, severity, description, .. } in CHECKS {
        let row = format!("| `{code}` | {severity} | {description} |");
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn no_command_of_ours_stands_where_nobody_runs_it() {
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page is readable");
        for (language, at, lines) in blocks(&text) {
            let is_ours = |line: &&&str| {
                line.starts_with("$ probity ") || (line.starts_with("probity ") && !line.contains(" = "))
            };
            if let Some(line) = lines.iter().find(is_ours).filter(|_| language != "console") {
                panic!(
                    "{}:{at}: {line:?} stands in a block that is not run; fence it as console",
                    page.display()
                );
            }
            assert!(!language.is_empty(), "{}:{at}: say the language of the block", page.display());
        }
    }
}

#[test]
fn the_workflow_in_the_guide_is_the_one_that_is_run() {
    let guide = fs::read_to_string(root().join("docs/github-actions.md")).expect("the guide is there");
    let workflow = fs::read_to_string(root().join("docs/examples/workflows/contracts.yml"))
        .expect("the workflow is there");
    let quoted = blocks(&guide).into_iter().find(|(language, ..)| language == "yaml").expect("it is quoted");
    assert_eq!(quoted.2.join("\n"), workflow.trim_end());
}
