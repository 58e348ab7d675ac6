//! From the log of a run to its steps: its values drawn once more in the same order, each with its gene.

use std::rc::Rc;

use crate::gene::Gene;
use crate::lane::{End, Pick};
use crate::machine::Slot;
use crate::run::{Drawn, Engine};
use crate::sequence::{Choice, Done, Step, Trace, UNKNOWN};
use crate::stream::Stream;
use crate::value::Value;

impl<M: 'static, S: 'static> Engine<'_, M, S> {
    /// What happened in a run, step by step.
    pub(crate) fn unroll(&self, drawn: &Drawn) -> Trace {
        let Drawn { seed, track, steps, fault } = drawn;
        let log = &track.log;
        let mut stream = Stream::new(*seed, 0);
        let mut elsewhere = steps.iter();
        let mut drawn: Vec<Option<(Value, Gene)>> = Vec::with_capacity(log.picks.len());
        let mut done: Vec<Done> = Vec::new();
        for (entry, picks) in log.attempts() {
            let first = drawn.len();
            for (slot, pick) in picks.iter().enumerate() {
                // What panicked before must not be asked again; its gene is enough.
                let is_culprit = entry.end == End::Drawing && slot + 1 == picks.len();
                let value = match pick {
                    Pick::Stream if is_culprit => {
                        Some((Value::with_show((), |()| UNKNOWN.into()), stream.gene()))
                    }
                    Pick::Stream => self.next(&mut stream, entry.command, slot),
                    Pick::Again(earlier) => drawn[*earlier].clone(),
                    Pick::Simplest => self.simplest(entry.command, slot),
                    Pick::Barren => None,
                };
                drawn.push(value);
            }
            let uid = u32::try_from(done.len()).unwrap_or(u32::MAX - 1);
            match entry.end {
                End::Refused => {}
                End::Elsewhere => {
                    let next = elsewhere.next().cloned();
                    done.extend(next.map(|done| Done { step: Step { uid, ..done.step }, ..done }));
                }
                End::Ran | End::Drawing => {
                    let n_slots = self.machine.commands[entry.command].parameters.len();
                    let slots = (0..n_slots).map(|slot| drawn.get(first + slot).and_then(Option::as_ref));
                    let (choices, texts) = slots
                        .map(|value| match value {
                            Some((value, gene)) => (Choice::Gene(gene.clone()), Rc::from(value.show())),
                            None => (Choice::Simplest, Rc::from(UNKNOWN)),
                        })
                        .unzip();
                    done.push(Done {
                        step: Step { uid, command: entry.command, choices },
                        values: Vec::new(),
                        texts,
                        births: vec![None; n_slots],
                        result: None,
                        fingerprint: entry.fingerprint,
                    });
                }
            }
        }
        Trace { done, fault: fault.clone() }
    }

    fn next(&self, stream: &mut Stream, command: usize, slot: usize) -> Option<(Value, Gene)> {
        match &self.machine.commands[command].parameters[slot].slot {
            Slot::Fixed(source) => source.next(stream),
            Slot::Live(_) | Slot::Reference(_) => None,
        }
    }

    fn simplest(&self, command: usize, slot: usize) -> Option<(Value, Gene)> {
        match &self.machine.commands[command].parameters[slot].slot {
            Slot::Fixed(source) => {
                let mut atlas = self.atlas.borrow_mut();
                let simplest = atlas.ends((command, slot), &**source).simplest.as_ref()?;
                Some((simplest.value.clone(), simplest.gene.clone()))
            }
            Slot::Live(_) | Slot::Reference(_) => None,
        }
    }
}
