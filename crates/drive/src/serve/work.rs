//! What a worker does: one request in, one answer out, both as text.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::mcp::CompiledSchema;
use crate::serve::argument::Arguments;
use crate::serve::tool::{Tool, find};

/// What a worker is asked.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
}

/// What a worker answers.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Answer {
    /// The structured content.
    Done(Value),
    /// Where, what, and what instead.
    Failed(String),
}

/// Does what the text asks for and gives back the answer as text; it never fails as a function.
///
/// ```
/// use probity_drive::serve::work;
/// let answer = work(r#"{"tool": "generate", "arguments": {"schema": {"const": 7}, "n": 1}}"#);
/// assert!(answer.starts_with(r#"{"done":"#) && answer.contains("[7]"), "{answer}");
/// assert_eq!(work("no request"), r#"{"failed":"the request cannot be read: expected ident at line 1 column 2"}"#);
/// ```
#[must_use]
pub fn work(request: &str) -> String {
    let answer = match serde_json::from_str::<Request>(request) {
        Ok(Request { tool, arguments }) => match find(&tool) {
            Some(tool) => answer(tool, arguments),
            None => Answer::Failed(format!("there is no tool {tool:?}")),
        },
        Err(error) => Answer::Failed(format!("the request cannot be read: {error}")),
    };
    serde_json::to_string(&answer).expect("an answer is plain data")
}

fn answer(tool: &Tool, arguments: Map<String, Value>) -> Answer {
    let arguments = Value::Object(arguments);
    if let Some(violation) = CompiledSchema::own(&(tool.input)()).violation(&arguments) {
        return Answer::Failed(format!(
            "the arguments do not fit the input schema of {}: {violation}",
            tool.name
        ));
    }
    let Value::Object(arguments) = arguments else { unreachable!("it was made from an object") };
    match (tool.run)(&Arguments::judged(arguments)) {
        Ok(value) => Answer::Done(value),
        Err(message) => Answer::Failed(message),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::serve::tool::TOOLS;

    fn ask(tool: &str, arguments: &Value) -> Answer {
        let Value::Object(arguments) = arguments.clone() else { unreachable!("arguments are objects") };
        let request = Request { tool: tool.to_owned(), arguments };
        let text = work(&serde_json::to_string(&request).expect("a request is plain data"));
        serde_json::from_str(&text).expect("an answer can be read")
    }

    /// The answer, which must fit the tool's own output schema.
    #[track_caller]
    fn done(tool: &str, arguments: &Value) -> Value {
        let Answer::Done(value) = ask(tool, arguments) else { panic!("{tool} {arguments}") };
        let output = CompiledSchema::own(&(find(tool).expect("it is in the table").output)());
        assert_eq!(output.violation(&value), None, "{value}");
        value
    }

    #[track_caller]
    fn fails(tool: &str, arguments: &Value, part: &str) {
        let Answer::Failed(message) = ask(tool, arguments) else { panic!("{tool} {arguments}") };
        assert!(message.contains(part), "{message}");
    }

    #[test]
    fn every_tool_declares_schemas_that_are_valid() {
        for tool in TOOLS {
            for schema in [(tool.input)(), (tool.output)()] {
                assert!(CompiledSchema::own(&schema).is_object_schema(), "{}", tool.name);
            }
        }
    }

    #[test]
    fn instances_come_from_a_schema_in_whatever_form_it_is_given() {
        let schema = json!({"type": "integer", "minimum": 5, "maximum": 9});
        let first = done("generate", &json!({"schema": schema, "n": 4.0}));
        assert_eq!(first["instances"].as_array().map(Vec::len), Some(4));
        assert_eq!(first, done("generate", &json!({"schema": schema.to_string(), "n": 4, "seed": 42})));
        let yaml = "type: integer\nminimum: 5\nmaximum: 9\n";
        assert_eq!(first, done("generate", &json!({"schema": yaml, "n": 4})));
    }

    #[test]
    fn a_guided_run_shows_everything_and_measuring_its_instances_says_the_same() {
        let schema = json!({"enum": ["a", "b", "c"]});
        let guided = done("generate", &json!({"schema": schema, "coverage": "guided"}));
        assert_eq!(guided["coverage"]["overall"], 1.0);
        let measured = done("measure_coverage", &json!({"schema": schema, "instances": guided["instances"]}));
        assert_eq!(measured["coverage"], guided["coverage"]);
        let half = done("measure_coverage", &json!({"schema": schema, "instances": ["a", "z"]}));
        assert_eq!((&half["nValid"], &half["invalid"][0]["index"]), (&json!(1), &json!(1)));
        assert_eq!(half["coverage"]["nUncovered"], 2);
    }

    #[test]
    fn what_cannot_be_done_is_told_with_its_place_and_what_to_do_instead() {
        fails("generate", &json!({}), "\"schema\" is a required property");
        fails("generate", &json!({"schema": {}, "n": 1_000_000}), "at /n");
        fails("generate", &json!({"schema": {}, "m": 1}), "'m' was unexpected");
        fails("generate", &json!({"schema": "{"}), "in /schema");
        fails("generate", &json!({"schema": {"$ref": "https://example.com/a.json"}}), "in /schema");
        fails(
            "generate",
            &json!({"schema": {"type": "string", "minLength": 2, "maxLength": 1}}),
            "admits no value",
        );
        fails("generate", &json!({"schema": {"type": "string", "minLength": 300_000}, "n": 1_000}), "at /n");
        fails("measure_coverage", &json!({"schema": false}), "instances");
        fails("test_server", &json!({}), "give command or url");
        fails("test_server", &json!({"command": ["a"], "url": "b"}), "give one of the two");
        fails("test_server", &json!({"command": ["no-such-program"]}), "no-such-program");
        fails("test_server", &json!({"url": "nonsense"}), "nonsense");
        fails("test_server", &json!({"command": ["sh"], "env": {"A=B": "c"}}), "at /env");
        fails("no_such_tool", &json!({}), "no_such_tool");
    }
}
