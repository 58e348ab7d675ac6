//! The transport over a child's standard input and output, one message per line.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Mutex, watch};
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::mcp::transport::frame::Frames;
use crate::mcp::transport::process::Exit;
use crate::mcp::transport::tap::Tap;

/// Lines to and from a child, every one seen by the tap.
pub(crate) struct StdioTransport {
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    frames: Frames<ChildStdout>,
    exit: watch::Receiver<Option<Exit>>,
    settle: Duration,
    tap: Tap,
}

impl StdioTransport {
    pub(crate) fn new(
        stdin: ChildStdin,
        frames: Frames<ChildStdout>,
        exit: watch::Receiver<Option<Exit>>,
        settle: Duration,
        tap: Tap,
    ) -> StdioTransport {
        StdioTransport { stdin: Arc::new(Mutex::new(Some(stdin))), frames, exit, settle, tap }
    }
}

/// Lines that are read before others get their turn.
const LINES_PER_TURN: u32 = 64;

/// Waits for the end of the process.
async fn ended(exit: &mut watch::Receiver<Option<Exit>>) {
    let _ = exit.wait_for(Option::is_some).await;
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let (stdin, tap) = (Arc::clone(&self.stdin), self.tap.clone());
        let (mut exit, settle) = (self.exit.clone(), self.settle);
        async move {
            let mut text = serde_json::to_string(&item)?;
            // Noted before it is written: the answer must never overtake its question.
            tap.sent(&item, &text);
            text.push('\n');
            let mut stdin = stdin.lock().await;
            let stdin = stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            let written = match stdin.write_all(text.as_bytes()).await {
                Ok(()) => stdin.flush().await,
                failed => failed,
            };
            match written {
                // A program that is no server may have ended before it was asked anything. What it wrote tells more than a broken
                // pipe does, and reading that comes to the end as well.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe && tap.n_issued() <= 1 => {
                    timeout(settle, ended(&mut exit)).await.map_err(|_| error)
                }
                written => written,
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut n_idle = 0_u32;
        loop {
            // Lines that are no messages may come without end and without a pause. Whoever waits beside us gets a turn.
            n_idle += 1;
            if n_idle.is_multiple_of(LINES_PER_TURN) {
                yield_now().await;
            }
            let frame = tokio::select! {
                biased;
                frame = self.frames.next() => frame,
                // A child of a dead server may hold the pipe open, so its end is not waited for long.
                () = ended(&mut self.exit) => {
                    timeout(self.settle, self.frames.next()).await.unwrap_or(Ok(None))
                }
            };
            let frame = frame.ok().flatten()?;
            if let Some(message) = self.tap.received(frame) {
                return Some(message);
            }
        }
    }

    /// Closes the server's input and reads on to the end: what it still says after its last answer is told in every
    /// run, or in none. Whoever closes bounds the wait.
    async fn close(&mut self) -> Result<(), io::Error> {
        self.stdin.lock().await.take();
        while !self.tap.is_flooded() && self.receive().await.is_some() {}
        Ok(())
    }
}
