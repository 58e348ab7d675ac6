//! The text of one message into a JSON-RPC envelope, with everything irregular about it named.
//!
//! As much as possible is understood in spite of an irregularity, so that one fault does not hide the rest.

use std::fmt;

use indexmap::IndexSet;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::mcp::transport::anomaly::AnomalyKind;
use crate::mcp::transport::depth::nesting;

/// A JSON-RPC message, as far as it could be understood.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Envelope {
    Answer { id: Value, body: Body },
    Request { id: Value, method: String, message: Value },
    Notification { method: String, params: Value },
}

/// What an answer carries.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    Result(Value),
    Error(Value),
}

/// An envelope, if there is one, and what was irregular.
pub(crate) struct Reading {
    pub(crate) envelope: Option<Envelope>,
    pub(crate) irregular: Vec<(AnomalyKind, String)>,
}

/// Reads one message; `max_nesting` keeps deep ones away from the recursive parser.
pub(crate) fn read(text: &str, max_nesting: usize) -> Reading {
    let depth = nesting(text.as_bytes());
    // The parser itself refuses 128 levels; a higher limit would only blur the reason.
    let limit = max_nesting.min(127);
    if depth > limit {
        return refuse(AnomalyKind::TooDeep, format!("nests {depth} levels deep; the limit is {limit}"));
    }
    if text.trim().is_empty() {
        return refuse(AnomalyKind::NotJson, "an empty line is not a message".to_owned());
    }
    if let Ok(members) = serde_json::from_str::<Members>(text) {
        return classify(members, text);
    }
    match serde_json::from_str::<Value>(text) {
        Err(error) => {
            let detail = format!("{} ({})", quoted(text), unreadable(&error.to_string()));
            refuse(AnomalyKind::NotJson, detail)
        }
        Ok(Value::Array(_)) => {
            refuse(AnomalyKind::NotJsonRpc, "is an array; MCP has no batches, send an object".to_owned())
        }
        Ok(_) => refuse(AnomalyKind::NotJsonRpc, "is not an object".to_owned()),
    }
}

/// Most letters of a line that is no message.
const MAX_QUOTED: usize = 80;

/// The beginning of a line that is no message: it often tells who wrote it.
fn quoted(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_QUOTED) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}

/// What the parser says; of what is JSON by the letter and none for most readers, that too.
fn unreadable(reason: &str) -> String {
    const BY_THE_LETTER: &[&str] = &["number out of range", "surrogate", "unexpected end of hex escape"];
    if BY_THE_LETTER.iter().any(|words| reason.contains(words)) {
        format!("{reason}; the grammar of JSON allows it, and many readers refuse it as we do")
    } else {
        reason.to_owned()
    }
}

fn refuse(kind: AnomalyKind, detail: String) -> Reading {
    Reading { envelope: None, irregular: vec![(kind, detail)] }
}

/// The members of an object that JSON-RPC knows, each as it stood there last, and the names of others.
#[derive(Default)]
struct Members {
    jsonrpc: Option<Value>,
    id: Option<Value>,
    method: Option<Value>,
    params: Option<Value>,
    result: Option<Value>,
    error: Option<Value>,
    unknown: IndexSet<String>,
    /// Names that stood there more than once.
    repeated: IndexSet<String>,
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Members::default();
                while let Some(name) = map.next_key::<String>()? {
                    let place = match name.as_str() {
                        "jsonrpc" => &mut members.jsonrpc,
                        "id" => &mut members.id,
                        "method" => &mut members.method,
                        "params" => &mut members.params,
                        "result" => &mut members.result,
                        "error" => &mut members.error,
                        _ => {
                            // Read like the others: what is skipped is not looked at closely, and no JSON might pass.
                            map.next_value::<Value>()?;
                            members.unknown.insert(name);
                            continue;
                        }
                    };
                    if place.replace(map.next_value()?).is_some() {
                        members.repeated.insert(name);
                    }
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

fn classify(members: Members, text: &str) -> Reading {
    let Members { jsonrpc, id, method, params, result, error, unknown, repeated } = members;
    let mut irregular = Vec::new();
    let mut object = |detail: String| irregular.push((AnomalyKind::NotJsonRpc, detail));
    match jsonrpc {
        Some(Value::String(version)) if version == "2.0" => {}
        Some(other) => object(format!("\"jsonrpc\" is {other}; expected \"2.0\"")),
        None => object("has no \"jsonrpc\" member; expected \"2.0\"".to_owned()),
    }
    for name in repeated {
        object(format!("has the member {name:?} more than once; readers differ in which one they take"));
    }
    let has_answer = result.is_some() || error.is_some();
    let envelope = if let Some(method) = method {
        if has_answer {
            object("has \"method\" together with \"result\" or \"error\"".to_owned());
        }
        match (method, id) {
            (Value::String(method), Some(id)) => {
                if !is_id(&id) {
                    object(format!("\"id\" of a request is {id}; expected a string or an integer"));
                }
                // Requests to a client are rare, so that they may be read twice.
                let message = serde_json::from_str(text).expect("the same text was read before");
                Some(Envelope::Request { id, method, message })
            }
            (Value::String(method), None) => {
                Some(Envelope::Notification { method, params: params.unwrap_or_default() })
            }
            (method, _) => {
                object(format!("\"method\" is {method}; expected a string"));
                None
            }
        }
    } else {
        if id.is_none() && has_answer {
            object("an answer has no \"id\"".to_owned());
        }
        let id = id.unwrap_or_default();
        match (result, error) {
            (Some(result), error) => {
                if error.is_some() {
                    object("has \"result\" and \"error\"; expected one of them".to_owned());
                }
                Some(Envelope::Answer { id, body: Body::Result(result) })
            }
            (None, Some(error)) => {
                for fault in faults_of_error(&error) {
                    object(fault);
                }
                Some(Envelope::Answer { id, body: Body::Error(error) })
            }
            (None, None) => {
                object("has none of \"method\", \"result\" and \"error\"".to_owned());
                None
            }
        }
    };
    irregular
        .extend(unknown.iter().map(|name| (AnomalyKind::UnknownMember, format!("has the member {name:?}"))));
    Reading { envelope, irregular }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

fn faults_of_error(error: &Value) -> Vec<String> {
    let Some(error) = error.as_object() else {
        return vec![format!("\"error\" is {error}; expected an object")];
    };
    let mut faults = Vec::new();
    if !error.get("code").is_some_and(|code| code.is_i64() || code.is_u64()) {
        faults.push("\"error\" has no integer \"code\"".to_owned());
    }
    if !error.get("message").is_some_and(Value::is_string) {
        faults.push("\"error\" has no string \"message\"".to_owned());
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, shape: &str, irregular: &[AnomalyKind]) {
        let reading = read(text, 100);
        let seen = match reading.envelope {
            None => "nothing",
            Some(Envelope::Answer { body: Body::Result(_), .. }) => "result",
            Some(Envelope::Answer { body: Body::Error(_), .. }) => "error",
            Some(Envelope::Request { .. }) => "request",
            Some(Envelope::Notification { .. }) => "notification",
        };
        let kinds: Vec<AnomalyKind> = reading.irregular.iter().map(|(kind, _)| *kind).collect();
        assert_eq!((seen, kinds.as_slice()), (shape, irregular), "{text}");
    }

    #[test]
    fn regular_messages_pass_without_remark() {
        check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "result", &[]);
        check(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#, "error", &[]);
        check(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, "request", &[]);
        check(r#"{"jsonrpc":"2.0","method":"notifications/x","params":{}}"#, "notification", &[]);
    }

    #[test]
    fn irregular_messages_are_named_and_still_understood_where_possible() {
        use AnomalyKind::{NotJson, NotJsonRpc, TooDeep, UnknownMember};
        check("", "nothing", &[NotJson]);
        check("Server started", "nothing", &[NotJson]);
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping","x":1e999}"#, "nothing", &[NotJson]);
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping","x":"\ud800"}"#, "nothing", &[NotJson]);
        check("[]", "nothing", &[NotJsonRpc]);
        check("7", "nothing", &[NotJsonRpc]);
        check(r#"{"id":1,"result":{}}"#, "result", &[NotJsonRpc]);
        check(r#"{"jsonrpc":"2.0","result":{}}"#, "result", &[NotJsonRpc]);
        check(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, "result", &[NotJsonRpc]);
        check(r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}"#, "error", &[NotJsonRpc, NotJsonRpc]);
        check(r#"{"jsonrpc":"2.0","id":1,"method":"a","result":1}"#, "request", &[NotJsonRpc]);
        check(r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, "request", &[NotJsonRpc]);
        check(r#"{"jsonrpc":"2.0","id":1,"result":{},"extra":1}"#, "result", &[UnknownMember]);
        check(r#"{"jsonrpc":"2.0","id":1,"x":1,"x":2,"result":{}}"#, "result", &[UnknownMember]);
        check(
            r#"{"jsonrpc":"2.0","id":7,"id":1,"result":1,"result":{}}"#,
            "result",
            &[NotJsonRpc, NotJsonRpc],
        );
        check(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)), "nothing", &[TooDeep]);
    }
}
