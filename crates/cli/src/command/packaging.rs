//! `probity completions` and `probity man`: what packagers install beside the program.

use clap_mangen::Man;

use crate::args::{CompletionsArgs, ManArgs, described};
use crate::command::sheet::write_file;
use crate::config::in_file;
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

pub(crate) fn completions(args: &CompletionsArgs, console: &Console) -> Result<Outcome, Trouble> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut described(), "probity", &mut text);
    console.data(String::from_utf8_lossy(&text).trim_end())?;
    Ok(Outcome::Done)
}

pub(crate) fn man(args: &ManArgs, console: &Console) -> Result<Outcome, Trouble> {
    let mut command = described();
    // Names below are those a person types, `probity coverage diff`, and become those of pages, `probity-coverage-diff`.
    command.build();
    let Some(folder) = &args.output else {
        console.data(page(&command)?.trim_end())?;
        return Ok(Outcome::Done);
    };
    std::fs::create_dir_all(folder).map_err(|error| in_file(folder, &format!("cannot be made: {error}")))?;
    let mut open = vec![&command];
    while let Some(command) = open.pop() {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        write_file(&folder.join(format!("{name}.1")), &page(command)?)?;
        open.extend(command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help"));
    }
    Ok(Outcome::Done)
}

fn page(command: &clap::Command) -> Result<String, Trouble> {
    let mut text = Vec::new();
    Man::new(command.clone())
        .render(&mut text)
        .map_err(|error| Trouble::misused(format!("the manual page cannot be made: {error}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
