//! Nobody builds what nothing uses: every dependency is named in the sources of the crate that declares it.

use toml::{Table, Value};

use crate::tidy::Breach;
use crate::tidy::tree::{File, Tree};

/// The tables of dependencies, and whether what they name may be used in tests, benches and examples alone.
const TABLES: &[(&str, bool)] =
    &[("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)];

/// Every dependency that is declared and not used.
#[must_use]
pub fn run(tree: &Tree) -> Vec<Breach> {
    let manifests: Vec<(&File, Table)> = tree
        .files
        .iter()
        .filter(|file| file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml"))
        .filter_map(|file| Some((file, file.text.parse::<Table>().ok()?)))
        .collect();
    let mut breaches = Vec::new();
    let mut declared = Vec::new();
    for (file, manifest) in &manifests {
        let folder = file.path.trim_end_matches("Cargo.toml");
        for (name, is_for_tests) in dependencies(manifest) {
            let is_used =
                sources(tree, folder, is_for_tests).iter().any(|text| uses(text, &name.replace('-', "_")));
            if !is_used {
                let message = format!("{name} is not used; leave it out");
                breaches.push(Breach { path: file.path.clone(), line: 0, message });
            }
            declared.push(name);
        }
    }
    for (file, manifest) in &manifests {
        let shared = manifest.get("workspace").and_then(|workspace| workspace.get("dependencies"));
        for name in shared.and_then(Value::as_table).into_iter().flat_map(Table::keys) {
            if !declared.contains(name) {
                let message = format!("{name} is declared by no crate; leave it out");
                breaches.push(Breach { path: file.path.clone(), line: 0, message });
            }
        }
    }
    breaches
}

fn dependencies(manifest: &Table) -> Vec<(String, bool)> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(|targets| targets.values().filter_map(Value::as_table));
    let parts: Vec<&Table> = std::iter::once(manifest).chain(targets).collect();
    let named = |part: &&Table, table: &str, is_for_tests: bool| -> Vec<(String, bool)> {
        let entries = part.get(table).and_then(Value::as_table).into_iter().flat_map(Table::keys);
        entries.map(|name| (name.clone(), is_for_tests)).collect()
    };
    let all =
        TABLES.iter().flat_map(|(table, is)| parts.iter().flat_map(move |part| named(part, table, *is)));
    all.collect()
}

/// The texts in which a dependency may be named; papers count where the sources take them in as documentation.
fn sources<'a>(tree: &'a Tree, folder: &str, is_for_tests: bool) -> Vec<&'a str> {
    let is_inside = |file: &&File| {
        file.path
            .strip_prefix(folder)
            .is_some_and(|rest| is_for_tests || rest.starts_with("src/") || rest == "build.rs")
    };
    let own: Vec<&str> = tree
        .files
        .iter()
        .filter(|file| file.is_rust())
        .filter(is_inside)
        .map(|file| file.text.as_str())
        .collect();
    let is_taken_in = |file: &&File| {
        let paths = own.iter().flat_map(|text| text.split("include_str!(\"").skip(1));
        let mut paths = paths.filter_map(|rest| Some(rest.split_once('"')?.0.trim_start_matches("../")));
        paths.any(|path| file.path == path || file.path == format!("crates/{path}"))
    };
    let papers = tree.files.iter().filter(|file| is_for_tests && file.is_markdown()).filter(is_taken_in);
    let papers: Vec<&str> = papers.map(|file| file.text.as_str()).collect();
    [own, papers].concat()
}

/// Whether a text names a crate as code does: before `::`, or after `use`.
fn uses(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_whole = !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        is_whole && (after.starts_with("::") || (before.ends_with("use ") && after.starts_with([';', ' '])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::check;

    #[test]
    fn a_dependency_that_no_source_names_is_a_breach() {
        let manifest = "[dependencies]\na-b = \"1\"\nc = \"1\"\n[dev-dependencies]\nd = \"1\"";
        let used = [
            ("x/Cargo.toml", manifest),
            ("x/src/lib.rs", "use a_b::X;\nlet y = c::z();"),
            ("x/tests/t.rs", "use d;"),
        ];
        check(run, &used, &[]);
        let unused = [
            ("x/Cargo.toml", manifest),
            ("x/src/lib.rs", "// a_b and c\nuse xa_b::X;"),
            ("y/src/d.rs", "d::e"),
        ];
        let expected =
            ["a-b", "c", "d"].map(|name| format!("x/Cargo.toml: {name} is not used; leave it out"));
        check(run, &unused, &expected.each_ref().map(String::as_str));
    }

    #[test]
    fn what_only_tests_name_is_no_dependency_of_the_product() {
        let files = [("x/Cargo.toml", "[dependencies]\na = \"1\""), ("x/tests/t.rs", "use a::B;")];
        check(run, &files, &["x/Cargo.toml: a is not used; leave it out"]);
    }

    #[test]
    fn what_the_workspace_shares_is_declared_by_a_crate() {
        let files = [("Cargo.toml", "[workspace.dependencies]\na = \"1\"")];
        check(run, &files, &["Cargo.toml: a is declared by no crate; leave it out"]);
    }
}
