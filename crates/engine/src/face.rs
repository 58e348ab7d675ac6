//! The last line of a test: `check`, which panics with the report, and `run`, which returns it.

use std::fmt::Debug;
use std::panic::{Location, resume_unwind};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use crate::arguments::Arguments;
use crate::builder::Stateful;
use crate::check::Check;
use crate::command::Finished;
use crate::deadline::block_on;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::persist;
use crate::rerun;
use crate::statistics::Statistics;
use crate::watch::Watch;

impl<M: 'static, S: 'static> Stateful<M, S> {
    /// Carries out the test and panics with the report if it fails. For use in a `#[test]`.
    ///
    /// Failures recorded earlier are replayed first, a new one is recorded, and `PROPTEST_CASES` and its kin are
    /// obeyed; see [`Persistence`](crate::Persistence).
    #[track_caller]
    pub fn check(self, check: Check) {
        let caller = Location::caller();
        let outcome = block_on(Box::pin(persist::run(self, check, caller.file(), None)));
        if let Err(failure) = outcome {
            panic!("{failure}");
        }
    }

    /// As [`check`](Self::check), inside an async test.
    #[track_caller]
    pub fn check_async(self, check: Check) -> impl Future<Output = ()> {
        let caller = Location::caller();
        async move {
            if let Err(failure) = persist::run(self, check, caller.file(), None).await {
                panic!("{failure}");
            }
        }
    }

    /// Carries out the test and returns what came of it. Reads and writes no file, and no variable of the environment.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the last line of a test reads alike whatever its ending"
    )]
    pub fn run(self, check: Check) -> Result<Statistics, Failure> {
        self.build()?.run(&check)
    }

    /// As [`run`](Self::run), inside an async test.
    pub async fn run_async(self, check: Check) -> Result<Statistics, Failure> {
        self.build()?.run_async(&check).await
    }

    /// Replays the script of a minimal sequence, as a report prints it, and panics if it fails again.
    ///
    /// What follows the `#` of a line is its code, from which the step is drawn again; what stands before it is for
    /// people, and must say the same. Panics as well if no step of the script runs; see [`Machine::replay`].
    #[track_caller]
    pub fn replay(self, script: &str) {
        let outcome = self.build().map_err(Failure::from).and_then(|machine| machine.replay(script));
        if let Err(failure) = outcome {
            panic!("{failure}");
        }
    }
}

impl<M: 'static, S: 'static> Machine<M, S> {
    /// Carries out a test on this thread.
    pub fn run(&self, check: &Check) -> Result<Statistics, Failure> {
        block_on(Box::pin(self.run_async(check)))
    }

    /// Carries out a test inside an async test.
    pub async fn run_async(&self, check: &Check) -> Result<Statistics, Failure> {
        persist::run_recorded(self, check, None, None).await
    }

    /// As [`run`](Self::run), but what `file` and the script beside it hold is replayed first, and a new failure is
    /// recorded there.
    ///
    /// The tests of one file are told apart by the names of their commands, so a machine made at run time replays what
    /// a machine with the same commands left.
    pub fn run_recorded(&self, check: &Check, file: &Path) -> Result<Statistics, Failure> {
        block_on(Box::pin(self.run_recorded_async(check, file)))
    }

    /// As [`run_recorded`](Self::run_recorded), inside an async test.
    pub async fn run_recorded_async(&self, check: &Check, file: &Path) -> Result<Statistics, Failure> {
        persist::run_recorded(self, check, Some(file), None).await
    }

    /// Replays a script without shrinking. A step that its precondition forbids gets the nearest arguments that are
    /// allowed, or is left out.
    ///
    /// What cannot be read, what reads otherwise than its code draws, and a script of which no step runs are errors: a
    /// replay that tests nothing does not succeed. The script of a minimal sequence is [`Counterexample::script`](crate::Counterexample::script).
    pub fn replay(&self, script: &str) -> Result<Statistics, Failure> {
        block_on(Box::pin(self.replay_async(script)))
    }

    /// Replays a script inside an async test.
    pub async fn replay_async(&self, script: &str) -> Result<Statistics, Failure> {
        rerun::script(self, script).await
    }
}

/// Carries out a test on a thread of its own, so that even a synchronous command that never returns ends the test, and
/// panics with the report if it fails. For use in a `#[test]`.
///
/// With a [`time_limit`](Check::time_limit), a command that has not returned long after it is reported with the steps
/// that led there. It cannot be stopped: its thread stays behind until the process ends. The test is described on
/// that thread, so model and system need not be [`Send`].
///
/// ```
/// # use probity::{Check, Persistence, check_watched, stateful};
/// # use std::time::Duration;
/// # let persistence = Persistence::Off;
/// let check = Check { time_limit: Some(Duration::from_secs(1)), persistence, ..Check::default() };
/// check_watched(check, || {
///     stateful::<u32, u32>()
///         .model(|| 0)
///         .sut(|| 0)
///         .command("inc")
///         .run(|(), model, counter| { *model += 1; *counter += 1; })
///         .invariant(|model, counter| model == counter)
/// });
/// ```
#[track_caller]
pub fn check_watched<M: 'static, S: 'static>(
    check: Check,
    test: impl FnOnce() -> Stateful<M, S> + Send + 'static,
) {
    let caller = Location::caller();
    let options = check.clone();
    let outcome = watched(&options, move |watch| {
        block_on(Box::pin(persist::run(test(), check, caller.file(), Some(watch))))
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// As [`check_watched`], returned as data. Reads and writes no file, and no variable of the environment.
pub fn run_watched<M: 'static, S: 'static>(
    check: Check,
    test: impl FnOnce() -> Stateful<M, S> + Send + 'static,
) -> Result<Statistics, Failure> {
    let options = check.clone();
    watched(&options, move |watch| {
        let machine = test().build()?;
        block_on(Box::pin(persist::run_recorded(&machine, &check, None, Some(watch))))
    })
}

/// Runs a test on another thread and waits for it, or for a command that takes too long.
fn watched(
    check: &Check,
    run: impl FnOnce(&Watch) -> Result<Statistics, Failure> + Send + 'static,
) -> Result<Statistics, Failure> {
    let limit = check.time_limit;
    let watch = Arc::new(Watch::default());
    let shared = watch.clone();
    let (sender, receiver) = mpsc::channel();
    let worker = thread::spawn(move || {
        // Nobody listens any more if the test was given up.
        let _ = sender.send(run(&shared));
    });
    loop {
        let pause = limit.unwrap_or(Duration::from_secs(3600)).max(Duration::from_millis(1));
        match receiver.recv_timeout(pause) {
            Ok(outcome) => return outcome,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let again = |seed, run| check.again(seed, run);
                if let Some(counterexample) = limit.and_then(|limit| watch.give_up(limit, again)) {
                    return Err(Failure::Counterexample(Box::new(counterexample)));
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => match worker.join() {
                Err(payload) => resume_unwind(payload),
                Ok(()) => unreachable!("the worker sends its outcome before it ends"),
            },
        }
    }
}

impl<M: 'static, S: 'static, A: Arguments, R: Debug + 'static> Finished<M, S, A, R> {
    /// See [`Stateful::check`].
    #[track_caller]
    pub fn check(self, check: Check) {
        self.end().check(check);
    }

    /// See [`Stateful::check_async`].
    #[track_caller]
    pub fn check_async(self, check: Check) -> impl Future<Output = ()> {
        self.end().check_async(check)
    }

    /// See [`Stateful::run`].
    pub fn run(self, check: Check) -> Result<Statistics, Failure> {
        self.end().run(check)
    }

    /// See [`Stateful::run_async`].
    pub async fn run_async(self, check: Check) -> Result<Statistics, Failure> {
        self.end().run_async(check).await
    }

    /// See [`Stateful::replay`].
    #[track_caller]
    pub fn replay(self, script: &str) {
        self.end().replay(script);
    }
}
