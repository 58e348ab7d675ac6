//! A server as a child process: started in a group of its own, watched, and never left behind.
//!
//! Killing goes to every process that carries the session's mark in its environment or descends from one that does,
//! and to the whole process group. That finds children that moved to another group or session. Should Probity itself
//! die without a chance to clean up, the guardian does the same from outside.

mod descendant;
mod family;
mod guardian;
mod tail;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::mcp::limits::Limits;
use crate::mcp::transport::mark::{Mark, VARIABLE};
use crate::mcp::transport::process::family::Family;
use crate::mcp::transport::process::tail::Tail;

/// How to start a server that speaks over its standard input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StdioServer {
    /// The program, found by the rules of the operating system.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Environment variables to set beside those that are inherited.
    pub env: Vec<(OsString, OsString)>,
    /// Whether our own environment is inherited.
    pub is_env_inherited: bool,
    /// The working directory; ours if none is given.
    pub cwd: Option<PathBuf>,
}

impl StdioServer {
    /// A program with arguments, in our own environment and directory.
    #[must_use]
    pub fn new(
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> StdioServer {
        StdioServer {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            is_env_inherited: true,
            cwd: None,
        }
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// It returned this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// The operating system did not say.
    Unknown,
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(formatter, "exit code {code}"),
            Exit::Signal(signal) => write!(formatter, "signal {signal}"),
            Exit::Unknown => formatter.write_str("unknown exit status"),
        }
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Exit {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Exit::Signal(signal);
        }
        status.code().map_or(Exit::Unknown, Exit::Code)
    }
}

/// How a process was brought to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ending {
    pub(crate) exit: Option<Exit>,
    /// Whether it had to be killed because it stayed after its input was closed.
    pub(crate) is_forced: bool,
    /// Further processes it had left behind, which were killed.
    pub(crate) n_left_behind: usize,
}

/// A running server process.
pub(crate) struct Process {
    pid: u32,
    mark: Mark,
    exit: watch::Receiver<Option<Exit>>,
    stderr: Arc<Mutex<Tail>>,
    stderr_reader: JoinHandle<()>,
    supervisor: JoinHandle<()>,
    /// Who descended from it when it was last looked at.
    family: Family,
    /// Whether everything was already killed and signed off.
    is_over: bool,
}

impl Process {
    /// Starts the server; must be called within a tokio runtime.
    pub(crate) fn start(
        server: &StdioServer,
        limits: &Limits,
    ) -> io::Result<(Process, ChildStdin, ChildStdout)> {
        let StdioServer { program, args, env, is_env_inherited, cwd } = server;
        let mark = Mark::new();
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        if !is_env_inherited {
            command.env_clear();
        }
        command.envs(env.iter().map(|(name, value)| (name, value))).env(VARIABLE, mark.value());
        if let Some(cwd) = cwd {
            command.current_dir(cwd);
        }
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let pid =
            child.id().ok_or_else(|| io::Error::other("the process ended before it could be watched"))?;
        guardian::watch(pid);
        let missing = || io::Error::other("a pipe to the process is missing");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let tail = Arc::new(Mutex::new(Tail::new(limits.stderr_bytes, mark.clone())));
        let stderr_reader = tokio::spawn(read_stderr(stderr, Arc::clone(&tail)));
        let (sender, exit) = watch::channel(None);
        let supervisor = tokio::spawn(async move {
            let exit = child.wait().await.map_or(Exit::Unknown, Exit::from);
            sender.send_replace(Some(exit));
        });
        Ok((
            Process {
                pid,
                mark,
                exit,
                stderr: tail,
                stderr_reader,
                supervisor,
                family: Family::default(),
                is_over: false,
            },
            stdin,
            stdout,
        ))
    }

    /// The id of the process, which is also that of its group.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// What everything that the process starts is marked with.
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// A view of the exit status that outlives borrows of the process.
    pub(crate) fn exit_watch(&self) -> watch::Receiver<Option<Exit>> {
        self.exit.clone()
    }

    /// How the process ended, waiting for that at most so long.
    pub(crate) async fn exit_within(&self, patience: Duration) -> Option<Exit> {
        let mut exit = self.exit.clone();
        let ended = timeout(patience, exit.wait_for(Option::is_some)).await;
        ended.ok().and_then(|exit| exit.ok().and_then(|exit| *exit))
    }

    /// The end of what the process wrote to standard error; after an exit the last words may still be on their way.
    pub(crate) async fn stderr_tail(&mut self, patience: Duration) -> String {
        if self.exit.borrow().is_some() && !self.stderr_reader.is_finished() {
            // A child of the server may hold the pipe open for ever, so the wait is bounded.
            let _ = timeout(patience, &mut self.stderr_reader).await;
        }
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Looks at who descends from the server, before it is given a reason to end: afterwards they may not be known by anything.
    pub(crate) fn look_at_family(&mut self) {
        // The id of one that has ended may be that of a stranger by now.
        if self.exit.borrow().is_none() && !descendant::is_newest(self.pid) {
            self.family = Family::of(self.pid);
        }
    }

    /// Waits a while for the end after standard input was closed, then asks for it with patience, then enforces it, for
    /// all descendants.
    pub(crate) async fn end(&mut self, wait: Duration, patience: Duration) -> Ending {
        let mut exit = self.exit_within(wait).await;
        let is_forced = exit.is_none();
        if is_forced {
            descendant::terminate_group(self.pid);
            exit = self.exit_within(patience / 2).await;
        }
        let n_left_behind = self.kill_all() + self.family.end().await;
        if exit.is_none() {
            exit = self.exit_within(patience).await;
        }
        guardian::forget(self.pid);
        self.is_over = exit.is_some();
        Ending { exit, is_forced, n_left_behind }
    }

    /// Kills everything that carries the mark and the group; the number says how many besides the server itself.
    fn kill_all(&self) -> usize {
        let n_left_behind = descendant::kill_marked(self.pid, &self.mark);
        descendant::kill_group(self.pid);
        n_left_behind
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_over {
            self.kill_all();
            self.family.kill();
            guardian::forget(self.pid);
        }
        // Dropping the supervisor hands the child to tokio, which reaps it.
        self.supervisor.abort();
        self.stderr_reader.abort();
    }
}

async fn read_stderr(mut stderr: ChildStderr, tail: Arc<Mutex<Tail>>) {
    let mut chunk = Vec::with_capacity(8 << 10);
    while let Ok(1..) = stderr.read_buf(&mut chunk).await {
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk);
        chunk.clear();
    }
}
