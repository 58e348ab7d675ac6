//! Where things lie on disk: the workspace, what it needs beside it, and what was installed for its tests.

use std::path::{Path, PathBuf};

/// The folder that holds the workspace's `Cargo.toml`.
#[must_use]
pub fn root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).expect("this crate lies two folders below the root").to_path_buf()
}

/// The ignored folder into which `cargo xtask deps` installs what tests run.
#[must_use]
pub fn deps() -> PathBuf {
    root().join(".deps")
}

/// The folder whose `node_modules` hold the npm packages.
#[must_use]
pub fn npm() -> PathBuf {
    deps().join("npm")
}

/// The virtual environment made from `testdeps/python/NAME.txt`.
#[must_use]
pub fn python(name: &str) -> PathBuf {
    deps().join("python").join(name)
}
