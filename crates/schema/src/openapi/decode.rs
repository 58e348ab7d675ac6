//! The text of parameters back into values: what a reader makes of a request, by style and schema.
//!
//! A text says nothing about types, so the schema decides: a text that looks like a number is one where numbers are
//! allowed, and so on; text is what nothing else fits.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::contract::{Contract, NodeId};
use crate::document::decoded;
use crate::openapi::parameter::{Location, Parameter, Style};

/// Reads a parameter's value back from a path segment, a header, or the `name=value` pieces of a query or cookie.
pub(crate) fn decode(parameter: &Parameter, contract: &Contract, pieces: &[String]) -> Option<Value> {
    let Parameter { name, location, style, is_exploded, .. } = parameter;
    let reader = Reader { contract, parameter };
    let root = reader.spread(&contract.roots()[..1]);
    let only = || pieces.first().map(String::as_str);
    match (style, location) {
        (Style::Json, Location::Query | Location::Cookie) => {
            serde_json::from_str(&reader.unescaped(own(pieces, name)?)?).ok()
        }
        (Style::Json, Location::Path | Location::Header) => {
            serde_json::from_str(&reader.unescaped(only()?)?).ok()
        }
        (Style::Simple, _) => reader.level(&root, only()?, ",", "="),
        (Style::Label, _) => {
            reader.level(&root, only()?.strip_prefix('.')?, if *is_exploded { "." } else { "," }, "=")
        }
        (Style::Matrix, _) => reader.matrix(&root, only()?),
        (Style::DeepObject, _) => match reader.deep(&root, pieces) {
            Some(deep) => Some(deep),
            None => reader.level(&root, own(pieces, name)?, ",", ","),
        },
        (Style::Form | Style::SpaceDelimited | Style::PipeDelimited, _) if *is_exploded => {
            reader.exploded(&root, pieces)
        }
        (Style::Form, _) => reader.level(&root, own(pieces, name)?, ",", ","),
        (Style::SpaceDelimited, _) => reader.level(&root, own(pieces, name)?, "%20", "%20"),
        (Style::PipeDelimited, _) => reader.level(&root, own(pieces, name)?, "%7C", "%7C"),
    }
}

/// The text of the piece with a name.
fn own<'p>(pieces: &'p [String], name: &str) -> Option<&'p str> {
    let split = pieces.iter().filter_map(|piece| piece.split_once('='));
    split.filter(|(key, _)| decoded(key).as_deref() == Some(name)).map(|(_, text)| text).next()
}

/// How deep references and choices are looked through for types.
const DEPTH: u32 = 8;

struct Reader<'a> {
    contract: &'a Contract,
    parameter: &'a Parameter,
}

impl Reader<'_> {
    /// The nodes that may apply to a value of some nodes.
    fn spread(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        let mut found = BTreeSet::new();
        let mut open: Vec<(NodeId, u32)> = nodes.iter().map(|id| (*id, 0)).collect();
        while let Some((id, depth)) = open.pop() {
            if !found.insert(id) || depth > DEPTH {
                continue;
            }
            let Some(keywords) = self.contract.node(id).keywords() else { continue };
            let inner = keywords.reference.iter().chain(&keywords.all_of).chain(&keywords.any_of);
            open.extend(inner.chain(&keywords.one_of).map(|id| (*id, depth + 1)));
        }
        found.into_iter().collect()
    }

    /// Whether some of the nodes name a type, or none names any.
    fn takes(&self, nodes: &[NodeId], kind: &str) -> bool {
        let is_it = |name: &str| name == kind || (kind == "integer" && name == "number");
        let mut is_open = true;
        for keywords in nodes.iter().filter_map(|id| self.contract.node(*id).keywords()) {
            let listed = keywords.enumeration.iter().flatten().chain(&keywords.constant);
            let is_listed = keywords.types.is_empty() && listed.clone().any(|value| is_it(kind_of(value)));
            if is_listed || keywords.types.iter().any(|name| is_it(name)) {
                return true;
            }
            is_open &= keywords.types.is_empty() && listed.count() == 0;
        }
        is_open
    }

    fn items(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        let keywords = nodes.iter().filter_map(|id| self.contract.node(*id).keywords());
        let items = keywords.flat_map(|keywords| keywords.prefix_items.iter().chain(&keywords.items));
        self.spread(&items.copied().collect::<Vec<_>>())
    }

    fn member(&self, nodes: &[NodeId], name: &str) -> Vec<NodeId> {
        let keywords: Vec<_> = nodes.iter().filter_map(|id| self.contract.node(*id).keywords()).collect();
        let named = keywords.iter().flat_map(|keywords| &keywords.properties);
        let mut found: Vec<NodeId> = named.filter(|(known, _)| known == name).map(|(_, id)| *id).collect();
        if found.is_empty() {
            found.extend(keywords.iter().filter_map(|keywords| keywords.additional_properties));
        }
        self.spread(&found)
    }

    fn unescaped(&self, text: &str) -> Option<String> {
        if self.parameter.location == Location::Header { Some(text.to_owned()) } else { decoded(text) }
    }

    fn single(&self, nodes: &[NodeId], text: &str) -> Option<Value> {
        let text = self.unescaped(text)?;
        let json = serde_json::from_str::<Value>(&text).ok();
        let is_exact = |value: &Value| format!("{value}") == text && self.takes(nodes, kind_of(value));
        match json.filter(|value| !value.is_string() && is_exact(value)) {
            Some(value) => Some(value),
            None => self.takes(nodes, "string").then_some(Value::String(text)),
        }
    }

    /// A value of one level.
    fn level(&self, nodes: &[NodeId], text: &str, between: &str, pair: &str) -> Option<Value> {
        let pair = if self.parameter.is_exploded { pair } else { between };
        let is_plain = ["string", "number", "integer", "boolean"].iter().any(|kind| self.takes(nodes, kind));
        let has_many = text.contains(between) || (self.parameter.is_exploded && text.contains(pair));
        if is_plain && !has_many {
            return self.single(nodes, text);
        }
        if self.takes(nodes, "array") && !(pair != between && text.contains(pair)) {
            let items = self.items(nodes);
            return text.split(between).map(|item| self.single(&items, item)).collect();
        }
        let mut members = Map::new();
        if pair == between {
            let parts: Vec<&str> = text.split(between).collect();
            for couple in parts.chunks(2) {
                let [key, value] = couple else { return None };
                self.add(nodes, key, value, &mut members)?;
            }
        } else {
            for couple in text.split(between) {
                let (key, value) = couple.split_once(pair)?;
                self.add(nodes, key, value, &mut members)?;
            }
        }
        Some(Value::Object(members))
    }

    fn add(&self, nodes: &[NodeId], key: &str, text: &str, members: &mut Map<String, Value>) -> Option<()> {
        let key = self.unescaped(key)?;
        let value = self.single(&self.member(nodes, &key), text)?;
        members.insert(key, value);
        Some(())
    }

    fn matrix(&self, nodes: &[NodeId], text: &str) -> Option<Value> {
        let pieces: Vec<String> = text.strip_prefix(';')?.split(';').map(str::to_owned).collect();
        if self.parameter.is_exploded {
            return self.exploded(nodes, &pieces);
        }
        self.level(nodes, own(&pieces, &self.parameter.name)?, ",", ",")
    }

    /// Pieces of `name=value`: the parameter's own name for a plain value or a list, other names for an object.
    fn exploded(&self, nodes: &[NodeId], pieces: &[String]) -> Option<Value> {
        let couples: Vec<(String, &str)> = pieces
            .iter()
            .filter_map(|piece| piece.split_once('='))
            .filter_map(|(key, text)| Some((self.unescaped(key)?, text)))
            .collect();
        let own: Vec<&str> =
            couples.iter().filter(|(key, _)| *key == self.parameter.name).map(|(_, text)| *text).collect();
        let is_list = self.takes(nodes, "array");
        let is_plain = ["string", "number", "integer", "boolean"].iter().any(|kind| self.takes(nodes, kind));
        match own.as_slice() {
            [only] if is_plain => self.single(nodes, only),
            [_, ..] if is_list => {
                let items = self.items(nodes);
                own.into_iter().map(|item| self.single(&items, item)).collect()
            }
            _ => {
                let mut members = Map::new();
                for (key, text) in &couples {
                    let nodes = self.member(nodes, key);
                    if !nodes.is_empty() {
                        members.insert(key.clone(), self.single(&nodes, text)?);
                    }
                }
                (!members.is_empty()).then_some(Value::Object(members))
            }
        }
    }

    fn deep(&self, nodes: &[NodeId], pieces: &[String]) -> Option<Value> {
        let mut object = Map::new();
        for piece in pieces {
            let (key, text) = piece.split_once('=')?;
            let key = self.unescaped(key)?;
            let Some(rest) = key.strip_prefix(self.parameter.name.as_str()) else { continue };
            let Some(inner) = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
                continue;
            };
            let path: Vec<&str> = inner.split("][").collect();
            self.plant(nodes, &mut object, &path, text)?;
        }
        (!object.is_empty()).then_some(Value::Object(object))
    }

    fn plant(
        &self,
        nodes: &[NodeId],
        object: &mut Map<String, Value>,
        path: &[&str],
        text: &str,
    ) -> Option<()> {
        let (name, below) = path.split_first()?;
        let nodes = self.member(nodes, name);
        if !below.is_empty() {
            let inner = object.entry(*name).or_insert_with(|| Value::Object(Map::new()));
            return self.plant(&nodes, inner.as_object_mut()?, below, text);
        }
        if let Some(Value::Array(items)) = object.get_mut(*name) {
            items.push(self.single(&self.items(&nodes), text)?);
            return Some(());
        }
        let is_list = self.takes(&nodes, "array") && !self.takes(&nodes, "string");
        let value = if is_list {
            Value::Array(vec![self.single(&self.items(&nodes), text)?])
        } else {
            self.single(&nodes, text)?
        };
        object.insert((*name).to_owned(), value);
        Some(())
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) => match crate::json::whole(number) {
            Some(_) => "integer",
            None => "number",
        },
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, ReadOptions};
    use crate::openapi::encode::encode;
    use serde_json::json;

    #[track_caller]
    fn check(location: Location, style: Style, schema: &Value, value: &Value) {
        let document = Document::of_value(schema.clone(), &ReadOptions::default()).expect("a schema");
        let contract = Contract::of(&document).expect("a contract");
        for is_exploded in [true, false] {
            let name = "color".to_owned();
            let (is_required, keeps_reserved, schema) = (true, false, None);
            let parameter =
                Parameter { name, location, style, is_exploded, is_required, keeps_reserved, schema };
            let pieces = encode(&parameter, value).expect("the style has a text for it");
            let read = decode(&parameter, &contract, &pieces);
            assert_eq!(read.as_ref(), Some(value), "{style:?} {is_exploded}: {pieces:?}");
        }
    }

    #[test]
    fn every_style_reads_back_what_it_writes() {
        let styles = [
            (Location::Path, Style::Simple),
            (Location::Path, Style::Label),
            (Location::Path, Style::Matrix),
            (Location::Path, Style::Json),
            (Location::Header, Style::Simple),
            (Location::Query, Style::Form),
            (Location::Query, Style::SpaceDelimited),
            (Location::Query, Style::PipeDelimited),
            (Location::Query, Style::Json),
            (Location::Cookie, Style::Form),
        ];
        let object =
            json!({"properties": {"R": {"type": "integer"}, "G": {"type": "string"}}, "type": "object"});
        for (location, style) in styles {
            check(location, style, &json!({"type": "integer"}), &json!(-5));
            check(location, style, &json!({"type": "boolean"}), &json!(true));
            check(location, style, &json!({"type": "string"}), &json!("true"));
            check(location, style, &json!({"type": "array", "items": {"type": "number"}}), &json!([1, 2.5]));
            check(
                location,
                style,
                &json!({"type": "array", "items": {"type": "string"}}),
                &json!(["1", "b"]),
            );
            check(location, style, &object, &json!({"R": 100, "G": "2"}));
        }
    }

    #[test]
    fn letters_that_separate_are_escaped_where_a_style_escapes() {
        let text = json!("a,b.c;d=e&f g|h/ü%");
        for (location, style) in
            [(Location::Path, Style::Simple), (Location::Path, Style::Label), (Location::Query, Style::Form)]
        {
            check(location, style, &json!({"type": "string"}), &text);
            check(
                location,
                style,
                &json!({"type": "array", "items": {"type": "string"}}),
                &json!([text, "b"]),
            );
        }
    }

    #[test]
    fn a_deep_object_reads_back_with_its_lists_and_inner_objects() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "integer"},
            "b": {"type": "array", "items": {"type": "string"}},
            "c": {"type": "object", "properties": {"d": {"type": "boolean"}}}
        }});
        check(
            Location::Query,
            Style::DeepObject,
            &schema,
            &json!({"a": 1, "b": ["x", "y"], "c": {"d": true}}),
        );
    }
}
