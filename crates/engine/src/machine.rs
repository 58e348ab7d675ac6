//! The layer beneath the builder: commands without types, made at run time as well as written in Rust.
//!
//! A [`Machine`] is a pair of factories, a set of [`Command`]s and invariants. A command draws its arguments from
//! the model as it is, is callable or not by the model, and runs as a future, so a machine can drive a server whose
//! commands are known only once it has answered.

use std::any::Any;
use std::cell::Cell;
use std::fmt::{self, Debug};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use proptest::strategy::BoxedStrategy;

use crate::diet::Care;
use crate::lane::Pen;
use crate::novelty::Fingerprint;
use crate::source::{Shown, Source};
use crate::stage::Stage;
use crate::value::Value;

/// A future that need not leave its thread.
pub type LocalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// What running a command gives: a value at once, or a future of it.
pub enum Running<'a, T> {
    /// The command has already returned.
    Done(T),
    /// The command needs to be awaited.
    Pending(LocalFuture<'a, T>),
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which check failed; stable across runs, so that shrinking stays with one bug.
    pub code: String,
    /// What it said.
    pub message: String,
}

/// How the code begins when a closure of the test panicked.
pub(crate) const PANIC: &str = "panic in ";
/// How the code begins when a command took too long.
pub(crate) const LATE: &str = "time limit of ";

impl Fault {
    /// What happened, without what was said about it: a check failed, a command panicked.
    pub(crate) fn event(&self) -> String {
        let panicked = self.code.strip_prefix(PANIC).map(|what| format!("{what} panicked"));
        let late = || self.code.strip_prefix(LATE).map(|what| format!("{what} took too long"));
        panicked.or_else(late).unwrap_or_else(|| format!("{} failed", self.code))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.message.is_empty() { "" } else { ": " };
        write!(f, "{}{colon}{}", self.event(), self.message)
    }
}

/// What a command receives when it runs.
pub struct Call<'a, M, S> {
    /// The arguments, in the order in which they were declared.
    pub arguments: &'a [Value],
    /// The model before the command; the command brings it up to date.
    pub model: &'a mut M,
    /// The system under test.
    pub system: &'a mut S,
    /// Whether [`Outcome::result`] will be read.
    pub wants_result: bool,
    pub(crate) stage: &'a Cell<Stage>,
}

/// What a command did.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The result as text, for the report.
    pub result: Option<String>,
    /// The check that failed, if one did.
    pub fault: Option<Fault>,
}

type MakeSource<M> = Box<dyn Fn(&[Value], &M) -> Option<Rc<dyn Source>>>;
type FindValues<M> = Box<dyn Fn(&M) -> Vec<Value>>;
type Holds<M, S> = Box<dyn Fn(&M, &S) -> Result<(), String>>;
pub(crate) type Guard<M> = Box<dyn Fn(&M) -> bool>;
pub(crate) type ArgumentGuard<M> = Box<dyn Fn(&[Value], &M) -> bool>;
pub(crate) type Runner<M, S> = Box<dyn for<'a> Fn(Call<'a, M, S>) -> Running<'a, Outcome>>;
pub(crate) type QuickRunner<M, S> =
    Box<dyn for<'a> Fn(Pen<'_>, &'a mut M, &'a mut S, &'a Cell<Stage>) -> Quick<'a>>;
pub(crate) type Label<M> = Box<dyn Fn(&[Value], &M) -> String>;

/// How a step on the fast lane went.
pub(crate) enum Quick<'a> {
    /// Its arguments could not be drawn or are not allowed.
    Refused,
    Done(Option<Fault>),
    Pending(LocalFuture<'a, Outcome>),
}

/// Something that can be done to the system.
pub struct Command<M, S> {
    pub(crate) name: String,
    pub(crate) weight: u32,
    pub(crate) parameters: Vec<Parameter<M>>,
    /// Whether a parameter is a reference.
    pub(crate) has_references: bool,
    pub(crate) guards: Vec<Guard<M>>,
    pub(crate) argument_guards: Vec<ArgumentGuard<M>>,
    pub(crate) run: Runner<M, S>,
    /// The same without detours, for commands whose arguments are all drawn from strategies that never change.
    pub(crate) quick: Option<QuickRunner<M, S>>,
    pub(crate) labels: Vec<Label<M>>,
    pub(crate) concurrent: Option<Concurrent<M, S>>,
}

/// How a command runs beside others, and how the model explains its result.
pub(crate) struct Concurrent<M, S> {
    pub(crate) launch: Launch<S>,
    pub(crate) wrap: fn(Box<dyn Any + Send>) -> Value,
    pub(crate) explain: Explain<M>,
}

type Explain<M> = Box<dyn Fn(&[Value], &mut M, &Value) -> Result<(), String>>;
type PrepareThread<S> = Box<dyn Fn(&[Value]) -> ThreadCall<S>>;
type PrepareFuture<S> = Box<dyn for<'a> Fn(&[Value], &'a S) -> LocalFuture<'a, Value>>;
pub(crate) type ThreadCall<S> = Box<dyn FnOnce(&S) -> Box<dyn Any + Send> + Send>;

/// Where a concurrent call runs.
pub(crate) enum Launch<S> {
    Thread(PrepareThread<S>),
    Future(PrepareFuture<S>),
}

/// An argument that a command takes.
pub(crate) struct Parameter<M> {
    pub(crate) name: String,
    pub(crate) slot: Slot<M>,
}

/// Where an argument comes from.
pub(crate) enum Slot<M> {
    /// The same strategy whatever the model.
    Fixed(Rc<dyn Source>),
    /// A strategy made from the arguments before it and the model; `None` if there is nothing to draw now.
    Live(MakeSource<M>),
    /// A value that an earlier step left in the model.
    Reference(FindValues<M>),
}

impl<M: 'static, S: 'static> Command<M, S> {
    /// A command of this name that does `run`.
    pub fn new(
        name: impl Into<String>,
        run: impl for<'a> Fn(Call<'a, M, S>) -> Running<'a, Outcome> + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            weight: 1,
            parameters: Vec::new(),
            has_references: false,
            guards: Vec::new(),
            argument_guards: Vec::new(),
            run: Box::new(run),
            quick: None,
            labels: Vec::new(),
            concurrent: None,
        }
    }

    /// Adds an argument drawn from a strategy made from the model; `None` means that it cannot be drawn now, and
    /// the command is not callable. `show` writes a value; texts that are equal mean values that are.
    #[must_use]
    pub fn argument<V: Clone + Debug + 'static>(
        self,
        name: impl Into<String>,
        show: fn(&V) -> String,
        strategy: impl Fn(&M) -> Option<BoxedStrategy<V>> + 'static,
    ) -> Self {
        self.argument_after(name, show, move |_, model| strategy(model))
    }

    /// As [`argument`](Self::argument), but the strategy is made from the arguments before this one as well: with the
    /// name of a tool before it, say, it draws what that tool takes.
    #[must_use]
    pub fn argument_after<V: Clone + Debug + 'static>(
        mut self,
        name: impl Into<String>,
        show: fn(&V) -> String,
        strategy: impl Fn(&[Value], &M) -> Option<BoxedStrategy<V>> + 'static,
    ) -> Self {
        let live = move |before: &[Value], model: &M| {
            strategy(before, model).map(|strategy| source(strategy, show, Care::Light))
        };
        self.add_parameter(name.into(), Slot::Live(Box::new(live)));
        self
    }

    /// As [`argument`](Self::argument), for strategies whose values never shrink. Which of them is simplest cannot be worked
    /// out, so that it is the simpler one of two, which takes far fewer draws.
    #[must_use]
    pub fn rigid_argument<V: Clone + Debug + 'static>(
        mut self,
        name: impl Into<String>,
        show: fn(&V) -> String,
        strategy: impl Fn(&M) -> Option<BoxedStrategy<V>> + 'static,
    ) -> Self {
        let live =
            move |_: &[Value], model: &M| strategy(model).map(|strategy| source(strategy, show, Care::Rigid));
        self.add_parameter(name.into(), Slot::Live(Box::new(live)));
        self
    }

    /// Adds an argument drawn from one strategy.
    #[must_use]
    pub fn fixed_argument<V: Clone + Debug + 'static>(
        mut self,
        name: impl Into<String>,
        show: fn(&V) -> String,
        strategy: BoxedStrategy<V>,
    ) -> Self {
        self.add_parameter(name.into(), Slot::Fixed(source(strategy, show, Care::Full)));
        self
    }

    /// Adds an argument that refers to a value which an earlier step left in the model.
    #[must_use]
    pub fn reference(mut self, name: impl Into<String>, values: impl Fn(&M) -> Vec<Value> + 'static) -> Self {
        self.add_parameter(name.into(), Slot::Reference(Box::new(values)));
        self
    }

    pub(crate) fn add_parameter(&mut self, name: String, slot: Slot<M>) {
        self.has_references |= matches!(slot, Slot::Reference(_));
        self.parameters.push(Parameter { name, slot });
    }

    /// Adds a precondition on the model.
    #[must_use]
    pub fn pre(mut self, guard: impl Fn(&M) -> bool + 'static) -> Self {
        self.guards.push(Box::new(guard));
        self
    }

    /// Adds a precondition on the arguments and the model.
    #[must_use]
    pub fn pre_args(mut self, guard: impl Fn(&[Value], &M) -> bool + 'static) -> Self {
        self.argument_guards.push(Box::new(guard));
        self
    }

    /// How often the command is chosen, beside the others' weights; 1 unless said otherwise, 0 for never.
    #[must_use]
    pub fn weight(mut self, weight: u32) -> Self {
        self.weight = weight;
        self
    }

    /// Counts the steps of this command by label in the statistics.
    #[must_use]
    pub fn label(mut self, label: impl Fn(&[Value], &M) -> String + 'static) -> Self {
        self.labels.push(Box::new(label));
        self
    }
}

pub(crate) fn source<V: Clone + Debug + 'static>(
    strategy: BoxedStrategy<V>,
    show: fn(&V) -> String,
    care: Care,
) -> Rc<dyn Source> {
    Rc::new(Shown::new(strategy, show, care))
}

/// A check of model and system after every step.
pub(crate) struct Invariant<M, S> {
    pub(crate) name: String,
    pub(crate) holds: Holds<M, S>,
}

impl<M, S> Invariant<M, S> {
    pub(crate) fn code(&self) -> String {
        format!("invariant {}", self.name)
    }
}

pub(crate) type SystemFactory<S> = Box<dyn Fn() -> LocalFuture<'static, Result<S, String>>>;

/// A model, a system, and what can be done to them.
pub struct Machine<M, S> {
    pub(crate) model: Box<dyn Fn() -> M>,
    pub(crate) system: SystemFactory<S>,
    pub(crate) commands: Vec<Command<M, S>>,
    pub(crate) invariants: Vec<Invariant<M, S>>,
    pub(crate) fingerprint: Option<Fingerprint<M>>,
}

impl<M: 'static, S: 'static> Machine<M, S> {
    /// A machine without commands. Every run and every replay gets a fresh model and a fresh system; a system that
    /// cannot be made ends the test with an error, not with a counterexample.
    pub fn new<F>(model: impl Fn() -> M + 'static, system: impl Fn() -> F + 'static) -> Self
    where
        F: Future<Output = Result<S, String>> + 'static,
    {
        Self {
            model: Box::new(model),
            system: Box::new(move || Box::pin(system())),
            commands: Vec::new(),
            invariants: Vec::new(),
            fingerprint: None,
        }
    }

    /// Adds a command.
    #[must_use]
    pub fn command(mut self, command: Command<M, S>) -> Self {
        self.commands.push(command);
        self
    }

    /// Adds an invariant, checked before the first step and after each; `Err` says what is wrong.
    #[must_use]
    pub fn invariant(
        mut self,
        name: impl Into<String>,
        holds: impl Fn(&M, &S) -> Result<(), String> + 'static,
    ) -> Self {
        self.invariants.push(Invariant { name: name.into(), holds: Box::new(holds) });
        self
    }

    /// Steers runs towards models not met before; `fingerprint` tells models apart.
    #[must_use]
    pub fn novelty(mut self, fingerprint: impl Fn(&M) -> u64 + 'static) -> Self {
        self.fingerprint = Some(Fingerprint::given(fingerprint));
        self
    }
}
