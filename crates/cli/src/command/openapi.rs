//! `probity openapi`: an OpenAPI document into requests and responses for every operation, with coverage if asked for.

mod output;

use std::collections::BTreeSet;

use probity_schema::openapi::{Feed, Problem};

use crate::args::CoverageMode;
use crate::args::openapi::OpenapiArgs;
use crate::command::openapi::output::Output;
use crate::config::in_file;
use crate::config::openapi::Openapi;
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

pub(crate) fn run(args: &OpenapiArgs, console: &Console) -> Result<Outcome, Trouble> {
    let config = Openapi::of(args)?;
    if config.api.operations().is_empty() {
        return Err(in_file(&args.spec, &"at #/paths: there are no operations that can be used"));
    }
    let mut told = Told::of(args, &config, console)?;
    match args.mode {
        CoverageMode::Off | CoverageMode::Measure | CoverageMode::Guided => drawn(args, &config, &mut told),
    }
}

/// Problems, each told once.
struct Told<'a> {
    args: &'a OpenapiArgs,
    console: &'a Console,
    seen: BTreeSet<(String, String)>,
    n_served: u64,
}

impl<'a> Told<'a> {
    fn of(args: &'a OpenapiArgs, config: &Openapi, console: &'a Console) -> Result<Self, Trouble> {
        let mut told = Self { args, console, seen: BTreeSet::new(), n_served: 0 };
        let is_meant = |problem: &&Problem| {
            let keys = || config.operations.iter().map(|at| config.api.operations()[*at].key.as_str());
            problem.operation.as_deref().is_none_or(|key| keys().any(|known| known == key))
        };
        let problems: Vec<&Problem> = config.api.problems().iter().filter(is_meant).collect();
        told.tell(&problems)?;
        Ok(told)
    }

    fn tell(&mut self, problems: &[&Problem]) -> Result<(), Trouble> {
        let seen = &mut self.seen;
        let new = problems.iter().filter(|problem| seen.insert((problem.at.clone(), problem.text.clone())));
        let new: Vec<String> = new.map(ToString::to_string).collect();
        match new.first() {
            Some(first) if self.args.strict => Err(in_file(&self.args.spec, first)),
            Some(_) | None => {
                self.console.notes(&new);
                Ok(())
            }
        }
    }
}

/// Draws case after case, unit by unit.
fn drawn(args: &OpenapiArgs, config: &Openapi, told: &mut Told<'_>) -> Result<Outcome, Trouble> {
    let feed = Feed::new(&config.api, config.options.clone());
    let mut output = Output::open(args, config)?;
    for (unit, budget) in config.units.iter().zip(&config.budgets) {
        for index in 0..*budget {
            match feed.case(unit, args.seed, index) {
                Ok(case) => {
                    told.n_served += 1;
                    output.add(unit, &case)?;
                }
                Err(problem) => {
                    told.tell(&[&problem])?;
                    break;
                }
            }
            if output.is_closed() {
                return Ok(Outcome::Done);
            }
        }
    }
    output.close()?;
    if told.n_served == 0 && config.budgets.iter().sum::<u64>() > 0 {
        return Err(in_file(&args.spec, &"nothing could be made for the operations that were selected"));
    }
    Ok(Outcome::Done)
}
