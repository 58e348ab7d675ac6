//! The corpus of one sequence, ready to be picked from by birth.
//!
//! A pick is uniform among the values that fit, and it sticks: every candidate is given a lot by the seed and by its own
//! birth, and the least lot wins. So when a shorter sequence lacks some other values, the pick stays what it was, and when the server
//! gives its ids anew, the pick is still "the id that this call returned".

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use probity_schema::{NodeId, derive_seed};
use serde_json::{Number, Value};

use crate::callable::Kind;
use crate::callable::blueprint::Blueprint;
use crate::corpus::{Birth, Corpus, CorpusLimits, MineText, mine};

/// The values of one sequence.
#[derive(Debug, Default)]
pub struct Stock {
    corpus: Corpus,
    /// An identity for each call, the same in every sequence that makes the call as often before.
    calls: Vec<u64>,
    /// How often each call was made, by the identity it was given.
    n_made: BTreeMap<u64, u64>,
    lots: Lots,
    fits: Mutex<Fits>,
    fillings: Mutex<Fillings>,
}

/// Which blueprints could be filled, and with how many values.
type Fillings = BTreeMap<u64, (bool, usize)>;

/// What is known to fit where: by blueprint, nodes and set.
type Fits = BTreeMap<(u64, Vec<NodeId>, Kind), Fit>;

/// The identity of each value, by its place in its set.
#[derive(Debug, Default, Clone)]
struct Lots {
    integers: Vec<u64>,
    numbers: Vec<u64>,
    strings: Vec<u64>,
}

/// Which values fit, as far as they have been looked at; the corpus only ever grows.
#[derive(Debug, Default, Clone)]
struct Fit {
    n_seen: usize,
    fitting: Vec<usize>,
}

/// A value that was picked.
#[derive(Debug)]
pub(crate) struct Picked {
    pub(crate) value: Value,
    pub(crate) birth: Birth,
    pub(crate) identity: u64,
}

impl Stock {
    /// A stock that holds the caller's values, in their order.
    #[must_use]
    pub fn new(limits: CorpusLimits, numbers: &[Number], strings: &[String]) -> Stock {
        let mut corpus = Corpus::new(limits);
        corpus.seed(numbers.iter().cloned(), strings.iter().cloned());
        Stock::of(corpus)
    }

    /// A stock of values whose calls nobody can tell.
    pub(crate) fn of(corpus: Corpus) -> Stock {
        let mut stock = Stock { corpus, ..Stock::default() };
        stock.draw_lots();
        stock
    }

    /// The values themselves.
    #[must_use]
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Takes note of a call and, if it went well, of what its result contains. `identity` names the call in whatever
    /// sequence it is made.
    pub fn learn(&mut self, identity: u64, result: Option<&Value>, text: MineText) {
        let n_before = self.n_made.entry(identity).or_default();
        let step = self.calls.len();
        self.calls.push(derive_seed(identity, &[*n_before]));
        *n_before += 1;
        if let Some(result) = result {
            mine(&mut self.corpus, result, step, text);
            self.draw_lots();
        }
    }

    /// A value that fits all these nodes, uniformly by seed.
    pub(crate) fn pick(
        &self,
        blueprint: &Blueprint,
        nodes: &[NodeId],
        kind: Kind,
        seed: u64,
    ) -> Option<Picked> {
        self.pick_among(blueprint, nodes, kind, seed, |_| true)
    }

    /// The same among seeds and the values that answers had under a name like this one; nothing if they had none.
    pub(crate) fn pick_related(
        &self,
        blueprint: &Blueprint,
        nodes: &[NodeId],
        kind: Kind,
        seed: u64,
        name: &str,
    ) -> Option<Picked> {
        let corpus = &self.corpus;
        let related = corpus.related(name);
        let is_related = |index: usize| match kind {
            Kind::String => corpus.is_string_related(index, &related),
            Kind::Integer => corpus.is_integer_related(index, &related),
            Kind::Number => corpus.is_number_related(index, &related),
        };
        let is_seed = |index: usize| {
            let birth = match kind {
                Kind::String => corpus.string(index).map(|(_, birth)| birth),
                Kind::Integer => corpus.integer(index).map(|(_, birth)| birth),
                Kind::Number => corpus.number(index).map(|(_, birth)| birth),
            };
            birth == Some(&Birth::Seed)
        };
        let has_any = self
            .with_fitting(blueprint, nodes, kind, |fitting| fitting.iter().any(|index| is_related(*index)));
        has_any.then_some(())?;
        self.pick_among(blueprint, nodes, kind, seed, |index| is_related(index) || is_seed(index))
    }

    fn pick_among(
        &self,
        blueprint: &Blueprint,
        nodes: &[NodeId],
        kind: Kind,
        seed: u64,
        is_meant: impl Fn(usize) -> bool,
    ) -> Option<Picked> {
        let lots = match kind {
            Kind::String => &self.lots.strings,
            Kind::Integer => &self.lots.integers,
            Kind::Number => &self.lots.numbers,
        };
        self.with_fitting(blueprint, nodes, kind, |fitting| {
            let meant = fitting.iter().filter(|index| is_meant(**index));
            let least = meant.min_by_key(|index| derive_seed(seed, &[lots[**index]]))?;
            let (value, birth) = self.value(kind, *least)?;
            Some(Picked { value, birth, identity: lots[*least] })
        })
    }

    /// A value that is known, by itself.
    pub(crate) fn known(&self, value: &Value, kind: Kind) -> Option<Picked> {
        // Integers are numbers too, and what fits as one fits as the other.
        let index = self.corpus.index_of(value)?;
        let (set, lots) = match kind {
            Kind::String => (Kind::String, &self.lots.strings),
            Kind::Integer | Kind::Number => (Kind::Number, &self.lots.numbers),
        };
        let (_, birth) = self.value(set, index)?;
        Some(Picked { value: value.clone(), birth, identity: lots[index] })
    }

    /// Whether an answer had a value under a name like this one.
    pub(crate) fn knows(&self, name: &str) -> bool {
        !self.corpus.related(name).is_empty()
    }

    /// Whether any value fits all these nodes.
    pub(crate) fn has_fitting(&self, blueprint: &Blueprint, nodes: &[NodeId], kind: Kind) -> bool {
        self.with_fitting(blueprint, nodes, kind, |fitting| !fitting.is_empty())
    }

    /// Whether a blueprint could be filled; nothing if it was not tried with as much as there is now.
    pub(crate) fn remembers_filling(&self, blueprint: &Blueprint) -> Option<bool> {
        let fillings = self.fillings.lock().unwrap_or_else(PoisonError::into_inner);
        let (is_fillable, n_values) = fillings.get(&blueprint.id()).copied()?;
        // Values are only ever added, so what could be filled once still can be.
        (is_fillable || n_values == self.n_values()).then_some(is_fillable)
    }

    pub(crate) fn remember_filling(&self, blueprint: &Blueprint, is_fillable: bool) {
        let mut fillings = self.fillings.lock().unwrap_or_else(PoisonError::into_inner);
        fillings.insert(blueprint.id(), (is_fillable, self.n_values()));
    }

    fn n_values(&self) -> usize {
        self.corpus.n_numbers() + self.corpus.n_strings()
    }

    fn with_fitting<T>(
        &self,
        blueprint: &Blueprint,
        nodes: &[NodeId],
        kind: Kind,
        read: impl FnOnce(&[usize]) -> T,
    ) -> T {
        let mut fits = self.fits.lock().unwrap_or_else(PoisonError::into_inner);
        let fit = fits.entry((blueprint.id(), nodes.to_vec(), kind)).or_default();
        let n_values = match kind {
            Kind::String => self.corpus.n_strings(),
            Kind::Integer => self.corpus.n_integers(),
            Kind::Number => self.corpus.n_numbers(),
        };
        for index in fit.n_seen..n_values {
            let value = self.value(kind, index);
            if value.is_some_and(|(value, _)| nodes.iter().all(|node| blueprint.fits(*node, &value))) {
                fit.fitting.push(index);
            }
        }
        fit.n_seen = n_values;
        read(&fit.fitting)
    }

    fn value(&self, kind: Kind, index: usize) -> Option<(Value, Birth)> {
        match kind {
            Kind::String => {
                self.corpus.string(index).map(|(value, birth)| (Value::from(value), birth.clone()))
            }
            Kind::Integer => {
                self.corpus.integer(index).map(|(value, birth)| (Value::from(value), birth.clone()))
            }
            Kind::Number => {
                self.corpus.number(index).map(|(value, birth)| (Value::from(value.clone()), birth.clone()))
            }
        }
    }

    /// Gives every new value its identity.
    fn draw_lots(&mut self) {
        let Self { corpus, calls, n_made: _, lots, fits: _, fillings: _ } = self;
        let Lots { integers, numbers, strings } = lots;
        for index in integers.len()..corpus.n_integers() {
            let known = corpus.integer(index);
            integers.push(known.map_or(0, |(value, birth)| lot(calls, birth, &value.to_string())));
        }
        for index in numbers.len()..corpus.n_numbers() {
            let known = corpus.number(index);
            numbers.push(known.map_or(0, |(value, birth)| lot(calls, birth, &value.to_string())));
        }
        for index in strings.len()..corpus.n_strings() {
            let known = corpus.string(index);
            strings.push(known.map_or(0, |(value, birth)| lot(calls, birth, value)));
        }
    }
}

impl Clone for Stock {
    fn clone(&self) -> Stock {
        let Stock { corpus, calls, n_made, lots, fits, fillings } = self;
        let fits = fits.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let fillings = fillings.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Stock {
            corpus: corpus.clone(),
            calls: calls.clone(),
            n_made: n_made.clone(),
            lots: lots.clone(),
            fits: Mutex::new(fits),
            fillings: Mutex::new(fillings),
        }
    }
}

/// A seed is itself; what an answer contained is its place in that answer.
fn lot(calls: &[u64], birth: &Birth, value: &str) -> u64 {
    match birth {
        Birth::Seed => hash(value),
        Birth::Answer { step, place } => {
            let mut hash = Fnv::default();
            write!(hash, "{place:?}").expect("a hash takes any text");
            derive_seed(calls.get(*step).copied().unwrap_or_default(), &[hash.0])
        }
    }
}

/// FNV-1a: short texts into words, the same everywhere.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xCBF2_9CE4_8422_2325)
    }
}

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let Fnv(hash) = self;
        *hash =
            text.bytes().fold(*hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
        Ok(())
    }
}

/// A text as a word.
pub(crate) fn hash(text: &str) -> u64 {
    let mut hash = Fnv::default();
    hash.write_str(text).expect("a hash takes any text");
    hash.0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn of_two_equal_calls_each_has_values_of_its_own() {
        let schema = json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}});
        let blueprint = Blueprint::of(&schema).expect("a plain schema");
        let mut stock = Stock::new(CorpusLimits::default(), &[], &[]);
        for id in ["first", "second"] {
            stock.learn(7, Some(&json!({"structuredContent": [id]})), MineText::Never);
        }
        let picks = (0..100).filter_map(|seed| stock.pick(&blueprint, &[], Kind::String, seed));
        let picked: BTreeSet<String> = picks.map(|pick| pick.value.to_string()).collect();
        assert_eq!(picked.len(), 2, "{picked:?}");
    }
}
