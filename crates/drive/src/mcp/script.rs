//! A sequence of calls as data that can be written down: the replay file `probity-replay/v1`.
//!
//! A value that an earlier call returned is not written as a value but as a reference to that call and the place in its
//! result. The value that was there is kept beside it, for readers, and for a server that no longer returns one.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::callable::Sourced;
use crate::corpus::{Birth, Place};

/// The format of a replay file.
pub const REPLAY_FORMAT: &str = "probity-replay/v1";

/// A finding as a file: what was found, on which server, and the calls that show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// Always [`REPLAY_FORMAT`].
    pub format: String,
    /// The server.
    pub server: ReplayServer,
    /// What the calls show.
    pub finding: ReplayFinding,
    /// How long a call may take, in milliseconds.
    pub call_limit_ms: u64,
    /// The calls, in order.
    pub calls: Vec<ScriptCall>,
}

/// A server as a file names it; values of environment variables and headers are not written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the line above a variant says what its fields mean")]
pub enum ReplayServer {
    /// A program, its arguments, the directory it runs in, and the names of the variables that were set for it.
    Stdio {
        command: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        env: Vec<String>,
    },
    /// An address.
    Http { url: String },
}

/// What a replay is to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayFinding {
    /// The code of the check.
    pub code: String,
    /// The tool it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What was seen.
    pub message: String,
    /// What findings of one cause have in common.
    pub cause: String,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScriptCall {
    /// The tool.
    pub tool: String,
    /// The arguments as they were sent.
    pub arguments: Map<String, Value>,
    /// Parts of the arguments that earlier calls returned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
}

/// A part of the arguments that an earlier call returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The place in the arguments, as a JSON Pointer.
    pub at: String,
    /// Which call returned it, counted from 0.
    pub call: usize,
    /// The place in the result of that call.
    pub place: Place,
}

/// The references among the sources of drawn arguments.
pub(crate) fn references(sources: &[Sourced]) -> Vec<Reference> {
    let reference = |sourced: &Sourced| match &sourced.birth {
        Birth::Seed => None,
        Birth::Answer { step, place } => {
            Some(Reference { at: sourced.at.clone(), call: *step, place: place.clone() })
        }
    };
    sources.iter().filter_map(reference).collect()
}

/// The arguments with every reference resolved by the results so far; a result that lacks the place changes nothing.
pub(crate) fn resolved(call: &ScriptCall, results: &[Option<Value>]) -> Map<String, Value> {
    let mut arguments = Value::Object(call.arguments.clone());
    for Reference { at, call, place } in &call.references {
        let found = results.get(*call).and_then(Option::as_ref).and_then(|result| place.find(result));
        if let (Some(found), Some(here)) = (found, arguments.pointer_mut(at)) {
            *here = found;
        }
    }
    match arguments {
        Value::Object(arguments) => arguments,
        _ => call.arguments.clone(),
    }
}

/// The script without some calls; what referred to a call that is gone becomes the value it had.
pub(crate) fn without(script: &[ScriptCall], gone: std::ops::Range<usize>) -> Vec<ScriptCall> {
    let kept = script.iter().enumerate().filter(|(index, _)| !gone.contains(index));
    kept.map(|(_, call)| {
        let references = call.references.iter().filter(|reference| !gone.contains(&reference.call));
        let references = references.map(|reference| {
            let shift = if reference.call >= gone.end { gone.len() } else { 0 };
            Reference { call: reference.call - shift, ..reference.clone() }
        });
        ScriptCall { references: references.collect(), ..call.clone() }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(tool: &str, references: &[(&str, usize)]) -> ScriptCall {
        let place = Place::Value { pointer: "/id".to_owned() };
        let reference = |(at, call): &(&str, usize)| Reference {
            at: (*at).to_owned(),
            call: *call,
            place: place.clone(),
        };
        let Value::Object(arguments) = json!({ "id": "old" }) else { unreachable!("it is an object") };
        ScriptCall {
            tool: tool.to_owned(),
            arguments,
            references: references.iter().map(reference).collect(),
        }
    }

    #[test]
    fn a_reference_takes_the_value_that_the_call_returned_this_time() {
        let result = json!({ "structuredContent": { "id": "new" } });
        let call = call("use", &[("/id", 0)]);
        assert_eq!(resolved(&call, &[Some(result)])["id"], json!("new"));
        assert_eq!(resolved(&call, &[None])["id"], json!("old"));
    }

    #[test]
    fn leaving_calls_out_moves_the_references_of_the_others() {
        let script = [call("a", &[]), call("b", &[]), call("c", &[("/id", 0), ("/id", 1)])];
        let shorter = without(&script, 0..1);
        assert_eq!(shorter.len(), 2);
        assert_eq!(shorter[1].references.iter().map(|reference| reference.call).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn a_script_survives_being_written_down() {
        let script = vec![call("a", &[]), call("b", &[("/id", 0)])];
        let text = serde_json::to_string(&script).expect("a script is plain data");
        assert_eq!(serde_json::from_str::<Vec<ScriptCall>>(&text).expect("it was just written"), script);
    }
}
