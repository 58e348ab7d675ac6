//! Contracts into data: a JSON Schema or the operations of an API become a stream of valid, varied, reproducible instances.
//!
//! A *contract* is what you have: a JSON Schema of draft 4 to 2020-12, or an OpenAPI document of version 3.0 or 3.1. This crate
//! draws instances from it, has each judged by a validator against the contract as you wrote it, and says how much of the
//! contract a set of instances shows.
//!
//! ```
//! use probity_schema::coverage::{Dimension, Named, analyze, measure};
//! use probity_schema::{Document, Formats, Oracles, ReadOptions, Source, SourceOptions};
//!
//! let text = r#"{
//!     "type": "object",
//!     "required": ["id", "role"],
//!     "properties": {"id": {"type": "integer", "minimum": 1}, "role": {"enum": ["admin", "reader"]}}
//! }"#;
//! let document = Document::read(text, &ReadOptions::default())?;
//! let source = Source::of(&document, &SourceOptions::default())?;
//! let users = source.instances(42).take(20).collect::<Result<Vec<_>, _>>()?;
//! assert!(users.iter().all(|user| user["id"].as_f64().unwrap() >= 1.0));
//!
//! let universe = analyze(source.contract(), &[Dimension::Enum]);
//! let oracles = Oracles::of(&document, Formats::Assert)?;
//! let users = users.into_iter().map(|value| Named { name: value["id"].to_string(), value });
//! let measured = measure(source.contract(), &oracles, source.oracle(), &universe, users);
//! assert_eq!(measured.n_valid, 20);
//! assert_eq!(measured.hits.count(), 2); // both roles were there
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Instances
//! A [`Document`] is the text, read: JSON or YAML, its dialect, and the documents it may refer to, which the caller supplies
//! with [`ReadOptions`], for nothing is fetched. A [`Source`] is the document made ready: references followed, keywords composed
//! into one set of values. [`Source::instances`] draws one instance after the other, [`Source::run`] a range of them on
//! several threads. Instance number 7 depends on the contract, the options, the seed and 7 alone. A contract that admits nothing
//! is a [`SourceError`] with its cause; what was understood only partly is among [`Source::notes`].
//!
//! # Coverage
//! [`coverage::analyze()`] takes a [`Contract`], the canonical view of a document, apart into targets: a subschema, an optional
//! member, a branch, a value of an enumeration, a boundary. [`coverage::measure()`] says which of them instances show, whoever
//! made them, and which instances are invalid. [`coverage::plan()`] goes the other way: within a budget it looks for few instances
//! that together show much, and proves targets out of reach. [`coverage::evaluate()`] makes the report, which can be written as a
//! page, compared and merged.
//!
//! # OpenAPI
//! [`openapi::Api`] reads a description and lists its operations. [`openapi::Feed`] draws cases for the parts of an operation:
//! whole requests with their parameters written as `style` and `explode` say, and responses. What is broken in a description is
//! told with its place, and the operations that do not depend on it still work.
//!
//! # Property-based tests
//! [`strategy()`] is a schema as a strategy of proptest. Its values are valid, and so is everything they shrink to.
//!
//! # Bounds
//! [`Limits`] bounds what a contract and an instance may cost; a limit that is reached is a note or an error. There is no network
//! and no file in this crate. Of time it knows only the limit on composing, and the [`Clock`] that a caller may hand in for
//! [`Metrics`].

mod counted;
mod json;
mod nearest;
mod limits;
mod draw;
pub mod text;
mod document;
mod contract;
mod validate;
mod compose;
mod sampler;
mod generate;
mod repair;
mod pipeline;
mod strategy;
pub mod coverage;
pub mod openapi;

pub use contract::{Body, Bound, Contract, Keywords, Node, NodeId};
pub use document::{
    DEFAULT_BASE, DIALECTS, Dialect, Document, Note, NoteCode, ReadError, ReadOptions, TextForm, read_value,
    resolve_uri, told_beside,
};
pub use draw::{Draw, derive_seed};
pub use json::{Pointer, canonical_text, fingerprint, same, whole};
pub use limits::Limits;
pub use pipeline::{Clock, GaveUp, Job, Metrics, Source, SourceError, SourceOptions, Stop};
pub use strategy::{SchemaStrategy, SchemaTree, strategy};
pub use text::pattern_bytes;
pub use validate::{Formats, Oracle, Oracles, Violation, is_regular_expression};
