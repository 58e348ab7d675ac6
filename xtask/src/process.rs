//! Running other programs: shown as they run, bounded in time, and named so that a reader can repeat them.

use std::io::{BufRead as _, BufReader, IsTerminal as _, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use probity_testkit::workspace;

/// How often a running program is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// Why a program did not end well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProcessError {
    /// The program is not on this machine.
    #[error("{program} is not on the PATH")]
    Missing { program: String },
    /// The system could not start or watch it.
    #[error("{program}: {reason}")]
    Unstartable { program: String, reason: std::io::Error },
    /// It ended with an exit code other than zero.
    #[error("`{line}` ended with {status}")]
    Unsuccessful { line: String, status: ExitStatus },
    /// It had to be stopped.
    #[error("`{line}` was stopped: it took longer than {} s", limit.as_secs())]
    TooLong { line: String, limit: Duration },
}

/// What a program wrote, and how it ended.
pub(crate) struct Transcript {
    pub(crate) text: String,
    pub(crate) ending: Result<(), ProcessError>,
}

/// The cargo that runs us, in the workspace, without the variables it set for us alone.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(workspace::root());
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "CARGO_BIN_NAME" {
            command.env_remove(&*name);
        }
    }
    command
}

/// Runs a program to its end, its output on ours.
pub(crate) fn run(mut command: Command, limit: Duration) -> Result<(), ProcessError> {
    let child = command.stdin(Stdio::null()).spawn().map_err(|reason| unstartable(&command, reason))?;
    watch(child, &command, limit)
}

/// Runs a program to its end, its output on ours and in the transcript.
pub(crate) fn tee(mut command: Command, limit: Duration) -> Result<Transcript, ProcessError> {
    if std::io::stderr().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|reason| unstartable(&command, reason))?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let (text, ending) = std::thread::scope(|scope| {
        let output = scope.spawn(|| output.map_or_else(String::new, |from| forward(from, std::io::stdout())));
        let errors = scope.spawn(|| errors.map_or_else(String::new, |from| forward(from, std::io::stderr())));
        let ending = watch(child, &command, limit);
        let text = [output, errors].map(|thread| thread.join().expect("forwarding text does not panic"));
        (text.concat(), ending)
    });
    Ok(Transcript { text, ending })
}

/// The command line as one would type it in the workspace.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_stem().unwrap_or(command.get_program()).to_string_lossy();
    let words = command.get_args().map(std::ffi::OsStr::to_string_lossy);
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}

fn unstartable(command: &Command, reason: std::io::Error) -> ProcessError {
    let program = command.get_program().to_string_lossy().into_owned();
    match reason.kind() {
        std::io::ErrorKind::NotFound => ProcessError::Missing { program },
        _ => ProcessError::Unstartable { program, reason },
    }
}

fn watch(mut child: Child, command: &Command, limit: Duration) -> Result<(), ProcessError> {
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|reason| unstartable(command, reason))? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(ProcessError::Unsuccessful { line: line(command), status }),
            None if start.elapsed() > limit => {
                // Either fails only if the program ended by itself in the meantime.
                let _ = child.kill();
                let _ = child.wait();
                return Err(ProcessError::TooLong { line: line(command), limit });
            }
            None => std::thread::sleep(GLANCE),
        }
    }
}

/// Passes text on line by line, and keeps it.
fn forward(from: impl Read, mut to: impl std::io::Write) -> String {
    let mut reader = BufReader::new(from);
    let (mut kept, mut bytes) = (String::new(), Vec::new());
    while reader.read_until(b'\n', &mut bytes).is_ok_and(|n_read| n_read > 0) {
        // If nobody reads our output any more, the count is still worth having.
        let _ = to.write_all(&bytes).and_then(|()| to.flush());
        kept.push_str(&String::from_utf8_lossy(&bytes));
        bytes.clear();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error =
            run(Command::new("no-such-program"), Duration::from_secs(9)).expect_err("it is not there");
        assert_eq!(error.to_string(), "no-such-program is not on the PATH");
    }

    #[test]
    fn a_program_is_shown_as_one_would_type_it() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["test", "--doc"]);
        assert_eq!(line(&command), "cargo test --doc");
    }

    #[test]
    fn what_a_program_writes_is_kept() {
        let transcript = tee(cargo(&["--version"]), Duration::from_secs(60)).expect("cargo runs us");
        assert!(transcript.ending.is_ok());
        assert!(transcript.text.starts_with("cargo 1."), "{}", transcript.text);
    }

    #[test]
    fn a_program_that_takes_too_long_is_stopped() {
        let mut endless = Command::new("node");
        endless.args(["-e", "setInterval(() => {}, 1000)"]);
        let error = run(endless, Duration::from_millis(200)).expect_err("it never ends by itself");
        assert!(matches!(error, ProcessError::TooLong { .. }), "{error}");
    }
}
