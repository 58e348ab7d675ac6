//! The finite automaton of a shape: required formulas together with the absence of barred ones.

mod ways;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use indexmap::IndexSet;

use crate::text::alphabet::{Alphabet, Letter};
use crate::text::automaton::ways::Ways;
use crate::text::character::{self, Palette};
use crate::text::formula::{ALWAYS, Formula, Formulas, NEVER, Overrun};

/// What the automaton accepts: texts that satisfy every required formula and no barred one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    pub(crate) required: Vec<Formula>,
    pub(crate) barred: Vec<Formula>,
    /// Languages of the past that look-behinds ask about; a later one may ask about an earlier one.
    pub(crate) behind: Vec<Formula>,
}

/// A deterministic automaton without dead states. The first state is the start.
#[derive(Debug, Clone)]
pub(crate) struct Automaton {
    pub(crate) alphabet: Alphabet,
    pub(crate) states: Vec<State>,
    /// There is a longest text.
    pub(crate) is_finite: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) is_accepting: bool,
    /// Steps to the nearest accepting state.
    pub(crate) distance: u32,
    /// At most one edge for each target.
    pub(crate) edges: Vec<Edge>,
    /// The edges as a walk looks at them.
    pub(crate) ways: Ways,
}

#[derive(Debug, Clone)]
pub(crate) struct Edge {
    pub(crate) target: u32,
    /// The letters of the alphabet that lead to the target.
    pub(crate) letters: Vec<u32>,
    /// Their code points below 128, as bits.
    pub(crate) ascii: u128,
    /// How many code points they are.
    pub(crate) n_characters: u64,
    /// How much a reader likes what can be drawn here.
    pub(crate) weight: u64,
    /// How much there is to draw beyond here, see [`Automaton::weigh_by_texts`]; one where that has no end.
    pub(crate) richness: u64,
    /// What can be drawn here.
    pub(crate) palette: Arc<Palette>,
}

/// Builds the automaton; `None` when it accepts nothing.
pub(crate) fn build(
    formulas: &mut Formulas,
    parts: &Parts,
    max_states: usize,
) -> Result<Option<Automaton>, Overrun> {
    let alphabet = Alphabet::new(formulas.classes());
    let mut building = Building { formulas, parts, alphabet: &alphabet, palettes: BTreeMap::new() };
    let Some(start) = building.start()? else { return Ok(None) };
    let mut keys: IndexSet<Box<[Formula]>> = std::iter::once(start).collect();
    let mut states = Vec::new();
    while let Some(key) = keys.get_index(states.len()).cloned() {
        if keys.len() > max_states {
            return Err(Overrun);
        }
        let is_accepting = building.accepts_end(&key);
        let edges = building.edges(&key, &mut keys)?;
        states.push(State { is_accepting, distance: u32::MAX, edges, ways: Ways::default() });
    }
    measure_distances(&mut states);
    if states[0].distance == u32::MAX {
        return Ok(None);
    }
    let mut automaton = Automaton { alphabet, states: without_dead_states(states), is_finite: false };
    automaton.weigh_by_texts();
    automaton.prepare_ways();
    Ok(Some(automaton))
}

impl Automaton {
    /// Whether the automaton accepts a text.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        let mut state = &self.states[0];
        for c in text.chars() {
            let edge = if c.is_ascii() {
                state.edges.iter().find(|edge| edge.ascii >> u32::from(c) & 1 == 1)
            } else {
                let letter = self.alphabet.letter_of(c);
                state.edges.iter().find(|edge| edge.letters.contains(&letter))
            };
            let Some(edge) = edge else { return false };
            state = &self.states[edge.target as usize];
        }
        state.is_accepting
    }

    /// The length of the longest text accepted; `None` when there is no longest.
    pub(crate) fn longest(&self) -> Option<u64> {
        let order = self.in_topological_order()?;
        let mut depth = vec![0_u64; self.states.len()];
        for index in &order {
            for edge in &self.states[*index].edges {
                let target = edge.target as usize;
                depth[target] = depth[target].max(depth[*index] + 1);
            }
        }
        order.into_iter().filter(|index| self.states[*index].is_accepting).map(|index| depth[index]).max()
    }

    /// Weighs edges by how many texts lie behind them, by the cube of its logarithm, where that number is finite.
    fn weigh_by_texts(&mut self) {
        let Some(order) = self.in_topological_order() else { return };
        self.is_finite = true;
        let mut n_texts = vec![0_u128; self.states.len()];
        for index in order.into_iter().rev() {
            let state = &mut self.states[index];
            n_texts[index] = u128::from(state.is_accepting);
            for edge in &mut state.edges {
                let n_behind = n_texts[edge.target as usize].saturating_mul(u128::from(edge.n_characters));
                edge.richness = (1 + u64::from(n_behind.checked_ilog2().unwrap_or(0))).pow(3);
                n_texts[index] = n_texts[index].saturating_add(n_behind);
            }
        }
    }

    fn prepare_ways(&mut self) {
        let distances: Vec<u32> = self.states.iter().map(|state| state.distance).collect();
        for state in &mut self.states {
            state.ways = Ways::of(state, &distances);
        }
    }

    /// The states, each before those it leads to; `None` when there is a cycle.
    fn in_topological_order(&self) -> Option<Vec<usize>> {
        let mut n_incoming = vec![0_usize; self.states.len()];
        for edge in self.states.iter().flat_map(|state| &state.edges) {
            n_incoming[edge.target as usize] += 1;
        }
        if n_incoming[0] > 0 {
            return None;
        }
        let mut order = vec![0];
        let mut n_done = 0;
        while let Some(index) = order.get(n_done).copied() {
            n_done += 1;
            for edge in &self.states[index].edges {
                let target = edge.target as usize;
                n_incoming[target] -= 1;
                if n_incoming[target] == 0 {
                    order.push(target);
                }
            }
        }
        (order.len() == self.states.len()).then_some(order)
    }
}

struct Building<'a> {
    formulas: &'a mut Formulas,
    parts: &'a Parts,
    alphabet: &'a Alphabet,
    /// Palettes by their letters: most edges share a few.
    palettes: BTreeMap<Vec<u32>, Arc<Palette>>,
}

impl Building<'_> {
    fn start(&mut self) -> Result<Option<Box<[Formula]>>, Overrun> {
        let Parts { required, barred, behind } = self.parts;
        let key = [behind.as_slice(), required, barred].concat();
        self.settled(key)
    }

    /// Decides what the formulas ask about the past; `None` when nothing can be accepted any more.
    fn settled(&mut self, mut key: Vec<Formula>) -> Result<Option<Box<[Formula]>>, Overrun> {
        let n_behind = self.parts.behind.len();
        let n_positive = n_behind + self.parts.required.len();
        if n_behind > 0 {
            let mut past = vec![false; n_behind];
            for index in 0..key.len() {
                key[index] = self.formulas.resolve(key[index], &past)?;
                if index < n_behind {
                    past[index] = self.formulas.accepts_end(key[index]);
                }
            }
        }
        let is_dead = key[n_behind..n_positive].contains(&NEVER) || key[n_positive..].contains(&ALWAYS);
        Ok((!is_dead).then(|| key.into_boxed_slice()))
    }

    fn accepts_end(&self, key: &[Formula]) -> bool {
        let (positive, barred) = key.split_at(key.len() - self.parts.barred.len());
        let required = &positive[self.parts.behind.len()..];
        required.iter().all(|formula| self.formulas.accepts_end(*formula))
            && !barred.iter().any(|formula| self.formulas.accepts_end(*formula))
    }

    fn edges(&mut self, key: &[Formula], keys: &mut IndexSet<Box<[Formula]>>) -> Result<Vec<Edge>, Overrun> {
        let mut front = Vec::new();
        for formula in key {
            self.formulas.front_classes(*formula, &mut front);
        }
        self.formulas.spend(front.len())?;
        let mut mask = vec![0_u64; self.formulas.classes().len().div_ceil(64).max(1)];
        for class in front {
            mask[class as usize / 64] |= 1 << (class % 64);
        }
        let letters = self.alphabet.letters();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for (index, letter) in letters.iter().enumerate() {
            let index = u32::try_from(index).expect("there are fewer letters than code points");
            let alike = groups.iter_mut().find(|group| letters[group[0] as usize].is_like(letter, &mask));
            match alike {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        self.formulas.spend(letters.len() + groups.len() * groups.len() / 8)?;
        let mut edges: Vec<Edge> = Vec::new();
        for group in groups {
            let letter = &letters[group[0] as usize];
            let mut after = Vec::with_capacity(key.len());
            for formula in key {
                after.push(self.formulas.derive(*formula, &|class| letter.is_in(class))?);
            }
            let Some(after) = self.settled(after)? else { continue };
            let target = u32::try_from(keys.insert_full(after).0).map_err(|_| Overrun)?;
            match edges.iter_mut().find(|edge| edge.target == target) {
                Some(edge) => edge.letters.extend(group),
                None => edges.push(Edge {
                    target,
                    letters: group,
                    ascii: 0,
                    n_characters: 0,
                    weight: 0,
                    richness: 1,
                    palette: Arc::default(),
                }),
            }
        }
        for edge in &mut edges {
            let own: Vec<&Letter> = edge.letters.iter().map(|letter| &letters[*letter as usize]).collect();
            for letter in &own {
                edge.ascii |= letter.ascii;
                edge.n_characters += letter.n_characters;
            }
            let palette =
                self.palettes.entry(edge.letters.clone()).or_insert_with(|| Arc::new(Palette::of(&own)));
            edge.palette = Arc::clone(palette);
            edge.weight = character::weight(edge.ascii, edge.n_characters);
        }
        Ok(edges)
    }
}

/// Walks back from the accepting states.
fn measure_distances(states: &mut [State]) {
    let mut sources: Vec<Vec<u32>> = vec![Vec::new(); states.len()];
    let mut queue = VecDeque::new();
    for (index, state) in states.iter_mut().enumerate() {
        let index = u32::try_from(index).expect("the state limit keeps states below four billion");
        for edge in &state.edges {
            sources[edge.target as usize].push(index);
        }
        if state.is_accepting {
            state.distance = 0;
            queue.push_back(index);
        }
    }
    while let Some(index) = queue.pop_front() {
        let distance = states[index as usize].distance + 1;
        for source in &sources[index as usize] {
            let state = &mut states[*source as usize];
            if state.distance == u32::MAX {
                state.distance = distance;
                queue.push_back(*source);
            }
        }
    }
}

fn without_dead_states(states: Vec<State>) -> Vec<State> {
    let mut renumbered = vec![u32::MAX; states.len()];
    let mut n_kept = 0;
    for (index, state) in states.iter().enumerate() {
        if state.distance != u32::MAX {
            renumbered[index] = n_kept;
            n_kept += 1;
        }
    }
    let mut kept = Vec::with_capacity(n_kept as usize);
    for mut state in states {
        if state.distance == u32::MAX {
            continue;
        }
        state.edges.retain(|edge| renumbered[edge.target as usize] != u32::MAX);
        for edge in &mut state.edges {
            edge.target = renumbered[edge.target as usize];
        }
        kept.push(state);
    }
    kept
}
