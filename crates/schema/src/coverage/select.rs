//! Choosing few instances that together hit as much as all candidates do.

/// A set of targets as bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) fn none(n: usize) -> Self {
        Self(vec![0; n.div_ceil(64)])
    }

    pub(crate) fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    pub(crate) fn has(&self, at: usize) -> bool {
        self.0[at / 64] & (1 << (at % 64)) != 0
    }

    fn n_beyond(&self, known: &Self) -> u32 {
        self.0.iter().zip(&known.0).map(|(mine, known)| (mine & !known).count_ones()).sum()
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }
}

/// Positions of at most `most` of the sets, the most telling first, that together have what all have or as much as
/// so many can. A set that later ones make superfluous is left out.
pub(crate) fn select(sets: &[Bits], n_targets: usize, most: usize) -> Vec<usize> {
    let mut known = Bits::none(n_targets);
    let mut left: Vec<usize> = (0..sets.len()).collect();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < most {
        // Of equals the first, so that the order of candidates decides and nothing else.
        let best = left
            .iter()
            .enumerate()
            .max_by_key(|(place, at)| (sets[**at].n_beyond(&known), std::cmp::Reverse(*place)));
        let Some((place, at)) = best.map(|(place, at)| (place, *at)) else { break };
        if sets[at].n_beyond(&known) == 0 {
            break;
        }
        known.add(&sets[at]);
        chosen.push(at);
        left.remove(place);
    }
    without_superfluous(sets, n_targets, chosen)
}

/// How many targets are in any of the chosen sets.
pub(crate) fn n_hit(sets: &[Bits], chosen: &[usize]) -> u32 {
    let Some((first, rest)) = chosen.split_first() else { return 0 };
    let mut all = sets[*first].clone();
    for at in rest {
        all.add(&sets[*at]);
    }
    all.0.iter().map(|bits| bits.count_ones()).sum()
}

fn without_superfluous(sets: &[Bits], n_targets: usize, mut chosen: Vec<usize>) -> Vec<usize> {
    let mut place = chosen.len();
    while place > 0 {
        place -= 1;
        let mut others = Bits::none(n_targets);
        for (_, at) in chosen.iter().enumerate().filter(|(other, _)| *other != place) {
            others.add(&sets[*at]);
        }
        if sets[chosen[place]].n_beyond(&others) == 0 {
            chosen.remove(place);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sets: &[&[usize]], most: usize, expected: &[usize]) {
        let bits = |set: &&[usize]| {
            let mut bits = Bits::none(100);
            set.iter().for_each(|at| bits.set(*at));
            bits
        };
        let sets: Vec<Bits> = sets.iter().map(bits).collect();
        assert_eq!(select(&sets, 100, most), expected);
    }

    #[test]
    fn the_most_telling_come_first_and_superfluous_ones_are_left_out() {
        check(&[&[1], &[1, 2, 70], &[3]], 9, &[1, 2]);
        check(&[&[1, 2, 3, 4], &[1, 2, 5], &[3, 4, 6]], 9, &[1, 2]);
        check(&[&[1], &[2], &[3, 4]], 2, &[2, 0]);
        check(&[], 9, &[]);
    }
}
