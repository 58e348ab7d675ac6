//! The project's own chores, started with `cargo xtask NAME`.

fn main() {}
