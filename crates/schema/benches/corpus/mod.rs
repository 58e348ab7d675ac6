//! The corpus that the benches measure on, beside the workspace or where the environment says.

use std::path::{Path, PathBuf};

/// The folder named by the environment, or the one beside the workspace.
pub(crate) fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("PROBITY_CORPUS").map_or_else(beside, PathBuf::from);
    folder.join("index.json").is_file().then_some(folder)
}

/// The schemas of one folder of the corpus, sorted by name.
pub(crate) fn schemas(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut paths: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    Ok(paths)
}

/// The name of a schema's file.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
