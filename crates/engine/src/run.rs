//! Whole runs: a sequence drawn step by step against the live state, or one replayed from its choices.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use crate::atlas::{Atlas, Ends, Place};
use crate::deadline::{Deadline, Stopwatch};
use crate::dice::Dice;
use crate::gene::Gene;
use crate::lane::{End, REUSE, SIMPLEST, Track};
use crate::live::{Attempt, Live, Record, Settings};
use crate::machine::{Fault, LocalFuture, Machine, Quick, Slot};
use crate::quiet::{Quiet, quietly};
use crate::sequence::{Choice, Done, Replay, Step, Trace, UNKNOWN};
use crate::setup::SetupError;
use crate::watch::Watch;

/// What is counted over many runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) n_ran: Vec<u64>,
    pub(crate) n_forbidden: Vec<u64>,
    pub(crate) n_undrawable: Vec<u64>,
    pub(crate) labels: BTreeMap<(usize, String), u64>,
}

impl Tally {
    pub(crate) fn new<M, S>(machine: &Machine<M, S>) -> Self {
        let none = vec![0; machine.commands.len()];
        Self { n_ran: none.clone(), n_forbidden: none.clone(), n_undrawable: none, labels: BTreeMap::new() }
    }

    /// Counts the steps of a sequence that was replayed.
    pub(crate) fn count(&mut self, trace: &Trace) {
        for done in &trace.done {
            self.n_ran[done.step.command] += 1;
        }
    }
}

/// A machine being run.
pub(crate) struct Engine<'m, M, S> {
    pub(crate) machine: &'m Machine<M, S>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) atlas: RefCell<Atlas>,
    track: Cell<Option<Box<Track>>>,
    /// Whether models get fingerprints.
    pub(crate) is_watched: Cell<bool>,
    /// What the runs before a failure leave behind for its shrinking.
    pub(crate) roads: RefCell<Vec<Road>>,
    watch: Option<&'m Watch>,
}

/// A run that was drawn: enough to say what happened, if anyone asks.
pub(crate) struct Drawn {
    /// The seed of its stream.
    pub(crate) seed: u64,
    pub(crate) track: Box<Track>,
    /// The steps that kept their own record.
    pub(crate) steps: Vec<Done>,
    pub(crate) fault: Option<Fault>,
}

impl Drawn {
    /// The command of each step, and the fingerprint of the model after it.
    pub(crate) fn met(&self) -> Vec<(usize, Option<u64>)> {
        let mut elsewhere = self.steps.iter();
        let done = self.track.log.entries.iter().filter(|entry| entry.end != End::Refused);
        let met = done.map(|entry| match entry.end {
            End::Elsewhere => (entry.command, elsewhere.next().and_then(|done| done.fingerprint)),
            End::Drawing | End::Refused | End::Ran => (entry.command, entry.fingerprint),
        });
        met.collect()
    }
}

/// How one run is to be drawn.
pub(crate) struct Plan {
    pub(crate) max_commands: usize,
    pub(crate) length: usize,
    /// The weight of each command in this run.
    pub(crate) weights: Vec<u32>,
    /// Whether more than the weights decides.
    pub(crate) is_swarm: bool,
    /// Steps to begin with.
    pub(crate) prefix: Vec<Step>,
}

impl<'m, M: 'static, S: 'static> Engine<'m, M, S> {
    pub(crate) fn new(
        machine: &'m Machine<M, S>,
        time_limit: Option<Duration>,
        watch: Option<&'m Watch>,
    ) -> Self {
        Self {
            machine,
            time_limit,
            atlas: RefCell::default(),
            track: Cell::default(),
            is_watched: Cell::new(machine.fingerprint.is_some()),
            roads: RefCell::default(),
            watch,
        }
    }

    /// Replays steps; `None` if the replay is strict and a step is forbidden.
    pub(crate) async fn replay(&self, steps: &[Step], mode: Replay) -> Result<Option<Trace>, SetupError> {
        let mut live = self.start(Record::Everything).await?;
        let outcome = Quiet(Box::pin(live.replay(steps, mode))).await;
        let (is_whole, fault) = match outcome {
            Ok(Some(fault)) => (true, fault),
            Ok(None) => (false, None),
            Err(message) => (true, Some(live.blame(message, false))),
        };
        let (done, _, dropped) = live.end();
        Ok(is_whole.then(|| Trace { done, fault: fault.or(dropped) }))
    }

    /// Draws one run.
    pub(crate) async fn generate(
        &self,
        dice: &mut Dice,
        plan: &Plan,
        tally: &mut Tally,
    ) -> Result<Drawn, SetupError> {
        let mut live = self.start(Record::Values).await?;
        let seed = dice.next();
        let mut track = self.track.take().unwrap_or_default();
        track.restart(seed);
        let outcome = Quiet(Box::pin(draw(&mut live, &mut track, dice, plan, tally))).await;
        let fault = outcome.unwrap_or_else(|message| {
            let is_logged = track.log.entries.last().is_some_and(|entry| entry.end == End::Drawing);
            Some(live.blame(message, is_logged))
        });
        let (steps, labels, dropped) = live.end();
        let log = &mut track.log;
        // The last step may have panicked before it was logged.
        let n_logged = log.entries.iter().filter(|entry| entry.end == End::Elsewhere).count();
        for done in &steps[n_logged..] {
            log.open(done.step.command, End::Elsewhere);
        }
        for entry in log.entries.iter().filter(|entry| entry.end != End::Refused) {
            tally.n_ran[entry.command] += 1;
        }
        for (label, count) in labels {
            *tally.labels.entry(label).or_insert(0) += count;
        }
        Ok(Drawn { seed, track, steps, fault: fault.or(dropped) })
    }

    /// Gives back the room that a run took.
    pub(crate) fn recycle(&self, drawn: Drawn) {
        self.track.set(Some(drawn.track));
    }

    /// The arguments of a step as text, drawn again where the strategy never changes.
    pub(crate) fn texts(&self, step: &Step) -> Vec<Rc<str>> {
        let mut atlas = self.atlas.borrow_mut();
        let parameters = self.machine.commands[step.command].parameters.iter().enumerate();
        let texts = parameters.zip(&step.choices).map(|((slot, parameter), choice)| {
            let drawn = match &parameter.slot {
                Slot::Fixed(source) => atlas.fixed((step.command, slot), &**source, choice),
                Slot::Live(_) | Slot::Reference(_) => None,
            };
            drawn.map_or_else(|| UNKNOWN.into(), |(value, _)| value.show().into())
        });
        texts.collect()
    }

    pub(crate) fn has_references(&self) -> bool {
        let mut parameters = self.machine.commands.iter().flat_map(|command| &command.parameters);
        parameters.any(|parameter| matches!(parameter.slot, Slot::Reference(_)))
    }

    async fn start(&self, record: Record) -> Result<Live<'_, M, S>, SetupError> {
        let model = quietly(|| (self.machine.model)()).map_err(|reason| SetupError::Model { reason })?;
        let factory = quietly(|| (self.machine.system)()).map_err(|reason| SetupError::System { reason })?;
        let system = Quiet(factory).await.and_then(|system| system);
        let system = system.map_err(|reason| SetupError::System { reason })?;
        if let Some(watch) = self.watch {
            watch.start();
        }
        let settings = Settings {
            record: if self.watch.is_some() { Record::Everything } else { record },
            time_limit: self.time_limit,
            is_watched: self.is_watched.get(),
            watch: self.watch,
        };
        Ok(Live::new(self.machine, &self.atlas, (model, system), settings))
    }
}

/// Odds in percent that a command without arguments which would follow itself is chosen anew.
const REDRAW: usize = 75;

async fn draw<M: 'static, S: 'static>(
    live: &mut Live<'_, M, S>,
    track: &mut Track,
    dice: &mut Dice,
    plan: &Plan,
    tally: &mut Tally,
) -> Option<Fault> {
    if let Some(fault) = live.begin() {
        return Some(fault);
    }
    for step in &plan.prefix {
        if let Attempt::Done(fault) = live.attempt(step.clone(), Replay::Strict).await {
            track.log.open(step.command, End::Elsewhere);
            track.n_done += 1;
            if fault.is_some() {
                return fault;
            }
        }
    }
    let machine = live.machine;
    let mut last = plan.prefix.last().map(|step| step.command);
    let mut n_tries = 0;
    while track.n_done < plan.length && n_tries < 4 * plan.max_commands {
        n_tries += 1;
        let mut command = choose_command(live, dice, &plan.weights, tally)?;
        // The same bare command twice in a row seldom leads anywhere new.
        let is_bare = machine.commands[command].parameters.is_empty();
        if plan.is_swarm && is_bare && last == Some(command) && dice.chance(REDRAW) {
            command = choose_command(live, dice, &plan.weights, tally)?;
        }
        let quick = machine.commands[command].quick.as_ref().filter(|_| live.is_alone());
        let attempt = if let Some(quick) = quick {
            let time_limit = live.time_limit;
            let stopwatch = time_limit.map(Stopwatch::start);
            let outcome = match live.launch_quick(quick, command, track, dice) {
                Quick::Refused => None,
                Quick::Done(fault) => Some((fault, false)),
                Quick::Pending(future) => {
                    let outcome = Deadline::new(future, time_limit).await;
                    let is_late = outcome.is_none();
                    Some((outcome.and_then(|outcome| outcome.fault), is_late))
                }
            };
            if let Some((fault, is_late)) = outcome {
                let is_late = is_late || stopwatch.is_some_and(|stopwatch| stopwatch.is_over());
                Attempt::Done(live.conclude_quick(track, fault, is_late))
            } else {
                track.log.close(End::Refused);
                Attempt::Impossible
            }
        } else {
            let step = draw_step(live, command, dice);
            let attempt = live.attempt_callable(step, Replay::Strict).await;
            if matches!(attempt, Attempt::Done(_)) {
                track.log.open(command, End::Elsewhere);
                track.n_done += 1;
            }
            attempt
        };
        match attempt {
            Attempt::Done(None) => last = Some(command),
            Attempt::Done(fault) => return fault,
            Attempt::Impossible => tally.n_undrawable[command] += 1,
        }
    }
    None
}

/// A step off the fast lane, with a gene for each argument.
fn draw_step<M, S>(live: &Live<'_, M, S>, command: usize, dice: &mut Dice) -> Step {
    let uid = u32::try_from(live.done.len()).unwrap_or(u32::MAX - 1);
    let choices = (0..live.machine.commands[command].parameters.len()).map(|slot| {
        let odds = dice.below(100);
        let earlier = (odds < REUSE && !live.done.is_empty())
            .then(|| dice.below(live.done.len()))
            .and_then(|start| live.done[start..].iter().find(|done| done.step.command == command));
        match earlier {
            Some(done) => done.step.choices[slot].clone(),
            None if odds >= 100 - SIMPLEST => Choice::Simplest,
            None => Choice::Gene(Gene::from_seed(dice.next())),
        }
    });
    Step { uid, command, choices: choices.collect() }
}

/// A callable command, by weight; one that the swarm left out only if there is no other.
#[inline]
fn choose_command<M: 'static, S: 'static>(
    live: &Live<'_, M, S>,
    dice: &mut Dice,
    weights: &[u32],
    tally: &mut Tally,
) -> Option<usize> {
    // The first choice is mostly callable, and then nothing need be copied.
    let first = pick(dice, weights);
    if let Some(command) = first
        && live.is_callable(command)
    {
        return Some(command);
    }
    choose_other(live, dice, weights.to_vec(), first, tally)
}

#[cold]
fn choose_other<M: 'static, S: 'static>(
    live: &Live<'_, M, S>,
    dice: &mut Dice,
    mut weights: Vec<u32>,
    mut refused: Option<usize>,
    tally: &mut Tally,
) -> Option<usize> {
    let mut is_fallback = false;
    loop {
        match refused {
            Some(command) => {
                tally.n_forbidden[command] += 1;
                weights[command] = 0;
            }
            None if is_fallback => return None,
            None => {
                is_fallback = true;
                weights = live.machine.commands.iter().map(|command| command.weight).collect();
            }
        }
        refused = pick(dice, &weights);
        if let Some(command) = refused
            && live.is_callable(command)
        {
            return Some(command);
        }
    }
}

/// An index, by weight; `None` if all weights are 0.
#[inline]
fn pick(dice: &mut Dice, weights: &[u32]) -> Option<usize> {
    let total: usize = weights.iter().map(|weight| *weight as usize).sum();
    let mut left = (total > 0).then(|| dice.below(total))?;
    weights.iter().position(|weight| {
        let is_here = left < *weight as usize;
        left = left.saturating_sub(*weight as usize);
        is_here
    })
}

/// What shrinking needs of a machine, without its types.
pub(crate) trait Subject {
    /// Runs steps on a fresh model and system.
    fn run<'a>(
        &'a self,
        steps: &'a [Step],
        mode: Replay,
    ) -> LocalFuture<'a, Result<Option<Trace>, SetupError>>;
    /// Models that earlier runs met, and the commands that take no arguments.
    fn roads(&self) -> (Vec<Road>, Vec<usize>);
    /// What a parameter can be.
    fn facts(&self, place: Place) -> Facts;
    /// Whether a parameter can show so; true where only the run can tell.
    fn can_be(&self, place: Place, text: &Rc<str>) -> bool;
}

/// A model that was met.
#[derive(Clone, Debug)]
pub(crate) struct Road {
    /// The shortest way to it.
    pub(crate) way: Vec<Step>,
    /// Where commands without arguments lead from there, as far as they were tried.
    pub(crate) leads: BTreeMap<usize, Option<u64>>,
    /// `None` for the start.
    pub(crate) fingerprint: Option<u64>,
}

/// What is known of a parameter before any run.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) name: String,
    pub(crate) simplest: Option<Rc<str>>,
    pub(crate) largest: Option<i128>,
    /// Whether a wanted value can be looked for.
    pub(crate) is_fed: bool,
}

impl<M: 'static, S: 'static> Subject for Engine<'_, M, S> {
    fn run<'a>(
        &'a self,
        steps: &'a [Step],
        mode: Replay,
    ) -> LocalFuture<'a, Result<Option<Trace>, SetupError>> {
        Box::pin(self.replay(steps, mode))
    }

    fn roads(&self) -> (Vec<Road>, Vec<usize>) {
        let bare = self.machine.commands.iter().enumerate();
        let bare = bare.filter(|(_, one)| one.parameters.is_empty() && one.weight > 0);
        (self.roads.borrow().clone(), bare.map(|(index, _)| index).collect())
    }

    fn facts(&self, place: Place) -> Facts {
        let parameter = &self.machine.commands[place.0].parameters[place.1];
        let name = parameter.name.clone();
        match &parameter.slot {
            Slot::Fixed(source) => {
                let mut atlas = self.atlas.borrow_mut();
                let Ends { simplest, largest } = atlas.ends(place, &**source);
                Facts {
                    name,
                    simplest: simplest.as_ref().map(|simplest| simplest.text.clone()),
                    largest: *largest,
                    is_fed: source.is_fed(),
                }
            }
            Slot::Live(_) | Slot::Reference(_) => Facts { name, simplest: None, largest: None, is_fed: true },
        }
    }

    fn can_be(&self, place: Place, text: &Rc<str>) -> bool {
        match &self.machine.commands[place.0].parameters[place.1].slot {
            Slot::Fixed(source) => self.atlas.borrow_mut().gene(place, &**source, text).is_some(),
            Slot::Live(_) | Slot::Reference(_) => true,
        }
    }
}
