//! A script replayed: it fails again, or its steps run and hold; it never succeeds without a test.

use crate::check::Check;
use crate::failure::{Failure, Found};
use crate::machine::Machine;
use crate::run::{Engine, Tally};
use crate::script::{self, Line};
use crate::search::report;
use crate::sequence::{Choice, Done, Replay, Step, Trace};
use crate::setup::SetupError;
use crate::statistics::Statistics;

/// Replays a script without shrinking.
pub(crate) async fn script<M: 'static, S: 'static>(
    machine: &Machine<M, S>,
    script: &str,
) -> Result<Statistics, Failure> {
    machine.validate()?;
    let lines = script::read(machine, script)?;
    let steps: Vec<Step> = lines.iter().map(|line| line.step.clone()).collect();
    let engine = Engine::new(machine, None, None);
    let trace = engine.replay(&steps, Replay::Repair).await?.unwrap_or_default();
    if let Some(error) = find_contradiction(&engine, &lines, &steps, &trace).await? {
        return Err(error.into());
    }
    let reason = match (&trace.fault, lines.len(), trace.done.len()) {
        (None, 0, _) => Some("the script has no step; copy all of it from a report"),
        (None, _, 0) => {
            Some("every step is forbidden by its precondition now; copy the script from a new report")
        }
        (Some(_) | None, ..) => None,
    };
    if let Some(reason) = reason {
        return Err(SetupError::NothingReplayed { reason: reason.to_owned() }.into());
    }
    let mut tally = Tally::new(machine);
    tally.count(&trace);
    let mut statistics = Statistics { n_replayed: 1, ..Statistics::default() };
    machine.count(&mut statistics, &tally, 0);
    if trace.fault.is_none() {
        return Ok(statistics);
    }
    let check = Check { shrink_budget: 0, ..Check::default() };
    Err(report(&engine, &check, trace, (Found::Script, 0), statistics).await?)
}

/// What is wrong with a script that reads otherwise than its code draws.
async fn find_contradiction<M: 'static, S: 'static>(
    engine: &Engine<'_, M, S>,
    lines: &[Line],
    steps: &[Step],
    trace: &Trace,
) -> Result<Option<SetupError>, SetupError> {
    let mut has_strayed = false;
    for (index, done) in trace.done.iter().enumerate() {
        // The uid of a step is its place in the script.
        let line = lines.get(done.step.uid as usize).filter(|line| line.step.command == done.step.command);
        let Some(line) = line else { continue };
        has_strayed |= line.step.uid as usize != index;
        if is_repaired(&line.step, done) {
            has_strayed = true;
            continue;
        }
        let Some(drawn) = script::contradiction(engine.machine, line, done, has_strayed) else { continue };
        if !is_steady(engine, steps, index, done).await? {
            continue;
        }
        let reason = format!(
            "it reads {:?}, but its code draws {drawn:?}; copy the line whole from a report, or write {drawn:?} if \
             that is meant",
            line.shown
        );
        return Ok(Some(SetupError::Script { line: line.number, reason }));
    }
    Ok(None)
}

/// Replays that must agree before a text that differs from them is called wrong.
const N_AGREEING: u32 = 8;

/// Whether a step reads alike in every replay; what shows otherwise each time, as unordered sets do, proves nothing.
async fn is_steady<M: 'static, S: 'static>(
    engine: &Engine<'_, M, S>,
    steps: &[Step],
    index: usize,
    done: &Done,
) -> Result<bool, SetupError> {
    for _ in 1..N_AGREEING {
        let again = engine.replay(steps, Replay::Repair).await?.unwrap_or_default();
        if again.done.get(index).is_none_or(|again| again.texts != done.texts) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a step got other arguments than it asked for, because its precondition forbade them.
fn is_repaired(asked: &Step, done: &Done) -> bool {
    let mut choices = asked.choices.iter().zip(&done.step.choices);
    choices.any(|(asked, taken)| match asked {
        Choice::Gene(_) | Choice::Born(_) => asked != taken,
        Choice::Text(_) | Choice::Keep(..) | Choice::Simplest => false,
    })
}
