//! What keeps a schema from being filled: a walk over what it requires, with the stock at hand.

use probity_schema::{Body, Contract, Keywords, NodeId, Pointer};

use crate::callable::blueprint::Blueprint;
use crate::callable::fill::arguments;
use crate::callable::stock::Stock;
use crate::callable::{Kind, Reason, Shortage, Sourcing};

/// Seeds tried before a schema that looks satisfiable counts as one that cannot be filled.
const TRIALS: u64 = 3;

/// What is missing for a call, if anything; cheap enough to be asked before every step.
#[must_use]
pub fn shortage(blueprint: &Blueprint, stock: &Stock, sourcing: Sourcing) -> Option<Shortage> {
    if sourcing == Sourcing::Strict {
        let root = blueprint.contract().roots().first()?;
        let missing = Walk { blueprint, stock, open: Vec::new() }.need(*root, &Pointer::root()).err();
        if missing.is_some() {
            return missing;
        }
    }
    // Nothing seems missing; a few draws make sure, and the stock remembers.
    let is_fillable = stock.remembers_filling(blueprint).unwrap_or_else(|| {
        let is_drawn = (0..TRIALS).any(|seed| arguments(blueprint, stock, sourcing, seed).is_some());
        stock.remember_filling(blueprint, is_drawn);
        is_drawn
    });
    (!is_fillable).then(|| Shortage { reason: Reason::MissingRequiredValue, at: String::new() })
}

struct Walk<'a> {
    blueprint: &'a Blueprint,
    stock: &'a Stock,
    /// Nodes that are being walked, to see a schema that requires itself.
    open: Vec<NodeId>,
}

impl Walk<'_> {
    fn need(&mut self, node: NodeId, at: &Pointer) -> Result<(), Shortage> {
        let impossible = || Shortage { reason: Reason::MissingRequiredValue, at: at.as_str().to_owned() };
        if self.open.contains(&node) {
            return Err(impossible());
        }
        let contract: &Contract = self.blueprint.contract();
        let keywords = match &contract.node(node).body {
            Body::Anything => return Ok(()),
            Body::Nothing => return Err(impossible()),
            Body::Keywords(keywords) => keywords,
        };
        if keywords.constant.is_some() || keywords.enumeration.is_some() {
            return Ok(());
        }
        self.open.push(node);
        let outcome = self.need_keywords(node, keywords, at);
        self.open.pop();
        outcome
    }

    fn need_keywords(&mut self, node: NodeId, keywords: &Keywords, at: &Pointer) -> Result<(), Shortage> {
        let every = keywords.reference.iter().chain(&keywords.dynamic_reference).chain(&keywords.all_of);
        for part in every {
            self.need(*part, at)?;
        }
        for choice in [&keywords.any_of, &keywords.one_of] {
            self.any(choice.iter().map(|branch| (*branch, at)))?;
        }
        let mut first = None;
        for name in types(keywords) {
            match self.need_type(name, node, keywords, at) {
                Ok(()) => return Ok(()),
                Err(shortage) => first = first.or(Some(shortage)),
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn need_type(
        &mut self,
        name: &str,
        node: NodeId,
        keywords: &Keywords,
        at: &Pointer,
    ) -> Result<(), Shortage> {
        let sourced = |kind, reason| {
            let is_there = self.stock.has_fitting(self.blueprint, &[node], kind);
            if is_there { Ok(()) } else { Err(Shortage { reason, at: at.as_str().to_owned() }) }
        };
        match name {
            "string" => sourced(Kind::String, Reason::MissingString),
            "integer" => sourced(Kind::Integer, Reason::MissingInteger),
            "number" => sourced(Kind::Number, Reason::MissingNumber),
            "object" => keywords.required.iter().try_for_each(|name| {
                let known =
                    keywords.properties.iter().find(|(known, _)| known == name).map(|(_, node)| *node);
                let is_loose = known.is_none() && !keywords.pattern_properties.is_empty();
                let child = known.or(keywords.additional_properties).filter(|_| !is_loose);
                child.map_or(Ok(()), |child| self.need(child, &at.child(name)))
            }),
            "array" => {
                let n_least = keywords.min_items.unwrap_or(0);
                let n_least = usize::try_from(n_least).unwrap_or(usize::MAX);
                let prefix = keywords.prefix_items.iter().take(n_least).enumerate();
                for (index, item) in prefix {
                    self.need(*item, &at.item(index))?;
                }
                let is_longer = n_least > keywords.prefix_items.len();
                let rest = keywords.items.filter(|_| is_longer);
                rest.map_or(Ok(()), |item| self.need(item, &at.item(keywords.prefix_items.len())))
            }
            _ => Ok(()),
        }
    }

    /// Whether one of these can be filled; the shortage of the first otherwise.
    fn any<'p>(&mut self, branches: impl Iterator<Item = (NodeId, &'p Pointer)>) -> Result<(), Shortage> {
        let mut first = None;
        for (branch, at) in branches {
            match self.need(branch, at) {
                Ok(()) => return Ok(()),
                Err(shortage) => first = first.or(Some(shortage)),
            }
        }
        first.map_or(Ok(()), Err)
    }
}

/// The types a node allows; where it says nothing, what its other keywords are about.
fn types(keywords: &Keywords) -> Vec<&str> {
    if !keywords.types.is_empty() {
        return keywords.types.iter().map(String::as_str).collect();
    }
    let is_object = !keywords.required.is_empty() || !keywords.properties.is_empty();
    if is_object { vec!["object"] } else { Vec::new() }
}
