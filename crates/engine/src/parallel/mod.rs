//! Commands side by side: programs of a prefix and branches, run concurrently, explained by the model or shrunk.

mod linear;
mod perform;

use std::cell::RefCell;

use crate::atlas::Atlas;
use crate::builder::Stateful;
use crate::deadline::block_on;
use crate::dice::Dice;
use crate::failure::{Failure, NotLinearizable, ShownArgument, ShownStep};
use crate::gene::Gene;
use crate::live::{Attempt, Live, Record, Settings};
use crate::machine::Machine;
use crate::persist::fresh_seed;
use crate::quiet::quietly;
use crate::sequence::{Choice, Replay, Step};
use crate::setup::SetupError;
use crate::value::Value;
use linear::Event;
use perform::{Performance, perform, threads};

/// How a parallel test is carried out.
#[derive(Clone, Debug)]
pub struct Parallel {
    /// Programs to try.
    pub num_runs: u32,
    /// Longest sequential prefix.
    pub max_prefix: usize,
    /// Branches that run side by side.
    pub branches: usize,
    /// Longest branch.
    pub max_branch: usize,
    /// Times each program runs, each time in another order of events.
    pub repeats: u32,
    /// Executions of programs that shrinking may take.
    pub shrink_budget: u32,
    /// The seed; a fresh one if `None`.
    pub seed: Option<u64>,
}

impl Default for Parallel {
    fn default() -> Self {
        Self {
            num_runs: 50,
            max_prefix: 3,
            branches: 2,
            max_branch: 3,
            repeats: 20,
            shrink_budget: 10_000,
            seed: None,
        }
    }
}

impl Parallel {
    /// The options that draw a program again, as Rust: those that decide what is drawn, and how often it runs.
    fn again(&self, seed: u64, n_runs: u32) -> String {
        let Self { num_runs: _, max_prefix, branches, max_branch, repeats, shrink_budget: _, seed: _ } = self;
        let default = Self::default();
        let mut fields = vec![format!("seed: Some({seed})")];
        fields.extend((n_runs > default.num_runs).then(|| format!("num_runs: {n_runs}")));
        let is_other = *max_prefix != default.max_prefix;
        fields.extend(is_other.then(|| format!("max_prefix: {max_prefix}")));
        fields.extend((*branches != default.branches).then(|| format!("branches: {branches}")));
        let is_other = *max_branch != default.max_branch;
        fields.extend(is_other.then(|| format!("max_branch: {max_branch}")));
        fields.extend((*repeats != default.repeats).then(|| format!("repeats: {repeats}")));
        format!("Parallel {{ {}, ..Parallel::default() }}", fields.join(", "))
    }
}

impl<M: Clone + 'static, S: 'static> Stateful<M, S> {
    /// Runs commands in parallel on threads (those with `.call`) or as interleaved futures (`.call_async`), and panics
    /// with the smallest program whose results no sequential order explains.
    ///
    /// A branch takes only commands whose precondition holds after the prefix; they must be legal whatever the other
    /// branches do meanwhile.
    #[track_caller]
    pub fn check_parallel(self, parallel: &Parallel)
    where
        S: Sync,
    {
        if let Err(failure) = self.run_parallel(parallel) {
            panic!("{failure}");
        }
    }

    /// As [`check_parallel`](Self::check_parallel), returned as data: the number of executions, or what broke.
    pub fn run_parallel(self, parallel: &Parallel) -> Result<u32, Failure>
    where
        S: Sync,
    {
        search(&self.build()?, parallel, threads::<S>)
    }

    /// As [`run_parallel`](Self::run_parallel) for a system that is not `Sync`: all commands must be futures.
    pub fn run_interleaved(self, parallel: &Parallel) -> Result<u32, Failure> {
        search(&self.build()?, parallel, |_, _| Vec::new())
    }
}

/// How the prefix runs.
const SETTINGS: Settings<'_> =
    Settings { record: Record::Everything, time_limit: None, is_watched: false, watch: None };

/// A prefix and branches.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    prefix: Vec<Step>,
    branches: Vec<Vec<Step>>,
}

impl Program {
    fn parts(&mut self) -> impl Iterator<Item = &mut Vec<Step>> {
        std::iter::once(&mut self.prefix).chain(&mut self.branches)
    }
}

/// What one execution showed.
struct Seen {
    program: Program,
    prefix: Vec<ShownStep>,
    branches: Vec<Vec<Event>>,
    is_explained: bool,
    panic: Option<String>,
}

fn search<M: Clone + 'static, S: 'static>(
    machine: &Machine<M, S>,
    parallel: &Parallel,
    threads: perform::Threads<S>,
) -> Result<u32, Failure> {
    machine.validate()?;
    if let Some(command) = machine.commands.iter().find(|command| command.concurrent.is_none()) {
        return Err(SetupError::NotConcurrent { command: command.name.clone() }.into());
    }
    let seed = parallel.seed.unwrap_or_else(fresh_seed);
    let atlas = RefCell::new(Atlas::default());
    let mut trial =
        Trial { machine, atlas: &atlas, threads, repeats: parallel.repeats.max(1), n_executions: 0 };
    for run in 0..parallel.num_runs {
        let mut dice = Dice::new(seed, u64::from(run));
        let program = draw(machine, parallel, &mut dice);
        if let Some(first) = trial.fails(&program)? {
            trial.n_executions = 0;
            trial.repeats *= 3;
            let Seen { program: _, prefix, branches, is_explained: _, panic } =
                trial.shrink(first, parallel.shrink_budget)?;
            let shown = branches.iter().map(|branch| {
                branch
                    .iter()
                    .map(|event| show(machine, event.command, &event.values, &event.result))
                    .collect()
            });
            return Err(Failure::NotLinearizable(Box::new(NotLinearizable {
                prefix,
                branches: shown.collect(),
                panic,
                seed,
                again: parallel.again(seed, run + 1),
                n_executions: trial.n_executions,
            })));
        }
    }
    Ok(trial.n_executions)
}

fn draw<M, S>(machine: &Machine<M, S>, parallel: &Parallel, dice: &mut Dice) -> Program {
    let mut steps = |most: usize, least: usize| {
        let n_steps = least + dice.below(most.saturating_sub(least) + 1);
        let draw = |_| {
            let command = dice.below(machine.commands.len());
            let choices = machine.commands[command].parameters.iter().map(|_| {
                if dice.chance(30) { Choice::Simplest } else { Choice::Gene(Gene::from_seed(dice.next())) }
            });
            Step { uid: 0, command, choices: choices.collect() }
        };
        (0..n_steps).map(draw).collect::<Vec<Step>>()
    };
    let prefix = steps(parallel.max_prefix, 0);
    Program {
        prefix,
        branches: (0..parallel.branches.max(2)).map(|_| steps(parallel.max_branch, 1)).collect(),
    }
}

struct Trial<'m, M, S> {
    machine: &'m Machine<M, S>,
    atlas: &'m RefCell<Atlas>,
    threads: perform::Threads<S>,
    repeats: u32,
    n_executions: u32,
}

impl<M: Clone + 'static, S: 'static> Trial<'_, M, S> {
    /// Runs a program again and again; what was seen when it could not be explained.
    fn fails(&mut self, program: &Program) -> Result<Option<Seen>, SetupError> {
        for repeat in 0..self.repeats {
            self.n_executions += 1;
            let seen = self.execute(program, u64::from(repeat))?;
            if !seen.is_explained {
                return Ok(Some(seen));
            }
        }
        Ok(None)
    }

    fn execute(&self, program: &Program, schedule: u64) -> Result<Seen, SetupError> {
        let machine = self.machine;
        let model = quietly(|| (machine.model)()).map_err(|reason| SetupError::Model { reason })?;
        let system = block_on((machine.system)()).map_err(|reason| SetupError::System { reason })?;
        let mut live = Live::new(machine, self.atlas, (model, system), SETTINGS);
        let mut prefix = Vec::new();
        let mut is_explained = live.begin().is_none();
        let mut kept = Program { prefix: Vec::new(), branches: Vec::new() };
        for step in &program.prefix {
            let Some((step, values)) = live.prepare(step) else { continue };
            let fault = block_on(Box::pin(live.attempt(step.clone(), Replay::Strict)));
            is_explained &= !matches!(fault, Attempt::Done(Some(_)));
            let result = live.done.last().and_then(|done| done.result.clone()).unwrap_or_default();
            prefix.push(show(machine, step.command, &values, &result));
            kept.prefix.push(step);
        }
        let mut calls: Vec<Vec<(usize, Vec<Value>)>> = Vec::new();
        for branch in &program.branches {
            let prepared: Vec<(Step, Vec<Value>)> =
                branch.iter().filter_map(|step| live.prepare(step)).collect();
            calls.push(prepared.iter().map(|(step, values)| (step.command, values.clone())).collect());
            kept.branches.push(prepared.into_iter().map(|(step, _)| step).collect());
        }
        let performance = Performance { machine, calls: &calls, schedule, threads: self.threads };
        let (branches, panic) = match quietly(|| perform(&performance, &live.system)) {
            Ok(branches) => (branches, None),
            Err(message) => (Vec::new(), Some(message)),
        };
        is_explained &= panic.is_none() && linear::explain(machine, &live.model, &branches);
        Ok(Seen { program: kept, prefix, branches, is_explained, panic })
    }

    /// Drops steps and simplifies arguments until nothing helps, or the budget is spent.
    fn shrink(&mut self, mut best: Seen, budget: u32) -> Result<Seen, SetupError> {
        loop {
            let mut has_improved = false;
            for candidate in candidates(&best.program) {
                let left = budget.saturating_sub(self.n_executions);
                if left == 0 {
                    return Ok(best);
                }
                self.repeats = self.repeats.min(left);
                if let Some(seen) = self.fails(&candidate)? {
                    best = seen;
                    has_improved = true;
                    break;
                }
            }
            if !has_improved {
                return Ok(best);
            }
        }
    }
}

/// Simpler programs: one step fewer, or an argument that is the simplest.
fn candidates(program: &Program) -> Vec<Program> {
    let mut candidates = Vec::new();
    for part in 0..=program.branches.len() {
        let n_steps = program.clone().parts().nth(part).map_or(0, |steps| steps.len());
        for index in 0..n_steps {
            let mut shorter = program.clone();
            if let Some(steps) = shorter.parts().nth(part) {
                steps.remove(index);
            }
            candidates.push(shorter);
        }
    }
    candidates.extend(with_simplest(program, |_, _| true));
    let mut places: Vec<(usize, usize)> = Vec::new();
    for step in std::iter::once(&program.prefix).chain(&program.branches).flatten() {
        places.extend((0..step.choices.len()).map(|slot| (step.command, slot)));
    }
    places.sort_unstable();
    places.dedup();
    // Equal values must fall together.
    for place in places {
        candidates.extend(with_simplest(program, |step, slot| (step.command, slot) == place));
    }
    for part in 0..=program.branches.len() {
        let steps = program.clone().parts().nth(part).map_or_else(Vec::new, |steps| steps.clone());
        for (index, step) in steps.iter().enumerate() {
            for slot in 0..step.choices.len() {
                let mut simpler = program.clone();
                let old = simpler
                    .parts()
                    .nth(part)
                    .map(|steps| std::mem::replace(&mut steps[index].choices[slot], Choice::Simplest));
                if old != Some(Choice::Simplest) {
                    candidates.push(simpler);
                }
            }
        }
    }
    candidates
}

/// The program in which the chosen arguments are the simplest, unless it is the same.
fn with_simplest(program: &Program, is_chosen: impl Fn(&Step, usize) -> bool) -> Option<Program> {
    let mut simpler = program.clone();
    let mut has_changed = false;
    for step in simpler.parts().flatten() {
        for slot in 0..step.choices.len() {
            if is_chosen(step, slot) && step.choices[slot] != Choice::Simplest {
                step.choices[slot] = Choice::Simplest;
                has_changed = true;
            }
        }
    }
    has_changed.then_some(simpler)
}

fn show<M, S>(machine: &Machine<M, S>, command: usize, values: &[Value], result: &str) -> ShownStep {
    let command = &machine.commands[command];
    let arguments = command.parameters.iter().zip(values).map(|(parameter, value)| ShownArgument {
        name: parameter.name.clone(),
        value: value.show(),
        born_in: None,
    });
    ShownStep {
        command: command.name.clone(),
        arguments: arguments.collect(),
        result: Some(result.to_owned()),
    }
}
