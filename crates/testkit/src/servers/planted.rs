//! Servers with one planted bug each, reachable by a known shortest sequence of calls.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::servers::Mode;
use crate::servers::process::idle;
use crate::servers::service::{Reply, Service, serve, structured_tool, tool};

pub(crate) const MODES: &[Mode] = &[
    Mode {
        name: "wrong-type-after-third-push",
        about: "The third push returns its size as a string: push, push, push.",
        run: third_push,
    },
    Mode {
        name: "crash-on-second-use",
        about: "An id may be used once; the second use ends the process: create, use, use.",
        run: second_use,
    },
    Mode {
        name: "two-options-together",
        about: "Each option alone works, upper and reverse together do not: one call.",
        run: two_options,
    },
    Mode { name: "hang", about: "The slow way never answers: one call.", run: hang },
    Mode {
        name: "nested-array-id",
        about: "Removing a real member by its id in a nested array ends the process: create, remove.",
        run: nested_array,
    },
    Mode {
        name: "renamed-value",
        about: "A session closed with the token it was opened under ends the process: open, close.",
        run: renamed,
    },
    Mode {
        name: "boundary",
        about: "The greatest volume is answered with a string: set at 100, which limits tells.",
        run: boundary,
    },
    Mode {
        name: "fresh-ids",
        about: "Ids differ in every process; using one ends it: create, use.",
        run: fresh_ids,
    },
    Mode {
        name: "leaked-state",
        about: "A compact answer makes the next one compact too: render compact, render full.",
        run: leaked,
    },
];

/// A planted bug, and the only shortest sequence that shows it.
#[derive(Debug, Clone, Copy)]
pub struct Bug {
    /// The mode of the server that has it.
    pub mode: &'static str,
    /// The code of the check that sees it.
    pub code: &'static str,
    /// How surely it shows itself.
    pub label: &'static str,
    /// The calls as JSON: names of tools with their arguments.
    pub calls: &'static str,
}

/// The eight kinds of bugs that every run with default options has to find.
pub const BUGS: &[Bug] = &[
    Bug {
        mode: "wrong-type-after-third-push",
        code: "structured-content-fits-output-schema",
        label: "needs-sequence",
        calls: r#"[["push", {"item": "a"}], ["push", {"item": "a"}], ["push", {"item": "a"}]]"#,
    },
    Bug {
        mode: "crash-on-second-use",
        code: "no-crash",
        label: "needs-sequence",
        calls: r#"[["create", {}], ["use", {"id": "id-1"}], ["use", {"id": "id-1"}]]"#,
    },
    Bug {
        mode: "two-options-together",
        code: "error-results-only-where-allowed",
        label: "steady",
        calls: r#"[["format", {"upper": true, "reverse": true}]]"#,
    },
    Bug { mode: "hang", code: "no-hang", label: "steady", calls: r#"[["wait", {"way": "slow"}]]"# },
    Bug {
        mode: "nested-array-id",
        code: "no-crash",
        label: "needs-sequence",
        calls: r#"[["create_group", {}], ["remove_members", {"members": [{"id": "member-1"}]}]]"#,
    },
    Bug {
        mode: "renamed-value",
        code: "no-crash",
        label: "needs-sequence",
        calls: r#"[["open", {}], ["close", {"session": "t-1"}]]"#,
    },
    // The limit is learned from another call, but the call that breaks needs only the number.
    Bug {
        mode: "boundary",
        code: "structured-content-fits-output-schema",
        label: "steady",
        calls: r#"[["set_volume", {"level": 100}]]"#,
    },
    Bug {
        mode: "leaked-state",
        code: "structured-content-fits-output-schema",
        label: "needs-sequence",
        calls: r#"[["render", {"compact": true}], ["render", {"compact": false}]]"#,
    },
];

fn third_push() {
    let tools = vec![
        structured_tool(
            "push",
            json!({ "item": { "enum": ["a", "b"] } }),
            &["item"],
            json!({ "size": { "type": "integer" } }),
        ),
        structured_tool("pop", json!({}), &[], json!({ "size": { "type": "integer" } })),
    ];
    let (mut n_pushed, mut size) = (0, 0_u64);
    serve(Service::new(tools, move |name, _, _| {
        if name == "pop" {
            size = size.saturating_sub(1);
            return Reply::Structured(json!({ "size": size }));
        }
        n_pushed += 1;
        size += 1;
        let told = if n_pushed >= 3 { json!(size.to_string()) } else { json!(size) };
        Reply::Structured(json!({ "size": told }))
    }));
}

fn second_use() {
    let tools = vec![
        structured_tool("create", json!({}), &[], json!({ "id": { "type": "string" } })),
        structured_tool(
            "use",
            json!({ "id": { "type": "string" } }),
            &["id"],
            json!({ "n_uses": { "type": "integer" } }),
        ),
    ];
    let mut uses: BTreeMap<String, u64> = BTreeMap::new();
    serve(Service::new(tools, move |name, arguments, _| {
        if name == "create" {
            let id = format!("id-{}", uses.len() + 1);
            uses.insert(id.clone(), 0);
            return Reply::Structured(json!({ "id": id }));
        }
        let Some(n_uses) = arguments["id"].as_str().and_then(|id| uses.get_mut(id)) else {
            return Reply::Failure("there is no such id".to_owned());
        };
        *n_uses += 1;
        if *n_uses == 2 {
            crash("used twice");
        }
        Reply::Structured(json!({ "n_uses": *n_uses }))
    }));
}

fn two_options() {
    let flag = json!({ "type": "boolean" });
    let options = json!({ "upper": flag, "reverse": flag, "trim": flag });
    let tools = vec![structured_tool("format", options, &[], json!({ "text": { "type": "string" } }))];
    serve(Service::new(tools, |_, arguments, _| {
        if arguments["upper"] == json!(true) && arguments["reverse"] == json!(true) {
            return Reply::RpcError(-32603, "index out of range".to_owned());
        }
        Reply::Structured(json!({ "text": "abc" }))
    }));
}

fn hang() {
    let tools = vec![tool("wait", json!({ "way": { "enum": ["fast", "slow"] } }), &["way"])];
    serve(Service::new(tools, |_, arguments, _| {
        if arguments["way"] == json!("slow") {
            idle();
        }
        Reply::Text("done".to_owned())
    }));
}

fn nested_array() {
    let member =
        json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] });
    let group = json!({ "group": { "type": "object" } });
    let members = json!({ "members": { "type": "array", "items": member, "minItems": 1, "maxItems": 3 } });
    let tools = vec![
        structured_tool("create_group", json!({}), &[], group),
        structured_tool(
            "remove_members",
            members,
            &["members"],
            json!({ "n_removed": { "type": "integer" } }),
        ),
    ];
    let mut known: Vec<String> = Vec::new();
    serve(Service::new(tools, move |name, arguments, _| {
        if name == "create_group" {
            known.push(format!("member-{}", known.len() + 1));
            let members: Vec<Value> = known.last().map(|id| json!({ "id": id })).into_iter().collect();
            return Reply::Structured(json!({ "group": { "members": members } }));
        }
        let ids =
            arguments["members"].as_array().into_iter().flatten().filter_map(|member| member["id"].as_str());
        if ids.into_iter().any(|id| known.iter().any(|known| known == id)) {
            crash("removed a member that was there");
        }
        Reply::Structured(json!({ "n_removed": 0 }))
    }));
}

fn renamed() {
    let tools = vec![
        structured_tool(
            "open",
            json!({}),
            &[],
            json!({ "token": { "type": "string" }, "owner": { "type": "string" } }),
        ),
        structured_tool(
            "close",
            json!({ "session": { "type": "string" } }),
            &["session"],
            json!({ "closed": { "type": "boolean" } }),
        ),
    ];
    let mut n_opened = 0;
    serve(Service::new(tools, move |name, arguments, _| {
        if name == "open" {
            n_opened += 1;
            return Reply::Structured(json!({ "token": format!("t-{n_opened}"), "owner": "nobody" }));
        }
        let token = arguments["session"].as_str().and_then(|session| session.strip_prefix("t-"));
        if token
            .and_then(|number| number.parse::<u64>().ok())
            .is_some_and(|number| (1..=n_opened).contains(&number))
        {
            crash("closed a session that was open");
        }
        Reply::Structured(json!({ "closed": false }))
    }));
}

fn boundary() {
    let level = json!({ "level": { "type": "integer", "minimum": 0, "maximum": 100 } });
    let tools = vec![
        structured_tool(
            "limits",
            json!({}),
            &[],
            json!({ "least": { "type": "integer" }, "greatest": { "type": "integer" }, "usual": { "type": "integer" } }),
        ),
        structured_tool("set_volume", level.clone(), &["level"], level),
    ];
    serve(Service::new(tools, |name, arguments, _| {
        if name == "limits" {
            return Reply::Structured(json!({ "least": 0, "greatest": 100, "usual": 30 }));
        }
        let told = if arguments["level"] == json!(100) { json!("max") } else { arguments["level"].clone() };
        Reply::Structured(json!({ "level": told }))
    }));
}

fn fresh_ids() {
    let id = json!({ "id": { "type": "string" } });
    let tools = vec![
        structured_tool("create", json!({}), &[], id.clone()),
        structured_tool("use", id, &["id"], json!({ "ok": { "type": "boolean" } })),
    ];
    let mut known: Vec<String> = Vec::new();
    serve(Service::new(tools, move |name, arguments, _| {
        if name == "create" {
            let id = format!("{:x}-{}", std::process::id(), known.len());
            known.push(id.clone());
            return Reply::Structured(json!({ "id": id }));
        }
        if arguments["id"].as_str().is_some_and(|id| known.iter().any(|known| known == id)) {
            crash("used a fresh id");
        }
        Reply::Structured(json!({ "ok": false }))
    }));
}

fn leaked() {
    let output = json!({ "title": { "type": "string" }, "body": { "type": "string" } });
    let mut render =
        structured_tool("render", json!({ "compact": { "type": "boolean" } }), &["compact"], output);
    // A compact answer may leave out the body; a full one says that it is full and may not.
    render["outputSchema"] = json!({
        "type": "object",
        "properties": { "title": { "type": "string" }, "body": { "type": "string" }, "full": { "type": "boolean" } },
        "required": ["title", "full"],
        "if": { "properties": { "full": { "const": true } } },
        "then": { "required": ["body"] },
    });
    let mut was_compact = false;
    serve(Service::new(vec![render], move |_, arguments, _| {
        let is_compact = arguments["compact"] == json!(true);
        let mut page = json!({ "title": "t", "full": !is_compact });
        if !is_compact && !was_compact {
            page["body"] = json!("b");
        }
        was_compact = is_compact;
        Reply::Structured(page)
    }));
}

/// Ends the process as a bug would: some words on standard error and a code that is not 0.
fn crash(words: &str) -> ! {
    eprintln!("fatal: {words}");
    std::process::exit(101)
}
