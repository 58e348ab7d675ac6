//! Systems with one planted bug each and the true minimum of a sequence that shows it.

pub(crate) mod classic;
mod dealing;
mod storage;
mod story;
mod structure;

use probity::{Check, Choosing, Counterexample, Failure, Persistence, ShownStep, Stateful, Statistics};

/// A planted bug.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The only right answer, written as `brief` writes it; `None` if there is no bug.
    pub(crate) minimum: Option<&'static str>,
    pub(crate) run: fn(&Check) -> Result<Statistics, Failure>,
}

/// Every case, the listed ones first.
pub(crate) fn cases() -> Vec<Case> {
    [classic::CASES, structure::CASES, story::CASES, storage::CASES, dealing::CASES].concat()
}

impl Clone for Case {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

/// The way every case is measured.
pub(crate) fn settings(seed: u64) -> Check {
    Check {
        seed: Some(seed),
        num_runs: 100,
        max_commands: 50,
        persistence: Persistence::Off,
        choosing: Choosing::Swarm,
        ..Check::default()
    }
}

/// A sequence in one line: values without names, references by the step of their birth.
pub(crate) fn brief(steps: &[ShownStep]) -> String {
    let steps = steps.iter().map(|step| {
        let arguments: Vec<String> = step
            .arguments
            .iter()
            .map(|argument| match argument.born_in {
                Some(step) => format!("@{step}"),
                None => argument.value.clone(),
            })
            .collect();
        if arguments.is_empty() {
            step.command.clone()
        } else {
            format!("{}({})", step.command, arguments.join(","))
        }
    });
    steps.collect::<Vec<_>>().join(" ")
}

/// What one seed gave.
pub(crate) enum Found {
    Nothing,
    Broken(Box<Counterexample>),
}

pub(crate) fn run(case: &Case, seed: u64) -> Found {
    match (case.run)(&settings(seed)) {
        Ok(_) => Found::Nothing,
        Err(Failure::Counterexample(counterexample)) => Found::Broken(counterexample),
        Err(error) => panic!("{}: {error}", case.name),
    }
}

/// Ends a case: the test as data.
pub(crate) fn go<M: 'static, S: 'static>(test: Stateful<M, S>, check: &Check) -> Result<Statistics, Failure> {
    test.build()?.run(check)
}
