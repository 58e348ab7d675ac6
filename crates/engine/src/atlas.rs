//! What is known about the values a strategy draws: its simplest and largest, and the gene of a wanted one.
//!
//! For strategies that never change this is found once and kept; those made from the model are asked afresh.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::dice::mix;
use crate::gene::{Gene, Origin};
use crate::realise::{largest, realise, simplest};
use crate::sequence::Choice;
use crate::source::{Brush, Source};
use crate::value::Value;

/// A command and one of its parameters, by index.
pub(crate) type Place = (usize, usize);

/// The ends of a strategy.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    pub(crate) simplest: Option<Simplest>,
    pub(crate) largest: Option<i128>,
}

/// The simplest value of a strategy.
#[derive(Debug)]
pub(crate) struct Simplest {
    pub(crate) text: Rc<str>,
    pub(crate) gene: Gene,
    pub(crate) value: Value,
}

#[derive(Default)]
pub(crate) struct Atlas {
    brush: Brush,
    ends: BTreeMap<Place, Ends>,
    genes: BTreeMap<(Place, Rc<str>), Option<Gene>>,
    /// Failures in a row of strategies that draw nothing; asking them again and again is slow.
    barren: BTreeMap<Place, u32>,
}

/// Failures in a row after which a strategy is not asked again.
const MAX_BARREN: u32 = 64;

impl Atlas {
    /// Follows a choice on a strategy that never changes: the value, and the gene that draws it again unless that is
    /// the choice itself.
    pub(crate) fn fixed(
        &mut self,
        place: Place,
        source: &dyn Source,
        choice: &Choice,
    ) -> Option<(Value, Option<Choice>)> {
        if self.barren.get(&place).is_some_and(|n_failed| *n_failed >= MAX_BARREN) {
            return None;
        }
        let drawn = self.follow(place, source, choice);
        match (&drawn, choice) {
            (Some(_), _) => self.barren.remove(&place),
            // A wish that is not granted says nothing about other values.
            (None, Choice::Text(_)) => None,
            (None, _) => {
                self.barren.insert(place, self.barren.get(&place).map_or(1, |n_failed| n_failed + 1))
            }
        };
        drawn
    }

    fn follow(
        &mut self,
        place: Place,
        source: &dyn Source,
        choice: &Choice,
    ) -> Option<(Value, Option<Choice>)> {
        match choice {
            Choice::Gene(gene) => Some((source.draw(gene, &mut self.brush)?.0, None)),
            Choice::Keep(_, gene) => {
                let (value, _) = source.draw(gene, &mut self.brush)?;
                Some((value, Some(Choice::Gene(gene.clone()))))
            }
            Choice::Text(text) => {
                let gene = self.gene(place, source, text)?;
                let (value, choice) = self.draw(source, gene)?;
                Some((value, Some(choice)))
            }
            Choice::Simplest => {
                let Ends { simplest, largest: _ } = self.ends(place, source);
                let Simplest { text: _, gene, value } = simplest.as_ref()?;
                Some((value.clone(), Some(Choice::Gene(gene.clone()))))
            }
            Choice::Born(_) => None,
        }
    }

    /// Follows a choice on a strategy made for this moment.
    pub(crate) fn live(&mut self, source: &dyn Source, choice: &Choice) -> Option<(Value, Choice)> {
        let gene = match choice {
            Choice::Gene(gene) => gene.clone(),
            Choice::Keep(text, gene) => {
                let is_kept =
                    source.draw(gene, &mut self.brush).is_some_and(|(value, _)| *value.show() == **text);
                let found = if is_kept { None } else { realise(source, text, &mut self.brush) };
                found.unwrap_or_else(|| gene.clone())
            }
            Choice::Text(text) => realise(source, text, &mut self.brush)?,
            Choice::Simplest => simplest(source, &mut self.brush)?.1,
            Choice::Born(_) => return None,
        };
        self.draw(source, gene)
    }

    /// The ends of a strategy that never changes.
    pub(crate) fn ends(&mut self, place: Place, source: &dyn Source) -> &Ends {
        let Self { brush, ends, .. } = self;
        ends.entry(place).or_insert_with(|| {
            let simplest = simplest(source, brush).and_then(|(text, gene)| {
                let (value, _) = source.draw(&gene, brush)?;
                Some(Simplest { text: text.into(), gene, value })
            });
            Ends { simplest, largest: largest(source, brush).map(|(number, _)| number) }
        })
    }

    /// The gene of a wanted value, if the strategy can draw it.
    pub(crate) fn gene(&mut self, place: Place, source: &dyn Source, text: &Rc<str>) -> Option<Gene> {
        let key = (place, text.clone());
        if let Some(known) = self.genes.get(&key) {
            return known.clone();
        }
        let gene = realise(source, text, &mut self.brush);
        self.genes.insert(key, gene.clone());
        gene
    }

    /// An index below `n_values`, spread evenly by the gene.
    pub(crate) fn spread(gene: &Gene, n_values: usize) -> usize {
        let word = match &gene.origin {
            Origin::Seed(seed) => mix(*seed),
            Origin::State([first, second, ..]) => mix(u64::from(*first) << 32 | u64::from(*second)),
            Origin::Words(words) => words.first().map_or(0, |word| mix(u64::from(*word))),
        };
        usize::try_from((u128::from(word) * n_values as u128) >> 64).unwrap_or(0)
    }

    fn draw(&mut self, source: &dyn Source, gene: Gene) -> Option<(Value, Choice)> {
        let (value, _) = source.draw(&gene, &mut self.brush)?;
        Some((value, Choice::Gene(gene)))
    }
}
