//! `probity demo`: data from a built-in contract, then calls against a built-in server, until its bug is found.

mod shop;
mod data;
mod calls;

use std::fs;

use crate::args::DemoArgs;
use crate::config::in_file;
use crate::console::{Console, Paint};
use crate::exit_code::{Outcome, Trouble};

/// The same demonstration every time.
const SEED: u64 = 42;
/// Most letters of a line that shows data.
const WIDTH: usize = 96;

/// Shows both jobs, leaves their files in a folder, and says what to type next.
pub(crate) fn run(args: &DemoArgs, console: &Console) -> Result<Outcome, Trouble> {
    let folder = &args.output;
    fs::create_dir_all(folder).map_err(|error| {
        in_file(folder, &format!("cannot be made: {error}; name a folder you may write to with -o DIR"))
    })?;
    console.painted(&[
        (Paint::Bold, "Probity turns a contract into tests."),
        (Paint::Plain, " Two of them, built in; files go to "),
        (Paint::Bold, &format!("{}/", folder.display())),
    ]);
    data::show(folder, console)?;
    calls::show(folder, console)?;
    heading("3", "Now yours", console);
    let shown = folder.display();
    let next: &[(&str, String)] = &[
        ("generate your.schema.json", "valid data, the same for the same seed".to_owned()),
        ("coverage measure your.schema.json fixtures/", "what your own fixtures cover".to_owned()),
        ("openapi your.yaml --list", "requests and responses for every operation".to_owned()),
        ("mcp -- node your-server.js", "what a live MCP server does against its contract".to_owned()),
    ];
    for (command, about) in next {
        console.painted(&[
            (Paint::Plain, "   probity "),
            (Paint::Plain, &format!("{command:<46}")),
            (Paint::Dim, about),
        ]);
    }
    console.painted(&[
        (Paint::Plain, "   The pages: "),
        (Paint::Blue, &format!("{shown}/coverage.html")),
        (Paint::Plain, " and "),
        (Paint::Blue, &format!("{shown}/mcp.html")),
    ]);
    Ok(Outcome::Done)
}

/// Is the server that the demonstration tests.
#[expect(clippy::unnecessary_wraps, reason = "every command comes to an outcome")]
pub(crate) fn serve() -> Result<Outcome, Trouble> {
    shop::serve(std::io::stdin().lock(), std::io::stdout().lock());
    Ok(Outcome::Done)
}

fn heading(number: &str, title: &str, console: &Console) {
    console.painted(&[
        (Paint::Plain, "\n"),
        (Paint::Blue, number),
        (Paint::Plain, "  "),
        (Paint::Bold, title),
    ]);
}

/// The command that would do the same.
fn prompt(command: &str, console: &Console) {
    console.painted(&[(Paint::Dim, "   $ "), (Paint::Plain, command)]);
}

/// A line that fits the width, with a sign that there was more.
fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDTH) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
