//! Order: neighbours change places where that is simpler.

use crate::shrink::Shrinker;

/// Swaps neighbours until no swap helps.
pub(super) async fn swaps(shrinker: &mut Shrinker<'_>) {
    let n_steps = shrinker.best.done.len();
    for distance in 1..n_steps.min(4) {
        for first in 0..n_steps - distance {
            let mut drafts = shrinker.drafts();
            if drafts.len() != n_steps {
                return;
            }
            drafts.swap(first, first + distance);
            shrinker.attempt(&drafts).await;
        }
    }
}
