//! More text, protocols, limits over time, undo and money.

use std::collections::{BTreeMap, BTreeSet};

use probity::{Check, Failure, Statistics, stateful};

use super::{Case, go};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "replace_first_only",
        minimum: Some("set(\"aa\") replace(\"a\",\"\")"),
        run: replace_first_only,
    },
    Case { name: "scan_exact", minimum: Some("put(\"a\") scan(\"a\")"), run: scan_exact },
    Case { name: "rename_inside", minimum: Some("create(\"aa\") rename(\"a\",\"b\")"), run: rename_inside },
    Case {
        name: "chunks_three",
        minimum: Some("begin(3) chunk(1) chunk(1) chunk(1) finish"),
        run: chunks_three,
    },
    Case {
        name: "rate_window",
        minimum: Some("request(0) request(0) request(0) request(10)"),
        run: rate_window,
    },
    Case {
        name: "redo_after_insert",
        minimum: Some("insert('a') undo insert('a') redo"),
        run: redo_after_insert,
    },
    Case { name: "refund_all", minimum: Some("invoice(1) pay(1) refund(1)"), run: refund_all },
    Case { name: "interest_rounding", minimum: Some("deposit(3) interest(17)"), run: interest_rounding },
    Case {
        name: "account_order",
        minimum: Some("open open deposit(@1,1) transfer(@1,@2,1)"),
        run: account_order,
    },
];

fn replace_first_only(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<String, String>()
        .model(String::new)
        .sut(String::new)
        .command("set")
        .forall("s", "[a-c]{0,6}")
        .run(|(s,): (String,), model, text| {
            model.clone_from(&s);
            *text = s;
        })
        .command("replace")
        .forall("from", "[a-c]{1,2}")
        .forall("to", "[a-c]{0,2}")
        .run(|(from, to): (String, String), model, text| {
            *model = model.replace(&from, &to);
            *text = if from.len() == 1 { text.replacen(&from, &to, 1) } else { text.replace(&from, &to) };
        })
        .invariant(|model, text| model == text);
    go(test, check)
}

fn scan_exact(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeSet<String>, ()>()
        .model(BTreeSet::new)
        .sut(|| ())
        .command("put")
        .forall("key", "[a-e]{1,3}")
        .run(|(key,): (String,), keys, ()| {
            keys.insert(key);
        })
        .command("del")
        .from("key", |keys: &BTreeSet<String>| keys.iter().cloned().collect())
        .run(|(key,): (String,), keys, ()| {
            keys.remove(&key);
        })
        .command("scan")
        .forall("prefix", "[a-e]{0,3}")
        .run(|(prefix,): (String,), keys, ()| {
            keys.iter().filter(|key| key.starts_with(&prefix) && **key != prefix).count()
        })
        .post(|(prefix,), keys, (), n| *n == keys.iter().filter(|key| key.starts_with(prefix)).count());
    go(test.end(), check)
}

fn rename_inside(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<BTreeSet<String>, BTreeSet<String>>()
        .model(BTreeSet::new)
        .sut(BTreeSet::new)
        .command("create")
        .forall("name", "[a-d]{1,4}")
        .run(|(name,): (String,), model, files| {
            model.insert(name.clone());
            files.insert(name);
        })
        .command("rename")
        .forall("prefix", "[a-d]{1,2}")
        .forall("to", "[a-d]{1,2}")
        .run(|(prefix, to): (String, String), model, files| {
            let renamed = model.iter().map(|name| match name.strip_prefix(&prefix) {
                Some(rest) => format!("{to}{rest}"),
                None => name.clone(),
            });
            *model = renamed.collect();
            let renamed = files.iter().map(|name| {
                if name.starts_with(&prefix) { name.replace(&prefix, &to) } else { name.clone() }
            });
            *files = renamed.collect();
        })
        .invariant(|model, files| model == files);
    go(test, check)
}

#[derive(Default)]
struct Upload {
    size: Option<i64>,
    received: i64,
    n_chunks: u32,
}

fn chunks_three(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Upload, ()>()
        .model(Upload::default)
        .sut(|| ())
        .command("begin")
        .forall("size", 1..=100i64)
        .pre(|upload| upload.size.is_none())
        .run(|(size,), upload, ()| *upload = Upload { size: Some(size), received: 0, n_chunks: 0 })
        .command("chunk")
        .forall("n", 1..=50i64)
        .pre_args(|(n,), upload| upload.size.is_some_and(|size| upload.received + n <= size))
        .run(|(n,), upload, ()| {
            upload.received += n;
            upload.n_chunks += 1;
        })
        .command("abort")
        .pre(|upload| upload.size.is_some())
        .run(|(), upload, ()| *upload = Upload::default())
        .command("finish")
        .pre(|upload| upload.size == Some(upload.received))
        .run(|(), upload, ()| {
            let is_good = upload.n_chunks != 3;
            *upload = Upload::default();
            is_good
        })
        .post(|(), _, (), is_good| *is_good);
    go(test.end(), check)
}

fn rate_window(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<(i64, Vec<i64>), ()>()
        .model(|| (0, Vec::new()))
        .sut(|| ())
        .command("request")
        .forall("after", 0..=20i64)
        .run(|(after,), (now, served), ()| {
            *now += after;
            let allows = served.iter().filter(|at| **at > *now - 10).count() < 3;
            let accepts = served.iter().filter(|at| **at >= *now - 10).count() < 3;
            if allows {
                served.push(*now);
            }
            (allows, accepts)
        })
        .post(|_, _, (), (wanted, got)| wanted == got)
        .command("reset")
        .run(|(), (_, served), ()| served.clear());
    go(test.end(), check)
}

#[derive(Default)]
struct Draft {
    text: Vec<char>,
    undone: Vec<char>,
}

fn redo_after_insert(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<Draft, Draft>()
        .model(Draft::default)
        .sut(Draft::default)
        .command("insert")
        .forall("c", proptest::char::range('a', 'z'))
        .run(|(c,), model, draft| {
            model.undone.clear();
            model.text.push(c);
            draft.text.push(c);
        })
        .command("undo")
        .pre(|model| !model.text.is_empty())
        .run(|(), model, draft| {
            for one in [model, draft] {
                let last = one.text.pop();
                one.undone.extend(last);
            }
        })
        .command("redo")
        .run(|(), model, draft| {
            for one in [model, draft] {
                let last = one.undone.pop();
                one.text.extend(last);
            }
        })
        .invariant(|model, draft| model.text == draft.text);
    go(test, check)
}

fn refund_all(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<(i64, i64), i64>()
        .model(|| (0, 0))
        .sut(|| 0)
        .command("invoice")
        .forall("total", 1..=500i64)
        .pre(|(total, _)| *total == 0)
        .run(|(n,), (total, _), _| *total = n)
        .command("pay")
        .forall("n", 1..=500i64)
        .pre_args(|(n,), (total, paid)| paid + n <= *total)
        .run(|(n,), (_, paid), account| {
            *paid += n;
            *account += n;
        })
        .command("refund")
        .forall("n", 1..=500i64)
        .pre_args(|(n,), (_, paid)| n <= paid)
        .run(|(n,), (total, paid), account| {
            let is_all = n == *paid && paid == total;
            *paid -= n;
            *account -= if is_all { n - 1 } else { n };
        })
        .invariant(|(_, paid), account| paid == account);
    go(test, check)
}

fn interest_rounding(check: &Check) -> Result<Statistics, Failure> {
    let test = stateful::<i64, i64>()
        .model(|| 0)
        .sut(|| 0)
        .command("deposit")
        .forall("n", 0..=1000i64)
        .run(|(n,), model, account| {
            *model += n;
            *account += n;
        })
        .command("interest")
        .forall("rate", 1..=20i64)
        .run(|(rate,), model, account| {
            *model += (*model * rate + 50) / 100;
            *account += *account * rate / 100;
        })
        .command("close")
        .run(|(), model, account| {
            *model = 0;
            *account = 0;
        })
        .invariant(|model, account| model == account);
    go(test, check)
}

fn account_order(check: &Check) -> Result<Statistics, Failure> {
    type Accounts = BTreeMap<u64, i64>;
    fn handles(accounts: &Accounts) -> Vec<u64> {
        accounts.keys().copied().collect()
    }
    let test = stateful::<Accounts, (u64, Accounts)>()
        .model(BTreeMap::new)
        .sut(|| (1000, BTreeMap::new()))
        .command("open")
        .run(|(), model, (next, bank)| {
            *next += 17;
            model.insert(*next, 0);
            bank.insert(*next, 0);
            *next
        })
        .command("deposit")
        .from("h", handles)
        .forall("n", 0..=1000i64)
        .run(|(h, n), model, (_, bank)| {
            *model.entry(h).or_default() += n;
            *bank.entry(h).or_default() += n;
        })
        .command("transfer")
        .from("from", handles)
        .from("to", handles)
        .forall("n", 0..=1000i64)
        .pre_args(|(from, _, n), model| model[from] >= *n)
        .run(|(from, to, n), model, (_, bank)| {
            *model.entry(from).or_default() -= n;
            *model.entry(to).or_default() += n;
            *bank.entry(from).or_default() -= n;
            *bank.entry(to).or_default() += if to > from { n / 2 * 2 } else { n };
        })
        .command("close")
        .from("h", handles)
        .run(|(h,), model, (_, bank)| {
            model.remove(&h);
            bank.remove(&h);
        })
        .invariant(|model, (_, bank)| model.values().sum::<i64>() == bank.values().sum::<i64>());
    go(test, check)
}
