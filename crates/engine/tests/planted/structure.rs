//! Caches, trees, intervals, sets and lists.

use std::collections::{BTreeMap, BTreeSet};

use probity::{Check, Failure, Statistics, stateful};
use proptest::collection::vec;

use super::{Case, go};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "lru_wrong_victim",
        minimum: Some("put(0,0) put(1,0) get(0) put(2,0) put(3,0) get(0)"),
        run: lru_wrong_victim,
    },
    Case {
        name: "bst_two_children",
        minimum: Some("insert(1) insert(0) insert(2) remove(1) contains(2)"),
        run: bst,
    },
    Case { name: "interval_touch", minimum: Some("add(0,1) add(1,1) covers(1)"), run: interval_touch },
    Case { name: "reservation_around", minimum: Some("reserve(1,1) reserve(0,3)"), run: reservation_around },
    Case {
        name: "full_set_evicts",
        minimum: Some("insert(0) insert(1) insert(2) insert(3) insert(0)"),
        run: full_set_evicts,
    },
    Case {
        name: "range_delete",
        minimum: Some("append(0) append(0) append(0) delete(1,3)"),
        run: range_delete,
    },
    Case { name: "priority_tie", minimum: Some("push(0,0) push(1,0) pop"), run: priority_tie },
    Case { name: "batch_twice", minimum: Some("batch([0, 0])"), run: batch_twice },
    Case { name: "tuple_difference", minimum: Some("go((7, 0))"), run: tuple_difference },
];

#[derive(Default, Clone)]
struct Lru {
    entries: Vec<(i64, i64)>,
    refreshes: bool,
}

impl Lru {
    fn put(&mut self, key: i64, value: i64) {
        self.entries.retain(|(other, _)| *other != key);
        self.entries.push((key, value));
        if self.entries.len() > 3 {
            self.entries.remove(0);
        }
    }

    fn get(&mut self, key: i64) -> Option<i64> {
        let index = self.entries.iter().position(|(other, _)| *other == key)?;
        let entry = self.entries[index];
        if self.refreshes {
            self.entries.remove(index);
            self.entries.push(entry);
        }
        Some(entry.1)
    }
}

fn lru_wrong_victim(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Lru, Lru>()
        .model(|| Lru { refreshes: true, ..Lru::default() })
        .sut(Lru::default)
        .command("put")
        .forall("k", 0..=9i64)
        .forall("v", 0..=100i64)
        .run(|(k, v), model, lru| {
            model.put(k, v);
            lru.put(k, v);
        })
        .command("get")
        .forall("k", 0..=9i64)
        .run(|(k,), model, lru| (model.get(k), lru.get(k)))
        .post(|_, _, _, (wanted, got)| wanted == got);
    go(test.end(), check)
}

#[derive(Default)]
struct Tree(Option<Box<Node>>);

struct Node {
    key: i64,
    left: Tree,
    right: Tree,
}

impl Tree {
    fn insert(&mut self, key: i64) {
        match &mut self.0 {
            None => self.0 = Some(Box::new(Node { key, left: Tree(None), right: Tree(None) })),
            Some(node) if key < node.key => node.left.insert(key),
            Some(node) if key > node.key => node.right.insert(key),
            Some(_) => {}
        }
    }

    fn remove(&mut self, key: i64) {
        let Some(node) = &mut self.0 else { return };
        match key.cmp(&node.key) {
            std::cmp::Ordering::Less => node.left.remove(key),
            std::cmp::Ordering::Greater => node.right.remove(key),
            std::cmp::Ordering::Equal => {
                // The right subtree is lost when there is a left one.
                let (left, right) = (node.left.0.take(), node.right.0.take());
                self.0 = left.or(right);
            }
        }
    }

    fn contains(&self, key: i64) -> bool {
        self.0.as_ref().is_some_and(|node| match key.cmp(&node.key) {
            std::cmp::Ordering::Less => node.left.contains(key),
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Greater => node.right.contains(key),
        })
    }
}

fn bst(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeSet<i64>, Tree>()
        .model(BTreeSet::new)
        .sut(Tree::default)
        .command("insert")
        .forall("k", 0..=30i64)
        .run(|(k,), model, tree| {
            model.insert(k);
            tree.insert(k);
        })
        .command("remove")
        .forall_in("k", |model: &BTreeSet<i64>| {
            let keys: Vec<i64> = if model.is_empty() { vec![0] } else { model.iter().copied().collect() };
            proptest::sample::select(keys)
        })
        .pre(|model| !model.is_empty())
        .run(|(k,), model, tree| {
            model.remove(&k);
            tree.remove(k);
        })
        .command("contains")
        .forall("k", 0..=30i64)
        .run(|(k,), _, tree| tree.contains(k))
        .post(|(k,), model, _, got| *got == model.contains(k));
    go(test.end(), check)
}

fn interval_touch(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeSet<i64>, Vec<(i64, i64)>>()
        .model(BTreeSet::new)
        .sut(Vec::new)
        .command("add")
        .forall("lo", 0..=40i64)
        .forall("len", 1..=20i64)
        .run(|(lo, len), model, intervals| {
            model.extend(lo..lo + len);
            let touches = intervals.iter().any(|(_, end)| *end == lo);
            if !touches {
                intervals.push((lo, lo + len));
            }
        })
        .command("covers")
        .forall("x", 0..=60i64)
        .run(|(x,), _, intervals| intervals.iter().any(|(lo, end)| (*lo..*end).contains(&x)))
        .post(|(x,), model, _, got| *got == model.contains(x));
    go(test.end(), check)
}

fn reservation_around(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Vec<(i64, i64)>, Vec<(i64, i64)>>()
        .model(Vec::new)
        .sut(Vec::new)
        .command("reserve")
        .forall("start", 0..=60i64)
        .forall("len", 1..=10i64)
        .run(|(start, len), model, taken| {
            let (lo, hi) = (start, start + len);
            let is_free = model.iter().all(|(from, to)| hi <= *from || lo >= *to);
            // Only the ends of the new one are looked at.
            let inside = |x: i64| taken.iter().any(|(from, to)| (*from..*to).contains(&x));
            let accepts = !inside(lo) && !inside(hi - 1);
            if is_free {
                model.push((lo, hi));
            }
            if accepts {
                taken.push((lo, hi));
            }
            (is_free, accepts)
        })
        .post(|_, _, _, (wanted, got)| wanted == got)
        .command("cancel")
        .pre(|model| !model.is_empty())
        .run(|(), model, taken| {
            model.pop();
            taken.pop();
        });
    go(test.end(), check)
}

fn full_set_evicts(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeSet<i64>, BTreeSet<i64>>()
        .model(BTreeSet::new)
        .sut(BTreeSet::new)
        .command("insert")
        .forall("k", 0..=50i64)
        .pre_args(|(k,), model| model.len() < 4 || model.contains(k))
        .run(|(k,), model, set| {
            model.insert(k);
            if set.len() == 4 {
                set.pop_last();
            }
            set.insert(k);
        })
        .command("remove")
        .from("k", |model: &BTreeSet<i64>| model.iter().copied().collect())
        .run(|(k,), model, set| {
            model.remove(&k);
            set.remove(&k);
        })
        .invariant(|model, set| model.len() == set.len());
    go(test, check)
}

fn range_delete(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Vec<i64>, Vec<i64>>()
        .model(Vec::new)
        .sut(Vec::new)
        .command("append")
        .forall("v", 0..=100i64)
        .run(|(v,), model, list| {
            model.push(v);
            list.push(v);
        })
        .command("delete")
        .forall_in("lo", |model: &Vec<i64>| 0..=model.len())
        .forall_in("hi", |model: &Vec<i64>| 0..=model.len())
        .pre_args(|(lo, hi), _| lo <= hi)
        .run(|(lo, hi), model, list| {
            model.drain(lo..hi);
            let hi = if lo > 0 && hi - lo >= 2 { hi - 1 } else { hi };
            list.drain(lo..hi);
        })
        .invariant(|model, list| model == list);
    go(test, check)
}

fn priority_tie(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Vec<(i64, i64)>, Vec<(i64, i64)>>()
        .model(Vec::new)
        .sut(Vec::new)
        .command("push")
        .forall("id", 0..=20i64)
        .forall("priority", 0..=9i64)
        .run(|(id, priority), model, queue| {
            model.push((priority, id));
            queue.push((priority, id));
        })
        .command("pop")
        .pre(|model| !model.is_empty())
        .run(|(), model, queue| {
            let least = model.iter().map(|(priority, _)| *priority).min().unwrap_or(0);
            let first = model.iter().position(|(priority, _)| *priority == least).unwrap_or(0);
            let tail = queue.iter().rposition(|(priority, _)| *priority == least).unwrap_or(0);
            (model.remove(first), queue.remove(tail))
        })
        .post(|(), _, _, (wanted, got)| wanted == got);
    go(test.end(), check)
}

fn batch_twice(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeMap<i64, usize>, BTreeMap<i64, usize>>()
        .model(BTreeMap::new)
        .sut(BTreeMap::new)
        .command("batch")
        .forall("items", vec(0..=20i64, 0..6))
        .run(|(items,), model, counts| {
            for item in &items {
                *model.entry(*item).or_default() += 1;
            }
            let unique: BTreeSet<i64> = items.into_iter().collect();
            for item in unique {
                *counts.entry(item).or_default() += 1;
            }
        })
        .command("clear")
        .run(|(), model, counts| {
            model.clear();
            counts.clear();
        })
        .invariant(|model, counts| model == counts);
    go(test, check)
}

fn tuple_difference(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<(i64, i64), (i64, i64)>()
        .model(|| (0, 0))
        .sut(|| (0, 0))
        .command("go")
        .forall("to", (0..=30i64, 0..=30i64))
        .run(|(to,), model, place| {
            *model = to;
            *place = if to.0 - to.1 == 7 { (to.1, to.0) } else { to };
        })
        .command("home")
        .run(|(), model, place| {
            *model = (0, 0);
            *place = (0, 0);
        })
        .invariant(|model, place| model == place);
    go(test, check)
}
