//! The seam where drawing can be steered: every choice a rule leaves open is asked of a [`Choices`].

use crate::draw::Draw;
use crate::sampler::{At, Edge};

/// Who decides what a rule leaves open.
pub(crate) trait Choices {
    /// Which alternative of a union is tried first; the weights are how likely each would be by chance.
    fn alternative(&mut self, at: At, weights: &[u64], draw: &mut Draw) -> usize;

    /// Which of `n` listed values is taken.
    fn listed(&mut self, at: At, n: usize, draw: &mut Draw) -> usize;

    /// Whether an optional member is there; `percent` is how likely it would be by chance.
    fn is_present(&mut self, at: At, member: usize, percent: u64, draw: &mut Draw) -> bool;

    /// How many elements or free members there are, between two bounds.
    fn amount(&mut self, at: At, low: u64, high: u64, draw: &mut Draw) -> u64;

    /// Whether an object that could have members with free names gets any; `percent` is how likely it would be by chance.
    fn wants_free(&mut self, at: At, percent: u64, draw: &mut Draw) -> bool;

    /// Which of `n` sources of free names is tried first.
    fn name_source(&mut self, at: At, n: usize, draw: &mut Draw) -> usize;

    /// Which part of a range a number or the length of a string is drawn from.
    fn edge(&mut self, at: At, draw: &mut Draw) -> Edge;
}

/// Every choice by chance: what a run without coverage uses.
#[derive(Debug, Default)]
pub(crate) struct Chance;

impl Choices for Chance {
    fn alternative(&mut self, _: At, weights: &[u64], draw: &mut Draw) -> usize {
        draw.weighted(weights)
    }

    fn listed(&mut self, _: At, n: usize, draw: &mut Draw) -> usize {
        draw.index(n)
    }

    fn is_present(&mut self, _: At, _: usize, percent: u64, draw: &mut Draw) -> bool {
        draw.chance(percent)
    }

    fn amount(&mut self, _: At, low: u64, high: u64, draw: &mut Draw) -> u64 {
        let width = high.saturating_sub(low);
        // Nothing at all is the least telling amount, so it is the rarest.
        if low == 0 && width > 0 && !draw.chance(5) {
            return 1 + draw.below(width);
        }
        low + draw.below(width.saturating_add(1))
    }

    fn wants_free(&mut self, _: At, percent: u64, draw: &mut Draw) -> bool {
        draw.chance(percent)
    }

    fn name_source(&mut self, _: At, n: usize, draw: &mut Draw) -> usize {
        draw.index(n)
    }

    fn edge(&mut self, _: At, _: &mut Draw) -> Edge {
        Edge::Any
    }
}
