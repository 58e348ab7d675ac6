//! The cases every engine was measured on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use probity::{Check, Failure, Statistics, stateful};

use super::{Case, go};

pub(super) const CASES: &[Case] = &[
    Case { name: "ring_buffer", minimum: Some("put(0) put(0) put(0) put(0) size"), run: ring_buffer },
    Case { name: "kv_lost_key", minimum: Some("put(0,0) del(0) put(0,0) compact get(0)"), run: kv_lost_key },
    Case { name: "session_pairs", minimum: Some("open write(900)"), run: session_pairs },
    Case { name: "self_transfer", minimum: Some("deposit(0,1) transfer(0,0,1)"), run: self_transfer },
    Case { name: "overdraft", minimum: Some("deposit(1) begin(1) begin(1) commit commit"), run: overdraft },
    Case { name: "die_hard", minimum: Some("fill5 pour53 empty3 pour53 fill5 pour53"), run: die_hard },
    Case { name: "stack_dup", minimum: Some("push(10) push(10)"), run: stack_dup },
    Case {
        name: "handle_reuse",
        minimum: Some("open write(@1,1) close(@1) open read(@4)"),
        run: handle_reuse,
    },
    Case { name: "handle_ok", minimum: None, run: handle_ok },
    Case { name: "token_corpus", minimum: Some("create delete(@1) delete(@1)"), run: token_corpus },
    Case { name: "counter_cap", minimum: Some("inc(1) inc(5) inc(5)"), run: counter_cap },
    Case { name: "async_kv", minimum: Some("put(0,\"\") put(0,\"aaaa\") get(0)"), run: async_kv },
];

#[derive(Default)]
struct Ring {
    cells: [i64; 4],
    read: usize,
    write: usize,
}

fn ring_buffer(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<VecDeque<i64>, Ring>()
        .model(VecDeque::new)
        .sut(Ring::default)
        .command("put")
        .forall("v", 0..=1000i64)
        .pre(|model| model.len() < 4)
        .run(|(v,), model, ring| {
            model.push_back(v);
            ring.cells[ring.write] = v;
            ring.write = (ring.write + 1) % 4;
        })
        .command("get")
        .pre(|model| !model.is_empty())
        .run(|(), model, ring| {
            let value = ring.cells[ring.read];
            ring.read = (ring.read + 1) % 4;
            (model.pop_front(), value)
        })
        .post(|(), _, _, (wanted, got)| *wanted == Some(*got))
        .command("size")
        .run(|(), _, ring| (ring.write + 4 - ring.read) % 4)
        .post(|(), model, _, size| *size == model.len());
    go(test.end(), check)
}

#[derive(Default)]
struct Store {
    data: BTreeMap<i64, i64>,
    deleted: BTreeSet<i64>,
}

fn kv_lost_key(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeMap<i64, i64>, Store>()
        .model(BTreeMap::new)
        .sut(Store::default)
        .command("put")
        .forall("k", 0..=9i64)
        .forall("v", 0..=1000i64)
        .run(|(k, v), model, store| {
            model.insert(k, v);
            store.data.insert(k, v);
        })
        .command("del")
        .forall("k", 0..=9i64)
        .pre_args(|(k,), model| model.contains_key(k))
        .run(|(k,), model, store| {
            model.remove(&k);
            store.data.remove(&k);
            store.deleted.insert(k);
        })
        .command("compact")
        .run(|(), _, store| {
            for key in &store.deleted {
                store.data.remove(key);
            }
        })
        .command("get")
        .forall("k", 0..=9i64)
        .run(|(k,), _, store| store.data.get(&k).copied())
        .post(|(k,), model, _, got| *got == model.get(k).copied());
    go(test.end(), check)
}

fn session_pairs(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<bool, ()>()
        .model(|| false)
        .sut(|| ())
        .command("open")
        .pre(|is_open| !is_open)
        .run(|(), is_open, ()| *is_open = true)
        .command("close")
        .pre(|is_open| *is_open)
        .run(|(), is_open, ()| *is_open = false)
        .command("write")
        .forall("v", 0..=1000i64)
        .pre(|is_open| *is_open)
        .run(|(v,), _, ()| v < 900)
        .post(|_, _, (), is_written| *is_written);
    go(test.end(), check)
}

fn self_transfer(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<[i64; 3], [i64; 3]>()
        .model(|| [0; 3])
        .sut(|| [0; 3])
        .command("deposit")
        .forall("a", 0..=2usize)
        .forall("n", 0..=1000i64)
        .run(|(a, n), model, bank| {
            model[a] += n;
            bank[a] += n;
        })
        .command("withdraw")
        .forall("a", 0..=2usize)
        .forall("n", 0..=1000i64)
        .pre_args(|(a, n), model| model[*a] >= *n)
        .run(|(a, n), model, bank| {
            model[a] -= n;
            bank[a] -= n;
        })
        .command("transfer")
        .forall("a", 0..=2usize)
        .forall("b", 0..=2usize)
        .forall("n", 0..=1000i64)
        .pre_args(|(a, _, n), model| model[*a] >= *n)
        .run(|(a, b, n), model, bank| {
            model[a] -= n;
            model[b] += n;
            let (from, to) = (bank[a], bank[b]);
            bank[a] = from - n;
            bank[b] = to + n;
        })
        .invariant(|model, bank| model.iter().sum::<i64>() == bank.iter().sum::<i64>());
    go(test, check)
}

fn overdraft(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<(i64, VecDeque<i64>), i64>()
        .model(|| (0, VecDeque::new()))
        .sut(|| 0)
        .command("deposit")
        .forall("n", 1..=100i64)
        .run(|(n,), (balance, _), bank| {
            *balance += n;
            *bank += n;
        })
        .command("begin")
        .forall("n", 1..=100i64)
        .pre_args(|(n,), (balance, _)| balance >= n)
        .run(|(n,), (_, queue), _| queue.push_back(n))
        .command("commit")
        .pre(|(_, queue)| !queue.is_empty())
        .run(|(), (balance, queue), bank| {
            let n = queue.pop_front().unwrap_or(0);
            *balance -= n;
            *bank -= n;
        })
        .invariant(|_, bank| *bank >= 0);
    go(test, check)
}

pub(crate) fn jugs() -> probity::Stateful<(u8, u8), ()> {
    stateful::<(u8, u8), ()>()
        .model(|| (0, 0))
        .sut(|| ())
        .command("fill3")
        .run(|(), (small, _), ()| *small = 3)
        .command("fill5")
        .run(|(), (_, big), ()| *big = 5)
        .command("empty3")
        .run(|(), (small, _), ()| *small = 0)
        .command("empty5")
        .run(|(), (_, big), ()| *big = 0)
        .command("pour35")
        .run(|(), (small, big), ()| {
            let poured = (*small).min(5 - *big);
            *small -= poured;
            *big += poured;
        })
        .command("pour53")
        .run(|(), (small, big), ()| {
            let poured = (*big).min(3 - *small);
            *big -= poured;
            *small += poured;
        })
        .invariant(|(_, big), ()| *big != 4)
}

fn die_hard(check: &Check) -> Result<Statistics, Failure> {
    go(jugs(), check)
}

fn stack_dup(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Vec<i64>, Vec<i64>>()
        .model(Vec::new)
        .sut(Vec::new)
        .command("push")
        .forall("v", 0..=1000i64)
        .run(|(v,), model, stack| {
            model.push(v);
            if v < 10 || !stack.contains(&v) {
                stack.push(v);
            }
        })
        .command("pop")
        .pre(|model| !model.is_empty())
        .run(|(), model, stack| {
            model.pop();
            stack.pop();
        })
        .invariant(|model, stack| model.len() == stack.len());
    go(test, check)
}

/// Slots by handle; a freed slot keeps its value.
#[derive(Default)]
struct Slots {
    n_opened: u64,
    cells: Vec<i64>,
    free: Vec<usize>,
    live: BTreeMap<u64, usize>,
}

fn handles(check: &Check, clears: bool) -> Result<Statistics, Failure> {
    let live = |model: &BTreeMap<u64, (i64, u64)>| {
        let mut handles: Vec<(u64, u64)> =
            model.iter().map(|(handle, (_, order))| (*order, *handle)).collect();
        handles.sort_unstable();
        handles.into_iter().map(|(_, handle)| handle).collect::<Vec<u64>>()
    };
    let test = stateful::<BTreeMap<u64, (i64, u64)>, Slots>()
        .model(BTreeMap::new)
        .sut(Slots::default)
        .command("open")
        .run(move |(), model, slots| {
            slots.n_opened += 1;
            let handle = slots.n_opened * 2_654_435_761 % (1 << 32);
            let slot = slots.free.pop().unwrap_or_else(|| {
                slots.cells.push(0);
                slots.cells.len() - 1
            });
            if clears {
                slots.cells[slot] = 0;
            }
            slots.live.insert(handle, slot);
            model.insert(handle, (0, slots.n_opened));
            handle
        })
        .command("write")
        .from("h", live)
        .forall("v", 0..=1000i64)
        .run(|(h, v), model, slots| {
            model.entry(h).and_modify(|entry| entry.0 = v);
            let slot = slots.live[&h];
            slots.cells[slot] = v;
        })
        .command("read")
        .from("h", live)
        .run(|(h,), _, slots| slots.cells[slots.live[&h]])
        .post(|(h,), model, _, got| *got == model[h].0)
        .command("close")
        .from("h", live)
        .run(|(h,), model, slots| {
            model.remove(&h);
            let slot = slots.live.remove(&h).expect("open");
            slots.free.push(slot);
        });
    go(test.end(), check)
}

fn handle_reuse(check: &Check) -> Result<Statistics, Failure> {
    handles(check, false)
}

fn handle_ok(check: &Check) -> Result<Statistics, Failure> {
    handles(check, true)
}

async fn pause() {
    let mut is_first = true;
    std::future::poll_fn(|context| {
        if std::mem::take(&mut is_first) {
            context.waker().wake_by_ref();
            return std::task::Poll::Pending;
        }
        std::task::Poll::Ready(())
    })
    .await;
}

fn token_corpus(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Vec<String>, (u64, BTreeMap<String, bool>)>()
        .model(Vec::new)
        .sut_async(|| async { (0, BTreeMap::new()) })
        .command("create")
        .run_async(async |(), seen, (n_made, tokens)| {
            pause().await;
            *n_made += 1;
            let token = format!("tok-{:08x}", *n_made * 2_654_435_761 % (1 << 32));
            tokens.insert(token.clone(), true);
            seen.push(token);
        })
        .command("delete")
        .from("token", |seen: &Vec<String>| seen.clone())
        .run_async(async |(token,), _, (_, tokens)| {
            pause().await;
            if tokens.insert(token, false) == Some(true) { 200 } else { 500 }
        })
        .post(|_, _, _, status| *status < 500);
    go(test.end(), check)
}

fn counter_cap(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<i64, i64>()
        .model(|| 0)
        .sut(|| 0)
        .command("inc")
        .forall("by", 1..=5i64)
        .run(|(by,), model, counter| {
            *model += by;
            *counter = (*counter + by).min(10);
            *counter
        })
        .post(|_, model, _, got| got == model)
        .command("reset")
        .pre(|model| *model != 0)
        .run(|(), model, counter| {
            *model = 0;
            *counter = 0;
        });
    go(test.end(), check)
}

fn async_kv(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeMap<u8, String>, BTreeMap<u8, String>>()
        .model(BTreeMap::new)
        .sut_async(|| async { BTreeMap::new() })
        .command("put")
        .forall("k", 0..=7u8)
        .forall("v", "[a-z]{0,6}")
        .run_async(async |(k, v): (u8, String), model, store| {
            pause().await;
            model.insert(k, v.clone());
            if v.len() <= 3 || store.len() != 1 {
                store.insert(k, v);
            }
        })
        .command("get")
        .forall("k", 0..=7u8)
        .run_async(async |(k,), _, store| {
            pause().await;
            store.get(&k).cloned()
        })
        .post(|(k,), model, _, got| *got == model.get(k).cloned());
    go(test.end(), check)
}
