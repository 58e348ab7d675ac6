//! Values born in earlier steps: which step put which value into the model, so that a reference survives shrinking.

use std::rc::Rc;

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Birth {
    /// The step that left it in the model; `BEFORE` for what the model began with.
    pub(crate) uid: u32,
    /// Its place among the values of that step.
    pub(crate) ordinal: u32,
}

/// The uid of what was there before the first step.
pub(crate) const BEFORE: u32 = u32::MAX;

/// The values one parameter can refer to now, with their births.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    live: Vec<(Rc<str>, Birth)>,
}

impl Pool {
    /// Compares the values that are there now with those before: what is new was born in step `uid`.
    pub(crate) fn note(&mut self, texts: Vec<String>, uid: u32) {
        let mut old = std::mem::take(&mut self.live);
        let mut ordinal = 0;
        for text in texts {
            let known = old.iter().position(|(known, _)| **known == *text);
            if let Some(index) = known {
                self.live.push(old.remove(index));
                continue;
            }
            self.live.push((text.into(), Birth { uid, ordinal }));
            ordinal += 1;
        }
    }

    pub(crate) fn index_of(&self, birth: Birth) -> Option<usize> {
        self.live.iter().position(|(_, known)| *known == birth)
    }

    pub(crate) fn at(&self, index: usize) -> Option<(Rc<str>, Birth)> {
        self.live.get(index).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_leaves_and_returns_is_born_again() {
        let mut pool = Pool::default();
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        pool.note(texts(&["a", "b", "b"]), 1);
        pool.note(texts(&["b"]), 2);
        pool.note(texts(&["a", "b"]), 3);
        assert_eq!(pool.at(0).map(|(_, birth)| birth), Some(Birth { uid: 3, ordinal: 0 }));
        assert_eq!(pool.index_of(Birth { uid: 1, ordinal: 1 }), Some(1));
        assert_eq!(pool.index_of(Birth { uid: 1, ordinal: 0 }), None);
    }
}
