//! AJV 8 as a second opinion: whether an instance is valid for the validator most users run.
//!
//! AJV runs in a Node process of ours (`testdeps/ajv-judge.mjs`) that lives as long as its [`Judge`]. Three things
//! are kept apart: AJV rejects an instance, AJV cannot compile the schema at all, and AJV does not come to an end.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::draft::Draft;
use crate::workspace;

/// How long AJV may take over one schema with all its instances.
const PATIENCE: Duration = Duration::from_secs(20);
/// How much longer we wait for the process around it before we stop that too.
const GRACE: Duration = Duration::from_secs(10);

/// A schema and the instances AJV is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The schema as JSON text.
    pub schema: &'a str,
    /// The draft AJV is to read it by, whatever `$schema` says.
    pub draft: Draft,
    /// Instances as JSON texts.
    pub instances: &'a [String],
    /// What AJV does with `format`.
    pub formats: Formats,
    /// What AJV does with keywords beside `$ref` in drafts 4 to 7.
    pub siblings: Siblings,
    /// How long AJV may take.
    pub patience: Duration,
}

/// What a validator does with `format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formats {
    /// A string of the wrong format is invalid.
    Assert,
    /// A format says nothing about validity.
    Annotate,
}

/// What a validator does with keywords beside `$ref` in drafts 4 to 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Siblings {
    /// They count, as AJV does by default.
    Apply,
    /// They do not, as those drafts demand.
    Ignore,
}

/// What AJV said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// AJV judged every instance.
    Judged {
        /// The instances it rejected; all others are valid.
        rejected: Vec<Rejection>,
        /// What had to be done so that AJV could judge.
        notes: Vec<String>,
    },
    /// AJV cannot compile the schema, so it has no opinion.
    Unavailable {
        /// What AJV said.
        reason: String,
    },
    /// AJV did not come to an end in time.
    GaveUp {
        /// How long it was given.
        reason: String,
    },
}

/// An instance that AJV rejects.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Rejection {
    /// Its place among the instances asked about.
    pub index: usize,
    /// AJV's first reason.
    pub message: String,
}

/// Why AJV cannot be asked at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The npm packages are not there.
    #[error("{} is missing: install what the tests need with `cargo xtask deps`", path.display())]
    NotInstalled {
        /// What was looked for.
        path: PathBuf,
    },
    /// Node could not be started.
    #[error(
        "node could not be started ({reason}): install Node.js 20 or newer and see that it is on the PATH"
    )]
    NoNode {
        /// What the system said.
        reason: std::io::Error,
    },
    /// The process stopped answering, or answered something else than a verdict.
    #[error("the AJV judge broke down: {reason}")]
    Broken {
        /// What happened.
        reason: String,
    },
}

/// A running AJV; its process ends with it.
#[derive(Debug)]
pub struct Judge {
    process: Process,
    packages: PathBuf,
    n_asked: u64,
}

impl<'a> Question<'a> {
    /// The question users' own AJV answers: formats asserted, keywords beside `$ref` applied.
    #[must_use]
    pub fn new(schema: &'a str, draft: Draft, instances: &'a [String]) -> Self {
        let (formats, siblings) = (Formats::Assert, Siblings::Apply);
        Self { schema, draft, instances, formats, siblings, patience: PATIENCE }
    }
}

impl Judge {
    /// Starts AJV as `cargo xtask deps` installed it.
    pub fn start() -> Result<Self, JudgeError> {
        Self::start_with(&workspace::npm())
    }

    /// Starts AJV from a folder that holds `node_modules`.
    pub fn start_with(packages: &Path) -> Result<Self, JudgeError> {
        let path = packages.join("node_modules/ajv");
        if !path.is_dir() {
            return Err(JudgeError::NotInstalled { path });
        }
        Ok(Self { process: Process::start(packages)?, packages: packages.to_path_buf(), n_asked: 0 })
    }

    /// Asks AJV about every instance of a question.
    pub fn judge(&mut self, question: &Question<'_>) -> Result<Verdict, JudgeError> {
        self.n_asked += 1;
        let request = request(self.n_asked, question)?;
        match self.process.ask(&request, question.patience + GRACE) {
            Ok(answer) => read_answer(self.n_asked, &answer),
            Err(reason) => {
                // Whatever the old process still says belongs to a question nobody waits for.
                self.process = Process::start(&self.packages)?;
                Ok(Verdict::GaveUp { reason })
            }
        }
    }
}

/// A line to the judge.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    id: u64,
    draft: &'a str,
    schema: &'a RawValue,
    instances: &'a [String],
    formats: bool,
    siblings: bool,
    timeout_ms: u128,
}

/// A line from the judge.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    id: Option<u64>,
    error: Option<String>,
    gave_up: Option<String>,
    #[serde(default)]
    invalid: Vec<Rejection>,
    #[serde(default)]
    notes: Vec<String>,
}

fn request(id: u64, question: &Question<'_>) -> Result<String, JudgeError> {
    let Question { schema, draft, instances, formats, siblings, patience } = *question;
    // A line is a question, so the schema's own line breaks must go; letter by letter it stays the same otherwise.
    let one_line: String = schema.chars().map(|c| if c == '\n' || c == '\r' { ' ' } else { c }).collect();
    let broken = |error: serde_json::Error| JudgeError::Broken { reason: format!("schema: {error}") };
    let schema = RawValue::from_string(one_line).map_err(broken)?;
    let request = Request {
        id,
        draft: draft.name(),
        schema: &schema,
        instances,
        formats: formats == Formats::Assert,
        siblings: siblings == Siblings::Apply,
        timeout_ms: patience.as_millis(),
    };
    serde_json::to_string(&request).map_err(broken)
}

fn read_answer(asked: u64, line: &str) -> Result<Verdict, JudgeError> {
    let answer: Answer = serde_json::from_str(line)
        .map_err(|error| JudgeError::Broken { reason: format!("{error} in the answer {line}") })?;
    let Answer { id, error, gave_up, invalid, notes } = answer;
    match (error, gave_up) {
        _ if id != Some(asked) => {
            Err(JudgeError::Broken { reason: format!("not an answer to {asked}: {line}") })
        }
        (Some(reason), _) => Ok(Verdict::Unavailable { reason }),
        (None, Some(reason)) => Ok(Verdict::GaveUp { reason }),
        (None, None) => Ok(Verdict::Judged { rejected: invalid, notes }),
    }
}

/// The Node process, and the thread that reads its answers.
#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Process {
    fn start(packages: &Path) -> Result<Self, JudgeError> {
        let mut child = Command::new("node")
            .arg(workspace::root().join("testdeps/ajv-judge.mjs"))
            .arg(packages)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|reason| JudgeError::NoNode { reason })?;
        let input = child.stdin.take().expect("standard input was asked for");
        let output = child.stdout.take().expect("standard output was asked for");
        let (sender, answers) = channel();
        // The thread ends with the process: its output closes, or nobody listens any more.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, answers })
    }

    fn ask(&mut self, line: &str, patience: Duration) -> Result<String, String> {
        let written = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        written.map_err(|error| format!("AJV takes no questions: {error}"))?;
        self.answers.recv_timeout(patience).map_err(|error| format!("AJV gave up: {error}"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only if the process has already ended, which is all we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
