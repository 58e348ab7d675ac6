//! A schema as a proptest strategy: its values are valid, and so is everything they shrink to.

mod simpler;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use proptest::prelude::Rng;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::document::{Document, ReadOptions};
use crate::pipeline::{Metrics, Source, SourceError, SourceOptions};
use simpler::{Edit, edits};

/// Values of a JSON Schema, for proptest.
///
/// ```
/// use proptest::prelude::*;
/// use serde_json::json;
///
/// let pets = probity_schema::strategy(&json!({
///     "type": "object",
///     "required": ["name"],
///     "properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer", "minimum": 0}}
/// }))?;
/// proptest!(|(pet in pets)| {
///     prop_assert!(!pet["name"].as_str().unwrap().is_empty());
/// });
/// # Ok::<(), probity_schema::SourceError>(())
/// ```
pub fn strategy(schema: &Value) -> Result<SchemaStrategy, SourceError> {
    let document = Document::of_value(schema.clone(), &ReadOptions::default())?;
    Source::of(&document, &SourceOptions::default()).map(SchemaStrategy::from)
}

/// Values of one contract; made by [`strategy`], or from a [`Source`] with options of its own.
#[derive(Clone)]
pub struct SchemaStrategy {
    source: Arc<Source>,
}

impl From<Source> for SchemaStrategy {
    fn from(source: Source) -> Self {
        Self { source: Arc::new(source) }
    }
}

impl fmt::Debug for SchemaStrategy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SchemaStrategy")
    }
}

impl Strategy for SchemaStrategy {
    type Tree = SchemaTree;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let (seed, index) = (runner.rng().next_u64(), runner.rng().next_u64());
        let value = self
            .source
            .instance(seed, index, &mut Metrics::default())
            .map_err(|gave_up| gave_up.to_string())?;
        let open = edits(&value).into();
        Ok(SchemaTree { source: Arc::clone(&self.source), failing: value.clone(), current: value, open })
    }
}

/// A value and the simpler ones around it.
pub struct SchemaTree {
    source: Arc<Source>,
    /// The simplest value known to fail the test.
    failing: Value,
    /// The value under test.
    current: Value,
    /// Edits of the failing value that were not tried.
    open: VecDeque<Edit>,
}

impl fmt::Debug for SchemaTree {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SchemaTree").field("current", &self.current).finish_non_exhaustive()
    }
}

impl SchemaTree {
    /// Goes to the next valid edit of the failing value; back to that value when there is none.
    fn advance(&mut self) -> bool {
        while let Some(edit) = self.open.pop_front() {
            if let Some(value) =
                edit.apply(&self.failing).filter(|value| self.source.oracle().is_valid(value))
            {
                self.current = value;
                return true;
            }
        }
        self.current = self.failing.clone();
        false
    }
}

impl ValueTree for SchemaTree {
    type Value = Value;

    fn current(&self) -> Value {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        if self.current != self.failing {
            self.failing = self.current.clone();
            self.open = edits(&self.failing).into();
        }
        self.advance()
    }

    fn complicate(&mut self) -> bool {
        // The simpler value passed, so the failing one stands and its next edit is tried.
        self.current != self.failing && self.advance()
    }
}
