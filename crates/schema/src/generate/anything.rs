//! Values where the contract asks for nothing in particular: small, readable, of every type.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use crate::compose::Kind;
use crate::generate::{Choices, Drawing};
use crate::sampler::Spread;
use crate::text::{TextLimits, TextSampler, TextShape};

impl<C: Choices> Drawing<'_, C> {
    /// Any value at all: mostly plain ones.
    pub(crate) fn anything(&mut self, depth: u32) -> Value {
        const KINDS: [Kind; 7] =
            [Kind::String, Kind::Integer, Kind::Boolean, Kind::Number, Kind::Array, Kind::Object, Kind::Null];
        let weights: [u64; 7] =
            if self.is_tight(depth) { [5, 4, 2, 1, 0, 0, 1] } else { [30, 24, 12, 8, 8, 12, 3] };
        let index = self.draw.weighted(&weights);
        self.of_kind(KINDS[index], depth)
    }

    /// Any value of a type.
    pub(crate) fn of_kind(&mut self, kind: Kind, depth: u32) -> Value {
        match kind {
            Kind::Null => Value::Null,
            Kind::Boolean => Value::Bool(self.draw.chance(50)),
            Kind::Integer => Value::from(self.integer()),
            Kind::Number if self.draw.chance(40) => Value::from(self.integer()),
            Kind::Number => {
                #[expect(clippy::cast_precision_loss, reason = "the range is far below 2^53")]
                let hundredths = self.draw.between(-20_000, 200_000) as f64;
                serde_json::Number::from_f64(hundredths / 100.0).map_or(Value::from(0), Value::Number)
            }
            Kind::String => Value::String(plain_text().draw(&mut self.draw).unwrap_or_default()),
            Kind::Array => {
                let n = if self.is_tight(depth) { 0 } else { 1 + self.draw.below(3) };
                Value::Array((0..n).map(|_| self.anything(depth + 2)).collect())
            }
            Kind::Object => {
                let n = if self.is_tight(depth) { 0 } else { 1 + self.draw.below(3) };
                let member = |drawing: &mut Self| {
                    let name = plain_name().draw(&mut drawing.draw).unwrap_or_default();
                    (name, drawing.anything(depth + 2))
                };
                Value::Object((0..n).map(|_| member(self)).collect::<Map<_, _>>())
            }
        }
    }

    fn integer(&mut self) -> i64 {
        let is_wide = self.spread == Spread::Wide;
        match self.draw.below(16) {
            0 => [0, -1, 1, i64::from(i32::MAX), i64::from(i32::MIN)][self.draw.index(5)],
            1 => self.draw.between(if is_wide { -99_999 } else { -1000 }, 0),
            _ if is_wide => self.draw.between(0, 99_999),
            2..=5 => self.draw.between(0, 9999),
            _ => self.draw.between(0, 99),
        }
    }
}

const LIMITS: TextLimits = TextLimits { max_length: 24, max_states: 400 };

fn plain_text() -> &'static TextSampler {
    static TEXT: OnceLock<TextSampler> = OnceLock::new();
    TEXT.get_or_init(|| {
        TextSampler::compile(&TextShape::default(), &LIMITS).expect("every string is allowed")
    })
}

fn plain_name() -> &'static TextSampler {
    static NAME: OnceLock<TextSampler> = OnceLock::new();
    NAME.get_or_init(|| {
        let shape = TextShape { patterns: vec!["^[a-z]{3,8}$".to_owned()], ..TextShape::default() };
        TextSampler::compile(&shape, &LIMITS).expect("short words are allowed")
    })
}
