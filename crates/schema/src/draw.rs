//! A reproducible stream of choices: every random decision in this crate is a call on a [`Draw`].
//!
//! The stream depends on its seed alone, on every machine; nothing here reads a clock or the environment.

/// A stream of choices that is a pure function of its seed.
///
/// ```
/// use probity_schema::Draw;
/// let (mut one, mut two) = (Draw::new(7), Draw::new(7));
/// assert_eq!(one.below(1000), two.below(1000));
/// ```
#[derive(Debug, Clone)]
pub struct Draw {
    /// A `SplitMix64`: eight bytes to copy and nothing to set up, since every instance has a stream of its own.
    state: u64,
}

impl Draw {
    /// The stream of one seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: scramble(seed) }
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let bits = scramble(self.state);
        self.state = self.state.wrapping_add(STEP);
        bits
    }

    /// A number below `n`, each about equally likely; zero when `n` is zero.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        u64::try_from((u128::from(self.bits()) * u128::from(n)) >> 64)
            .expect("a product shifted by 64 bits fits in 64")
    }

    /// An index of a slice of length `n`; zero when `n` is zero.
    #[inline]
    pub fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.below(n as u64)).expect("an index below a usize is a usize")
    }

    /// A number from `low` to `high`, both included; `low` when the range is empty.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        if high <= low {
            return low;
        }
        let width = high.abs_diff(low);
        let offset = if width == u64::MAX { self.bits() } else { self.below(width + 1) };
        low.wrapping_add_unsigned(offset)
    }

    /// True in about `percent` of a hundred calls.
    #[inline]
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One element of a slice, each about equally likely; `None` of an empty one.
    #[inline]
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.index(from.len()))
    }

    /// An index drawn in proportion to its weight; zero when all weights are zero.
    #[inline]
    pub fn weighted(&mut self, weights: &[u64]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                return index;
            }
            left -= weight;
        }
        0
    }
}

/// Mixes a master seed with the path of numbers that leads to one draw, so that each draw has a seed of its own.
///
/// ```
/// use probity_schema::derive_seed;
/// assert_ne!(derive_seed(42, &[0, 1]), derive_seed(42, &[1, 0]));
/// ```
#[must_use]
pub fn derive_seed(master: u64, path: &[u64]) -> u64 {
    path.iter().fold(scramble(master), |seed, part| scramble(seed ^ scramble(part.wrapping_add(STEP))))
}

/// The odd constant of `SplitMix64`, 2^64 over the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of `SplitMix64`: a bijection whose output bits each depend on every input bit.
#[inline]
fn scramble(seed: u64) -> u64 {
    let mixed = seed.wrapping_add(STEP);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_a_seed_is_the_same_on_every_machine() {
        let mut draw = Draw::new(42);
        let first: Vec<u64> = (0..4).map(|_| draw.below(1000)).collect();
        assert_eq!(first, [343, 955, 486, 67]);
    }

    #[test]
    fn a_range_is_drawn_from_end_to_end() {
        let mut draw = Draw::new(1);
        let seen: std::collections::BTreeSet<i64> = (0..200).map(|_| draw.between(-2, 2)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [-2, -1, 0, 1, 2]);
        assert_eq!(draw.between(5, 4), 5);
        draw.between(i64::MIN, i64::MAX);
    }

    #[test]
    fn a_weight_of_zero_is_never_drawn() {
        let mut draw = Draw::new(1);
        assert!((0..200).all(|_| draw.weighted(&[0, 3, 0, 1]) % 2 == 1));
        assert_eq!(draw.weighted(&[]), 0);
    }
}
