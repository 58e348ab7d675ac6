//! Builds every crate from exactly the files that would be published, without a network.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::process;
use probity_testkit::trouble::{Trouble, no_arguments};
use probity_testkit::workspace;

pub(crate) const ABOUT: &str =
    "Package the crates that are published, build each from its package, and list what is in them.";

/// The crates that are published, in the order of their dependencies.
const PUBLISHED: &[&str] = &["probity", "probity-schema", "probity-drive", "probity-cli"];

/// Where they are built, from nothing each time.
const BUILT: &str = "target/packaged";

/// How long it may take to build them from nothing.
const LIMIT: Duration = Duration::from_secs(3600);

pub(crate) fn run(arguments: &[String]) -> Result<(), Trouble> {
    no_arguments("package", arguments)?;
    let crates: Vec<&str> = PUBLISHED.iter().flat_map(|name| ["--package", name]).collect();
    for name in PUBLISHED {
        println!("\n== {name}");
        cargo(&["package", "--list", "--allow-dirty", "--package", name])?;
    }
    forget_earlier()?;
    println!("\n== built from their packages");
    // All at once: each may need the ones before it, which no index knows yet.
    let flags = ["package", "--allow-dirty", "--offline", "--locked", "--target-dir", BUILT];
    cargo(&[&flags[..], &crates].concat())
}

/// Removes what an earlier run unpacked and built: cargo knows it by name and version, and would take it however old it is.
fn forget_earlier() -> Result<(), Trouble> {
    remove(&workspace::root().join(BUILT))?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let Some(Ok(registries)) = home.map(|home| fs::read_dir(home.join("registry/src"))) else {
        return Ok(());
    };
    // A registry that lies in a folder for the time of packaging has no name before its number.
    let passing = registries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with('-'));
    for registry in passing {
        for name in PUBLISHED {
            remove(&registry.path().join(format!("{name}-{}", env!("CARGO_PKG_VERSION"))))?;
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> Result<(), Trouble> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Trouble::failed(format!("{} cannot be removed: {error}", folder.display())))
        }
        _ => Ok(()),
    }
}

fn cargo(arguments: &[&str]) -> Result<(), Trouble> {
    process::run(process::cargo(arguments), LIMIT).map_err(|error| Trouble::failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
