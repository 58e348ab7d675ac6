//! The corpus's list of schemas that must be served, each with its part, its draft and its text.

use serde::Deserialize;

use crate::corpus::{Corpus, CorpusError, read, suite};
use crate::draft::Draft;

/// A schema of the corpus that is satisfiable, self-contained and required.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its name in the corpus, such as `ss/first-timers.json`.
    pub id: String,
    /// The part it belongs to: `schemastore`, `openapi`, or `jsts-` and a draft.
    pub part: String,
    /// The draft it is written in.
    pub draft: Draft,
    /// The schema as JSON text.
    pub schema: String,
}

/// A line of `index.json`; a schema without a path is a group of the test suite.
#[derive(Deserialize)]
struct Line {
    id: String,
    part: String,
    draft: String,
    path: Option<String>,
}

impl Corpus {
    /// Every schema of the index, in its order.
    pub fn records(&self) -> Result<Vec<Record>, CorpusError> {
        let path = self.folder.join("index.json");
        let malformed = |line, reason| CorpusError::Malformed { path: path.clone(), line, reason };
        let lines: Vec<Line> = serde_json::from_str(&read(&path)?)
            .map_err(|error| malformed(error.line(), error.to_string()))?;
        let groups = self.groups()?;
        let mut records = Vec::with_capacity(lines.len());
        for Line { id, part, draft, path } in lines {
            let draft = Draft::named(&draft)
                .ok_or_else(|| malformed(1, format!("{id}: \"{draft}\" is not a draft")))?;
            let schema = match path {
                Some(path) => read(&self.folder.join(path))?,
                None => suite::group(&groups, &id)
                    .ok_or_else(|| malformed(1, format!("{id}: no such group in jsts.ndjson")))?
                    .schema
                    .get()
                    .to_owned(),
            };
            records.push(Record { id, part, draft, schema });
        }
        Ok(records)
    }
}
