//! The fluent builder and its typestate: a command without `run` is a type that can only be finished.

use std::any::Any;
use std::fmt::Debug;
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use proptest::strategy::{BoxedStrategy, Strategy};

use crate::arguments::{Arguments, Grow};
use crate::lane::{Lane, write};
use crate::machine::{
    Command, Concurrent, Fingerprint, Invariant, Launch, Machine, Outcome, Running, Slot, SystemFactory,
    source,
};
use crate::setup::SetupError;
use crate::source::Shown;
use crate::stage::Stage;
use crate::value::Value;
use crate::verdict::Verdict;
use crate::work::{Async, AtOnce, Body, Draw, Next, Work, quick, run};

/// Begins a model-based test of a system `S` against a model `M`.
pub fn stateful<M: 'static, S: 'static>() -> Stateful<M, S> {
    Stateful { model: None, system: None, commands: Vec::new(), invariants: Vec::new(), fingerprint: None }
}

/// A test being described; see [`stateful`].
#[must_use = "a test does nothing until .check(..) or .run(..)"]
pub struct Stateful<M, S> {
    model: Option<Box<dyn Fn() -> M>>,
    system: Option<SystemFactory<S>>,
    commands: Vec<Command<M, S>>,
    invariants: Vec<Invariant<M, S>>,
    fingerprint: Option<Fingerprint<M>>,
}

impl<M: 'static, S: 'static> Stateful<M, S> {
    /// How a fresh model is made.
    pub fn model(mut self, factory: impl Fn() -> M + 'static) -> Self {
        self.model = Some(Box::new(factory));
        self
    }

    /// How a fresh system is made.
    pub fn sut(mut self, factory: impl Fn() -> S + 'static) -> Self {
        self.system = Some(Box::new(move || {
            let system = factory();
            Box::pin(async { Ok(system) })
        }));
        self
    }

    /// How a fresh system is made, if that can fail; an `Err` ends the test as an error, not as a counterexample.
    pub fn try_sut<E: ToString>(mut self, factory: impl Fn() -> Result<S, E> + 'static) -> Self {
        self.system = Some(Box::new(move || {
            let system = factory().map_err(|error| error.to_string());
            Box::pin(async { system })
        }));
        self
    }

    /// How a fresh system is made, awaited.
    pub fn sut_async<F: Future<Output = S> + 'static>(mut self, factory: impl Fn() -> F + 'static) -> Self {
        self.system = Some(Box::new(move || {
            let system = factory();
            Box::pin(async { Ok(system.await) })
        }));
        self
    }

    /// How a fresh system is made, awaited, if that can fail.
    pub fn try_sut_async<F, E>(mut self, factory: impl Fn() -> F + 'static) -> Self
    where
        F: Future<Output = Result<S, E>> + 'static,
        E: ToString,
    {
        self.system = Some(Box::new(move || {
            let system = factory();
            Box::pin(async { system.await.map_err(|error| error.to_string()) })
        }));
        self
    }

    /// Begins a command.
    pub fn command(self, name: impl Into<String>) -> Unfinished<M, S, ()> {
        let command = Command::new(name, |_| Running::Done(Outcome::default()));
        Unfinished { test: self, command, draw: Some(Box::new(|_, _| Some(()))) }
    }

    /// Adds a command made by hand; see [`Command`].
    pub fn add_command(mut self, command: Command<M, S>) -> Self {
        self.commands.push(command);
        self
    }

    /// Adds an invariant, checked before the first command and after every one.
    pub fn invariant<V: Verdict>(self, holds: impl Fn(&M, &S) -> V + 'static) -> Self {
        let number = self.invariants.len() + 1;
        self.named_invariant(format!("#{number}"), holds)
    }

    /// Adds an invariant that the report calls by name.
    pub fn named_invariant<V: Verdict>(
        mut self,
        name: impl Into<String>,
        holds: impl Fn(&M, &S) -> V + 'static,
    ) -> Self {
        let holds = Box::new(move |model: &M, system: &S| holds(model, system).verdict());
        self.invariants.push(Invariant { name: name.into(), holds });
        self
    }

    /// Steers runs towards models not met before. It finds bugs that hide behind a long road.
    pub fn novelty(self) -> Self
    where
        M: Hash,
    {
        self.novelty_by(Hash::hash)
    }

    /// As [`novelty`](Self::novelty), for a model of which only a part tells states apart.
    pub fn novelty_by(mut self, hash: impl Fn(&M, &mut DefaultHasher) + 'static) -> Self {
        self.fingerprint = Some(Box::new(move |model| {
            let mut hasher = DefaultHasher::new();
            hash(model, &mut hasher);
            hasher.finish()
        }));
        self
    }

    /// The machine behind the builder.
    pub fn build(self) -> Result<Machine<M, S>, SetupError> {
        let Self { model, system, commands, invariants, fingerprint } = self;
        let model = model.ok_or(SetupError::MissingFactory { method: ".model(..)" })?;
        let system = system.ok_or(SetupError::MissingFactory { method: ".sut(..) or .sut_async(..)" })?;
        Ok(Machine { model, system, commands, invariants, fingerprint })
    }
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
        let source = Rc::new(Shown::new(compile(strategy), |value: &T| format!("{value:?}")));
        command.add_parameter(name.to_owned(), Slot::Fixed(source.clone()));
        let draw = draw.map(|draw| -> Draw<M, A::Longer> {
            let lane = Lane::default();
            Box::new(move |pen, model| {
                let arguments = draw(pen, model)?;
                Some(arguments.push(write(&source, &lane, pen)?))
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
        let live = move |model: &M| Some(source(make(model).boxed(), |value: &T| format!("{value:?}")));
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
        self.end().command(name)
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
        let index = test.commands.len();
        command.quick = draw.map(|draw| quick(draw, work.clone(), name.clone(), index));
        command.run = Box::new(move |call| run(&work, &name, index, call));
        test.commands.push(command);
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
