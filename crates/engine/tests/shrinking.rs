//! Shrinking reaches the exact minimum of planted bugs, and no false alarm is raised.

mod planted;

use planted::{Found, brief, cases, run};

#[test]
fn every_planted_bug_shrinks_to_its_exact_minimum() {
    for case in cases() {
        for seed in 0..5 {
            let Found::Broken(found) = run(&case, seed) else { continue };
            assert_eq!(Some(brief(&found.minimal).as_str()), case.minimum, "{} seed {seed}", case.name);
            assert_eq!(
                found.n_confirmed, found.n_confirmations,
                "{} seed {seed} replays strictly",
                case.name
            );
            assert!(found.n_executions <= 500, "{} seed {seed} took {}", case.name, found.n_executions);
        }
    }
}
