//! Contracts that are documents of their own, told as one: each has a home in the whole, and its paths start there.

use serde_json::Value;

use crate::contract::Contract;
use crate::coverage::analyze::Universe;
use crate::coverage::hits::Hits;
use crate::coverage::target::{Dimension, Target};

/// Several contracts as one set of targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined {
    /// Every target, contract by contract.
    pub universe: Universe,
    /// What was hit.
    pub hits: Hits,
}

impl Joined {
    /// No contract yet; the dimensions are those of all that will be added.
    #[must_use]
    pub fn new(dimensions: &[Dimension]) -> Self {
        Self { universe: Universe::bare(dimensions), hits: Hits::none(0) }
    }

    /// Adds the targets of a contract and what was hit of them; returns their positions.
    ///
    /// The home is a canonical path such as `#/tools/sum/inputSchema`; what the contract calls `#/type` is below it then.
    pub fn add(
        &mut self,
        home: &str,
        contract: &Contract,
        universe: &Universe,
        hits: &Hits,
    ) -> std::ops::Range<usize> {
        let start = self.universe.targets.len();
        for (at, target) in universe.targets.iter().enumerate() {
            let Target { node, aim, operation_key, status, mut meta, id: _, canon_path: _ } = target.clone();
            let moved_path = |path: &str| match path.strip_prefix('#') {
                Some(rest) => format!("{home}{rest}"),
                None => format!("{home}/{path}"),
            };
            let path = moved_path(&contract.node(node).path);
            if let Some(Value::String(source)) = meta.get_mut("source") {
                *source = moved_path(source);
            }
            let moved = Target { operation_key, status, meta, ..Target::new(node, &path, aim) };
            self.target(moved, hits.first(at));
        }
        start..self.universe.targets.len()
    }

    /// Adds one target that belongs to no contract, such as a call of a tool, and says whether it was hit.
    pub fn target(&mut self, target: Target, first: Option<u64>) -> usize {
        self.universe.targets.push(target);
        self.hits.grow(first);
        self.universe.targets.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::coverage::{Observer, analyze};
    use crate::document::{Document, ReadOptions};
    use crate::validate::{Formats, Oracles};

    /// Joins schemas, each with an instance and a home, and compares what was hit.
    #[track_caller]
    fn check(members: &[(&str, Value, Value)], hit: &[&str], missed: &[&str]) {
        let dimensions = [Dimension::Enum, Dimension::Structure];
        let mut joined = Joined::new(&dimensions);
        for (home, schema, instance) in members {
            let document = Document::of_value(schema.clone(), &ReadOptions::default()).expect("it is read");
            let contract = Contract::of(&document).expect("it is a contract");
            let oracles = Oracles::of(&document, Formats::Assert).expect("it is judged");
            let universe = analyze(&contract, &dimensions);
            let mut observer = Observer::new(&contract, &oracles, &universe);
            observer.observe(contract.roots()[0], instance, 3);
            joined.add(home, &contract, &universe, observer.hits());
        }
        let ids = |is_hit: bool| -> Vec<&str> {
            let targets = joined.universe.targets.iter().enumerate();
            targets.filter(|(at, _)| joined.hits.has(*at) == is_hit).map(|(_, one)| one.id.as_str()).collect()
        };
        assert_eq!((ids(true), ids(false)), (hit.to_vec(), missed.to_vec()));
        assert_eq!(joined.hits.count(), hit.len());
    }

    #[test]
    fn each_contract_keeps_its_targets_and_hits_under_its_own_home() {
        check(
            &[
                ("#/a", json!({"enum": [1, 2]}), json!(2)),
                ("#/b/c", json!({"$ref": "#/$defs/x", "$defs": {"x": {"enum": [1]}}}), json!(1)),
            ],
            &["struct:#/a", "enum:#/a:2", "struct:#/b/c/$defs/x", "enum:#/b/c/$defs/x:1"],
            &["enum:#/a:1"],
        );
        check(&[], &[], &[]);
    }

    #[test]
    fn a_place_as_the_user_wrote_it_moves_along() {
        let schema = json!({"$ref": "#/definitions/x", "definitions": {"x": {}},
            "$schema": "http://json-schema.org/draft-07/schema#"});
        let document = Document::of_value(schema, &ReadOptions::default()).expect("it is read");
        let contract = Contract::of(&document).expect("it is a contract");
        let universe = analyze(&contract, &[Dimension::Structure]);
        let mut joined = Joined::new(&universe.dimensions);
        joined.add("#/a", &contract, &universe, &Hits::none(1));
        let Target { canon_path, meta, .. } = &joined.universe.targets[0];
        assert_eq!((canon_path.as_str(), &meta["source"]), ("#/a/$defs/x", &json!("#/a/definitions/x")));
    }
}
