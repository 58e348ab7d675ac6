//! Text, protocols, queues with handles, transactions and money.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use probity::{Check, Failure, Statistics, stateful};

use super::{Case, go};

pub(super) const CASES: &[Case] = &[
    Case { name: "editor_undo", minimum: Some("type(\"a\") type(\"b\") left undo"), run: editor_undo },
    Case {
        name: "trie_remove",
        minimum: Some("insert(\"a\") insert(\"aa\") remove(\"a\") has(\"aa\")"),
        run: trie_remove,
    },
    Case { name: "find_at_end", minimum: Some("set(\"aaab\") find(\"b\")"), run: find_at_end },
    Case {
        name: "rename_to_itself",
        minimum: Some("create(\"a\") rename(\"a\",\"a\")"),
        run: rename_to_itself,
    },
    Case { name: "handshake_sequence", minimum: Some("syn ack send(1) fin syn ack send(0)"), run: handshake },
    Case { name: "queue_nack", minimum: Some("put(0) put(0) lease nack(@3) lease"), run: queue_nack },
    Case { name: "fee_rounding", minimum: Some("deposit(2) transfer(1)"), run: fee_rounding },
    Case { name: "sum_limit", minimum: Some("pay(400) pay(600)"), run: sum_limit },
    Case { name: "two_counters", minimum: Some("a(20) b(20)"), run: two_counters },
    Case {
        name: "nested_rollback",
        minimum: Some("begin set(0,1) begin rollback get(0)"),
        run: nested_rollback,
    },
    Case { name: "timers_at_once", minimum: Some("add(1) add(1) advance(1)"), run: timers_at_once },
    Case { name: "odd_amount", minimum: Some("add(17)"), run: odd_amount },
];

#[derive(Default)]
struct Editor {
    text: Vec<char>,
    cursor: usize,
    history: Vec<(usize, usize)>,
}

fn editor_undo(check: &Check) -> Result<Statistics, Failure> {
    fn write(editor: &mut Editor, typed: &str) {
        let n_typed = typed.chars().count();
        let at = editor.cursor;
        editor.text.splice(at..at, typed.chars());
        editor.history.push((at, n_typed));
        editor.cursor += n_typed;
    }
    let test = stateful::<Editor, Editor>()
        .model(Editor::default)
        .sut(Editor::default)
        .command("type")
        .forall("s", "[a-z]{1,3}")
        .run(|(s,): (String,), model, editor| {
            write(model, &s);
            write(editor, &s);
        })
        .command("left")
        .pre(|model| model.cursor > 0)
        .run(|(), model, editor| {
            model.cursor -= 1;
            editor.cursor -= 1;
        })
        .command("undo")
        .pre(|model| !model.history.is_empty())
        .run(|(), model, editor| {
            let (at, n) = model.history.pop().unwrap_or_default();
            model.text.drain(at..at + n);
            model.cursor = at;
            editor.history.pop();
            // Takes the letters before the cursor, wherever it is by now.
            let from = if editor.cursor >= n { editor.cursor - n } else { at };
            editor.text.drain(from..from + n);
            editor.cursor = at;
        })
        .invariant(|model, editor| model.text == editor.text);
    go(test, check)
}

fn trie_remove(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeSet<String>, BTreeSet<String>>()
        .model(BTreeSet::new)
        .sut(BTreeSet::new)
        .command("insert")
        .forall("w", "[a-c]{1,4}")
        .run(|(w,): (String,), model, trie| {
            model.insert(w.clone());
            trie.insert(w);
        })
        .command("remove")
        .forall("w", "[a-c]{1,4}")
        .pre_args(|(w,), model| model.contains(w))
        .run(|(w,): (String,), model, trie| {
            model.remove(&w);
            trie.retain(|word| !word.starts_with(&w));
        })
        .command("has")
        .forall("w", "[a-c]{1,4}")
        .run(|(w,): (String,), _, trie| trie.contains(&w))
        .post(|(w,), model, _, got| *got == model.contains(w));
    go(test.end(), check)
}

fn find_at_end(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<String, String>()
        .model(String::new)
        .sut(String::new)
        .command("set")
        .forall("s", "[a-d]{0,8}")
        .run(|(s,): (String,), model, text| {
            model.clone_from(&s);
            *text = s;
        })
        .command("find")
        .forall("s", "[a-d]{1,3}")
        .run(|(s,): (String,), _, text| {
            let searched = if text.len() > 3 { &text[..text.len() - 1] } else { text };
            searched.find(&s)
        })
        .post(|(s,), model, _, got| *got == model.find(s.as_str()));
    go(test.end(), check)
}

fn rename_to_itself(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeSet<String>, BTreeSet<String>>()
        .model(BTreeSet::new)
        .sut(BTreeSet::new)
        .command("create")
        .forall("name", "[a-c]{1,2}")
        .run(|(name,): (String,), model, files| {
            model.insert(name.clone());
            files.insert(name);
        })
        .command("rename")
        .forall("from", "[a-c]{1,2}")
        .forall("to", "[a-c]{1,2}")
        .pre_args(|(from, _), model| model.contains(from))
        .run(|(from, to): (String, String), model, files| {
            model.remove(&from);
            model.insert(to.clone());
            files.insert(to);
            files.remove(&from);
        })
        .invariant(|model, files| model == files);
    go(test, check)
}

/// 0 closed, 1 half open, 2 open.
#[derive(Default)]
struct Wire {
    state: u8,
    sequence: i64,
}

fn handshake(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Wire, Wire>()
        .model(Wire::default)
        .sut(Wire::default)
        .command("syn")
        .pre(|wire| wire.state == 0)
        .run(|(), model, wire| {
            *model = Wire { state: 1, sequence: 0 };
            wire.state = 1;
        })
        .command("ack")
        .pre(|wire| wire.state == 1)
        .run(|(), model, wire| {
            model.state = 2;
            wire.state = 2;
        })
        .command("send")
        .forall("n", 0..=1000i64)
        .pre(|wire| wire.state == 2)
        .run(|(n,), model, wire| {
            let both = (model.sequence, wire.sequence);
            model.sequence += n;
            wire.sequence += n;
            both
        })
        .post(|_, _, _, (wanted, got)| wanted == got)
        .command("fin")
        .pre(|wire| wire.state == 2)
        .run(|(), model, wire| {
            model.state = 0;
            wire.state = 0;
        })
        .command("reset")
        .pre(|wire| wire.state > 0)
        .run(|(), model, wire| {
            model.state = 0;
            *wire = Wire::default();
        });
    go(test.end(), check)
}

#[derive(Default)]
struct Queue {
    n_put: u64,
    waiting: VecDeque<u64>,
    leased: Vec<u64>,
}

fn queue_nack(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Queue, Queue>()
        .model(Queue::default)
        .sut(Queue::default)
        .command("put")
        .forall("v", 0..=100i64)
        .run(|_, model, queue| {
            queue.n_put += 1;
            let id = queue.n_put * 7919;
            model.waiting.push_back(id);
            queue.waiting.push_back(id);
        })
        .command("lease")
        .pre(|model| !model.waiting.is_empty())
        .run(|(), model, queue| {
            let (wanted, got) = (model.waiting.pop_front(), queue.waiting.pop_front());
            model.leased.extend(got);
            queue.leased.extend(got);
            (wanted, got)
        })
        .post(|(), _, _, (wanted, got)| wanted == got)
        .command("ack")
        .from("h", |model: &Queue| model.leased.clone())
        .run(|(h,), model, queue| {
            model.leased.retain(|id| *id != h);
            queue.leased.retain(|id| *id != h);
        })
        .command("nack")
        .from("h", |model: &Queue| model.leased.clone())
        .run(|(h,), model, queue| {
            model.leased.retain(|id| *id != h);
            queue.leased.retain(|id| *id != h);
            model.waiting.push_front(h);
            queue.waiting.push_back(h);
        });
    go(test.end(), check)
}

fn fee_rounding(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<i64, i64>()
        .model(|| 0)
        .sut(|| 0)
        .command("deposit")
        .forall("n", 0..=1000i64)
        .run(|(n,), model, account| {
            *model += n;
            *account += n;
        })
        .command("transfer")
        .forall("n", 1..=1000i64)
        .pre_args(|(n,), model| *model >= n + (n + 99) / 100)
        .run(|(n,), model, account| {
            *model -= n + (n + 99) / 100;
            *account -= n + n / 100;
        })
        .invariant(|model, account| model == account);
    go(test, check)
}

fn sum_limit(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<i64, i64>()
        .model(|| 0)
        .sut(|| 0)
        .command("pay")
        .forall("n", 1..=600i64)
        .run(|(n,), model, spent| {
            let (allows, accepts) = (*model + n <= 1000, *spent + n < 1000);
            *model += if allows { n } else { 0 };
            *spent += if accepts { n } else { 0 };
            (allows, accepts)
        })
        .post(|_, _, _, (wanted, got)| wanted == got)
        .command("day")
        .run(|(), model, spent| {
            *model = 0;
            *spent = 0;
        });
    go(test.end(), check)
}

fn two_counters(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<(i64, i64), ()>()
        .model(|| (0, 0))
        .sut(|| ())
        .command("a")
        .forall("n", 1..=30i64)
        .run(|(n,), (a, _), ()| *a += n)
        .command("b")
        .forall("n", 1..=30i64)
        .run(|(n,), (_, b), ()| *b += n)
        .command("clear")
        .run(|(), model, ()| *model = (0, 0))
        .invariant(|(a, b), ()| a != b || *a < 20);
    go(test, check)
}

fn nested_rollback(check: &Check) -> Result<Statistics, Failure> {
    type Levels = Vec<BTreeMap<i64, i64>>;
    let test = stateful::<Levels, Levels>()
        .model(|| vec![BTreeMap::new()])
        .sut(|| vec![BTreeMap::new()])
        .command("begin")
        .run(|(), model, store| {
            model.push(model[model.len() - 1].clone());
            store.push(store[store.len() - 1].clone());
        })
        .command("set")
        .forall("k", 0..=4i64)
        .forall("v", 0..=50i64)
        .run(|(k, v), model, store| {
            model.last_mut().expect("a level").insert(k, v);
            store.last_mut().expect("a level").insert(k, v);
        })
        .command("rollback")
        .pre(|model| model.len() > 1)
        .run(|(), model, store| {
            model.pop();
            store.pop();
            if store.len() > 1 {
                // The outer transaction loses its own changes too.
                let outer = store[store.len() - 2].clone();
                *store.last_mut().expect("a level") = outer;
            }
        })
        .command("commit")
        .pre(|model| model.len() > 1)
        .run(|(), model, store| {
            for levels in [model, store] {
                let top = levels.pop().expect("a level");
                *levels.last_mut().expect("a level") = top;
            }
        })
        .command("get")
        .forall("k", 0..=4i64)
        .run(|(k,), _, store| store.last().and_then(|level| level.get(&k).copied()).unwrap_or(0))
        .post(|(k,), model, _, got| {
            *got == model.last().and_then(|level| level.get(k).copied()).unwrap_or(0)
        });
    go(test.end(), check)
}

fn timers_at_once(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<(i64, Vec<i64>), (i64, BTreeSet<i64>)>()
        .model(|| (0, Vec::new()))
        .sut(|| (0, BTreeSet::new()))
        .command("add")
        .forall("delay", 1..=50i64)
        .run(|(delay,), (now, timers), (_, wheel)| {
            timers.push(*now + delay);
            wheel.insert(*now + delay);
        })
        .command("advance")
        .forall("by", 0..=50i64)
        .run(|(by,), (now, timers), (_, wheel)| {
            *now += by;
            let n_timers = timers.len();
            timers.retain(|due| *due > *now);
            let n_wheel = wheel.len();
            wheel.retain(|due| *due > *now);
            (n_timers - timers.len(), n_wheel - wheel.len())
        })
        .post(|_, _, _, (wanted, got)| wanted == got);
    go(test.end(), check)
}

fn odd_amount(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<i64, i64>()
        .model(|| 0)
        .sut(|| 0)
        .command("add")
        .forall("n", 0..=200i64)
        .run(|(n,), model, total| {
            *model += n;
            *total += if n % 7 == 3 && n > 10 { n - 1 } else { n };
        })
        .command("undo")
        .run(|(), model, total| {
            *model = 0;
            *total = 0;
        })
        .invariant(|model, total| model == total);
    go(test, check)
}
