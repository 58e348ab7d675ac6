//! Every call of a run, one JSON object per line.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use probity_drive::mcp::{Direction, Event};
use serde_json::{Value, json};

use crate::command::goal::is_output;
use crate::config::in_file;
use crate::exit_code::Trouble;

/// A trace being written; it grows while the run goes on, so that a run that is cut short leaves what it did.
pub(crate) struct Trace {
    path: PathBuf,
    out: BufWriter<Box<dyn Write>>,
    error: Option<std::io::Error>,
}

impl Trace {
    pub(crate) fn open(path: &Path) -> Result<Self, Trouble> {
        let out: Box<dyn Write> = if is_output(path) {
            Box::new(std::io::stdout())
        } else {
            let file = File::create(path);
            Box::new(file.map_err(|error| in_file(path, &format!("cannot be written: {error}")))?)
        };
        Ok(Self { path: path.to_path_buf(), out: BufWriter::new(out), error: None })
    }

    pub(crate) fn note(&mut self, event: &Event<'_>) {
        let Event::Called { phase, sequence, exchange } = event else { return };
        let records = exchange.records.iter().map(|record| {
            let direction = match record.direction {
                Direction::Sent => "sent",
                Direction::Received => "received",
            };
            json!({ direction: &*record.text.text })
        });
        let line = json!({
            "phase": phase.name(),
            "sequence": sequence,
            "call": exchange.step + 1,
            "tool": exchange.tool,
            "arguments": exchange.arguments,
            "outcome": exchange.outcome.name(),
            "tookMs": u64::try_from(exchange.took.as_millis()).unwrap_or(u64::MAX),
            "messages": records.collect::<Vec<Value>>(),
        });
        if self.error.is_none() {
            self.error = writeln!(self.out, "{line}").and_then(|()| self.out.flush()).err();
        }
    }

    pub(crate) fn close(self) -> Result<(), Trouble> {
        match self.error {
            None => Ok(()),
            // Who reads a pipe may have read enough.
            Some(error) if is_output(&self.path) && error.kind() == ErrorKind::BrokenPipe => Ok(()),
            Some(error) if is_output(&self.path) => {
                Err(Trouble::misused(format!("standard output cannot be written: {error}")))
            }
            Some(error) => Err(in_file(&self.path, &format!("cannot be written: {error}"))),
        }
    }
}
