//! What was typed after `cargo xtask corpus`, and what it means.

use std::path::PathBuf;

use probity_testkit::trouble::Trouble;

const ARGUMENTS: &str = "DIR [--n N] [--seed S] [--part NAME]";

/// What was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) folder: PathBuf,
    /// How many instances of each schema; by its part if not said.
    pub(crate) n: Option<u64>,
    pub(crate) seed: u64,
    /// Only parts whose names begin like this.
    pub(crate) part: String,
    pub(crate) task: Task,
}

/// What is done with the instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Examine them and print the table.
    Examine,
    /// Print a digest of them; this is what the second process does.
    Digest,
}

/// The second process's order; not for typing, hence not on the page of chores.
pub(crate) const DIGEST: &str = "--digest";

impl Options {
    pub(crate) fn read(arguments: &[String]) -> Result<Self, Trouble> {
        let (mut folder, mut n, mut seed, mut part, mut task) =
            (None, None, 42, String::new(), Task::Examine);
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| Trouble::usage(format!("{word} needs a value after it")));
            match word.as_str() {
                "--n" => n = Some(number(word, value()?)?),
                "--seed" => seed = number(word, value()?)?,
                "--part" => part.clone_from(value()?),
                DIGEST => task = Task::Digest,
                option if option.starts_with('-') => {
                    return Err(Trouble::usage(format!(
                        "\"{option}\" is not an option of corpus: {ARGUMENTS}"
                    )));
                }
                path if folder.is_none() => folder = Some(PathBuf::from(path)),
                other => {
                    return Err(Trouble::usage(format!(
                        "corpus takes one folder, so \"{other}\" is one too many"
                    )));
                }
            }
        }
        let folder =
            folder.ok_or_else(|| Trouble::usage(format!("corpus needs a folder of schemas: {ARGUMENTS}")))?;
        Ok(Self { folder, n, seed, part, task })
    }
}

fn number(option: &str, value: &str) -> Result<u64, Trouble> {
    value.parse().map_err(|_| Trouble::usage(format!("{option} needs a whole number, not \"{value}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &[&str], expected: Result<(Option<u64>, u64, &str), &str>) {
        let typed: Vec<String> = typed.iter().map(ToString::to_string).collect();
        match (Options::read(&typed), expected) {
            (Ok(options), Ok(expected)) => {
                assert_eq!((options.n, options.seed, options.part.as_str()), expected);
            }
            (Err(trouble), Err(start)) => {
                assert!(trouble.to_string().starts_with(start), "{trouble}");
                assert_eq!(trouble.exit_code(), 2);
            }
            (read, _) => panic!("{typed:?} was read as {read:?}"),
        }
    }

    #[test]
    fn options_have_defaults_and_stand_in_any_order() {
        check(&["a"], Ok((None, 42, "")));
        check(&["--n", "5", "a", "--part", "jsts", "--seed", "7"], Ok((Some(5), 7, "jsts")));
    }

    #[test]
    fn wrong_use_is_told_with_what_is_right() {
        check(&[], Err("corpus needs a folder of schemas"));
        check(&["a", "b"], Err("corpus takes one folder, so \"b\" is one too many"));
        check(&["a", "--n", "few"], Err("--n needs a whole number, not \"few\""));
        check(&["a", "--seed"], Err("--seed needs a value after it"));
        check(&["a", "--speed"], Err("\"--speed\" is not an option of corpus"));
    }
}
