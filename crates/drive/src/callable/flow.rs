//! Which tools ask for what others make, told by the names of members.

use std::collections::BTreeSet;

use probity_schema::Contract;
use serde_json::Value;

use crate::callable::voice::{Voice, at_root, of_item, of_member, spelled_out};
use crate::corpus::says_more;

/// Deepest place of the arguments that is looked at.
const MAX_DEPTH: usize = 8;

/// A tool as far as its values flow to others and from others.
pub(crate) struct Flow<'a> {
    /// What its arguments must look like.
    pub(crate) input: &'a Contract,
    /// What it promises to answer.
    pub(crate) output: Option<&'a Value>,
    /// Whether it makes nothing, by its own word.
    pub(crate) is_read_only: bool,
}

/// What a tool had better wait for: a value under a name, which the tools at these positions make without waiting themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) name: String,
    pub(crate) makers: Vec<usize>,
}

/// For each tool, what it asks for by a name that others answer with: `entityName`, where another tool makes a `name`.
pub(crate) fn waits(tools: &[Flow<'_>]) -> Vec<Vec<Wait>> {
    let asked: Vec<BTreeSet<String>> = tools.iter().map(|tool| asked(tool.input)).collect();
    let made: Vec<BTreeSet<String>> = tools
        .iter()
        .map(|tool| tool.output.filter(|_| !tool.is_read_only).map(made).unwrap_or_default())
        .collect();
    let makers = |at: usize, name: &str| -> Vec<usize> {
        let others = (0..tools.len()).filter(|other| *other != at);
        others.filter(|other| made[*other].iter().any(|made| says_more(name, made))).collect()
    };
    let waits: Vec<Vec<Wait>> = (0..tools.len())
        .map(|at| {
            let wait = |name: &String| Wait { name: name.clone(), makers: makers(at, name) };
            asked[at].iter().map(wait).filter(|wait| !wait.makers.is_empty()).collect()
        })
        .collect();
    // Tools that wait for one another would wait forever.
    let is_free = |at: &usize| waits[*at].is_empty();
    let settled = |wait: &Wait| {
        let makers: Vec<usize> = wait.makers.iter().copied().filter(is_free).collect();
        (!makers.is_empty()).then(|| Wait { name: wait.name.clone(), makers })
    };
    waits.iter().map(|waits| waits.iter().filter_map(settled).collect()).collect()
}

/// The names of the places at which numbers and strings are required.
fn asked(contract: &Contract) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open = vec![(at_root(contract), None::<String>, 0)];
    while let Some((voices, name, depth)) = open.pop() {
        let binding: Vec<Voice> = voices.into_iter().filter(|voice| voice.is_binding).collect();
        let spelled = spelled_out(contract, &binding);
        let spelled: Vec<_> = spelled.into_iter().filter(|(voice, _)| voice.is_binding).collect();
        let is_listed = spelled.iter().any(|(_, one)| one.enumeration.is_some() || one.constant.is_some());
        let mut types = spelled.iter().flat_map(|(_, keywords)| &keywords.types);
        let is_sourced = types.any(|name| matches!(name.as_str(), "string" | "integer" | "number"));
        if let Some(name) = name.clone().filter(|_| is_sourced && !is_listed) {
            names.insert(name);
        }
        if depth >= MAX_DEPTH {
            continue;
        }
        for required in spelled.iter().flat_map(|(_, keywords)| &keywords.required) {
            open.push((of_member(&spelled, required), Some(required.clone()), depth + 1));
        }
        let items = of_item(&spelled, 0);
        if !items.is_empty() {
            open.push((items, name, depth + 1));
        }
    }
    names
}

/// The names of all members that a schema knows.
fn made(schema: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                let known = members.get("properties").and_then(Value::as_object);
                names.extend(known.into_iter().flatten().map(|(name, _)| name.clone()));
                open.extend(members.values());
            }
            Value::Array(items) => open.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::callable::Blueprint;

    /// A tool that asks for required strings and makes members; none if it is read-only.
    fn tool(asked: &[&str], made: &[&str]) -> (Blueprint, Value) {
        let members = |names: &[&str]| -> Value {
            names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect()
        };
        let item = json!({"type": "object", "properties": members(asked), "required": asked});
        let input = json!({"type": "object", "required": ["all"],
            "properties": {"all": {"type": "array", "items": item}}});
        (Blueprint::of(&input).expect("a plain schema"), json!({"properties": members(made)}))
    }

    /// Names that each tool waits for, and who makes them.
    #[track_caller]
    fn check(tools: &[(&[&str], &[&str])], expected: &[&[(&str, &[usize])]]) {
        let tools: Vec<(Blueprint, Value)> = tools.iter().map(|(asked, made)| tool(asked, made)).collect();
        let flows: Vec<Flow<'_>> = tools
            .iter()
            .map(|(input, output)| Flow {
                input: input.contract(),
                output: Some(output),
                is_read_only: false,
            })
            .collect();
        let expected: Vec<Vec<Wait>> = expected
            .iter()
            .map(|waits| {
                let wait = |(name, makers): &(&str, &[usize])| Wait {
                    name: (*name).to_owned(),
                    makers: makers.to_vec(),
                };
                waits.iter().map(wait).collect()
            })
            .collect();
        assert_eq!(waits(&flows), expected);
    }

    #[test]
    fn a_tool_waits_for_what_another_makes_under_its_name() {
        check(
            &[(&["name"], &["name"]), (&["entityName", "text"], &["entityName"])],
            &[&[], &[("entityName", &[0])]],
        );
        check(&[(&["title"], &["id"]), (&["ids"], &[])], &[&[], &[("ids", &[0])]]);
    }

    #[test]
    fn tools_that_would_wait_for_one_another_do_not_wait() {
        check(&[(&["id"], &["id"]), (&["id"], &["id"])], &[&[], &[]]);
    }

    #[test]
    fn nobody_waits_for_themselves_or_for_other_things() {
        check(&[(&["id"], &["id"]), (&["word"], &["words_of_id"])], &[&[], &[]]);
    }
}
