//! Which ways lead on from a state of an automaton, and how likely each is, worked out once for all walks.

use crate::draw::Draw;
use crate::text::automaton::State;

/// Edges whose openness a walk notes in one word; the rest are asked again.
const NOTED: usize = 128;

/// The edges of a state as a walk chooses among them: towards an end, neither, or away from it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ways {
    /// For each edge the kind of way it is, and how much it is liked.
    edges: Vec<(usize, u64)>,
    /// How much is liked of each kind, and the richest of it, when every edge is open.
    all: Sums,
    /// Steps to an end from the edge that leads farthest away.
    pub(crate) farthest: u32,
}

/// For each kind of way, how much is liked in all and the most there is to draw behind one.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    totals: [u64; 3],
    richest: [u64; 3],
}

impl Sums {
    fn add(&mut self, kind: usize, liking: u64, richness: u64) {
        self.totals[kind] += liking;
        self.richest[kind] = self.richest[kind].max(richness);
    }
}

impl Ways {
    pub(crate) fn of(state: &State, distances: &[u32]) -> Self {
        let mut ways = Self::default();
        for edge in &state.edges {
            let there = distances[edge.target as usize];
            let kind = match there.cmp(&state.distance) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 2,
            };
            let liking = edge.weight * edge.richness;
            ways.edges.push((kind, liking));
            ways.all.add(kind, liking, edge.richness);
            ways.farthest = ways.farthest.max(there);
        }
        ways
    }

    /// Chooses an edge when all are open; `None` when there is none.
    pub(crate) fn choose(&self, shares: [u64; 3], is_hurried: bool, draw: &mut Draw) -> Option<usize> {
        self.choose_by(&self.all, shares, is_hurried, draw, |_| true)
    }

    /// Chooses among the edges that are open.
    pub(crate) fn choose_open(
        &self,
        state: &State,
        shares: [u64; 3],
        is_hurried: bool,
        draw: &mut Draw,
        is_open: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut sums = Sums::default();
        let mut noted = 0_u128;
        for (index, (kind, liking)) in self.edges.iter().enumerate() {
            if is_open(index) {
                sums.add(*kind, *liking, state.edges[index].richness);
                noted |= if index < NOTED { 1 << index } else { 0 };
            }
        }
        let is_still_open =
            |index: usize| if index < NOTED { noted >> index & 1 == 1 } else { is_open(index) };
        self.choose_by(&sums, shares, is_hurried, draw, is_still_open)
    }

    fn choose_by(
        &self,
        sums: &Sums,
        shares: [u64; 3],
        is_hurried: bool,
        draw: &mut Draw,
        is_open: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let Sums { totals, richest } = sums;
        let is_forced = is_hurried && totals[0] > 0;
        let share = |kind: usize| if is_forced && kind > 0 { 0 } else { shares[kind] * richest[kind] };
        let shares = [share(0), share(1), share(2)];
        if shares == [0; 3] {
            return None;
        }
        let wanted = draw.weighted(&shares);
        let mut left = draw.below(totals[wanted]);
        self.edges.iter().enumerate().position(|(index, (kind, liking))| {
            if *kind != wanted || !is_open(index) {
                return false;
            }
            let is_here = left < *liking;
            left = left.saturating_sub(*liking);
            is_here
        })
    }
}
