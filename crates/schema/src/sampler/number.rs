//! The numbers a set allows: an interval, the multiples in it, and what is barred from it.
//!
//! Multiples are counted in exact decimal arithmetic, and a value is taken only when plain floating-point division
//! agrees, because that is how validators in other languages judge.

use serde_json::{Number, Value};

use crate::compose::{IntegerShape, NumberShape};
use crate::draw::Draw;

/// Integers past this are not told apart by readers that use doubles.
const EXACT: i128 = 1 << 53;

/// A set of numbers that has members as far as is known.
#[derive(Debug, Clone)]
pub(crate) struct NumberRule {
    domain: Domain,
    barred: Vec<f64>,
    bars_integers: bool,
}

#[derive(Debug, Clone)]
enum Domain {
    /// Every multiple `k * step / 10^scale` with `low <= k <= high`.
    Multiples { step: i128, scale: u32, low: i128, high: i128, divisors: Vec<f64> },
    /// Every real between the bounds.
    Reals { low: Option<End>, high: Option<End> },
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct End {
    at: f64,
    is_open: bool,
}

/// Which part of a range to draw from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// Anywhere.
    Any,
    /// The smallest value, or the one that stands for it.
    Low,
    /// The largest value, or the one that stands for it.
    High,
}

/// How far from home values are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Small values first.
    Near,
    /// Many different ones, where little else makes instances differ.
    Wide,
}

impl NumberRule {
    /// The integers of a shape; `None` when there are none.
    pub(crate) fn integers(shape: &IntegerShape) -> Option<Self> {
        let IntegerShape { minimum, maximum, multiple_of, not_multiple_of } = shape;
        let one = Decimal { digits: 1, scale: 0 };
        let step = multiple_of.iter().filter_map(decimal).try_fold(one, Decimal::common_multiple)?;
        let low = minimum.as_ref().map(|bound| End { at: real(bound), is_open: false });
        let high = maximum.as_ref().map(|bound| End { at: real(bound), is_open: false });
        let exact = |bound: &Option<Number>| bound.as_ref().and_then(crate::json::whole);
        let domain = multiples(step, low, high, (exact(minimum), exact(maximum)), multiple_of);
        Self { domain, barred: not_multiple_of.iter().map(real).collect(), bars_integers: false }.inhabited()
    }

    /// The numbers of a shape; `None` when there are none.
    pub(crate) fn numbers(shape: &NumberShape) -> Option<Self> {
        let NumberShape {
            minimum,
            exclusive_minimum,
            maximum,
            exclusive_maximum,
            multiple_of,
            not_multiple_of,
            excludes_integers,
        } = shape;
        let low = minimum.as_ref().map(|bound| End { at: real(bound), is_open: *exclusive_minimum });
        let high = maximum.as_ref().map(|bound| End { at: real(bound), is_open: *exclusive_maximum });
        let steps: Vec<Decimal> = multiple_of.iter().filter_map(decimal).collect();
        let domain = match steps.split_first() {
            Some((first, rest)) => {
                let step = rest.iter().try_fold(*first, |step, next| step.common_multiple(*next))?;
                multiples(step, low, high, (None, None), multiple_of)
            }
            None => Domain::Reals { low, high },
        };
        let barred = not_multiple_of.iter().map(real).collect();
        Self { domain, barred, bars_integers: *excludes_integers }.inhabited()
    }

    fn inhabited(self) -> Option<Self> {
        let is_empty = match &self.domain {
            Domain::Multiples { low, high, .. } => low > high,
            Domain::Reals { low: Some(low), high: Some(high) } => {
                low.at > high.at || (low.at >= high.at && (low.is_open || high.is_open))
            }
            Domain::Reals { .. } => false,
        };
        (!is_empty).then_some(self)
    }

    /// Draws a member; `None` when what is barred got in the way too often.
    pub(crate) fn draw(&self, edge: Edge, spread: Spread, draw: &mut Draw) -> Option<Value> {
        let at_edge = match edge {
            Edge::Any => None,
            Edge::Low => self.extreme(false),
            Edge::High => self.extreme(true),
        };
        if at_edge.is_some() {
            return at_edge;
        }
        (0..24)
            .find_map(|_| self.candidate(spread, draw).filter(|value| self.admits(value)).map(Value::Number))
    }

    /// The smallest or the largest member; where the bound itself is left out, the readable value next to it.
    pub(crate) fn extreme(&self, is_high: bool) -> Option<Value> {
        let number = match &self.domain {
            Domain::Multiples { step, scale, low, high, .. } => {
                let is_far = |k: i128| k.abs() >= EXACT;
                let k = if is_high { *high } else { *low };
                // Walk inwards past what doubles cannot hold or what is barred.
                let inwards = (0..64).map(|n| if is_high { k - n } else { k + n });
                inwards
                    .filter(|k| !is_far(*k) && k >= low && k <= high)
                    .filter_map(|k| multiple(k, *step, *scale))
                    .find(|number| self.admits(number))?
            }
            Domain::Reals { low, high } => {
                let (end, other) = if is_high { (*high, *low) } else { (*low, *high) };
                let end = end?;
                let value =
                    if end.is_open { beside(end.at, other.map(|other| other.at), is_high) } else { end.at };
                number_of(value)?
            }
        };
        self.admits(&number).then_some(Value::Number(number))
    }

    /// All members, when there are at most so many.
    pub(crate) fn enumerate(&self, most: usize) -> Option<Vec<Value>> {
        match &self.domain {
            Domain::Multiples { step, scale, low, high, .. } => {
                if high - low >= i128::try_from(most).unwrap_or(i128::MAX) {
                    return None;
                }
                let numbers = (*low..=*high).filter_map(|k| multiple(k, *step, *scale));
                Some(numbers.filter(|number| self.admits(number)).map(Value::Number).collect())
            }
            Domain::Reals { low: Some(low), high: Some(high) } if low.at >= high.at => {
                Some(number_of(low.at).map(Value::Number).into_iter().collect())
            }
            Domain::Reals { .. } => None,
        }
    }

    /// The n-th whole member, counted away from zero or from the bound next to it.
    pub(crate) fn nth(&self, n: usize) -> Option<Value> {
        let n = i128::try_from(n).ok()?;
        let number = match &self.domain {
            Domain::Multiples { step, scale, low, high, .. } => {
                let home = 0.clamp(*low, *high);
                let k = [home + n, home - n].into_iter().find(|k| low <= k && k <= high)?;
                multiple(k, *step, *scale)?
            }
            Domain::Reals { low, high } => {
                let ends = [low.map(|end| end.at + 1.0), high.map(|end| end.at - 1.0)];
                let (first, sign) =
                    if ends[0].is_none() && ends[1].is_some() { (ends[1], -1) } else { (ends[0], 1) };
                whole_number(clamp(first.unwrap_or(0.0)) + sign * n)?
            }
        };
        self.admits(&number).then_some(Value::Number(number))
    }

    fn candidate(&self, spread: Spread, draw: &mut Draw) -> Option<Number> {
        match &self.domain {
            Domain::Multiples { step, scale, low, high, .. } => {
                let k = within(*low, *high, spread, draw);
                multiple(k, *step, *scale)
            }
            Domain::Reals { low, high } => number_of(real_between(*low, *high, self.bars_integers, draw)),
        }
    }

    fn admits(&self, number: &Number) -> bool {
        let value = real(number);
        let is_multiple = |divisor: f64| divisor != 0.0 && is_whole(value / divisor);
        let fits = match &self.domain {
            Domain::Multiples { divisors, .. } => divisors.iter().all(|divisor| is_multiple(*divisor)),
            Domain::Reals { low, high } => {
                low.is_none_or(|low| value > low.at || (!low.is_open && value >= low.at))
                    && high.is_none_or(|high| value < high.at || (!high.is_open && value <= high.at))
            }
        };
        fits && !self.barred.iter().any(|divisor| is_multiple(*divisor))
            && !(self.bars_integers && is_whole(value))
    }
}

/// The multiples of a step between two ends.
fn multiples(
    step: Decimal,
    low: Option<End>,
    high: Option<End>,
    exact: (Option<i128>, Option<i128>),
    divisors: &[Number],
) -> Domain {
    let size = step.to_real();
    let (exact_low, exact_high) = exact;
    let is_plain = step.scale == 0;
    let from = match (exact_low.filter(|_| is_plain), low) {
        (Some(low), _) => div_ceil(low, step.digits),
        (None, Some(low)) => {
            let k = clamp((low.at / size).ceil());
            if low.is_open && step.times(k) <= low.at { k + 1 } else { k }
        }
        (None, None) => -EXACT,
    };
    let to = match (exact_high.filter(|_| is_plain), high) {
        (Some(high), _) => high.div_euclid(step.digits),
        (None, Some(high)) => {
            let k = clamp((high.at / size).floor());
            if high.is_open && step.times(k) >= high.at { k - 1 } else { k }
        }
        (None, None) => EXACT,
    };
    // One side may be unbounded while the other lies beyond what doubles hold; keep a window to draw from.
    let from = if low.is_none() && from > to { to - EXACT } else { from };
    let to = if high.is_none() && to < from { from + EXACT } else { to };
    let divisors = divisors.iter().map(real).collect();
    Domain::Multiples { step: step.digits, scale: step.scale, low: from, high: to, divisors }
}

fn div_ceil(value: i128, by: i128) -> i128 {
    -(-value).div_euclid(by)
}

fn clamp(value: f64) -> i128 {
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
    let whole = value as i128;
    whole.clamp(-EXACT * 1024, EXACT * 1024)
}

/// A whole number between two others: small ones first, the far ends now and then.
fn within(low: i128, high: i128, spread: Spread, draw: &mut Draw) -> i128 {
    let home = 0.clamp(low, high);
    let weights = match spread {
        Spread::Near => [30, 40, 24, 6],
        Spread::Wide => [1, 3, 12, 84],
    };
    let reach = [9, 99, 999, 99_999][draw.weighted(&weights)];
    let (from, to) = match draw.below(40) {
        // A bound, if there is one near enough to be meant.
        0 if low > -EXACT => return low,
        1 if high < EXACT => return high,
        2 | 3 => (low.max(home - reach), high.min(home + reach)),
        // Just below the only bound there is little to choose from, so the other side is taken.
        _ if high - home < reach.min(9) && low < home => (low.max(home - reach), high),
        _ => (low.max(home), high.min(home + reach)),
    };
    let (from, to) = if from > to { (low, high) } else { (from, to) };
    let width = u64::try_from(to - from).unwrap_or(u64::MAX - 1);
    from + i128::from(draw.below(width + 1))
}

/// A real between two ends, with as few digits as the width allows.
fn real_between(low: Option<End>, high: Option<End>, bars_integers: bool, draw: &mut Draw) -> f64 {
    let (from, to) = match (low, high) {
        (Some(low), Some(high)) => (low.at, high.at),
        (Some(low), None) => (low.at, low.at + low.at.abs().clamp(1.0, 1e300) * 100.0),
        (None, Some(high)) => (high.at - high.at.abs().clamp(1.0, 1e300) * 100.0, high.at),
        (None, None) if draw.chance(15) => (-1000.0, 1000.0),
        (None, None) => (0.0, 1000.0),
    };
    match draw.below(24) {
        0 => return from,
        1 if high.is_some() => return to,
        2 if from <= 0.0 && to >= 0.0 => return 0.0,
        _ => {}
    }
    #[expect(clippy::cast_precision_loss, reason = "53 random bits are exactly what a double holds")]
    let share = (draw.bits() >> 11) as f64 / EXACT as f64;
    let (from, to) = if to - from > 2e6 && from <= 0.0 && to > 0.0 {
        (from.max(-1000.0), to.min(1000.0))
    } else {
        (from, to)
    };
    let value = from + (to - from) * share;
    if !value.is_finite() {
        return from / 2.0 + to / 2.0;
    }
    let digits = if bars_integers { draw.between(1, 2) } else { draw.between(0, 2) };
    readable(value, from, to, digits)
}

/// The value rounded to few digits, as long as it stays strictly between the ends.
fn readable(value: f64, from: f64, to: f64, digits: i64) -> f64 {
    for digits in digits..digits + 16 {
        let unit = 10f64.powi(i32::try_from(digits).unwrap_or(0));
        let rounded = (value * unit).round() / unit;
        if rounded > from && rounded < to {
            return rounded;
        }
    }
    value
}

/// The readable value next to a bound that is left out: one unit inside, the unit shrinking with the width.
pub(crate) fn beside(bound: f64, other: Option<f64>, is_high: bool) -> f64 {
    let width = other.map_or(f64::INFINITY, |other| (other - bound).abs());
    let unit = (0..300).map(|digits| 10f64.powi(-digits)).find(|unit| *unit < width).unwrap_or(0.0);
    let inside = |unit: f64| if is_high { bound - unit } else { bound + unit };
    // Far from zero a small unit is lost; double it until it shows.
    let unit = (0..1100)
        .scan(unit, |unit, _| Some(std::mem::replace(unit, *unit * 2.0)))
        .find(|unit| inside(*unit) - bound != 0.0);
    inside(unit.unwrap_or(0.0))
}

fn is_whole(value: f64) -> bool {
    value.is_finite() && value.fract() == 0.0
}

/// `k * step / 10^scale` as a number, whole when it is whole.
fn multiple(k: i128, step: i128, scale: u32) -> Option<Number> {
    let digits = k.checked_mul(step)?;
    if scale == 0 {
        return whole_number(digits);
    }
    let unit = 10i128.checked_pow(scale)?;
    if digits % unit == 0 {
        return whole_number(digits / unit);
    }
    number_of(format!("{digits}e-{scale}").parse().ok()?)
}

fn whole_number(value: i128) -> Option<Number> {
    if let Ok(small) = i64::try_from(value) {
        return Some(Number::from(small));
    }
    if let Ok(large) = u64::try_from(value) {
        return Some(Number::from(large));
    }
    #[expect(clippy::cast_precision_loss, reason = "JSON readers take integers past 64 bits as doubles")]
    Number::from_f64(value as f64)
}

/// A number as JSON writes it: without a fraction when it has none.
fn number_of(value: f64) -> Option<Number> {
    if is_whole(value) && value.abs() < 9e15 {
        return whole_number(clamp(value));
    }
    Number::from_f64(value)
}

fn real(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::MAX)
}

/// `digits / 10^scale`, exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    fn to_real(self) -> f64 {
        format!("{}e-{}", self.digits, self.scale).parse().unwrap_or(1.0)
    }

    fn times(self, k: i128) -> f64 {
        multiple(k, self.digits, self.scale).map_or(f64::NAN, |number| real(&number))
    }

    /// The smallest step that is a whole multiple of both; `None` when it cannot be held.
    fn common_multiple(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let left = self.digits.checked_mul(10i128.checked_pow(scale - self.scale)?)?;
        let right = other.digits.checked_mul(10i128.checked_pow(scale - other.scale)?)?;
        let digits = (left / greatest_divisor(left, right)).checked_mul(right)?;
        Some(Self { digits, scale })
    }
}

fn greatest_divisor(left: i128, right: i128) -> i128 {
    let (mut left, mut right) = (left.abs(), right.abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left.max(1)
}

/// A positive number as it is written in JSON, as an exact decimal.
fn decimal(number: &Number) -> Option<Decimal> {
    let text = number.to_string().to_lowercase();
    let (body, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i64 = power.parse().ok()?;
    let (before, after) = body.split_once('.').unwrap_or((body, ""));
    let digits: i128 = format!("{before}{after}").parse().ok()?;
    let scale = i64::try_from(after.len()).ok()? - power;
    if digits <= 0 {
        return None;
    }
    if scale < 0 {
        let unit = 10i128.checked_pow(u32::try_from(-scale).ok()?)?;
        return Some(Decimal { digits: digits.checked_mul(unit)?, scale: 0 });
    }
    let mut decimal = Decimal { digits, scale: u32::try_from(scale).ok()? };
    while decimal.scale > 0 && decimal.digits % 10 == 0 {
        decimal = Decimal { digits: decimal.digits / 10, scale: decimal.scale - 1 };
    }
    Some(decimal)
}
