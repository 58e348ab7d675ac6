//! Which version of JSON Schema a document speaks.

use std::fmt;

use referencing::Draft;
use serde_json::Value;

use crate::document::ReadError;
use crate::json::Pointer;

/// A version of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// Draft 2019-09.
    Draft201909,
    /// Draft 2020-12, taken where a document does not say.
    #[default]
    Draft202012,
}

/// Every dialect with the name people write for it.
pub const DIALECTS: &[(&str, Dialect)] = &[
    ("4", Dialect::Draft4),
    ("6", Dialect::Draft6),
    ("7", Dialect::Draft7),
    ("2019-09", Dialect::Draft201909),
    ("2020-12", Dialect::Draft202012),
];

impl Dialect {
    /// Reads a name such as `7`, `draft7`, `draft-07` or `2020-12`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let bare = name.trim_start_matches("draft").trim_start_matches(['-', '_']).trim_start_matches('0');
        DIALECTS.iter().find(|(known, _)| *known == bare).map(|(_, dialect)| *dialect)
    }

    pub(crate) fn draft(self) -> Draft {
        match self {
            Self::Draft4 => Draft::Draft4,
            Self::Draft6 => Draft::Draft6,
            Self::Draft7 => Draft::Draft7,
            Self::Draft201909 => Draft::Draft201909,
            Self::Draft202012 => Draft::Draft202012,
        }
    }

    pub(crate) fn from_draft(draft: Draft) -> Option<Self> {
        match draft {
            Draft::Draft4 => Some(Self::Draft4),
            Draft::Draft6 => Some(Self::Draft6),
            Draft::Draft7 => Some(Self::Draft7),
            Draft::Draft201909 => Some(Self::Draft201909),
            Draft::Draft202012 => Some(Self::Draft202012),
            _ => None,
        }
    }

    /// Whether `$ref` leaves its neighbours in force (2019-09 §8.2.4.1); before, it stood alone.
    pub(crate) fn reads_beside_references(self) -> bool {
        self >= Self::Draft201909
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = DIALECTS.iter().find(|(_, dialect)| dialect == self).map_or("", |(name, _)| name);
        write!(out, "draft {name}")
    }
}

/// Finds the dialect by `$schema`; a meta-schema of the user's own is followed through the documents supplied.
pub(crate) fn detect(root: &Value, supplied: &[(String, Value)]) -> Result<Dialect, ReadError> {
    let mut schema = root;
    // A chain of meta-schemas longer than this is a circle.
    for _ in 0..8 {
        let Some(uri) = schema.get("$schema") else { return Ok(Dialect::default()) };
        let Some(uri) = uri.as_str() else {
            return Err(ReadError::BrokenKeyword {
                at: Pointer::root().child("$schema"),
                reason: format!(
                    "{uri} is not a text; name a dialect such as \"https://json-schema.org/draft/2020-12/schema\""
                ),
            });
        };
        if let Some(dialect) = Dialect::from_draft(Draft::from_schema_uri(uri)) {
            return Ok(dialect);
        }
        let bare = uri.trim_end_matches('#');
        match supplied.iter().find(|(name, _)| name.trim_end_matches('#') == bare) {
            Some((_, meta)) => schema = meta,
            None => return Err(ReadError::UnknownDialect { uri: uri.to_owned() }),
        }
    }
    Err(ReadError::UnknownDialect { uri: root["$schema"].as_str().unwrap_or_default().to_owned() })
}
