//! Units: what data is made for, one part of one operation each, and the data itself.

use serde_json::{Map, Value, json};

use crate::draw::derive_seed;
use crate::openapi::operation::Operation;
use crate::openapi::parameter::LOCATIONS;
use crate::openapi::parameter::Location;
use crate::openapi::piece::Direction;
use crate::openapi::request::Request;
use crate::openapi::shelf::Spot;

/// A part of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The whole request: parameters and body.
    Request,
    /// The body of a response.
    Response,
    /// The parameters alone.
    Parameters,
}

/// Every part with its name.
pub const PARTS: &[(&str, Part)] =
    &[("request", Part::Request), ("response", Part::Response), ("parameters", Part::Parameters)];

impl Part {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        PARTS.iter().find(|(_, part)| *part == self).map_or("", |(name, _)| name)
    }

    /// Which way its values go.
    pub(crate) fn direction(self) -> Direction {
        match self {
            Self::Request | Self::Parameters => Direction::Request,
            Self::Response => Direction::Response,
        }
    }
}

/// What data is made for.
#[derive(Debug, Clone)]
pub struct Unit {
    /// The position of the operation in the description.
    pub operation: usize,
    /// The part.
    pub part: Part,
    /// The status of a response.
    pub status: Option<String>,
    /// The media type of the body.
    pub media_type: Option<String>,
    /// Where the schema of the body stands.
    pub(crate) schema: Option<Spot>,
}

impl Unit {
    /// Whether there is nothing to draw: a response without a body.
    #[must_use]
    pub fn is_bodiless(&self) -> bool {
        self.part == Part::Response && self.schema.is_none()
    }

    /// The seed of this unit: a function of the user's seed and of what the unit is called, whatever else is selected.
    #[must_use]
    pub(crate) fn seed(&self, master: u64, key: &str) -> u64 {
        let status = self.status.as_deref().unwrap_or_default();
        derive_seed(master, &[digest(key), digest(self.part.name()), digest(status)])
    }
}

/// A number for a name, the same everywhere and always (FNV-1a).
pub(crate) fn digest(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Every unit of an operation: the parts that are asked for, and of the responses those with a status that is asked for,
/// or the one by which the operation is judged.
pub(crate) fn units(at: usize, operation: &Operation, parts: &[Part], statuses: &[String]) -> Vec<Unit> {
    let mut units = Vec::new();
    for part in parts {
        match part {
            Part::Request => {
                let body = operation.request();
                units.push(Unit {
                    operation: at,
                    part: *part,
                    status: None,
                    media_type: body.map(|body| body.media_type.clone()),
                    schema: body.map(|body| body.schema.clone()),
                });
            }
            Part::Response => units.extend(answers(operation, statuses).map(|status| {
                let content = operation.answer(status).map(|answer| &answer.content);
                Unit {
                    operation: at,
                    part: *part,
                    status: Some(status.to_owned()),
                    media_type: content.map(|content| content.media_type.clone()),
                    schema: content.map(|content| content.schema.clone()),
                }
            })),
            Part::Parameters if operation.parameters.is_empty() => {}
            Part::Parameters => {
                units.push(Unit { operation: at, part: *part, status: None, media_type: None, schema: None });
            }
        }
    }
    units
}

/// The statuses of the responses that are made, of those that are meant. One without a body is made as well: its status is what
/// there is to know.
fn answers<'o>(operation: &'o Operation, asked: &[String]) -> impl Iterator<Item = &'o str> {
    let mut meant = operation.meant_statuses(asked);
    if !asked.is_empty() {
        meant.sort_unstable();
        meant.dedup();
    }
    meant.into_iter().filter(|status| operation.made_statuses().any(|made| made == *status))
}

/// A value of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Where it stands.
    pub location: Location,
    /// Its name.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// Data for one unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The body.
    pub body: Option<Value>,
    /// The values of parameters.
    pub arguments: Vec<Argument>,
    /// The request, unless it is a response.
    pub request: Option<Request>,
}

impl Case {
    /// The case as data: `{operation, part, status?, mediaType?, instance?, parameters?, request?}`.
    #[must_use]
    pub fn to_json(&self, key: &str, unit: &Unit) -> Value {
        let Self { body, arguments, request } = self;
        let mut line = json!({"operation": key, "part": unit.part.name()});
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                line[name] = value;
            }
        };
        add("status", unit.status.as_deref().map(Value::from));
        add("mediaType", unit.media_type.as_deref().map(Value::from));
        let arguments = (!arguments.is_empty()).then(|| by_location(arguments));
        if unit.part == Part::Parameters {
            add("instance", Some(arguments.unwrap_or_else(|| json!({}))));
        } else {
            add("instance", body.clone());
            add("parameters", arguments);
        }
        add("request", request.as_ref().map(Request::to_json));
        line
    }
}

/// The values of parameters by location and name.
fn by_location(arguments: &[Argument]) -> Value {
    let mut all = Map::new();
    for (name, location) in LOCATIONS {
        let here = arguments.iter().filter(|argument| argument.location == *location);
        let here: Map<String, Value> = here.map(|one| (one.name.clone(), one.value.clone())).collect();
        if !here.is_empty() {
            all.insert((*name).to_owned(), Value::Object(here));
        }
    }
    Value::Object(all)
}

/// How many cases each unit may have: at most `each`, and at most `total` in all, shared so that every operation has one
/// before any has two. A response without a body has one: all are the same.
#[must_use]
pub fn shares(units: &[Unit], total: Option<u64>, each: u64) -> Vec<u64> {
    let mut shares = even_shares(units, total, each);
    for (share, _) in shares.iter_mut().zip(units).filter(|(_, unit)| unit.is_bodiless()) {
        *share = (*share).min(1);
    }
    shares
}

fn even_shares(units: &[Unit], total: Option<u64>, each: u64) -> Vec<u64> {
    let Some(total) = total else { return vec![each; units.len()] };
    let n = units.len() as u64;
    let base = (total / n.max(1)).min(each);
    let mut shares = vec![base; units.len()];
    let mut left = if base < each { total - base * n } else { 0 };
    let ordinal =
        |at: usize| units[..at].iter().rev().take_while(|unit| unit.operation == units[at].operation).count();
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_cached_key(|at| (ordinal(*at), *at));
    for at in order {
        if left == 0 {
            break;
        }
        shares[at] += 1;
        left -= 1;
    }
    shares
}
