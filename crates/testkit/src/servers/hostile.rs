//! Servers that break the protocol in the ways a client must survive.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::servers::Mode;
use crate::servers::process::idle;
use crate::servers::service::{
    Reply, Service, answer, error_line, line_of, requests, result_line, serve, tool, write_line,
};

pub(crate) const MODES: &[Mode] = &[
    Mode {
        name: "never-answers",
        about: "Reads everything and says nothing, not even to the handshake.",
        run: never_answers,
    },
    Mode { name: "garbage", about: "Answers the handshake with words.", run: garbage },
    Mode {
        name: "broken-handshake",
        about: "Answers the handshake with half a JSON object.",
        run: broken_handshake,
    },
    Mode { name: "refuses", about: "Answers the handshake with an error.", run: refuses },
    Mode { name: "garbage-call", about: "Answers calls with half a JSON object.", run: garbage_call },
    Mode { name: "wrong-id", about: "Answers calls under another id.", run: wrong_id },
    Mode { name: "string-id", about: "Answers calls with the id as a string.", run: string_id },
    Mode { name: "answers-twice", about: "Answers each call twice.", run: answers_twice },
    Mode { name: "fraction-id", about: "Answers calls with the id as a fraction.", run: fraction_id },
    Mode { name: "ends-after-answers", about: "Answers two calls and ends.", run: ends_after_answers },
    Mode {
        name: "falls-after-answer",
        about: "One tool ends it after an answer, another instead of one.",
        run: falls_after_answer,
    },
    Mode {
        name: "falls-both-ways",
        about: "One tool may end it after an answer, another ends it after the first did not.",
        run: falls_both_ways,
    },
    Mode {
        name: "word-flood",
        about: "Writes lines that are no messages without end, at once.",
        run: word_flood,
    },
    Mode {
        name: "word-flood-in-call",
        about: "Writes lines that are no messages without end instead of an answer.",
        run: word_flood_in_call,
    },
    Mode { name: "loses-list", about: "After a call of one tool it cannot list its tools.", run: loses_list },
    Mode {
        name: "ignores-cursors",
        about: "Every page of its list is the first, and names the same next one.",
        run: ignores_cursors,
    },
    Mode {
        name: "talks-after-answers",
        about: "Writes a line that is no message after each answer.",
        run: talks_after_answers,
    },
    Mode {
        name: "both-result-and-error",
        about: "Answers calls with a result and an error at once.",
        run: both,
    },
    Mode { name: "flood", about: "Sends notifications without end instead of an answer.", run: flood },
    Mode {
        name: "request-flood",
        about: "Asks the client a thousand questions before it answers.",
        run: request_flood,
    },
    Mode { name: "huge", about: "Answers with 100 MB.", run: huge },
    Mode { name: "deep", about: "Nests an answer 10,000 deep.", run: deep },
    Mode { name: "invalid-utf8", about: "Answers with bytes that are not UTF-8.", run: invalid_utf8 },
    Mode {
        name: "closes-mid-message",
        about: "Closes its output in the middle of an answer and lives on.",
        run: closes_mid_message,
    },
    Mode { name: "ends-mid-message", about: "Ends in the middle of an answer.", run: ends_mid_message },
    Mode { name: "never-reads", about: "Stops reading after the first call.", run: never_reads },
    Mode { name: "changes-tools", about: "Adds a tool after a call and says so.", run: changes_tools },
    Mode {
        name: "changes-tools-silently",
        about: "Adds a tool after a call without a word.",
        run: changes_tools_silently,
    },
    Mode { name: "duplicate-names", about: "Lists two tools of the same name.", run: duplicate_names },
    Mode {
        name: "schema-bombs",
        about: "Lists schemas that unfold, nest, match or weigh beyond measure.",
        run: schema_bombs,
    },
    Mode { name: "endless-pages", about: "Every page of its list has a next one.", run: || endless_pages(0) },
    Mode {
        name: "slow-pages",
        about: "The same, and every page takes its time.",
        run: || endless_pages(200),
    },
    Mode { name: "escapes", about: "Puts terminal escapes and HTML into every string.", run: escapes },
];

fn call_tool() -> Vec<Value> {
    vec![tool("call", json!({}), &[])]
}

/// Regular but for what a call is answered with.
fn on_call(call: impl FnMut(&str, &Value, &Value) -> Reply) {
    serve(Service::new(call_tool(), call));
}

/// Regular but for what the handshake is answered with.
fn on_handshake(line: impl Fn(&Value) -> Vec<u8>) {
    for message in requests() {
        write_line(&line(&message["id"]));
    }
}

fn never_answers() {
    requests().for_each(drop);
}

fn garbage() {
    on_handshake(|_| b"Welcome! How can I help you?\n".to_vec());
}

fn broken_handshake() {
    on_handshake(|_| b"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\"\n".to_vec());
}

fn refuses() {
    on_handshake(|id| error_line(id, -32000, "not today"));
}

fn garbage_call() {
    on_call(|_, _, _| Reply::Raw(b"{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[\n".to_vec()));
}

fn wrong_id() {
    on_call(|_, _, _| Reply::Raw(result_line(&json!(4711), &json!({ "content": [] }))));
}

fn string_id() {
    on_call(|_, _, id| Reply::Raw(result_line(&json!(id.to_string()), &json!({ "content": [] }))));
}

fn answers_twice() {
    on_call(|_, _, id| Reply::Raw(result_line(id, &json!({ "content": [] })).repeat(2)));
}

fn fraction_id() {
    on_call(|_, _, id| {
        let id = id.as_f64().map_or(Value::Null, Value::from);
        Reply::Raw(result_line(&id, &json!({ "content": [] })))
    });
}

fn ends_after_answers() {
    let mut n_calls = 0;
    on_call(move |_, _, id| {
        n_calls += 1;
        write_line(&result_line(id, &json!({ "content": [] })));
        if n_calls == 2 {
            std::process::exit(9);
        }
        Reply::Silence
    });
}

fn falls_after_answer() {
    let tools = ["good", "fall_later", "fall"].map(|name| tool(name, json!({}), &[])).to_vec();
    serve(Service::new(tools, |name, _, id| match name {
        "fall" => std::process::exit(3),
        "fall_later" => {
            write_line(&result_line(id, &json!({ "content": [] })));
            std::process::exit(3)
        }
        _ => Reply::Text("done".to_owned()),
    }));
}

fn falls_both_ways() {
    let open = tool("open", json!({ "is_fatal": { "type": "boolean" } }), &["is_fatal"]);
    let tools = vec![open, tool("use", json!({}), &[])];
    let mut is_open = false;
    serve(Service::new(tools, move |name, arguments, id| {
        if name == "use" && is_open {
            std::process::exit(7);
        }
        is_open = name == "open";
        if arguments["is_fatal"] == true {
            write_line(&result_line(id, &json!({ "content": [] })));
            std::process::exit(3);
        }
        Reply::Text("done".to_owned())
    }));
}

fn word_flood() {
    let words = b"y\n".repeat(32 << 10);
    loop {
        write_line(&words);
    }
}

fn word_flood_in_call() {
    on_call(|_, _, _| {
        word_flood();
        Reply::Silence
    });
}

fn loses_list() {
    let tools = ["good", "lose"].map(|name| tool(name, json!({}), &[])).to_vec();
    let mut service = Service::new(tools, |_, _, _| Reply::Text("done".to_owned()));
    let mut is_lost = false;
    for message in requests() {
        is_lost |= message["params"]["name"] == "lose";
        let line = if message["method"] == "tools/list" && is_lost {
            Some(error_line(&message["id"], -32603, "no list any more"))
        } else {
            answer(&mut service, &message)
        };
        if let Some(line) = line {
            write_line(&line);
        }
    }
}

fn ignores_cursors() {
    let mut service = Service::new(call_tool(), |_, _, _| Reply::Text("done".to_owned()));
    for message in requests() {
        let line = if message["method"] == "tools/list" {
            Some(result_line(&message["id"], &json!({ "tools": call_tool(), "nextCursor": "more" })))
        } else {
            answer(&mut service, &message)
        };
        if let Some(line) = line {
            write_line(&line);
        }
    }
}

fn talks_after_answers() {
    on_call(|_, _, id| Reply::Raw([result_line(id, &json!({ "content": [] })), b"done\n".to_vec()].concat()));
}

fn both() {
    on_call(|_, _, id| {
        let error = json!({ "code": 1, "message": "no" });
        Reply::Raw(line_of(
            &json!({ "jsonrpc": "2.0", "id": id, "result": { "content": [] }, "error": error }),
        ))
    });
}

fn flood() {
    on_call(|_, _, _| {
        let params = json!({ "level": "info", "data": "and another thing" });
        let line = line_of(&json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params }));
        let until = Instant::now() + Duration::from_secs(60);
        while Instant::now() < until {
            write_line(&line);
        }
        Reply::Silence
    });
}

fn request_flood() {
    on_call(|_, _, id| {
        for number in 0..1_000 {
            write_line(&line_of(
                &json!({ "jsonrpc": "2.0", "id": format!("q{number}"), "method": "roots/list" }),
            ));
        }
        Reply::Raw(result_line(id, &json!({ "content": [] })))
    });
}

fn huge() {
    on_call(|_, _, id| {
        Reply::Raw(result_line(
            id,
            &json!({ "content": [{ "type": "text", "text": "x".repeat(100 << 20) }] }),
        ))
    });
}

pub(crate) fn deep() {
    on_call(|_, _, id| {
        let nested = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let result = format!("{{\"content\":[],\"structuredContent\":{{\"a\":{nested}}}}}");
        Reply::Raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n").into_bytes())
    });
}

fn invalid_utf8() {
    on_call(|_, _, id| {
        let mut line = result_line(id, &json!({ "content": [{ "type": "text", "text": "?" }] }));
        if let Some(mark) = line.iter_mut().find(|byte| **byte == b'?') {
            *mark = 0xFF;
        }
        Reply::Raw(line)
    });
}

/// The first half of an answer.
fn half(id: &Value) -> Vec<u8> {
    let line =
        result_line(id, &json!({ "content": [{ "type": "text", "text": "half of this is missing" }] }));
    line[..line.len() / 2].to_vec()
}

fn closes_mid_message() {
    on_call(|_, _, id| {
        write_line(&half(id));
        // The same process goes on as another program, whose output leads nowhere.
        let program = std::env::current_exe().expect("a running program has a path");
        let failure = Command::new(program).arg("idle").stdout(Stdio::null()).exec();
        Reply::Failure(failure.to_string())
    });
}

fn ends_mid_message() {
    on_call(|_, _, id| {
        write_line(&half(id));
        std::process::exit(0)
    });
}

fn never_reads() {
    on_call(|_, _, _| {
        idle();
        Reply::Silence
    });
}

fn changing(is_announced: bool) {
    let mut tools = call_tool();
    for message in requests() {
        let mut service = Service::new(tools.clone(), |_, _, _| Reply::Text("done".to_owned()));
        if let Some(line) = answer(&mut service, &message) {
            write_line(&line);
        }
        if message["method"] == "tools/call" {
            tools.push(tool(&format!("call_{}", tools.len()), json!({}), &[]));
            if is_announced {
                let notice = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
                write_line(&line_of(&notice));
            }
        }
    }
}

fn changes_tools() {
    changing(true);
}

fn changes_tools_silently() {
    changing(false);
}

fn duplicate_names() {
    let tools =
        vec![tool("call", json!({}), &[]), tool("call", json!({}), &[]), tool("other", json!({}), &[])];
    serve(Service::new(tools, |_, _, _| Reply::Text("done".to_owned())));
}

fn schema_bombs() {
    let mut unfolding = serde_json::Map::new();
    for level in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        unfolding.insert(format!("d{level}"), json!({ "allOf": [next, next] }));
    }
    unfolding.insert("d60".to_owned(), json!({ "type": "object" }));
    let mut nested = json!({ "type": "object" });
    for _ in 0..40 {
        nested = json!({ "type": "object", "properties": { "a": nested } });
    }
    let bomb = |name: &str, schema: Value| json!({ "name": name, "inputSchema": schema });
    let tools = vec![
        tool("call", json!({}), &[]),
        bomb("unfolding", json!({ "type": "object", "$ref": "#/$defs/d0", "$defs": unfolding })),
        bomb("itself", json!({ "type": "object", "$ref": "#" })),
        bomb("nested", nested),
        bomb(
            "pattern",
            json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": "^(a+)+$" } } }),
        ),
        bomb(
            "repeated",
            json!({ "type": "object", "properties": { "a": { "pattern": "(((a{1000}){1000}){1000})" } } }),
        ),
        bomb("remote", json!({ "type": "object", "$ref": "http://127.0.0.1:9/schema.json" })),
        bomb("file", json!({ "type": "object", "$ref": "file:///etc/passwd" })),
        bomb("heavy", json!({ "type": "object", "description": "x".repeat(2 << 20) })),
        bomb("lengths", json!({ "type": "object", "minProperties": 1_000_000_000 })),
    ];
    serve(Service::new(tools, |_, _, _| Reply::Text("done".to_owned())));
}

fn endless_pages(millis: u64) {
    let mut service = Service::new(Vec::new(), |_, _, _| Reply::Silence);
    let mut n_pages = 0;
    for message in requests() {
        let line = if message["method"] == "tools/list" {
            n_pages += 1;
            std::thread::sleep(Duration::from_millis(millis));
            let page = [tool(&format!("call_{n_pages}"), json!({}), &[])];
            let result = json!({ "tools": page, "nextCursor": n_pages.to_string() });
            Some(result_line(&message["id"], &result))
        } else {
            answer(&mut service, &message)
        };
        if let Some(line) = line {
            write_line(&line);
        }
    }
}

/// Clears a screen, sets a title, and would run as a script in a page.
pub(crate) const ESCAPES: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\r\u{8}<script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\u{0}";

fn escapes() {
    let mut call = tool("call", json!({}), &[]);
    call["description"] = json!(ESCAPES);
    call["title"] = json!(ESCAPES);
    let mut odd = call.clone();
    odd["name"] = json!(format!("odd{ESCAPES}"));
    serve(Service::new(vec![call, odd], |_, _, _| {
        eprintln!("{ESCAPES}");
        let content = json!([{ "type": "text", "text": ESCAPES }]);
        Reply::Result(
            json!({ "content": content, "structuredContent": { ESCAPES: ESCAPES }, ESCAPES: ESCAPES }),
        )
    }));
}
