//! The tester as a machine of the engine: a command per tool, the stock as the model, a session as the system.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use probity::{Call, Command, Fault, Machine, Outcome as StepOutcome, Running};
use probity_schema::derive_seed;
use tokio::sync::Mutex;

use crate::callable::{Blueprint, Sourcing, Stock, Wait, shortage};
use crate::corpus::{Corpus, mine};
use crate::mcp::catalog::Annotations;
use crate::mcp::cause::cause;
use crate::mcp::contract::{self, Aiming, Guide, Meter};
use crate::mcp::event::{Event, Phase};
use crate::mcp::finding::Finding;
use crate::mcp::invocation::{Invocation, invocations, show};
use crate::mcp::judge::Judge;
use crate::mcp::options::Options;
use crate::mcp::outcome::{Exchange, Outcome};
use crate::mcp::play::{ended_after, use_after};
use crate::mcp::script::{ScriptCall, references};
use crate::mcp::session::{Listing, Opening, Session, SessionError, Unlisted};
use crate::mcp::supply::{ReplayedOn, Supply, Use};

/// What all sequences of a run share.
pub(crate) struct Lab {
    pub(crate) options: Options,
    pub(crate) judge: Judge,
    pub(crate) tools: Vec<ReadyTool>,
    pub(crate) supply: Mutex<Supply>,
    /// When the run has to end.
    pub(crate) deadline: Option<Instant>,
    pub(crate) desk: RefCell<Desk>,
    /// Measures the contracts of tools, if that was asked for.
    pub(crate) meter: Option<Arc<std::sync::Mutex<Meter>>>,
    /// Aims calls at what was not hit yet, if that was asked for.
    pub(crate) guide: Option<Arc<Guide>>,
}

/// A tool that may be called.
#[derive(Clone)]
pub(crate) struct ReadyTool {
    pub(crate) name: String,
    pub(crate) annotations: Annotations,
    pub(crate) blueprint: Arc<Blueprint>,
    /// What a lenient sequence had better know before it calls the tool.
    pub(crate) waits: Vec<Wait>,
}

/// What changes from call to call.
pub(crate) struct Desk {
    pub(crate) observer: Box<dyn FnMut(&Event<'_>)>,
    pub(crate) phase: Phase,
    pub(crate) sequence: u32,
    /// Causes that were looked into, and how often each was met.
    pub(crate) known: BTreeMap<String, u64>,
    pub(crate) tally: BTreeMap<String, Tally>,
    /// Everything that any sequence learned while there was a tool that none had called.
    pub(crate) everything: Corpus,
    /// What the last sequence left behind.
    pub(crate) left: Option<Left>,
    /// The finding that ended the sequence.
    pub(crate) sighted: Option<Finding>,
    /// Why a server could not be reached.
    pub(crate) error: Option<SessionError>,
}

/// Calls of one tool, as drawn; replays do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "counts start with n, everywhere")]
pub(crate) struct Tally {
    pub(crate) n_calls: u64,
    pub(crate) n_succeeded: u64,
    pub(crate) n_errors: u64,
    pub(crate) n_hung: u64,
}

/// Times a tool may let a call hang before it is left alone: each time costs the whole limit and shows nothing new.
pub(crate) const MAX_HUNG: u64 = 2;

/// Of so many lenient sequences, one does not wait; and the calls for which the others do.
const IMPATIENT: u32 = 4;
const PATIENCE: usize = 10;

/// A sequence that is over, with its session.
pub(crate) struct Left {
    pub(crate) trial: Trial,
    pub(crate) session: Session,
}

/// What happened in one sequence.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) script: Vec<ScriptCall>,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) opening: Opening,
    /// The tools as they were when the sequence began, in a session that had served others before.
    pub(crate) listing: Option<Listing>,
    pub(crate) next: Use,
    /// What shows that the server had ended after the last call here, when one more was made that nobody answered.
    pub(crate) unlisted: Option<Unlisted>,
}

impl Trial {
    fn new(opening: Opening, listing: Option<Listing>) -> Trial {
        Trial {
            script: Vec::new(),
            exchanges: Vec::new(),
            opening,
            listing,
            next: Use::Usable,
            unlisted: None,
        }
    }
}

/// The engine's model: what is known, and the calls so far.
pub(crate) struct Model {
    stock: Arc<Stock>,
    made: Vec<Made>,
    is_over: bool,
}

#[derive(Clone)]
struct Made {
    tool: usize,
    call: ScriptCall,
    identity: u64,
}

/// The engine's system: a session, and a record of what passed.
pub(crate) struct System {
    lab: Rc<Lab>,
    session: Option<Session>,
    trial: Trial,
}

impl Drop for System {
    fn drop(&mut self) {
        // Ending a session takes time and is done by whoever comes next.
        if let Some(session) = self.session.take() {
            let trial = std::mem::replace(&mut self.trial, Trial::new(Opening::default(), None));
            self.lab.desk.borrow_mut().left = Some(Left { trial, session });
        }
    }
}

/// The weight of a command, and of one whose tool is worth more calls in a guided run.
const USUAL: u32 = 1;
const PROMISING: u32 = 3;

/// The machine of a run, in which some tools are called more often than others.
pub(crate) fn machine_of(lab: &Rc<Lab>, promising: &BTreeSet<String>) -> Machine<Model, System> {
    let Options { corpus, numbers, strings, .. } = &lab.options;
    let first = Arc::new(Stock::new(corpus.clone(), numbers, strings));
    let model = move || Model { stock: Arc::clone(&first), made: Vec::new(), is_over: false };
    let factory = Rc::clone(lab);
    let mut machine = Machine::new(model, move || begin(Rc::clone(&factory)));
    for (index, tool) in lab.tools.iter().enumerate() {
        let weight = if promising.contains(&tool.name) { PROMISING } else { USUAL };
        machine = machine.command(call_command(lab, index, tool).weight(weight));
    }
    let promises = |tool: &ReadyTool| tool.annotations.is_read_only() || tool.annotations.is_idempotent();
    if lab.tools.iter().any(promises) {
        machine = machine.command(again_command(lab));
    }
    if lab.tools.iter().filter(|tool| tool.annotations.is_read_only()).count() > 1 {
        machine = machine.command(back_command(lab));
    }
    machine
}

async fn begin(lab: Rc<Lab>) -> Result<System, String> {
    lab.put_away().await;
    let (opened, replays_on) = {
        let mut supply = lab.supply.lock().await;
        (supply.open().await, supply.replays_on())
    };
    match opened {
        Ok(mut session) => {
            let listing = match replays_on {
                ReplayedOn::SameSession => session.list_tools().await.ok(),
                ReplayedOn::FreshServer | ReplayedOn::FreshSession => None,
            };
            let trial = Trial::new(session.opening().clone(), listing);
            Ok(System { lab, session: Some(session), trial })
        }
        Err(error) => {
            let reason = error.to_string();
            lab.desk.borrow_mut().error = Some(error);
            Err(reason)
        }
    }
}

impl Lab {
    /// Ends the session of a sequence that nobody wants to look at any more.
    pub(crate) async fn put_away(&self) {
        let left = self.desk.borrow_mut().left.take();
        if let Some(Left { trial, session }) = left {
            self.supply.lock().await.end(session, trial.next).await;
        }
    }

    /// Whether the time of the run is over.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// How the arguments of a tool are aimed, in a guided run.
    fn aiming(&self, tool: &ReadyTool) -> Option<Aiming> {
        let is_new = self.desk.borrow().phase == Phase::Draw;
        let guide = self.guide.as_ref().map(Arc::clone)?;
        Some(Aiming { guide, tool: tool.name.clone(), is_new })
    }

    /// Holds a drawn call against the contract of its tool; replays are not counted.
    fn measure(&self, exchange: &Exchange) -> Option<(usize, usize)> {
        let meter = self.meter.as_ref()?;
        let answer = exchange.outcome.success().map(|result| result.get("structuredContent").cloned());
        let call = contract::Call {
            tool: exchange.tool.clone(),
            arguments: serde_json::Value::Object(exchange.arguments.clone()),
            is_accepted: answer.is_some(),
            answer: answer.flatten(),
        };
        Some(meter.lock().unwrap_or_else(PoisonError::into_inner).count(call))
    }

    /// Whether a tool has let so many calls hang that it is left alone.
    pub(crate) fn is_left_alone(&self, tool: &str) -> bool {
        self.desk.borrow().tally.get(tool).is_some_and(|tally| tally.n_hung >= MAX_HUNG)
    }

    /// Whether a tool had better be called later: it asks for what other tools make, and none of that is known yet.
    ///
    /// Only new sequences wait, not replays, only lenient ones, which could call anything at once, and not all of them:
    /// a question about a thing that does not exist is a test too.
    fn is_early(&self, tool: &ReadyTool, model: &Model) -> bool {
        let (phase, sequence) = {
            let desk = self.desk.borrow();
            (desk.phase, desk.sequence)
        };
        let is_patient = self.options.sourcing == Sourcing::Lenient
            && phase == Phase::Draw
            && !sequence.is_multiple_of(IMPATIENT)
            && model.made.len() < PATIENCE;
        let is_made = |wait: &Wait| wait.makers.iter().any(|at| !self.is_left_alone(&self.tools[*at].name));
        is_patient && tool.waits.iter().any(|wait| is_made(wait) && !model.stock.knows(&wait.name))
    }

    /// Whether a finding is one to look into; one that is known is only counted.
    pub(crate) fn is_news(&self, finding: &Finding) -> bool {
        let mut desk = self.desk.borrow_mut();
        let is_drawing = desk.phase == Phase::Draw;
        let is_full = desk.known.len() >= self.options.max_findings;
        match desk.known.get_mut(&cause(finding)) {
            Some(n_met) => {
                *n_met += u64::from(is_drawing);
                false
            }
            None => !is_full,
        }
    }
}

fn call_command(lab: &Rc<Lab>, index: usize, tool: &ReadyTool) -> Command<Model, System> {
    let sourcing = lab.options.sourcing;
    let (here, this) = (Rc::clone(lab), tool.clone());
    let (drawing, tool) = (Rc::clone(lab), tool.clone());
    let (guarded, drawn) = (Arc::clone(&tool.blueprint), Arc::clone(&tool.blueprint));
    Command::new(format!("call {}", tool.name), move |call: Call<'_, Model, System>| {
        let invocation = call.arguments.first().and_then(|value| value.get::<Invocation>()).cloned();
        Running::Pending(Box::pin(async move {
            let Invocation { identity, arguments, sources } =
                invocation.expect("the command has one argument, an invocation");
            let tool = call.system.lab.tools[index].name.clone();
            let script_call = ScriptCall { tool, arguments, references: references(&sources) };
            make(call.model, call.system, Made { tool: index, call: script_call, identity }).await
        }))
    })
    .pre(move |model: &Model| {
        !model.is_over
            && !here.is_left_alone(&this.name)
            && !here.is_early(&this, model)
            && shortage(&guarded, &model.stock, sourcing).is_none()
    })
    .rigid_argument("arguments", show, move |model: &Model| {
        let aiming = drawing.aiming(&tool);
        Some(invocations(&drawn, &model.stock, sourcing, aiming))
    })
}

/// The last call once more, if its tool promised something about that.
fn again_command(lab: &Rc<Lab>) -> Command<Model, System> {
    repeat_command("the last call again", lab, |model, tools| {
        let last = model.made.last()?;
        let annotations = tools[last.tool].annotations;
        (annotations.is_read_only() || annotations.is_idempotent()).then(|| last.clone())
    })
}

/// An earlier call of a read-only tool once more, after nothing but other read-only calls.
fn back_command(lab: &Rc<Lab>) -> Command<Model, System> {
    repeat_command("an earlier question again", lab, |model, tools| {
        let last = model.made.last()?;
        let harmless = model.made.iter().rev().take_while(|made| tools[made.tool].annotations.is_read_only());
        let is_other = |made: &&Made| made.tool != last.tool || made.call.arguments != last.call.arguments;
        harmless.into_iter().find(is_other).cloned()
    })
}

fn repeat_command(
    name: &str,
    lab: &Rc<Lab>,
    choose: fn(&Model, &[ReadyTool]) -> Option<Made>,
) -> Command<Model, System> {
    let tools = lab.tools.clone();
    Command::new(name, move |call: Call<'_, Model, System>| {
        Running::Pending(Box::pin(async move {
            match choose(call.model, &call.system.lab.tools) {
                Some(made) => {
                    let identity = derive_seed(made.identity, &[1]);
                    make(call.model, call.system, Made { identity, ..made }).await
                }
                None => StepOutcome::default(),
            }
        }))
    })
    .pre(move |model: &Model| !model.is_over && choose(model, &tools).is_some())
}

/// Whether the server had ended before a call that found nobody, after its answer to the one before; with what shows it.
async fn gone_before(lab: &Rc<Lab>, script: &[ScriptCall], exchange: &Exchange) -> Option<Unlisted> {
    if !exchange.outcome.is_gone() {
        return None;
    }
    let watch = |exchange: &Exchange| {
        let mut desk = lab.desk.borrow_mut();
        let sequence = desk.sequence;
        (desk.observer)(&Event::Called { phase: Phase::Confirm, sequence, exchange });
    };
    let mut supply = lab.supply.lock().await;
    // A server that cannot be reached again shows nothing; what it did is told of the call that was made.
    ended_after(&mut supply, script, &watch).await.ok().flatten()
}

/// Makes one call, learns from it and judges it.
async fn make(model: &mut Model, system: &mut System, made: Made) -> StepOutcome {
    let System { lab, session, trial } = system;
    let session = session.as_mut().expect("a system has a session until it is dropped");
    let mut exchange = session.call(&made.call.tool, made.call.arguments.clone()).await;
    exchange.step = trial.exchanges.len();
    trial.next = use_after(&exchange.outcome);
    // Only drawing ends with the time of the run: a replay that is cut short shows something else.
    let is_drawing = lab.desk.borrow().phase == Phase::Draw;
    model.is_over = trial.next != Use::Usable || (is_drawing && lab.is_late());
    if let Some(unlisted) = gone_before(lab, &trial.script, &exchange).await {
        // The call says nothing about its tool, so it is as if it had not been made.
        let mut desk = lab.desk.borrow_mut();
        let (phase, sequence) = (desk.phase, desk.sequence);
        (desk.observer)(&Event::Called { phase, sequence, exchange: &exchange });
        (trial.next, trial.unlisted) = (Use::Over, Some(unlisted));
        model.is_over = true;
        return StepOutcome { result: Some(exchange.outcome.name().to_owned()), fault: None };
    }
    let success = exchange.outcome.success();
    let mine_text = lab.options.mine_text;
    Arc::make_mut(&mut model.stock).learn(made.identity, success, mine_text);
    {
        let mut desk = lab.desk.borrow_mut();
        let Desk { observer, phase, sequence, tally, everything, .. } = &mut *desk;
        if *phase == Phase::Draw {
            let counts = tally.entry(made.call.tool.clone()).or_default();
            counts.n_calls += 1;
            counts.n_succeeded += u64::from(success.is_some());
            counts.n_errors += u64::from(success.is_none());
            counts.n_hung += u64::from(matches!(exchange.outcome, Outcome::TimedOut { .. }));
            // It will be asked only about tools that were never called.
            if let Some(result) = success.filter(|_| tally.len() < lab.tools.len()) {
                mine(everything, result, exchange.step, mine_text);
            }
        }
        observer(&Event::Called { phase: *phase, sequence: *sequence, exchange: &exchange });
        if *phase == Phase::Draw
            && let Some((n_hit, n_targets)) = lab.measure(&exchange)
        {
            observer(&Event::Measured { n_hit, n_targets });
        }
    }
    let name = exchange.outcome.name();
    trial.script.push(made.call.clone());
    model.made.push(made);
    let mut findings = lab.judge.exchange(&exchange);
    trial.exchanges.push(exchange.into_kept());
    findings.extend(lab.judge.last_of(&trial.exchanges));
    let news: Vec<Finding> = findings.into_iter().filter(|finding| lab.is_news(finding)).collect();
    let finding = news.into_iter().next();
    let fault =
        finding.as_ref().map(|finding| Fault { code: cause(finding), message: finding.message.clone() });
    let mut desk = lab.desk.borrow_mut();
    if finding.is_some() && desk.phase == Phase::Draw {
        // The first replay begins where drawing ends.
        desk.phase = Phase::Shrink;
        desk.sighted = finding;
    }
    StepOutcome { result: Some(name.to_owned()), fault }
}
