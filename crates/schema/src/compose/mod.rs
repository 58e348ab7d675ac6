//! The set of values a contract admits, and the algebra on such sets: the only room that knows
//! `jsonschema::canonical`.
//!
//! A part that cannot be said exactly is widened for drawing and noted; the oracle judges its instances later.

mod apart;
mod cause;
mod part;
mod relax;

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use jsonschema::CanonicalizationError;
use jsonschema::canonical::{CanonicalSchema, Satisfiability, options};
use referencing::{Registry, SPECIFICATIONS};
use serde_json::Value;

use crate::document::{Document, Note, Offline, ReadError};
use crate::json::{Pointer, n_values};
use crate::validate::{Formats, broken};

pub(crate) use cause::causes;
pub(crate) use jsonschema::JsonType as Kind;
pub(crate) use part::Parts;

/// How one set looks: the door through which samplers see it.
pub(crate) use jsonschema::canonical::{
    ArrayView as ArrayShape, CanonicalView as Shape, ContainsView as ContainsShape, Distinctness,
    IntegerView as IntegerShape, NumberView as NumberShape, ObjectView as ObjectShape,
    ObjectViolationView as Breach, StringView as StringShape,
};

/// Composing calls itself as deep as references go; this much stack holds the longest chains within our limits.
pub(crate) const DEEP_STACK: usize = 512 << 20;

/// A set of JSON values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Set(CanonicalSchema);

/// Whether a set has members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Emptiness {
    /// Proven to have none.
    Empty,
    /// Proven to have one, or not known.
    Open,
}

/// The set of a contract with what had to be said about it.
#[derive(Debug, Clone)]
pub(crate) struct Composed {
    pub(crate) set: Set,
    /// What was widened, and which parts admit nothing.
    pub(crate) notes: Vec<Note>,
    /// Whether the set is the contract's own, not a wider one.
    pub(crate) is_exact: bool,
}

impl Set {
    /// How it looks from above; its parts are sets of their own.
    pub(crate) fn shape(&self) -> Shape {
        self.0.view()
    }

    /// The sets it is made of, one level down; what a reference names does not count.
    pub(crate) fn parts(&self) -> Vec<Self> {
        let parts: Vec<CanonicalSchema> = match self.shape() {
            Shape::Array(array) => {
                let contains = array.contains.into_iter().map(|contains| contains.schema);
                array.prefix_items.into_iter().chain(array.items).chain(contains).collect()
            }
            Shape::Object(object) => {
                let named = object.properties.into_values().chain(object.pattern_properties.into_values());
                named.chain(object.additional_properties).chain(object.property_names).collect()
            }
            Shape::TypedGroup(group) => vec![group.body],
            Shape::Not(part) => vec![*part],
            Shape::AllOf(parts) | Shape::AnyOf(parts) | Shape::OneOf(parts) => parts,
            Shape::MultiType(_)
            | Shape::String(_)
            | Shape::Integer(_)
            | Shape::Number(_)
            | Shape::Const(_)
            | Shape::Enum(_)
            | Shape::Reference(_)
            | Shape::True
            | Shape::False
            | Shape::Raw(_) => Vec::new(),
        };
        parts.into_iter().map(Self).collect()
    }

    /// The set a reference inside this one names.
    pub(crate) fn named(&self, name: &str) -> Option<Self> {
        self.0.definition(name).map(Self)
    }

    /// What both admit, when that can be said exactly.
    pub(crate) fn meet(&self, other: &Self) -> Option<Self> {
        self.0.intersect(&other.0).ok().map(Self)
    }

    /// What this admits and the other does not, when that can be said exactly.
    pub(crate) fn without(&self, other: &Self) -> Option<Self> {
        self.0.subtract(&other.0).ok().map(Self)
    }

    /// What this does not admit, when that can be said exactly.
    pub(crate) fn opposite(&self) -> Option<Self> {
        self.0.negate().ok().map(Self)
    }

    /// Whether it is proven empty.
    pub(crate) fn emptiness(&self) -> Emptiness {
        match self.0.satisfiability() {
            Satisfiability::No => Emptiness::Empty,
            Satisfiability::Yes | Satisfiability::Unknown => Emptiness::Open,
        }
    }

    /// A schema that admits the same.
    pub(crate) fn to_schema(&self) -> Value {
        self.0.to_json_schema()
    }
}

impl From<CanonicalSchema> for Set {
    fn from(schema: CanonicalSchema) -> Self {
        Self(schema)
    }
}

/// Composes the subschema at a place of a document.
pub(crate) fn compose(
    document: &Document,
    pointer: &Pointer,
    formats: Formats,
) -> Result<Composed, ReadError> {
    let mut notes = Vec::new();
    for (index, step) in relax::LADDER.iter().enumerate() {
        let Some((root, widened)) = (step.rewrite)(document, pointer) else { continue };
        let patience = if index == 0 { patience(document) } else { document.limits.compose_ms };
        match attempt(document, root, pointer, formats, (step.retries, patience))? {
            Attempt::Exact(set, more) => {
                let is_exact = widened.is_empty() && more.is_empty();
                notes.extend(widened);
                notes.extend(more);
                return Ok(Composed { set, notes, is_exact });
            }
            Attempt::Beyond => {}
        }
    }
    Err(ReadError::BrokenKeyword {
        at: pointer.clone(),
        reason: "this schema is beyond what can be composed, even widened; simplify its conditions"
            .to_owned(),
    })
}

/// How long composing a document as it is written may take, in milliseconds: a long one is allowed more.
fn patience(document: &Document) -> u64 {
    const LONG: u64 = 50_000;
    let compose_ms = document.limits.compose_ms;
    compose_ms.saturating_add(compose_ms.saturating_mul(n_values(&document.root)) / LONG)
}

enum Attempt {
    Exact(Set, Vec<Note>),
    /// Too large or too inexact for this step of the ladder.
    Beyond,
}

/// Composes one version of the document; single parts that cannot be said are widened in place, a few times.
fn attempt(
    document: &Document,
    root: Arc<Value>,
    pointer: &Pointer,
    formats: Formats,
    (retries, patience): (usize, u64),
) -> Result<Attempt, ReadError> {
    let mut version = Document { root, ..document.clone() };
    let mut notes = Vec::new();
    for _ in 0..=retries {
        let (run, place) = (version.clone(), pointer.clone());
        let Some(read) = within_time(patience, move || canonical(&run, &place, formats)) else {
            return Ok(Attempt::Beyond);
        };
        let schema = read?;
        let Shape::Raw(raw) = schema.view() else { return Ok(Attempt::Exact(Set(schema), notes)) };
        let Some(at) = raw.pointer.as_deref().and_then(Pointer::parse) else { return Ok(Attempt::Beyond) };
        let Some((wider, note)) =
            relax::widen_at(&version, &at, |candidate| is_modelled(candidate, &at, formats))
        else {
            return Ok(Attempt::Beyond);
        };
        version.root = Arc::new(wider);
        notes.push(note);
    }
    Ok(Attempt::Beyond)
}

fn is_modelled(document: &Document, at: &Pointer, formats: Formats) -> bool {
    let (run, place) = (document.clone(), at.clone());
    within_time(document.limits.compose_ms, move || canonical(&run, &place, formats))
        .is_some_and(|read| read.is_ok_and(|schema| !matches!(schema.view(), Shape::Raw(_))))
}

fn registry(document: &Document) -> Result<Registry<'_>, ReadError> {
    let unready = |error: referencing::Error| ReadError::BadAddress {
        at: Pointer::root(),
        text: document.base.clone(),
        reason: error.to_string(),
    };
    let mut builder = SPECIFICATIONS.extend(std::iter::empty::<(&str, &Value)>()).map_err(unready)?;
    for (address, value) in document.supplied.iter() {
        builder = builder.add(address, value).map_err(unready)?;
    }
    builder.draft(document.dialect.draft()).retriever(Offline).prepare().map_err(unready)
}

fn configured<'r>(
    document: &Document,
    registry: &'r Registry<'r>,
    formats: Formats,
) -> jsonschema::canonical::CanonicalizeOptions<'r> {
    options()
        .with_draft(document.dialect.draft())
        .with_registry(registry)
        .with_base_uri(document.base.clone())
        .with_retriever(Offline)
        .should_validate_formats(formats == Formats::Assert)
}

fn canonical(document: &Document, pointer: &Pointer, formats: Formats) -> Result<CanonicalSchema, ReadError> {
    let registry = registry(document)?;
    let prepared = configured(document, &registry, formats)
        .prepare(&document.root)
        .map_err(|error| read_error(&error))?;
    let read = if pointer.as_str().is_empty() {
        prepared.canonicalize()
    } else {
        prepared.canonicalize_at(pointer.as_str())
    };
    read.map_err(|error| read_error(&error))
}

fn read_error(error: &CanonicalizationError) -> ReadError {
    match error {
        CanonicalizationError::ValidationError(error) => broken(error),
        other => ReadError::BrokenKeyword { at: Pointer::root(), reason: other.to_string() },
    }
}

/// Runs a job on a deep stack and waits for it so long; a job that takes longer is left behind.
fn within_time<T: Send + 'static>(milliseconds: u64, job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, wait) = channel();
    let started = thread::Builder::new().stack_size(DEEP_STACK).spawn(move || {
        // Nobody waits any more when the time is over; then the result is of no use.
        let _ = done.send(job());
    });
    started.ok()?;
    wait.recv_timeout(Duration::from_millis(milliseconds)).ok()
}
