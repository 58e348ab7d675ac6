//! The tools of a server as data, each with what is wrong with it; one bad tool never spoils the others.

mod problem;
mod weight;
mod allowance;
mod compiled;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::mcp::catalog::allowance::Allowance;
use crate::mcp::limits::Limits;

pub use compiled::CompiledSchema;
pub use problem::{Side, ToolProblem};

/// A tool as the server described it.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name; empty if it has none that is a string.
    pub name: String,
    /// What the server says about it.
    pub description: Option<String>,
    /// What its arguments must look like.
    pub input: Option<CompiledSchema>,
    /// What its structured content must look like, if it promises any.
    pub output: Option<CompiledSchema>,
    /// Whether an output schema was declared, usable or not.
    pub declares_output: bool,
    /// What it promises about its effects.
    pub annotations: Annotations,
    /// What is wrong with the description of the tool.
    pub problems: Vec<ToolProblem>,
    /// The entry of the list as it came.
    pub raw: Value,
}

impl Tool {
    /// Whether it can be called by name with arguments that are known to be right.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        !self.name.is_empty() && self.input.is_some()
    }

    /// Whether it says that it can only be called as a task.
    #[must_use]
    pub fn needs_task(&self) -> bool {
        self.raw.pointer("/execution/taskSupport").and_then(Value::as_str) == Some("required")
    }
}

/// What a tool says about its effects; a hint that was not given is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// It reaches out to things beyond the server.
    pub open_world: Option<bool>,
}

impl Annotations {
    /// Whether the tool is marked as one that changes nothing.
    #[must_use]
    pub fn is_read_only(self) -> bool {
        self.read_only == Some(true)
    }

    /// Whether the tool is marked as destructive by its own word; unmarked tools are not held for it.
    #[must_use]
    pub fn is_destructive(self) -> bool {
        self.destructive == Some(true) && !self.is_read_only()
    }

    /// Whether the tool is marked as idempotent.
    #[must_use]
    pub fn is_idempotent(self) -> bool {
        self.idempotent == Some(true)
    }
}

/// All tools of a server, in the order of its list.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The tools.
    pub tools: Vec<Tool>,
}

impl Catalog {
    /// Reads the entries of a tool list.
    ///
    /// ```
    /// use probity_drive::mcp::{Catalog, Limits};
    /// use serde_json::json;
    /// let entries = [json!({"name": "a", "inputSchema": {"type": "object"}}), json!({"name": "b"})];
    /// let catalog = Catalog::read(&entries, &Limits::default());
    /// assert!(catalog.tools[0].is_usable() && !catalog.tools[1].is_usable());
    /// assert!(catalog.tools[1].problems[0].to_string().starts_with("there is no \"inputSchema\""));
    /// ```
    #[must_use]
    pub fn read(entries: &[Value], limits: &Limits) -> Catalog {
        let mut patterns = Allowance::default();
        let mut tools: Vec<Tool> =
            entries.iter().map(|entry| read_tool(entry, limits, &mut patterns)).collect();
        let mut n_named: BTreeMap<String, usize> = BTreeMap::new();
        for tool in tools.iter().filter(|tool| !tool.name.is_empty()) {
            *n_named.entry(tool.name.clone()).or_default() += 1;
        }
        for tool in &mut tools {
            if let Some(n_times @ 2..) = n_named.get(&tool.name).copied() {
                tool.problems.push(ToolProblem::DuplicateName { n_times });
            }
        }
        Catalog { tools }
    }

    /// The first tool of that name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

fn read_tool(entry: &Value, limits: &Limits, patterns: &mut Allowance) -> Tool {
    let mut problems = Vec::new();
    let empty = Map::new();
    let members = entry.as_object().unwrap_or_else(|| {
        problems.push(ToolProblem::NotAnObject);
        &empty
    });
    let name = match members.get("name") {
        Some(Value::String(name)) => name.clone(),
        _ => String::new(),
    };
    if entry.is_object() {
        problems.extend(problem::of_name(members.get("name")));
    }
    let mut compile = |side: Side, schema: &Value| {
        compiled::compile(schema, side, limits, patterns).map_err(|found| problems.push(found)).ok()
    };
    let input = members.get("inputSchema").and_then(|schema| compile(Side::Input, schema));
    let output = members.get("outputSchema").and_then(|schema| compile(Side::Output, schema));
    if input.as_ref().is_some_and(|input| !input.is_object_schema()) {
        problems.push(ToolProblem::NotAnObjectSchema { side: Side::Input });
    }
    if entry.is_object() && !members.contains_key("inputSchema") {
        problems.push(ToolProblem::NoInputSchema);
    }
    for (side, schema) in [(Side::Input, "inputSchema"), (Side::Output, "outputSchema")] {
        problems.extend(members.get(schema).and_then(|schema| problem::of_dialect(side, schema)));
    }
    let annotations = read_annotations(members.get("annotations"), &mut problems);
    Tool {
        name,
        description: members.get("description").and_then(Value::as_str).map(str::to_owned),
        input,
        output,
        declares_output: members.contains_key("outputSchema"),
        annotations,
        problems,
        raw: entry.clone(),
    }
}

fn read_annotations(annotations: Option<&Value>, problems: &mut Vec<ToolProblem>) -> Annotations {
    let Some(annotations) = annotations else {
        return Annotations::default();
    };
    let mut hint = |name: &'static str| match annotations.get(name) {
        None => None,
        Some(Value::Bool(hint)) => Some(*hint),
        Some(_) => {
            problems.push(ToolProblem::BadAnnotation { name });
            None
        }
    };
    Annotations {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(entry: Value, is_usable: bool, problems: &[&str]) {
        let catalog = Catalog::read(&[entry], &Limits::default());
        let seen: Vec<String> = catalog.tools[0].problems.iter().map(ToString::to_string).collect();
        let is_told = |problem: &&str| seen.iter().any(|seen| seen.contains(*problem));
        assert!(seen.len() == problems.len() && problems.iter().all(is_told), "{seen:?}");
        assert_eq!(catalog.tools[0].is_usable(), is_usable);
    }

    #[test]
    fn a_regular_tool_has_no_problem() {
        check(json!({"name": "a.b-c_1", "inputSchema": {"type": "object"}}), true, &[]);
        check(
            json!({"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}),
            true,
            &[],
        );
    }

    #[test]
    fn what_is_wrong_with_a_tool_is_told_and_says_whether_it_can_be_used() {
        let object = json!({"type": "object"});
        check(json!(7), false, &["not an object"]);
        check(json!({"inputSchema": object}), false, &["no \"name\""]);
        check(json!({"name": "", "inputSchema": object}), false, &["is empty"]);
        check(json!({"name": "a b", "inputSchema": object}), true, &["' '"]);
        check(json!({"name": "x".repeat(129), "inputSchema": object}), true, &["129 characters"]);
        check(json!({"name": "a"}), false, &["no \"inputSchema\""]);
        check(json!({"name": "a", "inputSchema": {}}), true, &["\"type\" is not \"object\""]);
        check(json!({"name": "a", "inputSchema": {"type": "objekt"}}), false, &["not a valid schema"]);
        check(json!({"name": "a", "inputSchema": "no"}), false, &["not an object"]);
        check(
            json!({"name": "a", "inputSchema": {"type": "object", "$ref": "https://example.com/x"}}),
            false,
            &["cannot be compiled"],
        );
        check(
            json!({"name": "a", "inputSchema": {"$schema": "https://example.com/own", "type": "object"}}),
            false,
            &["cannot be compiled", "dialect"],
        );
        check(
            json!({"name": "a", "inputSchema": object, "annotations": {"readOnlyHint": "yes"}}),
            true,
            &["readOnlyHint"],
        );
    }

    #[test]
    fn a_pattern_that_is_too_much_for_us_is_told_as_that() {
        let with = |pattern: &str| {
            let properties = json!({"text": {"type": "string", "pattern": pattern}});
            json!({"name": "a", "inputSchema": {"type": "object", "properties": properties}})
        };
        check(with("^.{1,65535}$"), false, &["larger than Probity's matcher goes"]);
        check(with("("), false, &["not a valid schema"]);
        let entries = vec![with("^.{1,4000}$"); 60];
        let catalog = Catalog::read(&entries, &Limits::default());
        let n_usable = catalog.tools.iter().filter(|tool| tool.is_usable()).count();
        assert!((20..40).contains(&n_usable), "{n_usable} fit into 200 MB");
    }

    #[test]
    fn a_name_given_twice_is_told_at_each_of_them() {
        let entry = json!({"name": "a", "inputSchema": {"type": "object"}});
        let catalog = Catalog::read(&[entry.clone(), entry], &Limits::default());
        assert!(
            catalog
                .tools
                .iter()
                .all(|tool| matches!(tool.problems.as_slice(), [ToolProblem::DuplicateName { n_times: 2 }]))
        );
    }

    #[test]
    fn a_schema_that_doubles_itself_is_refused_before_it_is_compiled() {
        let mut definitions = Map::new();
        for level in 0..40 {
            let next = format!("#/$defs/d{}", level + 1);
            definitions.insert(format!("d{level}"), json!({"allOf": [{"$ref": next}, {"$ref": next}]}));
        }
        definitions.insert("d40".to_owned(), json!({"type": "object"}));
        let schema = json!({"type": "object", "$ref": "#/$defs/d0", "$defs": definitions});
        check(json!({"name": "bomb", "inputSchema": schema}), false, &["unfolds"]);
    }
}
