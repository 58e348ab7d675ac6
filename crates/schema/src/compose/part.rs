//! Composing many small parts of one document: the document is made ready once, each part is composed when asked for.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::compose::{DEEP_STACK, Set, Shape, configured, registry};
use crate::document::Document;
use crate::json::Pointer;
use crate::validate::Formats;

/// One turn of waiting for an answer.
const TURN: Duration = Duration::from_millis(1);
/// Turns for all questions together, when they must not be felt.
const HURRIED_TURNS: u64 = 3_000;

/// Composes parts of one document on a thread with a deep stack.
#[derive(Debug)]
pub(crate) struct Parts {
    ask: Sender<Pointer>,
    answer: Receiver<Option<Set>>,
    patience: Duration,
    /// How many more turns of waiting there are for all questions together; every question takes one at least.
    n_turns: u64,
    is_over: bool,
}

impl Parts {
    /// Makes a document ready.
    pub(crate) fn of(document: Document, formats: Formats) -> Self {
        let (ask, asked) = channel::<Pointer>();
        let (tell, answer) = channel();
        let patience = Duration::from_millis(document.limits.compose_ms);
        let work = move || {
            let Ok(registry) = registry(&document) else { return };
            let Ok(prepared) = configured(&document, &registry, formats).prepare(&document.root) else {
                return;
            };
            for pointer in asked {
                let read = prepared.canonicalize_at(pointer.as_str()).ok();
                let exact = read.filter(|schema| !matches!(schema.view(), Shape::Raw(_))).map(Set);
                if tell.send(exact).is_err() {
                    return;
                }
            }
        };
        let is_over = thread::Builder::new().stack_size(DEEP_STACK).spawn(work).is_err();
        Self { ask, answer, patience, n_turns: u64::MAX, is_over }
    }

    /// The same with a bound on all questions together.
    pub(crate) fn hurried(self) -> Self {
        Self { n_turns: HURRIED_TURNS, ..self }
    }

    /// Whether nothing more can be asked.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over || self.n_turns == 0
    }

    /// The set at a place; `None` when it cannot be said exactly, or when composing did not come back.
    pub(crate) fn at(&mut self, pointer: Pointer) -> Option<Set> {
        if self.is_over() || self.ask.send(pointer).is_err() {
            return None;
        }
        let n_patient = u64::try_from(self.patience.as_millis() / TURN.as_millis()).unwrap_or(u64::MAX);
        for _ in 0..n_patient.clamp(1, self.n_turns) {
            self.n_turns -= 1;
            match self.answer.recv_timeout(TURN) {
                Ok(set) => return set,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // An answer that comes later would be taken for another question's.
        self.is_over = true;
        None
    }
}
