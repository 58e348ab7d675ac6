//! Operations: the paths and methods of an API, each with its key, parameters, request body and responses.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::openapi::media::{first_request, first_response};
use crate::openapi::parameter::{self, Location, Parameter, Style};
use crate::openapi::problem::{Problem, ProblemKind};
use crate::openapi::shelf::{Shelf, Spot};

/// The members of a path item that are operations.
pub(super) const METHODS: &[&str] =
    &["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// One operation.
#[derive(Debug, Clone)]
pub struct Operation {
    /// Its key: the operation's id, or method and path.
    pub key: String,
    /// The method, in capitals.
    pub method: String,
    /// The path as a template.
    pub path: String,
    /// What it is filed under.
    pub tags: Vec<String>,
    /// Its parameters, those of its path included.
    pub parameters: Vec<Parameter>,
    /// Whether a request must have a body.
    pub is_body_required: bool,
    /// The bodies a request may have, by media type; only those with a schema.
    pub bodies: Vec<Content>,
    /// The bodies of responses, by status and media type; only those with a schema.
    pub responses: Vec<Answer>,
    /// The media types that a request's body may have, those without a schema included.
    pub body_types: Vec<String>,
    /// Every response that the description declares, those without a body included.
    pub declared: Vec<Declared>,
    /// Where it stands, as reports spell it.
    pub at: String,
    /// Where the contents of a request's body stand.
    pub(crate) body_at: String,
}

/// A response as it is declared, whatever can be made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The status: `200`, `4XX`, `default`.
    pub status: String,
    /// The media types of its body; none when it has no body.
    pub media_types: Vec<String>,
    /// Where it stands.
    pub(crate) at: String,
}

/// A body in one media type.
#[derive(Debug, Clone)]
pub struct Content {
    /// The media type.
    pub media_type: String,
    /// Where the schema stands.
    pub(crate) schema: Spot,
}

/// A response in one media type.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status: `200`, `4XX`, `default`.
    pub status: String,
    /// The body.
    pub content: Content,
}

impl Operation {
    /// The body by which requests are judged: JSON before what leaves it open, before forms.
    #[must_use]
    pub fn request(&self) -> Option<&Content> {
        let types: Vec<&str> = self.bodies.iter().map(|content| content.media_type.as_str()).collect();
        first_request(&types).map(|at| &self.bodies[at])
    }

    /// The response by which the operation is judged: `200` in JSON, else the first success in JSON, else the next best.
    #[must_use]
    pub fn response(&self) -> Option<&Answer> {
        let pairs: Vec<(&str, &str)> = self
            .responses
            .iter()
            .map(|answer| (answer.status.as_str(), answer.content.media_type.as_str()))
            .collect();
        first_response(&pairs).map(|at| &self.responses[at])
    }
}

/// Reads every operation, in the order of the document; what is broken is reported and left out.
pub(crate) fn read_all(shelf: &Shelf, problems: &mut Vec<Problem>) -> Vec<Operation> {
    let paths = Spot { volume: 0, pointer: crate::json::Pointer::root() }.child("paths");
    let mut operations = Vec::new();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let Some(Value::Object(items)) = shelf.find(&paths) else { return operations };
    for path in items.keys().filter(|path| !path.starts_with("x-")) {
        let own = paths.child(path);
        let item = match shelf.settle(&own) {
            Ok((spot, Value::Object(item))) => (spot, item),
            Ok((spot, _)) => {
                problems.push(Problem::new(shelf.spelled(&spot), "a path item is an object of operations"));
                continue;
            }
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        if !path.starts_with('/') {
            let text = "a path starts with \"/\"; this one is read as if it did";
            problems.push(Problem::new(shelf.spelled(&own), text).of_kind(ProblemKind::Mended));
        }
        for method in item.1.keys().filter(|name| METHODS.contains(&name.as_str())) {
            let mut reader = Reader { shelf, path, item: &item.0, problems: Vec::new() };
            let read = reader.operation(method, &mut known);
            let key = read.as_ref().map(|operation| operation.key.clone());
            let told = reader.problems.into_iter();
            problems.extend(told.map(|problem| match &key {
                Some(key) => problem.of_operation(key),
                None => problem,
            }));
            operations.extend(read);
        }
    }
    operations
}

struct Reader<'a> {
    shelf: &'a Shelf,
    path: &'a str,
    item: &'a Spot,
    problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    fn operation(&mut self, method: &str, known: &mut BTreeMap<String, String>) -> Option<Operation> {
        let spot = self.item.child(method);
        let at = self.shelf.spelled(&spot);
        let Some(value @ Value::Object(_)) = self.shelf.find(&spot) else {
            self.problems.push(Problem::new(at, "an operation is an object"));
            return None;
        };
        let key = self.key(method, value, &spot, known);
        let tags = value.get("tags").and_then(Value::as_array).into_iter().flatten();
        let tags = tags.filter_map(Value::as_str).map(str::to_owned).collect();
        let body = self.body(&spot, value);
        let contents = |(spot, body): &(Spot, &Value)| contents(self.shelf, spot, body);
        let bodies = body.as_ref().map(contents).unwrap_or_default();
        let content = body.as_ref().map_or_else(|| spot.clone(), |(spot, _)| spot.child("content"));
        let is_required = body.as_ref().and_then(|(_, body)| body.get("required")?.as_bool());
        let (responses, declared) = self.responses(&spot, value);
        Some(Operation {
            key,
            method: method.to_ascii_uppercase(),
            path: if self.path.starts_with('/') { self.path.to_owned() } else { format!("/{}", self.path) },
            tags,
            parameters: self.parameters(&spot),
            is_body_required: is_required.unwrap_or(false),
            bodies,
            responses,
            body_types: body.map(|(_, body)| media_types(body)).unwrap_or_default(),
            declared,
            at,
            body_at: self.shelf.spelled(&content),
        })
    }

    /// The operation's id, or method and path when it has none or shares it.
    fn key(
        &mut self,
        method: &str,
        value: &Value,
        spot: &Spot,
        known: &mut BTreeMap<String, String>,
    ) -> String {
        let plain = format!("{} {}", method.to_ascii_uppercase(), self.path);
        let id = value.get("operationId").and_then(Value::as_str).filter(|id| !id.is_empty());
        let at = self.shelf.spelled(&spot.child("operationId"));
        let key = match id {
            Some(id) => match known.get(id) {
                Some(other) => {
                    let text = format!(
                        "the id {id:?} belongs to {other} too; ids are unique, so this operation is called {plain:?}"
                    );
                    self.problems.push(Problem::new(at.clone(), text).of_kind(ProblemKind::Mended));
                    plain
                }
                None => id.to_owned(),
            },
            None => plain,
        };
        known.entry(key.clone()).or_insert(at);
        key
    }

    /// The path's parameters with the operation's own in front of them where they have the same name and place.
    fn parameters(&mut self, spot: &Spot) -> Vec<Parameter> {
        let mut parameters: Vec<Parameter> = Vec::new();
        for holder in [self.item.clone(), spot.clone()] {
            let list = holder.child("parameters");
            let n = self.shelf.find(&list).and_then(Value::as_array).map_or(0, Vec::len);
            for index in 0..n {
                match parameter::read(self.shelf, &list.item(index)) {
                    Ok(Some(read)) => {
                        let is_same =
                            |other: &Parameter| other.name == read.name && other.location == read.location;
                        match parameters.iter().position(is_same) {
                            Some(at) => parameters[at] = read,
                            None => parameters.push(read),
                        }
                    }
                    Ok(None) => {}
                    Err(problem) => self.problems.push(problem),
                }
            }
        }
        self.complete(spot, &mut parameters);
        parameters
    }

    /// Sees that the path's template and its parameters name the same.
    fn complete(&mut self, spot: &Spot, parameters: &mut Vec<Parameter>) {
        let names = template_names(self.path);
        for name in &names {
            let is_it = |one: &Parameter| one.location == Location::Path && one.name == *name;
            if !parameters.iter().any(is_it) {
                let text = format!(
                    "the path names {{{name}}}, and no path parameter {name:?} is defined; it is filled with a word"
                );
                let problem = Problem::new(self.shelf.spelled(&spot.child("parameters")), text);
                self.problems.push(problem.of_kind(ProblemKind::Mended));
                parameters.push(Parameter {
                    name: name.clone(),
                    location: Location::Path,
                    style: Style::Simple,
                    is_exploded: false,
                    is_required: true,
                    keeps_reserved: false,
                    schema: None,
                });
            }
        }
        let problems = &mut self.problems;
        let at = self.shelf.spelled(&spot.child("parameters"));
        parameters.retain(|one| {
            let is_kept = one.location != Location::Path || names.contains(&one.name);
            if !is_kept {
                let text =
                    format!("the path parameter {:?} has no place in the path; it is left out", one.name);
                problems.push(Problem::new(at.clone(), text).of_kind(ProblemKind::Mended));
            }
            is_kept
        });
    }

    /// The body of requests, where it really stands.
    fn body(&mut self, spot: &Spot, value: &Value) -> Option<(Spot, &'a Value)> {
        value.get("requestBody")?;
        self.shelf.settle(&spot.child("requestBody")).map_err(|problem| self.problems.push(problem)).ok()
    }

    /// The responses with a schema, and all of them.
    fn responses(&mut self, spot: &Spot, value: &Value) -> (Vec<Answer>, Vec<Declared>) {
        let (mut answers, mut declared) = (Vec::new(), Vec::new());
        let holder = spot.child("responses");
        let statuses =
            value.get("responses").and_then(Value::as_object).into_iter().flat_map(|all| all.keys());
        for status in statuses.filter(|status| !status.starts_with("x-")) {
            let is_known = status == "default" || is_status(status);
            let at = self.shelf.spelled(&holder.child(status));
            if !is_known {
                let text =
                    format!("{status:?} is no status; write one such as \"200\", \"4XX\" or \"default\"");
                self.problems.push(Problem::new(at, text));
                continue;
            }
            match self.shelf.settle(&holder.child(status)) {
                Ok((spot, response)) => {
                    let found = contents(self.shelf, &spot, response).into_iter();
                    answers.extend(found.map(|content| Answer { status: status.clone(), content }));
                    let media_types = media_types(response);
                    declared.push(Declared { status: status.clone(), media_types, at });
                }
                Err(problem) => self.problems.push(problem),
            }
        }
        (answers, declared)
    }
}

fn is_status(text: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    match text.as_bytes() {
        [b'1'..=b'5', b'X' | b'x', b'X' | b'x'] => true,
        [b'1'..=b'9', rest @ ..] => rest.len() == 2 && rest.iter().all(is_digit),
        _ => false,
    }
}

/// The media types of a body or response.
fn media_types(value: &Value) -> Vec<String> {
    value.get("content").and_then(Value::as_object).into_iter().flat_map(|all| all.keys()).cloned().collect()
}

/// The contents of a body or response that have a schema.
fn contents(shelf: &Shelf, spot: &Spot, value: &Value) -> Vec<Content> {
    let content = |media_type: String| {
        let holder = spot.child("content").child(&media_type);
        // OpenAPI 3.2 allows a reference in place of a media type; settling costs nothing where there is none.
        let (holder, _) = shelf.settle(&holder).ok()?;
        let schema = holder.child("schema");
        shelf.find(&schema).map(|_| Content { media_type, schema })
    };
    media_types(value).into_iter().filter_map(content).collect()
}

/// The names in braces of a path template, in order.
pub(crate) fn template_names(path: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut rest = path;
    while let Some((_, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        rest = after;
    }
    names
}
