//! An input schema made ready: its contract, a source of shapes, and judges for every place a known value may go.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use probity_schema::{
    Contract, Document, Formats, Limits, Metrics, Node, NodeId, Oracle, Oracles, Pointer, ReadOptions,
    Source, SourceError, SourceOptions,
};
use serde_json::Value;

/// Places with a judge of their own; beyond these, only whole arguments are judged.
const MAX_JUDGES: usize = 2_000;

/// An input schema made ready to be filled.
#[derive(Debug)]
pub struct Blueprint {
    id: u64,
    pub(crate) source: Source,
    judges: BTreeMap<NodeId, Oracle>,
}

impl Blueprint {
    /// Makes a schema ready; nothing is fetched.
    pub fn of(schema: &Value) -> Result<Blueprint, SourceError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let document = Document::of_value(schema.clone(), &ReadOptions::default())?;
        // Arguments are for machines: long texts and deep trees find nothing that short ones do not.
        let limits = Limits { max_depth: 4, max_items: 3, ..Limits::default() };
        let options = SourceOptions { limits, ..SourceOptions::default() };
        let source = Source::of(&document, &options)?;
        let oracles = Oracles::of(&document, Formats::Assert)?;
        let contract = source.contract();
        let scalars = contract.nodes().iter().filter(|node| may_be_sourced(node)).take(MAX_JUDGES);
        let judges = scalars
            .filter_map(|node| Some((contract.find(&node.path)?, oracles.of_node(node).ok()?)))
            .collect();
        Ok(Blueprint { id: NEXT.fetch_add(1, Ordering::Relaxed), source, judges })
    }

    /// Why no arguments at all are found, if that is so: then none are looked for again.
    pub(crate) fn barrenness(&self) -> Option<String> {
        let drawn = self.source.instance(0, 0, &mut Metrics::default());
        drawn.err().map(|error| error.to_string())
    }

    /// Tells blueprints apart, in the memory of a stock.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn contract(&self) -> &Contract {
        self.source.contract()
    }

    /// Whether the arguments fit the schema.
    #[must_use]
    pub fn is_valid(&self, arguments: &Value) -> bool {
        self.source.oracle().is_valid(arguments)
    }

    /// Whether a value fits one node; where there is no judge, the whole arguments will be judged.
    pub(crate) fn fits(&self, node: NodeId, value: &Value) -> bool {
        self.judges.get(&node).is_none_or(|judge| judge.is_valid(value))
    }

    /// The values that the schema lists for one place of valid arguments, in its order.
    #[must_use]
    pub fn listed(&self, arguments: &Value, at: &str) -> Vec<Value> {
        crate::callable::voice::listed_at(self.contract(), arguments, &Pointer::parse(at).unwrap_or_default())
    }
}

/// Whether numbers or strings may stand at a node that are not listed there.
fn may_be_sourced(node: &Node) -> bool {
    let is_scalar = |name: &String| matches!(name.as_str(), "string" | "integer" | "number");
    node.keywords().is_some_and(|keywords| {
        keywords.enumeration.is_none()
            && keywords.constant.is_none()
            && (keywords.types.is_empty() || keywords.types.iter().any(is_scalar))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(pattern: &str, is_barren: bool) {
        let member = json!({"type": "string", "pattern": pattern});
        let schema = json!({"type": "object", "required": ["a"], "properties": {"a": member}});
        let blueprint = Blueprint::of(&schema).expect("a plain schema");
        assert_eq!(blueprint.barrenness().is_some(), is_barren, "{pattern}");
    }

    #[test]
    fn a_schema_for_which_nothing_is_found_says_so_at_once() {
        check("^[ab]{21}$", false);
        check(r"^(?=(a+)b\1$)[ab]{21}$", true);
    }
}
