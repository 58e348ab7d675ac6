//! Which values went well and which did not, by the name of the place they stood at: a path that one tool could read is worth
//! a try with another.

use std::collections::BTreeMap;

use serde_json::Value;

/// Values kept for one name, the latest first.
const MAX_GOOD: usize = 12;
/// Names for which values are kept, and values that were turned down.
const MAX_NAMES: usize = 1_000;
const MAX_BAD: usize = 10_000;
/// Longest value that is kept, in bytes.
const MAX_BYTES: usize = 1_000;
/// What it is worth that a value went well somewhere, and what all values of a call that was turned down are blamed for
/// together.
const GOOD: i64 = 100;
const BLAME: i64 = 60;

/// What went well and what did not, over all tools.
#[derive(Debug, Default)]
pub(super) struct Luck {
    good: BTreeMap<String, Vec<Value>>,
    /// By tool, name and value.
    bad: BTreeMap<(String, String, String), i64>,
    n_calls: u64,
    n_accepted: u64,
}

impl Luck {
    /// Takes note of a call.
    pub(super) fn note(&mut self, tool: &str, arguments: &Value, is_accepted: bool) {
        let Self { good, bad, n_calls, n_accepted } = self;
        *n_calls += 1;
        *n_accepted += u64::from(is_accepted);
        let leaves = leaves(arguments);
        let blame = BLAME / i64::try_from(leaves.len().max(1)).unwrap_or(BLAME);
        for (name, value) in leaves {
            let written = value.to_string();
            if written.len() > MAX_BYTES {
                continue;
            }
            let has_room = good.len() < MAX_NAMES || good.contains_key(name);
            if is_accepted && has_room {
                let known = good.entry(name.to_owned()).or_default();
                known.retain(|known| known != value);
                known.insert(0, value.clone());
                known.truncate(MAX_GOOD);
            }
            let key = (tool.to_owned(), name.to_owned(), written);
            if is_accepted {
                bad.remove(&key);
            } else if bad.len() < MAX_BAD || bad.contains_key(&key) {
                *bad.entry(key).or_default() += blame;
            }
        }
    }

    /// Whether the server takes most of what it is given, as far as that is known.
    pub(super) fn is_kind(&self) -> bool {
        4 * self.n_accepted >= 3 * self.n_calls
    }

    /// How well these arguments may go, on average over their values: what went well anywhere counts for a value, what this
    /// tool turned down against it.
    pub(super) fn of(&self, tool: &str, arguments: &Value) -> i64 {
        let luck = |(name, value): &(&str, &Value)| {
            let key = (tool.to_owned(), (*name).to_owned(), value.to_string());
            let is_good = self.good.get(*name).is_some_and(|known| known.contains(value));
            let blame = self.bad.get(&key).copied().unwrap_or_default();
            if is_good { GOOD - blame } else { -blame }
        };
        let leaves = leaves(arguments);
        let n_leaves = i64::try_from(leaves.len().max(1)).unwrap_or(i64::MAX);
        leaves.iter().map(luck).sum::<i64>() / n_leaves
    }

    /// The same arguments with values that went well under the names of their places; `turn` chooses among several.
    pub(super) fn lucky(&self, arguments: &Value, turn: usize) -> Value {
        let mut lucky = arguments.clone();
        let mut open: Vec<(&str, &mut Value)> = vec![("", &mut lucky)];
        while let Some((name, value)) = open.pop() {
            match value {
                Value::Object(members) => {
                    open.extend(members.iter_mut().map(|(name, member)| (name.as_str(), member)));
                }
                Value::Array(items) => open.extend(items.iter_mut().map(|item| (name, item))),
                Value::String(_) | Value::Number(_) => {
                    let is_alike = |good: &&Value| good.is_string() == value.is_string();
                    let known = self.good.get(name).into_iter().flatten().filter(is_alike);
                    let known: Vec<&Value> = known.collect();
                    if let Some(good) = known.get(turn % known.len().max(1)) {
                        *value = Value::clone(good);
                    }
                }
                Value::Null | Value::Bool(_) => {}
            }
        }
        lucky
    }
}

/// Every string and number, each with the name of the member it stands at; elements of an array stand where the array does.
fn leaves(arguments: &Value) -> Vec<(&str, &Value)> {
    let mut leaves = Vec::new();
    let mut open = vec![("", arguments)];
    while let Some((name, value)) = open.pop() {
        match value {
            Value::Object(members) => {
                open.extend(members.iter().map(|(name, member)| (name.as_str(), member)));
            }
            Value::Array(items) => open.extend(items.iter().map(|item| (name, item))),
            Value::String(_) | Value::Number(_) => leaves.push((name, value)),
            Value::Null | Value::Bool(_) => {}
        }
    }
    leaves
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// After these calls of a tool, how lucky arguments are with it.
    #[track_caller]
    fn check(calls: &[(&str, Value, bool)], tool: &str, arguments: &Value, expected: i64) {
        let mut luck = Luck::default();
        for (tool, arguments, is_accepted) in calls {
            luck.note(tool, arguments, *is_accepted);
        }
        assert_eq!(luck.of(tool, arguments), expected, "{calls:?}");
    }

    #[test]
    fn what_went_well_with_one_tool_may_go_well_with_another() {
        let read = ("read", json!({ "path": "a.txt" }), true);
        check(std::slice::from_ref(&read), "stat", &json!({ "path": "a.txt" }), 100);
        check(std::slice::from_ref(&read), "stat", &json!({ "name": "a.txt" }), 0);
        check(&[read], "stat", &json!({ "all": [{ "path": "a.txt" }, { "path": "b.txt" }] }), 50);
    }

    #[test]
    fn what_a_tool_turned_down_counts_against_it_there_until_it_is_accepted() {
        let failed = ("read", json!({ "path": "deep", "head": 1 }), false);
        check(&[failed.clone(), failed.clone()], "read", &json!({ "path": "deep" }), -60);
        check(std::slice::from_ref(&failed), "list", &json!({ "path": "deep" }), 0);
        check(&[failed, ("read", json!({ "path": "deep" }), true)], "read", &json!({ "path": "deep" }), 100);
    }

    #[test]
    fn good_values_take_turns_and_others_stay() {
        let mut luck = Luck::default();
        luck.note("read", &json!({ "path": "a", "head": 1 }), true);
        luck.note("read", &json!({ "path": "b" }), true);
        let shape = json!({ "paths": ["x"], "path": "made up", "head": "not a number", "dry": true });
        let lucky = |turn: usize| luck.lucky(&shape, turn)["path"].clone();
        assert_eq!([lucky(0), lucky(1), lucky(2)], [json!("b"), json!("a"), json!("b")]);
        assert_eq!(luck.lucky(&shape, 0)["head"], json!("not a number"));
        assert_eq!(luck.lucky(&shape, 0)["paths"], json!(["x"]));
    }
}
