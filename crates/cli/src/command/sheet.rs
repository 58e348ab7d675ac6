//! What is written: a whole text, plain data, or instance after instance.

use std::path::Path;

use serde_json::Value;

use crate::args::Form;
use crate::command::goal::{Draft, Pace, Unwritten, finished};
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

/// Writes a whole file, or none; `-` is standard output.
pub(crate) fn write_file(goal: &Path, text: &str) -> Result<(), Trouble> {
    let mut draft = Draft::open(goal, Pace::Brief)?;
    finished(draft.put(&[text]).and_then(|()| draft.close()))
}

/// Writes plain data as indented JSON.
pub(crate) fn write_json(goal: &Path, data: &impl serde::Serialize) -> Result<(), Trouble> {
    let text = serde_json::to_string_pretty(data).expect("a report is plain data");
    write_file(goal, &format!("{text}\n"))
}

/// Instances being written.
pub(crate) struct Sheet {
    draft: Draft,
    form: Form,
    n_written: u64,
}

impl Sheet {
    /// Opens what is named, or standard output.
    pub(crate) fn open(goal: Option<&Path>, form: Form) -> Result<Self, Trouble> {
        let draft = Draft::open(goal.unwrap_or(Path::new("-")), Pace::Long)?;
        Ok(Self { draft, form, n_written: 0 })
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
        self.draft.put(&[before, text, after])
    }

    /// Ends it; a file appears only now.
    pub(crate) fn close(mut self) -> Result<(), Unwritten> {
        match (self.form, self.n_written) {
            (Form::Ndjson, _) => {}
            (Form::Json | Form::Pretty, 0) => self.draft.put(&["[]\n"])?,
            (Form::Json | Form::Pretty, _) => self.draft.put(&["\n]\n"])?,
        }
        self.draft.close()
    }
}
