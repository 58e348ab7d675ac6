//! Servers that are hard to get rid of, and the idle process they leave behind.
//!
//! Nothing here lasts for ever: an idle process ends by itself after two minutes, even if every test fails.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::servers::Mode;
use crate::servers::service::{Reply, Service, serve, structured_tool};

pub(crate) const MODES: &[Mode] = &[
    Mode { name: "idle", about: "Does nothing for two minutes.", run: idle },
    Mode { name: "ignores-end", about: "Goes on after its input was closed.", run: ignores_end },
    Mode {
        name: "leaves-child",
        about: "Starts a child that stays and holds its output open.",
        run: leaves_child,
    },
    Mode {
        name: "leaves-stranger",
        about: "Starts a child in another process group that holds nothing.",
        run: leaves_stranger,
    },
    Mode {
        name: "leaves-nameless",
        about: "The same, and the child knows nothing of its environment.",
        run: leaves_nameless,
    },
    Mode {
        name: "crashes-leaving-child",
        about: "Starts a child that holds its output open, then ends.",
        run: crashes_leaving_child,
    },
];

/// Waits for two minutes.
pub(crate) fn idle() {
    std::thread::sleep(Duration::from_secs(120));
}

pub(crate) fn ignores_end() {
    spawning_service(|| 0);
    idle();
}

fn leaves_child() {
    spawning_service(|| start_idle(Child::Own));
}

fn leaves_stranger() {
    spawning_service(|| start_idle(Child::Stranger));
}

fn leaves_nameless() {
    spawning_service(|| start_idle(Child::Nameless));
}

fn crashes_leaving_child() {
    spawning_service(|| {
        eprintln!("child {}", start_idle(Child::Own));
        std::process::exit(7)
    });
}

/// A service whose only tool does something and returns the id of a process.
fn spawning_service(spawn: fn() -> u32) {
    let tools = vec![structured_tool("spawn", json!({}), &[], json!({ "pid": { "type": "integer" } }))];
    serve(Service::new(tools, |_, _, _| Reply::Structured(json!({ "pid": spawn() }))));
}

/// How a child stands to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Child {
    /// In its process group, with its output.
    Own,
    /// In a process group of its own, holding nothing.
    Stranger,
    /// The same, without an environment.
    Nameless,
}

fn start_idle(child: Child) -> u32 {
    let program = std::env::current_exe().expect("a running program has a path");
    let mut command = Command::new(program);
    command.arg("idle").stdin(Stdio::null());
    if child != Child::Own {
        command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    }
    if child == Child::Nameless {
        command.env_clear();
    }
    command.spawn().expect("the program that is running can be started again").id()
}
