//! Panics of tested code, caught with their message and place, and kept off the terminal while we look for a minimum.
//!
//! The panic hook is global, so ours is installed once, and is silent only on a thread that is inside the engine.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::pin::Pin;
use std::sync::Once;
use std::task::{Context, Poll};

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a closure; a panic in it becomes its message.
pub(crate) fn quietly<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    install();
    DEPTH.set(DEPTH.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(run));
    DEPTH.set(DEPTH.get() - 1);
    outcome.map_err(|payload| {
        let last = LAST.take();
        let text = text_of(&*payload);
        // A payload may be a value whose own drop panics; it has nothing more to tell us.
        std::mem::forget(payload);
        last.or(text).unwrap_or_else(|| "a panic without a message".to_owned())
    })
}

fn text_of(payload: &dyn Any) -> Option<String> {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
}

/// A future whose panics become messages.
pub(crate) struct Quiet<'a, T>(pub(crate) Pin<Box<dyn Future<Output = T> + 'a>>);

impl<T> Future for Quiet<'_, T> {
    type Output = Result<T, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match quietly(|| self.0.as_mut().poll(context)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(message) => Poll::Ready(Err(message)),
        }
    }
}

fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let outer = take_hook();
        set_hook(Box::new(move |info| {
            if DEPTH.get() == 0 {
                return outer(info);
            }
            let text = text_of(info.payload()).unwrap_or_else(|| "a panic without a message".to_owned());
            let place = info.location().map(|place| format!(" (at {}:{})", place.file(), place.line()));
            LAST.set(Some(format!("{text}{}", place.unwrap_or_default())));
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message_with_its_place() {
        let message = quietly(|| panic!("n is {}", 7)).expect_err("it panicked");
        assert!(message.starts_with("n is 7 (at "), "{message}");
        assert_eq!(quietly(|| 3), Ok(3));
    }
}
