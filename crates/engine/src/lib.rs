//! Model-based tests: a model, a system, commands, and sequences of them that shrink to an exact minimum.
//!
//! A *model* says what should happen, as simply as possible. The *system* is what you ship. *Commands* do the same to
//! both. Probity draws sequences of commands, one step at a time against the state as it is, compares, and when the
//! two part ways it looks for the shortest and simplest sequence that still shows it.
//!
//! ```
//! use probity::{Check, stateful};
//!
//! #[derive(Default)]
//! struct Counter { n: i64 }
//!
//! let test = stateful::<i64, Counter>()
//!     .model(|| 0)
//!     .sut(Counter::default)
//!     .command("inc")
//!         .forall("by", 1..=5i64)
//!         .run(|(by,), model, counter| {
//!             *model += by;
//!             counter.n = (counter.n + by).min(10); // the bug
//!             counter.n
//!         })
//!         .post(|_, model, _, got| got == model)
//!     .command("reset")
//!         .pre(|model| *model != 0)
//!         .run(|(), model, counter| { *model = 0; counter.n = 0; });
//!
//! let failure = test.run(Check { seed: Some(1), ..Check::default() }).unwrap_err();
//! let minimal = &failure.counterexample().unwrap().minimal;
//! assert_eq!(minimal.iter().map(|step| step.to_string()).collect::<Vec<_>>(), [
//!     "inc(by: 1) -> 1",
//!     "inc(by: 5) -> 6",
//!     "inc(by: 5) -> 10",
//! ]);
//! ```
//!
//! In a `#[test]` end with [`.check(Check::default())`](Stateful::check), which panics with the report and records the
//! failure in `proptest-regressions`.
//!
//! # Arguments
//! - [`forall`](Unfinished::forall) takes any proptest strategy; arguments arrive as a typed tuple.
//! - [`forall_in`](Unfinished::forall_in) makes the strategy from the model as it is, and
//!   [`forall_with`](Unfinished::forall_with) from the arguments before it as well.
//! - [`from`](Unfinished::from) refers to a value that an earlier command left in the model: a handle, a token. While
//!   shrinking, a reference follows the step that gave birth to its value.
//!
//! # Checks
//! Postconditions and invariants return `bool`, `Result<(), E>`, or `()` with assertions inside; a panic anywhere is a
//! failure that shrinks. A factory that fails is an error, never a counterexample.
//!
//! # Finding deep bugs
//! Most runs use only some of the commands, which alone finds much. If the model is [`Hash`](std::hash::Hash) or
//! [`Debug`], the models a test meets are told apart, and runs then set out from those that few runs have met. That
//! ends by itself where models hardly ever come back; [`.novelty()`](Stateful::novelty) insists.
//! On the water jugs puzzle (`cargo bench --bench detection`) the first takes detection from 42 to 73 of 100 seeds, the
//! second to 99.
//!
//! # Async systems
//! Use `sut_async` and `run_async(async |args, model, sut| ..)`. The engine brings no runtime: `check` polls on its own
//! thread, and [`check_async`](Stateful::check_async) runs on yours. With tokio:
//!
//! ```
//! # use probity::{Check, Stateful, stateful};
//! # fn store_test() -> Stateful<(), ()> {
//! #     stateful().model(|| ()).sut_async(|| async {}).command("ping").run_async(async |(), _, _| ()).end()
//! # }
//! #[tokio::test]
//! async fn store_keeps_its_contract() {
//!     store_test().check_async(Check::default()).await;
//! }
//! # store_keeps_its_contract_now();
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn store_keeps_its_contract_now() {
//! #     store_test().check_async(Check { persistence: probity::Persistence::Off, ..Check::default() }).await;
//! # }
//! ```
//!
//! # Parallel runs
//! Give commands `.call(|args, sut: &S| ..)` (threads) or `.call_async(..)` (interleaved futures) and
//! `.next(|args, model, result| ..)`, then end with [`check_parallel`](Stateful::check_parallel).
//!
//! # Commands that never return
//! With a [`time_limit`](Check::time_limit), a future that does not end in time is a failure that shrinks. A synchronous
//! command cannot be interrupted; [`check_watched`] runs the test on a thread of its own and ends all the same, with the
//! name of the command and the steps that led there.
//!
//! # Commands made at run time
//! Beneath the builder lies [`Machine`], whose [`Command`]s have names, arguments and results without types. Arguments
//! are drawn from the model as it is and from the arguments before them, preconditions switch commands on and off with
//! every step, and [`run_recorded`](Machine::run_recorded) keeps failures in a file. `examples/live_commands.rs` tests
//! a server whose tools come and go.
//!
//! # What does not compile
//! A command without `run`:
//! ```compile_fail
//! probity::stateful::<(), ()>().model(|| ()).sut(|| ()).command("a").command("b");
//! ```
//! An argument after `run`:
//! ```compile_fail
//! probity::stateful::<(), ()>().command("a").run(|(), _, _| ()).forall("x", 0..3);
//! ```
//! Arguments of another type than the strategy's:
//! ```compile_fail
//! probity::stateful::<(), ()>().command("a").forall("x", 0..3i32).run(|(x,): (String,), _, _| ());
//! ```

mod plural;
mod quiet;
mod dice;
mod value;
mod verdict;
mod arguments;
mod gene;
mod stage;
mod stream;
mod diet;
mod source;
mod lane;
mod realise;
mod novelty;
mod machine;
mod deadline;
mod pool;
mod sequence;
mod atlas;
mod setup;
mod statistics;
mod failure;
mod script;
mod watch;
mod live;
mod repair;
mod run;
mod unroll;
mod check;
mod plan;
mod shrink;
mod search;
mod rerun;
mod work;
mod builder;
mod command;
mod persist;
mod parallel;
mod face;

pub use arguments::{Arguments, Grow};
pub use builder::{Opaque, Stateful, Visible, stateful};
pub use check::{Check, Choosing, Focus, Persistence};
pub use command::{Called, Finished, Unfinished};
pub use face::{check_watched, run_watched};
pub use failure::{Counterexample, Failure, Found, NotLinearizable, Recording, ShownArgument, ShownStep};
pub use machine::{Call, Command, Fault, LocalFuture, Machine, Outcome, Running};
pub use parallel::Parallel;
pub use sequence::Replay;
pub use setup::SetupError;
pub use statistics::{CommandCount, Statistics};
pub use value::Value;
pub use verdict::Verdict;
