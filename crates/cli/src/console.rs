//! The only printer: everything for people goes to standard error, cleaned of what a contract could smuggle in.
//!
//! A demonstration has no data for machines, so what it says to people goes to standard output.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use probity_drive::mcp::Severity;
use probity_schema::Note;

use crate::args::{Args, Command, CoverageCommand};
use crate::exit_code::Trouble;

/// Notes told before the rest is only counted.
const MOST_NOTES: usize = 8;

/// Where people read.
#[derive(Debug)]
pub(crate) struct Console {
    is_quiet: bool,
    has_colour: bool,
    is_terminal: bool,
    stream: Stream,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Output,
    Errors,
}

/// How a piece of text stands out on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Bold,
    Dim,
    Blue,
    Green,
    Red,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "\u{1b}[1m",
            Self::Dim => "\u{1b}[2m",
            Self::Blue => "\u{1b}[1;36m",
            Self::Green => "\u{1b}[1;32m",
            Self::Red => "\u{1b}[1;31m",
        }
    }
}

impl Console {
    /// What the command line and the terminal allow.
    pub(crate) fn of(args: &Args) -> Self {
        let is_quiet = match &args.command {
            Command::Generate(generate) => generate.quiet,
            Command::Openapi(openapi) => openapi.quiet,
            Command::Coverage(CoverageCommand::Measure(measure)) => measure.quiet,
            Command::Coverage(CoverageCommand::Diff(diff)) => diff.quiet,
            Command::Coverage(CoverageCommand::Merge(merge)) => merge.quiet,
            Command::Mcp(mcp) => mcp.quiet,
            Command::Replay(replay) => replay.quiet,
            Command::Serve(_)
            | Command::Config(_)
            | Command::Demo(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::DemoServer => false,
        };
        let stream = if matches!(args.command, Command::Demo(_)) { Stream::Output } else { Stream::Errors };
        let is_terminal = match stream {
            Stream::Output => std::io::stdout().is_terminal(),
            Stream::Errors => std::io::stderr().is_terminal(),
        };
        let is_set =
            |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        let is_forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let has_colour = !is_forbidden && (is_terminal || is_set("CLICOLOR_FORCE"));
        Self { is_quiet, has_colour, is_terminal, stream }
    }

    /// Why the command could not go on.
    pub(crate) fn error(&self, message: &str) {
        Self { stream: Stream::Errors, ..*self }.line("error", "\u{1b}[1;31m", message);
    }

    /// What was odd about the contract in a file, or about a document that it refers to.
    pub(crate) fn odd(&self, file: &str, notes: &[Note]) {
        let told = |note: &Note| {
            let Note { address, at, text, .. } = note;
            format!("{}: at {at}: {text}", address.as_deref().unwrap_or(file))
        };
        self.notes(&notes.iter().map(told).collect::<Vec<_>>());
    }

    /// Things worth knowing; only the first few are told in full.
    pub(crate) fn notes(&self, notes: &[String]) {
        if self.is_quiet {
            return;
        }
        for note in notes.iter().take(MOST_NOTES) {
            self.line("note", "\u{1b}[1;36m", note);
        }
        if notes.len() > MOST_NOTES {
            self.line("note", "\u{1b}[1;36m", &format!("and {} more like these", notes.len() - MOST_NOTES));
        }
    }

    /// Something that broke its contract.
    pub(crate) fn finding(&self, severity: Severity, message: &str) {
        if self.is_quiet {
            return;
        }
        match severity {
            Severity::Error => self.line("error", "\u{1b}[1;31m", message),
            Severity::Warning => self.line("warning", "\u{1b}[1;33m", message),
            Severity::Note => self.line("note", "\u{1b}[1;36m", message),
        }
    }

    /// Why a run is not a success.
    pub(crate) fn failed(&self, message: &str) {
        if !self.is_quiet {
            self.line("failed", "\u{1b}[1;31m", message);
        }
    }

    /// A line of an answer to a question, on standard output.
    pub(crate) fn listed(&self, text: &str) -> Result<(), Trouble> {
        self.data(&printable(text))
    }

    /// A block of text as it is.
    pub(crate) fn say(&self, text: &str) {
        if !self.is_quiet {
            self.write(&format!("{}\n", printable(text)));
        }
    }

    /// A heading that stands out on a terminal.
    pub(crate) fn heading(&self, text: &str) {
        if self.is_quiet {
            return;
        }
        let text = printable(text);
        if self.has_colour {
            self.write(&format!("\u{1b}[1m{text}\u{1b}[0m\n"));
        } else {
            self.write(&format!("{text}\n"));
        }
    }

    /// A line of pieces, each with its own looks.
    pub(crate) fn painted(&self, pieces: &[(Paint, &str)]) {
        if self.is_quiet {
            return;
        }
        let mut line = String::new();
        for (paint, text) in pieces {
            let text = printable(text);
            match paint.code() {
                code if self.has_colour && !code.is_empty() => line.extend([code, &text, "\u{1b}[0m"]),
                _ => line.push_str(&text),
            }
        }
        line.push('\n');
        self.write(&line);
    }

    /// What a machine reads, on standard output; nobody reading is no trouble.
    #[expect(clippy::unused_self, reason = "the console is the only printer")]
    pub(crate) fn data(&self, text: &str) -> Result<(), Trouble> {
        match std::io::stdout().write_all(format!("{text}\n").as_bytes()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Trouble::misused(format!("standard output cannot be written: {error}")))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// A share as a bar of twenty places, coloured by how much is missing.
    pub(crate) fn bar(&self, share: f64) -> String {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is from 0 to 1")]
        let full = (share.clamp(0.0, 1.0) * 20.0).floor() as usize;
        let bar = format!("{}{}", "█".repeat(full), "░".repeat(20 - full));
        let colour = match full {
            20 => "\u{1b}[32m",
            14..20 => "\u{1b}[33m",
            _ => "\u{1b}[31m",
        };
        if self.has_colour { format!("{colour}{bar}\u{1b}[0m") } else { String::new() }
    }

    /// As wide as a bar, where there are bars.
    pub(crate) fn no_bar(&self) -> String {
        if self.has_colour { " ".repeat(20) } else { String::new() }
    }

    /// A line of our own making, colours included.
    pub(crate) fn drawn(&self, label: &str, bar: &str, rest: &str) {
        if !self.is_quiet {
            let (label, rest) = (printable(label), printable(rest));
            let space = if bar.is_empty() { "" } else { " " };
            self.write(&format!("{label}{space}{bar}{rest}\n"));
        }
    }

    /// A bar for a long run, on a terminal only.
    pub(crate) fn progress(&self, n: u64) -> ProgressBar {
        self.progress_of(n, "{bar:32} {human_pos} of {human_len} instances, {per_sec}, {eta} left")
    }

    /// The same with words of its own.
    pub(crate) fn progress_of(&self, n: u64, template: &str) -> ProgressBar {
        if self.is_quiet || !self.is_terminal {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(Some(n), ProgressDrawTarget::stderr_with_hz(8));
        bar.set_style(ProgressStyle::with_template(template).expect("the template is fixed and right"));
        bar.enable_steady_tick(Duration::from_millis(250));
        bar
    }

    fn line(&self, label: &str, colour: &str, message: &str) {
        let message = printable(message);
        if self.has_colour {
            self.write(&format!("{colour}{label}\u{1b}[0m: {message}\n"));
        } else {
            self.write(&format!("{label}: {message}\n"));
        }
    }

    /// Writes where people read; when that is closed there is nobody left to tell.
    fn write(&self, text: &str) {
        let _ = match self.stream {
            Stream::Output => std::io::stdout().write_all(text.as_bytes()),
            Stream::Errors => std::io::stderr().write_all(text.as_bytes()),
        };
    }
}

/// The text without control characters that could move the cursor or change colours.
fn printable(text: &str) -> String {
    let is_harmless =
        |letter: char| letter == '\n' || letter == '\t' || !(letter.is_control() || is_bidi(letter));
    text.chars().map(|letter| if is_harmless(letter) { letter } else { '\u{fffd}' }).collect()
}

/// Characters that change the direction of what follows, so that a line shows something else than it says.
fn is_bidi(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_contract_says_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb\u{7}\r\u{202e}c\n"), "a\u{fffd}[31mb\u{fffd}\u{fffd}\u{fffd}c\n");
    }
}
