//! Reading one HTTP body within a bound of size and time.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::mcp::transport::excerpt::Excerpt;

/// How a body ended.
pub(crate) enum BodyEnd {
    Whole(Vec<u8>),
    TooLong(Excerpt),
    CutOff(Vec<u8>, String),
    Slow(Vec<u8>),
}

/// Reads a body; of one above `max_bytes` the rest is not read.
pub(crate) async fn read_body(
    mut response: reqwest::Response,
    max_bytes: usize,
    kept_bytes: usize,
    patience: Duration,
) -> BodyEnd {
    let deadline = Instant::now() + patience;
    let mut bytes = Vec::new();
    loop {
        match timeout_at(deadline, response.chunk()).await {
            Err(_) => return BodyEnd::Slow(bytes),
            Ok(Err(error)) => return BodyEnd::CutOff(bytes, error.to_string()),
            Ok(Ok(None)) => return BodyEnd::Whole(bytes),
            Ok(Ok(Some(chunk))) => {
                bytes.extend_from_slice(&chunk);
                if bytes.len() > max_bytes {
                    return BodyEnd::TooLong(Excerpt::of(&bytes, kept_bytes));
                }
            }
        }
    }
}
