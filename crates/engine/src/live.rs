//! One live run: a model and a system side by side, and steps taken on both.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use crate::atlas::Atlas;
use crate::deadline::{Deadline, Stopwatch};
use crate::dice::Dice;
use crate::failure::show_step;
use crate::lane::{End, Pen, Track};
use crate::machine::{
    Call, Fault, LATE, Machine, Outcome, PANIC, Parameter, Quick, QuickRunner, Running, Slot,
};
use crate::pool::{BEFORE, Birth, Pool};
use crate::quiet::quietly;
use crate::script;
use crate::sequence::{Choice, Done, Replay, Step, UNKNOWN};
use crate::stage::Stage;
use crate::value::Value;
use crate::watch::Watch;

/// A run in progress.
pub(crate) struct Live<'m, M, S> {
    pub(crate) machine: &'m Machine<M, S>,
    pub(crate) atlas: &'m RefCell<Atlas>,
    pub(crate) model: M,
    pub(crate) system: S,
    pub(crate) done: Vec<Done>,
    pub(crate) labels: Labels,
    stage: Cell<Stage>,
    pub(crate) time_limit: Option<Duration>,
    record: Record,
    is_watched: bool,
    watch: Option<&'m Watch>,
    pools: Vec<Pool>,
    /// The step being taken, in case it panics.
    current: Option<Step>,
    /// The arguments of the step being taken.
    values: Vec<Value>,
}

/// Steps by command and label.
pub(crate) type Labels = BTreeMap<(usize, String), u64>;

/// Whether texts, results and births are kept: they cost more than the step itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    Everything,
    Values,
}

/// How a run is watched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings<'m> {
    pub(crate) record: Record,
    pub(crate) time_limit: Option<Duration>,
    /// Whether models get fingerprints.
    pub(crate) is_watched: bool,
    /// Who else looks on.
    pub(crate) watch: Option<&'m Watch>,
}

/// How an attempt at a step ended.
pub(crate) enum Attempt {
    Impossible,
    Done(Option<Fault>),
}

/// One argument, chosen.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) value: Value,
    pub(crate) choice: Choice,
    pub(crate) birth: Option<Birth>,
}

impl<'m, M: 'static, S: 'static> Live<'m, M, S> {
    pub(crate) fn new(
        machine: &'m Machine<M, S>,
        atlas: &'m RefCell<Atlas>,
        (model, system): (M, S),
        settings: Settings<'m>,
    ) -> Self {
        let Settings { record, time_limit, is_watched, watch } = settings;
        let has_references = machine.commands.iter().any(|command| command.has_references);
        let n_parameters = machine.commands.iter().map(|command| command.parameters.len());
        let n_pools = if has_references { n_parameters.sum() } else { 0 };
        Self {
            machine,
            atlas,
            model,
            system,
            done: Vec::new(),
            labels: BTreeMap::new(),
            stage: Cell::new(Stage::Fingerprint),
            time_limit,
            record,
            is_watched,
            watch,
            pools: vec![Pool::default(); n_pools],
            current: None,
            values: Vec::new(),
        }
    }

    /// Whether steps may take the fast lane, of which others see nothing.
    pub(crate) fn is_alone(&self) -> bool {
        self.watch.is_none()
    }

    /// Takes the steps one after the other until one fails; `None` if a strict replay met a forbidden step.
    pub(crate) async fn replay(&mut self, steps: &[Step], mode: Replay) -> Option<Option<Fault>> {
        if let Some(fault) = self.begin() {
            return Some(Some(fault));
        }
        for step in steps {
            match self.attempt(step.clone(), mode).await {
                Attempt::Done(None) => {}
                Attempt::Done(fault) => return Some(fault),
                Attempt::Impossible if mode == Replay::Strict => return None,
                Attempt::Impossible => {}
            }
        }
        Some(None)
    }

    /// What must hold before the first step.
    pub(crate) fn begin(&mut self) -> Option<Fault> {
        self.note_births(BEFORE);
        self.check_invariants()
    }

    /// Whether the command may run now, whatever its arguments.
    #[inline]
    pub(crate) fn is_callable(&self, command: usize) -> bool {
        self.stage.set(Stage::Precondition(command));
        let command = &self.machine.commands[command];
        let is_live = |parameter: &Parameter<M>| match &parameter.slot {
            Slot::Reference(values) => !values(&self.model).is_empty(),
            Slot::Fixed(_) | Slot::Live(_) => true,
        };
        command.guards.iter().all(|guard| guard(&self.model))
            && (!command.has_references || command.parameters.iter().all(is_live))
    }

    pub(crate) async fn attempt(&mut self, step: Step, mode: Replay) -> Attempt {
        let command = step.command;
        self.current = Some(step);
        if !self.is_callable(command) {
            return Attempt::Impossible;
        }
        self.take_current(command, mode).await
    }

    /// Attempts a step whose command is known to be callable.
    pub(crate) async fn attempt_callable(&mut self, step: Step, mode: Replay) -> Attempt {
        let command = step.command;
        self.current = Some(step);
        self.take_current(command, mode).await
    }

    // All but the waiting is outside of futures: those are copied whole each time one is made.
    async fn take_current(&mut self, command: usize, mode: Replay) -> Attempt {
        let Some(births) = self.draw_current(command, mode) else { return Attempt::Impossible };
        let time_limit = self.time_limit;
        let stopwatch = time_limit.map(Stopwatch::start);
        let outcome = match self.launch(births) {
            Running::Done(outcome) => Some(outcome),
            Running::Pending(future) => Deadline::new(future, time_limit).await,
        };
        let is_late = outcome.is_none() || stopwatch.is_some_and(|stopwatch| stopwatch.is_over());
        Attempt::Done(self.conclude(outcome.unwrap_or_default(), is_late))
    }

    /// Draws the arguments of the current step, with the births of references; `None` if it is impossible.
    fn draw_current(&mut self, command: usize, mode: Replay) -> Option<Vec<Option<Birth>>> {
        self.stage.set(Stage::Draw(command));
        if self.record == Record::Values && mode == Replay::Strict && self.is_fixed(command) {
            return self.draw_fixed(command).map(|()| Vec::new());
        }
        let step = self.current.as_ref()?;
        let mut chosen = Vec::with_capacity(step.choices.len());
        for (slot, choice) in step.choices.iter().enumerate() {
            let next = self.choose(step, slot, choice, &chosen)?;
            chosen.push(next);
        }
        let is_allowed = self.allows(command, &chosen);
        if !is_allowed && (mode == Replay::Strict || !self.repair(step, &mut chosen)) {
            return None;
        }
        let step = self.current.as_mut()?;
        self.values.clear();
        let mut births = Vec::with_capacity(chosen.len());
        for (slot, Chosen { value, choice, birth }) in chosen.into_iter().enumerate() {
            self.values.push(value);
            births.push(birth);
            step.choices[slot] = choice;
        }
        Some(births)
    }

    /// Whether all arguments come from strategies that never change.
    fn is_fixed(&self, command: usize) -> bool {
        let mut parameters = self.machine.commands[command].parameters.iter();
        parameters.all(|parameter| matches!(parameter.slot, Slot::Fixed(_)))
    }

    /// Draws the arguments of the current step from strategies that never change; `None` if that fails or a
    /// precondition refuses them. Most steps of most runs come this way, so nothing is copied.
    fn draw_fixed(&mut self, index: usize) -> Option<()> {
        let command = &self.machine.commands[index];
        let step = self.current.as_mut()?;
        self.values.clear();
        let mut atlas = self.atlas.borrow_mut();
        for (slot, parameter) in command.parameters.iter().enumerate() {
            let Slot::Fixed(source) = &parameter.slot else { return None };
            let (value, choice) = atlas.fixed((index, slot), &**source, &step.choices[slot])?;
            self.values.push(value);
            if let Some(choice) = choice {
                step.choices[slot] = choice;
            }
        }
        drop(atlas);
        if command.argument_guards.is_empty() {
            return Some(());
        }
        self.stage.set(Stage::Precondition(index));
        command.argument_guards.iter().all(|guard| guard(&self.values, &self.model)).then_some(())
    }

    /// The arguments of a step that would be allowed now, and choices that lead to them again.
    pub(crate) fn prepare(&self, step: &Step) -> Option<(Step, Vec<Value>)> {
        self.is_callable(step.command).then_some(())?;
        let mut chosen: Vec<Chosen> = Vec::with_capacity(step.choices.len());
        for (slot, choice) in step.choices.iter().enumerate() {
            let next = self.choose(step, slot, choice, &chosen)?;
            chosen.push(next);
        }
        self.allows(step.command, &chosen).then_some(())?;
        let choices = step.choices.iter().zip(&chosen).map(|(old, chosen)| match old {
            Choice::Simplest => Choice::Simplest,
            Choice::Gene(_) | Choice::Born(_) | Choice::Text(_) | Choice::Keep(..) => chosen.choice.clone(),
        });
        let step = Step { uid: step.uid, command: step.command, choices: choices.collect() };
        Some((step, chosen.into_iter().map(|chosen| chosen.value).collect()))
    }

    /// Whether the preconditions on arguments hold.
    pub(crate) fn allows(&self, command: usize, chosen: &[Chosen]) -> bool {
        let guards = &self.machine.commands[command].argument_guards;
        if guards.is_empty() {
            return true;
        }
        self.stage.set(Stage::Precondition(command));
        let values: Vec<Value> = chosen.iter().map(|chosen| chosen.value.clone()).collect();
        guards.iter().all(|guard| guard(&values, &self.model))
    }

    /// Chooses one argument against the model as it is and the arguments before it.
    pub(crate) fn choose(
        &self,
        step: &Step,
        slot: usize,
        choice: &Choice,
        before: &[Chosen],
    ) -> Option<Chosen> {
        let mut atlas = self.atlas.borrow_mut();
        let place = (step.command, slot);
        match &self.machine.commands[step.command].parameters[slot].slot {
            Slot::Fixed(source) => {
                let (value, other) = atlas.fixed(place, &**source, choice)?;
                let choice = other.unwrap_or_else(|| choice.clone());
                Some(Chosen { value, choice, birth: None })
            }
            Slot::Live(make) => {
                let before: Vec<Value> = before.iter().map(|chosen| chosen.value.clone()).collect();
                let source = make(&before, &self.model)?;
                let (value, choice) = atlas.live(&*source, choice)?;
                Some(Chosen { value, choice, birth: None })
            }
            Slot::Reference(values) => {
                let values = values(&self.model);
                let pool = &self.pools[self.pool_index(step.command, slot)];
                let index = match choice {
                    Choice::Gene(gene) | Choice::Keep(_, gene) => Atlas::spread(gene, values.len()),
                    Choice::Born(birth) => pool.index_of(*birth)?,
                    Choice::Text(text) => values.iter().position(|value| *value.show() == **text)?,
                    Choice::Simplest => 0,
                };
                let birth = pool.at(index).map(|(_, birth)| birth);
                let choice = birth.map_or_else(|| choice.clone(), Choice::Born);
                Some(Chosen { value: values.get(index)?.clone(), choice, birth })
            }
        }
    }

    /// Begins to run the current step, which counts as done from here on.
    fn launch(&mut self, births: Vec<Option<Birth>>) -> Running<'_, Outcome> {
        let step = self.current.take().expect("a step is launched only when it was attempted");
        let index = step.command;
        let command = &self.machine.commands[index];
        let is_recorded = self.record == Record::Everything;
        let (mut values, mut texts) = (Vec::new(), Vec::new());
        if is_recorded {
            texts = self.values.iter().map(|value| value.show().into()).collect();
        } else if !births.is_empty() {
            values.clone_from(&self.values);
        }
        self.stage.set(Stage::Run(index));
        for label in &command.labels {
            *self.labels.entry((index, label(&self.values, &self.model))).or_insert(0) += 1;
        }
        self.done.push(Done { step, values, texts, births, result: None, fingerprint: None });
        if let (Some(watch), Some(limit), Some(done)) = (self.watch, self.time_limit, self.done.last()) {
            let line = script::write_step(self.machine, &self.done, done);
            watch.begin(show_step(self.machine, &self.done, done), &line, limit);
        }
        (command.run)(Call {
            arguments: &self.values,
            model: &mut self.model,
            system: &mut self.system,
            wants_result: is_recorded,
            stage: &self.stage,
        })
    }

    /// Judges the step that has just run.
    fn conclude(&mut self, outcome: Outcome, is_late: bool) -> Option<Fault> {
        let Outcome { result: shown, fault } = outcome;
        if let Some(watch) = self.watch {
            watch.end(shown.clone());
        }
        let fingerprint = self.fingerprint();
        let done = self.done.last_mut().expect("a step that ran was pushed");
        (done.result, done.fingerprint) = (shown, fingerprint);
        let (uid, command) = (done.step.uid, done.step.command);
        self.note_births(uid);
        let fault = fault.or_else(|| is_late.then(|| self.late(command)));
        fault.or_else(|| self.check_invariants())
    }

    fn late(&self, command: usize) -> Fault {
        Fault {
            code: format!("{LATE}{:?}", self.machine.commands[command].name),
            message: format!("it did not return within {:?}", self.time_limit.unwrap_or_default()),
        }
    }

    #[inline]
    fn fingerprint(&self) -> Option<u64> {
        if !self.is_watched {
            return None;
        }
        self.stage.set(Stage::Fingerprint);
        (self.machine.fingerprint.as_ref()?.of)(&self.model)
    }

    /// Judges the step that has just run on the fast lane.
    #[inline]
    pub(crate) fn conclude_quick(
        &self,
        track: &mut Track,
        fault: Option<Fault>,
        is_late: bool,
    ) -> Option<Fault> {
        track.n_done += 1;
        let entry = track.log.entries.last_mut().expect("a step that ran was logged");
        entry.fingerprint = self.fingerprint();
        let fault = fault.or_else(|| is_late.then(|| self.late(entry.command)));
        fault.or_else(|| self.check_invariants())
    }

    /// Begins a step on the fast lane; its arguments are drawn on the way.
    #[inline]
    pub(crate) fn launch_quick(
        &mut self,
        quick: &QuickRunner<M, S>,
        index: usize,
        track: &mut Track,
        dice: &mut Dice,
    ) -> Quick<'_> {
        let Self { machine, atlas, model, system, stage, .. } = self;
        let command = &machine.commands[index];
        track.log.open(index, End::Drawing);
        let simplest = |slot: usize| match &command.parameters[slot].slot {
            Slot::Fixed(source) => {
                let mut atlas = atlas.borrow_mut();
                atlas.ends((index, slot), &**source).simplest.as_ref().map(|simplest| simplest.value.clone())
            }
            Slot::Live(_) | Slot::Reference(_) => None,
        };
        let Track { stream, log, n_done: _ } = track;
        let pen = Pen { stream, dice, log, stage, command: index, simplest: &simplest };
        quick(pen, model, system, stage)
    }

    #[inline]
    fn check_invariants(&self) -> Option<Fault> {
        self.machine.invariants.iter().enumerate().find_map(|(index, invariant)| {
            self.stage.set(Stage::Invariant(index));
            let outcome = (invariant.holds)(&self.model, &self.system);
            outcome.err().map(|message| Fault { code: invariant.code(), message })
        })
    }

    fn note_births(&mut self, uid: u32) {
        if self.record == Record::Values || self.pools.is_empty() {
            return;
        }
        let parameters = self.machine.commands.iter().flat_map(|command| &command.parameters);
        for (index, parameter) in parameters.enumerate() {
            if let Slot::Reference(values) = &parameter.slot {
                let texts = values(&self.model).iter().map(Value::show).collect();
                self.pools[index].note(texts, uid);
            }
        }
    }

    fn pool_index(&self, command: usize, slot: usize) -> usize {
        let before = self.machine.commands[..command].iter();
        before.map(|command| command.parameters.len()).sum::<usize>() + slot
    }

    /// Turns a panic into the fault of the closure that was running, and keeps the step that ran into it.
    ///
    /// `is_logged` says that the step has an entry in the log of the run.
    pub(crate) fn blame(&mut self, message: String, is_logged: bool) -> Fault {
        let commands = &self.machine.commands;
        let (code, culprit) = match self.stage.get() {
            Stage::Precondition(command) => {
                (format!("{PANIC}a precondition of {:?}", commands[command].name), Some(command))
            }
            Stage::Draw(command) => {
                (format!("{PANIC}an argument of {:?}", commands[command].name), Some(command))
            }
            Stage::Run(command) => (format!("{PANIC}{:?}", commands[command].name), None),
            Stage::Postcondition(command) => {
                (format!("{PANIC}the postcondition of {:?}", commands[command].name), None)
            }
            Stage::Invariant(index) => (format!("{PANIC}{}", self.machine.invariants[index].code()), None),
            Stage::Fingerprint => (format!("{PANIC}the fingerprint of the model"), None),
        };
        if let Some(command) = culprit.filter(|_| !is_logged) {
            let parameters = &commands[command].parameters;
            let uid = u32::try_from(self.done.len()).unwrap_or(BEFORE - 1);
            let simplest = || Step { uid, command, choices: vec![Choice::Simplest; parameters.len()] };
            let step = self.current.take().filter(|step| step.command == command).unwrap_or_else(simplest);
            let unknown: Rc<str> = UNKNOWN.into();
            self.done.push(Done {
                values: Vec::new(),
                texts: vec![unknown; parameters.len()],
                births: vec![None; parameters.len()],
                result: None,
                fingerprint: None,
                step,
            });
        }
        Fault { code, message }
    }

    /// Ends the run; a panic while model or system are dropped is a fault of its own.
    pub(crate) fn end(self) -> (Vec<Done>, Labels, Option<Fault>) {
        let Self { model, system, done, labels, .. } = self;
        let fault = |what: &str, outcome: Result<(), String>| {
            outcome.err().map(|message| Fault { code: format!("{PANIC}the drop of the {what}"), message })
        };
        let of_system = fault("system", quietly(|| drop(system)));
        let of_model = fault("model", quietly(|| drop(model)));
        (done, labels, of_system.or(of_model))
    }
}
