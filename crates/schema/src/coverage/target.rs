//! A coverage target: one thing a contract says that an instance can show, with an id that never moves.
//!
//! An id depends on the dimension, the kind, the canonical path and on what is to be shown there, and on nothing that happens at
//! run time. A listed value and a limit are named by what they are, not by their position, so that a value that is put in front of
//! others is a new target and the others stay what they were (of more than 1000 values, others may be the ones that count then). The last part of an id holds no colon of its own, so two targets
//! never share an id.

use serde_json::{Map, Number, Value};

use crate::contract::{Keywords, NodeId};
use crate::draw::derive_seed;
use crate::json::canonical_text;

/// A family of targets; its name is what flags and reports say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Dimension {
    /// Requests and responses of operations.
    Operations,
    /// Alternatives and conditions.
    Branches,
    /// Values of enumerations.
    Enum,
    /// Subschemas and optional members.
    Structure,
    /// Limits of numbers, lengths and counts.
    Boundaries,
}

/// Every dimension with its name, in the order in which uncovered targets are listed.
pub const DIMENSIONS: &[(&str, Dimension)] = &[
    ("operations", Dimension::Operations),
    ("branches", Dimension::Branches),
    ("enum", Dimension::Enum),
    ("structure", Dimension::Structure),
    ("boundaries", Dimension::Boundaries),
];

impl Dimension {
    /// Its name in flags and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        DIMENSIONS.iter().find(|(_, dimension)| *dimension == self).map_or("", |(name, _)| name)
    }

    /// The dimension with a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        DIMENSIONS.iter().find(|(known, _)| *known == name).map(|(_, dimension)| *dimension)
    }
}

/// Whether a target counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Status {
    /// In scope, as far as anyone can prove.
    Active,
    /// Proven to be beyond every valid instance.
    Unreachable,
    /// Shown, never counted.
    Deprecated,
}

/// Every status with its name in reports.
pub const STATUSES: &[(&str, Status)] =
    &[("active", Status::Active), ("unreachable", Status::Unreachable), ("deprecated", Status::Deprecated)];

impl Status {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        STATUSES.iter().find(|(_, status)| *status == self).map_or("", |(name, _)| name)
    }
}

/// Which end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The lower one.
    Least,
    /// The upper one.
    Most,
}

/// What an instance has to show at the target's node.
#[derive(Debug, Clone, PartialEq)]
pub enum Aim {
    /// A value that the node was applied to.
    Node,
    /// An optional member.
    Member {
        /// Its name.
        name: String,
        /// Whether it stands in `properties`; else the name index of a closed object knows it.
        is_declared: bool,
    },
    /// A value that fits one branch of `oneOf`.
    OneOf {
        /// Which branch.
        branch: usize,
    },
    /// A value that fits one branch of `anyOf`.
    AnyOf {
        /// Which branch.
        branch: usize,
    },
    /// A value for which `if` holds, or does not.
    Condition {
        /// Whether it holds.
        holds: bool,
    },
    /// An object that has the member a dependent schema waits for, or has not.
    Dependent {
        /// The member.
        name: String,
        /// Whether it is there.
        is_active: bool,
    },
    /// One value of an enumeration.
    Value {
        /// Its position.
        index: usize,
        /// The value.
        value: Value,
    },
    /// A number at the edge of its range.
    Number {
        /// Which edge.
        end: End,
        /// The limit as the contract states it.
        limit: Number,
        /// The number to show: the limit, or its representative inside the range.
        value: Number,
    },
    /// A string as short or as long as allowed.
    Length {
        /// Which edge.
        end: End,
        /// The length in code points.
        count: u64,
    },
    /// An array as short or as long as allowed.
    Items {
        /// Which edge.
        end: End,
        /// The number of items.
        count: u64,
    },
    /// A request of an operation.
    Request {
        /// The operation's key.
        key: String,
    },
    /// A response of an operation.
    Response {
        /// The operation's key.
        key: String,
    },
    /// A value of a schema that several operations use.
    Reused,
}

/// One target.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Its id, stable across runs.
    pub id: String,
    /// The node it is defined on.
    pub node: NodeId,
    /// What to show there.
    pub aim: Aim,
    /// Its canonical path in reports.
    pub canon_path: String,
    /// The operation it belongs to, if any.
    pub operation_key: Option<String>,
    /// Whether it counts.
    pub status: Status,
    /// Remarks for people and tools.
    pub meta: Map<String, Value>,
}

impl Target {
    /// A target at a node whose canonical path is given.
    #[must_use]
    pub fn new(node: NodeId, node_path: &str, aim: Aim) -> Self {
        let canon_path = aim.path(node_path);
        let id = aim.id(&canon_path);
        Self { id, node, aim, canon_path, operation_key: None, status: Status::Active, meta: Map::new() }
    }

    /// The same target, proven to be out of reach.
    #[must_use]
    pub fn unreachable(mut self, cause: &str) -> Self {
        self.status = Status::Unreachable;
        self.meta.insert("cause".to_owned(), Value::from(cause));
        self
    }

    /// Remarks as `source` where the target stands in the user's spelling, where that is not its canonical path. The path of the
    /// node is given as the user wrote it.
    pub(crate) fn note_source(&mut self, node_path: &str, keywords: Option<&Keywords>) {
        let is_old = |name| keywords.is_some_and(|keywords| keywords.old_dependencies.contains(name));
        let path = match &self.aim {
            Aim::Dependent { name, .. } if is_old(name) => below(node_path, "dependencies", name),
            aim => aim.path(node_path),
        };
        if path != self.canon_path {
            self.meta.insert("source".to_owned(), Value::from(path));
        }
    }

    /// Its dimension.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        match self.aim {
            Aim::Node | Aim::Member { .. } => Dimension::Structure,
            Aim::OneOf { .. } | Aim::AnyOf { .. } | Aim::Condition { .. } | Aim::Dependent { .. } => {
                Dimension::Branches
            }
            Aim::Value { .. } => Dimension::Enum,
            Aim::Number { .. } | Aim::Length { .. } | Aim::Items { .. } => Dimension::Boundaries,
            Aim::Request { .. } | Aim::Response { .. } | Aim::Reused => Dimension::Operations,
        }
    }

    /// Its kind, as the report names it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.aim {
            Aim::Node => "SCHEMA_NODE",
            Aim::Member { .. } => "PROPERTY_PRESENT",
            Aim::OneOf { .. } => "ONEOF_BRANCH",
            Aim::AnyOf { .. } => "ANYOF_BRANCH",
            Aim::Condition { .. } | Aim::Dependent { .. } => "CONDITIONAL_PATH",
            Aim::Value { .. } => "ENUM_VALUE_HIT",
            Aim::Number { end: End::Least, .. } => "NUMERIC_MIN_HIT",
            Aim::Number { end: End::Most, .. } => "NUMERIC_MAX_HIT",
            Aim::Length { end: End::Least, .. } => "STRING_MIN_LENGTH_HIT",
            Aim::Length { end: End::Most, .. } => "STRING_MAX_LENGTH_HIT",
            Aim::Items { end: End::Least, .. } => "ARRAY_MIN_ITEMS_HIT",
            Aim::Items { end: End::Most, .. } => "ARRAY_MAX_ITEMS_HIT",
            Aim::Request { .. } => "OP_REQUEST_COVERED",
            Aim::Response { .. } => "OP_RESPONSE_COVERED",
            Aim::Reused => "SCHEMA_REUSED_COVERED",
        }
    }

    /// Its parameters, as the report shows them.
    #[must_use]
    pub fn params(&self) -> Map<String, Value> {
        let pairs: Vec<(&str, Value)> = match &self.aim {
            Aim::Node | Aim::Request { .. } | Aim::Response { .. } | Aim::Reused => vec![],
            Aim::Member { name, is_declared: true } => vec![("property", name.as_str().into())],
            Aim::Member { name, is_declared: false } => {
                vec![("property", name.as_str().into()), ("undeclared", true.into())]
            }
            Aim::OneOf { branch } | Aim::AnyOf { branch } => vec![("branchIndex", (*branch).into())],
            Aim::Condition { holds } => vec![("path", condition_name(*holds).into())],
            Aim::Dependent { name, is_active } => {
                vec![("path", dependent_name(*is_active).into()), ("property", name.as_str().into())]
            }
            Aim::Value { index, value } => vec![("enumIndex", (*index).into()), ("value", value.clone())],
            Aim::Number { end: _, limit, value } => {
                vec![("limit", Value::Number(limit.clone())), ("value", Value::Number(value.clone()))]
            }
            Aim::Length { end: _, count } | Aim::Items { end: _, count } => {
                vec![("limit", (*count).into()), ("value", (*count).into())]
            }
        };
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl Aim {
    fn path(&self, node_path: &str) -> String {
        match self {
            Self::Node
            | Self::Value { .. }
            | Self::Number { .. }
            | Self::Length { .. }
            | Self::Items { .. }
            | Self::Request { .. }
            | Self::Response { .. }
            | Self::Reused => node_path.to_owned(),
            Self::Member { name, is_declared: true } => below(node_path, "properties", name),
            // Nothing stands below `additionalProperties: false`, so the place is free for such a name.
            Self::Member { name, is_declared: false } => below(node_path, "additionalProperties", name),
            Self::OneOf { .. } => format!("{node_path}/oneOf"),
            Self::AnyOf { .. } => format!("{node_path}/anyOf"),
            Self::Condition { .. } => format!("{node_path}/if"),
            Self::Dependent { name, .. } => below(node_path, "dependentSchemas", name),
        }
    }

    fn id(&self, path: &str) -> String {
        match self {
            Self::Node => format!("struct:{path}"),
            Self::Member { .. } => format!("prop:{path}:present"),
            Self::OneOf { branch } | Self::AnyOf { branch } => format!("branch:{path}:{branch}"),
            Self::Condition { holds } => format!("branch:{path}:{}", condition_name(*holds)),
            Self::Dependent { is_active, .. } => format!("branch:{path}:{}", dependent_name(*is_active)),
            Self::Value { index: _, value } => format!("enum:{path}:{}", content(value)),
            // The number to show, not the limit as it is stated: above 0 and from 1 on are the same for integers.
            Self::Number { end, limit: _, value } => {
                let value = content(&Value::Number(value.clone()));
                format!("bound:{path}:{}={value}", pick(*end, "min", "max"))
            }
            Self::Length { end, count } => {
                format!("bound:{path}:{}={count}", pick(*end, "minLength", "maxLength"))
            }
            Self::Items { end, count } => {
                format!("bound:{path}:{}={count}", pick(*end, "minItems", "maxItems"))
            }
            Self::Request { key } => format!("op:{key}:request"),
            Self::Response { key } => format!("op:{key}:response"),
            Self::Reused => format!("reused:{path}"),
        }
    }
}

fn below(path: &str, keyword: &str, name: &str) -> String {
    format!("{path}/{keyword}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Longest part of an id that spells out a value.
const MOST_CONTENT: usize = 200;

/// A value as the last part of an id; a long one by its beginning and a sum over all of it.
fn content(value: &Value) -> String {
    let text = canonical_text(value);
    let text = match text.char_indices().nth(MOST_CONTENT) {
        None => text,
        Some((end, _)) => format!("{}~{:016x}{:016x}", &text[..end], sum(&text, 0), sum(&text, 1)),
    };
    text.replace('%', "%25").replace(':', "%3A")
}

/// A sum over a text that is the same everywhere and always.
fn sum(text: &str, seed: u64) -> u64 {
    let bytes: Vec<u64> = text.bytes().map(u64::from).collect();
    derive_seed(seed, &bytes)
}

fn condition_name(holds: bool) -> &'static str {
    if holds { "if+then" } else { "if+else" }
}

fn dependent_name(is_active: bool) -> &'static str {
    if is_active { "active" } else { "inactive" }
}

fn pick<T>(end: End, least: T, most: T) -> T {
    match end {
        End::Least => least,
        End::Most => most,
    }
}
