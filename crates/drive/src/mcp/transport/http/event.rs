//! A stream of server-sent events, each one seen by the tap before rmcp hears of it.

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, unfold};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

use crate::mcp::limits::Limits;
use crate::mcp::transport::anomaly::AnomalyKind;
use crate::mcp::transport::excerpt::Excerpt;
use crate::mcp::transport::frame::Frame;
use crate::mcp::transport::tap::Tap;

/// The messages of an event stream, stripped to what rmcp needs; `awaited` is the request the stream belongs to.
pub(crate) fn events(
    response: reqwest::Response,
    tap: Tap,
    limits: &Limits,
    awaited: Option<i64>,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let parser = EventParser::new(limits.message_bytes, limits.kept_bytes);
    unfold((response, parser, tap, awaited), |(mut response, mut parser, tap, awaited)| async move {
        loop {
            if let Some(event) = parser.next() {
                if let Some(event) = pass(event, &tap) {
                    return Some((Ok(event), (response, parser, tap, awaited)));
                }
                continue;
            }
            // A connection that breaks ends the stream as a regular end does.
            let Ok(Some(chunk)) = response.chunk().await else {
                note_end(&parser, &tap, awaited);
                return None;
            };
            parser.push(&chunk);
        }
    })
    .boxed()
}

/// Lets the tap see an event; what rmcp need not know is dropped here.
fn pass(event: Event, tap: &Tap) -> Option<Sse> {
    match event {
        Event::TooLong(excerpt) => {
            tap.received(Frame::TooLong(excerpt));
            None
        }
        // Without data an event only moves the place from which a broken stream is resumed.
        Event::Message { data, id, retry } if data.is_empty() => {
            Some(Sse { event: None, data: None, id, retry })
        }
        Event::Message { data, id, retry } => {
            let message = tap.received(Frame::Line(data))?;
            let data = serde_json::to_string(&message).ok()?;
            Some(Sse { event: None, data: Some(data), id, retry })
        }
    }
}

/// A stream that ends before the answer it was opened for is a fault, unless it can be resumed.
fn note_end(parser: &EventParser, tap: &Tap, awaited: Option<i64>) {
    let is_answered = awaited.is_none_or(|id| !tap.is_waiting(id));
    if !is_answered && !parser.has_event_id {
        let detail = "the event stream ended before the answer".to_owned();
        tap.observe(AnomalyKind::CutOff, &parser.line, detail);
    }
}

enum Event {
    Message { data: Vec<u8>, id: Option<String>, retry: Option<u64> },
    TooLong(Excerpt),
}

/// Lines into events, by the rules of the HTML standard §9.2.6, with a bound on one event.
struct EventParser {
    pending: Bytes,
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    id: Option<String>,
    retry: Option<u64>,
    has_event_id: bool,
    n_bytes: usize,
    n_line_bytes: usize,
    was_return: bool,
    max_bytes: usize,
    kept_bytes: usize,
}

impl EventParser {
    fn new(max_bytes: usize, kept_bytes: usize) -> EventParser {
        EventParser {
            pending: Bytes::new(),
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            id: None,
            retry: None,
            has_event_id: false,
            n_bytes: 0,
            n_line_bytes: 0,
            was_return: false,
            max_bytes,
            kept_bytes,
        }
    }

    /// Takes the next chunk; called only when `next` has used up the last one.
    fn push(&mut self, chunk: &Bytes) {
        self.pending = chunk.clone();
    }

    fn next(&mut self) -> Option<Event> {
        while !self.pending.is_empty() {
            let end = self.pending.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let part = self.pending.split_to(end.unwrap_or(self.pending.len()));
            self.n_bytes += part.len();
            self.n_line_bytes += part.len();
            if self.n_bytes <= self.max_bytes {
                self.line.extend_from_slice(&part);
            }
            self.was_return &= part.is_empty();
            if end.is_none() {
                break;
            }
            let newline = self.pending.split_to(1);
            // "\r\n" is one line end, also when a chunk ends between the two.
            if std::mem::replace(&mut self.was_return, newline[0] == b'\r') && newline[0] == b'\n' {
                continue;
            }
            if let Some(event) = self.end_line() {
                return Some(event);
            }
        }
        None
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.n_line_bytes) > 0 {
            self.field(&line);
            return None;
        }
        let n_bytes = std::mem::take(&mut self.n_bytes);
        let data = std::mem::take(&mut self.data);
        let has_data = std::mem::take(&mut self.has_data);
        let (id, retry) = (self.id.take(), self.retry.take());
        if n_bytes > self.max_bytes {
            return Some(Event::TooLong(Excerpt::shortened(
                &data[..data.len().min(self.kept_bytes)],
                &[],
                n_bytes,
            )));
        }
        (has_data || id.is_some() || retry.is_some()).then_some(Event::Message { data, id, retry })
    }

    fn field(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"id" => {
                self.has_event_id = true;
                self.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" => self.retry = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()),
            // A comment keeps the connection open and says nothing.
            b"" => self.n_bytes = self.n_bytes.saturating_sub(line.len()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(chunks: &[&str], expected: &[&str]) {
        let mut parser = EventParser::new(40, 8);
        let mut seen = Vec::new();
        for chunk in chunks {
            parser.push(&Bytes::copy_from_slice(chunk.as_bytes()));
            while let Some(event) = parser.next() {
                seen.push(match event {
                    Event::Message { data, id, .. } => {
                        format!("{}{}", id.map(|id| format!("{id}:")).unwrap_or_default(), text(&data))
                    }
                    Event::TooLong(excerpt) => format!("too long: {}", excerpt.n_bytes),
                });
            }
        }
        assert_eq!(seen, expected, "{chunks:?}");
    }

    fn text(data: &[u8]) -> String {
        String::from_utf8_lossy(data).into_owned()
    }

    #[test]
    fn events_are_cut_at_blank_lines_however_the_bytes_arrive() {
        check(&["data: a\n\ndata:b\n\n"], &["a", "b"]);
        check(&["da", "ta: a\r", "\n\r\n", "data: b\r\r"], &["a", "b"]);
        check(&["event: message\nid: 7\ndata: x\ndata: y\n\n"], &["7:x\ny"]);
        check(&[": ping\n\n: ping\n\ndata: a\n\n"], &["a"]);
        check(&["data: never ended"], &[]);
    }

    #[test]
    fn an_event_above_the_limit_is_told_and_the_next_one_is_read() {
        let long = "x".repeat(60);
        check(&["data: ", &long, &format!("{long}\ndata: {long}\n\ndata: b\n\n")], &["too long: 192", "b"]);
    }
}
