//! The values calls may use: seeds first, then what successful answers contained, each known by its index and birth.
//!
//! Three ordered sets, as the spec has them: every number is in `numbers`, those without a fraction are in
//! `integers` too, and every string and object key is in `strings`. Nothing is ever removed, so an index stays good.

mod text;
mod place;
mod name;
mod mine;

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde_json::{Number, Value};

pub use mine::{MineText, mine};
pub(crate) use name::{Related, says_more};
pub use place::Place;
pub(crate) use text::json_in_text;

use name::{NameSet, Names};

/// How many values are kept, and how long they may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorpusLimits {
    /// Most values in each of the three sets.
    pub values: usize,
    /// Longest string that is kept, in bytes.
    pub string_bytes: usize,
    /// All strings together, in bytes.
    pub total_bytes: usize,
}

impl Default for CorpusLimits {
    fn default() -> Self {
        CorpusLimits { values: 50_000, string_bytes: 64 << 10, total_bytes: 32 << 20 }
    }
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Birth {
    /// The caller gave it.
    Seed,
    /// An answer contained it.
    Answer {
        /// The number of the call in its sequence.
        step: usize,
        /// The place in the result of that call.
        place: Place,
    },
}

/// A number, equal to another if the values are equal, however they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum NumberKey {
    Integer(i128),
    Float(u64),
}

/// What is known of a value beside itself.
#[derive(Debug, Clone)]
struct Known {
    birth: Birth,
    /// The names of the members it stood under, whenever it was met.
    names: NameSet,
}

/// The three sets.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    limits: CorpusLimits,
    integers: IndexMap<i128, Known>,
    numbers: IndexMap<NumberKey, (Number, Known)>,
    strings: IndexMap<String, Known>,
    names: Names,
    n_bytes: usize,
    n_refused: u64,
}

impl Corpus {
    /// An empty corpus with bounds.
    #[must_use]
    pub fn new(limits: CorpusLimits) -> Corpus {
        Corpus { limits, ..Corpus::default() }
    }

    /// Adds the caller's values in their order, before anything is mined.
    pub fn seed(
        &mut self,
        numbers: impl IntoIterator<Item = Number>,
        strings: impl IntoIterator<Item = String>,
    ) {
        for number in numbers {
            self.insert_number(&number, None, || Birth::Seed);
        }
        for string in strings {
            self.insert_string(&string, None, || Birth::Seed);
        }
    }

    /// How many integers there are.
    #[must_use]
    pub fn n_integers(&self) -> usize {
        self.integers.len()
    }

    /// How many numbers there are, the integers included.
    #[must_use]
    pub fn n_numbers(&self) -> usize {
        self.numbers.len()
    }

    /// How many strings there are.
    #[must_use]
    pub fn n_strings(&self) -> usize {
        self.strings.len()
    }

    /// How many values found no room; each is counted every time it is met.
    #[must_use]
    pub fn n_refused(&self) -> u64 {
        self.n_refused
    }

    /// The integer at an index, with its birth.
    #[must_use]
    pub fn integer(&self, index: usize) -> Option<(Number, &Birth)> {
        let (integer, known) = self.integers.get_index(index)?;
        Some((number_of(*integer)?, &known.birth))
    }

    /// The number at an index, with its birth.
    #[must_use]
    pub fn number(&self, index: usize) -> Option<(&Number, &Birth)> {
        self.numbers.get_index(index).map(|(_, (number, known))| (number, &known.birth))
    }

    /// The string at an index, with its birth.
    #[must_use]
    pub fn string(&self, index: usize) -> Option<(&str, &Birth)> {
        self.strings.get_index(index).map(|(string, known)| (string.as_str(), &known.birth))
    }

    /// The integers in order.
    pub fn integers(&self) -> impl Iterator<Item = Number> {
        self.integers.keys().filter_map(|integer| number_of(*integer))
    }

    /// The numbers in order, the integers included.
    pub fn numbers(&self) -> impl Iterator<Item = &Number> {
        self.numbers.values().map(|(number, _)| number)
    }

    /// The strings in order.
    pub fn strings(&self) -> impl Iterator<Item = &str> {
        self.strings.keys().map(String::as_str)
    }

    /// Where a string or number stands in its set, if it is there; integers are looked up among the numbers.
    #[must_use]
    pub fn index_of(&self, value: &Value) -> Option<usize> {
        match value {
            Value::String(string) => self.strings.get_index_of(string),
            Value::Number(number) => self.numbers.get_index_of(&key_of(number)),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The names that speak of what a name speaks of, among those that values stood under.
    pub(crate) fn related(&self, name: &str) -> Related {
        self.names.related(name)
    }

    /// Whether the integer at an index stood under one of these names.
    pub(crate) fn is_integer_related(&self, index: usize, related: &Related) -> bool {
        self.integers.get_index(index).is_some_and(|(_, known)| related.has(&known.names))
    }

    /// Whether the number at an index stood under one of these names.
    pub(crate) fn is_number_related(&self, index: usize, related: &Related) -> bool {
        self.numbers.get_index(index).is_some_and(|(_, (_, known))| related.has(&known.names))
    }

    /// Whether the string at an index stood under one of these names.
    pub(crate) fn is_string_related(&self, index: usize, related: &Related) -> bool {
        self.strings.get_index(index).is_some_and(|(_, known)| related.has(&known.names))
    }

    /// Adds a number, and if it has no fraction adds it to the integers; one that is there learns the name it was met under.
    fn insert_number(&mut self, number: &Number, name: Option<&str>, birth: impl Fn() -> Birth) {
        let Self { limits, integers, numbers, names, n_refused, .. } = self;
        let key = key_of(number);
        let new = || Known { birth: birth(), names: NameSet::default() };
        if let NumberKey::Integer(integer) = key {
            let has_room = integers.len() < limits.values;
            match integers.entry(integer) {
                Entry::Occupied(known) => meet(names, name, known.into_mut()),
                Entry::Vacant(place) if has_room => meet(names, name, place.insert(new())),
                Entry::Vacant(_) => *n_refused += 1,
            }
        }
        let has_room = numbers.len() < limits.values;
        match numbers.entry(key) {
            Entry::Occupied(known) => meet(names, name, &mut known.into_mut().1),
            Entry::Vacant(place) if has_room => {
                meet(names, name, &mut place.insert((number.clone(), new())).1);
            }
            Entry::Vacant(_) => *n_refused += 1,
        }
    }

    fn insert_string(&mut self, string: &str, name: Option<&str>, birth: impl Fn() -> Birth) {
        let Self { limits, strings, names, n_bytes, n_refused, .. } = self;
        if let Some(known) = strings.get_mut(string) {
            meet(names, name, known);
            return;
        }
        let CorpusLimits { values, string_bytes, total_bytes } = *limits;
        let has_room = string.len() <= string_bytes && *n_bytes + string.len() <= total_bytes;
        if strings.len() < values && has_room {
            *n_bytes += string.len();
            let mut known = Known { birth: birth(), names: NameSet::default() };
            meet(names, name, &mut known);
            strings.insert(string.to_owned(), known);
        } else {
            *n_refused += 1;
        }
    }
}

/// Takes note of the name a value was met under.
fn meet(names: &mut Names, name: Option<&str>, known: &mut Known) {
    if let Some(name) = name {
        names.add(name, &mut known.names);
    }
}

/// Largest float that every smaller integer can be told from: 2 to the power of 53.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn key_of(number: &Number) -> NumberKey {
    if let Some(integer) = number.as_i64() {
        return NumberKey::Integer(i128::from(integer));
    }
    if let Some(integer) = number.as_u64() {
        return NumberKey::Integer(i128::from(integer));
    }
    let float = number.as_f64().unwrap_or_default();
    if float.fract() == 0.0 && float.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "the line above bounds it")]
        return NumberKey::Integer(float as i128);
    }
    NumberKey::Float(float.to_bits())
}

fn number_of(integer: i128) -> Option<Number> {
    i64::try_from(integer).map(Number::from).or_else(|_| u64::try_from(integer).map(Number::from)).ok()
}
