//! Composing many small parts of one document: the document is made ready once, each part is composed when asked for.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::compose::{DEEP_STACK, Set, Shape, configured, registry};
use crate::document::Document;
use crate::json::Pointer;
use crate::validate::Formats;

/// Composes parts of one document on a thread with a deep stack.
#[derive(Debug)]
pub(crate) struct Parts {
    ask: Sender<Pointer>,
    answer: Receiver<Option<Set>>,
    patience: Duration,
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
        Self { ask, answer, patience, is_over }
    }

    /// Whether nothing more can be asked.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The set at a place; `None` when it cannot be said exactly, or when composing did not come back.
    pub(crate) fn at(&mut self, pointer: Pointer) -> Option<Set> {
        self.is_over |= self.ask.send(pointer).is_err();
        if self.is_over {
            return None;
        }
        if let Ok(set) = self.answer.recv_timeout(self.patience) {
            return set;
        }
        // An answer that comes later would be taken for another question's.
        self.is_over = true;
        None
    }
}
