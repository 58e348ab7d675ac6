//! Commands made at run time: a server whose tools come and go while it runs, and what each takes depends on the tool.
//!
//! A machine's commands are given before it runs, but nothing about them is fixed: `pre` switches a command on and off
//! with every step, `reference` offers what the model knows by now, and `argument_after` draws what the chosen tool
//! takes. So one command serves all tools, also those that nobody knew of when the test began.

use probity::{Call, Check, Command, Failure, Fault, Machine, Outcome, Running, Value};
use proptest::prelude::*;

/// A tool as the server describes it.
#[derive(Clone, Debug)]
struct Tool {
    name: String,
    largest: i64,
}

/// What the test knows: the tools listed so far, and whether the session is open.
#[derive(Default)]
struct Known {
    tools: Vec<Tool>,
    is_open: bool,
}

/// Shows one more tool each time it is asked. Its third tool cannot count beyond 20.
#[derive(Default)]
struct Server {
    n_listed: usize,
}

impl Server {
    fn list(&mut self) -> Vec<Tool> {
        self.n_listed = (self.n_listed + 1).min(3);
        let tool = |number| Tool {
            name: format!("tool-{number}"),
            largest: 10 * i64::try_from(number).unwrap_or(0) + 10,
        };
        (0..self.n_listed).map(tool).collect()
    }

    fn call(&self, name: &str, n: i64) -> Result<i64, String> {
        if self.n_listed > 2 && name == "tool-2" && n > 20 { Err("internal error".to_owned()) } else { Ok(n) }
    }
}

fn machine() -> Machine<Known, Server> {
    let done = |result: String| Running::Done(Outcome { result: Some(result), fault: None });
    let open = Command::new("open", move |call: Call<'_, Known, Server>| {
        call.model.is_open = true;
        done("()".to_owned())
    });
    let list = Command::new("list", move |call: Call<'_, Known, Server>| {
        call.model.tools = call.system.list();
        done(format!("{} tools", call.model.tools.len()))
    });
    let call_tool = Command::new("call", |call: Call<'_, Known, Server>| {
        let name = call.arguments[0].get::<String>().cloned().unwrap_or_default();
        let n = call.arguments[1].get::<i64>().copied().unwrap_or_default();
        let answer = call.system.call(&name, n);
        let fault =
            answer.clone().err().map(|message| Fault { code: "the call succeeds".to_owned(), message });
        Running::Done(Outcome { result: Some(format!("{answer:?}")), fault })
    });
    Machine::new(Known::default, || async { Ok(Server::default()) })
        .command(open.pre(|known| !known.is_open))
        .command(list.pre(|known| known.is_open))
        .command(
            call_tool
                .reference("tool", |known: &Known| {
                    known.tools.iter().map(|tool| Value::new(tool.name.clone())).collect()
                })
                .argument_after("n", i64::to_string, |before, known| {
                    let name = before[0].get::<String>()?;
                    let tool = known.tools.iter().find(|tool| tool.name == *name)?;
                    Some((0..=tool.largest).boxed())
                }),
        )
}

fn main() {
    let check = Check { seed: Some(1), ..Check::default() };
    let Err(Failure::Counterexample(found)) = machine().run(&check) else { panic!("a bug is planted") };
    println!("{found}");
    let steps: Vec<&str> = found.minimal.iter().map(|step| step.command.as_str()).collect();
    assert_eq!(steps, ["open", "list", "list", "list", "call"]);
    assert_eq!(found.minimal[4].arguments[1].value, "21");

    // The script of the minimal sequence can be kept and replayed as it is, on a machine made anew.
    let again = machine().replay(&found.script);
    assert!(again.is_err_and(|failure| failure.to_string().contains("internal error")));
}
