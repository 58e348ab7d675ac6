//! All rooms as one: a document becomes a source, and a source gives instance after instance.

mod metrics;
mod undrawable;
mod run;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::compose::{DEEP_STACK, Emptiness, causes, compose};
use crate::contract::Contract;
use crate::document::{Document, Note, ReadError, stricter};
use crate::draw::{Draw, derive_seed};
use crate::generate::{Chance, Choices, ROOMY, add_example, has_examples, instance};
use crate::json::{Pointer, fingerprint};
use crate::limits::Limits;
use crate::pipeline::undrawable::undrawable;
use crate::repair::Mender;
use crate::sampler::{Sampler, Setting, Spread};
use crate::validate::{Formats, Oracle, Oracles, Violation};

pub use metrics::{Clock, Metrics};
pub use run::{Job, Stop};

/// Instances of the largest size that may be lost in search of one.
const MOST_LOST: u64 = 2;

/// How instances are drawn from a contract.
#[derive(Debug, Clone, Default)]
pub struct SourceOptions {
    /// Whether `format` is a demand or a remark.
    pub formats: Formats,
    /// What drawing may cost.
    pub limits: Limits,
    /// Tells the time, for the metrics; without one all durations are zero.
    pub clock: Option<Clock>,
}

/// A contract made ready to draw instances from.
#[derive(Debug)]
pub struct Source {
    pub(crate) contract: Contract,
    pub(crate) oracle: Oracle,
    /// The judge by a stricter reading of the contract, where there is one.
    stricter: Option<Oracle>,
    pub(crate) sampler: Sampler,
    mender: Mender,
    setting: Setting,
    limits: Limits,
    clock: Option<Clock>,
    spread: Spread,
    /// How many values the contract has, when they are few.
    n_values: Option<u64>,
    has_examples: bool,
    is_exact: bool,
    notes: Vec<Note>,
    prepared: Metrics,
}

/// Why no instances come from a contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The contract could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The contract admits no value at all.
    #[error("the contract admits no value{}", listed(causes))]
    Unsatisfiable {
        /// What contradicts what.
        causes: Vec<Note>,
    },
    /// The contract admits values, but only such as pass the limits.
    #[error("no value of the contract can be drawn: {}", reasons.join("; "))]
    Undrawable {
        /// Which demands pass which limits.
        reasons: Vec<String>,
    },
}

fn listed(causes: &[Note]) -> String {
    let line = |note: &Note| {
        format!(
            "
  at {}: {}",
            note.at, note.text
        )
    };
    causes.iter().map(line).collect::<Vec<_>>().concat()
}

/// Draws of one instance that were all turned down.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no valid instance came of {attempts} draws for instance {index}; in the way: {}", blame(violations))]
pub struct GaveUp {
    /// Which instance.
    pub index: u64,
    /// How many draws were made.
    pub attempts: u32,
    /// What was broken in the last of them.
    pub violations: Vec<Violation>,
}

fn blame(violations: &[Violation]) -> String {
    let mut seen = BTreeSet::new();
    let places = violations.iter().filter(|violation| seen.insert(&violation.schema)).take(5);
    let places: Vec<String> =
        places.map(|violation| format!("{} at {}", violation.keyword, violation.schema)).collect();
    if places.is_empty() { "nothing could be drawn at all".to_owned() } else { places.join(", ") }
}

impl Source {
    /// Makes a document ready: view, set, sampler and oracle.
    ///
    /// ```
    /// use probity_schema::{Document, ReadOptions, Source, SourceOptions};
    /// let document = Document::read(r#"{"type": "integer", "minimum": 5}"#, &ReadOptions::default())?;
    /// let source = Source::of(&document, &SourceOptions::default())?;
    /// let values: Vec<_> = source.instances(42).take(3).collect::<Result<_, _>>()?;
    /// assert!(values.iter().all(|value| value.as_i64().unwrap() >= 5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(document: &Document, options: &SourceOptions) -> Result<Self, SourceError> {
        Self::at(document, &Pointer::root(), options)
    }

    /// Makes the subschema at one place of a document ready.
    pub fn at(document: &Document, pointer: &Pointer, options: &SourceOptions) -> Result<Self, SourceError> {
        // Reading, composing and building call themselves as deep as the contract's references go.
        std::thread::scope(|scope| {
            let work = || Self::prepare(document, pointer, options);
            let thread = std::thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, work);
            let thread = thread.expect("the system gives us one more thread");
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn prepare(document: &Document, pointer: &Pointer, options: &SourceOptions) -> Result<Self, SourceError> {
        let SourceOptions { formats, limits, clock } = options;
        let mut prepared = Metrics::default();
        let started = metrics::now(*clock);
        let contract = Contract::at(document, std::slice::from_ref(pointer))?;
        let oracle = Oracles::of(document, *formats)?.at(pointer)?;
        prepared.normalize_ns = metrics::now(*clock) - started;

        let started = metrics::now(*clock);
        let order = Arc::new(order_of(&contract));
        let setting = Setting {
            dialect: document.dialect(),
            formats: *formats,
            limits: limits.clone(),
            order: Arc::clone(&order),
        };
        let ready = |document: &Document| Ready::of(document, pointer, *formats, limits, &order);
        // The stricter reading may admit nothing where the contract does; then the contract's own counts.
        let strict = stricter(document).and_then(|document| {
            let oracle = Oracles::of(&document, *formats).ok()?.at(pointer).ok()?;
            Some((ready(&document).ok()?, oracle))
        });
        let (ready, stricter) = match strict {
            // Drawn by one reading and judged by both.
            Some((ready, oracle)) => (Ready { is_exact: false, ..ready }, Some(oracle)),
            None => (ready(document)?, None),
        };
        let Ready { sampler, mender, is_exact, notes: composing } = ready;
        prepared.compose_ns = metrics::now(*clock) - started;
        let notes = [contract.notes.clone(), composing].concat();
        let n_values = sampler.count(sampler.root).filter(|count| *count > 0);
        let mut source = Self {
            has_examples: has_examples(&contract),
            contract,
            oracle,
            stricter,
            sampler,
            mender,
            setting,
            limits: limits.clone(),
            clock: *clock,
            spread: Spread::Near,
            n_values,
            is_exact,
            notes,
            prepared,
        };
        source.spread = source.usual_spread();
        Ok(source)
    }

    /// The canonical view of the contract.
    #[must_use]
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// The judge of every instance.
    #[must_use]
    pub fn oracle(&self) -> &Oracle {
        &self.oracle
    }

    /// What was odd, empty or widened.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Whether composing said the contract exactly, so that Repair has nothing to do.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// What making the contract ready took.
    #[must_use]
    pub(crate) fn prepared(&self) -> Metrics {
        self.prepared
    }

    /// The instances of a seed, one after the other, without an end.
    pub fn instances(&self, seed: u64) -> impl Iterator<Item = Result<Value, GaveUp>> + '_ {
        (0..).map(move |index| self.instance(seed, index, &mut Metrics::default()))
    }

    /// One instance, a pure function of the contract, the options, the seed and the index.
    pub fn instance(&self, seed: u64, index: u64, metrics: &mut Metrics) -> Result<Value, GaveUp> {
        let mut violations = Vec::new();
        let mut attempts = 0;
        let mut n_values = 0;
        while attempts < self.limits.attempts && n_values < MOST_LOST * self.limits.instance_values {
            let attempt = attempts;
            attempts += 1;
            let mut draw = Draw::new(derive_seed(seed, &[0, index, u64::from(attempt)]));
            let (drawn, n_more) = self.drawn(seed, index, attempt, &mut draw, metrics);
            n_values += n_more;
            let Some(value) = drawn else { continue };
            match self.accepted(value, &mut draw, metrics) {
                Ok(value) => {
                    metrics.n_instances += 1;
                    return Ok(value);
                }
                Err(broken) => violations = broken,
            }
        }
        Err(GaveUp { index, attempts, violations })
    }

    fn drawn(
        &self,
        seed: u64,
        index: u64,
        attempt: u32,
        draw: &mut Draw,
        metrics: &mut Metrics,
    ) -> (Option<Value>, u64) {
        metrics.n_draws += 1;
        self.timed(&mut metrics.generate_ns, || match self.n_values {
            Some(count) if attempt == 0 => {
                (self.sampler.nth(self.sampler.root, shuffled(seed, index, count)), 1)
            }
            Some(_) | None => self.by_chance(draw),
        })
    }

    /// Draws once by chance, and says how many values that took.
    fn by_chance(&self, draw: &Draw) -> (Option<Value>, u64) {
        instance(&self.sampler, &self.limits, ROOMY, self.spread, draw.clone(), &mut Chance)
    }

    /// What samplers of parts of the contract are compiled with.
    pub(crate) fn setting(&self) -> &Setting {
        &self.setting
    }

    /// How many rules instances are drawn by.
    pub(crate) fn n_rules(&self) -> usize {
        self.sampler.rules.len()
    }

    /// What drawing may cost.
    #[must_use]
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Draws once within these limits, with room for so many values and every open choice asked of `choices`.
    pub(crate) fn steered(
        &self,
        (limits, roomy): (&Limits, u64),
        draw: &Draw,
        choices: &mut impl Choices,
        metrics: &mut Metrics,
    ) -> Option<Value> {
        metrics.n_draws += 1;
        self.timed(&mut metrics.generate_ns, || {
            instance(&self.sampler, limits, roomy, self.spread, draw.clone(), choices).0
        })
    }

    /// Does a job and adds the time it took.
    pub(crate) fn timed<T>(&self, spent_ns: &mut u64, job: impl FnOnce() -> T) -> T {
        let started = metrics::now(self.clock);
        let done = job();
        *spent_ns += metrics::now(self.clock) - started;
        done
    }

    /// Judges a value, mends it if need be, and gives it some of the user's own examples.
    pub(crate) fn accepted(
        &self,
        value: Value,
        draw: &mut Draw,
        metrics: &mut Metrics,
    ) -> Result<Value, Vec<Violation>> {
        let mut spice = Draw::new(draw.bits());
        let is_valid = self.timed(&mut metrics.validate_ns, || self.is_valid(&value));
        let mut value = if is_valid { value } else { self.mended(value, draw, metrics)? };
        if self.has_examples {
            add_example(&self.contract, &mut value, &mut spice, |value| self.is_valid(value));
        }
        Ok(value)
    }

    /// Mends an invalid value, or says what is left that breaks the contract.
    pub(crate) fn mended(
        &self,
        value: Value,
        draw: &mut Draw,
        metrics: &mut Metrics,
    ) -> Result<Value, Vec<Violation>> {
        let mended = self.timed(&mut metrics.repair_ns, || {
            let mut mended = self.mender.mend(value, self.stricter.as_ref().unwrap_or(&self.oracle), draw);
            if mended.violations.is_empty() && self.stricter.is_some() {
                mended.violations = self.oracle.violations(&mended.value, 1);
            }
            mended
        });
        metrics.n_edits += mended.n_edits;
        if mended.violations.is_empty() {
            metrics.n_repaired += 1;
            return Ok(mended.value);
        }
        metrics.n_discarded += 1;
        Err(mended.violations)
    }

    /// Whether the contract takes the value, in the stricter reading too where there is one.
    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.oracle.is_valid(value) && self.stricter.as_ref().is_none_or(|stricter| stricter.is_valid(value))
    }

    /// Wide values where near ones would repeat too often: tried out on a few draws of a fixed seed.
    fn usual_spread(&self) -> Spread {
        const TRIALS: u64 = 20;
        const LARGE: u64 = 100_000;
        if self.n_values.is_some() {
            return Spread::Near;
        }
        let mut n_values = 0;
        let mut distinct = BTreeSet::new();
        for trial in 0..TRIALS {
            let (value, n_more) = self.by_chance(&Draw::new(derive_seed(0, &[2, trial])));
            n_values += n_more;
            if !value.is_some_and(|value| distinct.insert(fingerprint(&value))) {
                return Spread::Wide;
            }
            // Instances this large differ anyway.
            if n_values > LARGE {
                break;
            }
        }
        Spread::Near
    }
}

/// What drawing from one reading of a contract needs.
struct Ready {
    sampler: Sampler,
    mender: Mender,
    is_exact: bool,
    notes: Vec<Note>,
}

impl Ready {
    fn of(
        document: &Document,
        pointer: &Pointer,
        formats: Formats,
        limits: &Limits,
        order: &Arc<BTreeMap<String, u32>>,
    ) -> Result<Self, SourceError> {
        let composed = compose(document, pointer, formats)?;
        if composed.set.emptiness() == Emptiness::Empty && composed.is_exact {
            return Err(SourceError::Unsatisfiable { causes: causes(document, pointer, formats) });
        }
        let setting = Setting {
            dialect: document.dialect(),
            formats,
            limits: limits.clone(),
            order: Arc::clone(order),
        };
        let sampler = Sampler::of(&composed.set, &setting);
        if !sampler.is_inhabited() {
            return Err(undrawable(document, pointer, &setting, &sampler));
        }
        Ok(Self {
            is_exact: composed.is_exact && sampler.is_exact(),
            notes: [composed.notes, sampler.notes()].concat(),
            sampler,
            mender: Mender::new(document.clone(), setting),
        })
    }
}

/// A place for an index among `count`, all different until all were used.
fn shuffled(seed: u64, index: u64, count: u64) -> u64 {
    let mut stride = derive_seed(seed, &[1]) % count.max(1);
    while common_divisor(stride.max(1), count) != 1 || stride == 0 {
        stride += 1;
    }
    let offset = u128::from(derive_seed(seed, &[2]));
    let place = (offset + u128::from(index) * u128::from(stride)) % u128::from(count.max(1));
    u64::try_from(place).expect("a remainder of a u64 is one")
}

fn common_divisor(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// The order in which the contract first names each member.
fn order_of(contract: &Contract) -> BTreeMap<String, u32> {
    let mut order = BTreeMap::new();
    for (name, _) in
        contract.nodes().iter().filter_map(|node| node.keywords()).flat_map(|keywords| &keywords.properties)
    {
        let next = u32::try_from(order.len()).unwrap_or(u32::MAX);
        order.entry(name.clone()).or_insert(next);
    }
    order
}
