//! A sequence as text that people can read and the engine can replay: one step a line, its genes behind a `#`.

use crate::gene::{Gene, Origin};
use crate::machine::{Machine, Parameter, Slot};
use crate::plural::counted;
use crate::pool::{BEFORE, Birth};
use crate::sequence::{Choice, Done, Step, UNKNOWN};
use crate::setup::SetupError;

/// Writes a sequence.
pub(crate) fn write<M, S>(machine: &Machine<M, S>, done: &[Done]) -> String {
    done.iter().map(|step| write_step(machine, done, step)).collect()
}

/// Writes one step of a sequence.
pub(crate) fn write_step<M, S>(machine: &Machine<M, S>, done: &[Done], step: &Done) -> String {
    let command = &machine.commands[step.step.command];
    let shown = command.parameters.iter().zip(&step.texts);
    let shown: Vec<String> = shown.map(|(parameter, text)| format!("{}: {text}", parameter.name)).collect();
    let shown = plain(&format!("{}({})", command.name, shown.join(", ")));
    let choices: Vec<String> = step.step.choices.iter().map(|choice| encode(choice, done)).collect();
    let line = format!("{shown} # {} {}", step.step.command, choices.join(" "));
    format!("{}\n", line.trim_end())
}

/// A text that fits before the code of a line.
fn plain(text: &str) -> String {
    text.replace(['\n', '\r', '#'], " ")
}

/// A line of a script: a step, and how it reads.
pub(crate) struct Line {
    /// Counted from 1.
    pub(crate) number: usize,
    pub(crate) shown: String,
    pub(crate) step: Step,
}

/// Reads a sequence for this machine; empty lines and those that begin with a `#` are comments.
pub(crate) fn read<M, S>(machine: &Machine<M, S>, script: &str) -> Result<Vec<Line>, SetupError> {
    let mut lines = Vec::new();
    for (index, line) in script.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let number = index + 1;
        let fail = |reason: String| SetupError::Script { line: number, reason };
        let (shown, code) = line.rsplit_once('#').ok_or_else(|| {
            fail(format!(
                "{line:?} lacks its code, from which the step is replayed; copy the line whole from a report, \
                 with all that follows the \"#\""
            ))
        })?;
        let mut words = code.split_whitespace();
        let first = words.next().and_then(|word| word.parse::<usize>().ok());
        let command = command_of(machine, shown, first).ok_or_else(|| fail(unknown(machine, shown)))?;
        let choices: Option<Vec<Choice>> = words.map(decode).collect();
        let choices = choices.ok_or_else(|| {
            fail(format!("{:?} is not the code of a step; copy the line whole from a report", code.trim()))
        })?;
        let n_parameters = machine.commands[command].parameters.len();
        if choices.len() != n_parameters {
            let name = &machine.commands[command].name;
            let n_parameters = counted(n_parameters, "argument");
            let n_choices = choices.len();
            return Err(fail(format!(
                "{name:?} takes {n_parameters}, but the code has {n_choices}; copy the line whole \
                 from a report"
            )));
        }
        let uid = u32::try_from(lines.len()).map_err(|_| fail("the script is too long".to_owned()))?;
        lines.push(Line { number, shown: shown.trim().to_owned(), step: Step { uid, command, choices } });
    }
    Ok(lines)
}

/// The command that a line names: the one at the index of its code if that is so named, else another.
fn command_of<M, S>(machine: &Machine<M, S>, shown: &str, index: Option<usize>) -> Option<usize> {
    let is_named = |index: &usize| {
        let command = machine.commands.get(*index);
        command.is_some_and(|command| shown.starts_with(&plain(&format!("{}(", command.name))))
    };
    index.filter(is_named).or_else(|| (0..machine.commands.len()).find(is_named))
}

fn unknown<M, S>(machine: &Machine<M, S>, shown: &str) -> String {
    let name = shown.split('(').next().unwrap_or_default().trim();
    let names: Vec<String> = machine.commands.iter().map(|command| format!("{:?}", command.name)).collect();
    format!("there is no command {name:?}; the commands are {}", names.join(", "))
}

/// The step as it was drawn, in the words of a script, if its line reads otherwise.
///
/// `has_strayed` says that steps before it were left out or changed: then arguments made from the model may differ.
pub(crate) fn contradiction<M, S>(
    machine: &Machine<M, S>,
    line: &Line,
    done: &Done,
    has_strayed: bool,
) -> Option<String> {
    let command = &machine.commands[done.step.command];
    let mut chunks = vec![format!("{}(", command.name)];
    for (index, (parameter, text)) in command.parameters.iter().zip(&done.texts).enumerate() {
        let Parameter { name, slot } = parameter;
        let last = chunks.last_mut()?;
        last.push_str(if index > 0 { ", " } else { "" });
        last.push_str(name);
        last.push_str(": ");
        // What an earlier step returned may differ each time, and what panicked while it was drawn is not known.
        let is_open = match slot {
            Slot::Fixed(_) => false,
            Slot::Live(_) => has_strayed,
            Slot::Reference(_) => true,
        };
        let is_open = is_open || **text == *UNKNOWN || line.shown.contains(&format!("{name}: {UNKNOWN}"));
        if is_open {
            chunks.push(String::new());
        } else {
            last.push_str(text);
        }
    }
    chunks.last_mut()?.push(')');
    let chunks: Vec<String> = chunks.iter().map(|chunk| plain(chunk)).collect();
    let written = write_step(machine, &[], done);
    (!has_chunks(&line.shown, &chunks))
        .then(|| written.rsplit_once(" #").map_or_else(String::new, |(shown, _)| shown.trim().to_owned()))
}

/// Whether a text consists of these chunks, with anything between them.
fn has_chunks(text: &str, chunks: &[String]) -> bool {
    let [first, middle @ .., last] = chunks else {
        return chunks.first().is_some_and(|only| only.trim() == text);
    };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for chunk in middle {
        let Some((_, after)) = rest.split_once(chunk.as_str()) else { return false };
        rest = after;
    }
    rest.ends_with(last.as_str())
}

fn encode(choice: &Choice, done: &[Done]) -> String {
    match choice {
        Choice::Born(birth) => {
            let index = done.iter().position(|step| step.step.uid == birth.uid);
            let index = index.map_or_else(|| "start".to_owned(), |index| index.to_string());
            format!("@{index}.{}", birth.ordinal)
        }
        Choice::Text(_) | Choice::Simplest => "least".to_owned(),
        Choice::Gene(Gene { origin, path }) | Choice::Keep(_, Gene { origin, path }) => {
            let moves: String = path.iter().map(|is_simplify| if *is_simplify { '-' } else { '+' }).collect();
            match origin {
                Origin::Seed(seed) => format!("s{seed:x}{moves}"),
                Origin::State([x, y, z, w]) => format!("t{x:08x}{y:08x}{z:08x}{w:08x}{moves}"),
                Origin::Words(words) => {
                    let words: Vec<String> = words.iter().map(|word| format!("{word:x}")).collect();
                    format!("w{}{moves}", words.join("."))
                }
            }
        }
    }
}

fn decode(word: &str) -> Option<Choice> {
    if word == "least" {
        return Some(Choice::Simplest);
    }
    if let Some(birth) = word.strip_prefix('@') {
        let (step, ordinal) = birth.split_once('.')?;
        let uid = if step == "start" { BEFORE } else { step.parse().ok()? };
        return Some(Choice::Born(Birth { uid, ordinal: ordinal.parse().ok()? }));
    }
    let n_digits = word.find(['-', '+']).unwrap_or(word.len());
    let path = word[n_digits..].chars().map(|letter| letter == '-').collect();
    let digits = &word[..n_digits];
    let origin = if let Some(seed) = digits.strip_prefix('s') {
        Origin::Seed(u64::from_str_radix(seed, 16).ok()?)
    } else if let Some(state) = digits.strip_prefix('t') {
        let word = |index: usize| u32::from_str_radix(state.get(8 * index..8 * (index + 1))?, 16).ok();
        Origin::State([word(0)?, word(1)?, word(2)?, word(3)?])
    } else {
        let words = digits.strip_prefix('w')?;
        let words = words.split('.').filter(|word| !word.is_empty());
        Origin::Words(words.map(|word| u32::from_str_radix(word, 16).ok()).collect::<Option<_>>()?)
    };
    Some(Choice::Gene(Gene { origin, path }))
}
