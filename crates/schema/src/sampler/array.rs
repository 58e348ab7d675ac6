//! Arrays as rules: a prefix, the rest, what must be contained, and whether elements may repeat.

use std::sync::Arc;

use crate::compose::{ArrayShape, ContainsShape, Distinctness, Set};
use crate::json::count;
use crate::sampler::compile::Compiler;
use crate::sampler::{At, Rule};
use crate::validate::Judge;

/// How arrays of one set are drawn.
#[derive(Debug)]
pub(crate) struct ArrayRule {
    /// Fewest elements.
    pub(crate) low: u64,
    /// Most elements.
    pub(crate) high: Option<u64>,
    /// The elements in front, one rule each.
    pub(crate) prefix: Vec<At>,
    /// Every element after them; `None` for anything.
    pub(crate) items: Option<At>,
    /// Whether elements may repeat.
    pub(crate) sameness: Sameness,
    /// What some of the elements must be.
    pub(crate) contains: Vec<ContainsRule>,
}

/// Whether elements may repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sameness {
    /// As it comes.
    Free,
    /// No two alike.
    Distinct,
    /// At least two alike.
    Repeated,
}

/// How many elements must fit a set.
#[derive(Debug)]
pub(crate) struct ContainsRule {
    /// Fewest that fit.
    pub(crate) low: u64,
    /// Most that fit.
    pub(crate) high: Option<u64>,
    /// A fitting element for each place of the prefix.
    pub(crate) fit_prefix: Vec<At>,
    /// A fitting element for the places after it.
    pub(crate) fit_items: At,
    /// An element for the places after it that does not fit, where a limit calls for one.
    pub(crate) miss_items: Option<At>,
    /// Tells whether an element fits.
    pub(crate) judge: Arc<Judge>,
}

impl Compiler {
    pub(super) fn array(&mut self, shape: ArrayShape) -> Rule {
        let ArrayShape { min_items, max_items, distinctness, prefix_items, items, contains } = shape;
        let low = min_items.as_ref().map_or(0, count);
        if low > self.setting.limits.instance_values {
            let most = self.setting.limits.instance_values;
            self.trouble(&format!(
                "an array needs at least {low} items; at most {most} values are drawn in one instance"
            ));
            return Rule::Nothing;
        }
        let prefix: Vec<Set> = prefix_items.into_iter().map(Set::from).collect();
        let items: Option<Set> = items.map(Set::from);
        let contains =
            contains.into_iter().map(|part| self.contains(part, &prefix, items.as_ref())).collect();
        Rule::Array(Box::new(ArrayRule {
            low,
            high: max_items.as_ref().map(count),
            prefix: prefix.into_iter().map(|set| self.enter(set)).collect(),
            items: items.map(|set| self.enter(set)),
            sameness: match distinctness {
                Distinctness::AllDistinct => Sameness::Distinct,
                Distinctness::SomeRepeated => Sameness::Repeated,
                Distinctness::Unconstrained => Sameness::Free,
            },
            contains,
        }))
    }

    fn contains(&mut self, shape: ContainsShape, prefix: &[Set], items: Option<&Set>) -> ContainsRule {
        let ContainsShape { schema, min_contains, max_contains } = shape;
        let wanted = Set::from(schema);
        let high = max_contains.as_ref().map(count);
        let fit = |compiler: &mut Self, place: &Set| compiler.enter_all(&[place.clone(), wanted.clone()]);
        let fit_prefix = prefix.iter().map(|place| fit(self, place)).collect();
        let fit_items = match items {
            Some(items) => fit(self, items),
            None => self.enter(wanted.clone()),
        };
        let missed = match items {
            Some(items) => items.without(&wanted),
            None => wanted.opposite(),
        };
        ContainsRule {
            low: min_contains.as_ref().map_or(1, count),
            high,
            fit_prefix,
            fit_items,
            miss_items: high.and(missed).map(|set| self.enter(set)),
            judge: self.judge(&wanted),
        }
    }
}
