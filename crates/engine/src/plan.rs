//! What the next run shall look like: its length, the commands it favours, and where it sets out from.

use std::collections::BTreeMap;

use crate::check::{Check, Choosing};
use crate::dice::Dice;
use crate::machine::Machine;
use crate::run::Plan;
use crate::sequence::{Step, Trace};

/// Odds in percent: that a run is a swarm run, and that it sets out from a rarely met model.
const SWARM: usize = 80;
const SET_OUT: usize = 60;
/// Odds in percent that the length of a run is any at all; the others are long, for the sake of deep bugs.
const VARIED: usize = 30;
/// Odds in percent that a swarm run uses a command.
const IN_SWARM: usize = 65;
/// Models remembered at most, so that a machine of countless states does not eat the memory.
const MAX_MODELS: usize = 20_000;

/// Plans runs, and remembers the models that earlier ones met.
pub(crate) struct Scout {
    weights: Vec<u32>,
    min_commands: usize,
    max_commands: usize,
    choosing: Choosing,
    /// For each model: how often it was met or set out from, and the shortest way to it.
    models: BTreeMap<u64, (u32, Vec<Step>)>,
}

impl Scout {
    pub(crate) fn new<M, S>(machine: &Machine<M, S>, check: &Check) -> Self {
        Self {
            weights: machine.commands.iter().map(|command| command.weight).collect(),
            min_commands: check.min_commands.min(check.max_commands),
            max_commands: check.max_commands,
            choosing: check.choosing,
            models: BTreeMap::new(),
        }
    }

    pub(crate) fn n_models(&self) -> usize {
        self.models.len()
    }

    pub(crate) fn plan(&mut self, dice: &mut Dice) -> Plan {
        let length = if dice.chance(VARIED) {
            self.min_commands + dice.below(self.max_commands - self.min_commands + 1)
        } else {
            (self.max_commands - dice.below(self.max_commands / 8 + 1)).max(self.min_commands)
        };
        let weights = match self.choosing {
            Choosing::Uniform => self.weights.clone(),
            Choosing::Swarm if dice.chance(100 - SWARM) => self.weights.clone(),
            Choosing::Swarm => self.swarm(dice),
        };
        let prefix =
            if !self.models.is_empty() && dice.chance(SET_OUT) { self.set_out(dice) } else { Vec::new() };
        let prefix = prefix.into_iter().take(length).collect();
        Plan { max_commands: self.max_commands, length, weights, prefix }
    }

    /// A random subset, in which no command is there for sure.
    fn swarm(&self, dice: &mut Dice) -> Vec<u32> {
        let weights = self.weights.iter();
        weights.map(|weight| if dice.chance(IN_SWARM) { *weight } else { 0 }).collect()
    }

    /// The way to a model that few runs have met.
    fn set_out(&mut self, dice: &mut Dice) -> Vec<Step> {
        let picks: Vec<usize> = (0..8).map(|_| dice.below(self.models.len())).collect();
        let keys = picks.into_iter().filter_map(|index| self.models.keys().nth(index).copied());
        let rarest = keys.min_by_key(|key| self.models[key].0);
        rarest.and_then(|key| self.models.get_mut(&key)).map_or_else(Vec::new, |(count, way)| {
            *count += 1;
            way.clone()
        })
    }

    /// Remembers the models a run met.
    pub(crate) fn learn(&mut self, trace: &Trace) {
        for (index, done) in trace.done.iter().enumerate() {
            let Some(fingerprint) = done.fingerprint else { return };
            let n_models = self.models.len();
            match self.models.get_mut(&fingerprint) {
                Some((count, way)) => {
                    *count += 1;
                    if index + 1 < way.len() {
                        *way = trace.done[..=index].iter().map(|done| done.step.clone()).collect();
                    }
                }
                None if n_models < MAX_MODELS => {
                    let way = trace.done[..=index].iter().map(|done| done.step.clone()).collect();
                    self.models.insert(fingerprint, (1, way));
                }
                None => {}
            }
        }
    }
}
