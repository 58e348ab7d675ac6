//! Finding and killing what a server process leaves behind.
//!
//! A process is ours if its environment carries the session's mark, or if its parent is ours. Why nothing gets away:
//!
//! - Once a kill was sent, its process makes no further children: the kernel refuses to fork for a dying process. So whoever is
//!   still missing was there before the last kill, and one look that finds nobody new after that kill is enough.
//! - A process is always readable but for one moment: while it becomes another program it shows no environment, however long
//!   a busy machine stretches that moment. The kernel then shows no end of its environment either, which no finished program
//!   lacks. Such a process is killed at once if its parent is ours, and otherwise waited for.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::mcp::transport::mark::Mark;

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

/// Kills every process of the session, and looks again until nobody new is found; says how many there were besides `pid`.
pub(crate) fn kill_marked(pid: u32, mark: &Mark) -> usize {
    if is_newest(pid) {
        // Nobody was born after the server, so it cannot have left anybody behind.
        kill(pid);
        return 0;
    }
    let mut doomed = BTreeSet::new();
    let deadline = Instant::now() + PATIENCE;
    loop {
        let Search { found, is_unsure } = search(pid, mark, &doomed);
        let n_before = doomed.len();
        doomed.extend(found.into_iter().filter(|process| kill(*process)));
        let is_news = doomed.len() > n_before;
        if !(is_news || is_unsure) || Instant::now() >= deadline {
            break;
        }
        if !is_news {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    doomed.remove(&pid);
    doomed.len()
}

/// How long processes that cannot be recognised yet are waited for, and how long a server that forks without end is chased.
const PATIENCE: Duration = Duration::from_secs(2);

#[cfg(unix)]
pub(super) fn kill(process: u32) -> bool {
    group(process).is_some_and(|id| rustix::process::kill_process(id, rustix::process::Signal::KILL).is_ok())
}

#[cfg(not(unix))]
pub(super) fn kill(_process: u32) -> bool {
    false
}

/// What a look at all processes showed.
struct Search {
    /// Living processes of the session that are not doomed yet.
    found: Vec<u32>,
    /// Whether there was one that could not be recognised yet.
    is_unsure: bool,
}

#[cfg(target_os = "linux")]
fn search(pid: u32, mark: &Mark, doomed: &BTreeSet<u32>) -> Search {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Search { found: Vec::new(), is_unsure: false };
    };
    let oldest = if has_wrapped(pid) { 0 } else { pid };
    let processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let processes = processes.filter(|process| *process >= oldest && !doomed.contains(process));
    let mut others = Vec::new();
    let (mut ours, mut found) = (doomed.clone(), Vec::new());
    for process in processes {
        match environment(process) {
            Some(text) if mark.is_in(&text) => {
                ours.insert(process);
                found.push(process);
            }
            Some(text) => others.push((process, text.is_empty())),
            None => {}
        }
    }
    // Most servers are gone by now and have left nobody behind; then only those in the middle of a change matter.
    let is_family = !ours.is_empty();
    let others = others.into_iter().filter(|(_, is_blank)| *is_blank || is_family);
    let mut strangers = Vec::new();
    for stranger in others.filter_map(|(process, is_blank)| look(process, is_blank, mark)) {
        if stranger.sight == Sight::Marked {
            ours.insert(stranger.process);
            found.push(stranger.process);
        } else {
            strangers.push(stranger);
        }
    }
    // A child is adopted by others once its parent is gone, so this only ever adds to what the marks say.
    while let Some(at) = strangers.iter().position(|stranger| ours.contains(&stranger.parent)) {
        let child = strangers.swap_remove(at).process;
        ours.insert(child);
        found.push(child);
    }
    Search { found, is_unsure: strangers.iter().any(|stranger| stranger.sight == Sight::Changing) }
}

#[cfg(not(target_os = "linux"))]
fn search(_pid: u32, _mark: &Mark, _doomed: &BTreeSet<u32>) -> Search {
    Search { found: Vec::new(), is_unsure: false }
}

/// A living process that is neither dead nor a thread of the kernel.
#[cfg(target_os = "linux")]
struct Seen {
    process: u32,
    parent: u32,
    sight: Sight,
}

#[cfg(target_os = "linux")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    Marked,
    Unmarked,
    /// It is becoming another program.
    Changing,
}

/// A closer look at a process that shows no mark, and perhaps no environment at all.
#[cfg(target_os = "linux")]
fn look(process: u32, is_blank: bool, mark: &Mark) -> Option<Seen> {
    let Stat { parent, is_settled } = stat(process)?;
    // A blank one that is settled either has no environment, or became another program between the two looks.
    let is_changed = is_blank && is_settled && mark.is_in(&environment(process)?);
    let sight = match () {
        () if is_changed => Sight::Marked,
        () if is_blank && !is_settled && tells_environment() => Sight::Changing,
        () => Sight::Unmarked,
    };
    Some(Seen { process, parent, sight })
}

#[cfg(target_os = "linux")]
fn environment(process: u32) -> Option<Vec<u8>> {
    read(&format!("/proc/{process}/environ"))
}

#[cfg(target_os = "linux")]
struct Stat {
    parent: u32,
    /// Whether the kernel says where its environment ends.
    is_settled: bool,
}

/// What the kernel tells of a living program; threads of the kernel have no environment for good.
#[cfg(target_os = "linux")]
fn stat(process: u32) -> Option<Stat> {
    let text = String::from_utf8_lossy(&read(&format!("/proc/{process}/stat"))?).into_owned();
    // The name of the program stands before the last bracket and may hold anything; field 3 comes after it.
    let fields: Vec<&str> = text.rsplit(") ").next()?.split(' ').collect();
    let (state, parent) = (*fields.first()?, fields.get(1)?.parse().ok()?);
    // The end of the environment is set last of all, after the place of the arguments.
    let is_settled = fields.get(51 - 3).is_some_and(|end| *end != "0");
    let is_self = process == std::process::id();
    let is_program = is_self || (!matches!(state, "" | "Z" | "X") && !matches!(parent, 0 | 2));
    is_program.then_some(Stat { parent, is_settled })
}

/// Whether this kernel says where an environment ends at all; some that only look like Linux do not.
#[cfg(target_os = "linux")]
fn tells_environment() -> bool {
    stat(std::process::id()).is_some_and(|own| own.is_settled)
}

/// Whether process ids started again from the bottom since `pid`: then its descendants may have smaller ones.
#[cfg(target_os = "linux")]
fn has_wrapped(pid: u32) -> bool {
    newest().is_none_or(|newest| newest < pid)
}

/// Whether `pid` is the process id that was given out last.
#[cfg(target_os = "linux")]
pub(crate) fn is_newest(pid: u32) -> bool {
    newest() == Some(pid)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_newest(_pid: u32) -> bool {
    false
}

/// The process id that was given out last, to a process or a thread of anybody.
#[cfg(target_os = "linux")]
fn newest() -> Option<u32> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next_back()?.parse().ok()
}

/// The text of a file of the kernel; such files tell no size, and growing a buffer for them takes many small reads.
#[cfg(target_os = "linux")]
fn read(path: &str) -> Option<Vec<u8>> {
    use std::io::Read;
    let mut text = Vec::with_capacity(8 << 10);
    std::fs::File::open(path).ok()?.read_to_end(&mut text).ok()?;
    Some(text)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_runs_says_where_its_environment_ends() {
        assert!(tells_environment());
    }
}
