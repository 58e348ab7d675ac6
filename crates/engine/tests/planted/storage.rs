//! More caches, heaps, calendars, queues with handles, and values within values.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use probity::{Check, Failure, Statistics, stateful};
use proptest::collection::vec;

use super::{Case, go};

pub(super) const CASES: &[Case] = &[
    Case { name: "lfu_tie", minimum: Some("put(0,0) put(1,0) put(2,0) get(0)"), run: lfu_tie },
    Case { name: "ttl_edge", minimum: Some("set(0,1) tick(1) get(0)"), run: ttl_edge },
    Case {
        name: "heap_left_child",
        minimum: Some("push(0) push(1) push(0) push(1) pop pop"),
        run: heap_left_child,
    },
    Case { name: "booking_touch", minimum: Some("book(0,1) book(1,1)"), run: booking_touch },
    Case { name: "bucket_collision", minimum: Some("event(0,0) event(8,0)"), run: bucket_collision },
    Case { name: "bulk_pair", minimum: Some("bulk([0, 3])"), run: bulk_pair },
    Case { name: "stale_token", minimum: Some("get cas(@1,0) get cas(@3,0) cas(@1,0)"), run: stale_token },
    Case {
        name: "bus_unsubscribe",
        minimum: Some("subscribe subscribe publish(0) unsubscribe(@1) poll(@2)"),
        run: bus_unsubscribe,
    },
    Case { name: "queue_update", minimum: Some("push(0) push(0) update(@1,1) pop"), run: queue_update },
];

/// Which of the least used goes.
type Victim = fn(&[(i64, i64, u32)], u32) -> Option<usize>;

/// Key, value, uses; the oldest first.
#[derive(Default)]
struct Lfu(Vec<(i64, i64, u32)>);

impl Lfu {
    fn put(&mut self, key: i64, value: i64, victim: Victim) {
        if let Some(entry) = self.0.iter_mut().find(|entry| entry.0 == key) {
            entry.1 = value;
            return;
        }
        if self.0.len() == 2 {
            let least = self.0.iter().map(|entry| entry.2).min().unwrap_or(0);
            let index = victim(&self.0, least).unwrap_or(0);
            self.0.remove(index);
        }
        self.0.push((key, value, 0));
    }

    fn get(&mut self, key: i64) -> Option<i64> {
        let entry = self.0.iter_mut().find(|entry| entry.0 == key)?;
        entry.2 += 1;
        Some(entry.1)
    }
}

fn lfu_tie(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Lfu, Lfu>()
        .model(Lfu::default)
        .sut(Lfu::default)
        .command("put")
        .forall("k", 0..=9i64)
        .forall("v", 0..=100i64)
        .run(|(k, v), model, cache| {
            model.put(k, v, |all, least| all.iter().position(|entry| entry.2 == least));
            cache.put(k, v, |all, least| all.iter().rposition(|entry| entry.2 == least));
        })
        .command("get")
        .forall("k", 0..=9i64)
        .run(|(k,), model, cache| (model.get(k), cache.get(k)))
        .post(|_, _, _, (wanted, got)| wanted == got);
    go(test.end(), check)
}

fn ttl_edge(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<(i64, BTreeMap<i64, i64>), ()>()
        .model(|| (0, BTreeMap::new()))
        .sut(|| ())
        .command("set")
        .forall("k", 0..=4i64)
        .forall("ttl", 1..=20i64)
        .run(|(k, ttl), (now, until), ()| {
            until.insert(k, *now + ttl);
        })
        .command("tick")
        .forall("n", 1..=20i64)
        .run(|(n,), (now, _), ()| *now += n)
        .command("get")
        .forall("k", 0..=4i64)
        .run(|(k,), (now, until), ()| until.get(&k).is_some_and(|until| *now <= *until))
        .post(|(k,), (now, until), (), got| *got == until.get(k).is_some_and(|until| now < until));
    go(test.end(), check)
}

/// A binary heap that forgets right children on the way down.
#[derive(Default)]
struct Heap(Vec<i64>);

impl Heap {
    fn push(&mut self, value: i64) {
        self.0.push(value);
        let mut at = self.0.len() - 1;
        while at > 0 && self.0[at] < self.0[(at - 1) / 2] {
            self.0.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn pop(&mut self) -> Option<i64> {
        (!self.0.is_empty()).then_some(())?;
        let least = self.0.swap_remove(0);
        let mut at = 0;
        while 2 * at + 1 < self.0.len() && self.0[2 * at + 1] < self.0[at] {
            self.0.swap(at, 2 * at + 1);
            at = 2 * at + 1;
        }
        Some(least)
    }
}

fn heap_left_child(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Vec<i64>, Heap>()
        .model(Vec::new)
        .sut(Heap::default)
        .command("push")
        .forall("v", 0..=50i64)
        .run(|(v,), model, heap| {
            model.push(v);
            model.sort_unstable();
            heap.push(v);
        })
        .command("pop")
        .pre(|model| !model.is_empty())
        .run(|(), model, heap| (Some(model.remove(0)), heap.pop()))
        .post(|(), _, _, (wanted, got)| wanted == got);
    go(test.end(), check)
}

fn booking_touch(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Vec<(i64, i64)>, ()>()
        .model(Vec::new)
        .sut(|| ())
        .command("book")
        .forall("start", 0..=200i64)
        .forall("len", 1..=30i64)
        .run(|(start, len), booked, ()| {
            let end = start + len;
            let is_free = booked.iter().all(|(from, to)| end <= *from || start >= *to);
            let accepts = booked.iter().all(|(from, to)| end < *from || start > *to);
            if is_free && accepts {
                booked.push((start, end));
            }
            (is_free, accepts)
        })
        .post(|_, _, (), (wanted, got)| wanted == got)
        .command("cancel")
        .from("booking", |booked: &Vec<(i64, i64)>| booked.clone())
        .run(|(booking,), booked, ()| booked.retain(|other| *other != booking));
    go(test.end(), check)
}

fn bucket_collision(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeMap<i64, i64>, BTreeMap<i64, i64>>()
        .model(BTreeMap::new)
        .sut(BTreeMap::new)
        .command("event")
        .forall("id", 0..=60i64)
        .forall("sequence", 0..=50i64)
        .run(|(id, sequence), model, buckets| {
            let is_new = model.get(&id).is_none_or(|last| *last < sequence);
            let bucket = id % 8;
            let accepts = buckets.get(&(bucket)).is_none_or(|last| *last < sequence);
            if is_new {
                model.insert(id, sequence);
            }
            if accepts {
                buckets.insert(bucket, sequence);
            }
            // A repeated event is refused by both, whatever came between.
            (is_new, accepts || !is_new)
        })
        .post(|_, _, _, (is_new, accepts)| !is_new || *accepts)
        .command("clear")
        .run(|(), model, buckets| {
            model.clear();
            buckets.clear();
        });
    go(test.end(), check)
}

fn bulk_pair(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeSet<i64>, BTreeSet<i64>>()
        .model(BTreeSet::new)
        .sut(BTreeSet::new)
        .command("bulk")
        .forall("items", vec(0..=40i64, 0..8))
        .run(|(items,), model, set| {
            model.extend(&items);
            set.extend(items.iter().filter(|item| !items.contains(&(**item - 3))));
        })
        .command("clear")
        .run(|(), model, set| {
            model.clear();
            set.clear();
        })
        .invariant(|model, set| model == set);
    go(test, check)
}

fn stale_token(check: &Check) -> Result<Statistics, Failure> {
    type Versions = (u64, Vec<u64>);
    let test = stateful::<Versions, u64>()
        .model(|| (0, Vec::new()))
        .sut(|| 0)
        .command("get")
        .run(|(), (_, seen), version| {
            let token = (*version + 1) * 7919;
            if !seen.contains(&token) {
                seen.push(token);
            }
            token
        })
        .command("cas")
        .from("token", |(_, seen): &Versions| seen.clone())
        .forall("v", 0..=100i64)
        .run(|(token, _), (now, _), version| {
            let of = token / 7919 - 1;
            let (is_current, accepts) = (of == *now, (*version - of) % 2 == 0);
            *now += u64::from(is_current);
            *version += u64::from(is_current);
            (is_current, accepts)
        })
        .post(|_, _, _, (wanted, got)| wanted == got);
    go(test.end(), check)
}

#[derive(Default)]
struct Bus {
    n_made: u64,
    boxes: Vec<(u64, VecDeque<i64>)>,
}

fn bus_unsubscribe(check: &Check) -> Result<Statistics, Failure> {
    fn handles(bus: &Bus) -> Vec<u64> {
        bus.boxes.iter().map(|(handle, _)| *handle).collect()
    }
    fn place(bus: &Bus, handle: u64) -> usize {
        bus.boxes.iter().position(|(other, _)| *other == handle).expect("subscribed")
    }
    let test = stateful::<Bus, Bus>()
        .model(Bus::default)
        .sut(Bus::default)
        .command("subscribe")
        .run(|(), model, bus| {
            bus.n_made += 1;
            let handle = bus.n_made * 104_729 % 65_536;
            model.boxes.push((handle, VecDeque::new()));
            bus.boxes.push((handle, VecDeque::new()));
            handle
        })
        .command("publish")
        .forall("v", 0..=100i64)
        .run(|(v,), model, bus| {
            for (_, letters) in model.boxes.iter_mut().chain(&mut bus.boxes) {
                letters.push_back(v);
            }
        })
        .command("poll")
        .from("h", handles)
        .run(|(h,), model, bus| {
            let index = place(model, h);
            (model.boxes[index].1.pop_front(), bus.boxes[index].1.pop_front())
        })
        .post(|_, _, _, (wanted, got)| wanted == got)
        .command("unsubscribe")
        .from("h", handles)
        .run(|(h,), model, bus| {
            let index = place(model, h);
            model.boxes.remove(index);
            bus.boxes.remove(index);
            if let Some((_, letters)) = bus.boxes.get_mut(index) {
                letters.clear();
            }
        });
    go(test.end(), check)
}

fn queue_update(check: &Check) -> Result<Statistics, Failure> {
    type Jobs = Vec<(u64, i64)>;
    fn first(jobs: &Jobs) -> usize {
        let least = jobs.iter().map(|(_, priority)| *priority).min();
        jobs.iter().position(|(_, priority)| Some(*priority) == least).unwrap_or(0)
    }
    let test = stateful::<Jobs, (u64, Jobs)>()
        .model(Vec::new)
        .sut(|| (0, Vec::new()))
        .command("push")
        .forall("priority", 0..=9i64)
        .run(|(priority,), model, (n_made, jobs)| {
            *n_made += 1;
            let handle = *n_made * 31_337 % 100_003;
            model.push((handle, priority));
            jobs.push((handle, priority));
            handle
        })
        .command("update")
        .from("h", |model: &Jobs| model.iter().map(|(handle, _)| *handle).collect())
        .forall("priority", 0..=9i64)
        .run(|(h, priority), model, (_, jobs)| {
            for job in model.iter_mut().filter(|(handle, _)| *handle == h) {
                job.1 = priority;
            }
            for job in jobs.iter_mut().filter(|(handle, old)| *handle == h && priority < *old) {
                job.1 = priority;
            }
        })
        .command("pop")
        .pre(|model| !model.is_empty())
        .run(|(), model, (_, jobs)| (model.remove(first(model)).0, jobs.remove(first(jobs)).0))
        .post(|(), _, _, (wanted, got)| wanted == got);
    go(test.end(), check)
}
