//! Linearizability: lost updates and check-then-act are found and minimal, and correct systems raise no alarm.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use probity::{Failure, NotLinearizable, Parallel, SetupError, Stateful, stateful};

/// Lets other branches go first.
async fn pause() {
    let mut is_first = true;
    std::future::poll_fn(|context| {
        if std::mem::take(&mut is_first) {
            context.waker().wake_by_ref();
            return std::task::Poll::Pending;
        }
        std::task::Poll::Ready(())
    })
    .await;
}

fn counter(is_correct: bool) -> Stateful<i64, RefCell<i64>> {
    stateful::<i64, RefCell<i64>>()
        .model(|| 0)
        .sut(|| RefCell::new(0))
        .command("inc")
        .call_async(async move |(), counter: &RefCell<i64>| {
            let before = *counter.borrow();
            if !is_correct {
                pause().await;
                *counter.borrow_mut() = before + 1;
                return before + 1;
            }
            *counter.borrow_mut() += 1;
            pause().await;
            before + 1
        })
        .next(|(), model, result| {
            *model += 1;
            result == model
        })
        .command("get")
        .call_async(async |(), counter: &RefCell<i64>| *counter.borrow())
        .next(|(), model, result| result == model)
        .end()
}

type Shelf = RefCell<BTreeMap<u8, u8>>;

/// Puts only if the key is absent; looks first, then acts.
fn map() -> Stateful<BTreeMap<u8, u8>, Shelf> {
    stateful::<BTreeMap<u8, u8>, Shelf>()
        .model(BTreeMap::new)
        .sut(Shelf::default)
        .command("put_if_absent")
        .forall("k", 0..3u8)
        .forall("v", 0..9u8)
        .call_async(async |(k, v), shelf: &Shelf| {
            let is_absent = !shelf.borrow().contains_key(&k);
            pause().await;
            if is_absent {
                shelf.borrow_mut().insert(k, v);
            }
            is_absent
        })
        .next(|(k, v), model, put| {
            let is_absent = !model.contains_key(k);
            model.entry(*k).or_insert(*v);
            *put == is_absent
        })
        .end()
}

fn minimal(outcome: Result<u32, Failure>) -> NotLinearizable {
    match outcome {
        Err(Failure::NotLinearizable(program)) => *program,
        other => panic!("a race was due, not {other:?}"),
    }
}

fn brief(program: &NotLinearizable) -> String {
    let branches = program
        .branches
        .iter()
        .map(|branch| branch.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
    format!("{:?} {}", program.prefix, branches.collect::<Vec<_>>().join(" || "))
}

#[test]
fn a_lost_update_is_found_and_minimal_with_every_seed() {
    for seed in 0..20 {
        let program =
            minimal(counter(false).run_interleaved(&Parallel { seed: Some(seed), ..Parallel::default() }));
        assert_eq!(brief(&program), "[] inc() -> 1 || inc() -> 1", "seed {seed}");
    }
}

#[test]
fn check_then_act_is_found_and_minimal_with_every_seed() {
    for seed in 0..20 {
        let program = minimal(map().run_interleaved(&Parallel { seed: Some(seed), ..Parallel::default() }));
        let expected = "[] put_if_absent(k: 0, v: 0) -> true || put_if_absent(k: 0, v: 0) -> true";
        assert_eq!(brief(&program), expected, "seed {seed}");
    }
}

#[test]
fn a_correct_counter_raises_no_alarm_in_a_thousand_runs() {
    let parallel = Parallel { seed: Some(1), num_runs: 1000, repeats: 3, branches: 3, ..Parallel::default() };
    assert!(counter(true).run_interleaved(&parallel).is_ok());
}

fn on_threads(is_correct: bool) -> Stateful<i64, AtomicI64> {
    stateful::<i64, AtomicI64>()
        .model(|| 0)
        .sut(|| AtomicI64::new(0))
        .command("inc")
        .call(move |(), counter: &AtomicI64| {
            if is_correct {
                return counter.fetch_add(1, Ordering::SeqCst) + 1;
            }
            let before = counter.load(Ordering::SeqCst);
            (0..50).for_each(|_| std::thread::yield_now());
            counter.store(before + 1, Ordering::SeqCst);
            before + 1
        })
        .next(|(), model, result| {
            *model += 1;
            result == model
        })
        .end()
}

type Locked = Mutex<BTreeMap<u8, u8>>;

/// The map on threads; the wrong one lets go of the lock between looking and acting.
fn map_on_threads(is_correct: bool) -> Stateful<BTreeMap<u8, u8>, Locked> {
    stateful::<BTreeMap<u8, u8>, Locked>()
        .model(BTreeMap::new)
        .sut(Locked::default)
        .command("put_if_absent")
        .forall("k", 0..3u8)
        .forall("v", 0..9u8)
        .call(move |(k, v), shelf: &Locked| {
            let mut guard = shelf.lock().unwrap();
            let is_absent = !guard.contains_key(&k);
            if !is_correct {
                drop(guard);
                (0..50).for_each(|_| std::thread::yield_now());
                guard = shelf.lock().unwrap();
            }
            if is_absent {
                guard.insert(k, v);
            }
            is_absent
        })
        .next(|(k, v), model, put| {
            let is_absent = !model.contains_key(k);
            model.entry(*k).or_insert(*v);
            *put == is_absent
        })
        .end()
}

fn with_seed(seed: u64) -> Parallel {
    Parallel { seed: Some(seed), ..Parallel::default() }
}

#[test]
fn a_lost_update_between_threads_is_found_and_minimal_with_every_seed() {
    for seed in 0..20 {
        let program = minimal(on_threads(false).run_parallel(&with_seed(seed)));
        assert_eq!(brief(&program), "[] inc() -> 1 || inc() -> 1", "seed {seed}");
    }
}

#[test]
fn check_then_act_between_threads_is_found_and_minimal_with_every_seed() {
    for seed in 0..20 {
        let program = minimal(map_on_threads(false).run_parallel(&with_seed(seed)));
        let expected = "[] put_if_absent(k: 0, v: 0) -> true || put_if_absent(k: 0, v: 0) -> true";
        assert_eq!(brief(&program), expected, "seed {seed}");
    }
}

#[test]
fn correct_systems_on_threads_raise_no_alarm_in_a_thousand_runs() {
    let parallel = Parallel { num_runs: 1000, repeats: 2, ..with_seed(3) };
    assert!(on_threads(true).run_parallel(&parallel).is_ok());
    assert!(map_on_threads(true).run_parallel(&parallel).is_ok());
}

#[test]
fn shrinking_a_parallel_program_keeps_to_its_budget() {
    for shrink_budget in [0, 1, 7] {
        let program = minimal(counter(false).run_interleaved(&Parallel { shrink_budget, ..with_seed(1) }));
        assert!(program.n_executions <= shrink_budget, "{} executions", program.n_executions);
    }
}

#[test]
fn a_command_that_cannot_run_in_parallel_is_named() {
    let test = stateful::<(), ()>().model(|| ()).sut(|| ()).command("alone").run(|(), (), ()| ()).end();
    let error = test.run_parallel(&Parallel::default()).expect_err("alone has no call");
    let expected = SetupError::NotConcurrent { command: "alone".to_owned() };
    assert!(matches!(error, Failure::Setup(error) if error == expected));
}
