//! A set of values compiled for fast drawing: flat, indexed rules, each with the height of its smallest member.

mod number;
mod compile;
mod array;
mod object;
mod height;
mod rank;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::compose::{Kind, Set};
use crate::document::{Dialect, Note};
use crate::json::Pointer;
use crate::limits::Limits;
use crate::text::TextSampler;
use crate::validate::{Formats, Judge};

pub(crate) use array::{ArrayRule, ContainsRule, Sameness};
pub(crate) use height::UNREACHABLE;
pub(crate) use number::{Edge, NumberRule, Spread, beside};
pub(crate) use object::{Extra, Freedom, Names, ObjectRule};

/// One rule of a sampler, by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At(pub(crate) u32);

impl At {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What instances are drawn from.
#[derive(Debug)]
pub(crate) struct Sampler {
    pub(crate) rules: Vec<Rule>,
    /// The nesting of the smallest value of each rule; [`UNREACHABLE`] when it has none.
    pub(crate) heights: Vec<u32>,
    /// Which rules are known to have a single value.
    is_single: Vec<bool>,
    pub(crate) root: At,
    /// Why parts cannot be drawn, or only inexactly.
    pub(crate) problems: Vec<Problem>,
}

/// Something that keeps a part from being drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// What is demanded and why it is too much.
    pub(crate) text: String,
}

/// How values of one set are drawn.
#[derive(Debug)]
pub(crate) enum Rule {
    /// Nothing can be drawn.
    Nothing,
    /// Any value will do.
    Anything,
    /// Any value of these types.
    Kinds(Vec<Kind>),
    /// One of these values; never empty.
    Choice(Vec<Value>),
    /// A number.
    Number(NumberRule),
    /// A string.
    Text(Arc<TextSampler>),
    /// An array.
    Array(Box<ArrayRule>),
    /// An object.
    Object(Box<ObjectRule>),
    /// A value of one of these rules.
    Union(Vec<At>),
    /// A value of another rule.
    Same(At),
    /// A value of one of these rules that the judges let pass: for what cannot be said as one set.
    Judged { from: Vec<At>, demands: Vec<Demand> },
}

/// A question that must be answered so.
#[derive(Debug)]
pub(crate) struct Demand {
    pub(crate) judge: Arc<Judge>,
    pub(crate) wanted: bool,
}

/// What compiling needs to know beside the set.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) dialect: Dialect,
    pub(crate) formats: Formats,
    pub(crate) limits: Limits,
    /// The order in which the contract's text first names each member.
    pub(crate) order: Arc<BTreeMap<String, u32>>,
}

impl Sampler {
    /// Compiles a set.
    pub(crate) fn of(set: &Set, setting: &Setting) -> Self {
        let mut compiled = compile::compile(set, setting);
        let heights = height::heights(&compiled.rules);
        let is_any: Vec<bool> = compiled.rules.iter().map(|rule| matches!(rule, Rule::Anything)).collect();
        for rule in &mut compiled.rules {
            if let Rule::Object(object) = rule {
                object.settle(&heights, &is_any);
            }
        }
        let is_single = rank::singles(&compiled.rules);
        Self { rules: compiled.rules, heights, is_single, root: compiled.root, problems: compiled.problems }
    }

    #[inline]
    pub(crate) fn rule(&self, at: At) -> &Rule {
        &self.rules[at.index()]
    }

    #[inline]
    pub(crate) fn height(&self, at: At) -> u32 {
        self.heights[at.index()]
    }

    /// Whether a rule is known to have one value and no more.
    #[inline]
    pub(crate) fn is_single(&self, at: At) -> bool {
        self.is_single[at.index()]
    }

    /// Whether anything can be drawn at all.
    pub(crate) fn is_inhabited(&self) -> bool {
        self.height(self.root) < UNREACHABLE
    }

    /// Whether every draw satisfies the set by construction, so that nothing is left to judges.
    pub(crate) fn is_exact(&self) -> bool {
        self.problems.is_empty()
            && self.rules.iter().zip(&self.heights).all(|(rule, height)| match rule {
                Rule::Judged { .. } => *height == UNREACHABLE,
                Rule::Text(text) => text.is_exact(),
                _ => true,
            })
    }

    /// What stood in the way, as notes about the whole contract.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let note = |problem: &Problem| Note {
            address: None,
            code: crate::document::NoteCode::Relaxed,
            at: Pointer::root(),
            text: problem.text.clone(),
        };
        self.problems.iter().map(note).collect()
    }

    /// All values of a rule, when they are few and can be listed.
    pub(crate) fn enumerate(&self, at: At, most: usize) -> Option<Vec<Value>> {
        self.enumerate_within(at, most, 8)
    }

    fn enumerate_within(&self, at: At, most: usize, depth: u32) -> Option<Vec<Value>> {
        let depth = depth.checked_sub(1)?;
        let values = match self.rule(at) {
            Rule::Nothing => Vec::new(),
            Rule::Choice(values) => values.clone(),
            Rule::Number(rule) => rule.enumerate(most)?,
            Rule::Text(text) => text.enumerate(most)?.into_iter().map(Value::String).collect(),
            Rule::Same(at) => self.enumerate_within(*at, most, depth)?,
            Rule::Union(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.enumerate_within(*part, most, depth)?);
                    if all.len() > most {
                        return None;
                    }
                }
                all
            }
            Rule::Kinds(kinds) => {
                let mut all = Vec::new();
                for kind in kinds {
                    match kind {
                        Kind::Null => all.push(Value::Null),
                        Kind::Boolean => all.extend([Value::Bool(false), Value::Bool(true)]),
                        Kind::Integer | Kind::Number | Kind::String | Kind::Array | Kind::Object => {
                            return None;
                        }
                    }
                }
                all
            }
            Rule::Anything | Rule::Array(_) | Rule::Object(_) | Rule::Judged { .. } => return None,
        };
        (values.len() <= most).then_some(values)
    }
}
