//! The fluent builder and its typestate: a command without `run` is a type that can only be finished.

use std::any::Any;
use std::fmt::Debug;
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use proptest::strategy::{BoxedStrategy, Strategy};

use crate::arguments::{Arguments, Grow};
use crate::machine::{
    Call, Command, Concurrent, Fault, Fingerprint, Invariant, Launch, LocalFuture, Machine, Outcome,
    Parameter, Running, Slot, Stage, SystemFactory, source,
};
use crate::setup::SetupError;
use crate::value::Value;
use crate::verdict::Verdict;

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
        Unfinished { test: self, command, arguments: PhantomData }
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
    arguments: PhantomData<A>,
}

impl<M: 'static, S: 'static, A: Arguments> Unfinished<M, S, A> {
    /// Adds an argument drawn from a strategy.
    pub fn forall<T, G>(self, name: &str, strategy: G) -> Unfinished<M, S, A::Longer>
    where
        T: Clone + Debug + 'static,
        G: Strategy<Value = T> + 'static,
        A: Grow<T>,
    {
        let slot = Slot::Fixed(source(compile(strategy), |value: &T| format!("{value:?}")));
        self.grow(name, slot)
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
        let Self { test, mut command, arguments: _ } = self;
        command.parameters.push(Parameter { name: name.to_owned(), slot });
        Unfinished { test, command, arguments: PhantomData }
    }

    /// Adds a precondition on the model.
    pub fn pre(mut self, guard: impl Fn(&M) -> bool + 'static) -> Self {
        self.command = self.command.pre(guard);
        self
    }

    /// Adds a precondition on the arguments so far and the model.
    pub fn pre_args(mut self, guard: impl Fn(&A, &M) -> bool + 'static) -> Self {
        self.command = self.command.pre_args(move |values, model| guard(&A::take(values), model));
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
        self
    }

    /// What the command does to model and system.
    pub fn run<R: Debug + 'static>(
        self,
        run: impl Fn(A, &mut M, &mut S) -> R + 'static,
    ) -> Finished<M, S, A, R> {
        self.finish(Box::new(Sync(run)), None)
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
    pub fn call<R>(self, call: impl Fn(A, &S) -> R + Send + std::marker::Sync + 'static) -> Called<M, S, A, R>
    where
        A: Send,
        R: Clone + Debug + Send + 'static,
        S: std::marker::Sync,
    {
        let call = Arc::new(call);
        let shared = call.clone();
        let launch = Launch::Thread(Box::new(move |values| {
            let (call, arguments) = (shared.clone(), A::take(values));
            Box::new(move |system| Box::new(call(arguments, system)) as Box<dyn Any + Send>)
        }));
        let run = Box::new(Sync(move |arguments, _: &mut M, system: &mut S| call(arguments, system)));
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
        let Self { test, mut command, arguments: _ } = self;
        command.concurrent = concurrent;
        Finished { test, command, work: Work { body, next: None, posts: Vec::new() } }
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
        let Self { mut test, mut command, work } = self;
        let (work, name) = (Rc::new(work), command.name.clone());
        let index = test.commands.len();
        command.run = Box::new(move |call| run(&work, &name, index, call));
        test.commands.push(command);
        test
    }
}

type Post<M, S, A, R> = Box<dyn Fn(&A, &M, &S, &R) -> Result<(), String>>;
type Next<M, A, R> = Rc<dyn Fn(&A, &mut M, &R) -> Result<(), String>>;

/// What a typed command does and checks.
struct Work<M, S, A, R> {
    body: Box<dyn Body<A, M, S, R>>,
    next: Option<Next<M, A, R>>,
    posts: Vec<Post<M, S, A, R>>,
}

fn run<'a, M: 'static, S: 'static, A: Arguments, R: Debug + 'static>(
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
        let next = self.next.as_ref().and_then(|next| next(arguments, model, result).err());
        let next = next.map(|message| Fault { code: format!("model step of {name:?}"), message });
        let fault = next.or_else(|| {
            self.posts.iter().enumerate().find_map(|(index, holds)| {
                let message = holds(arguments, model, system, result).err()?;
                let which = if self.posts.len() > 1 { format!(" #{}", index + 1) } else { String::new() };
                Some(Fault { code: format!("postcondition{which} of {name:?}"), message })
            })
        });
        Outcome { result: wants_result.then(|| format!("{result:?}")), fault }
    }
}

/// The body of a command: done at once, or awaited.
trait Body<A, M, S, R> {
    fn now(&self, arguments: A, model: &mut M, system: &mut S) -> Option<R>;
    fn later<'a>(&'a self, arguments: A, model: &'a mut M, system: &'a mut S) -> LocalFuture<'a, R>;
}

struct Sync<F>(F);
struct Async<F>(F);

impl<A, M, S, R: 'static, F: Fn(A, &mut M, &mut S) -> R> Body<A, M, S, R> for Sync<F> {
    fn now(&self, arguments: A, model: &mut M, system: &mut S) -> Option<R> {
        Some((self.0)(arguments, model, system))
    }

    fn later<'a>(&'a self, arguments: A, model: &'a mut M, system: &'a mut S) -> LocalFuture<'a, R> {
        let result = (self.0)(arguments, model, system);
        Box::pin(std::future::ready(result))
    }
}

impl<A: 'static, M, S, R, F: AsyncFn(A, &mut M, &mut S) -> R> Body<A, M, S, R> for Async<F> {
    fn now(&self, _: A, _: &mut M, _: &mut S) -> Option<R> {
        None
    }

    fn later<'a>(&'a self, arguments: A, model: &'a mut M, system: &'a mut S) -> LocalFuture<'a, R> {
        Box::pin(async move { (self.0)(arguments, model, system).await })
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
