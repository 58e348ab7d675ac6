//! What can be typed after `probity completions` and `probity man`.

use std::path::PathBuf;

/// Options of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  For bash, from the next login on:
    folder=~/.local/share/bash-completion/completions
    mkdir -p $folder && probity completions bash > $folder/probity
  For zsh, into a folder that is in your fpath:
    mkdir -p ~/.zfunc && probity completions zsh > ~/.zfunc/_probity
  For fish:
    mkdir -p ~/.config/fish/completions
    probity completions fish > ~/.config/fish/completions/probity.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Options of `man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Read it:
    probity man | man -l -
  Install a page for every command:
    probity man -o ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write a page for every command into this folder instead of standard output
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}
