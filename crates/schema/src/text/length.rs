//! How long texts can be: for each state of an automaton, the exact numbers of steps after which it can accept.

use crate::text::automaton::Automaton;
use crate::text::formula::Overrun;

/// Most work, in state and length pairs times edges, spent on one table.
const MAX_WORK: u64 = 60_000_000;
/// Most memory for one table, in words of 64 lengths.
const MAX_WORDS: u64 = 4_000_000;

/// The feasible lengths of every state, up to a limit.
#[derive(Debug, Clone)]
pub(crate) struct Lengths {
    n_words: usize,
    most: u64,
    bits: Vec<u64>,
}

/// Finds the feasible lengths from zero to `most`.
pub(crate) fn measure(automaton: &Automaton, most: u64) -> Result<Lengths, Overrun> {
    let n_states = automaton.states.len();
    let n_edges: usize = automaton.states.iter().map(|state| state.edges.len()).sum();
    let n_words = most / 64 + 1;
    if most.saturating_mul((n_edges + n_states) as u64) > MAX_WORK || n_words * n_states as u64 > MAX_WORDS {
        return Err(Overrun);
    }
    let n_words = usize::try_from(n_words).map_err(|_| Overrun)?;
    let mut lengths = Lengths { n_words, most, bits: vec![0; n_words * n_states] };
    let mut reached: Vec<bool> = automaton.states.iter().map(|state| state.is_accepting).collect();
    for length in 0..=usize::try_from(most).map_err(|_| Overrun)? {
        for (state, _) in reached.iter().enumerate().filter(|(_, is_reached)| **is_reached) {
            lengths.bits[state * n_words + length / 64] |= 1 << (length % 64);
        }
        let is_next = |state: &crate::text::automaton::State| {
            state.edges.iter().any(|edge| reached[edge.target as usize])
        };
        reached = automaton.states.iter().map(is_next).collect();
    }
    Ok(lengths)
}

impl Lengths {
    /// The largest length the table knows about.
    pub(crate) fn reach(&self) -> u64 {
        self.most
    }

    /// The smallest feasible length of a state between two bounds, both included.
    pub(crate) fn first(&self, state: u32, low: u64, high: u64) -> Option<u64> {
        let words = self.of(state);
        let mut index = low / 64;
        let mut mask = u64::MAX << (low % 64);
        while let Some(word) = words.get(usize::try_from(index).ok()?) {
            if index * 64 > high {
                return None;
            }
            let word = word & mask;
            if word != 0 {
                let length = index * 64 + u64::from(word.trailing_zeros());
                return (length <= high).then_some(length);
            }
            (index, mask) = (index + 1, u64::MAX);
        }
        None
    }

    /// The largest feasible length of a state between two bounds, both included.
    pub(crate) fn last(&self, state: u32, low: u64, high: u64) -> Option<u64> {
        let words = self.of(state);
        let high = high.min(self.most);
        let mut index = high / 64;
        let mut mask = u64::MAX >> (63 - high % 64);
        loop {
            let word = words[usize::try_from(index).ok()?] & mask;
            if word != 0 {
                let length = index * 64 + 63 - u64::from(word.leading_zeros());
                return (length >= low).then_some(length);
            }
            if index * 64 <= low {
                return None;
            }
            (index, mask) = (index - 1, u64::MAX);
        }
    }

    fn of(&self, state: u32) -> &[u64] {
        let start = state as usize * self.n_words;
        &self.bits[start..start + self.n_words]
    }
}
