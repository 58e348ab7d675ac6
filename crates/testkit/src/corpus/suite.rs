//! The groups of the official JSON Schema test suite: a schema, and instances whose verdicts are known.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::corpus::{Corpus, CorpusError, read};
use crate::draft::Draft;

/// A schema of the suite and its tests.
#[derive(Debug, Clone, Deserialize)]
pub struct Group {
    /// Its name in the corpus, such as `jsts/2020-12/anchor/0`.
    pub id: String,
    /// The draft it belongs to.
    #[serde(deserialize_with = "draft")]
    pub draft: Draft,
    /// What the suite says the group is about.
    #[serde(rename = "desc")]
    pub description: String,
    /// Whether at least one of its tests is a valid instance.
    #[serde(rename = "satisfiable")]
    pub is_satisfiable: bool,
    /// Whether implementations may leave it out.
    #[serde(rename = "optional")]
    pub is_optional: bool,
    /// Addresses of other documents it refers to.
    pub external: Vec<String>,
    /// Instances with the suite's verdicts.
    pub tests: Vec<Known>,
    /// The schema, letter by letter.
    pub schema: Box<RawValue>,
}

/// An instance whose verdict is known.
#[derive(Debug, Clone, Deserialize)]
pub struct Known {
    /// What the suite says the test shows.
    pub description: String,
    /// The instance, letter by letter.
    pub data: Box<RawValue>,
    /// Whether the schema allows it.
    #[serde(rename = "valid")]
    pub is_valid: bool,
}

impl Corpus {
    /// Every group of the suite, those outside the index included.
    pub fn groups(&self) -> Result<Vec<Group>, CorpusError> {
        let path = self.folder.join("jsts.ndjson");
        let text = read(&path)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(at, line)| {
                serde_json::from_str(line).map_err(|error| CorpusError::Malformed {
                    path: path.clone(),
                    line: at + 1,
                    reason: error.to_string(),
                })
            })
            .collect()
    }
}

/// The group of that name.
#[must_use]
pub fn group<'a>(groups: &'a [Group], id: &str) -> Option<&'a Group> {
    groups.iter().find(|group| group.id == id)
}

fn draft<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Draft, D::Error> {
    let name = String::deserialize(deserializer)?;
    Draft::named(&name).ok_or_else(|| serde::de::Error::custom(format!("\"{name}\" is not a draft")))
}
