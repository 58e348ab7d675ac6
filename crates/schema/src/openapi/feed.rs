//! Data for units: every schema is made ready once, and case after case is drawn from it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::document::{Document, ReadError, ReadOptions, SILENT, brief};
use crate::draw::{Draw, derive_seed};
use crate::json::{Pointer, same};
use crate::openapi::Api;
use crate::openapi::cut::cut_one;
use crate::openapi::decode::decode;
use crate::openapi::encode::{encodable, encode};
use crate::openapi::operation::Operation;
use crate::openapi::parameter::Parameter;
use crate::openapi::piece::{Direction, Version};
use crate::openapi::problem::Problem;
use crate::openapi::request::Request;
use crate::openapi::shelf::Spot;
use crate::openapi::unit::{Argument, Case, Part, Unit, digest};
use crate::pipeline::{Metrics, Source, SourceError, SourceOptions};
use crate::validate::fragment;

/// A schema that was made ready.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) document: Document,
    pub(crate) source: Source,
    /// Which way its values go.
    pub(crate) direction: Direction,
    pointer: Pointer,
}

impl Ready {
    /// The schema by itself: what it reaches stands below it, each at its own pointer.
    fn schema(&self) -> Value {
        let mut schema = self.document.root().clone();
        if !self.pointer.as_str().is_empty() {
            schema["$ref"] = Value::from(format!("#{}", fragment(&self.pointer)));
        }
        schema
    }
}

/// One preparation of a schema: where it stands, which way it goes, what is asked of it beside.
type Key = (Option<Spot>, Direction, String);

/// Draws cases.
#[derive(Debug)]
pub struct Feed<'a> {
    pub(crate) api: &'a Api,
    options: SourceOptions,
    ready: Mutex<BTreeMap<Key, Result<Arc<Ready>, Problem>>>,
    /// Optional parameters that had to be left out.
    left_out: Mutex<BTreeSet<Problem>>,
}

/// Most rules of one sampler: a description has hundreds of schemas, and all of them are kept ready.
const RULES: usize = 40_000;

/// Draws for one parameter before it is given up.
const TRIES: u64 = 24;
/// How often an optional parameter is there, of a hundred.
const PRESENCE: u64 = 60;

impl<'a> Feed<'a> {
    /// Draws from an API by these options.
    #[must_use]
    pub fn new(api: &'a Api, options: SourceOptions) -> Self {
        let SourceOptions { formats, mut limits, clock } = options;
        limits.sampler_nodes = limits.sampler_nodes.min(RULES);
        Self {
            api,
            options: SourceOptions { formats, limits, clock },
            ready: Mutex::new(BTreeMap::new()),
            left_out: Mutex::new(BTreeSet::new()),
        }
    }

    /// What had to be left out so far, in a fixed order.
    #[must_use]
    pub fn left_out(&self) -> Vec<Problem> {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn note(&self, problem: Problem) {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner).insert(problem);
    }

    pub(crate) fn options(&self) -> &SourceOptions {
        &self.options
    }

    /// One case of a unit, a pure function of the description, the options, the seed and the index.
    pub fn case(&self, unit: &Unit, seed: u64, index: u64) -> Result<Case, Problem> {
        let operation = &self.api.operations()[unit.operation];
        let seed = unit.seed(seed, &operation.key);
        let body = match self.body(unit)? {
            Some(ready) => {
                let drawn = ready.source.instance(seed, index, &mut Metrics::default());
                Some(drawn.map_err(|gave_up| self.fault(unit, gave_up.to_string()))?)
            }
            None => None,
        };
        let mut values = Vec::new();
        if unit.part != Part::Response {
            for parameter in &operation.parameters {
                let own = derive_seed(seed, &[digest(parameter.location.name()), digest(&parameter.name)]);
                let is_there = Draw::new(derive_seed(own, &[index, 1])).chance(PRESENCE);
                if !(parameter.is_required || is_there) {
                    continue;
                }
                match self.value(operation, parameter, own, index) {
                    Ok(value) => values.extend(value.map(|value| (parameter, value))),
                    // A request is whole without a parameter that it need not have.
                    Err(problem) if !parameter.is_required => self.note(problem),
                    Err(problem) => return Err(problem),
                }
            }
        }
        self.assembled(unit, body, values)
    }

    /// What is broken about a unit, whatever is drawn: its body, and its parameters, those that a case may lack included.
    #[must_use]
    pub fn faults(&self, unit: &Unit) -> Vec<Problem> {
        let operation = &self.api.operations()[unit.operation];
        let parameters = if unit.part == Part::Response { &[][..] } else { operation.parameters.as_slice() };
        let parameters = parameters.iter().filter_map(|one| self.parameter(operation, one).err());
        self.body(unit).err().into_iter().chain(parameters).collect()
    }

    /// The schema by which a unit's bodies are judged, as JSON Schema 2020-12; other documents that it refers to are not
    /// in it.
    pub fn body_schema(&self, unit: &Unit) -> Result<Option<Value>, Problem> {
        Ok(self.body(unit)?.map(|ready| ready.schema()))
    }

    /// The schema by which the values of a unit's parameter are judged, as JSON Schema 2020-12.
    pub fn parameter_schema(&self, unit: &Unit, parameter: &Parameter) -> Result<Value, Problem> {
        Ok(self.parameter(&self.api.operations()[unit.operation], parameter)?.schema())
    }

    /// Puts a case together from its parts.
    pub(crate) fn assembled(
        &self,
        unit: &Unit,
        body: Option<Value>,
        mut values: Vec<(&Parameter, Value)>,
    ) -> Result<Case, Problem> {
        let operation = &self.api.operations()[unit.operation];
        if unit.part == Part::Response {
            return Ok(Case { body, arguments: Vec::new(), request: None });
        }
        self.drop_rivals(operation, &mut values)?;
        let sent = unit.media_type.as_deref().zip(body.as_ref());
        let request = Request::of(operation, &values, sent)
            .ok_or_else(|| self.fault(unit, "a parameter's value has no text in its style".to_owned()))?;
        let argument = |(parameter, value): (&Parameter, Value)| Argument {
            location: parameter.location,
            name: parameter.name.clone(),
            value,
        };
        Ok(Case { body, arguments: values.into_iter().map(argument).collect(), request: Some(request) })
    }

    /// Leaves out optional parameters whose names in the query are taken by the members of another.
    fn drop_rivals(
        &self,
        operation: &Operation,
        values: &mut Vec<(&Parameter, Value)>,
    ) -> Result<(), Problem> {
        loop {
            let mut rival = None;
            for (at, (parameter, value)) in values.iter().enumerate().filter(|(_, (one, _))| !one.is_required)
            {
                let beside = values.iter().filter(|(other, _)| other.location == parameter.location);
                let is_shared =
                    matches!(value, Value::Object(_)) || values.iter().any(|(_, value)| value.is_object());
                if !is_shared || !matches!(parameter.location.name(), "query" | "cookie") {
                    continue;
                }
                let pieces: Vec<String> =
                    beside.filter_map(|(other, value)| encode(other, value)).flatten().collect();
                let ready = self.parameter(operation, parameter)?;
                let read = decode(parameter, ready.source.contract(), &pieces);
                if !read.is_some_and(|read| same(&read, value)) {
                    rival = Some(at);
                }
            }
            match rival {
                Some(at) => drop(values.remove(at)),
                None => return Ok(()),
            }
        }
    }

    /// A value of one parameter whose text reads back as the same value; nothing when an optional one has none.
    pub(crate) fn value(
        &self,
        operation: &Operation,
        parameter: &Parameter,
        seed: u64,
        index: u64,
    ) -> Result<Option<Value>, Problem> {
        let ready = self.parameter(operation, parameter)?;
        for attempt in 0..TRIES {
            let seed = if attempt == 0 { seed } else { derive_seed(seed, &[attempt]) };
            let Ok(value) = ready.source.instance(seed, index, &mut Metrics::default()) else { continue };
            if reads_back(parameter, &ready.source, &value) {
                return Ok(Some(value));
            }
        }
        if !parameter.is_required {
            return Ok(None);
        }
        let at = parameter
            .schema
            .as_ref()
            .map_or_else(|| operation.at.clone(), |spot| self.api.shelf.spelled(spot));
        let text = format!(
            "no value of the parameter {:?} can be written in its style and read back",
            parameter.name
        );
        Err(Problem::new(at, text).of_operation(&operation.key))
    }

    /// The schema of a unit's body, ready to draw from.
    pub(crate) fn body(&self, unit: &Unit) -> Result<Option<Arc<Ready>>, Problem> {
        let Some(spot) = &unit.schema else { return Ok(None) };
        let direction = unit.part.direction();
        let key = &self.api.operations()[unit.operation].key;
        self.ready(Some(spot), direction, None).map(Some).map_err(|problem| problem.of_operation(key))
    }

    /// The schema of a parameter, ready to draw from.
    pub(crate) fn parameter(
        &self,
        operation: &Operation,
        parameter: &Parameter,
    ) -> Result<Arc<Ready>, Problem> {
        let demand = encodable(parameter);
        let ready = self.ready(parameter.schema.as_ref(), Direction::Request, Some(&demand));
        ready.map_err(|problem| problem.of_operation(&operation.key))
    }

    fn ready(
        &self,
        spot: Option<&Spot>,
        direction: Direction,
        demand: Option<&Value>,
    ) -> Result<Arc<Ready>, Problem> {
        let spot = spot.map(|spot| self.target(spot));
        let key = (spot, direction, demand.map(Value::to_string).unwrap_or_default());
        let known = self.ready.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return known;
        }
        let made = self.make(key.0.as_ref(), direction, demand).map(Arc::new);
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
        made
    }

    /// Where a reference that stands alone leads, so that what several operations share is made ready once.
    fn target(&self, spot: &Spot) -> Spot {
        let mut spot = spot.clone();
        for _ in 0..64 {
            let Some(Value::Object(schema)) = self.api.shelf.find(&spot) else { break };
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
            let is_silent = |name: &String| name == "$ref" || SILENT.contains(&name.as_str());
            let is_alone = self.api.version == Version::V30 || schema.keys().all(is_silent);
            let Some(target) = self.api.shelf.follow(&spot, reference).ok().filter(|_| is_alone) else {
                break;
            };
            if !self.api.families.heirs(&target).is_empty() {
                break;
            }
            spot = target;
        }
        spot
    }

    fn make(
        &self,
        spot: Option<&Spot>,
        direction: Direction,
        demand: Option<&Value>,
    ) -> Result<Ready, Problem> {
        let Some(spot) = spot else {
            let word = json!({"type": "string", "pattern": "^[a-z]{3,8}$"});
            let document = Document::of_value(word, &ReadOptions::default()).expect("our own schema is one");
            let source = Source::of(&document, &self.options).expect("our own schema admits words");
            return Ok(Ready { document, source, direction, pointer: Pointer::root() });
        };
        let (document, pointer) = cut_one(self.api.stock(), spot, direction, demand)?;
        let source = Source::at(&document, &pointer, &self.options).map_err(|error| match error {
            SourceError::Read(ReadError::BrokenKeyword { at, reason }) => {
                let (volume, found) = self.holder(&document, &at, &reason);
                let place = self.api.shelf.spelled(&Spot { volume, pointer: at });
                let found = found.filter(|found| !reason.contains(found)).map(|found| format!(": {found}"));
                Problem::new(place, reason + &found.unwrap_or_default())
            }
            other => Problem::new(self.api.shelf.spelled(spot), other.to_string()),
        })?;
        Ok(Ready { document, source, direction, pointer })
    }

    /// Which of the documents of a cut a broken keyword stands in, and what is there: the one with such a place, and of several
    /// the one that holds what the reason speaks of.
    fn holder(&self, cut: &Document, at: &Pointer, reason: &str) -> (usize, Option<String>) {
        let volumes = self.api.shelf.volumes.iter().enumerate();
        let supplied = |address: &str| cut.supplied.iter().find(|(known, _)| known == address);
        let roots = volumes.filter_map(|(volume, one)| match volume {
            0 => Some((volume, cut.root())),
            _ => supplied(&one.address).map(|(_, root)| (volume, root)),
        });
        let found: Vec<(usize, String)> =
            roots.filter_map(|(volume, root)| Some((volume, brief(at.find(root)?)))).collect();
        let meant = found.iter().find(|(_, value)| reason.contains(value.as_str())).or(found.first());
        meant.map_or((0, None), |(volume, value)| (*volume, Some(value.clone())))
    }

    fn fault(&self, unit: &Unit, text: String) -> Problem {
        let operation = &self.api.operations()[unit.operation];
        let at =
            unit.schema.as_ref().map_or_else(|| operation.at.clone(), |spot| self.api.shelf.spelled(spot));
        Problem::new(at, text).of_operation(&operation.key)
    }
}

/// Whether a value's text reads back as the same value.
pub(crate) fn reads_back(parameter: &Parameter, source: &Source, value: &Value) -> bool {
    let pieces = encode(parameter, value);
    let read = pieces.and_then(|pieces| decode(parameter, source.contract(), &pieces));
    read.is_some_and(|read| same(&read, value))
}
