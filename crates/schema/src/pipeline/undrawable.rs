//! Why nothing can be drawn from a contract of which nothing proves that it is empty.

use crate::compose::compose;
use crate::contract::{Contract, Keywords};
use crate::document::Document;
use crate::json::Pointer;
use crate::pipeline::SourceError;
use crate::sampler::{Sampler, Setting};

/// Why nothing can be drawn, though nothing proves that there is nothing.
pub(super) fn undrawable(
    document: &Document,
    pointer: &Pointer,
    setting: &Setting,
    sampler: &Sampler,
) -> SourceError {
    let mut reasons: Vec<String> = sampler.problems.iter().map(|problem| problem.text.clone()).collect();
    if reasons.is_empty() {
        reasons = textless(document, pointer, setting);
    }
    if reasons.is_empty() {
        reasons.push("no value was found, and none was proven impossible".to_owned());
    }
    SourceError::Undrawable { reasons }
}

/// Texts that are looked at one by one when nothing can be drawn.
const MOST_TEXTS: usize = 200;

/// The texts of a contract that cannot be: their patterns, formats and lengths contradict one another.
fn textless(document: &Document, pointer: &Pointer, setting: &Setting) -> Vec<String> {
    let contract = Contract::at(document, std::slice::from_ref(pointer)).ok();
    let nodes = contract.iter().flat_map(Contract::nodes).filter(|node| node.address.is_none());
    let texts = nodes.filter_map(|node| {
        let Keywords { pattern, format, min_length, max_length, .. } = node.keywords()?;
        let rules = [
            ("pattern", pattern.is_some()),
            ("format", format.is_some()),
            ("minLength", min_length.is_some()),
            ("maxLength", max_length.is_some()),
        ];
        let rules: Vec<String> =
            rules.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| format!("{name:?}")).collect();
        (pattern.is_some() || format.is_some()).then_some((&node.source, rules.join(", ")))
    });
    let empty = texts.take(MOST_TEXTS).filter(|(at, _)| {
        let composed = compose(document, at, setting.formats);
        composed.is_ok_and(|composed| !Sampler::of(&composed.set, setting).is_inhabited())
    });
    empty.take(3).map(|(at, rules)| format!("at {at}: no text satisfies {rules} together")).collect()
}
