//! What looks misspelt in a description: members that are nearly those that the specification has, and keywords of schemas.
//!
//! None of it is an error: a reader passes over what it does not know, and what was meant goes unread.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::document::{NoteCode, misspelt};
use crate::json::Pointer;
use crate::nearest::near;
use crate::openapi::Api;
use crate::openapi::operation::METHODS;
use crate::openapi::piece::{LISTS, MAPS, SINGLE};
use crate::openapi::problem::{Problem, ProblemKind};
use crate::openapi::shelf::Spot;

/// The members of a path item that are no operations.
const PATH_ITEM: &[&str] =
    &["$ref", "summary", "description", "servers", "parameters", "additionalOperations"];
const OPERATION: &[&str] = &[
    "tags",
    "summary",
    "description",
    "externalDocs",
    "operationId",
    "parameters",
    "requestBody",
    "responses",
    "callbacks",
    "deprecated",
    "security",
    "servers",
];
const PARAMETER: &[&str] = &[
    "name",
    "in",
    "description",
    "required",
    "deprecated",
    "allowEmptyValue",
    "style",
    "explode",
    "allowReserved",
    "schema",
    "example",
    "examples",
    "content",
];
const BODY: &[&str] = &["description", "content", "required"];
const RESPONSE: &[&str] = &["summary", "description", "headers", "content", "links"];
const MEDIA_TYPE: &[&str] =
    &["schema", "itemSchema", "example", "examples", "encoding", "prefixEncoding", "itemEncoding"];

/// Everything doubtful about the path items, about these operations, and about the schemas that they reach.
pub(super) fn doubts(api: &Api, operations: &[usize]) -> Vec<Problem> {
    let mut search = Search {
        api,
        problems: Vec::new(),
        seen: BTreeSet::new(),
        formats: BTreeSet::new(),
        open: Vec::new(),
    };
    let meant: BTreeSet<&str> = operations.iter().map(|at| api.operations[*at].at.as_str()).collect();
    let paths = Spot { volume: 0, pointer: Pointer::root() }.child("paths");
    for path in search.names(&paths).into_iter().filter(|path| !path.starts_with("x-")) {
        let Ok((item, _)) = api.shelf.settle(&paths.child(&path)) else { continue };
        search.members(&item, "a path item", &[PATH_ITEM, METHODS].concat());
        let own = METHODS.iter().map(|method| item.child(method));
        let own: Vec<Spot> = own.filter(|spot| meant.contains(api.shelf.spelled(spot).as_str())).collect();
        if !own.is_empty() {
            search.parameters(&item);
        }
        for operation in own {
            search.operation(&operation);
        }
    }
    while let Some(spot) = search.open.pop() {
        search.schema(&spot);
    }
    search.problems.into_iter().map(|problem| problem.of_kind(ProblemKind::Aside)).collect()
}

struct Search<'a> {
    api: &'a Api,
    problems: Vec<Problem>,
    seen: BTreeSet<Spot>,
    /// Formats that were told; where else they stand says nothing new.
    formats: BTreeSet<String>,
    /// Schemas to look at.
    open: Vec<Spot>,
}

impl Search<'_> {
    /// The names of an object's members.
    fn names(&self, spot: &Spot) -> Vec<String> {
        let members = self.api.shelf.find(spot).and_then(Value::as_object);
        members.map(|members| members.keys().cloned().collect()).unwrap_or_default()
    }

    /// An object of the description; says whether it is met for the first time.
    fn members(&mut self, spot: &Spot, what: &str, known: &[&str]) -> bool {
        if !self.seen.insert(spot.clone()) {
            return false;
        }
        for name in self.names(spot) {
            if known.contains(&name.as_str()) || name.starts_with("x-") {
                continue;
            }
            if let Some(meant) = near(known.iter().copied(), &name) {
                let text = format!(
                    "{name:?} is no member of {what}, so it is not looked at; perhaps {meant:?} is meant"
                );
                self.problems.push(Problem::new(self.api.shelf.spelled(&spot.child(&name)), text));
            }
        }
        true
    }

    fn operation(&mut self, spot: &Spot) {
        self.members(spot, "an operation", OPERATION);
        self.parameters(spot);
        if let Ok((body, _)) = self.api.shelf.settle(&spot.child("requestBody"))
            && self.members(&body, "a request body", BODY)
        {
            self.contents(&body);
        }
        let responses = spot.child("responses");
        for status in self.names(&responses) {
            if let Ok((response, _)) = self.api.shelf.settle(&responses.child(&status))
                && self.members(&response, "a response", RESPONSE)
            {
                self.contents(&response);
            }
        }
    }

    fn parameters(&mut self, holder: &Spot) {
        let list = holder.child("parameters");
        let n = self.api.shelf.find(&list).and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..n {
            if let Ok((parameter, _)) = self.api.shelf.settle(&list.item(index))
                && self.members(&parameter, "a parameter", PARAMETER)
            {
                self.open.push(parameter.child("schema"));
                self.contents(&parameter);
            }
        }
    }

    fn contents(&mut self, holder: &Spot) {
        let content = holder.child("content");
        for name in self.names(&content) {
            let media_type = content.child(&name);
            self.members(&media_type, "a media type", MEDIA_TYPE);
            self.open.push(media_type.child("schema"));
        }
    }

    /// A schema, and those below it for later.
    fn schema(&mut self, spot: &Spot) {
        let Some(Value::Object(schema)) = self.api.shelf.find(spot) else { return };
        if !self.seen.insert(spot.clone()) {
            return;
        }
        for note in misspelt(schema, &spot.pointer) {
            if note.code != NoteCode::UnknownFormat || self.formats.insert(note.text.clone()) {
                let place = Spot { volume: spot.volume, pointer: note.at };
                self.problems.push(Problem::new(self.api.shelf.spelled(&place), note.text));
            }
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            self.open.extend(self.api.shelf.follow(spot, reference));
        }
        for (name, value) in schema {
            let (here, name) = (spot.child(name), name.as_str());
            match value {
                Value::Object(_) if SINGLE.contains(&name) => self.open.push(here),
                Value::Object(named) if MAPS.contains(&name) => {
                    self.open.extend(named.keys().map(|key| here.child(key)));
                }
                Value::Array(items) if LISTS.contains(&name) => {
                    self.open.extend((0..items.len()).map(|index| here.item(index)));
                }
                _ => {}
            }
        }
    }
}
