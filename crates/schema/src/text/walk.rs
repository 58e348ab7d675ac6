//! Drawing from an automaton: random walks that cannot fail, and walks in order.

use crate::draw::Draw;
use crate::text::alphabet::Letter;
use crate::text::automaton::{Automaton, Edge, State};
use crate::text::character::{self, Reach};
use crate::text::length::Lengths;

/// The lengths a walk may end at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window<'a> {
    pub(crate) low: u64,
    pub(crate) high: u64,
    /// Exact feasible lengths; without them `low` is zero and only the way home must fit below `high`.
    pub(crate) lengths: Option<&'a Lengths>,
}

impl Window<'_> {
    /// Whether a text of `length` that stands at `state` can still end inside the window.
    fn admits(&self, state: &State, index: u32, length: u64) -> bool {
        let Some(left) = self.high.checked_sub(length) else { return false };
        match self.lengths {
            None => u64::from(state.distance) <= left,
            Some(lengths) => lengths.first(index, self.low.saturating_sub(length), left).is_some(),
        }
    }

    fn ends_at(&self, length: u64) -> bool {
        self.low <= length && length <= self.high
    }
}

/// Draws a text whose length lies in the window; `None` when there is none.
pub(crate) fn draw(
    automaton: &Automaton,
    window: Window<'_>,
    reach: Reach,
    draw: &mut Draw,
) -> Option<String> {
    if !window.admits(&automaton.states[0], 0, 0) {
        return None;
    }
    let (mut text, mut length, mut at) = (String::with_capacity(USUAL_BYTES), 0, 0_u32);
    let mut previous = None;
    // Steps that lead no nearer to an end are rationed, or a walk in search of a suffix would stray for ever.
    let mut slack = if automaton.is_finite { u64::MAX } else { slack(draw) };
    let shortest = window.low.max(u64::from(automaton.states[0].distance));
    loop {
        let state = &automaton.states[at as usize];
        let may_end = state.is_accepting && window.ends_at(length);
        // The shortest texts say little and are soon all drawn, so the first chances to end are mostly passed by.
        let ending = match length.saturating_sub(shortest) {
            _ if length == 0 => 2,
            0..3 => 5,
            _ if slack == 0 => 60,
            _ => 20,
        };
        if may_end && (state.edges.is_empty() || draw.chance(ending)) {
            return Some(text);
        }
        let Some(edge) = choose(automaton, state, window, length + 1, slack, draw) else {
            return may_end.then_some(text);
        };
        let c = character::draw(&edge.palette, reach, previous, draw, || letters_of(automaton, edge));
        text.push(c);
        previous = Some(c);
        length += 1;
        let distance = automaton.states[edge.target as usize].distance;
        slack = slack.saturating_sub(u64::from((distance + 1).saturating_sub(state.distance)));
        at = edge.target;
    }
}

/// Room that most texts need, set aside at once.
const USUAL_BYTES: usize = 24;

/// How many steps a walk may take beyond the shortest: mostly a word's worth, now and then a line's.
fn slack(draw: &mut Draw) -> u64 {
    let most = [6, 12, 24, 60][draw.weighted(&[40, 45, 12, 3])];
    most / 3 + draw.below(most)
}

/// Chooses an edge: towards an end, away from it, or neither, in shares that keep texts short but not the same.
fn choose<'a>(
    automaton: &'a Automaton,
    state: &'a State,
    window: Window<'_>,
    length: u64,
    slack: u64,
    draw: &mut Draw,
) -> Option<&'a Edge> {
    if let [only] = state.edges.as_slice() {
        let target = &automaton.states[only.target as usize];
        return window.admits(target, only.target, length).then_some(only);
    }
    // A way back is taken less often once the walk has come nearer: half a suffix is noise.
    let has_begun = !automaton.is_finite && state.distance < automaton.states[0].distance;
    let is_early = !automaton.is_finite && slack > 3;
    let shares = [if is_early { 18 } else { 30 }, 50, if has_begun { 7 } else { 20 }];
    let room = window.high.saturating_sub(length);
    let chosen =
        if window.lengths.is_none() && u64::from(state.ways.farthest) <= room && length <= window.high {
            state.ways.choose(shares, slack == 0, draw)
        } else {
            let is_open = |index: usize| {
                let target = state.edges[index].target;
                window.admits(&automaton.states[target as usize], target, length)
            };
            state.ways.choose_open(state, shares, slack == 0, draw, is_open)
        };
    chosen.map(|index| &state.edges[index])
}

/// The texts of the window from the shortest on, best characters first, as long as `take` wants more.
pub(crate) fn in_order(
    automaton: &Automaton,
    window: Window<'_>,
    most: usize,
    take: &mut dyn FnMut(String) -> bool,
) {
    let lengths = |state: u32, length: u64, total: u64| match window.lengths {
        Some(lengths) => lengths.first(state, total - length, total - length).is_some(),
        None => false,
    };
    let shortest = u64::from(automaton.states[0].distance).max(window.low);
    for total in shortest..=window.high {
        if !lengths(0, 0, total) {
            continue;
        }
        let mut text: Vec<char> = Vec::new();
        let options = |state: u32, length: u64| {
            let mut found: Vec<(u32, char, u32)> = Vec::new();
            if length == total {
                return found.into_iter();
            }
            for edge in &automaton.states[state as usize].edges {
                if lengths(edge.target, length + 1, total) {
                    let characters = character::in_order(&letters_of(automaton, edge), most);
                    found.extend(characters.into_iter().map(|(rank, c)| (rank, c, edge.target)));
                }
            }
            found.sort_unstable();
            found.truncate(most);
            found.into_iter()
        };
        let mut open = vec![options(0, 0)];
        if total == 0 && !take(String::new()) {
            return;
        }
        while let Some(last) = open.last_mut() {
            let Some((_, c, target)) = last.next() else {
                open.pop();
                text.pop();
                continue;
            };
            text.push(c);
            if text.len() as u64 == total {
                if !take(text.iter().collect()) {
                    return;
                }
                text.pop();
            } else {
                open.push(options(target, text.len() as u64));
            }
        }
    }
}

/// Most lengths that are counted through.
const MAX_COUNTED: u64 = 1 << 20;

/// How many texts there are with lengths from `low` to `high`, counted no further than `most`.
pub(crate) fn count(automaton: &Automaton, low: u64, high: u64, most: u64) -> u64 {
    let mut ways: Vec<u64> = automaton.states.iter().map(|state| u64::from(state.is_accepting)).collect();
    let mut total = 0_u64;
    let mut length = 0;
    loop {
        if length >= low {
            total = total.saturating_add(ways[0]);
        }
        if total >= most
            || length == high.min(low.saturating_add(MAX_COUNTED))
            || ways.iter().all(|n| *n == 0)
        {
            return total.min(most);
        }
        ways = automaton
            .states
            .iter()
            .map(|state| {
                state.edges.iter().fold(0_u64, |sum, edge| {
                    sum.saturating_add(edge.n_characters.saturating_mul(ways[edge.target as usize]))
                })
            })
            .collect();
        length += 1;
    }
}

fn letters_of<'a>(automaton: &'a Automaton, edge: &Edge) -> Vec<&'a Letter> {
    edge.letters.iter().map(|letter| &automaton.alphabet.letters()[*letter as usize]).collect()
}
