//! Runs the benches and gathers the ratios they print into one table.
//!
//! Times differ between machines, ratios within one run do not. So a bench prints, among whatever else it has to say,
//! lines of the form `ratio NAME VALUE at most BOUND` (or `at least BOUND`, or no bound), and this chore ends badly if
//! a bound is broken.

use std::time::Duration;

use crate::process;
use probity_testkit::trouble::Trouble;

pub(crate) const ARGUMENTS: &str = "[NAME ..]";
pub(crate) const ABOUT: &str = "Run the benches, or those named, and print their ratios.";

/// A bench binary: `crates/FOLDER/benches/NAME.rs`.
struct Bench {
    package: &'static str,
    name: &'static str,
}

/// Every bench, in the order it runs.
const BENCHES: &[Bench] = &[
    Bench { package: "probity-schema", name: "speed" },
    Bench { package: "probity-schema", name: "coverage" },
    Bench { package: "probity", name: "shrinking" },
    Bench { package: "probity", name: "detection" },
    Bench { package: "probity", name: "overhead" },
    Bench { package: "probity-testkit", name: "reproduction" },
    Bench { package: "probity-testkit", name: "calls" },
];

/// How long one bench may take, its build included.
const LIMIT: Duration = Duration::from_secs(3600);

pub(crate) fn run(arguments: &[String]) -> Result<(), Trouble> {
    if let Some(unknown) =
        arguments.iter().find(|name| !BENCHES.iter().any(|bench| bench.name == name.as_str()))
    {
        let known: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
        return Err(Trouble::usage(format!("\"{unknown}\" is not a bench; there are: {}", known.join(", "))));
    }
    let mut ratios = Vec::new();
    for Bench { package, name } in BENCHES {
        if !arguments.is_empty() && !arguments.iter().any(|wanted| wanted == name) {
            continue;
        }
        println!("\n== {package}: {name}");
        let command = process::cargo(&["bench", "--package", package, "--bench", name]);
        let transcript = process::tee(command, LIMIT).map_err(|error| Trouble::failed(error.to_string()))?;
        transcript.ending.map_err(|error| Trouble::failed(error.to_string()))?;
        ratios.extend(transcript.text.lines().filter_map(Ratio::read));
    }
    if ratios.is_empty() {
        println!("no bench printed a ratio");
    }
    print!("\n{}", table(&ratios));
    let n_broken = ratios.iter().filter(|ratio| !ratio.is_kept()).count();
    if n_broken > 0 {
        return Err(Trouble::failed(format!("{n_broken} of {} ratios break their bound", ratios.len())));
    }
    Ok(())
}

/// A figure that a bench printed, with the bound it promised.
#[derive(Debug, Clone, PartialEq)]
struct Ratio {
    name: String,
    value: f64,
    bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    AtMost(f64),
    AtLeast(f64),
    None,
}

impl Ratio {
    /// The ratio in a line of output, if it holds one.
    fn read(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.strip_prefix("ratio ")?.split_whitespace().collect();
        let (name, value, rest) = match words.as_slice() {
            [name, value, rest @ ..] => ((*name).to_owned(), value.parse().ok()?, rest),
            _ => return None,
        };
        let bound = match rest {
            ["at", "most", bound] => Bound::AtMost(bound.parse().ok()?),
            ["at", "least", bound] => Bound::AtLeast(bound.parse().ok()?),
            [] => Bound::None,
            _ => return None,
        };
        Some(Self { name, value, bound })
    }

    fn is_kept(&self) -> bool {
        match self.bound {
            Bound::AtMost(bound) => self.value <= bound,
            Bound::AtLeast(bound) => self.value >= bound,
            Bound::None => true,
        }
    }
}

fn table(ratios: &[Ratio]) -> String {
    let width = ratios.iter().map(|ratio| ratio.name.len()).max().unwrap_or(0);
    let rows = ratios.iter().map(|ratio| {
        let Ratio { name, value, bound } = ratio;
        let bound = match bound {
            Bound::AtMost(bound) => format!("at most {bound}"),
            Bound::AtLeast(bound) => format!("at least {bound}"),
            Bound::None => String::new(),
        };
        let verdict = if ratio.is_kept() { "" } else { "  BROKEN" };
        format!("{name:width$}  {value:>10.3}  {bound}{verdict}\n")
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_testkit::workspace;

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, f64, Bound, bool)>) {
        let ratio = Ratio::read(line);
        let seen =
            ratio.as_ref().map(|ratio| (ratio.name.as_str(), ratio.value, ratio.bound, ratio.is_kept()));
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_ratio_is_read_with_its_bound_and_other_lines_are_left_alone() {
        check("ratio warm/validate 2.5 at most 3", Some(("warm/validate", 2.5, Bound::AtMost(3.0), true)));
        check("ratio calls 0.4 at least 0.5", Some(("calls", 0.4, Bound::AtLeast(0.5), false)));
        check("ratio memory 12", Some(("memory", 12.0, Bound::None, true)));
        check("ratio of things", None);
        check("time 2.5 at most 3", None);
    }

    #[test]
    fn the_table_holds_every_bench_of_the_workspace_and_no_other() {
        let mut found = Vec::new();
        for folder in std::fs::read_dir(workspace::root().join("crates")).expect("crates is a folder") {
            let benches = folder.expect("crates is readable").path().join("benches");
            for bench in std::fs::read_dir(benches).into_iter().flatten() {
                let path = bench.expect("a folder of benches is readable").path();
                if path.extension().is_some_and(|ending| ending == "rs") {
                    found.push(path.file_stem().expect("it has a name").to_string_lossy().into_owned());
                }
            }
        }
        found.sort();
        let mut listed: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
        listed.sort_unstable();
        assert_eq!(listed, found);
    }
}
