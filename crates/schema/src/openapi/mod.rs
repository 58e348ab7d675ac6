//! OpenAPI documents: their operations, and data for every one of them.
//!
//! The description is read as it stands, so that pointers stay exact. Versions 3.0 and 3.1 in JSON or YAML are read; what
//! is broken is reported with its place, and the operations that do not depend on it still work.
//!
//! ```
//! use probity_schema::ReadOptions;
//! use probity_schema::openapi::Api;
//! let text = "openapi: 3.1.0\npaths:\n  /pets:\n    get:\n      responses: {200: {description: ok}}\n";
//! let api = Api::read(text, &ReadOptions::default())?;
//! assert_eq!(api.operations()[0].key, "GET /pets");
//! # Ok::<(), probity_schema::openapi::ApiError>(())
//! ```

mod problem;
mod shelf;
mod media;
mod parameter;
mod operation;
mod answer;
mod dialect30;
mod discriminator;
mod piece;
mod one_way;
mod cut;
mod encode;
mod decode;
mod request;
mod unit;
mod unmade;
mod select;
mod feed;
mod read_back;
mod suite;
mod guided;
mod doubt;

use serde_json::Value;

use crate::document::{DEFAULT_BASE, Note, ReadOptions, brief, read_text};
use crate::limits::Limits;

use discriminator::Families;
use piece::Stock;
use shelf::{Shelf, Volume};

pub use feed::Feed;
pub use guided::{GuideOptions, Ledger, UnitPlan, guide};
pub use media::is_json;
pub use operation::{Answer, Content, Declared, Operation};
pub use parameter::{LOCATIONS, Location, Parameter, Style};
pub use piece::Version;
pub use problem::{ApiError, Problem, ProblemKind};
pub use request::Request;
pub use select::Filter;
pub use suite::{Meter, Suite};
pub use unit::{Argument, Case, PARTS, Part, Unit, shares};

/// An API description that was read.
#[derive(Debug)]
pub struct Api {
    shelf: Shelf,
    version: Version,
    families: Families,
    limits: Limits,
    operations: Vec<Operation>,
    problems: Vec<Problem>,
}

impl Api {
    /// Reads a description from its text; other documents that it refers to are supplied with the options.
    pub fn read(text: &str, options: &ReadOptions) -> Result<Self, ApiError> {
        let ReadOptions { form, dialect: _, base, supplied, limits } = options;
        let (root, notes) = read_text(text, *form, limits)?;
        let mut problems: Vec<Problem> = notes.iter().map(problem_of).collect();
        let version = version_of(&root, &mut problems).map_err(ApiError::Unusable)?;
        check_paths(&root, version).map_err(ApiError::Unusable)?;
        let base = base.as_deref().unwrap_or(DEFAULT_BASE).to_owned();
        let others =
            supplied.iter().map(|(address, root)| Volume { address: address.clone(), root: root.clone() });
        let shelf = Shelf::of(std::iter::once(Volume { address: base, root }).chain(others).collect());
        let operations = operation::read_all(&shelf, &mut problems);
        Ok(Self {
            version,
            families: Families::of(&shelf),
            limits: limits.clone(),
            operations,
            problems,
            shelf,
        })
    }

    /// Every operation, in the order of the document.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// What is broken in the description, apart from its schemas.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What some parts of these operations declare and no data is made for: nothing in it is broken.
    #[must_use]
    pub fn unmade(&self, operations: &[usize], parts: &[Part], statuses: &[String]) -> Vec<Problem> {
        operations.iter().flat_map(|at| unmade::unmade(&self.operations[*at], parts, statuses)).collect()
    }

    /// What looks misspelt in these operations, in the schemas that they reach and in the path items: nothing in it is an error.
    #[must_use]
    pub fn doubts(&self, operations: &[usize]) -> Vec<Problem> {
        doubt::doubts(self, operations)
    }

    /// Which OpenAPI it speaks.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// What the API is called.
    #[must_use]
    pub fn title(&self) -> &str {
        let root = &self.shelf.volumes[0].root;
        root.pointer("/info/title").and_then(Value::as_str).unwrap_or("API")
    }

    /// The address of the first server with the defaults of its variables, when the description names one.
    #[must_use]
    pub fn server(&self) -> Option<String> {
        let server = self.shelf.volumes[0].root.pointer("/servers/0")?;
        let address = server.get("url")?.as_str()?.to_owned();
        let variables = server.get("variables").and_then(Value::as_object).into_iter().flatten();
        let defaults =
            variables.filter_map(|(name, variable)| Some((name, variable.get("default")?.as_str()?)));
        Some(
            defaults
                .fold(address, |address, (name, default)| address.replace(&format!("{{{name}}}"), default)),
        )
    }

    /// What a body's schema is called: the name it is referred to by, or where it stands.
    #[must_use]
    pub fn schema_name(&self, content: &Content) -> String {
        let own = self.shelf.find(&content.schema);
        let named = own.and_then(|schema| schema.get("$ref")).and_then(Value::as_str);
        let name = named.and_then(|reference| reference.rsplit('/').next()).map(str::to_owned);
        name.unwrap_or_else(|| "(inline)".to_owned())
    }

    /// The positions of the operations that are meant; the error names what fits none.
    pub fn select(&self, filter: &Filter) -> Result<Vec<usize>, String> {
        select::select(&self.operations, filter)
    }

    /// The units of some operations: the parts asked for, and of the responses those with a status that is asked for, or
    /// the one by which an operation is judged.
    #[must_use]
    pub fn units(&self, operations: &[usize], parts: &[Part], statuses: &[String]) -> Vec<Unit> {
        operations.iter().flat_map(|at| unit::units(*at, &self.operations[*at], parts, statuses)).collect()
    }

    pub(crate) fn stock(&self) -> Stock<'_> {
        Stock { shelf: &self.shelf, version: self.version, families: &self.families, limits: &self.limits }
    }
}

fn problem_of(note: &Note) -> Problem {
    Problem::new(note.at.to_string(), note.text.clone()).of_kind(ProblemKind::Mended)
}

fn version_of(root: &Value, problems: &mut Vec<Problem>) -> Result<Version, Problem> {
    if !root.is_object() {
        let text = format!("{} is not an API description; an OpenAPI document is an object", brief(root));
        return Err(Problem::new("#", text));
    }
    if let Some(swagger) = root.get("swagger") {
        let text = format!(
            "this is a Swagger {} document; only OpenAPI 3 is read, so convert it first (swagger2openapi does)",
            plain(swagger)
        );
        return Err(Problem::new("#/swagger", text));
    }
    let Some(version) = root.get("openapi") else {
        let text =
            "there is no \"openapi\", so this is no OpenAPI document; it starts with \"openapi\": \"3.1.0\"";
        return Err(Problem::new("#", text));
    };
    let name = plain(version);
    let known = match name.split('.').take(2).collect::<Vec<_>>().as_slice() {
        ["3", "0"] => Version::V30,
        ["3", "1"] => Version::V31,
        ["3", "2"] => {
            let text = "OpenAPI 3.2 is read as 3.1; what is new in it is not looked at";
            problems.push(Problem::new("#/openapi", text).of_kind(ProblemKind::Mended));
            Version::V31
        }
        _ => {
            let text = format!("OpenAPI {name:?} is not known; only 3.0 and 3.1 are read");
            return Err(Problem::new("#/openapi", text));
        }
    };
    if !version.is_string() {
        let text = format!("the version is a text; write \"{name}.0\" in quotes");
        problems.push(Problem::new("#/openapi", text).of_kind(ProblemKind::Mended));
    }
    Ok(known)
}

fn check_paths(root: &Value, version: Version) -> Result<(), Problem> {
    match root.get("paths") {
        Some(Value::Object(_)) => Ok(()),
        Some(other) => {
            Err(Problem::new("#/paths", format!("{} is not a map of paths; it is an object", brief(other))))
        }
        None if version == Version::V31
            && (root.get("components").is_some() || root.get("webhooks").is_some()) =>
        {
            Ok(())
        }
        None => Err(Problem::new("#", "there is no \"paths\", so there are no operations; add them")),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
