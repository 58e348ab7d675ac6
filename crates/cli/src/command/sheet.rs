//! Where instances are written: standard output, or a file that appears only when it is whole.

use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use serde_json::Value;

use crate::args::Form;
use crate::config::in_file;
use crate::console::Console;
use crate::exit_code::Trouble;

/// An instance as text.
pub(crate) fn written(value: &Value, form: Form) -> String {
    match form {
        Form::Ndjson | Form::Json => value.to_string(),
        Form::Pretty => {
            let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
            text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Writes a whole file, or none.
pub(crate) fn write_file(goal: &Path, text: &str) -> Result<(), Trouble> {
    let folder = goal.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot = |error: &std::io::Error| in_file(goal, &format!("cannot be written: {error}"));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| cannot(&error))?;
    file.write_all(text.as_bytes()).map_err(|error| cannot(&error))?;
    file.persist(goal).map_err(|error| cannot(&error.error))?;
    Ok(())
}

/// Writes plain data as indented JSON to a file, or to standard output for `-`.
pub(crate) fn write_json(
    goal: &Path,
    data: &impl serde::Serialize,
    console: &Console,
) -> Result<(), Trouble> {
    let text = serde_json::to_string_pretty(data).expect("a report is plain data");
    if goal == Path::new("-") { console.data(&text) } else { write_file(goal, &format!("{text}\n")) }
}

/// Why instances were not written.
pub(crate) enum Unwritten {
    /// Nobody reads any more; that is no trouble.
    Closed,
    /// Where and why.
    Failed(String),
}

/// A closed pipe is no trouble; anything else is.
pub(crate) fn finished(ended: Result<(), Unwritten>) -> Result<(), Trouble> {
    match ended {
        Ok(()) | Err(Unwritten::Closed) => Ok(()),
        Err(Unwritten::Failed(error)) => Err(Trouble::misused(error)),
    }
}

/// Where instances are written: a stream, or a file that appears only when it is whole.
pub(crate) struct Sheet {
    out: BufWriter<Box<dyn Write>>,
    file: Option<tempfile::TempPath>,
    goal: Option<std::path::PathBuf>,
    form: Form,
    n_written: u64,
}

impl Sheet {
    /// Opens the file that is named, or standard output.
    pub(crate) fn open(goal: Option<&Path>, form: Form) -> Result<Self, Trouble> {
        let Some(goal) = goal else {
            let out = BufWriter::with_capacity(64 << 10, Box::new(std::io::stdout()) as Box<dyn Write>);
            return Ok(Self { out, file: None, goal: None, form, n_written: 0 });
        };
        let folder = goal.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if goal.is_dir() {
            return Err(in_file(goal, &"this is a folder; name a file"));
        }
        let (file, path) = tempfile::NamedTempFile::new_in(folder)
            .map_err(|error| in_file(goal, &format!("cannot be written: {error}")))?
            .into_parts();
        let out = BufWriter::with_capacity(64 << 10, Box::new(file) as Box<dyn Write>);
        Ok(Self { out, file: Some(path), goal: Some(goal.to_path_buf()), form, n_written: 0 })
    }

    /// Adds one instance.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), Unwritten> {
        let before = match (self.form, self.n_written) {
            (Form::Ndjson, _) => "",
            (Form::Json | Form::Pretty, 0) => "[\n",
            (Form::Json | Form::Pretty, _) => ",\n",
        };
        let after = if self.form == Form::Ndjson { "\n" } else { "" };
        self.n_written += 1;
        self.put(&[before, text, after])
    }

    /// Ends it; a file appears only now.
    pub(crate) fn close(mut self) -> Result<(), Unwritten> {
        match (self.form, self.n_written) {
            (Form::Ndjson, _) => {}
            (Form::Json | Form::Pretty, 0) => self.put(&["[]\n"])?,
            (Form::Json | Form::Pretty, _) => self.put(&["\n]\n"])?,
        }
        let flushed = self.out.flush();
        self.told(flushed)?;
        if let (Some(file), Some(goal)) = (self.file.take(), &self.goal) {
            file.persist(goal).map_err(|error| {
                Unwritten::Failed(format!("{}: cannot be written: {}", goal.display(), error.error))
            })?;
        }
        Ok(())
    }

    fn put(&mut self, parts: &[&str]) -> Result<(), Unwritten> {
        let written = parts.iter().try_for_each(|part| self.out.write_all(part.as_bytes()));
        self.told(written)
    }

    fn told(&self, written: std::io::Result<()>) -> Result<(), Unwritten> {
        written.map_err(|error| match (error.kind(), &self.goal) {
            (ErrorKind::BrokenPipe, None) => Unwritten::Closed,
            (_, None) => Unwritten::Failed(format!("standard output cannot be written: {error}")),
            (_, Some(goal)) => Unwritten::Failed(format!("{}: cannot be written: {error}", goal.display())),
        })
    }
}
