//! The OpenAPI documents of the corpus, unpacked.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use crate::corpus::{Corpus, CorpusError};

/// An OpenAPI document: its name, and where its packed text lies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Document {
    /// Its file's name without endings, such as `petstore-31`.
    pub name: String,
    path: PathBuf,
}

impl Document {
    /// The document's text.
    pub fn text(&self) -> Result<String, CorpusError> {
        unpack(&self.path).map_err(|reason| CorpusError::Unreadable { path: self.path.clone(), reason })
    }
}

impl Corpus {
    /// Every OpenAPI document, by name.
    pub fn documents(&self) -> Result<Vec<Document>, CorpusError> {
        let folder = self.folder.join("openapi/docs");
        let unreadable = |reason| CorpusError::Unreadable { path: folder.clone(), reason };
        let mut documents = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            if let Some(name) = file_name.as_deref().and_then(|name| name.strip_suffix(".json.gz")) {
                documents.push(Document { name: name.to_owned(), path });
            }
        }
        documents.sort();
        Ok(documents)
    }
}

fn unpack(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}
