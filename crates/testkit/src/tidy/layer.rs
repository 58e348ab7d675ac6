//! Crates depend in one direction only, and each on no more than its audience should have to build.

use toml::{Table, Value};

use crate::tidy::Breach;
use crate::tidy::tree::Tree;

/// What a crate may depend on.
struct Layer {
    folder: &'static str,
    /// Crates of ours.
    own: &'static [&'static str],
    foreign: Foreign,
}

/// What a crate may take from others.
enum Foreign {
    /// Nothing but these.
    Only(&'static [&'static str]),
    /// Anything but these.
    AllBut(&'static [&'static str]),
}

/// Every crate, from the one all others stand on to the one nobody stands on.
const LAYERS: &[Layer] = &[
    Layer { folder: "engine", own: &[], foreign: Foreign::Only(PROPTEST) },
    Layer { folder: "schema", own: &["probity"], foreign: Foreign::AllBut(NOT_IN_SCHEMA) },
    Layer { folder: "drive", own: &["probity", "probity-schema"], foreign: Foreign::AllBut(FOR_PEOPLE) },
    Layer {
        folder: "cli",
        own: &["probity", "probity-schema", "probity-drive"],
        foreign: Foreign::AllBut(&[]),
    },
    // Its own tests drive the products; nothing is to the right of it.
    Layer {
        folder: "testkit",
        own: &["probity", "probity-schema", "probity-drive"],
        foreign: Foreign::AllBut(&[]),
    },
];

/// The engine's users have proptest already; they should build nothing else.
const PROPTEST: &[&str] = &["proptest", "proptest-state-machine", "rand", "rand_core", "rand_chacha"];
/// What talks to people belongs to the command line.
const FOR_PEOPLE: &[&str] = &["clap", "indicatif", "anyhow", "miette"];
/// The schema crate does not talk to people either, and never to a network.
const NOT_IN_SCHEMA: &[&str] =
    &["tokio", "rmcp", "reqwest", "hyper", "ureq", "futures", "clap", "indicatif", "anyhow", "miette"];

/// The one crate of ours that may be used in tests from everywhere, and in no product.
const TESTKIT: &str = "probity-testkit";

/// Every dependency that points the wrong way or weighs too much, and every crate without a layer.
#[must_use]
pub fn run(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.ending("/Cargo.toml") {
        let Some(folder) =
            file.path.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/Cargo.toml"))
        else {
            continue;
        };
        let mut breach =
            |message: String| breaches.push(Breach { path: file.path.clone(), line: 0, message });
        let Some(layer) = LAYERS.iter().find(|layer| layer.folder == folder) else {
            breach("has no layer; give it one in the table of the tidy rule \"layer\"".to_owned());
            continue;
        };
        match file.text.parse::<Table>() {
            Ok(manifest) => {
                dependencies(&manifest).iter().filter_map(|one| judge(layer, one)).for_each(breach);
            }
            Err(error) => breach(format!("is not TOML: {error}")),
        }
    }
    breaches
}

/// A dependency as a manifest names it.
struct Dependency {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Product,
    Test,
}

fn dependencies(manifest: &Table) -> Vec<Dependency> {
    const TABLES: &[(&str, Kind)] = &[
        ("dependencies", Kind::Product),
        ("build-dependencies", Kind::Product),
        ("dev-dependencies", Kind::Test),
    ];
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(|targets| targets.values().filter_map(Value::as_table));
    let mut found = Vec::new();
    for part in std::iter::once(manifest).chain(targets) {
        for (table, kind) in TABLES {
            let Some(entries) = part.get(*table).and_then(Value::as_table) else { continue };
            for (key, value) in entries {
                // `alias = { package = "real" }` hides the real name behind another.
                let name = value.get("package").and_then(Value::as_str).unwrap_or(key);
                found.push(Dependency { name: name.to_owned(), kind: *kind });
            }
        }
    }
    found
}

/// What is wrong with a dependency, if anything is.
fn judge(layer: &Layer, dependency: &Dependency) -> Option<String> {
    let Dependency { name, kind } = dependency;
    if name == TESTKIT {
        let message = format!("{name} is for tests alone; name it under dev-dependencies");
        return (*kind == Kind::Product).then_some(message);
    }
    if name == "probity" || name.starts_with("probity-") {
        let is_allowed = layer.own.contains(&name.as_str());
        return (!is_allowed)
            .then(|| format!("{name} lies to the left of {}; dependencies run to the right", layer.folder));
    }
    let is_allowed = match layer.foreign {
        Foreign::Only(names) => names.contains(&name.as_str()),
        Foreign::AllBut(names) => !names.contains(&name.as_str()),
    };
    // What tests need is built by nobody but us.
    (*kind == Kind::Product && !is_allowed)
        .then(|| format!("{name} is more than users of {} should build", layer.folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(folder: &str, manifest: &str, expected: &[&str]) {
        let path = format!("crates/{folder}/Cargo.toml");
        let expected: Vec<String> = expected.iter().map(|message| format!("{path}: {message}")).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        crate::tidy::check(run, &[(&path, manifest)], &expected);
    }

    #[test]
    fn dependencies_run_from_the_command_line_to_the_engine() {
        check("cli", "[dependencies]\nprobity-drive.workspace = true\nclap = \"4\"", &[]);
        check("schema", "[dependencies]\nprobity = \"0.1\"\njsonschema = \"1\"", &[]);
        check(
            "engine",
            "[dependencies]\nproptest = \"1\"\nprobity-schema = \"0.1\"",
            &["probity-schema lies to the left of engine; dependencies run to the right"],
        );
        check(
            "schema",
            "[dev-dependencies]\nx = { package = \"probity-drive\", version = \"0.1\" }",
            &["probity-drive lies to the left of schema; dependencies run to the right"],
        );
    }

    #[test]
    fn a_crate_takes_from_others_only_what_its_users_should_build() {
        check(
            "engine",
            "[dependencies]\nserde = \"1\"",
            &["serde is more than users of engine should build"],
        );
        check("engine", "[dev-dependencies]\nlru = \"1\"", &[]);
        check(
            "schema",
            "[target.'cfg(unix)'.dependencies]\ntokio = \"1\"",
            &["tokio is more than users of schema should build"],
        );
    }

    #[test]
    fn the_testkit_is_in_no_product() {
        check("drive", "[dev-dependencies]\nprobity-testkit.workspace = true", &[]);
        check(
            "drive",
            "[dependencies]\nprobity-testkit.workspace = true",
            &["probity-testkit is for tests alone; name it under dev-dependencies"],
        );
    }

    #[test]
    fn a_crate_without_a_layer_is_a_breach() {
        check("new", "", &["has no layer; give it one in the table of the tidy rule \"layer\""]);
    }
}
