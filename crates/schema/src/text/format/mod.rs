//! Formats and content as patterns, so that they meet a schema's own patterns and lengths in one automaton.

mod content;
mod table;

use table::{FORMATS, Format, PARTS};

/// What stands for a format: patterns from the most readable to the widest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) tiers: Vec<String>,
    /// The widest pattern is all that both judges take.
    pub(crate) is_whole: bool,
    /// A pattern that nothing of the format escapes; what contradicts it contradicts the format.
    pub(crate) bar: Option<String>,
}

/// The rules of the formats, media types and encodings a string must have; unknown ones ask for nothing.
pub(crate) fn rules(formats: &[String], media_types: &[String], encodings: &[String]) -> Vec<Rule> {
    let named = formats.iter().filter_map(|name| find(name)).map(|format| Rule {
        tiers: format.tiers.iter().map(|tier| spelled_out(tier)).collect(),
        is_whole: format.is_whole,
        bar: format.bar.map(spelled_out),
    });
    named.chain(content::rules(media_types, encodings)).collect()
}

/// For each format a string must not have, a pattern that every string with the format matches.
pub(crate) fn bars(formats: &[String]) -> Vec<String> {
    formats.iter().filter_map(|name| find(name)).filter_map(|format| format.bar.map(spelled_out)).collect()
}

/// The names of the formats that are drawn in a way of their own.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.name)
}

fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Replaces each `<part>` by what it stands for. A part may use the parts before it in the table.
fn spelled_out(pattern: &str) -> String {
    PARTS.iter().rev().fold(pattern.to_owned(), |pattern, (name, meaning)| {
        if pattern.contains(name) { pattern.replace(name, meaning) } else { pattern }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{TextLimits, TextSampler, TextShape};

    #[test]
    fn every_tier_and_every_bar_of_every_format_is_a_pattern_with_strings() {
        let limits = TextLimits { max_length: 60, max_states: 6000 };
        let patterns = FORMATS.iter().flat_map(|format| {
            let bar = format.bar.map(spelled_out).into_iter();
            bar.chain(format.tiers.iter().map(|tier| spelled_out(tier))).map(|pattern| (format.name, pattern))
        });
        for (name, pattern) in patterns {
            let shape = TextShape { patterns: vec![pattern.clone()], ..TextShape::default() };
            let sampler = TextSampler::compile(&shape, &limits);
            assert!(sampler.is_ok_and(|sampler| sampler.is_exact()), "{name}: {pattern}");
        }
    }
}
