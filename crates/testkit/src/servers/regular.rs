//! Servers that keep every promise.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::servers::Mode;
use crate::servers::service::{
    Reply, Service, answer, error_line, marked, requests, result_line, serve, structured_tool, tool,
    write_line,
};

pub(crate) const MODES: &[Mode] = &[
    Mode { name: "trivial", about: "One tool that answers at once, for measuring.", run: trivial },
    Mode {
        name: "notes",
        about: "A well-behaved store of notes with output schemas and annotations.",
        run: notes,
    },
    Mode { name: "pages", about: "Three tools on three pages.", run: pages },
    Mode { name: "modern", about: "Speaks only the revision 2026-07-28, without initialize.", run: modern },
    Mode {
        name: "asks-back",
        about: "Asks the client for input, roots and sampling before it answers.",
        run: asks_back,
    },
    Mode {
        name: "tells-environment",
        about: "Tells its environment, in answers and before it falls.",
        run: tells_environment,
    },
    Mode { name: "progress", about: "Reports progress five times before it answers.", run: progress },
];

fn trivial() {
    let tools = vec![structured_tool("ping", json!({}), &[], json!({ "n": { "type": "integer" } }))];
    let mut n_calls = 0_u64;
    serve(Service::new(tools, move |_, _, _| {
        n_calls += 1;
        Reply::Structured(json!({ "n": n_calls }))
    }));
}

/// The tools of the store of notes; also served over HTTP.
pub(crate) fn notes_service() -> Service<'static> {
    let id = json!({ "type": "string", "pattern": "^note-[0-9]+$" });
    let note = json!({ "id": id, "kind": { "enum": ["idea", "task"] } });
    let create = tool("create_note", json!({ "kind": { "enum": ["idea", "task"] } }), &["kind"]);
    let mut create = create;
    create["outputSchema"] = json!({ "type": "object", "properties": note, "required": ["id", "kind"] });
    let read = structured_tool("read_note", json!({ "id": { "type": "string" } }), &["id"], note.clone());
    let list =
        structured_tool("list_notes", json!({}), &[], json!({ "ids": { "type": "array", "items": id } }));
    let delete = structured_tool(
        "delete_note",
        json!({ "id": { "type": "string" } }),
        &["id"],
        json!({ "n_left": { "type": "integer" } }),
    );
    let tools = vec![
        create,
        marked(read, "readOnlyHint"),
        marked(list, "readOnlyHint"),
        marked(delete, "destructiveHint"),
    ];
    let mut notes: BTreeMap<String, Value> = BTreeMap::new();
    let mut n_created = 0;
    Service::new(tools, move |name, arguments, _| {
        let id = arguments["id"].as_str().unwrap_or_default();
        match name {
            "create_note" => {
                n_created += 1;
                let id = format!("note-{n_created}");
                notes.insert(id.clone(), arguments["kind"].clone());
                Reply::Structured(json!({ "id": id, "kind": arguments["kind"] }))
            }
            "read_note" => match notes.get(id) {
                Some(kind) => Reply::Structured(json!({ "id": id, "kind": kind })),
                None => Reply::Failure(format!("there is no note {id:?}")),
            },
            "list_notes" => Reply::Structured(json!({ "ids": notes.keys().collect::<Vec<_>>() })),
            "delete_note" => match notes.remove(id) {
                Some(_) => Reply::Structured(json!({ "n_left": notes.len() })),
                None => Reply::Failure(format!("there is no note {id:?}")),
            },
            _ => Reply::RpcError(-32602, format!("there is no tool {name:?}")),
        }
    })
}

fn notes() {
    serve(notes_service());
}

fn tells_environment() {
    let text = json!({ "text": { "type": "string" } });
    let tools = vec![
        structured_tool("environment", json!({}), &[], text.clone()),
        structured_tool("echo", text.clone(), &["text"], text),
        tool("fall", json!({}), &[]),
    ];
    let environment = || {
        let variables = std::env::vars().filter(|(name, _)| name.starts_with("PROBITY"));
        variables.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("\n")
    };
    serve(Service::new(tools, move |name, arguments, _| match name {
        "environment" => Reply::Structured(json!({ "text": environment() })),
        "echo" => Reply::Structured(json!({ "text": arguments["text"] })),
        _ => {
            eprintln!("{}", environment());
            std::process::exit(3)
        }
    }));
}

fn pages() {
    let tools: Vec<Value> = ["a", "b", "c"].iter().map(|name| tool(name, json!({}), &[])).collect();
    let mut service = Service::new(tools.clone(), |name, _, _| Reply::Text(name.to_owned()));
    for message in requests() {
        let line = if message["method"] == "tools/list" {
            let page: usize =
                message["params"]["cursor"].as_str().and_then(|at| at.parse().ok()).unwrap_or(0);
            let mut result = json!({ "tools": tools.get(page).into_iter().collect::<Vec<_>>() });
            if page + 1 < tools.len() {
                result["nextCursor"] = json!((page + 1).to_string());
            }
            Some(result_line(&message["id"], &result))
        } else {
            answer(&mut service, &message)
        };
        if let Some(line) = line {
            write_line(&line);
        }
    }
}

fn modern() {
    let ping = structured_tool("ping", json!({}), &[], json!({ "n": { "type": "integer" } }));
    let tools = vec![ping, tool("ask", json!({}), &[])];
    for message in requests() {
        let Some(id) = message.get("id") else { continue };
        let common = json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private" });
        let with = |extra: Value| {
            let mut result = common.clone();
            for (name, value) in extra.as_object().into_iter().flatten() {
                result[name] = value.clone();
            }
            result_line(id, &result)
        };
        let line = match message["method"].as_str() {
            Some("server/discover") => with(json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} },
            })),
            Some("tools/list") => with(json!({ "tools": tools })),
            Some("tools/call") if message["params"]["name"] == "ask" => {
                let answers = &message["params"]["inputResponses"];
                let state = &message["params"]["requestState"];
                if answers["name"]["action"] == "decline" && *state == json!("s1") {
                    let content = json!([{ "type": "text", "text": "never mind" }]);
                    result_line(id, &json!({ "resultType": "complete", "content": content }))
                } else {
                    let schema = json!({ "type": "object", "properties": {} });
                    let params =
                        json!({ "mode": "form", "message": "your name?", "requestedSchema": schema });
                    let question = json!({ "name": { "method": "elicitation/create", "params": params } });
                    let result = json!({ "resultType": "input_required", "inputRequests": question, "requestState": "s1" });
                    result_line(id, &result)
                }
            }
            Some("tools/call") => {
                let content = json!([{ "type": "text", "text": "{\"n\":1}" }]);
                result_line(
                    id,
                    &json!({ "resultType": "complete", "content": content, "structuredContent": { "n": 1 } }),
                )
            }
            _ => error_line(id, -32601, "this server begins with server/discover"),
        };
        write_line(&line);
    }
}

fn asks_back() {
    let mut service = Service::new(vec![tool("ask", json!({}), &[])], |_, _, _| Reply::Silence);
    let mut waiting: Option<Value> = None;
    let mut answers = Vec::new();
    let asked = [
        (
            "elicitation/create",
            json!({ "message": "?", "requestedSchema": { "type": "object", "properties": {} } }),
        ),
        ("sampling/createMessage", json!({ "messages": [], "maxTokens": 1 })),
        ("roots/list", json!({})),
    ];
    for message in requests() {
        if message["method"] == "tools/call" {
            waiting = Some(message["id"].clone());
            for (number, (method, params)) in asked.iter().enumerate() {
                let question = json!({ "jsonrpc": "2.0", "id": format!("q{number}"), "method": method, "params": params });
                write_line(&crate::servers::service::line_of(&question));
            }
        } else if message.get("method").is_none() {
            answers.push(if message.get("error").is_some() { "refused" } else { "answered" });
            if let Some(id) = waiting.take_if(|_| answers.len() == asked.len()) {
                let content = json!([{ "type": "text", "text": answers.join(" ") }]);
                answers.clear();
                write_line(&result_line(&id, &json!({ "content": content })));
            }
        } else if let Some(line) = answer(&mut service, &message) {
            write_line(&line);
        }
    }
}

fn progress() {
    let mut service =
        Service::new(vec![tool("work", json!({}), &[])], |_, _, _| Reply::Text("done".to_owned()));
    for message in requests() {
        let token = &message["params"]["_meta"]["progressToken"];
        if message["method"] == "tools/call" && !token.is_null() {
            for done in 1..=5 {
                let params = json!({ "progressToken": token, "progress": done, "total": 5 });
                let notice =
                    json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
                write_line(&crate::servers::service::line_of(&notice));
            }
        }
        if let Some(line) = answer(&mut service, &message) {
            write_line(&line);
        }
    }
}
