//! What a command of the builder does when it runs: its body, at once or awaited, and the checks that follow.

use std::fmt::Debug;
use std::rc::Rc;

use crate::arguments::Arguments;
use crate::lane::Pen;
use crate::machine::{Call, Fault, LocalFuture, Outcome, Quick, QuickRunner, Running};
use crate::stage::Stage;

/// Draws all arguments of a command with their types; `None` if that fails or a precondition refuses them.
pub(crate) type Draw<M, A> = Box<dyn Fn(&mut Pen<'_>, &M) -> Option<A>>;

pub(crate) type Post<M, S, A, R> = Box<dyn Fn(&A, &M, &S, &R) -> Result<(), String>>;
pub(crate) type Next<M, A, R> = Rc<dyn Fn(&A, &mut M, &R) -> Result<(), String>>;

/// What a typed command does and checks.
pub(crate) struct Work<M, S, A, R> {
    pub(crate) body: Box<dyn Body<A, M, S, R>>,
    pub(crate) next: Option<Next<M, A, R>>,
    pub(crate) posts: Vec<Post<M, S, A, R>>,
}

/// The run of a command whose arguments have lost their types.
pub(crate) fn run<'a, M: 'static, S: 'static, A: Arguments, R: Debug + 'static>(
    work: &Rc<Work<M, S, A, R>>,
    name: &str,
    index: usize,
    call: Call<'a, M, S>,
) -> Running<'a, Outcome> {
    let Call { arguments, model, system, wants_result, stage } = call;
    let arguments = A::take(arguments);
    if let Some(result) = work.body.now(arguments.clone(), model, system) {
        stage.set(Stage::Postcondition(index));
        return Running::Done(work.judge(name, &arguments, model, system, &result, wants_result));
    }
    let (work, name) = (work.clone(), name.to_owned());
    Running::Pending(Box::pin(async move {
        let result = work.body.later(arguments.clone(), model, system).await;
        stage.set(Stage::Postcondition(index));
        work.judge(&name, &arguments, model, system, &result, wants_result)
    }))
}

/// The run of a command on the fast lane.
pub(crate) fn quick<M: 'static, S: 'static, A: Arguments, R: Debug + 'static>(
    draw: Draw<M, A>,
    work: Rc<Work<M, S, A, R>>,
    name: String,
    index: usize,
) -> QuickRunner<M, S> {
    let is_at_once = work.body.is_at_once();
    let has_checks = work.next.is_some() || !work.posts.is_empty();
    Box::new(move |mut pen, model, system, stage| {
        let Some(arguments) = draw(&mut pen, model) else { return Quick::Refused };
        pen.launch();
        if !is_at_once {
            let (work, name) = (work.clone(), name.clone());
            return Quick::Pending(Box::pin(async move {
                let result = work.body.later(arguments.clone(), model, system).await;
                stage.set(Stage::Postcondition(index));
                work.judge(&name, &arguments, model, system, &result, false)
            }));
        }
        if !has_checks {
            work.body.now(arguments, model, system);
            return Quick::Done(None);
        }
        let result = work.body.now(arguments.clone(), model, system);
        stage.set(Stage::Postcondition(index));
        Quick::Done(result.and_then(|result| work.find_fault(&name, &arguments, model, system, &result)))
    })
}

impl<M, S, A, R: Debug> Work<M, S, A, R> {
    fn judge(
        &self,
        name: &str,
        arguments: &A,
        model: &mut M,
        system: &S,
        result: &R,
        wants_result: bool,
    ) -> Outcome {
        let fault = self.find_fault(name, arguments, model, system, result);
        Outcome { result: wants_result.then(|| format!("{result:?}")), fault }
    }

    fn find_fault(&self, name: &str, arguments: &A, model: &mut M, system: &S, result: &R) -> Option<Fault> {
        if let Some(next) = &self.next
            && let Err(message) = next(arguments, model, result)
        {
            return Some(Fault { code: format!("model step of {name:?}"), message });
        }
        self.posts.iter().enumerate().find_map(|(index, holds)| {
            let message = holds(arguments, model, system, result).err()?;
            let which = if self.posts.len() > 1 { format!(" #{}", index + 1) } else { String::new() };
            Some(Fault { code: format!("postcondition{which} of {name:?}"), message })
        })
    }
}

/// The body of a command: done at once, or awaited.
pub(crate) trait Body<A, M, S, R> {
    fn is_at_once(&self) -> bool;
    fn now(&self, arguments: A, model: &mut M, system: &mut S) -> Option<R>;
    fn later<'a>(&'a self, arguments: A, model: &'a mut M, system: &'a mut S) -> LocalFuture<'a, R>;
}

pub(crate) struct AtOnce<F>(pub(crate) F);
pub(crate) struct Async<F>(pub(crate) F);

impl<A, M, S, R: 'static, F: Fn(A, &mut M, &mut S) -> R> Body<A, M, S, R> for AtOnce<F> {
    fn is_at_once(&self) -> bool {
        true
    }

    fn now(&self, arguments: A, model: &mut M, system: &mut S) -> Option<R> {
        Some((self.0)(arguments, model, system))
    }

    fn later<'a>(&'a self, arguments: A, model: &'a mut M, system: &'a mut S) -> LocalFuture<'a, R> {
        let result = (self.0)(arguments, model, system);
        Box::pin(std::future::ready(result))
    }
}

impl<A: 'static, M, S, R, F: AsyncFn(A, &mut M, &mut S) -> R> Body<A, M, S, R> for Async<F> {
    fn is_at_once(&self) -> bool {
        false
    }

    fn now(&self, _: A, _: &mut M, _: &mut S) -> Option<R> {
        None
    }

    fn later<'a>(&'a self, arguments: A, model: &'a mut M, system: &'a mut S) -> LocalFuture<'a, R> {
        Box::pin(async move { (self.0)(arguments, model, system).await })
    }
}
