//! Reading a coverage report that someone else may have written, cut short or changed.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::coverage::report::{CoverageReport, REPORT_SCHEMA, REPORT_VERSION};
use crate::document::{Document, ReadOptions};
use crate::json::Pointer;
use crate::validate::{Formats, Oracles};

/// Why a text is not a coverage report that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The text is not JSON.
    #[error(
        "at line {line}, column {column}: not JSON: {reason}; give the file that --coverage-report wrote"
    )]
    NotJson {
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
        /// What the reader said.
        reason: String,
    },
    /// The text ends in the middle.
    #[error("at line {line}: the report ends in the middle; write it again, the run was probably cut short")]
    CutShort {
        /// Where it ends.
        line: usize,
    },
    /// It is JSON, and no coverage report.
    #[error(
        "at #/version: there is no version, so this is no coverage report; expected \"coverage-report/v1\""
    )]
    NoReport,
    /// It has another version.
    #[error("at #/version: {found:?} is another version; expected \"coverage-report/v1\"")]
    OtherVersion {
        /// Its version.
        found: String,
    },
    /// A part of it is not as the version demands.
    #[error("at {at}: {reason}")]
    Broken {
        /// Where.
        at: Pointer,
        /// What is wrong.
        reason: String,
    },
}

/// Reads a report from its text.
pub fn read_report(text: &str) -> Result<CoverageReport, ReportError> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        if error.is_eof() {
            return ReportError::CutShort { line };
        }
        ReportError::NotJson { line, column, reason: bare(&error.to_string()) }
    })?;
    match value.get("version") {
        None => return Err(ReportError::NoReport),
        Some(Value::String(version)) if version == REPORT_VERSION => {}
        Some(other) => {
            let found = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
            return Err(ReportError::OtherVersion { found });
        }
    }
    check_shape(&value)?;
    let report: CoverageReport = serde_json::from_value(value)
        .map_err(|error| ReportError::Broken { at: Pointer::root(), reason: error.to_string() })?;
    let mut seen = BTreeSet::new();
    for (at, target) in report.targets.iter().enumerate() {
        if !seen.insert(target.id.as_str()) {
            return Err(ReportError::Broken {
                at: Pointer::root().child("targets").item(at).child("id"),
                reason: format!("{:?} is the id of another target too; ids are unique", target.id),
            });
        }
    }
    Ok(report)
}

fn check_shape(value: &Value) -> Result<(), ReportError> {
    let schema = Document::read(REPORT_SCHEMA, &ReadOptions::default()).expect("the shipped schema is one");
    let oracles =
        Oracles::of(&schema, Formats::Assert).expect("the shipped schema refers to nothing outside");
    let oracle = oracles.root().expect("the shipped schema is one");
    match oracle.violations(value, 1).pop() {
        None => Ok(()),
        Some(violation) => Err(ReportError::Broken {
            at: violation.instance,
            reason: violation.message.chars().take(200).collect(),
        }),
    }
}

/// The message without the position that `serde_json` puts at its end.
fn bare(message: &str) -> String {
    message.split(" at line ").next().unwrap_or(message).to_owned()
}
