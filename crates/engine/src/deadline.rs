//! The only clock of the engine: time limits of commands and of shrinking.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::machine::LocalFuture;

/// A limit that began to run when it was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    start: Instant,
    limit: Duration,
}

impl Stopwatch {
    pub(crate) fn start(limit: Duration) -> Self {
        Self { start: Instant::now(), limit }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.start.elapsed() > self.limit
    }
}

/// A future that is given up after a limit.
pub(crate) struct Deadline<'a, T> {
    future: LocalFuture<'a, T>,
    limit: Option<Duration>,
    alarm: Option<(Stopwatch, Arc<Mutex<Waker>>)>,
}

impl<'a, T> Deadline<'a, T> {
    pub(crate) fn new(future: LocalFuture<'a, T>, limit: Option<Duration>) -> Self {
        Self { future, limit, alarm: None }
    }
}

impl<T> Future for Deadline<'_, T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        if let Poll::Ready(value) = self.future.as_mut().poll(context) {
            return Poll::Ready(Some(value));
        }
        let Some(limit) = self.limit else { return Poll::Pending };
        match &self.alarm {
            Some((stopwatch, _)) if stopwatch.is_over() => return Poll::Ready(None),
            Some((_, waker)) => {
                waker.lock().unwrap_or_else(PoisonError::into_inner).clone_from(context.waker());
            }
            None => {
                let waker = Arc::new(Mutex::new(context.waker().clone()));
                self.alarm = Some((Stopwatch::start(limit), waker.clone()));
                // A future that never wakes its task would sleep through its own limit.
                thread::spawn(move || {
                    thread::sleep(limit + Duration::from_millis(1));
                    waker.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
                });
            }
        }
        Poll::Pending
    }
}

/// Runs a future on this thread, asleep while it waits.
pub(crate) fn block_on<T>(mut future: LocalFuture<'_, T>) -> T {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        thread::park();
    }
}
