//! Text into a JSON value: JSON or YAML, with the place of whatever is wrong.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::document::{Note, NoteCode, ReadError};
use crate::json::Pointer;
use crate::limits::Limits;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TextForm {
    /// JSON when it starts like JSON, YAML otherwise.
    #[default]
    Detect,
    /// JSON.
    Json,
    /// YAML 1.2; its aliases are expanded within a budget.
    Yaml,
}

/// Reads a text into a value; what was odd but readable comes back as notes.
pub(crate) fn parse(text: &str, form: TextForm, limits: &Limits) -> Result<(Value, Vec<Note>), ReadError> {
    if text.len() > limits.text_bytes {
        return Err(ReadError::TooLarge { bytes: text.len(), most: limits.text_bytes });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    let is_json = match form {
        TextForm::Json => true,
        TextForm::Yaml => false,
        TextForm::Detect => starts_like_json(text),
    };
    if is_json { json(text) } else { yaml(text, limits) }
}

fn starts_like_json(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['{', '[']) || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn json(text: &str) -> Result<(Value, Vec<Note>), ReadError> {
    let repeated = RefCell::new(Vec::new());
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = Node { repeated: &repeated, place: Pointer::root() }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    match read {
        Ok(value) => Ok((value, repeated.into_inner())),
        Err(error) if error.to_string().contains("recursion limit") => {
            Err(ReadError::TooDeep { line: error.line() as u64 })
        }
        Err(error) => Err(ReadError::NotJson {
            line: error.line(),
            column: error.column(),
            reason: without_place(&error.to_string()),
        }),
    }
}

fn without_place(message: &str) -> String {
    let reason = message.split(" at line ").next().unwrap_or(message);
    reason.replace("expected ident", "expected true, false, null or another value")
}

fn yaml(text: &str, limits: &Limits) -> Result<(Value, Vec<Note>), ReadError> {
    let budget = serde_saphyr::budget! {
        max_depth: limits.nesting,
        flow_nesting_limit: limits.nesting,
        max_events: 20_000_000,
        max_nodes: 10_000_000,
    };
    // YAML 1.2, as OpenAPI asks for: `on`, `off`, `yes` and `no` are strings.
    let options = serde_saphyr::options! { budget: budget, strict_booleans: true };
    let repeated = RefCell::new(Vec::new());
    let read = serde_saphyr::with_deserializer_from_str_with_options(text, options, |deserializer| {
        Node { repeated: &repeated, place: Pointer::root() }.deserialize(deserializer)
    });
    match read {
        Ok(value) => Ok((value, repeated.into_inner())),
        Err(error) => {
            let (line, column) = error.location().map_or((0, 0), |place| (place.line(), place.column()));
            if matches!(error.without_snippet(), serde_saphyr::Error::MultipleDocuments { .. }) {
                return Err(ReadError::SeveralDocuments { line });
            }
            Err(ReadError::NotYaml { line, column, reason: first_line(&error.without_snippet().to_string()) })
        }
    }
}

fn first_line(message: &str) -> String {
    // What follows is advice for who writes a reader.
    let message = message.split(", set ").next().unwrap_or(message);
    without_place(message.lines().next().unwrap_or(message).trim_end_matches([':', '.']))
}

/// Reads one value and remembers members that were written twice.
struct Node<'a> {
    repeated: &'a RefCell<Vec<Note>>,
    place: Pointer,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "JSON readers take integers past 64 bits as doubles")]
        self.visit_f64(value as f64)
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "JSON readers take integers past 64 bits as doubles")]
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("JSON has no such number; write a finite one"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        let seed = |index| Node { repeated: self.repeated, place: self.place.item(index) };
        while let Some(item) = from.next_element_seed(seed(items.len()))? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        let nowhere = RefCell::new(Vec::new());
        while let Some(name) = from.next_key_seed(Node { repeated: &nowhere, place: Pointer::root() })? {
            let name = member_name(name)
                .ok_or_else(|| A::Error::custom("a member's name must be a plain scalar"))?;
            let place = self.place.child(&name);
            let member = from.next_value_seed(Node { repeated: self.repeated, place: place.clone() })?;
            if members.insert(name, member).is_some() {
                self.repeated.borrow_mut().push(Note {
                    address: None,
                    code: NoteCode::RepeatedMember,
                    at: place,
                    text: "this member is written more than once; the last one counts".to_owned(),
                });
            }
        }
        Ok(Value::Object(members))
    }
}

/// YAML names may be numbers, booleans or null (`200:` in a list of responses); JSON names are text.
fn member_name(name: Value) -> Option<String> {
    match name {
        Value::String(name) => Some(name),
        Value::Number(_) | Value::Bool(_) | Value::Null => Some(name.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    }
}
