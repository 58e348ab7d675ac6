//! A target as a schema: what an instance must look like to take a route and show the target at its end.

use serde_json::{Map, Value, json};

use crate::contract::{Contract, Keywords, NodeId};
use crate::coverage::graph::Way;
use crate::coverage::route::Step;
use crate::coverage::target::{Aim, Target};
use crate::document::Dialect;
use crate::draw::Draw;
use crate::text::{TextLimits, TextSampler, TextShape};
use crate::validate::fragment;

/// A schema laid over a route.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Overlay {
    pub(crate) schema: Value,
    /// Whether every instance that takes the route and shows the target fits; only then does emptiness prove anything.
    pub(crate) is_complete: bool,
}

const NAME_LIMITS: TextLimits = TextLimits { max_length: 64, max_states: 4_000 };

/// Lays a target over a route that ends at its node; `None` where the route cannot be said.
pub(crate) fn overlay(
    contract: &Contract,
    dialect: Dialect,
    route: &[Step],
    target: &Target,
) -> Option<Overlay> {
    let mut laid = Overlay { schema: shown(contract, target), is_complete: true };
    for step in route.iter().rev() {
        let keywords = contract.node(step.from).keywords()?;
        laid = lay(contract, dialect, keywords, step, laid)?;
    }
    Some(laid)
}

/// A schema that names a node.
pub(crate) fn reference(contract: &Contract, id: NodeId) -> Value {
    let node = contract.node(id);
    let address = node.address.as_deref().unwrap_or_default();
    json!({"$ref": format!("{address}#{}", fragment(&node.source))})
}

/// What shows the target at its own node.
fn shown(contract: &Contract, target: &Target) -> Value {
    let keywords = contract.node(target.node).keywords();
    let part = |branches: fn(&Keywords) -> &[NodeId], at: usize| {
        keywords
            .and_then(|keywords| branches(keywords).get(at))
            .map_or(json!({}), |id| reference(contract, *id))
    };
    match &target.aim {
        Aim::Node | Aim::Request { .. } | Aim::Response { .. } | Aim::Reused => json!({}),
        Aim::Member { name, .. } | Aim::Dependent { name, is_active: true } => {
            json!({"type": "object", "required": [name]})
        }
        Aim::Dependent { name, is_active: false } => json!({"type": "object", "not": {"required": [name]}}),
        Aim::OneOf { branch } => part(|keywords| &keywords.one_of, *branch),
        Aim::AnyOf { branch } => part(|keywords| &keywords.any_of, *branch),
        Aim::Condition { holds } => {
            let condition = keywords.and_then(|keywords| keywords.condition);
            let condition = condition.map_or(json!({}), |id| reference(contract, id));
            if *holds { condition } else { json!({"not": condition}) }
        }
        Aim::Value { value, .. } => json!({"enum": [value]}),
        Aim::Number { value, .. } => json!({"enum": [value]}),
        Aim::Length { count, .. } => json!({"type": "string", "minLength": count, "maxLength": count}),
        Aim::Items { count, .. } => json!({"type": "array", "minItems": count, "maxItems": count}),
    }
}

fn lay(
    contract: &Contract,
    dialect: Dialect,
    keywords: &Keywords,
    step: &Step,
    inner: Overlay,
) -> Option<Overlay> {
    let Overlay { schema, is_complete } = inner;
    let node = || reference(contract, step.edge.to);
    let whole = |schema: Value| Some(Overlay { schema, is_complete });
    let example = |schema: Value| Some(Overlay { schema, is_complete: false });
    let both = |left: Value, right: Value| json!({"allOf": [left, right]});
    let with_member = |name: &str, schema: Value| {
        let members: Map<String, Value> = Map::from_iter([(name.to_owned(), schema)]);
        json!({"type": "object", "required": [name], "properties": members})
    };
    match step.edge.way {
        Way::Reference | Way::AllOf(_) => whole(schema),
        Way::AnyOf(_) | Way::OneOf(_) | Way::Condition => whole(both(node(), schema)),
        Way::Consequence => whole(both(reference(contract, keywords.condition?), schema)),
        Way::Alternative => whole(both(json!({"not": reference(contract, keywords.condition?)}), schema)),
        Way::Dependent(at) => {
            let (name, _) = keywords.dependent_schemas.get(at)?;
            whole(both(json!({"type": "object", "required": [name]}), schema))
        }
        Way::Member(at) => {
            let (name, _) = keywords.properties.get(at)?;
            whole(with_member(name, schema))
        }
        Way::Pattern(at) => {
            let (pattern, _) = keywords.pattern_properties.get(at)?;
            example(with_member(&free_name(keywords, Some(pattern))?, schema))
        }
        Way::Additional | Way::UnevaluatedMembers => {
            example(with_member(&free_name(keywords, None)?, schema))
        }
        Way::Names => example(json!({"type": "object", "minProperties": 1, "propertyNames": schema})),
        Way::Prefix(at) => whole(with_item(dialect, at, schema)),
        Way::Items => {
            // Where any item comes after the prefix, the first place after it has one too.
            let is_any = schema == json!({});
            let laid = with_item(dialect, keywords.prefix_items.len(), schema);
            Some(Overlay { schema: laid, is_complete: is_complete && is_any })
        }
        Way::Contains | Way::UnevaluatedItems => {
            example(with_item(dialect, keywords.prefix_items.len(), schema))
        }
    }
}

/// An array with a certain item at a place.
fn with_item(dialect: Dialect, at: usize, schema: Value) -> Value {
    let mut front: Vec<Value> = (0..at).map(|_| json!({})).collect();
    front.push(schema);
    let keyword = if dialect == Dialect::Draft202012 { "prefixItems" } else { "items" };
    json!({"type": "array", "minItems": at + 1, keyword: front})
}

/// A name that `properties` does not have and that only the given pattern finds, or none.
fn free_name(keywords: &Keywords, pattern: Option<&String>) -> Option<String> {
    let others =
        keywords.pattern_properties.iter().map(|(other, _)| other).filter(|other| Some(*other) != pattern);
    let shape = TextShape {
        min_length: 1,
        patterns: pattern.into_iter().cloned().collect(),
        barred_patterns: others.cloned().collect(),
        excluded: keywords.properties.iter().map(|(name, _)| name.clone()).collect(),
        ..TextShape::default()
    };
    let plain = TextShape {
        patterns: [shape.patterns.clone(), vec!["^[a-z]{3,8}$".to_owned()]].concat(),
        ..shape.clone()
    };
    let any = || TextSampler::compile(&shape, &NAME_LIMITS);
    let text = TextSampler::compile(&plain, &NAME_LIMITS).or_else(|_| any()).ok()?;
    text.draw(&mut Draw::new(0))
}
