//! What a run is doing, told to another thread: a command that never returns can then at least be named.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::deadline::Stopwatch;
use crate::failure::{Counterexample, Found, Recording, ShownStep};
use crate::machine::{Fault, LATE};
use crate::statistics::Statistics;

/// A run as another thread sees it.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    /// What is being replayed, if anything is.
    file: Option<PathBuf>,
    seed: u64,
    run: u32,
    /// The steps so far, the running one included.
    steps: Vec<ShownStep>,
    script: String,
    running: Option<Stopwatch>,
}

impl Watch {
    pub(crate) fn start_run(&self, seed: u64, run: u32) {
        let mut state = self.seen();
        (state.file, state.seed, state.run) = (None, seed, run);
    }

    /// What a file holds is replayed.
    pub(crate) fn start_recorded(&self, file: &Path) {
        self.seen().file = Some(file.to_owned());
    }

    /// A fresh model and system: nothing was done yet.
    pub(crate) fn start(&self) {
        let mut seen = self.seen();
        seen.steps.clear();
        seen.script.clear();
        seen.running = None;
    }

    /// A command begins.
    pub(crate) fn begin(&self, step: ShownStep, line: &str, limit: Duration) {
        let mut seen = self.seen();
        seen.steps.push(step);
        seen.script.push_str(line);
        // One that is late but returns is judged where it runs.
        seen.running = Some(Stopwatch::start(2 * limit + GRACE));
    }

    /// The command has returned.
    pub(crate) fn end(&self, result: Option<String>) {
        let mut seen = self.seen();
        seen.running = None;
        if let Some(step) = seen.steps.last_mut() {
            step.result = result;
        }
    }

    /// The failure to report if the running command will not return; `again` writes options for a seed and a run.
    pub(crate) fn give_up(
        &self,
        limit: Duration,
        again: impl Fn(u64, u32) -> String,
    ) -> Option<Counterexample> {
        let seen = self.seen();
        seen.running.filter(Stopwatch::is_over)?;
        let command = seen.steps.last().map_or("?", |step| &step.command);
        let fault = Fault {
            code: format!("{LATE}{command:?}"),
            message: format!(
                "it did not return within {limit:?} and cannot be stopped, so nothing was shrunk"
            ),
        };
        Some(Counterexample {
            fault,
            minimal: seen.steps.clone(),
            full: seen.steps.clone(),
            found: match &seen.file {
                Some(file) => Found::Recorded { file: file.clone() },
                None => Found::Drawn { again: again(seen.seed, seen.run) },
            },
            record: Recording::None,
            seed: seen.seed,
            run: seen.run,
            n_executions: 0,
            n_confirmations: 0,
            n_confirmed: 0,
            script: seen.script.clone(),
            others: Vec::new(),
            statistics: Statistics { seed: seen.seed, n_runs: seen.run, ..Statistics::default() },
        })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time beyond the limit before a command is given up.
const GRACE: Duration = Duration::from_millis(50);
