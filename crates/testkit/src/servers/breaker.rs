//! One server for each check, which breaks that check and as little else as possible; the mode is `breaks-` and its code.

use serde_json::json;

use crate::servers::Mode;
use crate::servers::process::idle;
use crate::servers::service::{
    Reply, Service, answer, marked, requests, result_line, serve, structured_tool, tool, write_line,
};
use crate::servers::{hostile, process, web};

pub(crate) const MODES: &[Mode] = &[
    Mode { name: "breaks-no-crash", about: "Ends with code 3 when called.", run: crash },
    Mode { name: "breaks-no-hang", about: "Never answers a call.", run: hang },
    Mode { name: "breaks-valid-json-rpc", about: "Logs to standard output before each answer.", run: logs },
    Mode { name: "breaks-valid-http", about: "Redirects calls to another host.", run: web::redirects_calls },
    Mode { name: "breaks-within-limits", about: "Nests an answer 10,000 deep.", run: hostile::deep },
    Mode { name: "breaks-result-fits-mcp-schema", about: "Returns content that is a string.", run: content },
    Mode {
        name: "breaks-structured-content-fits-output-schema",
        about: "Promises an integer, returns a string.",
        run: misfit,
    },
    Mode {
        name: "breaks-structured-content-present",
        about: "Promises structured content, returns text.",
        run: absent,
    },
    Mode {
        name: "breaks-tool-list-valid",
        about: "Lists a tool twice and one with a schema that is none.",
        run: list,
    },
    Mode {
        name: "breaks-no-soft-errors",
        about: "Tells an error in a result that claims success.",
        run: soft,
    },
    Mode { name: "breaks-error-results-only-where-allowed", about: "Answers with an error.", run: error },
    Mode {
        name: "breaks-read-only-tool-changes-nothing",
        about: "Reading moves a counter that another reader shows.",
        run: reader,
    },
    Mode {
        name: "breaks-idempotent-tool-repeats",
        about: "Counts the calls of a tool marked idempotent.",
        run: repeats,
    },
    Mode {
        name: "breaks-deterministic-listing",
        about: "Turns its list around each time it is asked.",
        run: turns,
    },
    Mode {
        name: "breaks-ends-cleanly",
        about: "Goes on after its input was closed.",
        run: process::ignores_end,
    },
];

fn call_tool() -> Vec<serde_json::Value> {
    vec![tool("call", json!({}), &[])]
}

fn crash() {
    serve(Service::new(call_tool(), |_, _, _| {
        eprintln!("about to fall");
        std::process::exit(3)
    }));
}

fn hang() {
    serve(Service::new(call_tool(), |_, _, _| {
        idle();
        Reply::Silence
    }));
}

fn logs() {
    serve(Service::new(call_tool(), |_, _, _| {
        write_line(b"INFO handling a call\n");
        Reply::Text("done".to_owned())
    }));
}

fn content() {
    serve(Service::new(call_tool(), |_, _, _| Reply::Result(json!({ "content": "done" }))));
}

fn misfit() {
    let tools = vec![structured_tool("call", json!({}), &[], json!({ "n": { "type": "integer" } }))];
    serve(Service::new(tools, |_, _, _| Reply::Structured(json!({ "n": "one" }))));
}

fn absent() {
    let tools = vec![structured_tool("call", json!({}), &[], json!({ "n": { "type": "integer" } }))];
    serve(Service::new(tools, |_, _, _| Reply::Text("1".to_owned())));
}

fn list() {
    let mut broken = tool("broken", json!({}), &[]);
    broken["inputSchema"] = json!({ "type": "objekt" });
    let tools = vec![tool("call", json!({}), &[]), tool("call", json!({}), &[]), broken];
    serve(Service::new(tools, |_, _, _| Reply::Text("done".to_owned())));
}

fn soft() {
    serve(Service::new(call_tool(), |_, _, _| Reply::Text("Error: the table is missing".to_owned())));
}

fn error() {
    serve(Service::new(call_tool(), |_, _, _| Reply::Failure("no".to_owned())));
}

fn reader() {
    let output = json!({ "n": { "type": "integer" } });
    let tools = ["peek", "count"]
        .iter()
        .map(|name| marked(structured_tool(name, json!({}), &[], output.clone()), "readOnlyHint"))
        .collect();
    let mut n_peeks = 0;
    serve(Service::new(tools, move |name, _, _| {
        n_peeks += u64::from(name == "peek");
        Reply::Structured(json!({ "n": if name == "peek" { 0 } else { n_peeks } }))
    }));
}

fn repeats() {
    let tools = structured_tool("call", json!({}), &[], json!({ "n": { "type": "integer" } }));
    let mut n_calls = 0;
    serve(Service::new(vec![marked(tools, "idempotentHint")], move |_, _, _| {
        n_calls += 1;
        Reply::Structured(json!({ "n": n_calls }))
    }));
}

fn turns() {
    let mut tools = vec![tool("call", json!({}), &[]), tool("other", json!({}), &[])];
    let mut service = Service::new(tools.clone(), |_, _, _| Reply::Text("done".to_owned()));
    for message in requests() {
        let line = if message["method"] == "tools/list" {
            tools.reverse();
            Some(result_line(&message["id"], &json!({ "tools": tools })))
        } else {
            answer(&mut service, &message)
        };
        if let Some(line) = line {
            write_line(&line);
        }
    }
}
