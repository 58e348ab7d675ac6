//! Messages on standard input and output, one per line; what cannot be read is answered and not passed over.
//!
//! A client that sends too much, too deep or no JSON at all would otherwise wait for an answer for ever.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

use crate::mcp::transport::depth::nesting;
use crate::mcp::transport::frame::{Frame, Frames};

/// Longest message that is read, in bytes.
const MAX_MESSAGE: usize = 8 << 20;
/// Deepest nesting that is read; the parser stops at 128 by itself.
const MAX_NESTING: usize = 100;
/// What is kept of a message that is too long, to find out which one it was.
const KEPT: usize = 4 << 10;

/// Lines from one side to the other.
pub(crate) struct Wire<R, W> {
    frames: Frames<R>,
    output: Arc<Mutex<Option<W>>>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Wire<R, W> {
    pub(crate) fn new(input: R, output: W) -> Wire<R, W> {
        let frames = Frames::new(input, MAX_MESSAGE, KEPT);
        Wire { frames, output: Arc::new(Mutex::new(Some(output))) }
    }
}

async fn write<W: AsyncWrite + Unpin>(output: &Mutex<Option<W>>, mut line: String) -> io::Result<()> {
    line.push('\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    output.write_all(line.as_bytes()).await?;
    output.flush().await
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { write(&output, serde_json::to_string(&item)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let frame = self.frames.next().await.ok().flatten()?;
            match read(frame) {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(refusal) => write(&self.output, refusal.answer()).await.ok()?,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.take();
        Ok(())
    }
}

/// Why a message is not taken.
#[derive(Debug, PartialEq)]
struct Refusal {
    code: i64,
    /// The id of the message, or null if it shows none.
    id: Value,
    message: String,
}

impl Refusal {
    fn answer(&self) -> String {
        let Refusal { code, id, message } = self;
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
    }
}

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;

/// A message, nothing for an empty line or for something that wants no answer, or why it is not taken.
fn read(frame: Frame) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refusal> {
    let line = match frame {
        Frame::Line(line) => line,
        Frame::CutOff(_) => return Ok(None),
        Frame::TooLong(excerpt) => {
            let n_bytes = excerpt.n_bytes;
            let message = format!("the message is {n_bytes} bytes long; send at most {MAX_MESSAGE}");
            return Err(Refusal { code: INVALID_REQUEST, id: Value::Null, message });
        }
    };
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let depth = nesting(&line);
    let envelope = serde_json::from_slice::<Envelope>(&line);
    if depth > MAX_NESTING {
        let id = envelope.map(|envelope| envelope.id).unwrap_or_default();
        let message = format!("the message nests {depth} levels deep; send at most {MAX_NESTING}");
        return Err(Refusal { code: INVALID_REQUEST, id, message });
    }
    let error = match serde_json::from_slice(&line) {
        Ok(message) => return Ok(Some(message)),
        Err(error) => error,
    };
    match (envelope, serde_json::from_slice::<Value>(&line)) {
        (Ok(Envelope { id: Value::Null, method: Some(_) }), Ok(_)) => Ok(None),
        (envelope, Ok(_)) => {
            let id = envelope.map(|envelope| envelope.id).unwrap_or_default();
            let message =
                format!("this is no request that is known here, or its params have another shape: {error}");
            Err(Refusal { code: INVALID_REQUEST, id, message })
        }
        (_, Err(error)) => {
            let message = format!("this is not JSON: {error}");
            Err(Refusal { code: PARSE_ERROR, id: Value::Null, message })
        }
    }
}

/// What is read of a message that may be anything; members that are not named here are skipped however deep they are.
#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    method: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Result<bool, (i64, &Value, &str)>) {
        let seen = read(Frame::Line(line.as_bytes().to_vec()));
        match (seen, expected) {
            (Ok(seen), Ok(is_message)) => assert_eq!(seen.is_some(), is_message, "{line}"),
            (Err(refusal), Err((code, id, part))) => {
                assert_eq!((refusal.code, &refusal.id), (code, id), "{line}");
                assert!(refusal.message.contains(part), "{}", refusal.message);
            }
            (seen, _) => panic!("{line}: {seen:?}"),
        }
    }

    #[test]
    fn every_request_that_cannot_be_read_gets_an_answer() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let with = |params: &str| {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{params}}}")
        };
        check(&with("{\"name\":\"generate\",\"arguments\":{}}"), Ok(true));
        check("", Ok(false));
        check("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", Ok(true));
        check(&with(&deep), Err((INVALID_REQUEST, &json!(7), "10001 levels")));
        check(
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":5}",
            Err((INVALID_REQUEST, &Value::Null, "no request")),
        );
        check("{\"jsonrpc\":", Err((PARSE_ERROR, &Value::Null, "not JSON")));
        check("[]", Err((INVALID_REQUEST, &Value::Null, "no request")));
    }
}
