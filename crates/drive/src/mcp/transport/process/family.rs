//! Who descends from a server while it still lives: a child that sheds the mark and outlives its parent looks like a stranger
//! afterwards.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::mcp::transport::process::descendant::kill;

/// How long those without a mark may take to notice that the server is gone, and how often they are looked at.
const PATIENCE: Duration = Duration::from_millis(500);
const TURN: Duration = Duration::from_millis(5);

/// Processes, each with the hour of its birth, since ids return.
#[derive(Debug, Default)]
pub(super) struct Family(Vec<(u32, u64)>);

/// Most descendants that are noted; one that forks without end is chased by its mark.
#[cfg(target_os = "linux")]
const MOST: usize = 1_000;

impl Family {
    /// The descendants of a process as they are now.
    #[cfg(target_os = "linux")]
    pub(super) fn of(pid: u32) -> Family {
        let mut family = Vec::new();
        let mut parents = vec![pid];
        while let Some(parent) = parents.pop().filter(|_| family.len() < MOST) {
            for child in children(parent) {
                family.extend(birth(child).map(|birth| (child, birth)));
                parents.push(child);
            }
        }
        Family(family)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn of(_pid: u32) -> Family {
        Family::default()
    }

    /// Waits a little for those that are left to end by themselves, then kills them; says how many.
    pub(super) async fn end(&self) -> usize {
        let deadline = Instant::now() + PATIENCE;
        while self.living().next().is_some() && Instant::now() < deadline {
            sleep(TURN).await;
        }
        self.kill()
    }

    /// Kills those that are left; says how many.
    pub(super) fn kill(&self) -> usize {
        self.living().filter(|process| kill(*process)).count()
    }

    /// Those that still live.
    #[cfg(target_os = "linux")]
    fn living(&self) -> impl Iterator<Item = u32> {
        self.0.iter().filter(|(process, born)| birth(*process) == Some(*born)).map(|(process, _)| *process)
    }

    #[cfg(not(target_os = "linux"))]
    fn living(&self) -> impl Iterator<Item = u32> {
        std::iter::empty()
    }
}

/// The children of a process, which the kernel tells thread by thread.
#[cfg(target_os = "linux")]
fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|thread| {
        let list = thread.path().join("children");
        std::fs::read_to_string(list).ok()
    });
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

/// When a living process was born, in the kernel's count.
#[cfg(target_os = "linux")]
fn birth(process: u32) -> Option<u64> {
    let text = std::fs::read(format!("/proc/{process}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    // The name of the program stands before the last bracket and may hold anything; field 3 comes after it.
    let mut fields = text.rsplit(") ").next()?.split(' ');
    let is_alive = !matches!(fields.next()?, "Z" | "X");
    fields.nth(22 - 4)?.parse().ok().filter(|_| is_alive)
}
