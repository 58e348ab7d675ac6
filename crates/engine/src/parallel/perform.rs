//! Branches at work: on threads, or as futures polled in an order that a seed decides.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use crate::dice::Dice;
use crate::machine::{Launch, Machine, ThreadCall};
use crate::parallel::linear::Event;
use crate::quiet::quietly;
use crate::value::Value;

/// A result, with the ticks of its call.
pub(crate) type Timed = (u64, u64, Box<dyn Any + Send>);
/// Runs each list of calls on a thread of its own.
pub(crate) type Threads<S> = fn(&S, Vec<Vec<ThreadCall<S>>>) -> Vec<Vec<Timed>>;

/// One execution of the branches.
pub(crate) struct Performance<'a, M, S> {
    pub(crate) machine: &'a Machine<M, S>,
    pub(crate) calls: &'a [Vec<(usize, Vec<Value>)>],
    pub(crate) schedule: u64,
    pub(crate) threads: Threads<S>,
}

/// Polls after which interleaved branches count as stuck.
const MAX_POLLS: u32 = 100_000;

/// Runs the branches and returns what each call did, branch by branch.
pub(crate) fn perform<M, S>(performance: &Performance<'_, M, S>, system: &S) -> Vec<Vec<Event>> {
    let commands = performance.calls.iter().flatten().map(|(command, _)| *command);
    let launches = commands.filter_map(|command| performance.machine.commands[command].concurrent.as_ref());
    let is_threaded =
        launches.map(|concurrent| &concurrent.launch).any(|launch| matches!(launch, Launch::Thread(_)));
    if is_threaded { on_threads(performance, system) } else { interleaved(performance, system) }
}

fn on_threads<M, S>(performance: &Performance<'_, M, S>, system: &S) -> Vec<Vec<Event>> {
    let Performance { machine, calls, schedule: _, threads } = performance;
    let prepare = |(command, values): &(usize, Vec<Value>)| match &machine.commands[*command].concurrent {
        Some(concurrent) => match &concurrent.launch {
            Launch::Thread(prepare) => Some(prepare(values)),
            Launch::Future(_) => None,
        },
        None => None,
    };
    let prepared = calls.iter().map(|branch| branch.iter().filter_map(prepare).collect()).collect();
    let timed = threads(system, prepared);
    let branches = timed.into_iter().zip(calls.iter()).map(|(timed, calls)| {
        let events = timed.into_iter().zip(calls).filter_map(|((begin, end, result), (command, values))| {
            let outcome = (machine.commands[*command].concurrent.as_ref()?.wrap)(result);
            let result = outcome.show();
            Some(Event { command: *command, values: values.clone(), outcome, result, begin, end })
        });
        events.collect()
    });
    branches.collect()
}

/// Runs the calls of each branch on a thread of its own, all begun together.
pub(crate) fn threads<S: Sync>(system: &S, branches: Vec<Vec<ThreadCall<S>>>) -> Vec<Vec<Timed>> {
    let clock = AtomicU64::new(0);
    let barrier = Barrier::new(branches.len());
    let run = |calls: Vec<ThreadCall<S>>| {
        barrier.wait();
        let timed = calls.into_iter().map(|call| {
            let begin = clock.fetch_add(1, Ordering::SeqCst);
            let result = quietly(|| call(system))?;
            Ok((begin, clock.fetch_add(1, Ordering::SeqCst), result))
        });
        timed.collect::<Result<Vec<Timed>, String>>()
    };
    let run = &run;
    std::thread::scope(|scope| {
        let workers: Vec<_> = branches.into_iter().map(|calls| scope.spawn(move || run(calls))).collect();
        let joined = workers.into_iter().map(|worker| worker.join().expect("a branch catches its panics"));
        // The caller listens for panics of its own thread.
        joined.map(|timed| timed.unwrap_or_else(|message| panic!("{message}"))).collect()
    })
}

fn interleaved<M, S>(performance: &Performance<'_, M, S>, system: &S) -> Vec<Vec<Event>> {
    let Performance { machine, calls, schedule, threads: _ } = performance;
    let clock = Cell::new(0);
    let tick = || clock.replace(clock.get() + 1);
    let log: Vec<RefCell<Vec<Event>>> = calls.iter().map(|_| RefCell::default()).collect();
    let branch = |index: usize| {
        let (log, tick) = (&log[index], &tick);
        async move {
            for (command, values) in &calls[index] {
                let Some(concurrent) = &machine.commands[*command].concurrent else { continue };
                let Launch::Future(launch) = &concurrent.launch else { continue };
                let begin = tick();
                let outcome = launch(values, system).await;
                let (end, result) = (tick(), outcome.show());
                log.borrow_mut().push(Event {
                    command: *command,
                    values: values.clone(),
                    outcome,
                    result,
                    begin,
                    end,
                });
            }
        }
    };
    let mut running: Vec<_> = (0..calls.len()).map(|index| Box::pin(branch(index))).collect();
    let mut dice = Dice::new(*schedule, 1);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..MAX_POLLS {
        if running.is_empty() {
            break;
        }
        let index = dice.below(running.len());
        if let Poll::Ready(()) = running[index].as_mut().poll(&mut context) {
            drop(running.swap_remove(index));
        }
    }
    drop(running);
    log.into_iter().map(RefCell::into_inner).collect()
}
