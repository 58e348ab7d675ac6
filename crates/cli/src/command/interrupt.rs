//! Interrupts during a long write: what is unfinished is removed before the program ends.

use std::path::PathBuf;

#[cfg(unix)]
use tokio::{
    runtime::Runtime,
    signal::unix::{Signal, SignalKind, signal},
};

/// Interrupts, heard from now on. They no longer end the program by themselves.
#[cfg(unix)]
pub(crate) struct Interrupts {
    runtime: Runtime,
    interrupt: Signal,
    terminate: Signal,
}

#[cfg(unix)]
impl Interrupts {
    /// Where interrupts cannot be heard, they end the program as they always did.
    pub(crate) fn heard() -> Option<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        let (interrupt, terminate) = {
            let _inside = runtime.enter();
            (signal(SignalKind::interrupt()).ok()?, signal(SignalKind::terminate()).ok()?)
        };
        Some(Self { runtime, interrupt, terminate })
    }

    /// Removes a file at the first of them, and ends the program with the code that a shell gives to that end.
    pub(crate) fn then_remove(self, draft: PathBuf) {
        let Self { runtime, mut interrupt, mut terminate } = self;
        std::thread::spawn(move || {
            let code = runtime.block_on(async {
                tokio::select! {
                    _ = interrupt.recv() => 130,
                    _ = terminate.recv() => 143,
                }
            });
            // A file that is finished has another name by now.
            let _ = std::fs::remove_file(draft);
            std::process::exit(code);
        });
    }
}

/// Interrupts, which end the program here.
#[cfg(not(unix))]
pub(crate) struct Interrupts;

#[cfg(not(unix))]
impl Interrupts {
    pub(crate) fn heard() -> Option<Self> {
        None
    }

    pub(crate) fn then_remove(self, _draft: PathBuf) {}
}
