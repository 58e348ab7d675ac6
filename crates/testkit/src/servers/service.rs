//! The part of an MCP server that all fixtures share: the handshake, the list, and one line per message.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// What a call is answered with.
pub(crate) enum Reply {
    /// Structured content, repeated as text.
    Structured(Value),
    /// Text alone.
    Text(String),
    /// A result that is marked as an error.
    Failure(String),
    /// A JSON-RPC error.
    RpcError(i64, String),
    /// The result as it stands.
    Result(Value),
    /// A line as it stands, with the newline or without.
    Raw(Vec<u8>),
    /// Nothing at all.
    Silence,
}

/// What happens at a call: given the name of the tool, its arguments and the id of the request.
type Call<'a> = Box<dyn FnMut(&str, &Value, &Value) -> Reply + 'a>;

/// A server with its tools.
pub(crate) struct Service<'a> {
    pub(crate) tools: Vec<Value>,
    pub(crate) call: Call<'a>,
}

impl<'a> Service<'a> {
    pub(crate) fn new(
        tools: Vec<Value>,
        call: impl FnMut(&str, &Value, &Value) -> Reply + 'a,
    ) -> Service<'a> {
        Service { tools, call: Box::new(call) }
    }
}

/// A tool without an output schema.
#[expect(clippy::needless_pass_by_value, reason = "callers write the schema in place")]
pub(crate) fn tool(name: &str, properties: Value, required: &[&str]) -> Value {
    json!({
        "name": name,
        "description": format!("the tool {name}"),
        "inputSchema": { "type": "object", "properties": properties, "required": required },
    })
}

/// A tool that promises an object whose members all have to be there.
#[expect(clippy::needless_pass_by_value, reason = "callers write the schema in place")]
pub(crate) fn structured_tool(name: &str, properties: Value, required: &[&str], output: Value) -> Value {
    let promised: Vec<String> =
        output.as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default();
    let mut tool = tool(name, properties, required);
    tool["outputSchema"] = json!({ "type": "object", "properties": output, "required": promised });
    tool
}

/// Marks a tool with a hint.
pub(crate) fn marked(mut tool: Value, hint: &str) -> Value {
    tool["annotations"] = json!({ hint: true });
    tool
}

/// Answers requests from standard input until it ends.
pub(crate) fn serve(mut service: Service<'_>) {
    for message in requests() {
        if let Some(line) = answer(&mut service, &message) {
            write_line(&line);
        }
    }
}

/// The messages on standard input.
pub(crate) fn requests() -> impl Iterator<Item = Value> {
    let lines = std::io::stdin().lock().lines().map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_str(&line).ok())
}

/// Writes to standard output at once; a reader that is gone ends the program.
pub(crate) fn write_line(line: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(line).and_then(|()| stdout.flush()).is_err() {
        std::process::exit(0);
    }
}

/// The line that answers a message, if it wants an answer.
pub(crate) fn answer(service: &mut Service<'_>, message: &Value) -> Option<Vec<u8>> {
    let id = message.get("id")?;
    let method = message.get("method")?.as_str()?;
    Some(match method {
        "initialize" => {
            let asked = &message["params"]["protocolVersion"];
            result_line(
                id,
                &json!({
                    "protocolVersion": asked,
                    "capabilities": { "tools": { "listChanged": true } },
                    "serverInfo": { "name": "fixture-server", "version": "1.0.0" },
                }),
            )
        }
        "ping" => result_line(id, &json!({})),
        "tools/list" => result_line(id, &json!({ "tools": service.tools })),
        "tools/call" => {
            let params = &message["params"];
            let name = params["name"].as_str().unwrap_or_default();
            match (service.call)(name, &params["arguments"], id) {
                Reply::Structured(content) => {
                    let text = json!([{ "type": "text", "text": content.to_string() }]);
                    result_line(id, &json!({ "content": text, "structuredContent": content }))
                }
                Reply::Text(text) => {
                    result_line(id, &json!({ "content": [{ "type": "text", "text": text }] }))
                }
                Reply::Failure(text) => {
                    let content = json!([{ "type": "text", "text": text }]);
                    result_line(id, &json!({ "content": content, "isError": true }))
                }
                Reply::RpcError(code, message) => error_line(id, code, &message),
                Reply::Result(result) => result_line(id, &result),
                Reply::Raw(line) => line,
                Reply::Silence => return None,
            }
        }
        _ => error_line(id, -32601, &format!("there is no method {method:?}")),
    })
}

pub(crate) fn result_line(id: &Value, result: &Value) -> Vec<u8> {
    line_of(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

pub(crate) fn error_line(id: &Value, code: i64, message: &str) -> Vec<u8> {
    line_of(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }))
}

pub(crate) fn line_of(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}
