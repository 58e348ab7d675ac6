//! What the next run shall look like: its length, the commands it favours, and where it sets out from.

use std::collections::BTreeMap;

use crate::check::{Check, Choosing};
use crate::dice::Dice;
use crate::machine::Machine;
use crate::run::{Plan, Road};
use crate::sequence::Step;

/// Odds in percent: that a run is a swarm run, and that it sets out from a rarely met model.
const SWARM: usize = 80;
const SET_OUT: usize = 60;
/// Odds in percent that the length of a run is any at all; the others are long, for the sake of deep bugs.
const VARIED: usize = 30;
/// Odds in percent that a swarm run uses a command.
const IN_SWARM: usize = 65;
/// Steps after which it is known whether models come back, and the percentage of new ones that is too much.
const N_TRIED: usize = 120;
const MAX_NEW: usize = 30;
/// Models that shrinking hears of.
const MAX_ROADS: usize = 64;
/// Models remembered at most, so that a machine of countless states does not eat the memory.
const MAX_MODELS: usize = 20_000;

/// Plans runs, and remembers the models that earlier ones met.
pub(crate) struct Scout {
    weights: Vec<u32>,
    min_commands: usize,
    max_commands: usize,
    choosing: Choosing,
    /// Models met, in the order of their first meeting: fingerprints must not decide anything but which are the same.
    models: Vec<Met>,
    places: BTreeMap<u64, usize>,
    /// Where commands without arguments lead from the start.
    start: BTreeMap<usize, Option<u64>>,
    /// Which commands take no arguments.
    bare: Vec<bool>,
    /// Steps after which a fingerprint was taken.
    n_steps: usize,
    /// Whether a model had no fingerprint: it is too large, say.
    is_blind: bool,
}

/// A model that was met.
struct Met {
    /// How often it was met or set out from.
    count: u32,
    /// The shortest way to it.
    way: Vec<Step>,
    /// Where commands without arguments lead from there.
    leads: BTreeMap<usize, Option<u64>>,
}

impl Scout {
    pub(crate) fn new<M, S>(machine: &Machine<M, S>, check: &Check) -> Self {
        Self {
            weights: machine.commands.iter().map(|command| command.weight).collect(),
            min_commands: check.min_commands.min(check.max_commands),
            max_commands: check.max_commands,
            choosing: check.choosing,
            models: Vec::new(),
            places: BTreeMap::new(),
            start: BTreeMap::new(),
            bare: machine.commands.iter().map(|command| command.parameters.is_empty()).collect(),
            n_steps: 0,
            is_blind: false,
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
        let is_swarm = self.choosing == Choosing::Swarm;
        Plan { max_commands: self.max_commands, length, weights, is_swarm, prefix }
    }

    /// A random subset, in which no command is there for sure.
    fn swarm(&self, dice: &mut Dice) -> Vec<u32> {
        let weights = self.weights.iter();
        weights.map(|weight| if dice.chance(IN_SWARM) { *weight } else { 0 }).collect()
    }

    /// The way to a model that few runs have met.
    fn set_out(&mut self, dice: &mut Dice) -> Vec<Step> {
        let picks: Vec<usize> = (0..8).map(|_| dice.below(self.models.len())).collect();
        let rarest = picks.into_iter().min_by_key(|index| self.models[*index].count);
        rarest.and_then(|index| self.models.get_mut(index)).map_or_else(Vec::new, |met| {
            met.count += 1;
            met.way.clone()
        })
    }

    /// Remembers the models that a run met; `steps` is asked only if one of them is new or was met on a shorter way.
    pub(crate) fn learn(&mut self, met: &[(usize, Option<u64>)], steps: impl FnOnce() -> Vec<Step>) {
        let mut steps = Some(steps);
        let mut known: Option<Vec<Step>> = None;
        let mut way_to = |index: usize| {
            let all = known.get_or_insert_with(|| steps.take().map_or_else(Vec::new, |steps| steps()));
            all[..=index].to_vec()
        };
        let mut here: Option<usize> = None;
        for (index, (command, fingerprint)) in met.iter().enumerate() {
            let leads = match here {
                Some(place) => &mut self.models[place].leads,
                None => &mut self.start,
            };
            if self.bare[*command] && (index == 0 || here.is_some()) {
                leads.insert(*command, *fingerprint);
            }
            here = None;
            let Some(fingerprint) = fingerprint else {
                self.is_blind = true;
                continue;
            };
            self.n_steps += 1;
            match self.places.get(fingerprint) {
                Some(place) => {
                    let met = &mut self.models[*place];
                    met.count += 1;
                    if index + 1 < met.way.len() {
                        met.way = way_to(index);
                    }
                    here = Some(*place);
                }
                None if self.models.len() < MAX_MODELS => {
                    here = Some(self.models.len());
                    self.places.insert(*fingerprint, self.models.len());
                    self.models.push(Met { count: 1, way: way_to(index), leads: BTreeMap::new() });
                }
                None => {}
            }
        }
    }

    /// Whether models cannot be told apart, or hardly ever come back so that to tell them apart leads nowhere.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_blind || self.n_steps >= N_TRIED && self.models.len() * 100 > self.n_steps * MAX_NEW
    }

    /// What the shrinking of a failure may want to know: the models met, and where commands lead from there.
    pub(crate) fn roads(&self) -> Vec<Road> {
        let start = Road { way: Vec::new(), leads: self.start.clone(), fingerprint: None };
        let met = self.places.iter().map(|(fingerprint, place)| {
            let Met { count: _, way, leads } = &self.models[*place];
            (*place, Road { way: way.clone(), leads: leads.clone(), fingerprint: Some(*fingerprint) })
        });
        let mut met: Vec<(usize, Road)> = met.collect();
        met.sort_by_key(|(place, _)| *place);
        let roads = met.into_iter().take(MAX_ROADS).map(|(_, road)| road);
        if self.models.is_empty() { Vec::new() } else { std::iter::once(start).chain(roads).collect() }
    }

    /// Forgets all models.
    pub(crate) fn forget(&mut self) {
        self.models.clear();
        self.places.clear();
    }
}
