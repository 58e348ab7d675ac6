//! How a test is carried out: the options, and their defaults.

use std::time::Duration;

use crate::machine::Fault;
use crate::sequence::Replay;

/// How a test is carried out.
#[derive(Clone, Debug)]
pub struct Check {
    /// Sequences to try.
    pub num_runs: u32,
    /// Shortest sequence that is drawn; one that runs out of callable commands ends earlier.
    pub min_commands: usize,
    /// Longest sequence.
    pub max_commands: usize,
    /// The seed; a fresh one for each test if `None`.
    pub seed: Option<u64>,
    /// Executions of the system that shrinking may take.
    pub shrink_budget: u32,
    /// Time that shrinking may take.
    pub shrink_time: Option<Duration>,
    /// Time that one command may take; one that takes longer fails.
    ///
    /// A synchronous command is judged when it returns. If it may never return, give the test to
    /// [`check_watched`](crate::check_watched), which then ends all the same.
    pub time_limit: Option<Duration>,
    /// What happens to a step that its precondition forbids while shrinking.
    pub replay: Replay,
    /// How commands are chosen.
    pub choosing: Choosing,
    /// Replays of the minimal sequence before it is reported.
    pub confirmations: u32,
    /// Which failures count as the same while shrinking.
    pub focus: Focus,
    /// Where failures are recorded; only `check` and its kin record at all.
    pub persistence: Persistence,
}

/// How commands are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choosing {
    /// By weight alone.
    Uniform,
    /// Most runs use only some of the commands, some of them more often.
    Swarm,
}

/// Which failures count as the same while shrinking.
#[derive(Clone, Copy, Debug)]
pub enum Focus {
    /// Those with the same key; the key of a fault is chosen here.
    Same(fn(&Fault) -> String),
    /// Those of the same check; if another check failed on a shorter sequence on the way, that one is shrunk as well
    /// and reported first.
    Shortest,
}

/// Where failures are recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// In `proptest-regressions`, as proptest does.
    Default,
    /// In this file, and in a script beside it.
    File(std::path::PathBuf),
    /// Nowhere.
    Off,
}

impl Check {
    /// The options that draw a run again, as Rust: those that decide what is drawn and whether it fails.
    pub(crate) fn again(&self, seed: u64, run: u32) -> String {
        let Self { min_commands, max_commands, time_limit, choosing, .. } = self;
        let default = Self::default();
        let mut fields = vec![format!("seed: Some({seed})")];
        // Past the run that fails there is nothing to see.
        fields.extend((run > default.num_runs).then(|| format!("num_runs: {run}")));
        let is_other = *min_commands != default.min_commands;
        fields.extend(is_other.then(|| format!("min_commands: {min_commands}")));
        let is_other = *max_commands != default.max_commands;
        fields.extend(is_other.then(|| format!("max_commands: {max_commands}")));
        fields.extend(time_limit.map(|limit| format!("time_limit: Some({})", rust_of(limit))));
        let is_other = *choosing != default.choosing;
        fields.extend(is_other.then(|| format!("choosing: Choosing::{choosing:?}")));
        format!("Check {{ {}, ..Check::default() }}", fields.join(", "))
    }
}

/// A duration as Rust, in the largest unit that is exact.
fn rust_of(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    let units = [(1_000_000_000, "secs"), (1_000_000, "millis"), (1_000, "micros")];
    let whole = units.iter().find(|(size, _)| nanos.is_multiple_of(*size));
    let (size, unit) = whole.copied().unwrap_or((1, "nanos"));
    format!("Duration::from_{unit}({})", nanos / size)
}

impl Default for Check {
    fn default() -> Self {
        Self {
            num_runs: 100,
            min_commands: 0,
            max_commands: 50,
            seed: None,
            shrink_budget: 480,
            shrink_time: None,
            time_limit: None,
            replay: Replay::Repair,
            choosing: Choosing::Swarm,
            confirmations: 3,
            focus: Focus::Shortest,
            persistence: Persistence::Default,
        }
    }
}
