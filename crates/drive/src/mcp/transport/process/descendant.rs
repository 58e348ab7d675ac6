//! Finding and killing what a server process leaves behind.

use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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

/// Kills every process that carries the mark, again until none is found; says how many there were besides `pid`.
pub(crate) fn kill_marked(pid: u32, mark: &Mark) -> usize {
    let mut killed = BTreeSet::new();
    // A process may fork between the look and the kill; a few rounds outrun all but a fork bomb.
    for _ in 0..ROUNDS {
        let Search { marked, is_unsure } = search(pid, mark);
        if marked.is_empty() {
            if !is_unsure {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        for process in marked {
            #[cfg(unix)]
            if let Some(id) = group(process)
                && rustix::process::kill_process(id, rustix::process::Signal::KILL).is_ok()
            {
                killed.insert(process);
            }
            #[cfg(not(unix))]
            let _ = (process, &mut killed);
        }
    }
    killed.remove(&pid);
    killed.len()
}

/// How often is looked for marked processes before giving up.
const ROUNDS: usize = 10;

/// What a look at all processes showed.
struct Search {
    /// Living processes with the mark in their environment.
    marked: Vec<u32>,
    /// Whether there was one whose environment could not be seen yet.
    is_unsure: bool,
}

#[cfg(target_os = "linux")]
fn search(pid: u32, mark: &Mark) -> Search {
    let mut found = Search { marked: Vec::new(), is_unsure: false };
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return found;
    };
    let sought = format!("{VARIABLE}={}", mark.as_str());
    let oldest = if has_wrapped(pid) { 0 } else { pid };
    let processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    for process in processes.filter(|process| *process >= oldest) {
        let Ok(environment) = std::fs::read(format!("/proc/{process}/environ")) else {
            continue;
        };
        if environment.split(|byte| *byte == 0).any(|variable| variable == sought.as_bytes()) {
            found.marked.push(process);
        }
        // In the middle of becoming another program a process shows no environment for a moment.
        found.is_unsure |= environment.is_empty() && is_program(process);
    }
    found
}

#[cfg(not(target_os = "linux"))]
fn search(_pid: u32, _mark: &Mark) -> Search {
    Search { marked: Vec::new(), is_unsure: false }
}

/// Whether a process is neither dead nor a thread of the kernel; both have no environment for good.
#[cfg(target_os = "linux")]
fn is_program(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    let (state, parent) = (fields.next(), fields.next());
    !matches!(state, None | Some("" | "Z" | "X")) && !matches!(parent, None | Some("0" | "2"))
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
