//! The command line: what was typed becomes what was meant, and one command runs.

fn main() {}
