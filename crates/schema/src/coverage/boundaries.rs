//! The boundaries dimension: was a number, a length or a count ever as small and as large as it may be.
//!
//! The number to show for a limit is chosen by [`representative`]: the limit itself where the node admits it; else
//! the nearest multiple inside (`multipleOf`, or 1 for integers); else, for an exclusive limit on real numbers, the
//! limit moved inward by the first of 1, 0.1, 0.01, .. that is less than the width. Equal limits give two
//! targets that are always hit together.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use crate::contract::{Bound, Contract, Keywords, NodeId};
use crate::coverage::decimal::{Decimal, Side};
use crate::coverage::target::{Aim, End, Target};
use crate::json::{same, whole};
use crate::sampler::beside;

/// Adds the six boundary targets of one node, those of its limits that it states.
pub(crate) fn targets(contract: &Contract, id: NodeId, out: &mut Vec<Target>) {
    let node = contract.node(id);
    let Some(keywords) = node.keywords() else { return };
    let mut add = |aim: Aim, takes: bool, fault: Option<&str>| {
        let target = Target::new(id, &node.path, aim);
        out.push(match fault {
            _ if !takes => target.unreachable("the type leaves out values that this limit is about"),
            Some(cause) => target.unreachable(cause),
            None => target,
        });
    };
    let takes_numbers = super::takes(keywords, "number") || super::takes(keywords, "integer");
    for (end, bounds) in [(End::Least, &keywords.minimum), (End::Most, &keywords.maximum)] {
        let Some(bound) = tightest(bounds, end) else { continue };
        let limit = bound.limit.clone();
        match representative(keywords, end) {
            Some(value) => {
                let fault = listed(keywords, &Value::Number(value.clone()));
                add(Aim::Number { end, limit, value }, takes_numbers, fault);
            }
            // Crossed limits leave nothing; limits too long to reckon with exactly have no target.
            None if is_crossed(keywords) => {
                let aim = Aim::Number { end, limit: limit.clone(), value: limit };
                add(aim, takes_numbers, Some("no number lies between the limits"));
            }
            None => {}
        }
    }
    let takes_strings = super::takes(keywords, "string");
    let lengths = (keywords.min_length, keywords.max_length);
    let takes_arrays = super::takes(keywords, "array");
    let counts = (keywords.min_items, keywords.max_items);
    let crossed = |(least, most): (Option<u64>, Option<u64>)| {
        let is_crossed = least.zip(most).is_some_and(|(least, most)| least > most);
        is_crossed.then_some("no count lies between the limits")
    };
    for (end, count) in [(End::Least, lengths.0), (End::Most, lengths.1)] {
        let Some(count) = count else { continue };
        add(Aim::Length { end, count }, takes_strings, crossed(lengths));
    }
    for (end, count) in [(End::Least, counts.0), (End::Most, counts.1)] {
        let Some(count) = count else { continue };
        add(Aim::Items { end, count }, takes_arrays, crossed(counts));
    }
}

/// The number that stands for a node's lower or upper limit; `None` when it has no such limit or no number inside.
#[must_use]
pub fn representative(keywords: &Keywords, end: End) -> Option<Number> {
    let (bounds, side) = match end {
        End::Least => (&keywords.minimum, Side::Above),
        End::Most => (&keywords.maximum, Side::Below),
    };
    let bound = tightest(bounds, end)?;
    let Some(limit) = Decimal::of(&bound.limit) else {
        // Too long for exact decimals: the limit itself, if it is allowed at all.
        return (!bound.is_exclusive && step(keywords) == Step::None).then(|| bound.limit.clone());
    };
    match step(keywords) {
        Step::None => {}
        Step::Unsaid => return None,
        Step::Of(step) => {
            let found = limit.multiple(step, side, !bound.is_exclusive)?;
            return is_inside(keywords, found).then(|| found.number()).flatten();
        }
    }
    if !bound.is_exclusive {
        return is_inside(keywords, limit).then(|| bound.limit.clone());
    }
    // The same choice as the sampler makes when it is asked for the edge of such a range.
    let other = match end {
        End::Least => tightest(&keywords.maximum, End::Most),
        End::Most => tightest(&keywords.minimum, End::Least),
    };
    let value = beside(bound.limit.as_f64()?, other.and_then(|other| other.limit.as_f64()), end == End::Most);
    let number = Number::from_f64(value)?;
    let number = whole(&number).and_then(|whole| i64::try_from(whole).ok()).map_or(number, Number::from);
    Decimal::of(&number).is_none_or(|number| is_inside(keywords, number)).then_some(number)
}

/// The bound that decides: the tightest, and the exclusive one of two equal ones.
fn tightest(bounds: &[Bound], end: End) -> Option<&Bound> {
    bounds.iter().reduce(|best, next| {
        let order = next.limit.as_f64().partial_cmp(&best.limit.as_f64()).unwrap_or(Ordering::Equal);
        let is_tighter = match (order, end) {
            (Ordering::Greater, End::Least) | (Ordering::Less, End::Most) => true,
            (Ordering::Less, End::Least) | (Ordering::Greater, End::Most) => false,
            (Ordering::Equal, _) => next.is_exclusive,
        };
        if is_tighter { next } else { best }
    })
}

/// What every number of a node is a multiple of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Nothing: any real number.
    None,
    /// This.
    Of(Decimal),
    /// Something that cannot be said exactly.
    Unsaid,
}

fn step(keywords: &Keywords) -> Step {
    let is_whole = super::takes(keywords, "integer") && !super::takes_all_numbers(keywords);
    let said = |step: Option<Decimal>| step.map_or(Step::Unsaid, Step::Of);
    match (&keywords.multiple_of, is_whole) {
        (None, false) => Step::None,
        (None, true) => Step::Of(Decimal::unit(0)),
        (Some(step), false) => said(Decimal::of(step)),
        (Some(step), true) => match Decimal::of(step) {
            Some(step) if step.is_whole() => Step::Of(step),
            // Integers that are multiples of a fraction of one are the integers; other fractions are too rare to answer.
            Some(step) if Decimal::unit(0).multiple(step, Side::Below, true) == Some(Decimal::unit(0)) => {
                Step::Of(Decimal::unit(0))
            }
            Some(_) | None => Step::Unsaid,
        },
    }
}

fn is_inside(keywords: &Keywords, number: Decimal) -> bool {
    let fits = |bound: &Bound, end: End| {
        let Some(order) = Decimal::of(&bound.limit).and_then(|limit| number.compare(limit)) else {
            return true;
        };
        match (order, end) {
            (Ordering::Equal, _) => !bound.is_exclusive,
            (Ordering::Greater, End::Least) | (Ordering::Less, End::Most) => true,
            (Ordering::Less, End::Least) | (Ordering::Greater, End::Most) => false,
        }
    };
    keywords.minimum.iter().all(|bound| fits(bound, End::Least))
        && keywords.maximum.iter().all(|bound| fits(bound, End::Most))
}

fn is_crossed(keywords: &Keywords) -> bool {
    let least = tightest(&keywords.minimum, End::Least);
    let most = tightest(&keywords.maximum, End::Most);
    least.zip(most).is_some_and(|(least, most)| {
        let limits = Decimal::of(&least.limit).zip(Decimal::of(&most.limit));
        limits.and_then(|(least, most)| least.compare(most)) == Some(Ordering::Greater)
    })
}

fn listed(keywords: &Keywords, value: &Value) -> Option<&'static str> {
    let is_unlisted =
        keywords.enumeration.as_ref().is_some_and(|values| !values.iter().any(|listed| same(listed, value)));
    let is_other = keywords.constant.as_ref().is_some_and(|constant| !same(constant, value));
    (is_unlisted || is_other).then_some("the listed values do not include the limit")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, ReadOptions};
    use serde_json::json;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "rows of data read better without references")]
    fn check(schema: Value, least: Value, most: Value) {
        let document = Document::of_value(schema.clone(), &ReadOptions::default()).expect("a schema");
        let contract = Contract::of(&document).expect("a contract");
        let keywords = contract.node(contract.roots()[0]).keywords().expect("keywords");
        let of = |end| representative(keywords, end).map_or(Value::Null, Value::Number);
        assert_eq!((of(End::Least), of(End::Most)), (least, most), "{schema}");
    }

    #[test]
    fn an_inclusive_limit_stands_for_itself() {
        check(json!({"minimum": 1, "maximum": 9.5}), json!(1), json!(9.5));
        check(json!({"minimum": 1e300}), json!(1e300), json!(null));
    }

    #[test]
    fn an_exclusive_limit_of_integers_is_the_next_integer() {
        check(json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 5}), json!(1), json!(4));
        check(json!({"type": "integer", "minimum": -0.5, "maximum": 2.5}), json!(0), json!(2));
    }

    #[test]
    fn an_exclusive_limit_of_real_numbers_moves_inward_by_the_first_decimal_step_that_fits() {
        check(json!({"exclusiveMinimum": 0}), json!(1), json!(null));
        check(json!({"exclusiveMinimum": 0, "exclusiveMaximum": 1}), json!(0.1), json!(0.9));
        check(json!({"exclusiveMinimum": 0, "maximum": 0.05}), json!(0.01), json!(0.05));
    }

    #[test]
    fn a_limit_that_is_no_multiple_is_stood_for_by_the_nearest_multiple_inside() {
        check(json!({"minimum": 1, "maximum": 11, "multipleOf": 4}), json!(4), json!(8));
        check(json!({"minimum": 0.05, "multipleOf": 0.02}), json!(0.06), json!(null));
        check(json!({"exclusiveMinimum": 4, "multipleOf": 4}), json!(8), json!(null));
        check(json!({"minimum": -7, "maximum": -1, "multipleOf": 3}), json!(-6), json!(-3));
    }

    #[test]
    fn the_tightest_of_two_limits_decides() {
        check(json!({"minimum": 3, "exclusiveMinimum": 3, "type": "integer"}), json!(4), json!(null));
        check(json!({"minimum": 5, "exclusiveMinimum": 3}), json!(5), json!(null));
    }

    #[test]
    fn crossed_limits_have_no_representative() {
        check(json!({"minimum": 5, "maximum": 3}), json!(null), json!(null));
        check(json!({"minimum": 5, "maximum": 7, "multipleOf": 4}), json!(null), json!(null));
    }
}
