//! The detection tables: how often a bug behind a long road is found and what helps, and how soon the others are found.

#[path = "../tests/planted/mod.rs"]
#[expect(dead_code, reason = "shared with the tests, which use all of it")]
mod planted;

use planted::classic::jugs;
use planted::{Found, cases, run, settings};
use probity::{Check, Choosing, Stateful, stateful};

const N_SEEDS: u64 = 200;

fn main() {
    println!("die_hard within 100 runs of at most 50 commands, over {N_SEEDS} seeds\n");
    println!("| commands chosen | models told apart | found of 100 | least in 20 seeds in a row |");
    println!("|---|---|---|---|");
    row("uniformly", "no", |seed| breaks(opaque_jugs(), Choosing::Uniform, seed));
    row("by swarm", "no", |seed| breaks(opaque_jugs(), Choosing::Swarm, seed));
    row("uniformly", "on demand", |seed| breaks(jugs().novelty(), Choosing::Uniform, seed));
    let least = row("by swarm", "by default", |seed| breaks(jugs(), Choosing::Swarm, seed));
    println!("\nratio least-of-20-by-default {least} at least 15");

    println!("\nall planted bugs, over 20 seeds\n");
    println!("| case | found | mean run that found it |");
    println!("|---|---|---|");
    for case in cases().iter().filter(|case| case.minimum.is_some()) {
        let runs: Vec<u32> = (0..20)
            .filter_map(|seed| match run(case, seed) {
                Found::Broken(broken) => Some(broken.run),
                Found::Nothing => None,
            })
            .collect();
        let n_found = u32::try_from(runs.len()).unwrap_or(u32::MAX);
        let mean = f64::from(runs.iter().sum::<u32>()) / f64::from(n_found.max(1));
        println!("| {} | {n_found} | {mean:.1} |", case.name);
    }
}

fn breaks<M: 'static>(test: Stateful<M, ()>, choosing: Choosing, seed: u64) -> bool {
    test.run(Check { choosing, ..settings(seed) }).is_err()
}

/// Prints a row, and returns the least number of seeds that found the bug among 20 in a row.
fn row(choosing: &str, novelty: &str, finds: impl Fn(u64) -> bool) -> usize {
    let found: Vec<bool> = (0..N_SEEDS).map(finds).collect();
    let count = |seeds: &[bool]| seeds.iter().filter(|is_found| **is_found).count();
    let least = found.windows(20).map(count).min().unwrap_or(0);
    let of_100 = count(&found) * 100 / found.len();
    println!("| {choosing} | {novelty} | {of_100} | {least} |");
    least
}

/// The same puzzle with a model that nobody can look into: it is neither `Hash` nor `Debug`.
struct Sealed {
    small: u8,
    big: u8,
}

fn opaque_jugs() -> Stateful<Sealed, ()> {
    stateful::<Sealed, ()>()
        .model(|| Sealed { small: 0, big: 0 })
        .sut(|| ())
        .command("fill3")
        .run(|(), jugs, ()| jugs.small = 3)
        .command("fill5")
        .run(|(), jugs, ()| jugs.big = 5)
        .command("empty3")
        .run(|(), jugs, ()| jugs.small = 0)
        .command("empty5")
        .run(|(), jugs, ()| jugs.big = 0)
        .command("pour35")
        .run(|(), jugs, ()| {
            let poured = jugs.small.min(5 - jugs.big);
            *jugs = Sealed { small: jugs.small - poured, big: jugs.big + poured };
        })
        .command("pour53")
        .run(|(), jugs, ()| {
            let poured = jugs.big.min(3 - jugs.small);
            *jugs = Sealed { small: jugs.small + poured, big: jugs.big - poured };
        })
        .invariant(|jugs, ()| jugs.big != 4)
}
