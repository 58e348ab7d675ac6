//! An asynchronous key-value store that drops a long value when it holds exactly one key.

use std::collections::BTreeMap;

use probity::{Check, stateful};

#[derive(Default)]
struct Store {
    data: BTreeMap<u8, String>,
}

impl Store {
    async fn put(&mut self, key: u8, value: String) {
        round_trip().await;
        if value.len() <= 3 || self.data.len() != 1 {
            self.data.insert(key, value);
        }
    }

    async fn get(&self, key: u8) -> Option<String> {
        round_trip().await;
        self.data.get(&key).cloned()
    }
}

/// Stands for the network: gives way once before it goes on.
async fn round_trip() {
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

fn main() {
    let outcome = stateful::<BTreeMap<u8, String>, Store>()
        .model(BTreeMap::new)
        .sut_async(|| async { Store::default() })
        .command("put")
        .forall("key", 0..=7u8)
        .forall("value", "[a-z]{0,6}")
        .run_async(async |(key, value): (u8, String), model, store| {
            model.insert(key, value.clone());
            store.put(key, value).await;
        })
        .command("get")
        .forall("key", 0..=7u8)
        .run_async(async |(key,), _, store| store.get(key).await)
        .post(|(key,), model, _, got| *got == model.get(key).cloned())
        .run(Check { seed: Some(3), ..Check::default() });
    let failure = outcome.expect_err("a long value is dropped");
    println!("{failure}");
    assert_eq!(failure.counterexample().expect("a counterexample").minimal.len(), 3);
}
