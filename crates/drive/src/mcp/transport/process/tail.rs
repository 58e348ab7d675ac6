//! The last bytes of what a server writes to standard error.

use crate::mcp::transport::mark::Mark;

/// Keeps the end of what was pushed, within a bound.
pub(crate) struct Tail {
    bytes: Vec<u8>,
    n_dropped: usize,
    max: usize,
    mark: Mark,
}

impl Tail {
    pub(crate) fn new(max: usize, mark: Mark) -> Tail {
        Tail { bytes: Vec::new(), n_dropped: 0, max, mark }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
        // Twice the bound is let in before moving bytes, so that small pushes stay cheap.
        if self.bytes.len() > 2 * self.max {
            self.shorten();
        }
    }

    /// The end as text, with a mark if the beginning is missing.
    pub(crate) fn text(&mut self) -> String {
        self.mark.veil(&mut self.bytes);
        self.shorten();
        let text = String::from_utf8_lossy(&self.bytes);
        if self.n_dropped == 0 {
            text.into_owned()
        } else {
            let text = text.trim_start_matches('\u{FFFD}');
            format!("…[{} bytes left out]…{text}", self.n_dropped)
        }
    }

    fn shorten(&mut self) {
        let n_over = self.bytes.len().saturating_sub(self.max);
        self.bytes.drain(..n_over);
        self.n_dropped += n_over;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_stays_and_the_loss_is_told() {
        let mut tail = Tail::new(4, Mark::new());
        tail.push(b"ab");
        assert_eq!(tail.text(), "ab");
        tail.push(b"cdefghijklmnop");
        tail.push(b"q");
        assert_eq!(tail.text(), "…[13 bytes left out]…nopq");
    }
}
