//! The keywords of one subschema, spelled as in draft 2020-12 whatever the dialect was.

use std::collections::BTreeSet;

use serde_json::{Number, Value};

use crate::contract::NodeId;

/// A bound on a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The limit.
    pub limit: Number,
    /// Whether the limit itself is left out.
    pub is_exclusive: bool,
}

/// What one subschema says, drafts unified: tuples are `prefix_items`, dependencies are split in two, exclusive
/// bounds are [`Bound`]s.
#[derive(Debug, Clone, Default)]
pub struct Keywords {
    /// `type`, as a list; empty when absent.
    pub types: Vec<String>,
    /// `enum`.
    pub enumeration: Option<Vec<Value>>,
    /// `const`.
    pub constant: Option<Value>,

    /// `minimum` and `exclusiveMinimum`; both may be there.
    pub minimum: Vec<Bound>,
    /// `maximum` and `exclusiveMaximum`; both may be there.
    pub maximum: Vec<Bound>,
    /// `multipleOf`.
    pub multiple_of: Option<Number>,

    /// `minLength`.
    pub min_length: Option<u64>,
    /// `maxLength`.
    pub max_length: Option<u64>,
    /// `pattern`.
    pub pattern: Option<String>,
    /// `format`.
    pub format: Option<String>,

    /// `minItems`.
    pub min_items: Option<u64>,
    /// `maxItems`.
    pub max_items: Option<u64>,
    /// `uniqueItems`.
    pub is_unique: bool,
    /// `prefixItems`.
    pub prefix_items: Vec<NodeId>,
    /// `items`: every element after the prefix.
    pub items: Option<NodeId>,
    /// `contains`.
    pub contains: Option<NodeId>,
    /// `minContains`.
    pub min_contains: Option<u64>,
    /// `maxContains`.
    pub max_contains: Option<u64>,
    /// `unevaluatedItems`.
    pub unevaluated_items: Option<NodeId>,

    /// `minProperties`.
    pub min_properties: Option<u64>,
    /// `maxProperties`.
    pub max_properties: Option<u64>,
    /// `required`.
    pub required: Vec<String>,
    /// `properties`, in the order of the text.
    pub properties: Vec<(String, NodeId)>,
    /// `patternProperties`, in the order of the text.
    pub pattern_properties: Vec<(String, NodeId)>,
    /// `additionalProperties`.
    pub additional_properties: Option<NodeId>,
    /// `unevaluatedProperties`.
    pub unevaluated_properties: Option<NodeId>,
    /// `propertyNames`.
    pub property_names: Option<NodeId>,
    /// `dependentRequired`.
    pub dependent_required: Vec<(String, Vec<String>)>,
    /// `dependentSchemas`.
    pub dependent_schemas: Vec<(String, NodeId)>,
    /// Which of these stand in the older `dependencies`.
    pub old_dependencies: BTreeSet<String>,

    /// `$ref` beside other keywords; a `$ref` that stands alone is collapsed into its target.
    pub reference: Option<NodeId>,
    /// `$dynamicRef` or `$recursiveRef` beside other keywords, as it resolves on the first way here.
    pub dynamic_reference: Option<NodeId>,
    /// `allOf`.
    pub all_of: Vec<NodeId>,
    /// `anyOf`.
    pub any_of: Vec<NodeId>,
    /// `oneOf`.
    pub one_of: Vec<NodeId>,
    /// `not`.
    pub not: Option<NodeId>,
    /// `if`.
    pub condition: Option<NodeId>,
    /// `then`.
    pub consequence: Option<NodeId>,
    /// `else`.
    pub alternative: Option<NodeId>,

    /// `default`.
    pub default: Option<Value>,
    /// `examples`.
    pub examples: Vec<Value>,
}
