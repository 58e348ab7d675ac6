//! What `--version` says beyond the version: facts about this build, taken from what is at hand.
//!
//! Nothing here asks git, the clock or the network: the same sources and toolchain give the same bytes. The commit is known
//! when `PROBITY_COMMIT` names it, and in packages, into which cargo writes it.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=.cargo_vcs_info.json");
    println!("cargo::rerun-if-env-changed=PROBITY_COMMIT");
    let target = std::env::var("TARGET").unwrap_or_else(|_| "unknown".to_owned());
    println!("cargo::rustc-env=PROBITY_TARGET={target}");
    println!("cargo::rustc-env=PROBITY_COMPILER={}", compiler());
    println!("cargo::rustc-env=PROBITY_COMMIT={}", commit().unwrap_or_else(|| "unknown".to_owned()));
}

fn compiler() -> String {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = Command::new(program).arg("--version").output().ok();
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    said.filter(|text| !text.is_empty()).unwrap_or_else(|| "unknown".to_owned())
}

fn commit() -> Option<String> {
    let named = std::env::var("PROBITY_COMMIT").ok();
    let packaged = || {
        let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
        let rest = text.split_once("\"sha1\": \"")?.1;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let is_name =
        |commit: &String| !commit.is_empty() && commit.chars().all(|letter| letter.is_ascii_hexdigit());
    named.filter(is_name).or_else(|| packaged().filter(is_name))
}
