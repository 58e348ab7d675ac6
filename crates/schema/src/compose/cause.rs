//! Why a contract admits no value, in words that name the members and limits that are in each other's way.

use std::collections::BTreeSet;
use std::sync::Arc;

use jsonschema::canonical::{Cause, UnsatisfiableReason};
use serde_json::Value;

use crate::compose::{configured, registry, within_time};
use crate::contract::{Body, Contract, Keywords, NodeId};
use crate::document::{Document, Note, NoteCode, brief, decoded, resolve_uri, told_beside};
use crate::json::Pointer;
use crate::validate::{Formats, fragment};

/// Causes told; a handful is enough to act on.
const MOST: usize = 8;
/// How long causes are looked for, in milliseconds.
const PATIENCE: u64 = 4_000;
/// How many documents are followed.
const DEPTH: usize = 4;
/// How often parts that can end are left out when it is asked what cannot.
const ROUNDS: usize = 100;

/// Why the subschema at a place of a document admits no value: one note for each part that is to blame.
pub(crate) fn causes(document: &Document, pointer: &Pointer, formats: Formats) -> Vec<Note> {
    causes_within(document, pointer, formats, DEPTH, &document.base)
}

/// The same, as told in the document at another address.
fn causes_within(
    document: &Document,
    pointer: &Pointer,
    formats: Formats,
    depth: usize,
    home: &str,
) -> Vec<Note> {
    let mut document = document.clone();
    if !pointer.as_str().is_empty()
        && let Value::Object(root) = Arc::make_mut(&mut document.root)
    {
        // A part of a description is looked at when something refers to it.
        root.insert("$ref".to_owned(), Value::from(format!("#{}", fragment(pointer))));
    }
    let reasons = reasons(&document, formats);
    let mut notes: Vec<Note> = reasons
        .iter()
        .filter(|(at, reason)| at.is_within(pointer) && !is_usual(at, reason, pointer))
        .map(|(at, reason)| note(at, text(&document.root, &reasons, at, reason)))
        .collect();
    if notes.is_empty() {
        notes.extend(endless(&document, pointer));
    }
    let mut deeper = notes.iter().filter(|_| depth > 0);
    if let Some(notes) = deeper.find_map(|note| elsewhere(&document, &note.at, formats, depth - 1, home)) {
        return notes;
    }
    if document.base != home {
        let told = told_beside(home, &document.base);
        for note in &mut notes {
            note.text = format!("{} (in {told:?})", note.text);
        }
    }
    notes.truncate(MOST);
    notes
}

/// Why what a place refers to in another document admits nothing.
fn elsewhere(
    document: &Document,
    at: &Pointer,
    formats: Formats,
    depth: usize,
    home: &str,
) -> Option<Vec<Note>> {
    let reference = at.find(&document.root)?.get("$ref")?.as_str()?;
    let uri = resolve_uri(&document.base, reference)?;
    let (address, place) = uri.split_once('#').unwrap_or((&uri, ""));
    let (address, root) = document.supplied.iter().find(|(known, _)| known == address)?;
    let other = Document { root: Arc::new(root.clone()), base: address.clone(), ..document.clone() };
    let notes = causes_within(&other, &Pointer::parse(&decoded(place)?)?, formats, depth, home);
    (!notes.is_empty()).then_some(notes)
}

type Reason = (Pointer, UnsatisfiableReason);

/// Every part of a document of which it is known that it admits nothing.
fn reasons(document: &Document, formats: Formats) -> Vec<Reason> {
    let document = document.clone();
    let run = move || {
        let registry = registry(&document).ok()?;
        let prepared = configured(&document, &registry, formats).prepare(&document.root).ok()?;
        let reasons = prepared.unsatisfiable().ok()?;
        Some(reasons.into_iter().map(|(at, reason)| (place(&at), reason)).collect())
    };
    within_time(PATIENCE, run).flatten().unwrap_or_default()
}

fn place(pointer: &str) -> Pointer {
    Pointer::parse(pointer).unwrap_or_default()
}

fn note(at: &Pointer, text: String) -> Note {
    Note { address: None, code: NoteCode::Unsatisfiable, at: at.clone(), text }
}

/// Whether it is a `false` that only closes an object or a list; what cannot do without the rest names it.
fn is_usual(at: &Pointer, reason: &UnsatisfiableReason, root: &Pointer) -> bool {
    matches!(reason, UnsatisfiableReason::Literal) && at != root
}

fn text(root: &Value, all: &[Reason], at: &Pointer, reason: &UnsatisfiableReason) -> String {
    let causes: &[Cause] = match reason {
        UnsatisfiableReason::Literal => return "false admits nothing".to_owned(),
        UnsatisfiableReason::Empty(cause) => std::slice::from_ref(cause),
        UnsatisfiableReason::Conflict(causes) => causes,
    };
    if let Some(told) =
        causes.iter().find_map(|cause| crossed(root, cause).or_else(|| unmet(root, all, cause)))
    {
        return told;
    }
    let told: Vec<String> = causes.iter().map(|cause| spelled(cause, at)).collect();
    match &told[..] {
        [single] if causes[0].keywords.len() > 1 => format!("{single} together admit nothing"),
        [single] => format!("{single} admits nothing"),
        several => format!("no value satisfies all of {}", several.join(" and ")),
    }
}

/// A part of a schema: the keywords that are meant, and where they stand.
fn spelled(cause: &Cause, at: &Pointer) -> String {
    let keywords: Vec<String> = cause.keywords.iter().map(|keyword| format!("{keyword:?}")).collect();
    let (place, keywords) = (place(&cause.pointer), keywords.join(", "));
    match keywords.as_str() {
        "" => place.to_string(),
        keywords if place == *at => keywords.to_owned(),
        keywords => format!("{keywords} at {place}"),
    }
}

/// Keywords that leave nothing between them when the first is more than the second.
const LIMITS: &[(&str, &str)] = &[
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minContains", "maxContains"),
    ("minProperties", "maxProperties"),
];

/// A lower limit that is above the upper one.
fn crossed(root: &Value, cause: &Cause) -> Option<String> {
    let schema = place(&cause.pointer).find(root)?;
    let limit =
        |keyword: &str| schema.get(keyword).filter(|_| cause.keywords.iter().any(|one| one == keyword));
    LIMITS.iter().find_map(|(low, high)| {
        let (least, most) = (limit(low)?, limit(high)?);
        (least.as_f64()? > most.as_f64()?).then(|| format!("{low} {least} is more than {high} {most}"))
    })
}

/// A member that is required and cannot be there.
fn unmet(root: &Value, all: &[Reason], cause: &Cause) -> Option<String> {
    let at = place(&cause.pointer);
    let schema = at.find(root)?;
    let required = schema.get("required").filter(|_| cause.keywords.iter().any(|one| one == "required"))?;
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false))
        && schema.get("patternProperties").is_none();
    required.as_array()?.iter().filter_map(Value::as_str).find_map(|name| {
        let (own, told) = (at.child("properties").child(name), brief(&Value::from(name)));
        if own.find(root).is_none() {
            return is_closed.then(|| {
                format!("{told} is required, but no property of that name is declared and additionalProperties is false")
            });
        }
        all.iter().any(|(at, _)| *at == own).then(|| format!("{told} is required, but {own} admits nothing"))
    })
}

/// A value that would have to contain another of its own kind, and that one the next.
fn endless(document: &Document, pointer: &Pointer) -> Option<Note> {
    let contract = Contract::at(document, std::slice::from_ref(pointer)).ok()?;
    let ids: Vec<NodeId> = (0..).map(NodeId).take(contract.nodes().len()).collect();
    // What needs itself stays; everything that can end leaves, and then what needed only that.
    let mut endless: BTreeSet<NodeId> = ids.iter().copied().collect();
    for _ in 0..ROUNDS {
        let n_before = endless.len();
        // Parts mostly stand behind what they are parts of.
        for id in ids.iter().rev() {
            if need(&contract, *id, &endless).is_none() {
                endless.remove(id);
            }
        }
        if endless.len() == n_before {
            return told(&contract, &endless);
        }
    }
    None
}

/// How one endless value needs the next, from the root of a contract on.
fn told(contract: &Contract, endless: &BTreeSet<NodeId>) -> Option<Note> {
    let root = contract.roots().first().copied().filter(|id| endless.contains(id))?;
    let (mut way, mut now) = (vec![root], root);
    loop {
        now = need(contract, now, endless)?;
        if let Some(start) = way.iter().position(|id| *id == now) {
            let spelled = |id: &NodeId| contract.node(*id).source.to_string();
            let mut steps: Vec<String> = way[start..].iter().chain([&now]).map(spelled).collect();
            if steps.len() > MOST {
                steps.splice(MOST / 2..steps.len() - 1, ["…".to_owned()]);
            }
            let at = &contract.node(now).source;
            return Some(note(at, format!("a value here would have no end: {}", steps.join(" needs "))));
        }
        way.push(now);
    }
}

/// An endless part that every value of a node must have.
fn need(contract: &Contract, id: NodeId, endless: &BTreeSet<NodeId>) -> Option<NodeId> {
    let Body::Keywords(keywords) = &contract.node(id).body else { return None };
    let Keywords { types, required, properties, pattern_properties, additional_properties, .. } = &**keywords;
    let Keywords { min_items, prefix_items, items, contains, min_contains, .. } = &**keywords;
    let is_only = |kind: &str| matches!(&types[..], [only] if only == kind);
    let members = properties.iter().filter(|(name, _)| is_only("object") && required.contains(name));
    let is_declared = |name: &String| properties.iter().any(|(own, _)| own == name);
    let has_others = is_only("object") && pattern_properties.is_empty() && !required.iter().all(is_declared);
    let others = additional_properties.iter().filter(|_| has_others);
    let n_items = min_items
        .filter(|_| is_only("array"))
        .map_or(0, |least| usize::try_from(least).unwrap_or(usize::MAX));
    let first = prefix_items.iter().chain(items).take(n_items);
    let contained = contains.iter().filter(|_| is_only("array") && *min_contains != Some(0));
    let parts = members.map(|(_, member)| member).chain(others).chain(first).chain(contained);
    let whole = keywords.all_of.iter().chain(&keywords.reference);
    let mut certain = parts.chain(whole).copied().filter(|part| endless.contains(part));
    certain.next().or_else(|| {
        let branches = [&keywords.any_of, &keywords.one_of];
        let all = branches
            .into_iter()
            .find(|list| !list.is_empty() && list.iter().all(|part| endless.contains(part)));
        all.and_then(|list| list.first().copied())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::ReadOptions;

    #[track_caller]
    fn check(schema: &Value, expected: &[&str]) {
        let document = Document::of_value(schema.clone(), &ReadOptions::default()).expect("a schema");
        let notes = causes(&document, &Pointer::root(), Formats::Assert);
        let told: Vec<String> = notes.iter().map(|note| format!("{}: {}", note.at, note.text)).collect();
        assert_eq!(told, expected, "{schema}");
    }

    #[test]
    fn limits_that_cross_are_named_with_their_values() {
        check(
            &json!({"type": "string", "minLength": 5, "maxLength": 3}),
            &["#: minLength 5 is more than maxLength 3"],
        );
        check(
            &json!({"type": "number", "minimum": 1.5, "maximum": 1}),
            &["#: minimum 1.5 is more than maximum 1"],
        );
    }

    #[test]
    fn a_required_member_that_cannot_be_there_is_named() {
        check(
            &json!({"type": "object", "properties": {"a": {}}, "required": ["b"], "additionalProperties": false}),
            &[
                "#: \"b\" is required, but no property of that name is declared and additionalProperties is false",
            ],
        );
        check(
            &json!({"type": "object", "properties": {"a": false}, "required": ["a"]}),
            &["#: \"a\" is required, but #/properties/a admits nothing"],
        );
    }

    #[test]
    fn a_value_without_end_is_told_with_the_way_back_to_itself() {
        check(
            &json!({"type": "object", "properties": {"x": {"$ref": "#"}}, "required": ["x"]}),
            &["#: a value here would have no end: # needs #"],
        );
        let node =
            json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/link"}}, "required": ["next"]});
        let link = json!({"anyOf": [{"$ref": "#/$defs/node"}]});
        check(
            &json!({"$ref": "#/$defs/node", "$defs": {"node": node, "link": link}}),
            &[
                "#/$defs/node: a value here would have no end: #/$defs/node needs #/$defs/link needs #/$defs/node",
            ],
        );
    }

    #[test]
    fn a_cause_in_another_document_is_told_with_that_document() {
        let other = json!({"$defs": {"a b": {"type": "array", "minItems": 2, "maxItems": 1}}});
        let supplied = vec![("file:///home/x/other.json".to_owned(), other)];
        let base = Some("file:///home/x/own.json".to_owned());
        let options = ReadOptions { base, supplied, ..ReadOptions::default() };
        let root = json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "other.json#/$defs/a%20b"}}});
        let document = Document::of_value(root, &options).expect("a schema");
        let notes = causes(&document, &Pointer::root(), Formats::Assert);
        let told: Vec<String> = notes.iter().map(|note| format!("{}: {}", note.at, note.text)).collect();
        assert_eq!(told, ["#/$defs/a b: minItems 2 is more than maxItems 1 (in \"other.json\")"]);
    }

    #[test]
    fn other_causes_are_told_by_their_keywords() {
        check(&json!(false), &["#: false admits nothing"]);
        check(&json!({"type": "string", "enum": [1]}), &["#: \"type\", \"enum\" together admit nothing"]);
        check(
            &json!({"allOf": [{"type": "string"}, {"type": "null"}]}),
            &["#: no value satisfies all of \"type\" at #/allOf/0 and \"type\" at #/allOf/1"],
        );
    }
}
