//! A pool hands out numbers and takes them back; nobody may have a number twice.

use probity::{Stateful, stateful};
use std::collections::BTreeSet;

/// What we ship.
#[derive(Default)]
pub(crate) struct Pool {
    n_made: u32,
    free: Vec<u32>,
}

impl Pool {
    /// A number that nobody has.
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.n_made += 1;
            self.n_made
        })
    }

    fn give_back(&mut self, number: u32) {
        self.free.push(number);
    }

    /// Everything is free again.
    fn reset(&mut self) {
        self.n_made = 0; // the bug: the free numbers will be handed out twice
    }
}

pub(crate) fn pool_test() -> Stateful<BTreeSet<u32>, Pool> {
    stateful::<BTreeSet<u32>, Pool>()
        .model(BTreeSet::new)
        .sut(Pool::default)
        .command("take")
        .run(|(), in_use, pool| {
            let number = pool.take();
            (number, in_use.insert(number))
        })
        .post(|(), _, _, (_, is_new)| *is_new)
        .command("give_back")
        .from("number", |in_use: &BTreeSet<u32>| in_use.iter().copied().collect::<Vec<_>>())
        .run(|(number,), in_use, pool| {
            in_use.remove(&number);
            pool.give_back(number);
        })
        .command("reset")
        .run(|(), in_use, pool| {
            in_use.clear();
            pool.reset();
        })
        .end()
}

#[test]
fn nobody_has_a_number_twice() {
    pool_test().check(probity::Check::default());
}
