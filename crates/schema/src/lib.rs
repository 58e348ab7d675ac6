//! Contracts into data: a JSON Schema or the operations of an API become a stream of valid, varied, reproducible instances.

mod json;
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
};
pub use draw::{Draw, derive_seed};
pub use json::{Pointer, fingerprint, same, whole};
pub use limits::Limits;
pub use pipeline::{Clock, GaveUp, Job, Metrics, Source, SourceError, SourceOptions, Stop};
pub use strategy::{SchemaStrategy, SchemaTree, strategy};
pub use validate::{Formats, Oracle, Oracles, Violation};
