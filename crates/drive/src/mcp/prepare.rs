//! From the list of tools to those that may be called, and what became of the others.

use std::collections::BTreeSet;
use std::sync::Arc;

use probity_schema::{Contract, Note, NoteCode};

use crate::callable::{Blueprint, Flow, waits};
use crate::mcp::catalog::{Catalog, CompiledSchema, Tool};
use crate::mcp::check::ErrorPolicy;
use crate::mcp::contract::Measurable;
use crate::mcp::coverage::CoverageOptions;
use crate::mcp::finding::{Finding, Severity};
use crate::mcp::machine::ReadyTool;
use crate::mcp::options::{Destructive, Options, ToolChoice};
use crate::mcp::report::ToolStatus;
use crate::mcp::session::SessionError;

/// What the tools of a server come to.
pub(crate) struct Prepared {
    /// Those that may be called.
    pub(crate) ready: Vec<ReadyTool>,
    /// The others, in the order of the list.
    pub(crate) others: Vec<(String, ToolStatus)>,
    /// Schemas that are valid but of no use.
    pub(crate) findings: Vec<Finding>,
    /// Tools that may be called and have a schema that looks misspelt, with the words for it.
    pub(crate) misspelt: Vec<(String, String)>,
}

/// Makes every tool ready that may be called; one that cannot be used is a finding and spoils no other.
pub(crate) fn prepare(catalog: &Catalog, options: &Options) -> Result<Prepared, SessionError> {
    know_all(options, catalog)?;
    let mut prepared =
        Prepared { ready: Vec::new(), others: Vec::new(), findings: Vec::new(), misspelt: Vec::new() };
    let mut seen = BTreeSet::new();
    for tool in &catalog.tools {
        // Of several tools with one name only the first can be meant.
        if !seen.insert(tool.name.clone()) {
            continue;
        }
        let other = |status| (tool.name.clone(), status);
        if !options.tools.allows(tool) {
            prepared.others.push(other(ToolStatus::Excluded));
        } else if options.destructive == Destructive::Skipped && tool.annotations.is_destructive() {
            prepared.others.push(other(ToolStatus::SkippedDestructive));
        } else if tool.needs_task() {
            // 2025-11-25, Tasks: such a tool must refuse a plain call, so its errors would be our own fault.
            prepared.others.push(other(ToolStatus::NeedsTask));
        } else {
            match blueprint(tool) {
                Some(Ok(blueprint)) => match blueprint.barrenness() {
                    None => {
                        let words = misspelt(blueprint.contract());
                        prepared.misspelt.extend(words.map(|words| (tool.name.clone(), words)));
                        prepared.ready.push(ReadyTool {
                            name: tool.name.clone(),
                            annotations: tool.annotations,
                            blueprint: Arc::new(blueprint),
                            waits: Vec::new(),
                        });
                    }
                    // That we find nothing is not proof that there is nothing.
                    Some(reason) => {
                        prepared.findings.push(unusable(tool, &reason, Severity::Warning));
                        prepared.others.push(other(ToolStatus::Unusable));
                    }
                },
                Some(Err(reason)) => {
                    prepared.findings.push(unusable(tool, &reason, Severity::Error));
                    prepared.others.push(other(ToolStatus::Unusable));
                }
                // The check of the list has told it.
                None => prepared.others.push(other(ToolStatus::Unusable)),
            }
        }
    }
    let flows: Vec<Flow<'_>> = prepared.ready.iter().map(|ready| flow(ready, catalog)).collect();
    let waits = waits(&flows);
    for (ready, waits) in prepared.ready.iter_mut().zip(waits) {
        ready.waits = waits;
    }
    Ok(prepared)
}

/// Makes sure that every tool the caller names is there: a name that is written wrongly would leave nothing out and allow nothing.
fn know_all(options: &Options, catalog: &Catalog) -> Result<(), SessionError> {
    let ToolChoice { only, except, accept: _ } = &options.tools;
    let CoverageOptions { allow, block, rules, contract: _ } = &options.coverage;
    let failing = match &options.error_policy {
        ErrorPolicy::Anywhere => &[][..],
        ErrorPolicy::Only(names) => names,
    };
    let named = only.iter().chain(except).chain(allow).chain(block).chain(failing);
    match named.into_iter().find(|name| catalog.tool(name).is_none()) {
        None => {}
        Some(name) => return Err(SessionError::unknown_tool(name, catalog)),
    }
    let counts =
        |tool: &Tool| (allow.is_empty() || allow.contains(&tool.name)) && !block.contains(&tool.name);
    if !rules.is_empty() && !catalog.tools.is_empty() && !catalog.tools.iter().any(counts) {
        return Err(SessionError::NothingCounts);
    }
    Ok(())
}

/// The tools that may be called, as far as they are measured.
pub(crate) fn measurable<'a>(catalog: &'a Catalog, ready: &'a [ReadyTool]) -> Vec<Measurable<'a>> {
    let measurable = ready.iter().filter_map(|ready| {
        let tool = catalog.tool(&ready.name)?;
        Some(Measurable {
            name: &ready.name,
            input: tool.input.as_ref()?.schema(),
            output: tool.output.as_ref().map(CompiledSchema::schema),
            blueprint: &ready.blueprint,
        })
    });
    measurable.collect()
}

fn flow<'a>(ready: &'a ReadyTool, catalog: &'a Catalog) -> Flow<'a> {
    let output = catalog.tool(&ready.name).and_then(|tool| tool.output.as_ref());
    Flow {
        input: ready.blueprint.contract(),
        output: output.map(CompiledSchema::schema),
        is_read_only: ready.annotations.is_read_only(),
    }
}

fn blueprint(tool: &Tool) -> Option<Result<Blueprint, String>> {
    let input = tool.input.as_ref().filter(|_| tool.is_usable())?;
    Some(Blueprint::of(input.schema()).map_err(|error| error.to_string()))
}

/// Words in the input schema that are nearly keywords and say nothing, in one sentence.
fn misspelt(contract: &Contract) -> Option<String> {
    let mut notes = contract.notes().iter().filter(|note| note.code == NoteCode::Misspelt);
    let Note { at, text, .. } = notes.next()?;
    let more = match notes.count() {
        0 => String::new(),
        n_more => format!("; and {n_more} more like this"),
    };
    Some(format!("in \"inputSchema\", at {at}: {text}{more}"))
}

fn unusable(tool: &Tool, reason: &str, severity: Severity) -> Finding {
    let reason: String = reason.chars().take(400).collect();
    Finding {
        code: "tool-list-valid",
        severity,
        tool: Some(tool.name.clone()),
        step: None,
        message: format!("no arguments can be made from \"inputSchema\": {reason}"),
        evidence: Vec::new(),
    }
}
