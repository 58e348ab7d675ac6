//! Whether a value fits a node, asked in the cheapest way that is certain.
//!
//! What a type, a constant or a missing member rules out is ruled out at once, and a node that names nothing but types
//! is answered at once. Every other question goes to the oracle of that node, which is built when first asked for.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::contract::{Body, Contract, Keywords, NodeId};
use crate::coverage::may_be;
use crate::json::same;
use crate::validate::{Oracle, Oracles};

/// How far a quick look goes below the node it is asked about.
const QUICK_DEPTH: u32 = 4;
/// How many nodes one quick look visits; past that the oracle is asked.
const QUICK_NODES: u32 = 1_000;
/// Longest list of constants a quick look compares.
const QUICK_VALUES: usize = 64;

/// Answers whether values fit nodes of one contract.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    contract: &'a Contract,
    oracles: &'a Oracles<'a>,
    of_node: Vec<OnceCell<Option<Oracle>>>,
    of_pattern: BTreeMap<&'a str, OnceCell<Option<Oracle>>>,
    has_only_types: Vec<bool>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(contract: &'a Contract, oracles: &'a Oracles<'a>) -> Self {
        let patterns = contract
            .nodes()
            .iter()
            .filter_map(|node| node.keywords())
            .flat_map(|keywords| keywords.pattern_properties.iter().map(|(pattern, _)| pattern.as_str()));
        Self {
            contract,
            oracles,
            of_node: contract.nodes().iter().map(|_| OnceCell::new()).collect(),
            of_pattern: patterns.map(|pattern| (pattern, OnceCell::new())).collect(),
            has_only_types: contract
                .nodes()
                .iter()
                .map(|node| node.keywords().is_some_and(is_bare))
                .collect(),
        }
    }

    /// Whether the value fits the node. A node whose oracle cannot be built fits nothing.
    pub(crate) fn fits(&self, id: NodeId, value: &Value) -> bool {
        match &self.contract.node(id).body {
            Body::Anything => return true,
            Body::Nothing => return false,
            Body::Keywords(_) if self.is_ruled_out(id, value) => return false,
            Body::Keywords(_) if self.has_only_types[id.index()] => return true,
            Body::Keywords(_) => {}
        }
        let oracle =
            self.of_node[id.index()].get_or_init(|| self.oracles.of_node(self.contract.node(id)).ok());
        oracle.as_ref().is_some_and(|oracle| oracle.is_valid(value))
    }

    /// Which of the branches the value fits, when it is known to fit at least one.
    pub(crate) fn fitting(
        &self,
        branches: &[NodeId],
        value: &Value,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let left: Vec<usize> =
            (0..branches.len()).filter(|at| !self.is_ruled_out(branches[*at], value)).collect();
        if let [only] = left.as_slice() {
            return if is_wanted(*only) { left } else { Vec::new() };
        }
        left.into_iter().filter(|at| is_wanted(*at) && self.fits(branches[*at], value)).collect()
    }

    /// Whether a name matches a pattern of `patternProperties`, as the oracle reads patterns.
    pub(crate) fn matches(&self, pattern: &str, name: &Value) -> bool {
        let Some(cell) = self.of_pattern.get(pattern) else { return false };
        let oracle = cell.get_or_init(|| self.oracles.of_pattern(pattern).ok());
        oracle.as_ref().is_some_and(|oracle| oracle.is_valid(name))
    }

    /// Whether it is plain that the value does not fit; false when it is not plain.
    fn is_ruled_out(&self, id: NodeId, value: &Value) -> bool {
        self.is_out(id, value, QUICK_DEPTH, &mut QUICK_NODES.clone())
    }

    fn is_out(&self, id: NodeId, value: &Value, depth: u32, fuel: &mut u32) -> bool {
        *fuel = fuel.saturating_sub(1);
        let keywords = match &self.contract.node(id).body {
            Body::Anything => return false,
            Body::Nothing => return true,
            Body::Keywords(keywords) => keywords,
        };
        if !keywords.types.is_empty() && !keywords.types.iter().any(|name| may_be(value, name)) {
            return true;
        }
        if keywords.constant.as_ref().is_some_and(|constant| !same(constant, value)) {
            return true;
        }
        let is_unlisted = keywords.enumeration.as_ref().is_some_and(|values| {
            values.len() <= QUICK_VALUES && !values.iter().any(|listed| same(listed, value))
        });
        if is_unlisted {
            return true;
        }
        if depth == 0 || *fuel == 0 {
            return false;
        }
        let mut out = |id: &NodeId| self.is_out(*id, value, depth - 1, fuel);
        keywords.reference.iter().any(&mut out)
            || keywords.all_of.iter().any(&mut out)
            || (!keywords.any_of.is_empty() && keywords.any_of.iter().all(&mut out))
            || (!keywords.one_of.is_empty() && keywords.one_of.iter().all(&mut out))
            || self.is_below_out(keywords, value, depth, fuel)
    }

    fn is_below_out(&self, keywords: &Keywords, value: &Value, depth: u32, fuel: &mut u32) -> bool {
        match value {
            Value::Object(members) => {
                keywords.required.iter().any(|name| !members.contains_key(name))
                    || keywords.properties.iter().any(|(name, schema)| {
                        members.get(name).is_some_and(|member| self.is_out(*schema, member, depth - 1, fuel))
                    })
                    || self.is_closed_to(keywords, members.keys())
            }
            Value::Array(items) => {
                let first = items.first().zip(keywords.items).filter(|_| keywords.prefix_items.is_empty());
                first.is_some_and(|(item, schema)| self.is_out(schema, item, depth - 1, fuel))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }

    /// Whether a closed object without patterns lacks one of the names.
    fn is_closed_to<'n>(&self, keywords: &Keywords, mut names: impl Iterator<Item = &'n String>) -> bool {
        let is_closed = keywords
            .additional_properties
            .is_some_and(|id| matches!(self.contract.node(id).body, Body::Nothing));
        is_closed
            && keywords.pattern_properties.is_empty()
            && names.any(|name| !keywords.properties.iter().any(|(known, _)| known == name))
    }
}

/// Whether the node says nothing but which types it takes.
fn is_bare(keywords: &Keywords) -> bool {
    let types = keywords.types.clone();
    // Draft 4 and the later drafts differ on whether 1.0 is an integer; the oracle knows which one is spoken.
    if types.iter().any(|name| name == "integer") {
        return false;
    }
    let Keywords {
        types: _,
        enumeration: None,
        constant: None,
        minimum,
        maximum,
        multiple_of: None,
        min_length: None,
        max_length: None,
        pattern: None,
        format: None,
        min_items: None,
        max_items: None,
        is_unique: false,
        prefix_items,
        items: None,
        contains: None,
        min_contains: _,
        max_contains: _,
        unevaluated_items: None,
        min_properties: None,
        max_properties: None,
        required,
        properties,
        pattern_properties,
        additional_properties: None,
        unevaluated_properties: None,
        property_names: None,
        dependent_required,
        dependent_schemas,
        old_dependencies: _,
        reference: None,
        dynamic_reference: None,
        all_of,
        any_of,
        one_of,
        not: None,
        condition: None,
        consequence: _,
        alternative: _,
        default: _,
        examples: _,
    } = keywords
    else {
        return false;
    };
    minimum.is_empty()
        && maximum.is_empty()
        && prefix_items.is_empty()
        && required.is_empty()
        && properties.is_empty()
        && pattern_properties.is_empty()
        && dependent_required.is_empty()
        && dependent_schemas.is_empty()
        && all_of.is_empty()
        && any_of.is_empty()
        && one_of.is_empty()
}
