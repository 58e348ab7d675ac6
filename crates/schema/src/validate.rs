//! The oracle: whether a value fits the contract as the user wrote it, and if not, where and why.
//!
//! The only room that knows `jsonschema::Validator`.

mod wording;

use std::fmt::Write as _;
use std::sync::{LazyLock, OnceLock};

use jsonschema::error::TypeKind;
use jsonschema::{JsonType, ValidationError, Validator};
use referencing::{Registry, SPECIFICATIONS};
use serde_json::{Value, json};

use crate::contract::Node;
use crate::document::{Dialect, Document, Offline, ReadError, brief, of_its_draft};
use crate::json::Pointer;
use crate::nearest::nearest;
use crate::validate::wording::{members, worded};

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
    /// What is wrong about the value, in one short line.
    pub message: String,
    /// The members that are not allowed, where it is about them.
    pub(crate) members: Vec<String>,
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
            .map_err(|error| of_its_draft(self.document, broken(&error)))
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
        message: worded(error),
        members: members(error),
    }
}

/// What the meta-schema said about a schema, as our own error.
pub(crate) fn broken(error: &ValidationError<'_>) -> ReadError {
    let at = Pointer::parse(error.instance_path().as_str()).unwrap_or_default();
    let keyword = at.tokens().last();
    if let Some(reason) = misnamed(error).filter(|_| keyword.as_deref() == Some("type")) {
        return ReadError::BrokenKeyword { at, reason };
    }
    let reason = match error.kind() {
        jsonschema::error::ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(kind) => kind.to_string(),
                TypeKind::Multiple(kinds) => {
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
        _ => worded(error),
    };
    ReadError::BrokenKeyword { at, reason }
}

/// What `type` may name.
const TYPES: &[&str] = &["array", "boolean", "integer", "null", "number", "object", "string"];

/// What other languages call the types.
const FOREIGN: &[(&str, &[&str])] = &[
    ("array", &["list", "tuple", "set"]),
    ("integer", &["long", "short", "int32", "int64"]),
    ("null", &["none", "nil", "undefined"]),
    ("number", &["float", "double", "decimal"]),
    ("object", &["dict", "map", "hash", "struct"]),
    ("string", &["text", "char", "date", "date-time", "datetime", "uuid", "file", "binary"]),
];

/// Why the value of a `type` is none, with what may have been meant; nothing if the error is about something else.
///
/// A meta-schema says that no branch of an `anyOf` fits, a compiler that a name is unexpected: neither says what would be right.
fn misnamed(error: &ValidationError<'_>) -> Option<String> {
    use jsonschema::error::ValidationErrorKind as Kind;
    let is_meta = |place: &str| error.schema_path().as_str().ends_with(place);
    let value: &Value = error.instance();
    match error.kind() {
        Kind::AnyOf { .. } if is_meta("/properties/type/anyOf") => {}
        Kind::Custom { message, .. } if message == "Unexpected type" => {}
        Kind::Enum { .. } | Kind::Type { kind: TypeKind::Single(JsonType::String) } => {}
        // The schema of a property that is called "type" is an object or a boolean.
        Kind::Type { kind: TypeKind::Multiple(kinds) } if !kinds.contains(JsonType::Object) => {}
        _ => return None,
    }
    let is_type = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    let wrong = match value {
        Value::Array(names) => match names.iter().find(|name| !is_type(name)) {
            Some(wrong) => wrong,
            None if names.is_empty() => return Some(format!("[] names no type; {}", all_types())),
            None => return Some(format!("{} names a type twice; name each once", brief(value))),
        },
        single => single,
    };
    let hint = wrong.as_str().and_then(|name| {
        let small = name.to_lowercase();
        let foreign = FOREIGN.iter().find(|(_, names)| names.contains(&small.as_str()));
        foreign.map(|(ours, _)| *ours).or_else(|| nearest(TYPES.iter().copied(), name))
    });
    let hint = hint.map(|name| format!("; the nearest is {name:?}")).unwrap_or_default();
    Some(format!("{} is not a type; {}{hint}", brief(wrong), all_types()))
}

fn all_types() -> String {
    format!("the types are {}", TYPES.join(", "))
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
