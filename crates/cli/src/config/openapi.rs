//! What was meant by `probity openapi`: the description read, operations selected, budgets decided.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use probity_schema::coverage::{Dimension, OperationsScope};
use probity_schema::openapi::{Api, Declared, Filter, Operation, Part, Unit, shares};
use probity_schema::{Limits, ReadOptions, SourceOptions, told_beside};

use crate::args::openapi::{CaseForm, OpenapiArgs, PartName};
use crate::args::{CoverageArgs, CoverageMode};
use crate::clock::clock;
use crate::config::origin::CoverageOrigins;
use crate::config::supplied::{Supplied, supplied};
use crate::config::{Coverage, address_of, form_of, formats_of, in_file, read_text, threads_of};
use crate::exit_code::Trouble;

/// A run of `openapi`, ready to start.
pub(crate) struct Openapi {
    pub(crate) api: Api,
    /// The files of the documents that references may lead to, by address.
    pub(crate) files: BTreeMap<String, PathBuf>,
    pub(crate) options: SourceOptions,
    /// The operations that were selected, by position.
    pub(crate) operations: Vec<usize>,
    pub(crate) scope: OperationsScope,
    /// The parts that were asked for.
    pub(crate) parts: &'static [Part],
    pub(crate) units: Vec<Unit>,
    /// How many cases each unit may have.
    pub(crate) budgets: Vec<u64>,
    pub(crate) coverage: Coverage,
    pub(crate) n_threads: usize,
    pub(crate) server: String,
    /// What was left out of `--ref-dir`, and why.
    pub(crate) left_out: Vec<String>,
}

impl Openapi {
    pub(crate) fn of(args: &OpenapiArgs) -> Result<Self, Trouble> {
        let limits = Limits::default();
        let mode = args.coverage.mode(args.mode)?;
        let text = read_text(&args.spec)?;
        let (form, base) = (form_of(&args.spec), address_of(&args.spec));
        let Supplied { documents, files, left_out, .. } =
            supplied(&args.reading, &base, &text, form, &limits)?;
        let files = files.into_iter().map(|(address, file)| (told_beside(&base, &address), file)).collect();
        let options = ReadOptions {
            form,
            dialect: None,
            base: Some(base),
            supplied: documents,
            limits: limits.clone(),
        };
        let api = Api::read(&text, &options).map_err(|error| in_file(&args.spec, &error))?;
        let filter = Filter { operations: args.operation.clone(), tags: args.tag.clone() };
        let operations = api.select(&filter).map_err(|error| in_file(&args.spec, &error))?;
        if args.out == CaseForm::Dir
            && !args.list
            && args.output.as_deref().is_none_or(|path| path == Path::new("-"))
        {
            return Err(Trouble::misused("--out dir: name the folder with -o DIR"));
        }
        let coverage = Coverage::of_operations(&args.coverage, &CoverageOrigins::TYPED)?;
        let parts = match args.part {
            PartName::Request => &[Part::Request][..],
            PartName::Response => &[Part::Response],
            PartName::Parameters => &[Part::Parameters],
            PartName::All => &[Part::Request, Part::Response],
        };
        let units = api.units(&operations, parts, &args.status);
        let usual = if mode == CoverageMode::Guided { coverage.profile.per_operation } else { 1 };
        // With a budget for all and none for each, everyone may have a share of it.
        let each = args.per_operation.unwrap_or(if args.n.is_some() { u64::MAX } else { usual });
        let budgets = shares(&units, args.n, each);
        let is_all = operations.len() == api.operations().len();
        let server = args.server.clone().or_else(|| api.server());
        Ok(Self {
            options: SourceOptions { formats: formats_of(args.reading.formats), limits, clock: Some(clock) },
            scope: if is_all { OperationsScope::All } else { OperationsScope::Selected },
            operations,
            files,
            parts,
            units,
            budgets,
            coverage,
            n_threads: threads_of(args.threads)?,
            server: server.unwrap_or_else(|| "http://localhost".to_owned()),
            api,
            left_out,
        })
    }
}

impl Openapi {
    /// A choice that nothing answers to is a mistake, and no run without cases.
    pub(crate) fn judge_choice(&self, args: &OpenapiArgs) -> Result<(), Trouble> {
        for status in args
            .status
            .iter()
            .filter(|status| *status != "all" && matches!(args.part, PartName::Response | PartName::All))
        {
            let asked = std::slice::from_ref(status);
            if self.api.units(&self.operations, &[Part::Response], asked).is_empty() {
                return Err(in_file(&args.spec, &format!("--status {status}: {}", self.unanswered(asked))));
            }
        }
        if self.units.is_empty() {
            let message = match args.part {
                PartName::Parameters => "--part parameters: no operation that was selected has any",
                PartName::Request | PartName::Response | PartName::All => {
                    "--part response: no operation that was selected has a response without a body or in JSON with a schema"
                }
            };
            return Err(in_file(&args.spec, &message));
        }
        Ok(())
    }

    /// Why nothing is made for a status.
    fn unanswered(&self, asked: &[String]) -> String {
        let meant = || self.operations.iter().map(|at| &self.api.operations()[*at]);
        let fitting: Vec<&Declared> = meant().flat_map(|operation| operation.declared_as(asked)).collect();
        if fitting.is_empty() {
            let declared = meant().flat_map(|operation| &operation.declared).map(|one| one.status.as_str());
            return format!("no response of these operations has it; there are: {}", listed(declared));
        }
        let types = listed(fitting.iter().flat_map(|declared| &declared.media_types).map(String::as_str));
        let made = listed(meant().flat_map(Operation::made_statuses));
        format!("this response has no body in JSON with a schema, only {types}; made are: {made}")
    }

    /// Why commands that name the server cannot be run as they stand, if that is so.
    pub(crate) fn unready_server(&self, args: &OpenapiArgs) -> Option<String> {
        let address = &self.server;
        let variable = address.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
        // A program that sends requests does without the scheme; a description means another thing by that.
        let is_relative =
            if args.server.is_some() { address.starts_with('/') } else { !address.contains("://") };
        let what = match variable {
            Some((name, _)) => {
                format!("the variable {name:?} in the server's address {address:?} has no default")
            }
            None if is_relative => format!("the server's address {address:?} is relative"),
            None => return None,
        };
        Some(format!(
            "{what}, so that the commands cannot be run as they stand; name the server with --server URL"
        ))
    }

    /// The units that may have a case.
    pub(crate) fn asked(&self) -> impl Iterator<Item = &Unit> {
        self.units.iter().zip(&self.budgets).filter(|(_, budget)| **budget > 0).map(|(unit, _)| unit)
    }

    /// How many cases there may be in all.
    pub(crate) fn n_allowed(&self) -> u64 {
        self.budgets.iter().fold(0, |sum, budget| sum.saturating_add(*budget))
    }
}

/// Each name once, in order.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: BTreeSet<&str> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.into_iter().collect::<Vec<_>>().join(", ") }
}

impl Coverage {
    /// The same for operations, which have a dimension of their own.
    pub(crate) fn of_operations(args: &CoverageArgs, origins: &CoverageOrigins) -> Result<Self, Trouble> {
        let mut coverage = Self::among(args, origins, &[Dimension::Operations])?;
        if args.coverage_dimensions.is_empty() {
            coverage.dimensions.insert(0, Dimension::Operations);
        }
        Ok(coverage)
    }
}
