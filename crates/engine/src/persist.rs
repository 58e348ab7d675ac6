//! The world outside: recorded failures in files, and what the environment says.
//!
//! A failure is recorded twice: as a line in proptest's own regression file, from which the run is drawn again, and
//! as a script beside it, which people can read. Files are written only when a test fails.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::builder::Stateful;
use crate::check::{Check, Persistence};
use crate::dice::mix;
use crate::failure::{Counterexample, Failure, Recording};
use crate::machine::Machine;
use crate::script;
use crate::search::{Earlier, Recorded};
use crate::sequence::Step;
use crate::statistics::Statistics;
use crate::watch::Watch;

/// Carries out a test with all that surrounds it.
pub(crate) async fn run<M: 'static, S: 'static>(
    test: Stateful<M, S>,
    check: Check,
    caller: &str,
    watch: Option<&Watch>,
) -> Result<Statistics, Failure> {
    let machine = test.build()?;
    let check = obey_environment(&check, |name| std::env::var(name).ok());
    let file = match &check.persistence {
        Persistence::Off => None,
        Persistence::File(file) => Some(file.clone()),
        Persistence::Default => default_file(caller, std::env::var("CARGO_MANIFEST_DIR").ok().as_deref()),
    };
    run_recorded(&machine, &check, file.as_deref(), watch).await
}

/// Carries out a test that begins with what the file holds, and records a new failure there.
pub(crate) async fn run_recorded<M: 'static, S: 'static>(
    machine: &Machine<M, S>,
    check: &Check,
    file: Option<&Path>,
    watch: Option<&Watch>,
) -> Result<Statistics, Failure> {
    let recorded = file.map(|file| read(machine, file)).unwrap_or_default();
    let seed = check.seed.unwrap_or_else(fresh_seed);
    let mut outcome = machine.run_with(check, seed, &recorded, watch).await;
    if let (Some(file), Err(Failure::Counterexample(counterexample))) = (file, &mut outcome)
        && counterexample.run > 0
    {
        // A failure that cannot be recorded must still be reported.
        counterexample.record = match write(machine, file, counterexample) {
            Ok(()) => {
                Recording::Written { seeds: file.to_owned(), script: script_file(file, identity(machine)) }
            }
            Err(error) => Recording::Failed { file: file.to_owned(), reason: error.to_string() },
        };
    }
    outcome
}

/// A seed that no one has asked for.
pub(crate) fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Variables of proptest that mean something here; each overrides what stands in the code.
fn obey_environment(check: &Check, variable: impl Fn(&str) -> Option<String>) -> Check {
    fn number<T: std::str::FromStr>(text: Option<String>) -> Option<T> {
        text.and_then(|text| text.trim().parse().ok())
    }
    let is_off = variable("PROPTEST_DISABLE_FAILURE_PERSISTENCE").is_some();
    let shrink_time = number(variable("PROPTEST_MAX_SHRINK_TIME")).filter(|millis| *millis > 0);
    Check {
        num_runs: number(variable("PROPTEST_CASES")).unwrap_or(check.num_runs),
        shrink_budget: number(variable("PROPTEST_MAX_SHRINK_ITERS")).unwrap_or(check.shrink_budget),
        shrink_time: shrink_time.map(Duration::from_millis).or(check.shrink_time),
        seed: check.seed.or_else(|| number(variable("PROPTEST_RNG_SEED"))),
        persistence: if is_off { Persistence::Off } else { check.persistence.clone() },
        ..check.clone()
    }
}

/// `proptest-regressions/module.txt` for `src/module.rs`, and `proptest-regressions/tests/name.txt` for a test.
fn default_file(caller: &str, manifest: Option<&str>) -> Option<PathBuf> {
    let manifest = Path::new(manifest?);
    let caller = Path::new(caller);
    let parts: Vec<_> = caller.components().collect();
    let root = parts
        .iter()
        .rposition(|part| matches!(part.as_os_str().to_str(), Some("src" | "tests" | "examples")))?;
    let is_source = parts[root].as_os_str() == "src";
    let inside: PathBuf = parts[root + usize::from(is_source)..].iter().collect();
    Some(manifest.join("proptest-regressions").join(inside).with_extension("txt"))
}

/// Tells the tests of one file apart: by the names of their commands.
fn identity<M, S>(machine: &Machine<M, S>) -> u64 {
    let names = machine.commands.iter().flat_map(|command| command.name.bytes().chain([0]));
    names.fold(0, |hash, byte| mix(hash ^ u64::from(byte)))
}

fn script_file(file: &Path, identity: u64) -> PathBuf {
    file.with_extension(format!("{identity:016x}.script"))
}

fn read<M: 'static, S: 'static>(machine: &Machine<M, S>, file: &Path) -> Vec<Recorded> {
    let identity = identity(machine);
    let script_file = script_file(file, identity);
    let scripts = fs::read_to_string(&script_file).unwrap_or_default();
    let scripts = scripts.split("\n\n").filter_map(|text| recorded_steps(machine, text));
    let scripts = scripts.map(|steps| Recorded { file: script_file.clone(), earlier: Earlier::Steps(steps) });
    let lines = fs::read_to_string(file).unwrap_or_default();
    let runs = lines.lines().filter_map(|line| decode(line, identity));
    let runs =
        runs.map(|(seed, run)| Recorded { file: file.to_owned(), earlier: Earlier::Run { seed, run } });
    scripts.chain(runs).collect()
}

/// The steps of a recorded failure; `None` if they are not for this machine any more. What has no code is a note.
fn recorded_steps<M, S>(machine: &Machine<M, S>, text: &str) -> Option<Vec<Step>> {
    let coded: Vec<&str> = text.lines().filter(|line| line.contains('#')).collect();
    let lines = script::read(machine, &coded.join("\n")).ok()?;
    (!lines.is_empty()).then(|| lines.into_iter().map(|line| line.step).collect())
}

/// First line of a new file, as proptest writes it.
const HEADER: &str = "\
# Seeds for failure cases proptest has generated in the past. It is
# automatically read and these particular cases re-run before any
# novel cases are generated.
#
# It is recommended to check this file in to source control so that
# everyone who runs the test benefits from these saved cases.
";

fn write<M, S>(machine: &Machine<M, S>, file: &Path, found: &Counterexample) -> std::io::Result<()> {
    let identity = identity(machine);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let is_new = !file.exists();
    let mut seeds = fs::OpenOptions::new().append(true).create(true).open(file)?;
    if is_new {
        seeds.write_all(HEADER.as_bytes())?;
    }
    let brief: Vec<String> = found.minimal.iter().map(ToString::to_string).collect();
    let brief = brief.join("; ").replace(['\n', '\r'], " ");
    writeln!(seeds, "{} # shrinks to {brief}", encode(found.seed, found.run, identity))?;
    let mut scripts = fs::OpenOptions::new().append(true).create(true).open(script_file(file, identity))?;
    writeln!(scripts, "# {}\n{}", found.fault.event().replace(['\n', '\r'], " "), found.script)
}

/// A line that proptest takes for a seed of its own kind: our mark, the test, the seed and the run.
fn encode(seed: u64, run: u32, identity: u64) -> String {
    format!("cc {MARK:016x}{identity:016x}{seed:016x}{run:016x}")
}

/// "probity" in ASCII.
const MARK: u64 = 0x0070_726f_6269_7479;

fn decode(line: &str, wanted: u64) -> Option<(u64, u32)> {
    let digits = line.strip_prefix("cc ")?.split_whitespace().next()?;
    let word = |index: usize| u64::from_str_radix(digits.get(16 * index..16 * (index + 1))?, 16).ok();
    let is_ours = digits.len() == 64 && word(0)? == MARK && word(1)? == wanted;
    is_ours.then_some(())?;
    Some((word(2)?, u32::try_from(word(3)?).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_test_follows_the_convention_of_proptest() {
        let check = |caller, expected: Option<&str>| {
            assert_eq!(default_file(caller, Some("/crate")), expected.map(PathBuf::from), "{caller}");
        };
        check("crates/x/src/kv/mod.rs", Some("/crate/proptest-regressions/kv/mod.txt"));
        check("tests/kv.rs", Some("/crate/proptest-regressions/tests/kv.txt"));
        check("kv.rs", None);
        assert_eq!(default_file("src/lib.rs", None), None);
    }

    #[test]
    fn a_recorded_line_is_read_back_by_its_own_test_only() {
        let line = format!("{} # shrinks to inc(by: 5)", encode(7, 3, 99));
        assert_eq!(decode(&line, 99), Some((7, 3)));
        assert_eq!(decode(&line, 98), None);
        assert_eq!(decode("cc 00", 99), None);
        assert_eq!(decode("# comment", 99), None);
    }

    #[test]
    fn the_environment_overrides_what_stands_in_the_code() {
        let set = |name: &str| {
            let value = match name {
                "PROPTEST_CASES" => "7",
                "PROPTEST_MAX_SHRINK_ITERS" => "9",
                "PROPTEST_RNG_SEED" => "11",
                "PROPTEST_MAX_SHRINK_TIME" => "50",
                _ => return None,
            };
            Some(value.to_owned())
        };
        let check = obey_environment(&Check::default(), set);
        assert_eq!((check.num_runs, check.shrink_budget, check.seed), (7, 9, Some(11)));
        assert_eq!(check.shrink_time, Some(Duration::from_millis(50)));
        let check = obey_environment(&Check { seed: Some(1), ..Check::default() }, set);
        assert_eq!(check.seed, Some(1), "a seed in the code is meant");
    }
}
