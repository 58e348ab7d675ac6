//! The shrinking table: every planted bug over 20 seeds. `SHOW=1` prints what was not exact.

#[path = "../tests/planted/mod.rs"]
mod planted;

use std::time::{Duration, Instant};

use planted::{Found, brief, cases, run, settings};
use probity::Check;

/// The cases that every engine was measured on come first; the bound on time is theirs.
const N_LISTED: usize = 12;

fn main() {
    let filter = std::env::args().nth(1).filter(|word| !word.starts_with('-')).unwrap_or_default();
    let shows = std::env::var("SHOW").is_ok();
    println!("| case | found | minimum length | exact | mean executions | most | CPU to shrink |");
    println!("|---|---|---|---|---|---|---|");
    let mut all = Row::default();
    let (mut n_alarms, mut slowest, mut slowest_of_all) = (0, Duration::ZERO, Duration::ZERO);
    for (index, case) in cases().iter().enumerate().filter(|(_, case)| case.name.contains(&filter)) {
        let mut row = Row::default();
        for seed in 0..20 {
            let found = run(case, seed);
            let all = best_time(|| (case.run)(&settings(seed)).is_ok());
            let search = Check { shrink_budget: 0, confirmations: 0, ..settings(seed) };
            row.time += all.saturating_sub(best_time(|| (case.run)(&search).is_ok()));
            let Found::Broken(broken) = found else { continue };
            let text = brief(&broken.minimal);
            let minimum = case.minimum.unwrap_or("a false alarm");
            row.n_found += 1;
            row.n_short += u32::from(broken.minimal.len() == n_steps(minimum));
            row.n_exact += u32::from(text == minimum);
            row.n_invalid += u32::from(broken.n_confirmed != broken.n_confirmations);
            row.n_executions += broken.n_executions;
            row.most = row.most.max(broken.n_executions);
            if shows && text != minimum {
                println!(
                    "  {} seed {seed}: {text}   [{}] {}",
                    case.name, broken.n_executions, broken.fault.code
                );
            }
        }
        row.print(case.name, 20);
        if index < N_LISTED {
            slowest = slowest.max(row.time / 20);
        }
        slowest_of_all = slowest_of_all.max(row.time / 20);
        if case.minimum.is_some() {
            all.add(&row);
        } else {
            n_alarms += row.n_found;
        }
    }
    all.print("all", 20 * u32::try_from(cases().len()).unwrap_or(u32::MAX));
    all.judge(n_alarms);
    println!("ratio shrink-slowest-listed-ms {:.2} at most 5", slowest.as_secs_f64() * 1e3);
    println!("ratio shrink-slowest-of-all-ms {:.2}", slowest_of_all.as_secs_f64() * 1e3);
}

/// The best of a few rounds is the least disturbed by the rest of the machine.
fn best_time(run: impl Fn() -> bool) -> Duration {
    let times = (0..3).map(|_| {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

/// Steps in a brief sequence: spaces inside brackets part no steps.
fn n_steps(brief: &str) -> usize {
    let mut depth = 0;
    let spaces = brief.chars().filter(|letter| {
        depth += i32::from(*letter == '(') - i32::from(*letter == ')');
        *letter == ' ' && depth == 0
    });
    spaces.count() + 1
}

#[derive(Default)]
struct Row {
    n_found: u32,
    n_short: u32,
    n_exact: u32,
    n_invalid: u32,
    n_executions: u32,
    most: u32,
    time: Duration,
}

impl Row {
    fn add(&mut self, other: &Self) {
        let Self { n_found, n_short, n_exact, n_invalid, n_executions, most, time } = other;
        self.n_found += n_found;
        self.n_short += n_short;
        self.n_exact += n_exact;
        self.n_invalid += n_invalid;
        self.n_executions += n_executions;
        self.most = self.most.max(*most);
        self.time += *time;
    }

    /// Prints the figures that have a bound.
    fn judge(&self, n_alarms: u32) {
        let Self { n_found, n_short, n_exact, n_invalid, n_executions, most, time: _ } = self;
        let of_found = |n: u32| f64::from(n) / f64::from((*n_found).max(1));
        println!("ratio shrink-minimum-length {:.4} at least 0.99", of_found(*n_short));
        println!("ratio shrink-exact {:.4} at least 0.95", of_found(*n_exact));
        println!("ratio shrink-mean-executions {:.1} at most 60", of_found(*n_executions));
        println!("ratio shrink-most-executions {most} at most 500");
        println!("ratio shrink-not-replayed {n_invalid} at most 0");
        println!("ratio shrink-false-alarms {n_alarms} at most 0");
    }

    fn print(&self, name: &str, n_runs: u32) {
        let Self { n_found, n_short, n_exact, n_executions, most, time, .. } = self;
        let mean = f64::from(*n_executions) / f64::from((*n_found).max(1));
        println!(
            "| {name} | {n_found} | {n_short} | {n_exact} | {mean:.1} | {most} | {:.2?} |",
            *time / n_runs
        );
    }
}
