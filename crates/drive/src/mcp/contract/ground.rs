//! The schemas of tools, made ready to be measured; one that cannot be is left out with a note.

use std::sync::Arc;

use probity_schema::coverage::{
    CandidateBudget, Dimension, Plan, PlanOptions, Universe, analyze, plan, within_reason,
};
use probity_schema::{Contract, Document, Formats, Oracles, ReadOptions};
use serde_json::Value;

use crate::callable::Blueprint;

/// The members of a tool that hold its schemas.
pub(super) const INPUT: &str = "inputSchema";
const OUTPUT: &str = "outputSchema";
/// Targets of one schema beyond which it is not measured: each call would be compared with all of them.
const MAX_TARGETS: usize = 50_000;

/// A tool as far as it is measured.
pub(crate) struct Measurable<'a> {
    pub(crate) name: &'a str,
    pub(crate) input: &'a Value,
    pub(crate) output: Option<&'a Value>,
    pub(crate) blueprint: &'a Arc<Blueprint>,
}

/// The grounds of one tool.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) name: String,
    pub(crate) blueprint: Arc<Blueprint>,
    pub(crate) input: Side,
    pub(crate) output: Option<Side>,
}

/// One schema of a tool.
#[derive(Debug)]
pub(crate) struct Side {
    /// Where it stands in the list of tools, as a canonical path.
    pub(crate) home: String,
    pub(crate) document: Document,
    pub(crate) contract: Contract,
    pub(crate) universe: Universe,
}

/// Most arguments that are planned for one tool.
const MAX_SHAPES: u64 = 64;

impl Ground {
    /// Few arguments that together show all of the input schema, as far as that can be found out; what is proven out of reach
    /// is marked. Values in them are made up, so they are shapes to be filled.
    pub(crate) fn plan(&mut self, budget: CandidateBudget, seed: u64) -> Vec<Value> {
        let Self { name: _, blueprint, input, output: _ } = self;
        let Ok(oracles) = Oracles::of(&input.document, Formats::Assert) else { return Vec::new() };
        let budget = within_reason(budget, &blueprint.source);
        let options = PlanOptions { seed, max_instances: MAX_SHAPES, budget };
        let Plan { instances, .. } =
            plan(&input.document, &blueprint.source, &oracles, &mut input.universe, &options);
        instances
    }

    /// How many targets the tool has, calls and answers as such included if they are asked for.
    pub(crate) fn n_targets(&self, dimensions: &[Dimension]) -> usize {
        let sides = || std::iter::once(&self.input).chain(&self.output);
        let own = if dimensions.contains(&Dimension::Operations) { sides().count() } else { 0 };
        sides().map(|side| side.universe.targets.len()).sum::<usize>() + own
    }
}

/// Makes tools ready to be measured; nothing in the place of one that cannot be, and a note that says why.
pub(crate) fn grounds(
    tools: &[Measurable<'_>],
    dimensions: &[Dimension],
) -> (Vec<Option<Ground>>, Vec<String>) {
    let mut notes = Vec::new();
    let grounds = tools.iter().map(|tool| {
        let mut side = |schema: &Value, member: &str| {
            let home = format!("#/tools/{}/{member}", tool.name.replace('~', "~0").replace('/', "~1"));
            let told = |reason| format!("the coverage of {:?} leaves out {member:?}: {reason}", tool.name);
            side(schema, home, dimensions).map_err(|reason| notes.push(told(reason))).ok()
        };
        let input = side(tool.input, INPUT)?;
        let output = tool.output.and_then(|schema| side(schema, OUTPUT));
        Some(Ground { name: tool.name.to_owned(), blueprint: Arc::clone(tool.blueprint), input, output })
    });
    (grounds.collect(), notes)
}

fn side(schema: &Value, home: String, dimensions: &[Dimension]) -> Result<Side, String> {
    let document = Document::of_value(schema.clone(), &ReadOptions::default());
    let document = document.map_err(|error| short(&error.to_string()))?;
    let contract = Contract::of(&document).map_err(|error| short(&error.to_string()))?;
    let universe = analyze(&contract, dimensions);
    let n_targets = universe.targets.len();
    if n_targets > MAX_TARGETS {
        return Err(format!("it has {n_targets} targets; at most {MAX_TARGETS} are measured"));
    }
    Oracles::of(&document, Formats::Assert)
        .and_then(|oracles| oracles.root())
        .map_err(|error| short(&error.to_string()))?;
    Ok(Side { home, document, contract, universe })
}

/// What a note says of an error that may quote a whole schema.
fn short(text: &str) -> String {
    text.chars().take(300).collect()
}
