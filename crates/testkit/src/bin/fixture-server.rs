//! A server that behaves in one way, chosen by its only argument; `--list` prints the ways.

use std::process::ExitCode;

use probity_testkit::servers::{MODES, Mode};

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    if wanted == "--list" {
        for Mode { name, about, run: _ } in MODES.iter().flat_map(|family| family.iter()) {
            println!("{name}: {about}");
        }
        return ExitCode::SUCCESS;
    }
    let modes = MODES.iter().flat_map(|family| family.iter());
    let Some(mode) = modes.into_iter().find(|mode| mode.name == wanted) else {
        eprintln!("there is no mode {wanted:?}; --list names them");
        return ExitCode::from(2);
    };
    (mode.run)();
    ExitCode::SUCCESS
}
