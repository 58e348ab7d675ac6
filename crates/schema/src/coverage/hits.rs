//! Which targets were hit, and which instance was the first to hit each.

/// The hits of a run, target by target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hits {
    first: Vec<Option<u64>>,
    n_hit: usize,
}

impl Hits {
    /// No hits yet on `n` targets.
    #[must_use]
    pub fn none(n: usize) -> Self {
        Self { first: vec![None; n], n_hit: 0 }
    }

    /// Whether a target was hit.
    #[must_use]
    pub fn has(&self, target: usize) -> bool {
        self.first[target].is_some()
    }

    /// The position of the first instance that hit a target.
    #[must_use]
    pub fn first(&self, target: usize) -> Option<u64> {
        self.first[target]
    }

    /// How many targets were hit.
    #[must_use]
    pub fn count(&self) -> usize {
        self.n_hit
    }

    /// How many targets there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are no targets at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Records that an instance hit a target; true when it was the first.
    pub fn mark(&mut self, target: usize, instance: u64) -> bool {
        let is_new = self.first[target].is_none();
        if is_new {
            self.first[target] = Some(instance);
            self.n_hit += 1;
        }
        is_new
    }

    /// Makes room for one more target, hit or not.
    pub(super) fn grow(&mut self, first: Option<u64>) {
        self.first.push(first);
        self.n_hit += usize::from(first.is_some());
    }

    /// Unites with the hits of another part of the same run: the lower instance is the first.
    pub fn unite(&mut self, other: &Self) {
        assert_eq!(self.first.len(), other.first.len(), "parts of one run have the same targets");
        for (mine, theirs) in self.first.iter_mut().zip(&other.first) {
            *mine = match (*mine, *theirs) {
                (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
                (mine, theirs) => mine.or(theirs),
            };
        }
        self.n_hit = self.first.iter().flatten().count();
    }
}
