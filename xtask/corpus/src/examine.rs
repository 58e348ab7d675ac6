//! One schema under the lamp: whether its instances are all there, valid for two validators, varied and steady.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher as _};

use probity_testkit::Draft;
use probity_testkit::ajv::{Judge, Question, Rejection, Siblings, Verdict};
use serde_json::Value;

use crate::generate::{Batch, Generate, Outcome, Plan, Shard};
use crate::subject::{Known, Subject};
use probity_testkit::trouble::Trouble;

/// What was seen of one schema.
#[derive(Debug, Default, Clone)]
pub(crate) struct Examination {
    pub(crate) ending: Ending,
    pub(crate) n_instances: u64,
    pub(crate) n_invalid: u64,
    pub(crate) n_invalid_for_ajv: u64,
    pub(crate) is_ajv_silent: bool,
    pub(crate) n_distinct: u64,
    /// The schema seems to admit too few values for variety to mean anything.
    pub(crate) is_small: bool,
    pub(crate) n_trivial: u64,
    pub(crate) n_repairs: u64,
    pub(crate) n_notes: u64,
    pub(crate) is_steady: bool,
    /// Differs, but for rare luck, when one byte of the outcome differs; the same in every process.
    pub(crate) digest: u64,
    /// What is not as it should be, or at least worth a look.
    pub(crate) exceptions: Vec<String>,
}

/// How the pipeline ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every instance asked for came.
    Full,
    /// Some came.
    Short,
    /// The pipeline proved that there are none, and nothing says otherwise.
    Unsatisfiable,
    /// The pipeline could not begin, or called a schema unsatisfiable that is not.
    #[default]
    Refused,
}

impl Examination {
    /// Served in full, valid for everyone, and the same each time.
    pub(crate) fn is_good(&self) -> bool {
        self.ending == Ending::Full && self.n_invalid == 0 && self.n_invalid_for_ajv == 0 && self.is_steady
    }
}

/// How much of a run must be distinct before a schema counts as varied.
const VARIED_PERCENT: u64 = 90;
/// How many times as many instances are drawn to tell a small schema from a dull generator.
const SECOND_LOOK: u64 = 10;
/// How many shards the run is cut into.
const N_SHARDS: u64 = 4;

/// Draws from a schema in several ways and asks everyone about the instances.
pub(crate) fn examine(
    subject: &Subject,
    plan: &Plan,
    generate: Generate,
    judge: &mut Judge,
) -> Result<Examination, Trouble> {
    let outcome = generate(subject, plan);
    let mut seen = Examination { is_steady: true, digest: digest(&outcome), ..Examination::default() };
    match outcome {
        Outcome::Refused { reason } => seen.exceptions.push(format!("refused: {reason}")),
        Outcome::Unsatisfiable { cause } if subject.has_known_instance() => {
            seen.exceptions.push(format!("wrongly called unsatisfiable, the suite has an instance: {cause}"));
        }
        Outcome::Unsatisfiable { cause } => {
            seen.ending = Ending::Unsatisfiable;
            seen.exceptions.push(format!("unsatisfiable: {cause}"));
        }
        Outcome::Served(batch) => {
            look_at_batch(&batch, plan, &mut seen);
            look_at_variety(subject, &batch, plan, generate, &mut seen);
            look_at_steadiness(subject, &batch, plan, generate, &mut seen);
            ask_our_validator(subject, &batch.instances, &mut seen);
            ask_ajv(subject, &batch.instances, judge, &mut seen)?;
        }
    }
    Ok(seen)
}

/// What two processes compare instead of all their bytes.
pub(crate) fn digest(outcome: &Outcome) -> u64 {
    let mut hasher = DefaultHasher::new();
    match outcome {
        Outcome::Served(batch) => {
            for instance in &batch.instances {
                hasher.write(instance.as_bytes());
                hasher.write_u8(b'\n');
            }
        }
        Outcome::Unsatisfiable { cause } => hasher.write(cause.as_bytes()),
        Outcome::Refused { reason } => hasher.write(reason.as_bytes()),
    }
    hasher.finish()
}

fn look_at_batch(batch: &Batch, plan: &Plan, seen: &mut Examination) {
    let Batch { instances, shortfall, n_repairs, is_exact, notes } = batch;
    seen.n_instances = instances.len() as u64;
    seen.ending = if seen.n_instances == plan.n { Ending::Full } else { Ending::Short };
    if seen.ending == Ending::Short {
        let reason = shortfall.as_deref().unwrap_or("no reason given");
        seen.exceptions.push(format!("{} instances of {}: {reason}", seen.n_instances, plan.n));
    }
    seen.n_repairs = *n_repairs;
    if *is_exact && *n_repairs > 0 {
        seen.exceptions.push(format!("{n_repairs} repairs although composing is exact"));
    }
    seen.n_notes = notes.len() as u64;
    let is_trivial = |instance: &&String| matches!(instance.as_str(), "{}" | "[]" | "\"\"" | "null");
    seen.n_trivial = instances.iter().filter(is_trivial).count() as u64;
}

fn look_at_variety(
    subject: &Subject,
    batch: &Batch,
    plan: &Plan,
    generate: Generate,
    seen: &mut Examination,
) {
    let n_distinct =
        |instances: &[String]| instances.iter().map(|text| sorted(text)).collect::<BTreeSet<_>>().len();
    seen.n_distinct = n_distinct(&batch.instances) as u64;
    let is_varied = |n: u64| n * 100 >= plan.n * VARIED_PERCENT;
    if seen.ending != Ending::Full || is_varied(seen.n_distinct) {
        return;
    }
    let n_more = plan.n * SECOND_LOOK;
    if let Outcome::Served(more) = generate(subject, &Plan { n: n_more, ..*plan }) {
        let n_values = n_distinct(&more.instances) as u64;
        seen.is_small = !is_varied(n_values);
        let verdict = if seen.is_small { "few values" } else { "little variety" };
        let distinct = format!("{} distinct of {}, {n_values} of {n_more}", seen.n_distinct, plan.n);
        seen.exceptions.push(format!("{verdict}: {distinct}"));
    }
}

/// A JSON text with its keys in order, so that the same instance is the same text.
fn sorted(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(mut value) => {
            value.sort_all_objects();
            value.to_string()
        }
        Err(_) => text.to_owned(),
    }
}

fn look_at_steadiness(
    subject: &Subject,
    batch: &Batch,
    plan: &Plan,
    generate: Generate,
    seen: &mut Examination,
) {
    let drawn = |plan: Plan| match generate(subject, &plan) {
        Outcome::Served(batch) => batch.instances,
        Outcome::Unsatisfiable { .. } | Outcome::Refused { .. } => Vec::new(),
    };
    let threaded = drawn(Plan { n_threads: 2, ..*plan });
    let shards = (0..N_SHARDS).map(|index| Shard { index, of: N_SHARDS });
    let joined: Vec<String> = shards.flat_map(|shard| drawn(Plan { shard, ..*plan })).collect();
    for (instances, way) in [(threaded, "with 2 threads"), (joined, "from 4 shards")] {
        if instances != batch.instances {
            seen.is_steady = false;
            seen.exceptions.push(format!("other bytes {way}"));
        }
    }
}

fn ask_our_validator(subject: &Subject, instances: &[String], seen: &mut Examination) {
    let schema = match &subject.json {
        Ok(json) => serde_json::from_str::<Value>(json).map_err(|error| error.to_string()),
        Err(reason) => Err(reason.clone()),
    };
    let draft = match subject.draft {
        Draft::Draft4 => jsonschema::Draft::Draft4,
        Draft::Draft6 => jsonschema::Draft::Draft6,
        Draft::Draft7 => jsonschema::Draft::Draft7,
        Draft::Draft201909 => jsonschema::Draft::Draft201909,
        Draft::Draft202012 => jsonschema::Draft::Draft202012,
    };
    let options = jsonschema::options().with_draft(draft).should_validate_formats(true);
    let validator = schema.and_then(|schema| options.build(&schema).map_err(|error| error.to_string()));
    let validator = match validator {
        Ok(validator) => validator,
        Err(reason) => return seen.exceptions.push(format!("our validator is unavailable: {reason}")),
    };
    for text in instances {
        let verdict = match serde_json::from_str(text) {
            Ok(instance) => validator.validate(&instance).map_err(|error| error.to_string()),
            Err(error) => Err(format!("not JSON: {error}")),
        };
        if let Err(reason) = verdict {
            seen.n_invalid += 1;
            if seen.n_invalid == 1 {
                seen.exceptions.push(format!("invalid: {}: {}", shortened(text), shortened(&reason)));
            }
        }
    }
}

fn ask_ajv(
    subject: &Subject,
    instances: &[String],
    judge: &mut Judge,
    seen: &mut Examination,
) -> Result<(), Trouble> {
    let Ok(schema) = &subject.json else { return Ok(()) };
    let question = Question::new(schema, subject.draft, instances);
    let mut ask = |question: &Question<'_>| {
        judge.judge(question).map_err(|error| Trouble::failed(format!("{}: {error}", subject.id)))
    };
    let rejected = match ask(&question)? {
        Verdict::Judged { rejected, notes: _ } => rejected,
        Verdict::Unavailable { reason } | Verdict::GaveUp { reason } => {
            seen.is_ajv_silent = true;
            seen.exceptions.push(format!("AJV unavailable: {}", shortened(&reason)));
            return Ok(());
        }
    };
    let Some(Rejection { index, message }) = rejected.first() else { return Ok(()) };
    let example =
        format!("{}: {}", shortened(instances.get(*index).map_or("", String::as_str)), shortened(message));
    if let Known::Suite { tests, .. } = &subject.known {
        // Where AJV and the suite disagree about the suite's own instances, the suite decides.
        let texts: Vec<String> = tests.iter().map(|(text, _)| text.clone()).collect();
        let verdict = ask(&Question { instances: &texts, ..question })?;
        if disagrees(&verdict, tests) {
            seen.is_ajv_silent = true;
            seen.exceptions.push(format!("AJV disagrees with the suite: {example}"));
            return Ok(());
        }
    }
    seen.n_invalid_for_ajv = rejected.len() as u64;
    let lenient = ask(&Question { siblings: Siblings::Ignore, ..question })?;
    let is_about_siblings = matches!(&lenient, Verdict::Judged { rejected, .. } if rejected.is_empty());
    let why = if is_about_siblings {
        "invalid for AJV, which applies keywords beside $ref"
    } else {
        "invalid for AJV"
    };
    seen.exceptions.push(format!("{why}: {} of {}, such as {example}", rejected.len(), instances.len()));
    Ok(())
}

fn disagrees(verdict: &Verdict, tests: &[(String, bool)]) -> bool {
    let Verdict::Judged { rejected, notes: _ } = verdict else { return true };
    let is_rejected = |index: usize| rejected.iter().any(|rejection| rejection.index == index);
    tests.iter().enumerate().any(|(index, (_, is_valid))| is_rejected(index) == *is_valid)
}

/// As much of a text as a line of a table can hold.
fn shortened(text: &str) -> String {
    const LENGTH: usize = 160;
    let one_line = text.replace(['\n', '\r'], " ");
    if one_line.chars().count() <= LENGTH {
        return one_line;
    }
    one_line.chars().take(LENGTH).chain("…".chars()).collect()
}
