//! The tool `measure_coverage`: how much of a schema instances show, and which of them are invalid.

use probity_schema::coverage::{
    CoverageMode, Dimension, Invalid, Measured, Named, PROFILES, RunFacts, analyze, evaluate, measure,
    prove_missed,
};
use probity_schema::{Contract as View, Oracles, Violation};
use serde_json::{Value, json};

use crate::serve::argument::Arguments;
use crate::serve::contract::{self, Contract, odd, odd_schema};
use crate::serve::figures;
use crate::serve::shape::{count, object, text};

pub(crate) const DESCRIPTION: &str = "Says how much of a JSON Schema some instances exercise (fixtures, examples, recorded \
    traffic), which targets they miss and why, and which of them are invalid and where. The same arguments give the same answer.";

/// How many targets that were missed are looked at for a proof that nothing can hit them.
const MAX_AIMS: usize = PROFILES[1].budget.n_aims;

/// Most instances in one call.
const MAX_INSTANCES: usize = 5_000;
/// Most invalid instances told in full.
const MAX_INVALID: usize = 20;
/// Most violations told of one instance.
const MAX_VIOLATIONS: usize = 10;
/// The dimensions that can be asked for; the first three are the usual ones.
const DIMENSIONS: &[Dimension] =
    &[Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries];

pub(crate) fn input() -> Value {
    let names: Vec<&str> = DIMENSIONS.iter().map(|dimension| dimension.name()).collect();
    let mut properties = contract::properties();
    properties.extend([
        (
            "instances",
            json!({ "type": "array", "maxItems": MAX_INSTANCES, "description": "The instances to measure." }),
        ),
        (
            "dimensions",
            json!({
                "type": "array", "items": { "type": "string", "enum": names }, "uniqueItems": true,
                "description": "Which kinds of targets count. Default: structure, branches and enum."
            }),
        ),
    ]);
    object(properties, &["schema", "instances"])
}

pub(crate) fn output() -> Value {
    let members = vec![("at", text()), ("keyword", text()), ("message", text())];
    let violation = object(members, &["at", "keyword", "message"]);
    let invalid = json!({
        "type": "array",
        "maxItems": MAX_INVALID,
        "description": "The first invalid instances; they count for nothing.",
        "items": {
            "type": "object",
            "properties": {
                "index": { "type": "integer", "minimum": 0, "description": "Which instance, counted from 0." },
                "violations": { "type": "array", "maxItems": MAX_VIOLATIONS, "items": violation }
            },
            "required": ["index", "violations"],
            "additionalProperties": false
        }
    });
    let properties = vec![
        ("nInstances", count()),
        ("nValid", count()),
        ("nInvalid", count()),
        ("invalid", invalid),
        // What is odd about the schema.
        ("notes", odd_schema()),
        ("coverage", figures::schema()),
    ];
    object(properties, &["nInstances", "nValid", "nInvalid", "invalid", "notes", "coverage"])
}

pub(crate) fn run(arguments: &Arguments) -> Result<Value, String> {
    let contract = Contract::of(arguments)?;
    let wrong = |error: &dyn std::fmt::Display| format!("in /schema: {error}");
    let view = View::of(&contract.document).map_err(|error| wrong(&error))?;
    let oracles = Oracles::of(&contract.document, contract.options.formats).map_err(|error| wrong(&error))?;
    let oracle = oracles.root().map_err(|error| wrong(&error))?;
    let wanted: Vec<Dimension> =
        arguments.texts("dimensions").iter().filter_map(|name| Dimension::parse(name)).collect();
    let dimensions = if wanted.is_empty() { &DIMENSIONS[..3] } else { &wanted };
    let mut universe = analyze(&view, dimensions);
    let instances = arguments.list("instances");
    let named = instances
        .iter()
        .enumerate()
        .map(|(index, value)| Named { name: index.to_string(), value: value.clone() });
    let Measured { hits, n_valid, invalid } = measure(&view, &oracles, &oracle, &universe, named);
    let proven =
        prove_missed(&contract.document, &view, contract.options.formats, &mut universe, &hits, MAX_AIMS);
    let facts = RunFacts {
        mode: CoverageMode::Measure,
        max_instances: instances.len() as u64,
        actual_instances: n_valid,
        exclude_unreachable: true,
        notes: proven.note().into_iter().collect(),
        ..RunFacts::default()
    };
    Ok(json!({
        "nInstances": instances.len(),
        "nValid": n_valid,
        "nInvalid": invalid.len(),
        "invalid": invalid.iter().take(MAX_INVALID).map(told).collect::<Vec<_>>(),
        "notes": odd(view.notes()),
        "coverage": figures::figures(&evaluate(&universe, &hits, facts)),
    }))
}

fn told(invalid: &Invalid) -> Value {
    let Invalid { name, violations, is_cut: _ } = invalid;
    let row = |violation: &Violation| {
        let Violation { instance, keyword, message, .. } = violation;
        json!({ "at": instance.to_string(), "keyword": keyword, "message": shortened(message) })
    };
    json!({
        "index": name.parse::<u64>().unwrap_or_default(),
        "violations": violations.iter().take(MAX_VIOLATIONS).map(row).collect::<Vec<_>>()
    })
}

/// Longest message about one violation, which may quote the value it is about.
const MAX_MESSAGE: usize = 400;

fn shortened(message: &str) -> String {
    match message.char_indices().nth(MAX_MESSAGE) {
        None => message.to_owned(),
        Some((end, _)) => format!("{}…", &message[..end]),
    }
}
