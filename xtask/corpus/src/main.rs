//! Draws from every schema of a folder and prints, part by part, what two validators and the clockwork say.

mod options;
mod subject;
mod generate;
mod examine;
mod second;
mod table;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use probity_testkit::ajv::Judge;

use examine::{digest, examine};
use generate::{Generate, Plan};
use options::{Options, Task};
use probity_testkit::trouble::Trouble;
use second::SecondProcess;
use subject::Subject;
use table::Table;

fn main() -> ExitCode {
    let typed: Vec<String> = std::env::args().skip(1).collect();
    match run(&typed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::from(trouble.exit_code())
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Trouble> {
    let options = Options::read(arguments)?;
    let all = subject::read(&options.folder)?;
    let subjects: Vec<&Subject> =
        all.iter().filter(|subject| subject.part.starts_with(&options.part)).collect();
    if subjects.is_empty() {
        let parts: std::collections::BTreeSet<&str> =
            all.iter().map(|subject| subject.part.as_str()).collect();
        let parts: Vec<&str> = parts.into_iter().collect();
        return Err(Trouble::usage(format!(
            "no part's name begins with \"{}\"; there are: {}",
            options.part,
            parts.join(", ")
        )));
    }
    match options.task {
        Task::Examine => print_table(&options, &subjects, generate::pipeline),
        Task::Digest => {
            for subject in subjects {
                let outcome = generate::pipeline(subject, &Plan::of(&options, subject));
                println!("{:016x} {}", digest(&outcome), subject.id);
            }
            Ok(())
        }
    }
}

fn print_table(options: &Options, subjects: &[&Subject], generate: Generate) -> Result<(), Trouble> {
    let mut judge = Judge::start().map_err(|error| Trouble::failed(error.to_string()))?;
    let second = SecondProcess::start(options)?;
    let mut seen = Vec::with_capacity(subjects.len());
    for (at, subject) in subjects.iter().enumerate() {
        if std::io::stderr().is_terminal() {
            eprint!("\r\u{1b}[K{}/{} {}", at + 1, subjects.len(), subject.id);
        }
        seen.push(examine(subject, &Plan::of(options, subject), generate, &mut judge)?);
    }
    if std::io::stderr().is_terminal() {
        eprint!("\r\u{1b}[K");
    }
    let elsewhere = second.digests()?;
    let mut table = Table::default();
    for (subject, mut seen) in subjects.iter().zip(seen) {
        if elsewhere.get(&subject.id) != Some(&format!("{:016x}", seen.digest)) {
            seen.is_steady = false;
            seen.exceptions.push("other bytes from a second process".to_owned());
        }
        table.add(subject, &seen);
    }
    print!("{}", table.text());
    let below = table.below_floor();
    if below.is_empty() && table.n_invalid() == 0 {
        return Ok(());
    }
    let parts = if below.is_empty() { "none".to_owned() } else { below.join(", ") };
    Err(Trouble::failed(format!("parts below the floor: {parts}; rejected instances: {}", table.n_invalid())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examine::{Ending, Examination};
    use crate::generate::WHOLE;
    use crate::generate::{Batch, Outcome, Shard};
    use crate::subject::Known;
    use probity_testkit::Draft;

    /// A generator with one habit for each thing the table must notice, chosen by the schema's name.
    fn habit(subject: &Subject, plan: &Plan) -> Outcome {
        let Plan { n, seed: _, n_threads, shard: Shard { index, of } } = *plan;
        let instance = |at: u64| match subject.id.as_str() {
            "wrong" => "\"no\"".to_owned(),
            "dull" if n < 20 => "7".to_owned(),
            "small" => (at % 2).to_string(),
            "unsteady" if n_threads == 2 => (at + 1000).to_string(),
            "trivial" => "null".to_owned(),
            _ => at.to_string(),
        };
        let range = n * index / of..n * (index + 1) / of;
        let instances: Vec<String> = range.map(instance).collect();
        match subject.id.as_str() {
            "refused" => Outcome::Refused { reason: "no".to_owned() },
            "unsatisfiable" | "not-unsatisfiable" => Outcome::Unsatisfiable { cause: "never".to_owned() },
            "short" => Outcome::Served(Batch {
                instances: instances.into_iter().skip(1).collect(),
                ..Batch::default()
            }),
            "repaired" => {
                Outcome::Served(Batch { instances, n_repairs: 3, is_exact: true, ..Batch::default() })
            }
            _ => Outcome::Served(Batch { instances, ..Batch::default() }),
        }
    }

    fn subject(id: &str, schema: &str, known: Known) -> Subject {
        let (text, json) = (schema.to_owned(), Ok(schema.to_owned()));
        Subject { id: id.to_owned(), part: "part".to_owned(), draft: Draft::Draft7, text, json, known }
    }

    #[track_caller]
    fn check(subject: &Subject, is_good: bool, exceptions: &[&str]) {
        let plan = Plan { n: 10, seed: 1, n_threads: 1, shard: WHOLE };
        let mut judge = Judge::start().expect("AJV can be asked");
        let seen = examine(subject, &plan, habit, &mut judge).expect("AJV answers");
        assert_eq!(seen.exceptions, exceptions);
        assert_eq!(seen.is_good(), is_good);
    }

    #[test]
    fn good_instances_are_no_exception() {
        check(&subject("good", r#"{"type": "integer"}"#, Known::Satisfiable), true, &[]);
    }

    #[test]
    fn instances_that_are_missing_wrong_or_restless_are_exceptions() {
        let integers = |id| subject(id, r#"{"type": "integer"}"#, Known::Satisfiable);
        check(&integers("refused"), false, &["refused: no"]);
        check(&integers("unsatisfiable"), false, &["unsatisfiable: never"]);
        let short = ["9 instances of 10: no reason given", "other bytes from 4 shards"];
        check(&integers("short"), false, &short);
        check(&integers("unsteady"), false, &["other bytes with 2 threads"]);
        check(&integers("repaired"), true, &["3 repairs although composing is exact"]);
        check(&integers("dull"), true, &["little variety: 1 distinct of 10, 100 of 100"]);
        check(&integers("small"), true, &["few values: 2 distinct of 10, 2 of 100"]);
        let wrong = [
            "few values: 1 distinct of 10, 1 of 100",
            "invalid: \"no\": \"no\" is not of type \"integer\"",
            "invalid for AJV: 10 of 10, such as \"no\": at the root: must be integer (#/type)",
        ];
        check(&integers("wrong"), false, &wrong);
    }

    #[test]
    fn the_suite_overrules_a_verdict_of_unsatisfiable_and_of_ajv() {
        let suite = |tests: &[(&str, bool)]| Known::Suite {
            tests: tests.iter().map(|(text, is_valid)| ((*text).to_owned(), *is_valid)).collect(),
            is_required: true,
        };
        let wrongly = "wrongly called unsatisfiable, the suite has an instance: never";
        check(&subject("not-unsatisfiable", "true", suite(&[("1", true)])), false, &[wrongly]);
        // AJV applies what stands beside a reference; draft 7 does not, and the suite's test says so.
        let schema =
            r##"{"allOf": [{"$ref": "#/definitions/any", "minimum": 5}], "definitions": {"any": true}}"##;
        let disagrees = "AJV disagrees with the suite: 0: at the root: must be >= 5 (#/allOf/0/minimum)";
        check(&subject("good", schema, suite(&[("1", true)])), true, &[disagrees]);
        let applies = "invalid for AJV, which applies keywords beside $ref: 5 of 10, such as 0: at the root: must be >= 5 \
                       (#/allOf/0/minimum)";
        check(&subject("good", schema, Known::Satisfiable), false, &[applies]);
    }

    #[test]
    fn the_table_adds_up_a_part_and_names_what_is_below_the_floor() {
        let mut table = Table::default();
        let good = Examination {
            ending: Ending::Full,
            n_instances: 10,
            n_distinct: 9,
            is_steady: true,
            ..Examination::default()
        };
        table.add(&subject("a", "true", Known::Satisfiable), &good);
        assert!(table.below_floor().is_empty());
        let bad = Examination { n_invalid: 1, n_trivial: 1, exceptions: vec!["bad".to_owned()], ..good };
        table.add(&subject("b", "true", Known::Satisfiable), &bad);
        assert_eq!(table.below_floor(), ["part"]);
        assert_eq!(table.n_invalid(), 1);
        let text = table.text();
        let row: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        let expected = "part 2 2 0 0 0 20 1 0 0 90.0 0 5.0 0 0 0 50.0";
        assert_eq!(row.join(" "), expected);
        assert!(text.ends_with("1 exceptions\n  part b\n      bad\n"), "{text}");
    }
}
