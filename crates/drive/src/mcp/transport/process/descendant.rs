//! Finding and killing what a server process leaves behind.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The environment variable that marks a server and everything it starts.
pub(crate) const VARIABLE: &str = "PROBITY_CHILD_OF";

/// The value of the variable for one session.
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new() -> Mark {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        Mark(format!("{}.{}", owner(), COUNTER.fetch_add(1, Ordering::Relaxed)))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The first part of every mark of this process: its id and, since ids return, its hour of birth.
pub(crate) fn owner() -> &'static str {
    static OWNER: OnceLock<String> = OnceLock::new();
    OWNER.get_or_init(|| {
        let born = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{}.{}", std::process::id(), born.as_millis())
    })
}

#[cfg(unix)]
fn group(pid: u32) -> Option<rustix::process::Pid> {
    // A group id of 0 or 1 would mean our own group or everybody.
    i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(rustix::process::Pid::from_raw)
}

/// Asks the whole group to end.
pub(crate) fn terminate_group(pid: u32) {
    #[cfg(unix)]
    if let Some(group) = group(pid) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
    }
    #[cfg(not(unix))]
    let _ = pid;
}

/// Kills the whole group.
pub(crate) fn kill_group(pid: u32) {
    #[cfg(unix)]
    if let Some(group) = group(pid) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = pid;
}

/// Kills every process that carries the mark, again until none is found; says how many there were.
pub(crate) fn kill_marked(pid: u32, mark: &Mark) -> usize {
    let mut n_killed = 0;
    // A process may fork between the look and the kill; a few rounds outrun all but a fork bomb.
    for _ in 0..8 {
        let marked = marked(pid, mark);
        if marked.is_empty() {
            break;
        }
        for process in marked {
            #[cfg(unix)]
            if let Some(process) = group(process)
                && rustix::process::kill_process(process, rustix::process::Signal::KILL).is_ok()
            {
                n_killed += usize::from(process.as_raw_nonzero().get().unsigned_abs() != pid);
            }
            #[cfg(not(unix))]
            let _ = (process, &mut n_killed);
        }
    }
    n_killed
}

/// The living processes with the mark in their environment; zombies have no environment any more.
#[cfg(target_os = "linux")]
fn marked(pid: u32, mark: &Mark) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let sought = format!("{VARIABLE}={}", mark.as_str());
    let oldest = if has_wrapped(pid) { 0 } else { pid };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|candidate| *candidate >= oldest)
        .filter(|candidate| {
            std::fs::read(format!("/proc/{candidate}/environ")).is_ok_and(|environment| {
                environment.split(|byte| *byte == 0).any(|variable| variable == sought.as_bytes())
            })
        })
        .collect()
}

#[cfg(not(target_os = "linux"))]
fn marked(_pid: u32, _mark: &Mark) -> Vec<u32> {
    Vec::new()
}

/// Whether process ids started again from the bottom since `pid`: then its descendants may have smaller ones.
#[cfg(target_os = "linux")]
fn has_wrapped(pid: u32) -> bool {
    // The last field is the id given out last.
    let newest = std::fs::read_to_string("/proc/loadavg")
        .ok()
        .and_then(|text| text.split_whitespace().next_back()?.parse::<u32>().ok());
    newest.is_none_or(|newest| newest < pid)
}
