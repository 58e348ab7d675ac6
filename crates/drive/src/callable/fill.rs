//! Filling a schema: its own sampler gives the shape, the stock gives the numbers and strings.

use probity_schema::{Keywords, Metrics, NodeId, Pointer, derive_seed};
use serde_json::{Map, Value};

use crate::callable::blueprint::Blueprint;
use crate::callable::stock::{Picked, Stock, hash};
use crate::callable::voice::{
    Voice, at_root, is_listed, is_named, is_required, kind, of_item, of_member, spelled_out,
};
use crate::callable::{Kind, Sourcing};
use crate::corpus::Birth;

/// Shapes tried before a draw is given up: a shape may need what the stock does not have.
const MAX_SHAPES: u64 = 24;
/// Of ten lenient calls, one is made up as a whole, one is filled with known values whatever their names, and the others
/// take values that are known under the name of the place. One decision for all places of a call: a call that names three
/// things goes wrong if any of them does not exist.
const TASTES: &[Taste; 10] = &[
    Taste::MadeUp,
    Taste::Known,
    Taste::Related,
    Taste::Related,
    Taste::Related,
    Taste::Related,
    Taste::Related,
    Taste::Related,
    Taste::Related,
    Taste::Related,
];

/// Which values a lenient call prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taste {
    /// Those the schema's own sampler makes up.
    MadeUp,
    /// Any that is known.
    Known,
    /// Those known under a name like that of the place; where there is none, known and made up ones in turn.
    Related,
}

/// Arguments, and where their values come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// Each value that came from the stock, in the order of the arguments.
    pub sources: Vec<Sourced>,
}

/// A value that came from the stock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced {
    /// Its place in the arguments, as a JSON Pointer.
    pub at: String,
    /// Where it was born.
    pub birth: Birth,
    /// The same in every sequence in which the same call returns it at the same place.
    pub identity: u64,
}

/// Draws arguments that fit the schema, a pure function of the schema, the stock and the seed.
#[must_use]
pub fn arguments(blueprint: &Blueprint, stock: &Stock, sourcing: Sourcing, seed: u64) -> Option<Drawn> {
    // A source that gives up has tried long and hard, and would again.
    let shapes = (0..MAX_SHAPES)
        .map_while(|attempt| blueprint.source.instance(seed, attempt, &mut Metrics::default()).ok());
    shapes.into_iter().find_map(|shape| {
        Filling { blueprint, stock, sourcing, seed, wants: Wants::Any, sources: Vec::new() }.whole(shape)
    })
}

/// The same from one shape that was planned: what is planned and known stays, everything else is picked as ever.
pub(crate) fn filled(
    blueprint: &Blueprint,
    stock: &Stock,
    sourcing: Sourcing,
    seed: u64,
    shape: Value,
) -> Option<Drawn> {
    Filling { blueprint, stock, sourcing, seed, wants: Wants::Planned, sources: Vec::new() }.whole(shape)
}

/// Whether the values of a shape were planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wants {
    Any,
    Planned,
}

struct Filling<'a> {
    blueprint: &'a Blueprint,
    stock: &'a Stock,
    sourcing: Sourcing,
    seed: u64,
    wants: Wants,
    sources: Vec<Sourced>,
}

type Spelled<'a> = [(Voice, &'a Keywords)];

impl Filling<'_> {
    /// Valid arguments of a shape.
    fn whole(mut self, shape: Value) -> Option<Drawn> {
        let root = at_root(self.blueprint.contract());
        let filled = self.fill(shape, &root, &Pointer::root())?;
        match filled {
            filled if !self.blueprint.is_valid(&filled) => None,
            Value::Object(arguments) => Some(Drawn { arguments, sources: self.sources }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
        }
    }

    /// The value with its numbers and strings replaced; nothing if one is missing that cannot be left out.
    fn fill(&mut self, value: Value, voices: &[Voice], at: &Pointer) -> Option<Value> {
        let spelled = spelled_out(self.blueprint.contract(), voices);
        if is_listed(&spelled, &value) {
            return Some(value);
        }
        match value {
            Value::Null | Value::Bool(_) => Some(value),
            Value::String(_) | Value::Number(_) => self.scalar(value, voices, &spelled, at),
            Value::Array(items) => Some(self.array(items, &spelled, at)),
            Value::Object(members) => self.object(members, &spelled, at),
        }
    }

    fn scalar(
        &mut self,
        drawn: Value,
        voices: &[Voice],
        spelled: &Spelled<'_>,
        at: &Pointer,
    ) -> Option<Value> {
        let seed = derive_seed(self.seed, &[hash(at.as_str())]);
        let (kind, demands) = (kind(spelled, &drawn)?, demands(voices));
        let planned = match self.wants {
            Wants::Planned => self.stock.known(&drawn, kind),
            Wants::Any => None,
        };
        let picked = planned.or_else(|| match self.sourcing {
            Sourcing::Strict => self.stock.pick(self.blueprint, &demands, kind, seed),
            Sourcing::Lenient => self.preferred(&demands, kind, seed, at),
        });
        match (picked, self.sourcing) {
            (Some(Picked { value, birth, identity }), _) => {
                self.sources.push(Sourced { at: at.as_str().to_owned(), birth, identity });
                Some(value)
            }
            (None, Sourcing::Lenient) => Some(drawn),
            (None, Sourcing::Strict) => None,
        }
    }

    /// The known value that a lenient call takes at a place, if it takes one.
    fn preferred(&self, demands: &[NodeId], kind: Kind, seed: u64, at: &Pointer) -> Option<Picked> {
        let any = || self.stock.pick(self.blueprint, demands, kind, seed);
        let taste = usize::try_from(derive_seed(self.seed, &[3]) % 10).unwrap_or_default();
        match TASTES[taste] {
            Taste::MadeUp => None,
            Taste::Known => any(),
            Taste::Related => {
                // Elements of an array stand under the name of the array.
                let name = at.tokens().filter(|token| token.parse::<usize>().is_err()).last();
                let related =
                    self.stock.pick_related(self.blueprint, demands, kind, seed, &name.unwrap_or_default());
                related.or_else(|| any().filter(|_| derive_seed(seed, &[1]).is_multiple_of(2)))
            }
        }
    }

    /// Elements that cannot be filled are left out; whether too few are left is for the judge to say.
    fn array(&mut self, items: Vec<Value>, spelled: &Spelled<'_>, at: &Pointer) -> Value {
        let is_unique = spelled.iter().any(|(_, keywords)| keywords.is_unique);
        let mut filled: Vec<Value> = Vec::new();
        for (index, item) in items.into_iter().enumerate() {
            let n_sources = self.sources.len();
            let place = at.item(filled.len());
            let item = self.fill(item, &of_item(spelled, index), &place);
            match item.filter(|item| !is_unique || !filled.contains(item)) {
                Some(item) => filled.push(item),
                None => self.sources.truncate(n_sources),
            }
        }
        Value::Array(filled)
    }

    fn object(&mut self, members: Map<String, Value>, spelled: &Spelled<'_>, at: &Pointer) -> Option<Value> {
        let mut filled = Map::with_capacity(members.len());
        for (name, member) in members {
            let voices = of_member(spelled, &name);
            let name = match self.sourcing {
                Sourcing::Strict if !is_named(spelled, &name) => match self.name(&name, at) {
                    Some(known) => known,
                    None => continue,
                },
                Sourcing::Strict | Sourcing::Lenient => name,
            };
            if filled.contains_key(&name) {
                continue;
            }
            let n_sources = self.sources.len();
            match self.fill(member, &voices, &at.child(&name)) {
                Some(member) => {
                    filled.insert(name, member);
                }
                None if is_required(spelled, &name) => return None,
                None => self.sources.truncate(n_sources),
            }
        }
        Some(Value::Object(filled))
    }

    /// A known string in place of a name that was made up.
    fn name(&self, drawn: &str, at: &Pointer) -> Option<String> {
        let seed = derive_seed(self.seed, &[hash(at.child(drawn).as_str()), 2]);
        match self.stock.pick(self.blueprint, &[], Kind::String, seed)?.value {
            Value::String(name) => Some(name),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// The nodes a value has to fit by itself; where there are only branches, the whole arguments are judged.
fn demands(voices: &[Voice]) -> Vec<NodeId> {
    voices.iter().filter(|voice| voice.is_binding).map(|voice| voice.node).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::corpus::{CorpusLimits, MineText};

    const SEEDS: u64 = 400;

    /// How many of 400 calls with two ids have both from the values that an answer had under a name.
    fn n_whole(sourcing: Sourcing, place: &str, known: &Value) -> usize {
        let id = json!({"type": "string"});
        let schema = json!({"type": "object", "additionalProperties": false, "required": ["all"], "properties": {
            "all": {"type": "array", "minItems": 2, "maxItems": 2, "items": {
                "type": "object", "additionalProperties": false, "required": [place], "properties": {place: id}}}}});
        let blueprint = Blueprint::of(&schema).expect("a plain schema");
        let mut stock = Stock::new(CorpusLimits::default(), &[], &[]);
        stock.learn(7, Some(&json!({"structuredContent": known})), MineText::Never);
        let is_meant = |drawn: &Drawn| {
            let all = drawn.arguments["all"].as_array().expect("it is required");
            all.iter().all(|one| one[place].as_str().is_some_and(|id| id.starts_with("known")))
        };
        let drawn = (0..SEEDS).filter_map(|seed| arguments(&blueprint, &stock, sourcing, seed));
        drawn.filter(is_meant).count()
    }

    #[track_caller]
    fn check(sourcing: Sourcing, place: &str, known: &Value, expected: std::ops::Range<usize>) {
        let n_whole = n_whole(sourcing, place, known);
        assert!(expected.contains(&n_whole), "{n_whole} of {SEEDS} for {place} and {known}");
    }

    #[test]
    fn a_lenient_call_prefers_what_was_known_under_the_name_of_the_place() {
        let known = json!({"count": "six", "list": ["a", "b", "c"], "name": "known 1", "other": {"names": ["known 2"]}});
        check(Sourcing::Lenient, "entityName", &known, 300..360);
        check(Sourcing::Lenient, "names", &known, 300..360);
    }

    #[test]
    fn a_lenient_call_mixes_known_and_made_up_values_where_no_name_fits() {
        let known = json!(["known 1", "known 2"]);
        check(Sourcing::Lenient, "entityName", &known, 80..180);
    }

    #[test]
    fn a_strict_call_picks_uniformly_whatever_the_names() {
        // Of eight strings two are meant, so that one call in sixteen has both.
        let known = json!({"name": ["known 1", "known 2"], "a": "x", "b": "y", "c": "z"});
        check(Sourcing::Strict, "name", &known, 10..45);
    }
}
