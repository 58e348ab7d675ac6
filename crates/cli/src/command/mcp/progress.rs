//! Live progress of a run: sequences, calls per second, tools that answered, coverage, findings.

use std::collections::BTreeSet;
use std::time::Instant;

use indicatif::ProgressBar;
use probity_drive::mcp::{Event, Phase};

use crate::console::Console;

/// What is shown while a run goes on.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    n_calls: u64,
    n_tools: usize,
    succeeded: BTreeSet<String>,
    n_findings: usize,
    /// Targets hit, of how many, if that is measured.
    covered: Option<(usize, usize)>,
}

impl Progress {
    pub(crate) fn start(console: &Console, n_sequences: u32) -> Self {
        let bar = console.progress_of(u64::from(n_sequences), "{bar:24} {pos} of {len} sequences, {msg}");
        let started = Instant::now();
        Self {
            bar,
            started,
            n_calls: 0,
            n_tools: 0,
            succeeded: BTreeSet::new(),
            n_findings: 0,
            covered: None,
        }
    }

    pub(crate) fn note(&mut self, event: &Event<'_>) {
        match event {
            Event::Ready { catalog, .. } => self.n_tools = catalog.tools.len(),
            Event::Began { sequence, .. } => self.bar.set_position(u64::from(*sequence - 1)),
            Event::Called { phase, exchange, .. } => {
                self.n_calls += 1;
                if *phase == Phase::Draw && exchange.outcome.success().is_some() {
                    self.succeeded.insert(exchange.tool.clone());
                }
            }
            Event::Measured { n_hit, n_targets } => self.covered = Some((*n_hit, *n_targets)),
            Event::Found { .. } => self.n_findings += 1,
            _ => {}
        }
        self.show();
    }

    fn show(&self) {
        if self.bar.is_hidden() {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "nobody counts that far")]
        let rate = self.n_calls as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let Self { n_calls, n_tools, succeeded, n_findings, covered, .. } = self;
        let covered = covered.map(|(n_hit, n_targets)| format!("{n_hit} of {n_targets} targets, "));
        let covered = covered.unwrap_or_default();
        let n_good = succeeded.len();
        self.bar.set_message(format!(
            "{n_calls} calls ({rate:.0}/s), {n_good} of {n_tools} tools answered, {covered}{n_findings} findings"
        ));
    }

    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
