//! The project's own chores, started with `cargo xtask NAME`.

mod process;
mod deps;
mod test;
mod bench;
mod corpus;
mod package;
mod picture;
mod help;

use std::process::ExitCode;

use probity_testkit::trouble::Trouble;

/// A chore: what is typed, what follows its name, what it does.
struct Chore {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), Trouble>,
}

/// Every chore, in the order `help` lists them.
const CHORES: &[Chore] = &[
    Chore { name: "test", arguments: test::ARGUMENTS, about: test::ABOUT, run: test::run },
    Chore { name: "deps", arguments: "", about: deps::ABOUT, run: deps::run },
    Chore { name: "corpus", arguments: corpus::ARGUMENTS, about: corpus::ABOUT, run: corpus::run },
    Chore { name: "bench", arguments: bench::ARGUMENTS, about: bench::ABOUT, run: bench::run },
    Chore { name: "package", arguments: "", about: package::ABOUT, run: package::run },
    Chore { name: "picture", arguments: "", about: picture::ABOUT, run: picture::run },
    Chore { name: "help", arguments: "", about: help::ABOUT, run: help::run },
];

fn main() -> ExitCode {
    let typed: Vec<String> = std::env::args().skip(1).collect();
    match run(&typed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            if !matches!(trouble, Trouble::Told { .. }) {
                eprintln!("{trouble}");
            }
            ExitCode::from(trouble.exit_code())
        }
    }
}

fn run(typed: &[String]) -> Result<(), Trouble> {
    let Some((name, rest)) = typed.split_first() else {
        return help::run(&[]);
    };
    let name = if matches!(name.as_str(), "--help" | "-h") { "help" } else { name };
    match CHORES.iter().find(|chore| chore.name == name) {
        Some(chore) => (chore.run)(rest),
        None => Err(Trouble::usage(format!("\"{name}\" is not a chore\n\n{}", help::page()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &[&str], expected_start: &str) {
        let typed: Vec<String> = typed.iter().map(ToString::to_string).collect();
        let trouble = run(&typed).expect_err("wrong use is told");
        assert_eq!(trouble.exit_code(), 2, "{trouble}");
        assert!(trouble.to_string().starts_with(expected_start), "{trouble}");
    }

    #[test]
    fn wrong_use_ends_with_exit_code_2_and_says_what_is_wrong() {
        check(&["tset"], "\"tset\" is not a chore");
        check(&["test", "everything"], "\"everything\" is not a stage of the test");
        check(&["deps", "now"], "deps takes no arguments, so \"now\" is one too many");
        check(&["corpus"], "corpus needs a folder of schemas");
        check(&["bench", "nothing-of-the-kind"], "\"nothing-of-the-kind\" is not a bench");
    }
}
