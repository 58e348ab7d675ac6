//! What the patterns of a list of tools may take in memory, all together.

use std::collections::BTreeSet;

use probity_schema::pattern_bytes;
use serde_json::Value;

/// What the patterns that were let in take; each schema makes its own ready.
#[derive(Debug, Default)]
pub(crate) struct Allowance {
    n_bytes: u64,
}

impl Allowance {
    /// The limit.
    pub(crate) const MEGABYTES: u64 = 200;

    /// Whether the patterns of one more schema are within the limit; those of a schema that is not let in count nothing.
    pub(crate) fn takes(&mut self, schema: &Value) -> bool {
        let patterns: BTreeSet<&str> = patterns(schema).into_iter().collect();
        let n_more = patterns.iter().map(|pattern| pattern_bytes(pattern)).fold(0, u64::saturating_add);
        let n_bytes = self.n_bytes.saturating_add(n_more);
        if n_bytes > Allowance::MEGABYTES << 20 {
            return false;
        }
        self.n_bytes = n_bytes;
        true
    }
}

/// Everything that may be a pattern; data that looks like one can only overrate a schema.
fn patterns(schema: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    let mut places = vec![schema];
    while let Some(place) = places.pop() {
        match place {
            Value::Object(members) => {
                found.extend(members.get("pattern").and_then(Value::as_str));
                let named = members.get("patternProperties").and_then(Value::as_object);
                found.extend(named.into_iter().flatten().map(|(pattern, _)| pattern.as_str()));
                places.extend(members.values());
            }
            Value::Array(items) => places.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}
