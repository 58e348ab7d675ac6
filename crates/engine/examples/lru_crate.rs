//! A target nobody here wrote: the published `lru` crate against a list kept in order of use.

use std::num::NonZeroUsize;

use lru::LruCache;
use probity::{Check, stateful};

/// Keys and values, the least recently used first.
type Model = Vec<(u8, i32)>;

fn touch(model: &mut Model, key: u8) -> Option<i32> {
    let index = model.iter().position(|(other, _)| *other == key)?;
    let entry = model.remove(index);
    model.push(entry);
    Some(entry.1)
}

fn main() {
    let capacity = NonZeroUsize::new(3).expect("three is not zero");
    let statistics = stateful::<Model, LruCache<u8, i32>>()
        .model(Vec::new)
        .sut(move || LruCache::new(capacity))
        .command("put")
        .forall("key", 0..=5u8)
        .forall("value", 0..=100i32)
        .run(|(key, value), model, cache| {
            let old = touch(model, key);
            if old.is_some() {
                model.pop();
            } else if model.len() == 3 {
                model.remove(0);
            }
            model.push((key, value));
            (old, cache.put(key, value))
        })
        .post(|_, _, _, (wanted, got)| wanted == got)
        .command("get")
        .forall("key", 0..=5u8)
        .run(|(key,), model, cache| (touch(model, key), cache.get(&key).copied()))
        .post(|_, _, _, (wanted, got)| wanted == got)
        .command("peek")
        .forall("key", 0..=5u8)
        .run(|(key,), _, cache| cache.peek(&key).copied())
        .post(|(key,), model, _, got| {
            *got == model.iter().find(|(other, _)| other == key).map(|(_, value)| *value)
        })
        .command("pop_lru")
        .run(|(), model, cache| {
            let wanted = if model.is_empty() { None } else { Some(model.remove(0)) };
            (wanted, cache.pop_lru())
        })
        .post(|(), _, _, (wanted, got)| wanted == got)
        .named_invariant("same entries in the same order", |model, cache| {
            cache.iter().map(|(key, value)| (*key, *value)).eq(model.iter().rev().copied())
        })
        .run(Check { num_runs: 1000, seed: Some(1), ..Check::default() })
        .unwrap_or_else(|failure| panic!("{failure}"));
    println!("the lru crate keeps its contract:\n{statistics}");
}
