//! From a shape to what it is drawn from: words, an automaton, or loose walks, whichever is the simplest that is right.

use std::collections::BTreeSet;

use crate::text::automaton::{self, Automaton, Parts};
use crate::text::character::Reach;
use crate::text::format;
use crate::text::formula::{ALWAYS, Formulas, NEVER, Overrun};
use crate::text::length::{self, Lengths};
use crate::text::loose::Loose;
use crate::text::lower::lower;
use crate::text::parse::{self, ParseError};
use crate::text::piece::Pieces;
use crate::text::tree::Pattern;
use crate::text::walk;
use crate::text::{TextLimits, TextProblem, TextShape};

/// Most code points of any string drawn, whatever the shape asks for.
const LONGEST: u64 = 1_000_000;
/// Work allowed for each state that is allowed.
const WORK_PER_STATE: usize = 250;

/// A shape made ready.
#[derive(Debug, Clone)]
pub(crate) struct Compiled {
    pub(crate) source: Source,
    pub(crate) min_length: u64,
    pub(crate) max_length: Option<u64>,
    /// Fewest and most code points drawn.
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) excluded: BTreeSet<String>,
    pub(crate) is_exact: bool,
    /// What stands for a format is only part of it, so other strings may be allowed too.
    pub(crate) is_narrowed: bool,
}

/// What strings are drawn from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// No pattern: any string will do.
    Words,
    /// All patterns together as one automaton.
    Automaton(Box<Tables>),
    /// The patterns as they are, tried one against the other.
    Loose(Loose),
}

/// An automaton and what is known about its lengths.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    pub(crate) automaton: Automaton,
    /// Feasible lengths up to `high`; only made when the shape bounds the length.
    pub(crate) lengths: Option<Lengths>,
    /// Which ordinary words are among its texts.
    pub(crate) words: Words,
    /// There are few texts of any one length, so lengths are drawn evenly.
    pub(crate) is_sparse: bool,
    /// How far beyond ASCII to draw.
    pub(crate) reach: Reach,
}

/// Which ordinary words an automaton takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// None.
    None,
    /// Single words of lower-case letters.
    Single,
    /// Words of all kinds, also two at once.
    Any,
}

/// Makes a shape ready to be drawn from.
pub(crate) fn compile(shape: &TextShape, limits: &TextLimits) -> Result<Compiled, TextProblem> {
    let TextShape {
        min_length,
        max_length,
        patterns,
        barred_patterns,
        formats,
        barred_formats,
        excluded: _,
        content_media_types,
        content_encodings,
    } = shape;
    check_lengths(*min_length, *max_length)?;
    let mut fixed = Pieces { min_length: *min_length, max_length: *max_length, ..Pieces::default() };
    for pattern in patterns {
        fixed.require(&parse_pattern(pattern)?);
    }
    for pattern in barred_patterns {
        fixed.barred.push(parse_pattern(pattern)?);
    }
    let rules = format::rules(formats, content_media_types, content_encodings);
    let bars = format::bars(barred_formats);
    // Each tier widens what stands for a format; only the last one may prove that there is nothing.
    let n_tiers = rules.iter().map(|rule| rule.tiers.len()).max().unwrap_or(1);
    let is_whole = rules.iter().all(|rule| rule.is_whole) && bars.is_empty();
    let mut outcome = Err(TextProblem::Empty { why: String::new() });
    for tier in 0..n_tiers {
        let mut pieces = fixed.clone();
        for rule in &rules {
            let pattern = &rule.tiers[tier.min(rule.tiers.len() - 1)];
            pieces.require(&parse_pattern(pattern)?);
        }
        for bar in &bars {
            pieces.barred.push(parse_pattern(bar)?);
        }
        outcome = compile_pieces(pieces, shape, limits);
        match outcome {
            Err(TextProblem::Empty { why: _ }) => {}
            Ok(compiled) => {
                let is_last = tier + 1 == n_tiers;
                return Ok(Compiled { is_narrowed: !(is_whole && is_last), ..compiled });
            }
            Err(problem) => return Err(problem),
        }
    }
    if is_whole {
        return outcome;
    }
    // What the widest tier does not hold may still be in the format, unless even its bar rules everything out.
    let mut around = fixed.clone();
    for bar in rules.iter().filter_map(|rule| rule.bar.as_ref()) {
        around.require(&parse_pattern(bar)?);
    }
    if bars.is_empty() {
        compile_pieces(around, shape, limits)?;
    }
    let without = compile_pieces(fixed, shape, limits)?;
    Ok(Compiled { is_exact: false, is_narrowed: true, ..without })
}

fn parse_pattern(pattern: &str) -> Result<Pattern, TextProblem> {
    parse::parse(pattern).map_err(|error| match error {
        ParseError::Bad(why) => TextProblem::BadPattern { pattern: pattern.to_owned(), why },
        ParseError::TooComplex(why) => TextProblem::TooComplex { pattern: pattern.to_owned(), why },
    })
}

fn check_lengths(min_length: u64, max_length: Option<u64>) -> Result<(), TextProblem> {
    if let Some(max) = max_length.filter(|max| *max < min_length) {
        return Err(TextProblem::Empty {
            why: format!("at least {min_length} and at most {max} code points"),
        });
    }
    if min_length > LONGEST {
        return Err(TextProblem::TooLong { shortest: min_length, longest: LONGEST });
    }
    Ok(())
}

fn compile_pieces(pieces: Pieces, shape: &TextShape, limits: &TextLimits) -> Result<Compiled, TextProblem> {
    let Pieces { required, barred, min_length, max_length } = pieces;
    check_lengths(min_length, max_length)?;
    let excluded: BTreeSet<String> = shape.excluded.iter().cloned().collect();
    let finished = |source, low: u64, high, is_exact| {
        let excluded = excluded.clone();
        Compiled { source, min_length, max_length, low, high, excluded, is_exact, is_narrowed: false }
    };
    let farthest = |low: u64| max_length.unwrap_or(u64::MAX).min(limits.max_length.max(low + 16));
    let mut formulas = Formulas::new(limits.max_states.saturating_mul(WORK_PER_STATE));
    let built = build(&required, &barred, &mut formulas, limits.max_states);
    let automaton = match built {
        Ok(Built::Words) => return Ok(finished(Source::Words, min_length, farthest(min_length), true)),
        Ok(Built::Nothing) => return Err(TextProblem::Empty { why: why_empty(shape) }),
        Ok(Built::Automaton(automaton)) => automaton,
        Ok(Built::Inexact) | Err(Overrun) => {
            let source = Source::Loose(Loose { required, barred });
            return Ok(finished(source, min_length, max_length.unwrap_or(LONGEST), false));
        }
    };
    let nearest = u64::from(automaton.states[0].distance);
    if nearest > LONGEST {
        return Err(TextProblem::TooLong { shortest: nearest, longest: LONGEST });
    }
    let is_disputed = required.iter().chain(&barred).any(|pattern| pattern.is_disputed);
    let longest = [automaton.longest(), max_length].into_iter().flatten().min();
    let reach = match longest {
        _ if is_disputed => Reach::Ascii,
        Some(..3) => Reach::Wide,
        _ => Reach::Known,
    };
    let words = match ["two words", "word"].map(|word| automaton.accepts(word)) {
        [true, _] => Words::Any,
        [false, true] => Words::Single,
        [false, false] => Words::None,
    };
    let is_sparse = automaton.longest().is_none() && walk::count(&automaton, nearest, nearest + 8, 200) < 200;
    let tables = |automaton: Box<Automaton>, lengths| {
        Source::Automaton(Box::new(Tables { automaton: *automaton, lengths, words, is_sparse, reach }))
    };
    if min_length <= nearest && max_length.is_none() && !is_sparse {
        return Ok(finished(tables(automaton, None), nearest, farthest(nearest), true));
    }
    let low = min_length.max(nearest);
    // Cutting cycles out of a longer text shortens it by less than the number of states at a time, so if any text is
    // long enough, one is within that number of the bound.
    let reach = farthest(low).max(low.saturating_add(automaton.states.len() as u64));
    let reach = max_length.unwrap_or(u64::MAX).min(reach);
    let Ok(lengths) = length::measure(&automaton, reach) else {
        let source = Source::Loose(Loose { required, barred });
        return Ok(finished(source, min_length, max_length.unwrap_or(LONGEST), false));
    };
    match lengths.first(0, low, reach) {
        None => Err(TextProblem::Empty { why: why_empty(shape) }),
        Some(low) => Ok(finished(tables(automaton, Some(lengths)), low, farthest(low), true)),
    }
}

enum Built {
    Words,
    Nothing,
    Automaton(Box<Automaton>),
    /// A pattern says more than formulas can.
    Inexact,
}

fn build(
    required: &[Pattern],
    barred: &[Pattern],
    formulas: &mut Formulas,
    max_states: usize,
) -> Result<Built, Overrun> {
    let mut parts = Parts::default();
    let Parts { required: wanted, barred: unwanted, behind } = &mut parts;
    // What a required pattern says by being always true, a barred one says by never being so.
    for (patterns, idle, hopeless, kept) in
        [(required, ALWAYS, NEVER, wanted), (barred, NEVER, ALWAYS, unwanted)]
    {
        for pattern in patterns {
            let lowered = lower(pattern, formulas, behind)?;
            match lowered.formula {
                _ if !lowered.is_exact => return Ok(Built::Inexact),
                formula if formula == idle => {}
                formula if formula == hopeless => return Ok(Built::Nothing),
                formula => kept.push(formula),
            }
        }
    }
    if parts.required.is_empty() && parts.barred.is_empty() {
        return Ok(Built::Words);
    }
    let automaton = automaton::build(formulas, &parts, max_states)?;
    Ok(automaton.map_or(Built::Nothing, |automaton| Built::Automaton(Box::new(automaton))))
}

/// Names the parts of a shape that cannot hold together.
fn why_empty(shape: &TextShape) -> String {
    let TextShape {
        min_length,
        max_length,
        patterns,
        barred_patterns,
        formats,
        barred_formats,
        excluded,
        content_media_types,
        content_encodings,
    } = shape;
    let mut parts = Vec::new();
    if *min_length > 0 {
        parts.push(format!("at least {min_length} code points"));
    }
    parts.extend(max_length.map(|max| format!("at most {max} code points")));
    parts.extend(patterns.iter().map(|pattern| format!("the pattern {pattern:?}")));
    parts.extend(barred_patterns.iter().map(|pattern| format!("not the pattern {pattern:?}")));
    parts.extend(formats.iter().map(|format| format!("the format {format:?}")));
    parts.extend(barred_formats.iter().map(|format| format!("not the format {format:?}")));
    parts.extend(content_encodings.iter().map(|encoding| format!("the encoding {encoding:?}")));
    parts.extend(content_media_types.iter().map(|media_type| format!("the media type {media_type:?}")));
    if !excluded.is_empty() {
        parts.push(format!("none of {} strings", excluded.len()));
    }
    format!("nothing satisfies {}", parts.join(" and "))
}
