//! The corpus of real contracts, read in place; it lies beside the workspace and is no part of it.
//!
//! A clone without the corpus is a good clone: a test that wants it says what it could not look at with
//! [`skip`](crate::skip()) and ends.

pub mod suite;
pub mod index;
pub mod openapi;

use std::path::{Path, PathBuf};

use crate::workspace;

/// The environment variable that names the corpus when it does not lie beside the workspace.
pub const CORPUS: &str = "PROBITY_CORPUS";

/// A folder laid out as the shared corpus is: `index.json`, `jsts.ndjson`, `schemastore/` and `openapi/`.
#[derive(Debug, Clone)]
pub struct Corpus {
    folder: PathBuf,
}

/// Why a part of the corpus could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// A file is missing or cannot be read.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// A file does not hold what its place in the corpus promises.
    #[error("{} line {line}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
}

impl Corpus {
    /// The corpus in a folder, if the folder is laid out as one.
    #[must_use]
    pub fn at(folder: &Path) -> Option<Self> {
        folder.join("index.json").is_file().then(|| Self { folder: folder.to_path_buf() })
    }

    /// The corpus named by [`CORPUS`], or else `../shared/corpus` seen from the workspace.
    #[must_use]
    pub fn beside_workspace() -> Option<Self> {
        let named = std::env::var_os(CORPUS).map(PathBuf::from);
        Self::at(&named.unwrap_or_else(|| workspace::root().join("../shared/corpus")))
    }

    /// The folder this corpus is read from.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Reads a text file of the corpus.
fn read(path: &Path) -> Result<String, CorpusError> {
    std::fs::read_to_string(path)
        .map_err(|reason| CorpusError::Unreadable { path: path.to_path_buf(), reason })
}
