//! Builds every crate from exactly the files that would be published, without a network.

use std::time::Duration;

use crate::process;
use probity_testkit::trouble::{Trouble, no_arguments};

pub(crate) const ABOUT: &str =
    "Package the crates that are published, build each from its package, and list what is in them.";

/// The crates that are published, in the order of their dependencies.
const PUBLISHED: &[&str] = &["probity", "probity-schema", "probity-drive", "probity-cli"];

/// How long it may take to build them from nothing.
const LIMIT: Duration = Duration::from_secs(3600);

pub(crate) fn run(arguments: &[String]) -> Result<(), Trouble> {
    no_arguments("package", arguments)?;
    let crates: Vec<&str> = PUBLISHED.iter().flat_map(|name| ["--package", name]).collect();
    for name in PUBLISHED {
        println!("\n== {name}");
        cargo(&["package", "--list", "--allow-dirty", "--package", name])?;
    }
    println!("\n== built from their packages");
    // All at once: each may need the ones before it, which no index knows yet.
    cargo(&[&["package", "--allow-dirty", "--offline", "--locked"][..], &crates].concat())
}

fn cargo(arguments: &[&str]) -> Result<(), Trouble> {
    process::run(process::cargo(arguments), LIMIT).map_err(|error| Trouble::failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_testkit::workspace;

    #[test]
    fn what_is_published_says_what_a_registry_asks_for() {
        let crates = std::fs::read_dir(workspace::root().join("crates")).expect("there are crates");
        let mut found = Vec::new();
        for folder in crates {
            let folder = folder.expect("the folder is readable").path();
            let manifest =
                std::fs::read_to_string(folder.join("Cargo.toml")).expect("a crate has a manifest");
            if manifest.contains("publish = false") {
                continue;
            }
            for field in ["description", "license", "keywords", "categories", "readme", "rust-version"] {
                let has = |line: &str| line.starts_with(field);
                assert!(manifest.lines().any(has), "{}: there is no {field}", folder.display());
            }
            let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")).unwrap_or_default();
            found.push(name.trim_end_matches('"').to_owned());
        }
        found.sort();
        let mut listed = PUBLISHED.to_vec();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
