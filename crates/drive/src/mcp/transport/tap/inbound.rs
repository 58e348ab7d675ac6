//! What one incoming message means for the session: an answer, a request to us, a notice, or none of these.

use rmcp::model::{
    CustomResult, DiscoverResult, ErrorCode, ErrorData, InitializeResult, ListToolsResult, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use serde_json::{Map, Value};

use crate::mcp::transport::anomaly::AnomalyKind;
use crate::mcp::transport::envelope::{Body, Envelope, read};
use crate::mcp::transport::excerpt::{Excerpt, readable};
use crate::mcp::transport::frame::Frame;
use crate::mcp::transport::record::Direction;
use crate::mcp::transport::tap::{Answer, Tape};

/// Records and judges a message; the flag says that it may have been meant as the answer we wait for.
pub(crate) fn receive(tape: &mut Tape, frame: Frame) -> (Option<ServerJsonRpcMessage>, bool) {
    let line = match frame {
        Frame::Line(line) => line,
        Frame::TooLong(excerpt) => {
            let detail =
                format!("is {} bytes long; the limit is {}", excerpt.n_bytes, tape.limits.message_bytes);
            return refuse(tape, excerpt, AnomalyKind::TooLong, detail);
        }
        Frame::CutOff(excerpt) => {
            let detail = format!("the stream ended after {} bytes of a message", excerpt.n_bytes);
            return refuse(tape, excerpt, AnomalyKind::CutOff, detail);
        }
    };
    tape.record(Direction::Received, |kept| Excerpt::of(&line, kept));
    let text = readable(&line);
    let reading = read(&text, tape.limits.nesting);
    let answered = match &reading.envelope {
        Some(Envelope::Answer { id, body: _ }) => number_of(tape, id),
        Some(Envelope::Notification { .. } | Envelope::Request { .. }) | None => None,
    };
    if matches!(text, std::borrow::Cow::Owned(_)) {
        let detail = "has bytes that are not UTF-8; read with replacements".to_owned();
        tape.object_to(answered, AnomalyKind::NotUtf8, detail);
    }
    for (kind, detail) in reading.irregular {
        tape.object_to(answered, kind, detail);
    }
    match reading.envelope {
        // Log lines on standard output are a fault, but the answer may still come; broken JSON was the answer.
        None => (None, text.trim_start_matches(is_noise).starts_with(['{', '['])),
        Some(Envelope::Notification { method, .. }) => {
            tape.traffic.n_notifications += 1;
            match method.as_str() {
                "notifications/progress" => tape.traffic.n_progress += 1,
                "notifications/tools/list_changed" => tape.traffic.n_list_changed += 1,
                _ => {}
            }
            (None, false)
        }
        Some(Envelope::Request { method, message, .. }) => (request(tape, &method, message), false),
        Some(Envelope::Answer { id, body }) => answer(tape, &id, body),
    }
}

/// What may stand before a message by mistake: marks of byte order, NULs and other bytes that are no text.
fn is_noise(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || matches!(letter, '\u{FEFF}' | '\u{FFFD}')
}

fn refuse(
    tape: &mut Tape,
    excerpt: Excerpt,
    kind: AnomalyKind,
    detail: String,
) -> (Option<ServerJsonRpcMessage>, bool) {
    tape.record(Direction::Received, |_| excerpt);
    tape.object(kind, detail);
    (None, true)
}

/// Counts a request to us and lets rmcp answer it, up to a limit: answers pile up if the server never reads.
fn request(tape: &mut Tape, method: &str, message: Value) -> Option<ServerJsonRpcMessage> {
    let traffic = &mut tape.traffic;
    let counter = match method {
        "ping" => &mut traffic.n_pings,
        "elicitation/create" => &mut traffic.n_elicitations_declined,
        "sampling/createMessage" => &mut traffic.n_samplings_refused,
        "roots/list" => &mut traffic.n_roots_refused,
        _ => &mut traffic.n_unknown_requests,
    };
    *counter += 1;
    let n_requests = traffic.n_pings
        + traffic.n_elicitations_declined
        + traffic.n_samplings_refused
        + traffic.n_roots_refused
        + traffic.n_unknown_requests;
    let limit = tape.limits.server_requests;
    if n_requests > limit {
        if n_requests == limit.saturating_add(1) {
            let detail = format!("more than {limit} requests to the client in one session");
            tape.object(AnomalyKind::TooManyRequests, detail);
        }
        return None;
    }
    match serde_json::from_value(message) {
        Ok(message) => Some(message),
        Err(error) => {
            tape.object(AnomalyKind::NotJsonRpc, format!("the request {method:?} cannot be read: {error}"));
            None
        }
    }
}

fn answer(tape: &mut Tape, id: &Value, body: Body) -> (Option<ServerJsonRpcMessage>, bool) {
    let Some(number) = number_of(tape, id) else {
        let what = if id.is_null() { "an answer without an id".to_owned() } else { format!("the id {id}") };
        tape.object(AnomalyKind::UnknownId, format!("{what} belongs to no request of ours"));
        return (None, true);
    };
    if *id != number {
        let detail = format!("the id {number} came back as {id}");
        tape.object_to(Some(number), AnomalyKind::ChangedIdType, detail);
    }
    let Some(method) = tape.waiting.remove(&number) else {
        if tape.given_up.remove(&number) {
            tape.traffic.n_late_answers += 1;
        } else {
            let detail = format!("request {number} was already answered");
            tape.object_to(Some(number), AnomalyKind::DuplicateAnswer, detail);
        }
        return (None, false);
    };
    let message = skeleton(&method, number, &body);
    let n_list_changed = tape.traffic.n_list_changed;
    tape.answers.insert(number, Answer { body, record: tape.last_record(), n_list_changed });
    (Some(message), false)
}

/// A whole number that was written as a fraction.
fn whole(number: f64) -> Option<i64> {
    // Far below the numbers that a double cannot tell from their neighbours.
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
    (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64)
}

/// The number we used as id, also when it came back as a string or a fraction.
fn number_of(tape: &Tape, id: &Value) -> Option<i64> {
    let number = match id {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    number.filter(|number| (0..tape.n_issued).contains(number))
}

/// What rmcp has to know of an answer: that it came, and for the handshake what it said.
fn skeleton(method: &str, id: i64, body: &Body) -> ServerJsonRpcMessage {
    let id = RequestId::Number(id);
    let result = match body {
        Body::Error(error) => {
            let code = error.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
            let code = ErrorCode(code.unwrap_or(ErrorCode::INTERNAL_ERROR.0));
            let data = error.get("data").cloned();
            return ServerJsonRpcMessage::error(ErrorData::new(code, message, data), Some(id));
        }
        Body::Result(result) => result,
    };
    let typed = match method {
        "initialize" => typed::<InitializeResult>(result).map(ServerResult::InitializeResult),
        "server/discover" => typed::<DiscoverResult>(result).map(ServerResult::DiscoverResult),
        // The HTTP client of rmcp learns from the list which arguments to repeat as headers.
        "tools/list" => typed::<ListToolsResult>(result).map(ServerResult::ListToolsResult),
        _ => None,
    };
    let result = typed.unwrap_or_else(|| ServerResult::CustomResult(CustomResult(Value::Object(Map::new()))));
    ServerJsonRpcMessage::response(result, id)
}

fn typed<T: serde::de::DeserializeOwned>(result: &Value) -> Option<T> {
    T::deserialize(result).ok()
}
