//! Everything that must hold before a change is good: what CI runs, and what a newcomer runs.

mod count;
mod stage;

use std::time::{Duration, Instant};

use probity_testkit::skip::SKIP_LOG;

use count::Count;
use stage::{STAGES, Stage};

use probity_testkit::trouble::Trouble;

pub(crate) const ARGUMENTS: &str = "[STAGE ..]";
pub(crate) const ABOUT: &str =
    "Install what the tests need, check format and lints, run every example and test.
      The stages, in order: deps, fmt, clippy, doc, examples, unit. Name some to run only those.";

pub(crate) fn run(arguments: &[String]) -> Result<(), Trouble> {
    let names: Vec<&str> = STAGES.iter().map(|stage| stage.name).collect();
    if let Some(unknown) = arguments.iter().find(|name| !names.contains(&name.as_str())) {
        let names = names.join(", ");
        return Err(Trouble::usage(format!("\"{unknown}\" is not a stage of the test; there are: {names}")));
    }
    let skips = SkipLog::start();
    let mut count = Count::default();
    let ending = run_stages(arguments, &skips, &mut count);
    for line in skips.lines() {
        println!("{line}");
        count.move_to_skipped();
    }
    let ending = ending.map_err(|trouble| {
        println!("\n{trouble}");
        Trouble::Told { exit_code: trouble.exit_code() }
    });
    // The last line is for whoever counts, so it is only there when something was counted.
    if count != Count::default() {
        println!("\n{count}");
    }
    ending
}

fn run_stages(wanted: &[String], skips: &SkipLog, count: &mut Count) -> Result<(), Trouble> {
    let start = Instant::now();
    for Stage { name, about, run } in STAGES {
        if !wanted.is_empty() && !wanted.iter().any(|stage| stage == name) {
            continue;
        }
        println!("\n== {name}: {about}  [{}]", clock(start.elapsed()));
        let begun = Instant::now();
        let ending = run(skips.path(), count);
        println!(
            "-- {name}: {} after {}",
            if ending.is_ok() { "done" } else { "failed" },
            clock(begun.elapsed())
        );
        ending.map_err(|trouble| {
            Trouble::failed(format!("{trouble}\nto repeat this stage alone: cargo xtask test {name}"))
        })?;
    }
    println!("\n== all stages done  [{}]", clock(start.elapsed()));
    Ok(())
}

fn clock(elapsed: Duration) -> String {
    format!("{}:{:02}", elapsed.as_secs() / 60, elapsed.as_secs() % 60)
}

/// The file in which tests say what they skipped; see [`probity_testkit::skip()`].
struct SkipLog(std::path::PathBuf);

impl SkipLog {
    fn start() -> Self {
        Self(std::env::temp_dir().join(format!("{SKIP_LOG}-{}", std::process::id()).to_lowercase()))
    }

    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for SkipLog {
    fn drop(&mut self) {
        // Missing when nothing was skipped.
        let _ = std::fs::remove_file(&self.0);
    }
}
