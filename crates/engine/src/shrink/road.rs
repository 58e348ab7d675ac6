//! Other roads: where models come back, the shortest failing sequence may have nothing in common with the one found.
//!
//! So the models that the runs have met are explored on with commands that take no arguments, shortest way first, as
//! long as a failure there would be shorter.

use std::collections::BTreeMap;

use crate::run::Road;
use crate::sequence::Step;
use crate::shrink::Shrinker;
use crate::shrink::draft::{Argument, Draft};

/// Roads tried at most.
const MAX_TRIES: usize = 60;

/// Tries commands that take no arguments where no run has tried them.
pub(super) async fn untried(shrinker: &mut Shrinker<'_>) {
    let (mut roads, bare) = shrinker.subject.roads();
    let n_before = shrinker.best.done.len();
    for _ in 0..MAX_TRIES {
        shorten(&mut roads);
        let next = roads.iter().enumerate().filter_map(|(index, road)| {
            let command = bare.iter().find(|command| !road.leads.contains_key(command))?;
            Some((road.way.len(), index, *command))
        });
        let Some((n_steps, index, command)) = next.min() else { return };
        if n_steps + 1 >= n_before {
            return;
        }
        let candidate = drafts(&roads[index].way, command);
        if shrinker.attempt(&candidate).await || shrinker.is_over() {
            return;
        }
        let passed = shrinker.passed.take().filter(|trace| trace.done.len() == candidate.len());
        let fingerprint = passed.as_ref().and_then(|trace| trace.done.last()?.fingerprint);
        roads[index].leads.insert(command, fingerprint);
        let is_new = !roads.iter().any(|road| road.fingerprint == fingerprint);
        if let Some(trace) = passed.filter(|_| is_new) {
            roads.push(Road { way: trace.steps(), leads: BTreeMap::new(), fingerprint });
        }
    }
}

/// Finds shorter ways among what is known.
fn shorten(roads: &mut [Road]) {
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for from in 0..roads.len() {
            let Road { way, leads, fingerprint: _ } = roads[from].clone();
            for (command, to) in leads {
                let Some(to) = roads.iter_mut().find(|road| to.is_some() && road.fingerprint == to) else {
                    continue;
                };
                if way.len() + 1 < to.way.len() {
                    let last = Step { uid: 0, command, choices: Vec::new() };
                    to.way = way.iter().cloned().chain([last]).collect();
                    has_changed = true;
                }
            }
        }
    }
}

fn drafts(way: &[Step], command: usize) -> Vec<Draft> {
    let way = way.iter().map(|step| {
        let unknown = |choice| Argument { choice, text: None, birth: None };
        (step.command, step.choices.iter().cloned().map(unknown).collect())
    });
    let steps = way.chain([(command, Vec::new())]).enumerate();
    let draft = |(index, (command, arguments))| Draft {
        uid: u32::try_from(index).unwrap_or(u32::MAX - 1),
        command,
        arguments,
    };
    steps.map(draft).collect()
}
