//! `probity generate`: a schema file into a stream of instances.

use std::io::{BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::Path;

use probity_schema::{Metrics, Source, Stop};
use serde_json::Value;

use crate::args::{Form, GenerateArgs};
use crate::config::{Generate, in_file};
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

pub(crate) fn run(args: &GenerateArgs, console: &Console) -> Result<Outcome, Trouble> {
    let config = Generate::of(args)?;
    let source =
        Source::of(&config.document, &config.options).map_err(|error| in_file(&args.schema, &error))?;
    console.notes(
        &source.notes().iter().map(|note| format!("at {}: {}", note.at, note.text)).collect::<Vec<_>>(),
    );

    let mut sheet = Sheet::open(args)?;
    let progress = console.progress(config.job.range.end - config.job.range.start);
    let mut trouble = None;
    let (metrics, stop) = source.run(
        &config.job,
        |value| written(&value, args.out),
        |text| {
            progress.inc(1);
            match sheet.add(&text) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    trouble = Some(error);
                    ControlFlow::Break(())
                }
            }
        },
    );
    progress.finish_and_clear();
    if args.metrics {
        console.say(&table(&metrics));
    }
    let ended = match trouble {
        Some(error) => Err(error),
        None => sheet.close(),
    };
    match ended {
        Err(Unwritten::Closed) => return Ok(Outcome::Done),
        Err(Unwritten::Failed(error)) => return Err(Trouble::misused(error)),
        Ok(()) => {}
    }
    match stop {
        Some(Stop::GaveUp(gave_up)) => Err(in_file(&args.schema, &gave_up)),
        Some(_) | None => Ok(Outcome::Done),
    }
}

fn written(value: &Value, form: Form) -> String {
    match form {
        Form::Ndjson | Form::Json => value.to_string(),
        Form::Pretty => {
            let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
            text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Why instances were not written.
enum Unwritten {
    /// Nobody reads any more; that is no trouble.
    Closed,
    /// Where and why.
    Failed(String),
}

/// Where instances are written: a stream, or a file that appears only when it is whole.
struct Sheet {
    out: BufWriter<Box<dyn Write>>,
    file: Option<tempfile::TempPath>,
    goal: Option<std::path::PathBuf>,
    form: Form,
    n_written: u64,
}

impl Sheet {
    fn open(args: &GenerateArgs) -> Result<Self, Trouble> {
        let Some(goal) = &args.output else {
            let out = BufWriter::with_capacity(64 << 10, Box::new(std::io::stdout()) as Box<dyn Write>);
            return Ok(Self { out, file: None, goal: None, form: args.out, n_written: 0 });
        };
        let folder = goal.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if goal.is_dir() {
            return Err(in_file(goal, &"this is a folder; name a file"));
        }
        let (file, path) = tempfile::NamedTempFile::new_in(folder)
            .map_err(|error| in_file(goal, &format!("cannot be written: {error}")))?
            .into_parts();
        let out = BufWriter::with_capacity(64 << 10, Box::new(file) as Box<dyn Write>);
        Ok(Self { out, file: Some(path), goal: Some(goal.clone()), form: args.out, n_written: 0 })
    }

    fn add(&mut self, text: &str) -> Result<(), Unwritten> {
        let before = match (self.form, self.n_written) {
            (Form::Ndjson, _) => "",
            (Form::Json | Form::Pretty, 0) => "[\n",
            (Form::Json | Form::Pretty, _) => ",\n",
        };
        let after = if self.form == Form::Ndjson { "\n" } else { "" };
        self.n_written += 1;
        self.put(&[before, text, after])
    }

    fn close(mut self) -> Result<(), Unwritten> {
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

/// The metrics as people read them.
pub(crate) fn table(metrics: &Metrics) -> String {
    let Metrics {
        normalize_ns,
        compose_ns,
        generate_ns,
        repair_ns,
        validate_ns,
        n_instances,
        n_draws,
        n_repaired,
        n_edits,
        n_discarded,
    } = *metrics;
    let phases = [
        ("normalize", normalize_ns, String::new()),
        ("compose", compose_ns, String::new()),
        ("generate", generate_ns, format!("{n_draws} draws")),
        ("repair", repair_ns, format!("{n_repaired} repaired with {n_edits} edits, {n_discarded} discarded")),
        ("validate", validate_ns, format!("{n_instances} valid")),
    ];
    let line = |(phase, nanos, counts): &(&str, u64, String)| {
        let milliseconds = format!("{}.{:03}", nanos / 1_000_000, nanos / 1_000 % 1_000);
        format!("{phase:<10} {milliseconds:>12} ms  {counts}").trim_end().to_owned()
    };
    phases.iter().map(line).collect::<Vec<_>>().join("\n")
}
