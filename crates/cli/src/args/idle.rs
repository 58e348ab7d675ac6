//! Flags that were typed and would change nothing: each is refused, with what to do instead.
//!
//! A bound that is kept anyway, such as a number of threads, is no such flag. Only what was typed is looked at: what stands in
//! `probity.toml` is meant for every run, also for one that has no use for it.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, Error};

/// Flags of a command that do nothing in some case, by the names that their fields have.
struct Idle {
    command: &'static str,
    case: Case,
    flags: &'static [&'static str],
    /// Why, and what instead.
    why: &'static str,
}

/// When a flag does nothing.
enum Case {
    /// Another one was typed.
    With(&'static str),
    /// Another one was not typed.
    Without(&'static str),
    /// Another one has one of these values, typed or not.
    Is(&'static str, &'static [&'static str]),
    /// Nothing is measured.
    Unmeasured,
}

const UNMEASURED: &[&str] =
    &["coverage_dimensions", "coverage_profile", "coverage_exclude_unreachable", "report_mode"];
/// Flags about what is measured, where nothing is made.
const MEASURED: &[&str] = &[
    "mode",
    "coverage_min",
    "coverage_report",
    "coverage_html",
    "coverage_exclude_unreachable",
    "report_mode",
];
const NO_CASES: &str = "--list makes no cases; leave out one of them (--json FILE writes the list to a file)";
const NO_CALLS: &str = "--list calls nothing; leave out one of them (--json FILE writes the list to a file)";
/// What to do about flags that only shape what is measured.
pub(crate) const MEASURE: &str = "nothing is measured; add --coverage measure or --coverage guided";

/// Every such case. Where it takes the file or the server to know, `config` and `replay` refuse in the same words.
const IDLE: &[Idle] = &[
    Idle { command: "generate", case: Case::Unmeasured, flags: UNMEASURED, why: MEASURE },
    Idle {
        command: "generate",
        case: Case::With("quiet"),
        flags: &["metrics"],
        why: "--quiet silences it; leave out one of them",
    },
    Idle {
        command: "openapi",
        case: Case::With("list"),
        flags: &["n", "per_operation", "seed", "out", "output", "curl", "server", "formats"],
        why: NO_CASES,
    },
    Idle { command: "openapi", case: Case::With("list"), flags: MEASURED, why: NO_CASES },
    Idle { command: "openapi", case: Case::Unmeasured, flags: UNMEASURED, why: MEASURE },
    Idle {
        command: "openapi",
        case: Case::Without("curl"),
        flags: &["server"],
        why: "only curl commands name a server; add --curl, or leave it out",
    },
    Idle {
        command: "openapi",
        case: Case::Is("part", &["response"]),
        flags: &["curl"],
        why: "only requests become curl commands; write --part request or --part all",
    },
    Idle {
        command: "openapi",
        case: Case::Is("part", &["request", "parameters"]),
        flags: &["status"],
        why: "only responses have a status; write --part response or --part all",
    },
    Idle {
        command: "mcp",
        case: Case::With("list"),
        flags: &[
            "reuse_session",
            "runs",
            "min_len",
            "max_len",
            "seed",
            "max_time",
            "mine_text",
            "may_fail",
            "none_may_fail",
            "min_calls_per_tool",
            "no_uncalled_tools",
            "percent_called",
            "coverage_allow",
            "coverage_block",
            "fail_on",
            "lint",
            "junit",
            "summary",
            "html",
            "trace",
            "replay_dir",
        ],
        why: NO_CALLS,
    },
    Idle { command: "mcp", case: Case::With("list"), flags: MEASURED, why: NO_CALLS },
    Idle { command: "mcp", case: Case::With("url"), flags: &["command"], why: TWO_SERVERS },
    Idle { command: "mcp", case: Case::With("url"), flags: &["env", "cwd"], why: FOR_PROGRAMS },
    Idle {
        command: "mcp",
        case: Case::With("command"),
        flags: &["header", "bearer_env"],
        why: FOR_ADDRESSES,
    },
    Idle { command: "replay", case: Case::With("url"), flags: &["command"], why: TWO_SERVERS },
    Idle { command: "replay", case: Case::With("url"), flags: &["env", "cwd"], why: FOR_PROGRAMS },
    Idle {
        command: "replay",
        case: Case::With("command"),
        flags: &["header", "bearer_env"],
        why: FOR_ADDRESSES,
    },
];

const TWO_SERVERS: &str = "--url names the server already; leave out one of them";
/// Why what a program is started with is refused for an address.
pub(crate) const FOR_PROGRAMS: &str =
    "the server at an address is not started here; set it where the server runs, or write a program after --";
/// Why what a request carries is refused for a program.
pub(crate) const FOR_ADDRESSES: &str =
    "a program gets no HTTP requests; give its address with --url, or hand it a variable with --env";

/// Refuses the first flag that would change nothing.
pub(super) fn check(described: &mut Command, typed: &ArgMatches) -> Result<(), Error> {
    let Some((name, typed)) = typed.subcommand() else { return Ok(()) };
    for Idle { command: _, case, flags, why } in IDLE.iter().filter(|idle| idle.command == name) {
        let Some(flag) = flags.iter().find(|flag| is_typed(typed, flag)).filter(|_| case.holds(typed)) else {
            continue;
        };
        described.build();
        let command = described.find_subcommand_mut(name).expect("what was typed is a command");
        let flag = command.get_arguments().find(|argument| argument.get_id() == *flag);
        let flag = flag.and_then(clap::Arg::get_long).map(|long| format!("--{long}"));
        let flag = flag.unwrap_or_else(|| "the program after --".to_owned());
        let message = format!("{flag} has no effect here: {why}");
        return Err(command.error(ErrorKind::ArgumentConflict, message));
    }
    Ok(())
}

impl Case {
    fn holds(&self, typed: &ArgMatches) -> bool {
        match self {
            Self::With(other) => is_typed(typed, other),
            Self::Without(other) => !is_typed(typed, other),
            Self::Is(other, values) => words(typed, other).iter().any(|word| values.contains(&word.as_str())),
            // A list counts the targets of the dimensions that are asked for.
            Self::Unmeasured if is_there(typed, "list") && is_typed(typed, "list") => false,
            Self::Unmeasured => {
                let asks = ["coverage_min", "coverage_report", "coverage_html"];
                let mode = words(typed, "mode").pop();
                mode.is_none_or(|mode| mode == "off") && !asks.iter().any(|flag| is_typed(typed, flag))
            }
        }
    }
}

fn is_there(typed: &ArgMatches, flag: &str) -> bool {
    typed.try_contains_id(flag).is_ok()
}

fn is_typed(typed: &ArgMatches, flag: &str) -> bool {
    typed.value_source(flag) == Some(ValueSource::CommandLine)
}

/// The values of a flag as they are written.
fn words(typed: &ArgMatches, flag: &str) -> Vec<String> {
    let values = typed.get_raw(flag).into_iter().flatten();
    values.map(|value| value.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::described;

    #[test]
    fn every_flag_of_the_table_is_a_flag_of_its_command() {
        for Idle { command, case, flags, why: _ } in IDLE {
            let described = described();
            let known = described.find_subcommand(command).expect("a command of the table is one");
            let other = match case {
                Case::With(other) | Case::Without(other) | Case::Is(other, _) => Some(other),
                Case::Unmeasured => None,
            };
            for flag in flags.iter().chain(other) {
                let is_known = known.get_arguments().any(|argument| argument.get_id() == *flag);
                assert!(is_known, "{command} has no {flag}");
            }
        }
    }
}
