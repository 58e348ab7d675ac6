//! A whole run: the server is asked for its tools, sequence after sequence is drawn, and each finding is looked into.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use probity::{Check, Choosing, Failure, Focus, Machine, Persistence, SetupError};
use probity_schema::coverage::CoverageMode;
use probity_schema::derive_seed;
use tokio::sync::Mutex;

use crate::corpus::Corpus;
use crate::mcp::catalog::Catalog;
use crate::mcp::check::Observation;
use crate::mcp::conclude::{Ending, conclude};
use crate::mcp::contract::{Guide, Meter, grounds};
use crate::mcp::event::{Event, Phase};
use crate::mcp::judge::Judge;
use crate::mcp::look::{Sighted, look_into};
use crate::mcp::machine::{Desk, Lab, Left, MAX_HUNG, Model, ReadyTool, System, machine_of};
use crate::mcp::options::Options;
use crate::mcp::play::list_at_end;
use crate::mcp::prepare::{Prepared, measurable, prepare};
use crate::mcp::report::{FindingReport, Report, ServerReport};
use crate::mcp::session::{Listing, Protocol, SessionError};
use crate::mcp::supply::{Supply, Target, Use};

/// Tests a server; an error means that it could not be reached or has no list of tools.
///
/// The future stays on its thread; run it with `block_on`.
pub async fn run(
    target: Target,
    protocol: Protocol,
    options: Options,
    observer: impl FnMut(&Event<'_>) + 'static,
) -> Result<Report, SessionError> {
    // Such a future is large, and callers should not have to carry it about.
    Box::pin(test(target, protocol, options, Box::new(observer))).await
}

async fn test(
    target: Target,
    protocol: Protocol,
    options: Options,
    observer: Box<dyn FnMut(&Event<'_>)>,
) -> Result<Report, SessionError> {
    let started = Instant::now();
    let mut tester = Box::pin(Tester::start(target, protocol, options, observer, started)).await?;
    let mut machine = machine_of(&tester.lab, &BTreeSet::new());
    for sequence in 1..=tester.lab.options.n_sequences {
        if tester.lab.is_late() {
            let limit = tester.lab.options.max_time.unwrap_or_default();
            tester.notes.push(format!("stopped after {limit:?}, as the time limit says"));
            break;
        }
        if tester.lab.tools.is_empty() {
            tester.too_short = (tester.lab.options.min_len > 0).then_some((sequence, 0));
            break;
        }
        tester.n_sequences = sequence;
        if let Some(guide) = &tester.lab.guide {
            let promising = guide.begin();
            machine = machine_of(&tester.lab, &promising);
            // Leaving tools out finds other things than going through all of them.
            tester.choosing = if promising.is_empty() { Choosing::Swarm } else { Choosing::Uniform };
        }
        if let Err(error) = tester.sequence(&machine, sequence).await {
            tester.stopped = Some(error.to_string());
            break;
        }
    }
    for tool in tester.lab.tools.iter().filter(|tool| tester.lab.is_left_alone(&tool.name)) {
        let note = format!("{:?} let {MAX_HUNG} calls hang and was not called after that", tool.name);
        tester.notes.push(note);
    }
    tester.lab.put_away().await;
    {
        let mut supply = tester.lab.supply.lock().await;
        supply.finish().await;
        tester.notes.extend(supply.refused());
    }
    let Tester {
        lab,
        server,
        n_sequences,
        findings,
        others,
        notes,
        too_short,
        stopped,
        listing: _,
        choosing: _,
    } = tester;
    let took = started.elapsed();
    Ok(conclude(&lab, Ending { server, n_sequences, findings, others, notes, too_short, stopped, took }))
}

struct Tester {
    lab: Rc<Lab>,
    server: ServerReport,
    listing: Listing,
    n_sequences: u32,
    findings: Vec<FindingReport>,
    others: Vec<(String, crate::mcp::report::ToolStatus)>,
    notes: Vec<String>,
    too_short: Option<(u32, usize)>,
    stopped: Option<String>,
    choosing: Choosing,
}

impl Tester {
    /// Reaches the server, reads its tools, and looks into what is wrong with their list.
    async fn start(
        target: Target,
        protocol: Protocol,
        options: Options,
        mut observer: Box<dyn FnMut(&Event<'_>)>,
        started: Instant,
    ) -> Result<Tester, SessionError> {
        let mut supply = Supply::new(target, protocol, &options);
        let mut session = supply.open().await?;
        let info = session.server().clone();
        let opening = session.opening().clone();
        let listing = session.list_tools().await?;
        let again = session.list_tools().await?;
        let closing = supply.end(session, Use::Usable).await;
        let catalog = Rc::new(Catalog::read(&listing.tools, &options.limits));
        observer(&Event::Ready { server: &info, catalog: &catalog });
        let Prepared { ready, others, findings: about_tools, misspelt } = prepare(&catalog, &options)?;
        let judge = Judge {
            catalog,
            protocol: info.protocol.clone(),
            error_policy: options.error_policy.clone(),
            levels: options.levels.clone(),
            about_tools,
        };
        let listings = &[listing.clone(), again];
        let observation = Observation {
            opening: &opening,
            listings,
            exchanges: &[],
            unlisted: None,
            closing: closing.as_ref(),
        };
        let first = judge.session(&observation);
        let mut everything = Corpus::new(options.corpus.clone());
        everything.seed(options.numbers.iter().cloned(), options.strings.iter().cloned());
        let deadline = options.max_time.map(|limit| started + limit);
        let (meter, unmeasured) = measuring(&judge.catalog, &ready, &options);
        let misspelt = misspelt.iter().map(|(tool, words)| format!("{tool:?}: {words}"));
        let notes = misspelt.chain(unmeasured).collect();
        let is_guided = options.coverage.contract.mode == CoverageMode::Guided;
        let guide = meter.as_ref().filter(|_| is_guided).map(|meter| Arc::new(Guide::new(Arc::clone(meter))));
        let lab = Rc::new(Lab {
            options,
            judge,
            tools: ready,
            supply: Mutex::new(supply),
            deadline,
            desk: RefCell::new(Desk {
                observer,
                phase: Phase::Draw,
                sequence: 0,
                known: BTreeMap::new(),
                tally: BTreeMap::new(),
                everything,
                left: None,
                sighted: None,
                error: None,
            }),
            meter,
            guide,
        });
        let server = ServerReport { name: info.name, version: info.version, protocol: info.protocol };
        // What was irregular about it is told; its messages are those of another session than the ones to come.
        let listing = Listing { anomalies: Vec::new(), records: Vec::new(), ..listing };
        let mut tester = Tester {
            lab,
            server,
            listing,
            n_sequences: 0,
            findings: Vec::new(),
            others,
            notes,
            too_short: None,
            stopped: None,
            choosing: Choosing::Swarm,
        };
        for finding in first {
            if tester.lab.is_news(&finding) {
                let sighted = Sighted { finding, script: Vec::new(), sequence: 0, n_executions: 0 };
                tester.findings.push(look_into(&tester.lab, sighted).await?);
            }
        }
        Ok(tester)
    }

    /// Draws one sequence and looks into what it shows, unless the run is interrupted meanwhile.
    async fn sequence(
        &mut self,
        machine: &Machine<Model, System>,
        sequence: u32,
    ) -> Result<(), SessionError> {
        let interrupt = self.lab.options.interrupt.clone();
        let drawn = tokio::select! {
            biased;
            () = interrupt.rung() => Err(SessionError::Interrupted),
            drawn = self.draw_and_look(machine, sequence) => drawn,
        };
        if drawn == Err(SessionError::Interrupted) {
            // Whoever interrupts does not want to wait for a server to end by itself; dropping its session kills it.
            self.lab.desk.borrow_mut().left = None;
        }
        drawn
    }

    async fn draw_and_look(
        &mut self,
        machine: &Machine<Model, System>,
        sequence: u32,
    ) -> Result<(), SessionError> {
        {
            let mut desk = self.lab.desk.borrow_mut();
            desk.phase = Phase::Draw;
            desk.sequence = sequence;
            let n_sequences = self.lab.options.n_sequences;
            (desk.observer)(&Event::Began { sequence, n_sequences });
        }
        let check = self.check(sequence);
        match machine.run_async(&check).await {
            Ok(_) | Err(Failure::Setup(SetupError::NothingCallable { .. })) => self.ended(sequence).await,
            Err(Failure::Counterexample(counterexample)) => {
                let fault = &counterexample.fault;
                assert!(!fault.code.starts_with("panic in "), "{}: {}", fault.code, fault.message);
                self.failed(sequence, counterexample.n_executions).await
            }
            Err(failure) => {
                let error = self.lab.desk.borrow_mut().error.take();
                Err(error.unwrap_or_else(|| panic!("only a server can fail to start: {failure}")))
            }
        }
    }

    fn check(&self, sequence: u32) -> Check {
        let Options { min_len, max_len, seed, shrink_budget, shrink_time, .. } = &self.lab.options;
        let left = self.lab.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        Check {
            num_runs: 1,
            min_commands: *min_len,
            max_commands: *max_len,
            seed: Some(derive_seed(*seed, &[u64::from(sequence)])),
            shrink_budget: *shrink_budget,
            // Half of what is left: the other half is for what else there may be.
            shrink_time: Some(left.map_or(*shrink_time, |left| (left / 2).min(*shrink_time))),
            confirmations: 1,
            choosing: self.choosing,
            focus: Focus::Same(|fault| fault.code.clone()),
            persistence: Persistence::Off,
            ..Check::default()
        }
    }

    /// A sequence that showed nothing new so far: its end is judged too.
    async fn ended(&mut self, sequence: u32) -> Result<(), SessionError> {
        let left = self.lab.desk.borrow_mut().left.take();
        let Some(Left { mut trial, mut session }) = left else {
            return Ok(());
        };
        let n_calls = trial.exchanges.len();
        let is_cut =
            self.lab.is_late() || self.lab.tools.iter().any(|tool| self.lab.is_left_alone(&tool.name));
        if n_calls < self.lab.options.min_len && trial.next == Use::Usable && !is_cut {
            self.too_short.get_or_insert((sequence, n_calls));
        }
        let mut listings = vec![trial.listing.clone().unwrap_or_else(|| self.listing.clone())];
        let unlisted = match trial.unlisted.take() {
            None => list_at_end(&mut session, &mut listings, &mut trial.next).await,
            found => found,
        };
        if let [_, after] = listings.as_slice()
            && after.is_change_announced
        {
            self.note_new_tools(after);
        }
        let closing = self.lab.supply.lock().await.end(session, trial.next).await;
        let observation = Observation {
            opening: &trial.opening,
            listings: &listings,
            exchanges: &trial.exchanges,
            unlisted: unlisted.as_ref(),
            closing: closing.as_ref(),
        };
        for finding in self.lab.judge.session(&observation) {
            if self.lab.is_news(&finding) {
                let script = trial.script.clone();
                let sighted = Sighted { finding, script, sequence, n_executions: 0 };
                self.findings.push(look_into(&self.lab, sighted).await?);
            }
        }
        Ok(())
    }

    /// Tools that appear in the middle of a sequence belong to that session alone; they are told, and not called.
    fn note_new_tools(&mut self, after: &Listing) {
        let catalog = Catalog::read(&after.tools, &self.lab.options.limits);
        let known = &self.lab.judge.catalog;
        let new = catalog.tools.iter().filter(|tool| known.tool(&tool.name).is_none());
        let new: Vec<&str> = new.map(|tool| tool.name.as_str()).collect();
        let note = format!(
            "the server announced another list of tools during a sequence; new and not called: {new:?}"
        );
        // A server that adds a tool per call announces a new list each time; once is enough.
        let is_told = self.notes.iter().any(|told| told.starts_with("the server announced"));
        if !new.is_empty() && !is_told {
            self.notes.push(note);
        }
    }

    /// A sequence that the engine has shortened: the last replay is the shortest one.
    async fn failed(&mut self, sequence: u32, n_executions: u32) -> Result<(), SessionError> {
        let (script, sighted) = {
            let mut desk = self.lab.desk.borrow_mut();
            let script = desk.left.as_ref().map(|left| left.trial.script.clone()).unwrap_or_default();
            (script, desk.sighted.take())
        };
        self.lab.put_away().await;
        let finding = sighted.expect("a fault is raised by a finding");
        let sighted = Sighted { finding, script, sequence, n_executions };
        self.findings.push(look_into(&self.lab, sighted).await?);
        Ok(())
    }
}

/// The meter of a run that is to be measured, and what it leaves out.
fn measuring(
    catalog: &Catalog,
    ready: &[ReadyTool],
    options: &Options,
) -> (Option<Arc<std::sync::Mutex<Meter>>>, Vec<String>) {
    let contract = &options.coverage.contract;
    if contract.mode == CoverageMode::Off {
        return (None, Vec::new());
    }
    let (grounds, notes) = grounds(&measurable(catalog, ready), &contract.dimensions);
    let grounds = grounds.into_iter().flatten().collect();
    let meter = Meter::start(grounds, contract.clone(), options.seed);
    (Some(Arc::new(std::sync::Mutex::new(meter))), notes)
}
