//! The test as it is being described: factories, invariants, and what tells models apart.

use std::cell::RefCell;
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;

use crate::machine::{Command, Invariant, Machine, SystemFactory};
use crate::novelty::Fingerprint;
use crate::setup::SetupError;
use crate::verdict::Verdict;

/// Begins a model-based test of a system `S` against a model `M`.
pub fn stateful<M: 'static, S: 'static>() -> Stateful<M, S> {
    Stateful::of(Parts::default())
}

/// A test being described; see [`stateful`].
///
/// It dereferences to [`Visible`], and that to [`Opaque`], for the sake of `command` alone: the first of the three whose
/// demands on the model are met is the one that is called, so a model that can be told apart is, and one that cannot
/// is welcome all the same.
#[must_use = "a test does nothing until .check(..) or .run(..)"]
pub struct Stateful<M, S>(Visible<M, S>);

/// A test whose models can be told apart by what they show.
pub struct Visible<M, S>(Opaque<M, S>);

/// A test whose models cannot be told apart.
pub struct Opaque<M, S>(RefCell<Parts<M, S>>);

impl<M, S> Deref for Stateful<M, S> {
    type Target = Visible<M, S>;

    fn deref(&self) -> &Visible<M, S> {
        &self.0
    }
}

impl<M, S> Deref for Visible<M, S> {
    type Target = Opaque<M, S>;

    fn deref(&self) -> &Opaque<M, S> {
        &self.0
    }
}

/// What a test consists of so far.
pub(crate) struct Parts<M, S> {
    pub(crate) model: Option<Box<dyn Fn() -> M>>,
    pub(crate) system: Option<SystemFactory<S>>,
    pub(crate) commands: Vec<Command<M, S>>,
    pub(crate) invariants: Vec<Invariant<M, S>>,
    pub(crate) fingerprint: Option<Fingerprint<M>>,
}

impl<M, S> Default for Parts<M, S> {
    fn default() -> Self {
        Self { model: None, system: None, commands: Vec::new(), invariants: Vec::new(), fingerprint: None }
    }
}

impl<M, S> Opaque<M, S> {
    /// Takes the test out, to go on with it elsewhere.
    pub(crate) fn take(&self) -> Stateful<M, S> {
        Stateful::of(self.0.take())
    }
}

impl<M, S> Stateful<M, S> {
    fn of(parts: Parts<M, S>) -> Self {
        Self(Visible(Opaque(RefCell::new(parts))))
    }

    pub(crate) fn parts(&mut self) -> &mut Parts<M, S> {
        let Self(Visible(Opaque(parts))) = self;
        parts.get_mut()
    }
}

impl<M: 'static, S: 'static> Stateful<M, S> {
    /// How a fresh model is made.
    pub fn model(mut self, factory: impl Fn() -> M + 'static) -> Self {
        self.parts().model = Some(Box::new(factory));
        self
    }

    /// How a fresh system is made.
    pub fn sut(mut self, factory: impl Fn() -> S + 'static) -> Self {
        self.parts().system = Some(Box::new(move || {
            let system = factory();
            Box::pin(async { Ok(system) })
        }));
        self
    }

    /// How a fresh system is made, if that can fail; an `Err` ends the test as an error, not as a counterexample.
    pub fn try_sut<E: ToString>(mut self, factory: impl Fn() -> Result<S, E> + 'static) -> Self {
        self.parts().system = Some(Box::new(move || {
            let system = factory().map_err(|error| error.to_string());
            Box::pin(async { system })
        }));
        self
    }

    /// How a fresh system is made, awaited.
    pub fn sut_async<F: Future<Output = S> + 'static>(mut self, factory: impl Fn() -> F + 'static) -> Self {
        self.parts().system = Some(Box::new(move || {
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
        self.parts().system = Some(Box::new(move || {
            let system = factory();
            Box::pin(async { system.await.map_err(|error| error.to_string()) })
        }));
        self
    }

    /// Adds a command made by hand; see [`Command`].
    pub fn add_command(mut self, command: Command<M, S>) -> Self {
        self.parts().commands.push(command);
        self
    }

    /// Adds an invariant, checked before the first command and after every one.
    pub fn invariant<V: Verdict>(mut self, holds: impl Fn(&M, &S) -> V + 'static) -> Self {
        let number = self.parts().invariants.len() + 1;
        self.named_invariant(format!("#{number}"), holds)
    }

    /// Adds an invariant that the report calls by name.
    pub fn named_invariant<V: Verdict>(
        mut self,
        name: impl Into<String>,
        holds: impl Fn(&M, &S) -> V + 'static,
    ) -> Self {
        let holds = Box::new(move |model: &M, system: &S| holds(model, system).verdict());
        self.parts().invariants.push(Invariant { name: name.into(), holds });
        self
    }

    /// Steers runs towards models not met before, however many there are. It finds bugs that hide behind a long road.
    ///
    /// A model that is [`Hash`] or [`Debug`](std::fmt::Debug) is watched without being asked, as long as models come
    /// back; this asks for it whatever happens.
    pub fn novelty(self) -> Self
    where
        M: Hash,
    {
        self.novelty_by(Hash::hash)
    }

    /// As [`novelty`](Self::novelty), for a model of which only a part tells states apart.
    pub fn novelty_by(mut self, hash: impl Fn(&M, &mut DefaultHasher) + 'static) -> Self {
        self.parts().fingerprint = Some(Fingerprint::given(move |model| {
            let mut hasher = DefaultHasher::new();
            hash(model, &mut hasher);
            hasher.finish()
        }));
        self
    }

    /// The machine behind the builder.
    pub fn build(mut self) -> Result<Machine<M, S>, SetupError> {
        let Parts { model, system, commands, invariants, fingerprint } = std::mem::take(self.parts());
        let model = model.ok_or(SetupError::MissingFactory { what: "model", method: ".model(..)" })?;
        let system = system
            .ok_or(SetupError::MissingFactory { what: "system", method: ".sut(..) or .sut_async(..)" })?;
        Ok(Machine { model, system, commands, invariants, fingerprint })
    }
}
