//! The page that lists every chore.

use std::fmt::Write as _;

use crate::{CHORES, Chore};
use probity_testkit::trouble::{Trouble, no_arguments};

pub(crate) const ABOUT: &str = "Show this page.";

pub(crate) fn run(arguments: &[String]) -> Result<(), Trouble> {
    no_arguments("help", arguments)?;
    print!("{}", page());
    Ok(())
}

/// The page as text, for whoever typed a chore that is not there.
pub(crate) fn page() -> String {
    let mut page = String::from("cargo xtask NAME: the project's own chores\n");
    for Chore { name, arguments, about, run: _ } in CHORES {
        let heading = format!("{name} {arguments}");
        writeln!(page, "\n  {}\n      {about}", heading.trim_end()).expect("a string takes all text");
    }
    page
}
