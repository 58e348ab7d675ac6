//! Coverage: how much of a contract its instances show, target by target.
//!
//! A target is a set of instances; coverage is what the final, accepted instance shows, not what its maker meant.
//! Nothing here draws at random, and measuring changes nothing that is emitted.

mod analyze;
mod boundaries;
mod branches;
mod decimal;
mod enums;
mod graph;
mod hits;
mod judge;
mod name_index;
mod observe;
mod structure;
mod target;

use serde_json::Value;

use crate::contract::Keywords;

pub use analyze::{Universe, analyze};
pub use boundaries::representative;
pub use enums::ENUM_SAMPLE;
pub use graph::{Edge, Graph, Way};
pub use hits::Hits;
pub use name_index::{NAME_LIST, NameIndex};
pub use observe::Observer;
pub use target::{Aim, DIMENSIONS, Dimension, End, STATUSES, Status, Target};

/// Whether a node's own `type` lets values of a type in.
fn takes(keywords: &Keywords, name: &str) -> bool {
    keywords.types.is_empty()
        || keywords.types.iter().any(|known| known == name || (known == "number" && name == "integer"))
}

/// Whether a node's own `type` lets every number in, not only integers.
fn takes_all_numbers(keywords: &Keywords) -> bool {
    keywords.types.is_empty() || keywords.types.iter().any(|name| name == "number")
}

/// Whether a value can be of a type; true when the dialects differ.
fn may_be(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        ("integer", Value::Number(number)) => crate::json::whole(number).is_some(),
        _ => false,
    }
}
