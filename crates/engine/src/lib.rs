//! Model-based tests: a model, a system, commands, and sequences of them that shrink to an exact minimum.

mod arguments;
mod atlas;
mod check;
mod command;
mod deadline;
mod dice;
mod face;
mod failure;
mod gene;
mod live;
mod machine;
mod parallel;
mod persist;
mod plan;
mod pool;
mod quiet;
mod realise;
mod repair;
mod run;
mod script;
mod sequence;
mod shrink;
mod statistics;
mod value;
mod verdict;

pub use arguments::{Arguments, Grow};
pub use check::{Check, Choosing, Focus, Persistence};
pub use command::{Called, Finished, Stateful, Unfinished, stateful};
pub use failure::{Counterexample, Failure, ShownArgument, ShownStep};
pub use machine::{Call, Command, Fault, LocalFuture, Machine, Outcome, Running};
pub use parallel::{NotLinearizable, Parallel};
pub use run::SetupError;
pub use sequence::Replay;
pub use statistics::{CommandCount, Statistics};
pub use value::Value;
pub use verdict::Verdict;
