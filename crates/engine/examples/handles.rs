//! Handles by reference: commands that act on what earlier commands returned, whatever it was.

use probity::{Check, stateful};

/// Gives out tokens; a second delete of the same token is an internal error.
#[derive(Default)]
struct Server {
    n_created: u64,
    deleted: Vec<String>,
}

impl Server {
    fn create(&mut self) -> String {
        self.n_created += 1;
        format!("tok-{:08x}", self.n_created * 2_654_435_761 % (1 << 32))
    }

    fn delete(&mut self, token: &str) -> u16 {
        if self.deleted.iter().any(|gone| gone == token) {
            return 500;
        }
        self.deleted.push(token.to_owned());
        204
    }
}

fn main() {
    let outcome = stateful::<Vec<String>, Server>()
        .model(Vec::new)
        .sut(Server::default)
        .command("create")
        .run(|(), tokens, server| {
            tokens.push(server.create());
            tokens.last().cloned()
        })
        .command("delete")
        .from("token", |tokens: &Vec<String>| tokens.clone())
        .run(|(token,), _, server| server.delete(&token))
        .post(|_, _, _, status| *status < 500)
        .run(Check { seed: Some(1), ..Check::default() });
    let failure = outcome.expect_err("a second delete fails");
    println!("{failure}");
    assert_eq!(failure.counterexample().expect("a counterexample").minimal.len(), 3);
}
