//! The search for a sequential order that the model explains, with real time respected.

use crate::machine::Machine;
use crate::value::Value;

/// A call that was made, with the ticks at which it began and ended.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) command: usize,
    pub(crate) values: Vec<Value>,
    pub(crate) outcome: Value,
    pub(crate) result: String,
    pub(crate) begin: u64,
    pub(crate) end: u64,
}

/// Whether some order of the events explains every result.
pub(crate) fn explain<M: Clone, S>(machine: &Machine<M, S>, model: &M, branches: &[Vec<Event>]) -> bool {
    explain_from(machine, model, branches, &mut vec![0; branches.len()])
}

fn explain_from<M: Clone, S>(
    machine: &Machine<M, S>,
    model: &M,
    branches: &[Vec<Event>],
    next: &mut Vec<usize>,
) -> bool {
    let heads: Vec<(usize, &Event)> = branches
        .iter()
        .enumerate()
        .filter_map(|(branch, events)| Some((branch, events.get(next[branch])?)))
        .collect();
    // A call that ended before another began comes first; within a branch the head ends before the rest.
    let is_first = |event: &Event| heads.iter().all(|(_, other)| other.end >= event.begin);
    heads.is_empty()
        || heads.iter().filter(|(_, event)| is_first(event)).any(|(branch, event)| {
            let concurrent = machine.commands[event.command].concurrent.as_ref();
            let mut model = model.clone();
            let explains = concurrent.is_some_and(|concurrent| {
                (concurrent.explain)(&event.values, &mut model, &event.outcome).is_ok()
            });
            if !explains {
                return false;
            }
            next[*branch] += 1;
            let is_explained = explain_from(machine, &model, branches, next);
            next[*branch] -= 1;
            is_explained
        })
}
