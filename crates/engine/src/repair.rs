//! Precondition repair: other arguments for a step that its precondition forbids, found on the model alone.

use crate::live::{Chosen, Live};
use crate::machine::Slot;
use crate::sequence::{Choice, Step};
use crate::value::as_number;

/// Values tried one by one before the search turns binary.
const MAX_SCAN: i128 = 12;
/// References tried in place of one that is forbidden.
const MAX_REFERENCES: usize = 12;

impl<M: 'static, S: 'static> Live<'_, M, S> {
    /// Changes one argument so that the step is allowed; false if no single change does it.
    pub(crate) fn repair(&self, step: &Step, chosen: &mut [Chosen]) -> bool {
        (0..chosen.len()).rev().any(|slot| match &self.machine.commands[step.command].parameters[slot].slot {
            Slot::Reference(values) => {
                let texts = values(&self.model).into_iter().take(MAX_REFERENCES);
                texts
                    .map(|value| Choice::Text(value.show().into()))
                    .any(|choice| self.try_choice(step, chosen, slot, &choice))
            }
            Slot::Fixed(_) | Slot::Live(_) => self.repair_drawn(step, chosen, slot),
        })
    }

    /// The largest number below the forbidden one that is allowed, else the simplest value.
    fn repair_drawn(&self, step: &Step, chosen: &mut [Chosen], slot: usize) -> bool {
        let text = chosen[slot].value.show();
        let simplest =
            self.choose(step, slot, &Choice::Simplest, &chosen[..slot]).map(|chosen| chosen.value.show());
        let ends = simplest.and_then(|simplest| Some((as_number(&simplest)?, as_number(&text)?)));
        let Some((simplest, number)) = ends else {
            return self.try_choice(step, chosen, slot, &Choice::Simplest);
        };
        let toward = if number > simplest { -1 } else { 1 };
        let distance = (number - simplest).abs();
        for offset in 1..=distance.min(MAX_SCAN) {
            if self.try_number(step, chosen, slot, number + toward * offset) {
                return true;
            }
        }
        if distance <= MAX_SCAN || !self.try_number(step, chosen, slot, simplest) {
            return false;
        }
        let (mut allowed, mut forbidden) = (0, distance - MAX_SCAN);
        while forbidden - allowed > 1 {
            let middle = allowed + (forbidden - allowed) / 2;
            if self.try_number(step, chosen, slot, simplest - toward * middle) {
                allowed = middle;
            } else {
                forbidden = middle;
            }
        }
        true
    }

    fn try_number(&self, step: &Step, chosen: &mut [Chosen], slot: usize, number: i128) -> bool {
        self.try_choice(step, chosen, slot, &Choice::Text(number.to_string().into()))
    }

    /// Puts another choice in place; takes it back unless the step is then allowed.
    fn try_choice(&self, step: &Step, chosen: &mut [Chosen], slot: usize, choice: &Choice) -> bool {
        let Some(other) = self.choose(step, slot, choice, &chosen[..slot]) else { return false };
        let old = chosen.to_vec();
        chosen[slot] = other;
        let is_allowed = self.choose_again(step, slot + 1, chosen) && self.allows(step.command, chosen);
        if !is_allowed {
            chosen.clone_from_slice(&old);
        }
        is_allowed
    }

    /// Chooses arguments anew that may depend on one before them; false if that is not possible.
    fn choose_again(&self, step: &Step, first: usize, chosen: &mut [Chosen]) -> bool {
        (first..chosen.len()).all(|slot| {
            let parameters = &self.machine.commands[step.command].parameters;
            if !matches!(parameters[slot].slot, Slot::Live(_)) {
                return true;
            }
            let choice = match &chosen[slot].choice {
                Choice::Gene(gene) => Choice::Keep(chosen[slot].value.show().into(), gene.clone()),
                other => other.clone(),
            };
            match self.choose(step, slot, &choice, &chosen[..slot]) {
                Some(other) => {
                    chosen[slot] = other;
                    true
                }
                None => false,
            }
        })
    }
}
