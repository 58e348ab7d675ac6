//! Commands side by side: what a call must offer to run in parallel.

use std::any::Any;

use crate::machine::LocalFuture;
use crate::value::Value;

/// How a command runs beside others, and how the model explains its result.
pub(crate) struct Concurrent<M, S> {
    pub(crate) launch: Launch<S>,
    pub(crate) wrap: fn(Box<dyn Any + Send>) -> Value,
    pub(crate) explain: Box<dyn Fn(&[Value], &mut M, &Value) -> Result<(), String>>,
}

pub(crate) type ThreadCall<S> = Box<dyn FnOnce(&S) -> Box<dyn Any + Send> + Send>;

/// Where a concurrent call runs.
pub(crate) enum Launch<S> {
    Thread(Box<dyn Fn(&[Value]) -> ThreadCall<S>>),
    Future(Box<dyn for<'a> Fn(&[Value], &'a S) -> LocalFuture<'a, Value>>),
}
