//! A whole run: a range of instances on any number of threads, handed over in order.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use serde_json::Value;

use crate::pipeline::{GaveUp, Metrics, Source};

/// Instances one thread draws before it hands them over.
const BATCH: u64 = 32;
/// Drawing and judging call themselves as deep as an instance nests.
const STACK: usize = 256 << 20;

/// Which instances to draw, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The seed of the run.
    pub seed: u64,
    /// Which instances of it.
    pub range: Range<u64>,
    /// How many threads draw; the instances do not depend on it.
    pub n_threads: usize,
}

impl Job {
    /// The part of a run that shard `index` of `n` draws; all parts in order are the whole run.
    ///
    /// ```
    /// use probity_schema::Job;
    /// let whole = Job { seed: 1, range: 0..10, n_threads: 1 };
    /// assert_eq!(whole.shard(0, 3).range, 0..4);
    /// assert_eq!(whole.shard(2, 3).range, 7..10);
    /// ```
    #[must_use]
    pub fn shard(&self, index: u64, n: u64) -> Self {
        let Self { seed, range, n_threads } = self.clone();
        let length = u128::from(range.end.saturating_sub(range.start));
        let cut = |part: u64| {
            let share = (length * u128::from(part)).div_ceil(u128::from(n.max(1)));
            range.start + u64::try_from(share).unwrap_or(u64::MAX)
        };
        Self { seed, range: cut(index)..cut(index + 1), n_threads }
    }
}

/// Why a run ended before its last instance.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The receiver wanted no more.
    Receiver,
    /// An instance could not be drawn.
    GaveUp(GaveUp),
}

impl Source {
    /// Draws the instances of a job. Each is turned into what is wanted of it on the thread that drew it, and handed
    /// to `sink` in the order of the indices, whatever the number of threads.
    pub fn run<T: Send>(
        &self,
        job: &Job,
        turn: impl Fn(Value) -> T + Sync,
        mut sink: impl FnMut(T) -> ControlFlow<()>,
    ) -> (Metrics, Option<Stop>) {
        let mut metrics = self.prepared;
        let next = AtomicU64::new(job.range.start);
        let is_over = AtomicBool::new(false);
        let n_threads = job.n_threads.max(1);
        let mut stop = None;
        thread::scope(|scope| {
            let (send, receive) = sync_channel(n_threads * 4);
            for _ in 0..n_threads {
                let send = send.clone();
                let (next, is_over, turn) = (&next, &is_over, &turn);
                let work = move || {
                    while !is_over.load(Ordering::Relaxed) {
                        let start = next.fetch_add(BATCH, Ordering::Relaxed);
                        if start >= job.range.end {
                            break;
                        }
                        let end = start.saturating_add(BATCH).min(job.range.end);
                        if send.send((start, self.batch(job.seed, start..end, turn))).is_err() {
                            break;
                        }
                    }
                };
                let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
                started.expect("the system gives us one more thread");
            }
            drop(send);
            let mut waiting = BTreeMap::new();
            let mut due = job.range.start;
            'run: for (start, batch) in receive {
                waiting.insert(start, batch);
                while let Some((values, more, gave_up)) = waiting.remove(&due) {
                    due += BATCH;
                    metrics += more;
                    for value in values {
                        if sink(value).is_break() {
                            stop = Some(Stop::Receiver);
                            is_over.store(true, Ordering::Relaxed);
                            break 'run;
                        }
                    }
                    if let Some(gave_up) = gave_up {
                        stop = Some(Stop::GaveUp(gave_up));
                        is_over.store(true, Ordering::Relaxed);
                        break 'run;
                    }
                }
            }
        });
        (metrics, stop)
    }

    fn batch<T>(
        &self,
        seed: u64,
        range: Range<u64>,
        turn: &impl Fn(Value) -> T,
    ) -> (Vec<T>, Metrics, Option<GaveUp>) {
        let mut metrics = Metrics::default();
        let mut values = Vec::new();
        for index in range {
            match self.instance(seed, index, &mut metrics) {
                Ok(value) => values.push(turn(value)),
                Err(gave_up) => return (values, metrics, Some(gave_up)),
            }
        }
        (values, metrics, None)
    }
}
