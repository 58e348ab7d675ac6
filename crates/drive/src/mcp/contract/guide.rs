//! Guided runs: of several arguments that could be drawn for a call, those that show something new.
//!
//! A step is drawn again when it is replayed, and by then other targets are hit; so what was chosen for a seed is kept as long
//! as its sequence is, as the way the arguments were drawn and not as their values.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use probity_schema::derive_seed;
use serde_json::Value;

use crate::callable::{Blueprint, Drawn, Sourcing, Stock, arguments, filled};
use crate::mcp::contract::meter::Meter;
use crate::mcp::contract::watched::{Mood, Weight};

/// Planned arguments that are tried for one call.
const SHAPES: usize = 4;
/// Arguments drawn by chance that are tried beside them.
const CHANCES: u64 = 8;

/// Chooses arguments for the calls of one sequence after the other.
#[derive(Debug)]
pub(crate) struct Guide {
    meter: Arc<Mutex<Meter>>,
    chosen: Mutex<BTreeMap<(String, u64), Way>>,
}

/// How arguments were drawn; the same stock gives the same arguments.
#[derive(Debug, Clone)]
enum Way {
    /// By chance, from this seed.
    Chance(u64),
    /// From planned arguments, filled with this seed.
    Filled(Arc<Value>, u64),
    /// As they were planned.
    Planned(Arc<Value>),
}

/// How the arguments of one tool are drawn now.
#[derive(Debug, Clone)]
pub(crate) struct Aiming {
    pub(crate) guide: Arc<Guide>,
    pub(crate) tool: String,
    /// Whether a sequence is being drawn, and not replayed.
    pub(crate) is_new: bool,
}

impl Guide {
    pub(crate) fn new(meter: Arc<Mutex<Meter>>) -> Guide {
        Guide { meter, chosen: Mutex::new(BTreeMap::new()) }
    }

    /// Forgets what was chosen, for a new sequence; returns the tools that are worth more calls than others.
    pub(crate) fn begin(&self) -> BTreeSet<String> {
        self.chosen.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.meter.lock().unwrap_or_else(PoisonError::into_inner).promising()
    }
}

impl Aiming {
    /// Arguments for a call: those chosen before for this seed, or new ones that show something new.
    pub(crate) fn draw(
        &self,
        blueprint: &Blueprint,
        stock: &Stock,
        sourcing: Sourcing,
        seed: u64,
    ) -> Option<Drawn> {
        let Aiming { guide, tool, is_new } = self;
        let key = (tool.clone(), seed);
        let known = guide.chosen.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(way) = known {
            let again = way.draw(blueprint, stock, sourcing);
            return again.or_else(|| arguments(blueprint, stock, sourcing, seed));
        }
        if !is_new {
            return arguments(blueprint, stock, sourcing, seed);
        }
        let (way, drawn) = self.choose(blueprint, stock, sourcing, seed)?;
        guide.chosen.lock().unwrap_or_else(PoisonError::into_inner).insert(key, way);
        Some(drawn)
    }

    fn choose(
        &self,
        blueprint: &Blueprint,
        stock: &Stock,
        sourcing: Sourcing,
        seed: u64,
    ) -> Option<(Way, Drawn)> {
        let mut meter = self.guide.meter.lock().unwrap_or_else(PoisonError::into_inner);
        // What would be drawn without a guide comes first: of equals the first is taken.
        let mut ways = vec![Way::Chance(seed)];
        let (shapes, mood) = meter.shapes(&self.tool, SHAPES);
        if mood == Mood::Done {
            return Some((Way::Chance(seed), arguments(blueprint, stock, sourcing, seed)?));
        }
        for (at, shape) in (0..).zip(shapes) {
            let shape = Arc::new(shape);
            ways.push(Way::Filled(Arc::clone(&shape), derive_seed(seed, &[1, at])));
            match sourcing {
                Sourcing::Strict => {}
                Sourcing::Lenient => ways.push(Way::Planned(shape)),
            }
        }
        ways.extend((0..CHANCES).map(|at| Way::Chance(derive_seed(seed, &[2, at]))));
        let drawn = ways.into_iter().filter_map(|way| {
            let drawn = way.draw(blueprint, stock, sourcing)?;
            Some((way, drawn))
        });
        let mut drawn: Vec<(Way, Drawn)> = drawn.collect();
        let values = drawn.iter().map(|(_, drawn)| Value::Object(drawn.arguments.clone())).collect();
        let weights = meter.weigh(&self.tool, values);
        let at = pick(&weights, mood);
        (at < drawn.len()).then(|| drawn.swap_remove(at))
    }
}

/// Which arguments are taken: the first, which no guide chose, if none shows anything new.
fn pick(weights: &[Weight], mood: Mood) -> usize {
    let telling = (0..weights.len()).filter(|at| weights[*at].worth > 0);
    let is_open = |at: &usize| weights[*at].luck >= 0;
    // Of equals the first.
    let best = match mood {
        Mood::Bold => {
            telling.max_by_key(|at| (is_open(at), weights[*at].worth, weights[*at].luck, Reverse(*at)))
        }
        Mood::Careful => {
            telling.max_by_key(|at| (is_open(at), weights[*at].careful(), weights[*at].luck, Reverse(*at)))
        }
        Mood::Blind => (0..weights.len())
            .max_by_key(|at| (weights[*at].luck, Reverse(weights[*at].n_open), Reverse(*at))),
        Mood::Done => None,
    };
    best.unwrap_or(0)
}

impl Way {
    fn draw(&self, blueprint: &Blueprint, stock: &Stock, sourcing: Sourcing) -> Option<Drawn> {
        match self {
            Way::Chance(seed) => arguments(blueprint, stock, sourcing, *seed),
            Way::Filled(shape, seed) => filled(blueprint, stock, sourcing, *seed, Value::clone(shape)),
            Way::Planned(shape) => match Value::clone(shape) {
                Value::Object(arguments) if blueprint.is_valid(shape) => {
                    Some(Drawn { arguments, sources: Vec::new() })
                }
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(weights: &[(u64, u64, i64)], mood: Mood, expected: usize) {
        let weights: Vec<Weight> = weights
            .iter()
            .map(|(n_open, worth, luck)| Weight { n_open: *n_open, worth: *worth, luck: *luck })
            .collect();
        assert_eq!(pick(&weights, mood), expected, "{weights:?}");
    }

    #[test]
    fn a_bold_call_shows_the_most_unless_its_values_failed_before() {
        check(&[(0, 0, 0), (1, 9, 0), (4, 20, 0), (5, 20, 0)], Mood::Bold, 2);
        check(&[(0, 0, 0), (1, 9, 0), (4, 20, -1)], Mood::Bold, 1);
    }

    #[test]
    fn a_careful_call_shows_little_that_is_new_and_nothing_that_failed_before() {
        check(&[(0, 0, 0), (4, 40, 0), (1, 10, 0), (1, 10, 0)], Mood::Careful, 2);
        check(&[(0, 0, 0), (4, 40, 0), (1, 5, 0)], Mood::Careful, 1);
    }

    #[test]
    fn a_tool_that_never_accepted_anything_is_given_what_went_well_elsewhere() {
        check(&[(1, 1, 0), (2, 2, -1), (1, 1, 2)], Mood::Blind, 2);
        check(&[(2, 2, 0), (1, 1, 0), (1, 1, 0)], Mood::Blind, 1);
    }

    #[test]
    fn where_nothing_is_new_a_call_is_what_it_would_be_without_a_guide() {
        check(&[(0, 0, 0), (0, 0, 0)], Mood::Bold, 0);
        check(&[(0, 0, 0), (0, 0, 3)], Mood::Careful, 0);
        check(&[(1, 1, 0), (2, 2, 2)], Mood::Done, 0);
    }
}
