//! The last line of a test: `check`, which panics with the report, and `run`, which returns it.

use std::fmt::Debug;
use std::panic::Location;

use crate::arguments::Arguments;
use crate::builder::Stateful;
use crate::check::Check;
use crate::command::Finished;
use crate::deadline::block_on;
use crate::failure::Failure;
use crate::persist;
use crate::statistics::Statistics;

impl<M: 'static, S: 'static> Stateful<M, S> {
    /// Carries out the test and panics with the report if it fails. For use in a `#[test]`.
    ///
    /// Failures recorded earlier are replayed first, a new one is recorded, and `PROPTEST_CASES` and its kin are
    /// obeyed; see [`Persistence`](crate::Persistence).
    #[track_caller]
    pub fn check(self, check: Check) {
        let caller = Location::caller();
        let outcome = block_on(Box::pin(persist::run(self, check, caller.file())));
        if let Err(failure) = outcome {
            panic!("{failure}");
        }
    }

    /// As [`check`](Self::check), inside an async test.
    #[track_caller]
    pub fn check_async(self, check: Check) -> impl Future<Output = ()> {
        let caller = Location::caller();
        async move {
            if let Err(failure) = persist::run(self, check, caller.file()).await {
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
    #[track_caller]
    pub fn replay(self, script: &str) {
        let outcome = self.build().map_err(Failure::from).and_then(|machine| machine.replay(script));
        if let Err(failure) = outcome {
            panic!("{failure}");
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
