//! The detection table: how often a bug behind a long road is found, and what helps.

#[path = "../tests/planted/mod.rs"]
#[expect(dead_code, reason = "shared with the tests, which use all of it")]
mod planted;

use planted::classic::jugs;
use planted::settings;
use probity::{Check, Choosing};

fn main() {
    println!("die_hard within 100 runs of at most 50 commands, over 100 seeds (the first 20 apart)\n");
    println!("| choosing | novelty | found of 20 | found of 100 |");
    println!("|---|---|---|---|");
    for (choosing, has_novelty) in [
        (Choosing::Uniform, false),
        (Choosing::Swarm, false),
        (Choosing::Uniform, true),
        (Choosing::Swarm, true),
    ] {
        let found = |n_seeds: u64| {
            let finds = |seed: &u64| {
                let test = if has_novelty { jugs().novelty() } else { jugs() };
                test.run(Check { choosing, ..settings(*seed) }).is_err()
            };
            (0..n_seeds).filter(finds).count()
        };
        let novelty = if has_novelty { "yes" } else { "no" };
        println!("| {choosing:?} | {novelty} | {} | {} |", found(20), found(100));
    }
}
