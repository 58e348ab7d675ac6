//! The tool `generate`: valid instances of a schema, at random or few that show everything it says.

use probity_schema::coverage::{
    CoverageMode, Hits, Observer, PROFILES, Plan, PlanOptions, Profile, RunFacts, Universe, analyze,
    evaluate, plan, prove_missed,
};
use probity_schema::{Oracles, Source};
use serde_json::{Value, json};

use crate::serve::argument::Arguments;
use crate::serve::contract::{self, Contract, odd, odd_schema};
use crate::serve::figures;
use crate::serve::shape::{count, object};

pub(crate) const DESCRIPTION: &str = "Draws valid, varied, reproducible instances of a JSON Schema (drafts 4 to 2020-12). Every \
    instance is judged by a real validator; the same arguments give the same instances. With coverage \"guided\", few instances are \
    planned that together show every subschema, optional member, branch and enum value, and what cannot be shown is \
    proven. A schema that admits nothing is an error that says what contradicts what.";

/// Most instances in one answer.
const MAX_INSTANCES: u64 = 1_000;
/// Instances that are drawn unless more are asked for.
const USUAL: u64 = 10;
/// Most bytes of instances in one answer, which tells them twice: as data and as text.
const MAX_BYTES: usize = 2 << 20;
/// Largest seed that every JSON reader takes for the same number.
pub(crate) const MAX_SEED: u64 = (1 << 53) - 1;

pub(crate) fn input() -> Value {
    let mut properties = contract::properties();
    properties.extend([
        (
            "n",
            json!({
                "type": "integer", "minimum": 1, "maximum": MAX_INSTANCES,
                "description": "How many instances; with coverage \"guided\", at most so many. Default: 10, or 100 if guided."
            }),
        ),
        (
            "seed",
            json!({
                "type": "integer", "minimum": 0, "maximum": MAX_SEED, "default": 42,
                "description": "Another seed gives other instances."
            }),
        ),
        (
            "coverage",
            json!({
                "type": "string", "enum": ["off", "measure", "guided"], "default": "off",
                "description": "measure: also say what the instances cover. guided: aim at everything the schema says."
            }),
        ),
    ]);
    object(properties, &["schema"])
}

pub(crate) fn output() -> Value {
    let properties = vec![
        (
            "instances",
            json!({ "type": "array", "maxItems": MAX_INSTANCES, "description": "The instances, each of them valid." }),
        ),
        ("seed", count()),
        // What is odd about the schema, and what could not be drawn exactly.
        ("notes", odd_schema()),
        ("coverage", figures::schema()),
    ];
    object(properties, &["instances", "seed", "notes"])
}

pub(crate) fn run(arguments: &Arguments) -> Result<Value, String> {
    let contract = Contract::of(arguments)?;
    let source =
        Source::of(&contract.document, &contract.options).map_err(|error| format!("in /schema: {error}"))?;
    let seed = arguments.count("seed").unwrap_or(USUAL_SEED);
    let n = arguments.count("n");
    let (instances, coverage) = match arguments.text("coverage") {
        Some("guided") => guided(&contract, &source, seed, n.unwrap_or(GUIDED.max_instances))?,
        Some("measure") => {
            let instances = drawn(&source, seed, n.unwrap_or(USUAL))?;
            let coverage = measured(&contract, &source, seed, &instances)?;
            (instances, Some(coverage))
        }
        Some(_) | None => (drawn(&source, seed, n.unwrap_or(USUAL))?, None),
    };
    let mut answer = json!({ "instances": instances, "seed": seed, "notes": odd(source.notes()) });
    if let Some(coverage) = coverage {
        answer["coverage"] = coverage;
    }
    Ok(answer)
}

const USUAL_SEED: u64 = 42;

/// How much is spent on a guided run, and the dimensions of every coverage that is told here.
const GUIDED: Profile = Profile { max_instances: 100, ..PROFILES[1] };

fn drawn(source: &Source, seed: u64, n: u64) -> Result<Vec<Value>, String> {
    let mut instances = Vec::new();
    let mut n_bytes = 0;
    for instance in source.instances(seed).take(usize::try_from(n).unwrap_or(usize::MAX)) {
        let instance = instance.map_err(|gave_up| format!("in /schema: {gave_up}"))?;
        n_bytes += instance.to_string().len();
        within_bytes(n_bytes, instances.len())?;
        instances.push(instance);
    }
    Ok(instances)
}

fn within_bytes(n_bytes: usize, n_before: usize) -> Result<(), String> {
    if n_bytes <= MAX_BYTES {
        return Ok(());
    }
    let instead = if n_before == 0 {
        "use `probity generate` for instances this large".to_owned()
    } else {
        format!("ask for at most {n_before}, or use `probity generate`")
    };
    Err(format!("at /n: {} instances take more than {MAX_BYTES} bytes; {instead}", n_before + 1))
}

fn measured(contract: &Contract, source: &Source, seed: u64, instances: &[Value]) -> Result<Value, String> {
    let mut universe = analyze(source.contract(), GUIDED.dimensions);
    let oracles = oracles(contract)?;
    let mut observer = Observer::new(source.contract(), &oracles, &universe);
    let root = source.contract().roots()[0];
    for (number, instance) in (0..).zip(instances) {
        observer.observe(root, instance, number);
    }
    let hits = observer.hits().clone();
    let Contract { document, options } = contract;
    let n_aims = GUIDED.budget.n_aims;
    let proven = prove_missed(document, source.contract(), options.formats, &mut universe, &hits, n_aims);
    let n = instances.len() as u64;
    let facts = RunFacts {
        mode: CoverageMode::Measure,
        seed,
        max_instances: n,
        actual_instances: n,
        notes: proven.note().into_iter().collect(),
        ..RunFacts::default()
    };
    Ok(told(&universe, &hits, facts))
}

fn guided(
    contract: &Contract,
    source: &Source,
    seed: u64,
    n: u64,
) -> Result<(Vec<Value>, Option<Value>), String> {
    let mut universe = analyze(source.contract(), GUIDED.dimensions);
    let oracles = oracles(contract)?;
    let options = PlanOptions { seed, max_instances: n, budget: GUIDED.budget };
    let plan = plan(&contract.document, source, &oracles, &mut universe, &options);
    let Plan { units: _, instances, hits, unplanned, undone: _, caps, unsatisfied_hints, notes, metrics: _ } =
        plan;
    let mut n_bytes = 0;
    for (index, instance) in instances.iter().enumerate() {
        n_bytes += instance.to_string().len();
        within_bytes(n_bytes, index)?;
    }
    let facts = RunFacts {
        mode: CoverageMode::Guided,
        seed,
        max_instances: n,
        actual_instances: instances.len() as u64,
        unsatisfied_hints,
        planner_caps_hit: caps,
        unplanned,
        notes,
        ..RunFacts::default()
    };
    Ok((instances, Some(told(&universe, &hits, facts))))
}

fn oracles(contract: &Contract) -> Result<Oracles<'_>, String> {
    Oracles::of(&contract.document, contract.options.formats).map_err(|error| format!("in /schema: {error}"))
}

fn told(universe: &Universe, hits: &Hits, facts: RunFacts) -> Value {
    figures::figures(&evaluate(universe, hits, RunFacts { exclude_unreachable: true, ..facts }))
}
