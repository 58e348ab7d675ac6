//! A sequence as text that people can read and the engine can replay: one step a line, its genes behind a `#`.

use crate::gene::{Gene, Origin};
use crate::machine::Machine;
use crate::pool::{BEFORE, Birth};
use crate::sequence::{Choice, Done, Step};
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
    let shown = shown.join(", ").replace(['\n', '\r', '#'], " ");
    let name = command.name.replace(['\n', '\r', '#'], " ");
    let choices: Vec<String> = step.step.choices.iter().map(|choice| encode(choice, done)).collect();
    let line = format!("{name}({shown}) # {} {}", step.step.command, choices.join(" "));
    format!("{}\n", line.trim_end())
}

/// Reads a sequence for this machine; lines without a `#` are comments.
pub(crate) fn read<M, S>(machine: &Machine<M, S>, script: &str) -> Result<Vec<Step>, SetupError> {
    let mut steps = Vec::new();
    for (index, line) in script.lines().enumerate() {
        let Some((shown, genes)) = line.rsplit_once('#').filter(|(shown, _)| !shown.trim().is_empty()) else {
            continue;
        };
        let fail = |reason: String| SetupError::Script { line: index + 1, reason };
        let name = shown.split('(').next().unwrap_or_default().trim();
        let mut words = genes.split_whitespace();
        let command = words.next().and_then(|word| word.parse::<usize>().ok());
        let is_named =
            |index: &usize| machine.commands.get(*index).is_some_and(|command| command.name == name);
        let command =
            command.filter(is_named).or_else(|| machine.commands.iter().position(|one| one.name == name));
        let command = command.ok_or_else(|| fail(format!("there is no command {name:?}")))?;
        let choices: Option<Vec<Choice>> = words.map(decode).collect();
        let choices = choices.ok_or_else(|| fail(format!("{:?} is not a list of genes", genes.trim())))?;
        let n_parameters = machine.commands[command].parameters.len();
        if choices.len() != n_parameters {
            return Err(fail(format!("{name:?} takes {n_parameters} arguments, not {}", choices.len())));
        }
        let uid = u32::try_from(steps.len()).map_err(|_| fail("the script is too long".to_owned()))?;
        steps.push(Step { uid, command, choices });
    }
    Ok(steps)
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
