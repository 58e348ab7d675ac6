//! The test itself: the main loop over runs, and what is made of a failure.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::check::{Check, Choosing, Focus};
use crate::deadline::Stopwatch;
use crate::dice::Dice;
use crate::failure::{Counterexample, Failure, Found, Recording, show};
use crate::machine::{Fault, Machine};
use crate::plan::Scout;
use crate::run::{Engine, Tally};
use crate::script;
use crate::sequence::{Done, Replay, Step, Trace};
use crate::setup::SetupError;
use crate::shrink::{Limits, Shrunk, shrink};
use crate::statistics::{CommandCount, Statistics};
use crate::watch::Watch;

impl<M: 'static, S: 'static> Machine<M, S> {
    /// Carries out a test that begins with what failed before.
    pub(crate) async fn run_with(
        &self,
        check: &Check,
        seed: u64,
        recorded: &[Recorded],
        watch: Option<&Watch>,
    ) -> Result<Statistics, Failure> {
        self.validate()?;
        let mut tally = Tally::new(self);
        let engine = Engine::new(self, check.time_limit, watch);
        let is_automatic = self.fingerprint.as_ref().is_some_and(|one| one.is_automatic);
        if is_automatic && check.choosing == Choosing::Uniform {
            engine.is_watched.set(false);
        }
        let mut scout = Scout::new(self, check);
        let mut statistics = Statistics { seed, ..Statistics::default() };
        for recorded in recorded {
            let Recorded { file, earlier } = recorded;
            if let Some(watch) = watch {
                watch.start_recorded(file);
            }
            let trace = match earlier {
                Earlier::Steps(steps) => {
                    let trace = engine.replay(steps, Replay::Repair).await?.unwrap_or_default();
                    tally.count(&trace);
                    trace
                }
                Earlier::Run { seed, run } => {
                    let mut dice = Dice::new(*seed, u64::from(*run));
                    let plan = Scout::new(self, check).plan(&mut dice);
                    let drawn = engine.generate(&mut dice, &plan, &mut tally).await?;
                    engine.unroll(&drawn)
                }
            };
            statistics.n_replayed += 1;
            if trace.fault.is_some() {
                self.count(&mut statistics, &tally, scout.n_models());
                let found = Found::Recorded { file: file.clone() };
                return Err(report(&engine, check, trace, (found, 0), statistics).await?);
            }
        }
        let n_replayed: u64 = tally.n_ran.iter().sum();
        for run in 1..=check.num_runs {
            if let Some(watch) = watch {
                watch.start_run(seed, run);
            }
            let mut dice = Dice::new(seed, u64::from(run));
            let plan = scout.plan(&mut dice);
            let drawn = engine.generate(&mut dice, &plan, &mut tally).await?;
            statistics.n_runs = run;
            if drawn.fault.is_some() {
                engine.roads.replace(scout.roads());
                self.count(&mut statistics, &tally, scout.n_models());
                let found = Found::Drawn { again: check.again(seed, run) };
                return Err(report(&engine, check, engine.unroll(&drawn), (found, run), statistics).await?);
            }
            if engine.is_watched.get() {
                scout.learn(&drawn.met(), || engine.unroll(&drawn).steps());
                if is_automatic && scout.is_lost() {
                    engine.is_watched.set(false);
                    scout.forget();
                }
            }
            engine.recycle(drawn);
        }
        self.count(&mut statistics, &tally, scout.n_models());
        let has_run = tally.n_ran.iter().sum::<u64>() > n_replayed;
        if check.num_runs > 0 && check.max_commands > 0 && !has_run {
            let reasons =
                statistics.commands.iter().map(|command| format!("{:?}: {}", command.name, command.reason()));
            // A few runs may all be of length 0; only a command that was tried and refused is to blame.
            if statistics.commands.iter().any(|command| command.n_forbidden + command.n_undrawable > 0) {
                return Err(SetupError::NothingCallable { reasons: reasons.collect() }.into());
            }
        }
        Ok(statistics)
    }

    pub(crate) fn validate(&self) -> Result<(), SetupError> {
        if self.commands.iter().all(|command| command.weight == 0) {
            return Err(SetupError::NoCommands);
        }
        let names = self.commands.iter().map(|command| &command.name).enumerate();
        for (index, name) in names {
            if self.commands[..index].iter().any(|other| other.name == *name) {
                return Err(SetupError::DuplicateCommand { name: name.clone() });
            }
        }
        Ok(())
    }

    pub(crate) fn count(&self, statistics: &mut Statistics, tally: &Tally, n_models: usize) {
        statistics.n_models = n_models;
        let commands = self.commands.iter().enumerate().map(|(index, command)| CommandCount {
            name: command.name.clone(),
            n_ran: tally.n_ran[index],
            n_forbidden: tally.n_forbidden[index],
            n_undrawable: tally.n_undrawable[index],
            labels: {
                let labels = tally.labels.iter().filter(|((command, _), _)| *command == index);
                labels.map(|((_, label), count)| (label.clone(), *count)).collect()
            },
        });
        statistics.commands = commands.collect();
    }
}

/// A failure from an earlier time.
pub(crate) struct Recorded {
    /// The file that holds it.
    pub(crate) file: PathBuf,
    pub(crate) earlier: Earlier,
}

/// What is kept of a failure.
pub(crate) enum Earlier {
    Steps(Vec<Step>),
    Run { seed: u64, run: u32 },
}

/// Shrinks a failing run and puts together all there is to say about it.
pub(crate) async fn report<M: 'static, S: 'static>(
    engine: &Engine<'_, M, S>,
    check: &Check,
    trace: Trace,
    (found, run): (Found, u32),
    statistics: Statistics,
) -> Result<Failure, SetupError> {
    let first = if found == Found::Script { trace } else { complete(engine, trace).await? };
    let fault = first.fault.clone().expect("only failing runs are reported");
    let full = show(engine.machine, &first);
    let stopwatch = check.shrink_time.map(Stopwatch::start);
    let limits = |n_spent: u32| Limits {
        max_executions: check.shrink_budget.saturating_sub(n_spent),
        stopwatch,
        mode: check.replay,
    };
    let key = move |fault: &Fault| match check.focus {
        Focus::Same(key) => key(fault),
        Focus::Shortest => fault.code.clone(),
    };
    let wanted = key(&fault);
    let Shrunk { minimal, n_executions, others } =
        shrink(engine, first, &|fault| key(fault) == wanted, limits(0)).await?;
    let (mut minimal, mut n_executions, mut others) = (minimal, n_executions, others);
    let shorter = others.iter().filter(|(_, trace)| trace.done.len() < minimal.done.len());
    let shortest = shorter.min_by_key(|(_, trace)| trace.done.len()).map(|(code, _)| code.clone());
    if let (Focus::Shortest, Some(code)) = (check.focus, shortest) {
        let other = others.remove(&code).expect("the code was found there");
        let shrunk = shrink(engine, other, &|fault| fault.code == code, limits(n_executions)).await?;
        let first = std::mem::replace(&mut minimal, shrunk.minimal);
        n_executions += shrunk.n_executions;
        others = BTreeMap::from([(wanted.clone(), first)]);
    } else {
        others.retain(|_, trace| trace.done.len() < minimal.done.len());
    }
    let fault = minimal.fault.clone().unwrap_or(fault);
    let wanted = key(&fault);
    let mut n_confirmed = 0;
    for _ in 0..check.confirmations {
        let again = engine.replay(&minimal.steps(), Replay::Strict).await?;
        let again = again.and_then(|trace| trace.fault);
        n_confirmed += u32::from(again.is_some_and(|fault| key(&fault) == wanted));
    }
    let others =
        others.into_values().filter_map(|trace| Some((trace.fault.clone()?, show(engine.machine, &trace))));
    Ok(Failure::Counterexample(Box::new(Counterexample {
        fault,
        minimal: show(engine.machine, &minimal),
        full,
        found,
        record: Recording::None,
        seed: statistics.seed,
        run,
        n_executions,
        n_confirmations: check.confirmations,
        n_confirmed,
        script: script::write(engine.machine, &minimal.done),
        others: others.collect(),
        statistics,
    })))
}

/// Adds what a quick run did not keep: texts, the births of references, and results, which takes one replay.
async fn complete<M: 'static, S: 'static>(
    engine: &Engine<'_, M, S>,
    mut found: Trace,
) -> Result<Trace, SetupError> {
    let is_same = |again: &Trace| match (&again.fault, &found.fault) {
        (Some(again), Some(first)) => again.code == first.code,
        (None | Some(_), _) => false,
    };
    let is_lacking = found.done.iter().any(|done| done.result.is_none());
    let again = if engine.has_references() || is_lacking {
        engine.replay(&found.steps(), Replay::Repair).await?.filter(is_same)
    } else {
        None
    };
    if engine.has_references()
        && let Some(again) = again
    {
        return Ok(again);
    }
    for done in &mut found.done {
        if done.texts.is_empty() {
            done.texts = if done.values.is_empty() {
                engine.texts(&done.step)
            } else {
                done.values.iter().map(|value| value.show().into()).collect()
            };
            done.births = vec![None; done.texts.len()];
        }
    }
    if let Some(again) = again {
        add_results(&mut found, again);
    }
    Ok(found)
}

/// Takes the results of a replay over, unless it took another course.
fn add_results(found: &mut Trace, again: Trace) {
    let is_alike = |(first, again): (&Done, &Done)| {
        first.step.command == again.step.command && first.texts == again.texts
    };
    if found.done.len() == again.done.len() && found.done.iter().zip(&again.done).all(is_alike) {
        for (first, again) in found.done.iter_mut().zip(again.done) {
            first.result = first.result.take().or(again.result);
        }
    }
}
