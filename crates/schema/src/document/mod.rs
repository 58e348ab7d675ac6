//! A contract's text as a document: its value, its dialect, and the documents it may refer to.
//!
//! Nothing is ever fetched: a reference leads into this document or into one that the caller supplied.

mod brief;
mod dialect;
mod misspelt;
mod subschema;
mod older;
mod lenient;
mod parse;
mod reference;
mod strict;

use std::sync::Arc;

use serde_json::Value;

use crate::json::Pointer;
use crate::limits::Limits;

pub(crate) use brief::{brief, brief_within};
pub use dialect::{DIALECTS, Dialect};
pub(crate) use misspelt::misspelt;
pub(crate) use older::of_its_draft;
pub use parse::TextForm;
pub(crate) use reference::{Library, Lost, Offline, Place, Places, Scope, decoded, identity};
pub use reference::{resolve_uri, told_beside};
pub(crate) use strict::stricter;
pub(crate) use subschema::{any_schema, each_schema, each_subschema, with_schemas, with_subschemas};

/// The base of a document that has no address of its own.
pub const DEFAULT_BASE: &str = "json-schema:///";

/// How to read a document.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// How the text is written.
    pub form: TextForm,
    /// The dialect, whatever the document says of itself.
    pub dialect: Option<Dialect>,
    /// The address that relative references start from, unless the document has an `$id`.
    pub base: Option<String>,
    /// Other documents that references may lead to, each with its address.
    pub supplied: Vec<(String, Value)>,
    /// What reading may cost.
    pub limits: Limits,
}

/// A document that was read: a value, its dialect and whatever it may refer to.
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) root: Arc<Value>,
    pub(crate) dialect: Dialect,
    pub(crate) base: String,
    pub(crate) supplied: Arc<Vec<(String, Value)>>,
    pub(crate) notes: Vec<Note>,
    pub(crate) limits: Limits,
    /// A narrower reading of the same schemas that instances should satisfy too, where there is one.
    pub(crate) stricter: Option<Arc<Document>>,
}

/// Something that was degraded or odd, said beside the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What kind of thing it is.
    pub code: NoteCode,
    /// The document it is about, as it is told beside the contract; `None` for the contract itself.
    pub address: Option<String>,
    /// Where in it.
    pub at: Pointer,
    /// What it means for the user.
    pub text: String,
}

/// The kinds of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NoteCode {
    /// A member is written twice in the text.
    RepeatedMember,
    /// A part of the contract that no value reaches has a broken reference.
    UnusedReference,
    /// A part of the contract admits no value.
    Unsatisfiable,
    /// A keyword of another dialect was left out, because this one forbids its form.
    Outdated,
    /// A part was widened for drawing; its instances are judged afterwards.
    Relaxed,
    /// A word that says nothing is nearly a keyword.
    Misspelt,
    /// A format that is not known, so that it says nothing.
    UnknownFormat,
}

impl NoteCode {
    /// A stable name for machines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RepeatedMember => "repeated-member",
            Self::UnusedReference => "unused-reference",
            Self::Unsatisfiable => "unsatisfiable",
            Self::Outdated => "outdated",
            Self::Relaxed => "relaxed",
            Self::Misspelt => "misspelt",
            Self::UnknownFormat => "unknown-format",
        }
    }
}

/// Why a contract could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is no text.
    #[error("the text is empty; a contract is a JSON or YAML document")]
    Empty,
    /// The text is longer than the limit.
    #[error("the text has {bytes} bytes, the limit is {most}; split the contract or raise the limit")]
    TooLarge {
        /// Its length.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// The text is not JSON.
    #[error("at line {line}, column {column}: not JSON: {reason}")]
    NotJson {
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
        /// What the reader said.
        reason: String,
    },
    /// The text is not YAML.
    #[error("at line {line}, column {column}: neither JSON nor YAML: {reason}")]
    NotYaml {
        /// Where.
        line: u64,
        /// Where in the line.
        column: u64,
        /// What the reader said.
        reason: String,
    },
    /// The text holds several YAML documents.
    #[error(
        "at line {line}: a second YAML document begins here, and a file holds one; \
         give each document a file of its own, without the \"---\" between them"
    )]
    SeveralDocuments {
        /// Where the second one begins.
        line: u64,
    },
    /// The text is nested too deep.
    #[error("at line {line}: nested more than 127 levels deep; move inner parts to $defs and refer to them")]
    TooDeep {
        /// Where.
        line: u64,
    },
    /// The value is no schema.
    #[error("at {at}: {found} is not a schema; a schema is an object, true or false")]
    NotASchema {
        /// Where.
        at: Pointer,
        /// What is there.
        found: String,
    },
    /// The `$schema` names a dialect we do not know.
    #[error(
        "at #/$schema: the dialect {uri:?} is not known; choose one of 4, 6, 7, 2019-09, 2020-12 (--draft), \
         or supply its meta-schema (--ref)"
    )]
    UnknownDialect {
        /// What it names.
        uri: String,
    },
    /// A keyword has a value that the dialect does not allow.
    #[error("at {at}: {reason}")]
    BrokenKeyword {
        /// Where.
        at: Pointer,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// A reference names a place that is not there.
    #[error("at {at}: {target:?} is not there{}", nearest.as_ref().map(|name| format!("; the nearest name is {name:?}")).unwrap_or_default())]
    DanglingReference {
        /// Where.
        at: Pointer,
        /// What it names.
        target: String,
        /// A similar name that exists.
        nearest: Option<String>,
    },
    /// A reference leads to a document that was not supplied.
    #[error(
        "at {at}: {target:?} leads to {address}, and nothing is fetched; \
         supply that document with --ref {address}=FILE or --ref-dir DIR"
    )]
    ExternalReference {
        /// Where.
        at: Pointer,
        /// What it names.
        target: String,
        /// The address of the document that is missing.
        address: String,
    },
    /// An identifier or address is no URI.
    #[error("at {at}: {text:?} is not a URI: {reason}")]
    BadAddress {
        /// Where.
        at: Pointer,
        /// What it says.
        text: String,
        /// Why it is none.
        reason: String,
    },
    /// The contract has more subschemas than the limit.
    #[error("the contract has more than {most} subschemas; split it or raise the limit")]
    TooManyNodes {
        /// The limit.
        most: usize,
    },
    /// Judging a value would take too long.
    #[error(
        "at {at}: judging one value takes more than {most} steps, so often do the parts of this schema refer to \
         one another; name each part once where it applies"
    )]
    TooTangled {
        /// The schema.
        at: Pointer,
        /// The limit.
        most: u64,
    },
    /// The patterns of the contract would take too much memory.
    #[error(
        "at {at}: the patterns up to this one take more than {most} MB when they are made ready to match; \
         state lengths with \"maxLength\" instead of counted repetitions such as {{1,5000}}"
    )]
    HeavyPatterns {
        /// The pattern that is one too many.
        at: Pointer,
        /// The limit.
        most: u64,
    },
    /// A supplied document could not be read.
    #[error("in {address}: {error}")]
    InSupplied {
        /// Which one.
        address: String,
        /// What is wrong with it.
        error: Box<ReadError>,
    },
}

impl Document {
    /// Reads a JSON Schema from its text.
    ///
    /// ```
    /// use probity_schema::{Document, ReadOptions};
    /// let document = Document::read(r#"{"type": "integer"}"#, &ReadOptions::default())?;
    /// assert_eq!(document.dialect().to_string(), "draft 2020-12");
    /// # Ok::<(), probity_schema::ReadError>(())
    /// ```
    pub fn read(text: &str, options: &ReadOptions) -> Result<Self, ReadError> {
        let (root, notes) = parse::parse(text, options.form, &options.limits)?;
        let mut document = Self::of_value(root, options)?;
        document.notes.splice(0..0, notes);
        Ok(document)
    }

    /// Takes a JSON Schema that is a value already.
    pub fn of_value(root: Value, options: &ReadOptions) -> Result<Self, ReadError> {
        let ReadOptions { form: _, dialect, base, supplied, limits } = options;
        if !(root.is_object() || root.is_boolean()) {
            return Err(ReadError::NotASchema { at: Pointer::root(), found: brief(&root) });
        }
        let dialect = match dialect {
            Some(dialect) => *dialect,
            None => dialect::detect(&root, supplied)?,
        };
        let base = address(&root, dialect, base.as_deref().unwrap_or(DEFAULT_BASE));
        let mut notes = Vec::new();
        let root = lenient::without_outdated(root, dialect, &mut notes);
        Ok(Self {
            root: Arc::new(root),
            dialect,
            base,
            supplied: Arc::new(supplied.clone()),
            notes,
            limits: limits.clone(),
            stricter: None,
        })
    }

    /// The document as a value.
    #[must_use]
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The dialect it is read in.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What was odd about the text.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

/// The address of a document: its own identifier, seen from where it was found.
fn address(root: &Value, dialect: Dialect, found: &str) -> String {
    let id = root.get(dialect.draft().id_keyword()).and_then(Value::as_str);
    let is_overridden = root.get("$ref").is_some() && !dialect.reads_beside_references();
    let id = id.map(|id| id.split('#').next().unwrap_or(id)).filter(|id| !id.is_empty() && !is_overridden);
    id.and_then(|id| reference::resolve_uri(found, id)).unwrap_or_else(|| found.to_owned())
}

/// Reads a text into a plain value, for documents that others refer to.
pub fn read_value(text: &str, form: TextForm, limits: &Limits) -> Result<Value, ReadError> {
    parse::parse(text, form, limits).map(|(value, _)| value)
}

/// Reads a text into a plain value, with what was odd about it.
pub(crate) fn read_text(
    text: &str,
    form: TextForm,
    limits: &Limits,
) -> Result<(Value, Vec<Note>), ReadError> {
    parse::parse(text, form, limits)
}

/// Words that say nothing about values, so that a reference beside them still stands alone.
pub(crate) const SILENT: &[&str] = &[
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "$schema",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$vocabulary",
    "markdownDescription",
];
