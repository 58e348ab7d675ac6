//! Formats and content as patterns, so that they meet a schema's own patterns and lengths in one automaton.

/// What stands for a format: patterns from the most readable to the widest.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) tiers: Vec<String>,
    /// The widest pattern is all of the format.
    pub(crate) is_whole: bool,
}

/// The rules of the formats, media types and encodings a string must have; unknown ones ask for nothing.
pub(crate) fn rules(_formats: &[String], _media_types: &[String], _encodings: &[String]) -> Vec<Rule> {
    Vec::new()
}

/// For each format a string must not have, a pattern that every string with the format matches.
pub(crate) fn bars(_formats: &[String]) -> Vec<String> {
    Vec::new()
}
