//! Bytes into messages, one per line, with a bound on what one line may cost.
//!
//! Nothing is parsed here. `next` may be dropped at any await without losing a byte.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::mcp::transport::excerpt::Excerpt;
use crate::mcp::transport::mark::Mark;

/// One line as it came, or what is left of one that was too long or never ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A whole line without its newline.
    Line(Vec<u8>),
    /// A line above the limit; the rest was read and thrown away.
    TooLong(Excerpt),
    /// The stream ended in the middle of a line.
    CutOff(Excerpt),
}

/// A reader of lines over a byte stream.
pub(crate) struct Frames<R> {
    reader: BufReader<R>,
    head: Vec<u8>,
    tail: Vec<u8>,
    n_bytes: usize,
    max_bytes: usize,
    kept_bytes: usize,
    mark: Option<Mark>,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(crate) fn new(reader: R, max_bytes: usize, kept_bytes: usize) -> Self {
        let reader = BufReader::with_capacity(32 << 10, reader);
        Frames { reader, head: Vec::new(), tail: Vec::new(), n_bytes: 0, max_bytes, kept_bytes, mark: None }
    }

    /// Hides a mark in everything that is read.
    pub(crate) fn veiling(self, mark: Mark) -> Self {
        Frames { mark: Some(mark), ..self }
    }

    /// The next line, or nothing at the end of the stream.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok((self.n_bytes > 0).then(|| Frame::CutOff(self.take_excerpt())));
            }
            let newline = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..newline.unwrap_or(chunk.len())];
            let n_consumed = part.len() + usize::from(newline.is_some());
            self.n_bytes += part.len();
            if self.n_bytes <= self.max_bytes {
                self.head.extend_from_slice(part);
            } else {
                remember_tail(&mut self.tail, &self.head, part, self.kept_bytes / 8);
                let n_wanted = self.kept_bytes.saturating_sub(self.head.len()).min(part.len());
                self.head.extend_from_slice(&part[..n_wanted]);
                self.head.truncate(self.kept_bytes);
            }
            self.reader.consume(n_consumed);
            if newline.is_some() {
                if self.n_bytes > self.max_bytes {
                    return Ok(Some(Frame::TooLong(self.take_excerpt())));
                }
                self.n_bytes = 0;
                let line = std::mem::take(&mut self.head);
                return Ok(Some(Frame::Line(self.veiled(line))));
            }
        }
    }

    fn veiled(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        if let Some(mark) = &self.mark {
            mark.veil(&mut bytes);
        }
        bytes
    }

    fn take_excerpt(&mut self) -> Excerpt {
        let (head, tail) = (std::mem::take(&mut self.head), std::mem::take(&mut self.tail));
        let (head, tail) = (self.veiled(head), self.veiled(tail));
        let n_bytes = std::mem::take(&mut self.n_bytes);
        if tail.is_empty() {
            Excerpt::of(&head, self.kept_bytes)
        } else {
            let tail = &tail[tail.len().saturating_sub(self.kept_bytes / 8)..];
            Excerpt::shortened(&head[..head.len().min(self.kept_bytes)], tail, n_bytes)
        }
    }
}

/// Keeps the last bytes of a line that is too long to keep, at most twice `kept` at a time.
fn remember_tail(tail: &mut Vec<u8>, head: &[u8], part: &[u8], kept: usize) {
    if tail.is_empty() {
        tail.extend_from_slice(&head[head.len().saturating_sub(kept)..]);
    }
    tail.extend_from_slice(&part[part.len().saturating_sub(kept)..]);
    if tail.len() > 2 * kept {
        tail.drain(..tail.len() - kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bytes: &[u8], max_bytes: usize) -> Vec<String> {
        let mut frames = Frames::new(bytes, max_bytes, 16);
        let mut seen = Vec::new();
        while let Some(frame) = frames.next().await.expect("a slice can be read") {
            seen.push(match frame {
                Frame::Line(line) => format!("line {}", String::from_utf8_lossy(&line)),
                Frame::TooLong(excerpt) => format!("long {} of {}", excerpt.text, excerpt.n_bytes),
                Frame::CutOff(excerpt) => format!("cut {}", excerpt.text),
            });
        }
        seen
    }

    #[tokio::test]
    async fn lines_are_told_from_long_ones_and_from_one_that_never_ends() {
        assert_eq!(read(b"{}\n\n[1]\n{\"a", 64).await, ["line {}", "line ", "line [1]", "cut {\"a"]);
    }

    #[tokio::test]
    async fn a_line_above_the_limit_costs_only_its_head_and_tail() {
        let mut bytes = vec![b'x'; 200_000];
        bytes.extend_from_slice(b"END\n{}\n");
        let seen = read(&bytes, 100).await;
        assert_eq!(seen[0], "long xxxxxxxxxxxxxxxx…[199985 bytes left out]…ND of 200003");
        assert_eq!(seen[1], "line {}");
    }
}
