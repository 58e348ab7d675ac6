//! One call before it is made, produced by a proptest-state-machine model over the values known now.

use std::fmt::Write as _;
use std::sync::Arc;

use probity_schema::derive_seed;
use proptest::prelude::{BoxedStrategy, Just, Strategy};
use proptest::test_runner::Reason;
use proptest_state_machine::strategy::Sequential;
use serde_json::{Map, Value};

use crate::callable::{Blueprint, Drawn, Sourced, Sourcing, Stock, arguments, hash};
use crate::mcp::contract::Aiming;

/// A call to be made.
#[derive(Debug, Clone)]
pub(crate) struct Invocation {
    /// Names the call in every sequence it is made in.
    pub(crate) identity: u64,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) sources: Vec<Sourced>,
}

/// The calls of one tool that can be made now: a state machine of one transition, whose state is the stock.
pub(crate) fn invocations(
    blueprint: &Arc<Blueprint>,
    stock: &Arc<Stock>,
    sourcing: Sourcing,
    aiming: Option<Aiming>,
) -> BoxedStrategy<Invocation> {
    let (blueprint, stock) = (Arc::clone(blueprint), Arc::clone(stock));
    let transitions = move |stock: &Arc<Stock>| {
        let (blueprint, stock, aiming) = (Arc::clone(&blueprint), Arc::clone(stock), aiming.clone());
        proptest::num::u64::ANY
            .prop_filter_map(Reason::from("the stock lacks what the shape needs"), move |seed| {
                let Drawn { arguments, sources } = match &aiming {
                    None => arguments(&blueprint, &stock, sourcing, seed)?,
                    Some(aiming) => aiming.draw(&blueprint, &stock, sourcing, seed)?,
                };
                Some(Invocation { identity: seed, arguments, sources })
            })
            .no_shrink()
    };
    // The crate's machines must have at least one transition; ours has exactly one, since the next depends on an answer.
    let machine = Sequential::new(
        (1..=1).into(),
        move || Just(Arc::clone(&stock)),
        |_: &Arc<Stock>, _: &Invocation| true,
        transitions,
        |stock, _| stock,
    );
    let first = |(_, calls, _): (Arc<Stock>, Vec<Invocation>, _)| calls.into_iter().next();
    machine.prop_filter_map("a machine of one transition makes one", first).no_shrink().boxed()
}

/// A word that tells calls apart and orders them by size; without digits and quotes, which the engine would try to lower.
pub(crate) fn show(invocation: &Invocation) -> String {
    let Invocation { identity: _, arguments, sources } = invocation;
    let mut blanked = Value::Object(arguments.clone());
    for sourced in sources {
        // A value that came from an answer is told by its birth: the server may give it anew each time.
        if let Some(place) = blanked.pointer_mut(&sourced.at) {
            *place = Value::from(sourced.identity);
        }
    }
    let text = blanked.to_string();
    let hash = derive_seed(hash(&text), &[]);
    let size = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut digits = String::new();
    write!(digits, "{size:08x}{hash:016x}").expect("writing to a string cannot fail");
    digits
        .bytes()
        .map(|digit| char::from(if digit.is_ascii_digit() { digit - b'0' + b'g' } else { digit }))
        .collect()
}
