//! Servers over HTTP: a tiny listener on the loopback address, regular or hostile in one way.
//!
//! The address is the first line on standard output; the server ends when its input does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::servers::Mode;
use crate::servers::regular::notes_service;
use crate::servers::service::{answer, write_line};

pub(crate) const MODES: &[Mode] = &[
    Mode {
        name: "http-json",
        about: "The store of notes, answering with JSON bodies.",
        run: || listen(json_body),
    },
    Mode {
        name: "http-events",
        about: "The store of notes, answering with event streams.",
        run: || listen(event_body),
    },
    Mode {
        name: "http-bearer",
        about: "The store of notes for those who know the token \"secret\".",
        run: || listen(bearer),
    },
    Mode { name: "http-redirects", about: "Redirects everything to another host.", run: || listen(redirect) },
    Mode { name: "http-redirects-calls", about: "Redirects calls to another host.", run: redirects_calls },
    Mode {
        name: "http-slow-drip",
        about: "Sends the answer to a call one byte at a time.",
        run: || listen(slow_drip),
    },
    Mode { name: "http-huge", about: "Answers a call with 100 MB.", run: || listen(huge) },
    Mode {
        name: "http-huge-event",
        about: "Answers a call with an event of 100 MB.",
        run: || listen(huge_event),
    },
    Mode {
        name: "http-cut-stream",
        about: "Ends the event stream before the answer.",
        run: || listen(cut_stream),
    },
    Mode { name: "http-page", about: "Answers a call with a web page.", run: || listen(page) },
    Mode { name: "http-fails", about: "Answers a call with status 500.", run: || listen(fails) },
    Mode {
        name: "http-fails-in-json",
        about: "Answers a call with status 500 and JSON that is no message.",
        run: || listen(fails_in_json),
    },
    Mode {
        name: "http-guards-calls",
        about: "Asks for the token \"secret\" only when a call comes.",
        run: || listen(guards_calls),
    },
    Mode { name: "http-forgets", about: "Ends the session when a call comes.", run: || listen(forgets) },
    Mode { name: "http-hangs", about: "Takes a call and says nothing.", run: || listen(hangs) },
];

/// A request as far as fixtures look at it.
struct Request {
    method: String,
    authorization: Option<String>,
    message: Value,
}

type Respond = fn(&Request, Option<Vec<u8>>, &mut TcpStream) -> std::io::Result<()>;

pub(crate) fn redirects_calls() {
    listen(
        |request, body, stream| {
            if is_call(request) { redirect(request, body, stream) } else { json_body(request, body, stream) }
        },
    );
}

/// Serves until standard input ends; `respond` is given the request and what a regular server would say.
fn listen(respond: Respond) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback address has a free port");
    let address = listener.local_addr().expect("a bound listener has an address");
    write_line(format!("http://{address}/mcp\n").as_bytes());
    let service = Arc::new(Mutex::new(notes_service_for_threads()));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let service = Arc::clone(&service);
            // One that goes away in the middle is no reason to end.
            std::thread::spawn(move || drop(converse(stream, &service, respond)));
        }
    });
    let mut rest = Vec::new();
    let _ = std::io::stdin().lock().read_to_end(&mut rest);
}

/// Answers are made by one thread that owns the service.
type Ask = std::sync::mpsc::Sender<(Value, std::sync::mpsc::Sender<Option<Vec<u8>>>)>;

fn notes_service_for_threads() -> Ask {
    let (ask, questions) = std::sync::mpsc::channel::<(Value, std::sync::mpsc::Sender<Option<Vec<u8>>>)>();
    std::thread::spawn(move || {
        let mut service = notes_service();
        for (message, reply) in questions {
            let _ = reply.send(answer(&mut service, &message));
        }
    });
    ask
}

fn converse(mut stream: TcpStream, service: &Mutex<Ask>, respond: Respond) -> std::io::Result<()> {
    let Some(request) = read_request(&stream)? else {
        return Ok(());
    };
    if request.method != "POST" {
        return head(&mut stream, "405 Method Not Allowed", &["Content-Length: 0"]);
    }
    let (reply, answer) = std::sync::mpsc::channel();
    let ask = service.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let _ = ask.send((request.message.clone(), reply));
    let body = answer.recv().ok().flatten();
    respond(&request, body, &mut stream)
}

fn read_request(stream: &TcpStream) -> std::io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let method = line.split_whitespace().next().unwrap_or_default().to_owned();
    let (mut n_bytes, mut authorization) = (0, None);
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_lowercase().as_str() {
            "content-length" => n_bytes = value.trim().parse().unwrap_or(0),
            "authorization" => authorization = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; n_bytes];
    reader.read_exact(&mut body)?;
    let message = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(Request { method, authorization, message }))
}

fn head(stream: &mut TcpStream, status: &str, headers: &[&str]) -> std::io::Result<()> {
    let headers = headers.join("\r\n");
    write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n\r\n")?;
    stream.flush()
}

fn is_call(request: &Request) -> bool {
    request.message["method"] == "tools/call"
}

fn json_body(_: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    match body {
        None => head(stream, "202 Accepted", &["Content-Length: 0"]),
        Some(body) => {
            let length = format!("Content-Length: {}", body.len());
            head(stream, "200 OK", &["Content-Type: application/json", "Mcp-Session-Id: s1", &length])?;
            stream.write_all(&body)
        }
    }
}

fn event_body(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    let Some(body) = body else {
        return json_body(request, body, stream);
    };
    head(stream, "200 OK", &["Content-Type: text/event-stream"])?;
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": 1 } });
    write!(stream, ": hello\r\n\r\nevent: message\r\ndata: {notice}\r\n\r\n")?;
    stream.write_all(b"event: message\ndata: ")?;
    stream.write_all(&body)?;
    stream.write_all(b"\n\n")
}

fn bearer(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    if request.authorization.as_deref() == Some("Bearer secret") {
        return json_body(request, body, stream);
    }
    head(stream, "401 Unauthorized", &["WWW-Authenticate: Bearer realm=\"fixture\"", "Content-Length: 0"])
}

fn redirect(_: &Request, _: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    head(stream, "307 Temporary Redirect", &["Location: http://elsewhere.invalid/mcp", "Content-Length: 0"])
}

fn slow_drip(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    if !is_call(request) {
        return json_body(request, body, stream);
    }
    head(stream, "200 OK", &["Content-Type: application/json", "Content-Length: 600"])?;
    for _ in 0..600 {
        stream.write_all(b" ")?;
        stream.flush()?;
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

fn huge(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    if !is_call(request) {
        return json_body(request, body, stream);
    }
    head(stream, "200 OK", &["Content-Type: application/json"])?;
    write_megabytes(stream, b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"")
}

fn huge_event(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    if !is_call(request) {
        return event_body(request, body, stream);
    }
    head(stream, "200 OK", &["Content-Type: text/event-stream"])?;
    write_megabytes(stream, b"data: ")?;
    stream.write_all(b"\n\n")
}

fn write_megabytes(stream: &mut TcpStream, start: &[u8]) -> std::io::Result<()> {
    stream.write_all(start)?;
    let megabyte = vec![b'x'; 1 << 20];
    (0..100).try_for_each(|_| stream.write_all(&megabyte))
}

fn cut_stream(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    if !is_call(request) {
        return json_body(request, body, stream);
    }
    head(stream, "200 OK", &["Content-Type: text/event-stream"])?;
    stream.write_all(b"event: message\ndata: {\"jsonrpc\":\"2.0\",")
}

fn page(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    if !is_call(request) {
        return json_body(request, body, stream);
    }
    head(stream, "200 OK", &["Content-Type: text/html", "Content-Length: 13"])?;
    stream.write_all(b"<html></html>")
}

fn fails(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    if !is_call(request) {
        return json_body(request, body, stream);
    }
    head(stream, "500 Internal Server Error", &["Content-Type: text/plain", "Content-Length: 4"])?;
    stream.write_all(b"oops")
}

fn fails_in_json(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    if !is_call(request) {
        return json_body(request, body, stream);
    }
    head(stream, "500 Internal Server Error", &["Content-Type: application/json", "Content-Length: 17"])?;
    stream.write_all(b"{\"detail\":\"oops\"}")
}

fn guards_calls(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    if is_call(request) { bearer(request, body, stream) } else { json_body(request, body, stream) }
}

fn forgets(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    match request.message["method"].as_str() {
        Some("initialize") => {
            let body = body.unwrap_or_default();
            let length = format!("Content-Length: {}", body.len());
            head(stream, "200 OK", &["Content-Type: application/json", "Mcp-Session-Id: one", &length])?;
            stream.write_all(&body)
        }
        Some("tools/call") => head(stream, "404 Not Found", &["Content-Length: 0"]),
        _ => json_body(request, body, stream),
    }
}

fn hangs(request: &Request, body: Option<Vec<u8>>, stream: &mut TcpStream) -> std::io::Result<()> {
    if !is_call(request) {
        return json_body(request, body, stream);
    }
    std::thread::sleep(Duration::from_secs(60));
    Ok(())
}
