//! A watcher outside our process that kills the servers if we die without doing it.
//!
//! It is one shell for the whole process, started with the first server. Its standard input is a pipe of which only
//! we hold the other end; whatever ends us closes the pipe, and then it kills every group we had not signed off and
//! every process with our mark. Where there is no shell, servers still see their input close.

#[cfg(unix)]
use std::{
    io::Write,
    os::unix::process::CommandExt,
    process::{ChildStdin, Command, Stdio},
    sync::{Mutex, PoisonError},
};

#[cfg(unix)]
use crate::mcp::transport::mark::{VARIABLE, owner};

/// Reads `+ GROUP` and `- GROUP`; at the end of input kills what is left.
///
/// If every group was signed off, nothing should be left, and one look shows it. Otherwise it looks until there was nobody for
/// half a second, because a process that is becoming another program shows no mark for a moment.
#[cfg(unix)]
const SCRIPT: &str = r#"
trap '' HUP INT TERM
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;; esac ;;
  esac
done
quiet=9
for group in $groups; do kill -KILL -- "-$group"; quiet=0; done
look=0
while [ "$look" -lt 200 ] && [ "$quiet" -lt 10 ]; do
  look=$((look + 1))
  quiet=$((quiet + 1))
  for file in $(grep -lsF -- "$1" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    kill -KILL "${pid%/environ}" && quiet=0
  done
  [ "$quiet" -ge 10 ] || sleep 0.05
done
"#;

#[cfg(unix)]
enum Guardian {
    NotStarted,
    Running(ChildStdin),
    Missing,
}

#[cfg(unix)]
static GUARDIAN: Mutex<Guardian> = Mutex::new(Guardian::NotStarted);

/// Puts a process group under guard.
pub(crate) fn watch(group: u32) {
    #[cfg(unix)]
    tell(&format!("+ {group}\n"), true);
    #[cfg(not(unix))]
    let _ = group;
}

/// Releases a process group that has ended, so that its number may be used by others.
pub(crate) fn forget(group: u32) {
    #[cfg(unix)]
    tell(&format!("- {group}\n"), false);
    #[cfg(not(unix))]
    let _ = group;
}

#[cfg(unix)]
fn tell(line: &str, may_start: bool) {
    let mut guardian = GUARDIAN.lock().unwrap_or_else(PoisonError::into_inner);
    if may_start && matches!(*guardian, Guardian::NotStarted) {
        *guardian = start().map_or(Guardian::Missing, Guardian::Running);
    }
    if let Guardian::Running(pipe) = &mut *guardian
        && pipe.write_all(line.as_bytes()).is_err()
    {
        // Somebody killed the guardian; the next server gets a new one.
        *guardian = Guardian::NotStarted;
    }
}

#[cfg(unix)]
fn start() -> Option<ChildStdin> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", SCRIPT, "probity-guardian", &format!(":{}.", owner())])
        // It is no part of any session, also where Probity is the server that is tested.
        .env_remove(VARIABLE)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // A group of its own, so that the interrupt key of a terminal does not reach it before us.
        .process_group(0)
        .spawn()
        .ok()?;
    child.stdin.take()
}
