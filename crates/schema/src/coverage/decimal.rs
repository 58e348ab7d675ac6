//! Numbers as exact decimals, for finding the number nearest to a limit that is a multiple of another.

use serde_json::Number;

/// A number of the form `digits * 10^-scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: i128,
    scale: u32,
}

/// More places than this are left to the oracle: the digits would not fit.
const MOST_SCALE: u32 = 18;

impl Decimal {
    /// The decimal a number is written as; `None` when it is too long for exact arithmetic.
    pub(crate) fn of(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text.as_str(), 0),
        };
        let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: i128 = format!("{before}{after}").parse().ok()?;
        let mut scale = i32::try_from(after.len()).ok()? - exponent;
        while scale < 0 {
            digits = digits.checked_mul(10)?;
            scale += 1;
        }
        while scale > 0 && digits % 10 == 0 {
            digits /= 10;
            scale -= 1;
        }
        let scale = u32::try_from(scale).ok()?;
        (scale <= MOST_SCALE && digits.unsigned_abs() < 10_u128.pow(30)).then_some(Self { digits, scale })
    }

    /// The decimal as a JSON number.
    pub(crate) fn number(self) -> Option<Number> {
        if self.scale == 0 {
            return i64::try_from(self.digits)
                .map(Number::from)
                .or_else(|_| u64::try_from(self.digits).map(Number::from))
                .ok();
        }
        let sign = if self.digits < 0 { "-" } else { "" };
        let text = format!("{sign}{}e-{}", self.digits.unsigned_abs(), self.scale);
        Number::from_f64(text.parse().ok()?)
    }

    /// The multiple of `step` nearest to this number, at it or on the side given.
    pub(crate) fn multiple(self, step: Self, side: Side, takes_self: bool) -> Option<Self> {
        let scale = self.scale.max(step.scale);
        let (limit, step) = (self.at(scale)?, step.at(scale)?);
        if step <= 0 {
            return None;
        }
        let quotient = match side {
            Side::Above => -((-limit).div_euclid(step)),
            Side::Below => limit.div_euclid(step),
        };
        let found = quotient.checked_mul(step)?;
        let found = match side {
            _ if takes_self || found != limit => found,
            Side::Above => found.checked_add(step)?,
            Side::Below => found.checked_sub(step)?,
        };
        Some(Self { digits: found, scale }.short())
    }

    /// `10^-scale`.
    pub(crate) fn unit(scale: u32) -> Self {
        Self { digits: 1, scale }
    }

    /// Whether it is a whole number.
    pub(crate) fn is_whole(self) -> bool {
        self.scale == 0
    }

    /// How it compares.
    pub(crate) fn compare(self, other: Self) -> Option<std::cmp::Ordering> {
        let scale = self.scale.max(other.scale);
        Some(self.at(scale)?.cmp(&other.at(scale)?))
    }

    fn at(self, scale: u32) -> Option<i128> {
        self.digits.checked_mul(10_i128.checked_pow(scale - self.scale)?)
    }

    fn short(mut self) -> Self {
        while self.scale > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.scale -= 1;
        }
        self
    }
}

/// Which side of a limit the range lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Greater numbers.
    Above,
    /// Smaller numbers.
    Below,
}
