//! A counter that stops at ten: the smallest test there is, and the report of its failure.

use probity::{Check, stateful};

#[derive(Default)]
struct Counter {
    n: i64,
}

impl Counter {
    fn inc(&mut self, by: i64) -> i64 {
        self.n = (self.n + by).min(10);
        self.n
    }
}

fn main() {
    let outcome = stateful::<i64, Counter>()
        .model(|| 0)
        .sut(Counter::default)
        .command("inc")
        .forall("by", 1..=5i64)
        .run(|(by,), model, counter| {
            *model += by;
            counter.inc(by)
        })
        .post(
            |_, model, _, got| {
                if got == model { Ok(()) } else { Err(format!("got {got}, the model has {model}")) }
            },
        )
        .command("reset")
        .pre(|model| *model != 0)
        .run(|(), model, counter| {
            *model = 0;
            counter.n = 0;
        })
        .run(Check { seed: Some(7), ..Check::default() });
    let failure = outcome.expect_err("the counter stops at ten");
    println!("{failure}");
    let minimal = &failure.counterexample().expect("a counterexample").minimal;
    assert_eq!(minimal.len(), 3);
}
