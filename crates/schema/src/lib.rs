//! Contracts into data: a JSON Schema becomes a stream of valid, varied, reproducible instances.

mod draw;
pub mod text;

pub use draw::{Draw, derive_seed};
