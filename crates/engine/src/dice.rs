//! The engine's own stream of chance: small, portable, the same on every machine.

/// A `SplitMix64` generator.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Starts a stream that belongs to `seed` and `lane` alone, so that run 7 is the same run whatever came before.
    pub(crate) fn new(seed: u64, lane: u64) -> Self {
        Self(mix(seed ^ mix(lane.wrapping_add(0x5851_F42D_4C95_7F2D))))
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number in `0..bound`; `bound` must not be 0.
    #[inline]
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let wide = u128::from(self.next()) * bound as u128;
        usize::try_from(wide >> 64).expect("a product shifted by 64 bits is below its factor")
    }

    /// True in `percent` of 100 throws.
    #[inline]
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Spreads every bit of the input over the whole word.
#[inline]
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one_and_lanes_differ() {
        let mut dice = Dice(1_234_567);
        assert_eq!(dice.next(), 6_457_827_717_110_365_317);
        assert_ne!(Dice::new(1, 0).next(), Dice::new(1, 1).next());
        let mut dice = Dice::new(0, 0);
        assert!((0..1000).all(|_| dice.below(3) < 3));
    }
}
