//! The oracle: whether a value fits the contract as the user wrote it, and if not, where and why.
//!
//! The only room that knows `jsonschema::Validator`.

use std::fmt::Write as _;
use std::sync::{LazyLock, OnceLock};

use jsonschema::{ValidationError, Validator};
use referencing::{Registry, SPECIFICATIONS};
use serde_json::{Value, json};

use crate::contract::Node;
use crate::document::{Dialect, Document, Offline, ReadError, brief};
use crate::json::Pointer;

/// Whether `format` is a demand or a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Formats {
    /// A string must have the format it is said to have.
    #[default]
    Assert,
    /// A format is a remark; any string will do.
    Annotate,
}

/// The validator that judges, with its version, as reports name it.
pub(crate) const VALIDATOR: &str = "jsonschema 0.60.2";

/// Judges values by one schema.
#[derive(Debug)]
pub struct Oracle {
    validator: Validator,
}

/// One way in which a value breaks its contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where in the value.
    pub instance: Pointer,
    /// Which keyword, as a place in the schema.
    pub schema: Pointer,
    /// The name of the keyword.
    pub keyword: String,
    /// What the oracle says.
    pub message: String,
}

/// Builds oracles for the parts of one document, which is read once.
#[derive(Debug)]
pub struct Oracles<'a> {
    document: &'a Document,
    registry: Registry<'a>,
    formats: Formats,
}

impl<'a> Oracles<'a> {
    /// Makes a document ready to judge by.
    pub fn of(document: &'a Document, formats: Formats) -> Result<Self, ReadError> {
        let draft = document.dialect.draft();
        let unready = |error: referencing::Error| ReadError::BadAddress {
            at: Pointer::root(),
            text: document.base.clone(),
            reason: error.to_string(),
        };
        let mut builder =
            SPECIFICATIONS.add(&document.base, draft.create_resource_ref(&document.root)).map_err(unready)?;
        for (address, value) in document.supplied.iter() {
            builder = builder.add(address, value).map_err(unready)?;
        }
        let registry = builder.draft(draft).retriever(Offline).prepare().map_err(unready)?;
        Ok(Self { document, registry, formats })
    }

    /// The oracle of the whole document.
    pub fn root(&self) -> Result<Oracle, ReadError> {
        self.build(&self.document.root)
    }

    /// The oracle of the subschema at a place.
    pub fn at(&self, pointer: &Pointer) -> Result<Oracle, ReadError> {
        if pointer.as_str().is_empty() {
            return self.root();
        }
        self.build_part(&json!({ "$ref": format!("{}#{}", self.document.base, fragment(pointer)) }))
    }

    /// The oracle of a node of the document's contract, wherever the node stands.
    pub fn of_node(&self, node: &Node) -> Result<Oracle, ReadError> {
        match &node.address {
            None => self.at(&node.source),
            Some(address) => {
                self.build_part(&json!({ "$ref": format!("{address}#{}", fragment(&node.source)) }))
            }
        }
    }

    /// The oracle of the strings that match a regular expression.
    pub fn of_pattern(&self, pattern: &str) -> Result<Oracle, ReadError> {
        self.build_part(&json!({ "pattern": pattern }))
    }

    /// A schema of ours that refers into the document; its own address must not hide the document's.
    fn build_part(&self, schema: &Value) -> Result<Oracle, ReadError> {
        self.build_under(schema, "probity-part:///")
    }

    fn build(&self, schema: &Value) -> Result<Oracle, ReadError> {
        self.build_under(schema, &self.document.base)
    }

    fn build_under(&self, schema: &Value, base: &str) -> Result<Oracle, ReadError> {
        jsonschema::options()
            .with_draft(self.document.dialect.draft())
            .with_registry(&self.registry)
            .with_base_uri(base.to_owned())
            .with_retriever(Offline)
            .should_validate_formats(self.formats == Formats::Assert)
            .build(schema)
            .map(|validator| Oracle { validator })
            .map_err(|error| broken(&error))
    }
}

impl Oracle {
    /// Whether the value fits.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    /// Every way in which the value does not fit, at most `most` of them.
    #[must_use]
    pub fn violations(&self, value: &Value, most: usize) -> Vec<Violation> {
        self.validator.iter_errors(value).take(most).map(|error| violation(&error)).collect()
    }
}

fn violation(error: &ValidationError<'_>) -> Violation {
    Violation {
        instance: Pointer::parse(error.instance_path().as_str()).unwrap_or_default(),
        schema: Pointer::parse(error.schema_path().as_str()).unwrap_or_default(),
        keyword: error.kind().keyword().to_owned(),
        message: error.to_string(),
    }
}

/// What the meta-schema said about a schema, as our own error.
pub(crate) fn broken(error: &ValidationError<'_>) -> ReadError {
    let at = Pointer::parse(error.instance_path().as_str()).unwrap_or_default();
    let keyword = at.tokens().last();
    let reason = match error.kind() {
        jsonschema::error::ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                jsonschema::error::TypeKind::Single(kind) => kind.to_string(),
                jsonschema::error::TypeKind::Multiple(kinds) => {
                    kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            format!(
                "{} is not of the type that {} takes: {expected}",
                brief(error.instance()),
                named(keyword.as_deref())
            )
        }
        jsonschema::error::ValidationErrorKind::Format { format } if format == "regex" => {
            let pattern = brief(error.instance());
            match error.instance().as_str().filter(|pattern| is_regular_expression(pattern)) {
                Some(_) => format!(
                    "the regular expression {pattern} is larger than the matcher goes, or uses what it does not know; \
                     state lengths with \"maxLength\" instead of counted repetitions"
                ),
                None => format!("{pattern} is not a regular expression of ECMA-262"),
            }
        }
        _ => error.to_string(),
    };
    ReadError::BrokenKeyword { at, reason }
}

/// Whether a text is a regular expression by the grammar of ECMA-262, whatever it takes to match it.
///
/// ```
/// use probity_schema::is_regular_expression;
/// assert!(is_regular_expression("^.{1,65535}$"));
/// assert!(!is_regular_expression("("));
/// ```
#[must_use]
pub fn is_regular_expression(text: &str) -> bool {
    static GRAMMAR: LazyLock<Option<Validator>> = LazyLock::new(|| {
        jsonschema::options().should_validate_formats(true).build(&json!({ "format": "regex" })).ok()
    });
    GRAMMAR.as_ref().is_some_and(|grammar| grammar.is_valid(&Value::from(text)))
}

fn named(keyword: Option<&str>) -> String {
    keyword.map_or_else(|| "a schema".to_owned(), |keyword| format!("{keyword:?}"))
}

/// A pointer as the fragment of a URI.
pub(crate) fn fragment(pointer: &Pointer) -> String {
    let mut out = String::new();
    for byte in pointer.as_str().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'~' | b'-' | b'_' | b'.' | b'$' => {
                out.push(char::from(byte));
            }
            other => write!(out, "%{other:02X}").expect("writing to a string cannot fail"),
        }
    }
    out
}

/// Judges by a schema of our own making, which is written out and built when it is first asked: of very many judges few
/// ever are.
pub(crate) struct Judge {
    schema: Box<dyn Fn() -> Value + Send + Sync>,
    dialect: Dialect,
    formats: Formats,
    built: OnceLock<Option<Validator>>,
}

impl Judge {
    pub(crate) fn of(schema: Value, dialect: Dialect, formats: Formats) -> Self {
        Self::lazily(move || schema.clone(), dialect, formats)
    }

    pub(crate) fn lazily(
        schema: impl Fn() -> Value + Send + Sync + 'static,
        dialect: Dialect,
        formats: Formats,
    ) -> Self {
        Self { schema: Box::new(schema), dialect, formats, built: OnceLock::new() }
    }

    /// Whether the value fits; a schema that cannot be built turns nothing away.
    pub(crate) fn admits(&self, value: &Value) -> bool {
        let built = self.built.get_or_init(|| {
            jsonschema::options()
                .with_draft(self.dialect.draft())
                .with_retriever(Offline)
                .should_validate_formats(self.formats == Formats::Assert)
                .build(&(self.schema)())
                .ok()
        });
        built.as_ref().is_none_or(|validator| validator.is_valid(value))
    }
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Judge")
            .field("dialect", &self.dialect)
            .field("built", &self.built)
            .finish_non_exhaustive()
    }
}
