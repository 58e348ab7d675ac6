//! The fluent builder and its typestate: a command without `run` is a type that can only be finished.

use std::any::Any;
use std::fmt::Debug;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use proptest::strategy::{BoxedStrategy, Strategy};

use crate::arguments::{Arguments, Grow};
use crate::builder::{Opaque, Stateful, Visible};
use crate::diet::Care;
use crate::lane::{Lane, write};
use crate::machine::{Command, Concurrent, Launch, Outcome, Running, Slot, source as erase};
use crate::novelty::Fingerprint;
use crate::source;
use crate::stage::Stage;
use crate::value::Value;
use crate::verdict::Verdict;
use crate::work::{Async, AtOnce, Body, Draw, Next, Work, quick, run};

impl<M: Hash + 'static, S: 'static> Stateful<M, S> {
    /// Begins a command.
    pub fn command(mut self, name: impl Into<String>) -> Unfinished<M, S, ()> {
        self.parts().fingerprint.get_or_insert_with(Fingerprint::by_hash);
        begin(self, name)
    }
}

impl<M: Debug + 'static, S: 'static> Visible<M, S> {
    /// Begins a command; the test goes on in it.
    pub fn command(&self, name: impl Into<String>) -> Unfinished<M, S, ()> {
        let mut test = self.take();
        test.parts().fingerprint.get_or_insert_with(Fingerprint::by_debug);
        begin(test, name)
    }
}

impl<M: 'static, S: 'static> Opaque<M, S> {
    /// Begins a command; the test goes on in it.
    pub fn command(&self, name: impl Into<String>) -> Unfinished<M, S, ()> {
        begin(self.take(), name)
    }
}

fn begin<M: 'static, S: 'static>(test: Stateful<M, S>, name: impl Into<String>) -> Unfinished<M, S, ()> {
    let command = Command::new(name, |_| Running::Done(Outcome::default()));
    Unfinished { test, command, draw: Some(Box::new(|_, _| Some(()))) }
}

/// A command that does not run yet.
#[must_use = "a command needs .run(..)"]
pub struct Unfinished<M, S, A> {
    test: Stateful<M, S>,
    command: Command<M, S>,
    draw: Option<Draw<M, A>>,
}

impl<M: 'static, S: 'static, A: Arguments> Unfinished<M, S, A> {
    /// Adds an argument drawn from a strategy.
    pub fn forall<T, G>(self, name: &str, strategy: G) -> Unfinished<M, S, A::Longer>
    where
        T: Clone + Debug + 'static,
        G: Strategy<Value = T> + 'static,
        A: Grow<T>,
    {
        let Self { test, mut command, draw } = self;
        let drawn =
            Rc::new(source::Shown::new(compile(strategy), |value: &T| format!("{value:?}"), Care::Full));
        command.add_parameter(name.to_owned(), Slot::Fixed(drawn.clone()));
        let draw = draw.map(|draw| -> Draw<M, A::Longer> {
            let lane = Lane::default();
            Box::new(move |pen, model| {
                let arguments = draw(pen, model)?;
                Some(arguments.push(write(&drawn, &lane, pen)?))
            })
        });
        Unfinished { test, command, draw }
    }

    /// Adds an argument drawn from a strategy made from the model as it is.
    pub fn forall_in<T, G>(self, name: &str, make: impl Fn(&M) -> G + 'static) -> Unfinished<M, S, A::Longer>
    where
        T: Clone + Debug + 'static,
        G: Strategy<Value = T> + 'static,
        A: Grow<T>,
    {
        self.forall_with(name, move |_, model| make(model))
    }

    /// Adds an argument drawn from a strategy made from the arguments before it and the model as it is.
    pub fn forall_with<T, G>(
        self,
        name: &str,
        make: impl Fn(&A, &M) -> G + 'static,
    ) -> Unfinished<M, S, A::Longer>
    where
        T: Clone + Debug + 'static,
        G: Strategy<Value = T> + 'static,
        A: Grow<T>,
    {
        let live = move |before: &[Value], model: &M| {
            let strategy = make(&A::take(before), model).boxed();
            Some(erase(strategy, |value: &T| format!("{value:?}"), Care::Light))
        };
        self.grow(name, Slot::Live(Box::new(live)))
    }

    /// Adds an argument that refers to a value an earlier command left in the model; while there is none, the command
    /// is not callable.
    pub fn from<T>(self, name: &str, values: impl Fn(&M) -> Vec<T> + 'static) -> Unfinished<M, S, A::Longer>
    where
        T: Clone + Debug + 'static,
        A: Grow<T>,
    {
        let values = move |model: &M| values(model).into_iter().map(Value::new).collect();
        self.grow(name, Slot::Reference(Box::new(values)))
    }

    fn grow<B>(self, name: &str, slot: Slot<M>) -> Unfinished<M, S, B> {
        let Self { test, mut command, draw: _ } = self;
        command.add_parameter(name.to_owned(), slot);
        Unfinished { test, command, draw: None }
    }

    /// Adds a precondition on the model.
    pub fn pre(mut self, guard: impl Fn(&M) -> bool + 'static) -> Self {
        self.command = self.command.pre(guard);
        self
    }

    /// Adds a precondition on the arguments so far and the model.
    pub fn pre_args(mut self, guard: impl Fn(&A, &M) -> bool + 'static) -> Self {
        let guard = Rc::new(guard);
        let shared = guard.clone();
        self.command = self.command.pre_args(move |values, model| shared(&A::take(values), model));
        self.draw = self.draw.map(|draw| -> Draw<M, A> {
            Box::new(move |pen, model| {
                let arguments = draw(pen, model)?;
                pen.stage.set(Stage::Precondition(pen.command));
                guard(&arguments, model).then_some(arguments)
            })
        });
        self
    }

    /// How often the command is chosen, beside the others' weights.
    pub fn weight(mut self, weight: u32) -> Self {
        self.command = self.command.weight(weight);
        self
    }

    /// Counts the steps of this command by label.
    pub fn label<L: ToString>(mut self, label: impl Fn(&A, &M) -> L + 'static) -> Self {
        self.command = self.command.label(move |values, model| label(&A::take(values), model).to_string());
        // Labels cost more than the fast lane saves.
        self.draw = None;
        self
    }

    /// What the command does to model and system.
    pub fn run<R: Debug + 'static>(
        self,
        run: impl Fn(A, &mut M, &mut S) -> R + 'static,
    ) -> Finished<M, S, A, R> {
        self.finish(Box::new(AtOnce(run)), None)
    }

    /// What the command does, awaited: `.run_async(async |args, model, sut| ..)`.
    pub fn run_async<R: Debug + 'static>(
        self,
        run: impl AsyncFn(A, &mut M, &mut S) -> R + 'static,
    ) -> Finished<M, S, A, R> {
        self.finish(Box::new(Async(run)), None)
    }

    /// What the command does to a shared system; the model's part follows in [`Called::next`].
    ///
    /// Commands given so can also run side by side, on threads: see
    /// [`check_parallel`](Stateful::check_parallel).
    pub fn call<R>(self, call: impl Fn(A, &S) -> R + Send + Sync + 'static) -> Called<M, S, A, R>
    where
        A: Send,
        R: Clone + Debug + Send + 'static,
        S: Sync,
    {
        let call = Arc::new(call);
        let shared = call.clone();
        let launch = Launch::Thread(Box::new(move |values| {
            let (call, arguments) = (shared.clone(), A::take(values));
            Box::new(move |system| Box::new(call(arguments, system)) as Box<dyn Any + Send>)
        }));
        let run = Box::new(AtOnce(move |arguments, _: &mut M, system: &mut S| call(arguments, system)));
        Called { unfinished: self, run, launch, wrap: wrap_any::<R> }
    }

    /// As [`call`](Self::call), awaited; such commands run side by side as interleaved futures.
    pub fn call_async<R>(self, call: impl AsyncFn(A, &S) -> R + 'static) -> Called<M, S, A, R>
    where
        R: Clone + Debug + 'static,
    {
        let call = Rc::new(call);
        let shared = call.clone();
        let run = Async(async move |arguments, _: &mut M, system: &mut S| call(arguments, system).await);
        let launch = Launch::Future(Box::new(move |values, system| {
            let (call, arguments) = (shared.clone(), A::take(values));
            Box::pin(async move { Value::new(call(arguments, system).await) })
        }));
        Called { unfinished: self, run: Box::new(run), launch, wrap: wrap_any::<R> }
    }

    fn finish<R: Debug + 'static>(
        self,
        body: Box<dyn Body<A, M, S, R>>,
        concurrent: Option<Concurrent<M, S>>,
    ) -> Finished<M, S, A, R> {
        let Self { test, mut command, draw } = self;
        command.concurrent = concurrent;
        Finished { test, command, draw, work: Work { body, next: None, posts: Vec::new() } }
    }
}

fn wrap_any<R: Clone + Debug + 'static>(result: Box<dyn Any + Send>) -> Value {
    Value::new(*result.downcast::<R>().expect("a call returns its own type"))
}

/// A command on a shared system that lacks the model's part.
#[must_use = "a command with .call(..) needs .next(..)"]
pub struct Called<M, S, A, R> {
    unfinished: Unfinished<M, S, A>,
    run: Box<dyn Body<A, M, S, R>>,
    launch: Launch<S>,
    wrap: fn(Box<dyn Any + Send>) -> Value,
}

impl<M: 'static, S: 'static, A: Arguments, R: Clone + Debug + 'static> Called<M, S, A, R> {
    /// The model's step: brings the model up to date and says whether it explains the result.
    pub fn next<V: Verdict>(self, next: impl Fn(&A, &mut M, &R) -> V + 'static) -> Finished<M, S, A, R> {
        let Self { unfinished, run, launch, wrap } = self;
        let next: Next<M, A, R> =
            Rc::new(move |arguments, model, result| next(arguments, model, result).verdict());
        let shared = next.clone();
        let explain = Box::new(move |values: &[Value], model: &mut M, result: &Value| {
            let result = result.get::<R>().expect("a call returns its own type");
            shared(&A::take(values), model, result)
        });
        let mut finished = unfinished.finish(run, Some(Concurrent { launch, wrap, explain }));
        finished.work.next = Some(next);
        finished
    }
}

/// A command that runs; postconditions may follow, then the next command, an invariant, or the check.
#[must_use = "a test does nothing until .check(..) or .run(..)"]
pub struct Finished<M, S, A, R> {
    test: Stateful<M, S>,
    command: Command<M, S>,
    draw: Option<Draw<M, A>>,
    work: Work<M, S, A, R>,
}

impl<M: 'static, S: 'static, A: Arguments, R: Debug + 'static> Finished<M, S, A, R> {
    /// Adds a postcondition on arguments, model, system and the result of the run.
    pub fn post<V: Verdict>(mut self, holds: impl Fn(&A, &M, &S, &R) -> V + 'static) -> Self {
        let holds = move |arguments: &A, model: &M, system: &S, result: &R| {
            holds(arguments, model, system, result).verdict()
        };
        self.work.posts.push(Box::new(holds));
        self
    }

    /// Begins the next command.
    pub fn command(self, name: impl Into<String>) -> Unfinished<M, S, ()> {
        begin(self.end(), name)
    }

    /// Adds an invariant; see [`Stateful::invariant`].
    pub fn invariant<V: Verdict>(self, holds: impl Fn(&M, &S) -> V + 'static) -> Stateful<M, S> {
        self.end().invariant(holds)
    }

    /// Adds a named invariant; see [`Stateful::named_invariant`].
    pub fn named_invariant<V: Verdict>(
        self,
        name: impl Into<String>,
        holds: impl Fn(&M, &S) -> V + 'static,
    ) -> Stateful<M, S> {
        self.end().named_invariant(name, holds)
    }

    /// Steers runs towards models not met before; see [`Stateful::novelty`].
    pub fn novelty(self) -> Stateful<M, S>
    where
        M: Hash,
    {
        self.end().novelty()
    }

    /// Ends the command.
    pub fn end(self) -> Stateful<M, S> {
        let Self { mut test, mut command, draw, work } = self;
        let (work, name) = (Rc::new(work), command.name.clone());
        let index = test.parts().commands.len();
        command.quick = draw.map(|draw| quick(draw, work.clone(), name.clone(), index));
        command.run = Box::new(move |call| run(&work, &name, index, call));
        test.parts().commands.push(command);
        test
    }
}

/// Boxes a strategy; a regular expression given as text is parsed once here instead of at every draw.
fn compile<T: Debug + 'static, G: Strategy<Value = T> + 'static>(strategy: G) -> BoxedStrategy<T> {
    let text = (&strategy as &dyn Any).downcast_ref::<&'static str>();
    let parsed = text.and_then(|text| proptest::string::string_regex(text).ok());
    let parsed = parsed.map(|parsed| Box::new(parsed.boxed()) as Box<dyn Any>);
    match parsed.map(<Box<dyn Any>>::downcast::<BoxedStrategy<T>>) {
        Some(Ok(parsed)) => *parsed,
        Some(Err(_)) | None => strategy.boxed(),
    }
}
