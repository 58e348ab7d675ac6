//! A script made as short and plain as it can be while it still shows one finding, each try on a fresh server.

mod edit;

use std::collections::BTreeSet;
use std::time::Instant;

use crate::callable::{Blueprint, Sourcing};
use crate::mcp::cause::cause;
use crate::mcp::judge::Judge;
use crate::mcp::outcome::Exchange;
use crate::mcp::play::play;
use crate::mcp::script::{ScriptCall, without};
use crate::mcp::session::SessionError;
use crate::mcp::supply::Supply;

use edit::edits;

/// What simplifying needs besides the script.
pub(crate) struct Bench<'a> {
    pub(crate) supply: &'a mut Supply,
    pub(crate) judge: &'a Judge,
    /// The schema of a tool's arguments.
    pub(crate) blueprint: &'a dyn Fn(&str) -> Option<&'a Blueprint>,
    pub(crate) sourcing: Sourcing,
    pub(crate) budget: u32,
    pub(crate) deadline: Instant,
    /// Sees every call that is made.
    pub(crate) watch: &'a dyn Fn(&Exchange),
}

/// What came of simplifying.
pub(crate) struct Simplified {
    pub(crate) script: Vec<ScriptCall>,
    /// How often the server was run.
    pub(crate) n_executions: u32,
    /// Whether nothing more could be left out; otherwise the limits ended it.
    pub(crate) is_minimal: bool,
}

/// Simplifies a script that shows the finding of a cause.
pub(crate) async fn simplify<'a>(
    bench: Bench<'a>,
    script: Vec<ScriptCall>,
    wanted: &'a str,
) -> Result<Simplified, SessionError> {
    let mut search =
        Search { bench, wanted, best: script, n_executions: 0, is_cut: false, tried: BTreeSet::new() };
    loop {
        let before = search.best.clone();
        search.drop_calls().await?;
        for index in 0..search.best.len() {
            search.plain_call(index).await?;
        }
        let is_minimal = !search.is_cut && search.best == before;
        if is_minimal || search.is_over() {
            let Search { best, n_executions, .. } = search;
            return Ok(Simplified { script: best, n_executions, is_minimal });
        }
    }
}

struct Search<'a> {
    bench: Bench<'a>,
    wanted: &'a str,
    best: Vec<ScriptCall>,
    n_executions: u32,
    /// Whether something was left untried because of the limits.
    is_cut: bool,
    tried: BTreeSet<String>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.n_executions >= self.bench.budget || Instant::now() >= self.bench.deadline
    }

    /// Plays a candidate that was not tried before; if it shows the finding, it is the best now.
    async fn attempt(&mut self, candidate: Vec<ScriptCall>) -> Result<bool, SessionError> {
        let text = serde_json::to_string(&candidate).unwrap_or_default();
        if !self.tried.insert(text) {
            return Ok(false);
        }
        if self.is_over() {
            self.is_cut = true;
            return Ok(false);
        }
        self.n_executions += 1;
        let played = play(self.bench.supply, self.bench.judge, &candidate, self.bench.watch).await?;
        let Some(finding) = played.findings.iter().find(|finding| cause(finding) == self.wanted) else {
            return Ok(false);
        };
        self.best = candidate;
        // What comes after the call that shows it is not needed.
        if let Some(step) = finding.step {
            self.best.truncate(step + 1);
        }
        for (call, exchange) in self.best.iter_mut().zip(played.exchanges) {
            call.arguments = exchange.arguments;
        }
        Ok(true)
    }

    /// Leaves out ever smaller stretches, from the end to the front.
    async fn drop_calls(&mut self) -> Result<(), SessionError> {
        let mut size = self.best.len();
        while size > 0 {
            let mut end = self.best.len();
            while end > 0 {
                let start = end.saturating_sub(size);
                let candidate = without(&self.best, start..end);
                let is_shorter = self.attempt(candidate).await?;
                end = if is_shorter { start.min(self.best.len()) } else { start };
            }
            size /= 2;
        }
        Ok(())
    }

    /// Makes the arguments of one call plainer, as long as some edit succeeds; those of later calls that are equal change with
    /// them, if the finding needs that.
    async fn plain_call(&mut self, index: usize) -> Result<(), SessionError> {
        let mut at = 0;
        while let Some(call) = self.best.get(index) {
            let Some(blueprint) = (self.bench.blueprint)(&call.tool) else { return Ok(()) };
            let edits = edits(call, blueprint, self.bench.sourcing);
            let Some(edited) = edits.get(at) else { return Ok(()) };
            let mut alone = self.best.clone();
            alone[index] = edited.clone();
            let mut together = alone.clone();
            for (twin, now) in together.iter_mut().zip(&self.best).skip(index + 1) {
                if now.tool == call.tool && now.arguments == call.arguments {
                    *twin = edited.clone();
                }
            }
            // After a success the edits are those of the new arguments, the ones before `at` failed already.
            if !self.attempt(alone).await? && !self.attempt(together).await? {
                at += 1;
            }
            if self.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }
}
