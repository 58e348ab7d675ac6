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
    spawning_service(|| start_idle(false));
}

fn leaves_stranger() {
    spawning_service(|| start_idle(true));
}

fn crashes_leaving_child() {
    spawning_service(|| {
        eprintln!("child {}", start_idle(false));
        std::process::exit(7)
    });
}

/// A service whose only tool does something and returns the id of a process.
fn spawning_service(spawn: fn() -> u32) {
    let tools = vec![structured_tool("spawn", json!({}), &[], json!({ "pid": { "type": "integer" } }))];
    serve(Service::new(tools, |_, _, _| Reply::Structured(json!({ "pid": spawn() }))));
}

fn start_idle(is_stranger: bool) -> u32 {
    let program = std::env::current_exe().expect("a running program has a path");
    let mut command = Command::new(program);
    command.arg("idle").stdin(Stdio::null());
    if is_stranger {
        command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    }
    command.spawn().expect("the program that is running can be started again").id()
}
