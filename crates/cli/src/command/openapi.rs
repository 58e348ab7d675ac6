//! `probity openapi`: an OpenAPI document into requests and responses for every operation, with coverage if asked for.

mod told;
mod output;
mod list;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use probity_schema::coverage::{self, RunFacts};
use probity_schema::openapi::{Case, Feed, GuideOptions, Ledger, Meter, Problem, Suite, guide};
use serde_json::Value;

use crate::args::CoverageMode;
use crate::args::openapi::{CaseForm, OpenapiArgs};
use crate::command::goal::{check, check_folder};
use crate::command::openapi::output::Output;
use crate::command::openapi::told::Told;
use crate::command::report::{Covered, Start};
use crate::config::in_file;
use crate::config::openapi::Openapi;
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

pub(crate) fn run(args: &OpenapiArgs, console: &Console) -> Result<Outcome, Trouble> {
    let list = args.json.as_deref();
    let data = match (args.list, args.out, &args.output) {
        (true, _, _) => ("--json", Some(list.unwrap_or(Path::new("-")))),
        (false, CaseForm::Dir, Some(folder)) => {
            check_folder(folder)?;
            ("-o", None)
        }
        (false, _, file) => ("-o", Some(file.as_deref().unwrap_or(Path::new("-")))),
    };
    let beside = [data, ("--sarif", args.sarif.as_deref())];
    check(&[&beside[..], &args.coverage.goals(), &args.outcome.goals()].concat(), &[&args.spec])?;
    let config = Openapi::of(args)?;
    console.notes(&config.left_out);
    let mut told = Told::new(args, &config, console);
    let outcome = served(args, &config, &mut told);
    // What is broken is written down even, and above all, when it ends the run.
    told.docket().write(&args.outcome, args.sarif.as_deref())?;
    outcome
}

fn served(args: &OpenapiArgs, config: &Openapi, told: &mut Told<'_>) -> Result<Outcome, Trouble> {
    let keys: BTreeSet<&str> =
        config.operations.iter().map(|at| config.api.operations()[*at].key.as_str()).collect();
    let is_meant =
        |problem: &&Problem| problem.operation.as_deref().is_none_or(|operation| keys.contains(operation));
    let feed = Feed::new(&config.api, config.options.clone());
    let mode = args.coverage.mode(args.mode)?;
    let mut problems: Vec<Problem> = config.api.problems().iter().filter(is_meant).cloned().collect();
    problems.extend(config.api.unmade(&config.operations, config.parts, &args.status));
    // Where nothing may be broken, that is known before any case is written, so that the run ends without cases, and every
    // report holds all that is broken. A list makes nothing, so that it would not be known at all.
    if args.strict || args.list {
        problems.extend(rehearsed(args, config, &feed, mode));
    }
    told.tell(&problems)?;
    told.doubt(&config.api.doubts(&config.operations));
    if config.operations.is_empty() {
        return Err(in_file(&args.spec, &"at #/paths: there are no operations that can be used"));
    }
    if args.list {
        return list::run(args, config, told, &feed);
    }
    config.judge_choice(args)?;
    if config.n_allowed() == 0 {
        let flag = if args.n == Some(0) { "--n" } else { "--per-operation" };
        told.console.notes(&[format!("{flag} 0: nothing is drawn")]);
    }
    if args.curl {
        told.console.notes(&config.unready_server(args).into_iter().collect::<Vec<_>>());
    }
    match mode {
        CoverageMode::Off => drawn(args, config, told, &feed, |_, _, _| {}),
        CoverageMode::Measure => measured(args, config, told, &feed),
        CoverageMode::Guided => guided(args, config, told, &feed),
    }
}

/// Draws case after case, unit by unit, and shows each to `look` with the position of its unit and its number.
fn drawn(
    args: &OpenapiArgs,
    config: &Openapi,
    told: &mut Told<'_>,
    feed: &Feed<'_>,
    mut look: impl FnMut(usize, &Case, u64),
) -> Result<Outcome, Trouble> {
    let mut output = Output::open(args, config)?;
    let progress = told.console.progress(config.n_allowed());
    let mut problems = Vec::new();
    let mut number = 0;
    for (at, (unit, budget)) in config.units.iter().zip(&config.budgets).enumerate() {
        for index in 0..*budget {
            match feed.case(unit, args.seed, index) {
                Ok(case) => {
                    look(at, &case, number);
                    number += 1;
                    output.add(unit, &case)?;
                    progress.inc(1);
                }
                Err(problem) => {
                    problems.push(problem);
                    break;
                }
            }
            if output.is_closed() {
                return Ok(Outcome::Done);
            }
        }
    }
    progress.finish_and_clear();
    problems.extend(feed.left_out());
    problems.extend(config.asked().flat_map(|unit| feed.faults(unit)));
    told.tell(&problems)?;
    told.console.notes(&output.close()?.into_iter().collect::<Vec<_>>());
    ended(args, config, number)
}

/// What goes wrong when one case of each unit is made, and what would with another.
fn rehearsed(args: &OpenapiArgs, config: &Openapi, feed: &Feed<'_>, mode: CoverageMode) -> Vec<Problem> {
    let mut problems: Vec<Problem> =
        config.asked().filter_map(|unit| feed.case(unit, args.seed, 0).err()).collect();
    problems.extend(feed.left_out());
    problems.extend(config.asked().flat_map(|unit| feed.faults(unit)));
    if args.list || mode != CoverageMode::Off {
        // What keeps a suite from being made is told where it is needed.
        let suite = Suite::of(&config.api, &config.operations, &config.units);
        problems.extend(suite.iter().flat_map(|suite| suite.problems().iter().cloned()));
    }
    problems
}

fn ended(args: &OpenapiArgs, config: &Openapi, n_cases: u64) -> Result<Outcome, Trouble> {
    if n_cases == 0 && config.n_allowed() > 0 {
        return Err(in_file(&args.spec, &"nothing could be made for the operations that were selected"));
    }
    Ok(Outcome::Done)
}

/// The cases of an ordinary run, and what they hit.
fn measured(
    args: &OpenapiArgs,
    config: &Openapi,
    told: &mut Told<'_>,
    feed: &Feed<'_>,
) -> Result<Outcome, Trouble> {
    let start = Start::now();
    let suite = suite(args, config, told)?;
    let oracles = suite.oracles(config.options.formats).map_err(|error| in_file(&args.spec, &error))?;
    let mut universe = suite.analyze(&config.coverage.dimensions);
    let mut meter = Meter::new(&suite, &oracles, &universe);
    let mut first = BTreeMap::new();
    let mut n_cases = 0;
    drawn(args, config, told, feed, |unit, case, number| {
        n_cases = number + 1;
        if meter.observe(unit, case, number) {
            first.insert(number, shown(config, unit, case));
        }
    })?;
    let hits = meter.hits().clone();
    let n_aims = config.coverage.profile.budget.n_aims;
    let proven = suite.prove(&mut universe, &hits, config.options.formats, n_aims);
    let facts = RunFacts {
        mode: coverage::CoverageMode::Measure,
        seed: args.seed,
        max_instances: config.n_allowed(),
        actual_instances: n_cases,
        notes: proven.note().into_iter().collect(),
        ..suite.facts(&universe, config.scope)
    };
    let (universe, hits, title) = (&universe.universe, &hits, config.api.title());
    told.cover(Covered { universe, hits, facts, title, given: None, first, start })
}

/// Few cases for each operation that hit as much as possible.
fn guided(
    args: &OpenapiArgs,
    config: &Openapi,
    told: &mut Told<'_>,
    feed: &Feed<'_>,
) -> Result<Outcome, Trouble> {
    let start = Start::now();
    let suite = suite(args, config, told)?;
    let oracles = suite.oracles(config.options.formats).map_err(|error| in_file(&args.spec, &error))?;
    let mut universe = suite.analyze(&config.coverage.dimensions);
    let options = GuideOptions {
        seed: args.seed,
        budget: config.coverage.profile.budget,
        dimensions: config.coverage.dimensions.clone(),
        n_threads: config.n_threads,
    };
    let mut output = Output::open(args, config)?;
    let progress = told.console.progress(config.units.len() as u64);
    let mut ledger = Ledger::default();
    let (mut number, mut first, mut problems, mut trouble) = (0, BTreeMap::new(), Vec::new(), Ok(()));
    let hits = {
        let mut meter = Meter::new(&suite, &oracles, &universe);
        guide(feed, &config.units, &config.budgets, &options, |at, plan| {
            progress.inc(1);
            ledger.enter(at, &plan);
            for case in &plan.cases {
                if meter.observe(at, case, number) {
                    first.insert(number, shown(config, at, case));
                }
                number += 1;
                if trouble.is_ok() {
                    trouble = output.add(&config.units[at], case);
                }
            }
            problems.extend(plan.problems);
        });
        meter.hits().clone()
    };
    progress.finish_and_clear();
    trouble?;
    problems.extend(config.asked().flat_map(|unit| feed.faults(unit)));
    told.tell(&problems)?;
    told.console.notes(&output.close()?.into_iter().collect::<Vec<_>>());
    ledger.prove(&suite, &mut universe);
    if !problems.is_empty() {
        // What could not be planned has no proofs of its own.
        suite.prove(&mut universe, &hits, config.options.formats, config.coverage.profile.budget.n_aims);
    }
    let plan = ledger.facts(&suite, &universe, &hits, (number, config.n_allowed()));
    let scope = suite.facts(&universe, config.scope);
    let facts = RunFacts {
        mode: coverage::CoverageMode::Guided,
        seed: args.seed,
        max_instances: config.n_allowed(),
        actual_instances: number,
        operations_scope: scope.operations_scope,
        operations: scope.operations,
        ..plan
    };
    let (universe, hits, title) = (&universe.universe, &hits, config.api.title());
    let judged = told.cover(Covered { universe, hits, facts, title, given: None, first, start })?;
    let outcome = ended(args, config, number)?;
    Ok(if judged == Outcome::Done { outcome } else { judged })
}

fn suite<'c>(args: &OpenapiArgs, config: &'c Openapi, told: &mut Told<'_>) -> Result<Suite<'c>, Trouble> {
    let suite = Suite::of(&config.api, &config.operations, &config.units)
        .map_err(|error| in_file(&args.spec, &error))?;
    told.tell(suite.problems())?;
    Ok(suite)
}

fn shown(config: &Openapi, unit: usize, case: &Case) -> Value {
    let unit = &config.units[unit];
    case.to_json(&config.api.operations()[unit.operation].key, unit)
}
