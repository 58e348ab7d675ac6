//! The meter: every call and answer of a run is held against the contracts of its tool.
//!
//! An observer borrows from the documents it reads, so the observers live on a thread of their own and are asked one thing
//! at a time. The thread ends with the meter, and the answers depend on nothing but the order of the questions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use probity_schema::coverage::{CandidateBudget, CoverageMode};
use probity_schema::{Formats, Oracles, derive_seed};
use serde_json::{Value, json};

use crate::mcp::contract::ground::Ground;
use crate::mcp::contract::luck::Luck;
use crate::mcp::contract::tally::join;
use crate::mcp::contract::watched::{Call, Mood, Watched, Weight};
use crate::mcp::contract::{ContractOptions, Measured};

/// Calls kept for the page, and the most bytes of the arguments and the answer of one.
const MAX_FIRST: usize = 500;
const MAX_BYTES: usize = 4_000;
/// Validators call themselves as deep as values nest.
const STACK: usize = 16 << 20;

/// The thread answers in kind.
const ANSWERS: &str = "each question has one kind of answer";

/// Asks the thread of the observers.
#[derive(Debug)]
pub(crate) struct Meter {
    ask: Option<Sender<Ask>>,
    told: Receiver<Told>,
    thread: Option<JoinHandle<()>>,
}

enum Ask {
    Called(Box<Call>),
    /// Arguments of a tool that show what is not hit yet, the most promising first.
    Shapes {
        tool: String,
        most: usize,
    },
    /// Of which tools more calls may still show something.
    Promising,
    /// How telling each of these arguments of a tool is.
    Weigh {
        tool: String,
        candidates: Vec<Value>,
    },
    End {
        n_planned: u64,
        seed: u64,
    },
}

enum Told {
    /// Targets hit, of how many.
    Counted {
        n_hit: usize,
        n_targets: usize,
    },
    Shapes(Vec<Value>, Mood),
    Weights(Vec<Weight>),
    Promising(BTreeSet<String>),
    Ended(Box<Measured>),
}

impl Meter {
    /// Starts to measure these tools.
    pub(crate) fn start(grounds: Vec<Ground>, options: ContractOptions, seed: u64) -> Meter {
        let (ask, asked) = channel();
        let (tell, told) = channel();
        let work = move || serve(grounds, &options, seed, &asked, &tell);
        let thread = thread::Builder::new().name("coverage".to_owned()).stack_size(STACK).spawn(work);
        let thread = thread.expect("the system gives us one more thread");
        let mut meter = Meter { ask: Some(ask), told, thread: Some(thread) };
        // An answer means that planning is over, which no server should have to wait for.
        meter.shapes("", 0);
        meter
    }

    /// Counts a call; returns how many targets are hit now, of how many.
    pub(crate) fn count(&mut self, call: Call) -> (usize, usize) {
        let Told::Counted { n_hit, n_targets } = self.asked(Ask::Called(Box::new(call))) else {
            unreachable!("{ANSWERS}")
        };
        (n_hit, n_targets)
    }

    /// Arguments of a tool that show something new, to be filled, and how much to risk.
    pub(super) fn shapes(&mut self, tool: &str, most: usize) -> (Vec<Value>, Mood) {
        let Told::Shapes(shapes, mood) = self.asked(Ask::Shapes { tool: tool.to_owned(), most }) else {
            unreachable!("{ANSWERS}")
        };
        (shapes, mood)
    }

    /// How telling each of these arguments of a tool is.
    pub(super) fn weigh(&mut self, tool: &str, candidates: Vec<Value>) -> Vec<Weight> {
        let Told::Weights(weights) = self.asked(Ask::Weigh { tool: tool.to_owned(), candidates }) else {
            unreachable!("{ANSWERS}")
        };
        weights
    }

    /// The tools of which more calls may still show something.
    pub(super) fn promising(&mut self) -> BTreeSet<String> {
        let Told::Promising(tools) = self.asked(Ask::Promising) else { unreachable!("{ANSWERS}") };
        tools
    }

    /// Ends the measuring and returns what came of it.
    pub(crate) fn end(&mut self, n_planned: u64, seed: u64) -> Measured {
        let Told::Ended(measured) = self.asked(Ask::End { n_planned, seed }) else {
            unreachable!("{ANSWERS}")
        };
        *measured
    }

    fn asked(&mut self, ask: Ask) -> Told {
        let sent = self.ask.as_ref().map(|channel| channel.send(ask));
        match (sent, self.told.recv()) {
            (Some(Ok(())), Ok(told)) => told,
            // Whatever went wrong in the thread is told here, as it would be without one.
            _ => match self.thread.take().map(JoinHandle::join) {
                Some(Err(panic)) => std::panic::resume_unwind(panic),
                _ => unreachable!("the thread answers until it is dropped"),
            },
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        drop(self.ask.take());
        if let Some(thread) = self.thread.take() {
            // A panic was told when an answer was missing.
            let _ = thread.join();
        }
    }
}

fn serve(
    mut grounds: Vec<Ground>,
    options: &ContractOptions,
    seed: u64,
    asked: &Receiver<Ask>,
    tell: &Sender<Told>,
) {
    let budget = shared(options.budget, grounds.len());
    let plans: Vec<Vec<Value>> = (0..)
        .zip(&mut grounds)
        .map(|(at, ground)| match options.mode {
            CoverageMode::Guided => ground.plan(budget, derive_seed(seed, &[at])),
            CoverageMode::Off | CoverageMode::Measure => Vec::new(),
        })
        .collect();
    let oracles: Vec<(Option<Oracles<'_>>, Option<Oracles<'_>>)> = grounds
        .iter()
        .map(|ground| {
            let output = ground.output.as_ref();
            let of = |document| Oracles::of(document, Formats::Assert).ok();
            (of(&ground.input.document), output.and_then(|side| of(&side.document)))
        })
        .collect();
    let mut tools: Vec<Watched<'_>> = Vec::new();
    for ((ground, plan), (input, output)) in grounds.iter().zip(plans).zip(&oracles) {
        tools.extend(input.as_ref().map(|input| Watched::new(ground, plan, input, output.as_ref())));
    }
    let mut luck = Luck::default();
    let mut first = BTreeMap::new();
    let mut number = 0;
    while let Ok(ask) = asked.recv() {
        let of = |tools: &mut Vec<Watched<'_>>, name: &str| {
            tools.iter_mut().position(|watched| watched.ground.name == name)
        };
        let told = match ask {
            Ask::Called(call) => {
                if options.mode == CoverageMode::Guided {
                    luck.note(&call.tool, &call.arguments, call.is_accepted);
                }
                if let Some(at) = of(&mut tools, &call.tool)
                    && tools[at].count(&call, number, options.mode)
                    && first.len() < MAX_FIRST
                {
                    first.insert(number, told_of(*call));
                }
                number += 1;
                let counts = tools.iter().map(Watched::counts);
                let (n_hit, n_targets) = counts.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
                Told::Counted { n_hit, n_targets }
            }
            Ask::Shapes { tool, most } => {
                let at = of(&mut tools, &tool);
                let (shapes, mood) = at.map_or((Vec::new(), Mood::Done), |at| tools[at].shapes(most, &luck));
                Told::Shapes(shapes, mood)
            }
            Ask::Promising => {
                let promising = tools.iter().filter(|watched| watched.is_promising());
                Told::Promising(promising.map(|watched| watched.ground.name.clone()).collect())
            }
            Ask::Weigh { tool, candidates } => {
                let at = of(&mut tools, &tool);
                let weights = at.map(|at| tools[at].weigh(&candidates, &luck));
                Told::Weights(weights.unwrap_or_default())
            }
            Ask::End { n_planned, seed } => {
                let counted = tools.iter().map(Watched::counted).collect();
                let mut measured = join(counted, options, std::mem::take(&mut first));
                measured.facts.seed = seed;
                measured.facts.max_instances = n_planned;
                measured.facts.actual_instances = number;
                Told::Ended(Box::new(measured))
            }
        };
        if tell.send(told).is_err() {
            break;
        }
    }
}

/// Tools that are planned with the whole budget each; more of them share what these would cost.
const WHOLE: usize = 40;

/// The budget of each of so many tools.
fn shared(budget: CandidateBudget, n_tools: usize) -> CandidateBudget {
    let CandidateBudget { n_sweep, n_chance, n_aims } = budget;
    let share = |count: usize| if n_tools <= WHOLE { count } else { count * WHOLE / n_tools };
    CandidateBudget { n_sweep: share(n_sweep), n_chance: share(n_chance), n_aims: share(n_aims) }
}

/// A call as the page shows it.
fn told_of(call: Call) -> Value {
    let Call { tool, arguments, is_accepted: _, answer } = call;
    let kept = |value: Value| match value.to_string().len() {
        0..=MAX_BYTES => value,
        n_bytes => Value::from(format!("{n_bytes} bytes")),
    };
    json!({ "tool": tool, "arguments": kept(arguments), "answer": answer.map(kept) })
}
