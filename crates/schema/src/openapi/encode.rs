//! Values into the text of parameters, as their style says (OpenAPI 3.1 §4.8.12.4, RFC 6570).

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::openapi::parameter::{Location, Parameter, Style};

/// The pieces of a parameter's text: one in a path or header, one for each `name=value` in a query or cookie.
/// `None` when the style has no text for the value.
pub(crate) fn encode(parameter: &Parameter, value: &Value) -> Option<Vec<String>> {
    let Parameter { name, location, style, is_exploded, .. } = parameter;
    let pen = Pen { parameter };
    let name = pen.escaped(name);
    let named = |text: String| format!("{name}={text}");
    let pieces = match (style, value) {
        (Style::Json, value) => {
            let text = pen.escaped(&ascii_json(value));
            vec![if matches!(location, Location::Query | Location::Cookie) { named(text) } else { text }]
        }
        (_, Value::Array(items)) if items.is_empty() => return None,
        (_, Value::Object(members)) if members.is_empty() => return None,
        (Style::Simple, value) => vec![pen.joined(value, ",", "=")],
        (Style::Label, value) => {
            vec![format!(".{}", pen.joined(value, if *is_exploded { "." } else { "," }, "="))]
        }
        (Style::Matrix, Value::Array(items)) if *is_exploded => {
            let pieces: Vec<String> =
                items.iter().map(|item| format!(";{name}={}", pen.text(item))).collect();
            vec![pieces.concat()]
        }
        (Style::Matrix, Value::Object(members)) if *is_exploded => {
            let member =
                |(key, value): (&String, &Value)| format!(";{}={}", pen.escaped(key), pen.text(value));
            vec![members.iter().map(member).collect()]
        }
        (Style::Matrix, value) => vec![format!(";{name}={}", pen.joined(value, ",", "="))],
        (Style::DeepObject, Value::Object(members)) => pen.deep(&name, members),
        (Style::Form | Style::SpaceDelimited | Style::PipeDelimited, Value::Array(items)) if *is_exploded => {
            items.iter().map(|item| named(pen.text(item))).collect()
        }
        (Style::Form | Style::SpaceDelimited | Style::PipeDelimited, Value::Object(members))
            if *is_exploded =>
        {
            members.iter().map(|(key, value)| format!("{}={}", pen.escaped(key), pen.text(value))).collect()
        }
        (Style::Form | Style::DeepObject, value) => vec![named(pen.joined(value, ",", ","))],
        (Style::SpaceDelimited, value) => vec![named(pen.joined(value, "%20", "%20"))],
        (Style::PipeDelimited, value) => vec![named(pen.joined(value, "%7C", "%7C"))],
    };
    Some(pieces)
}

/// What a parameter's value must be like so that its style has a text for it that reads back as the same value.
pub(crate) fn encodable(parameter: &Parameter) -> Value {
    let some = json!(["string", "number", "boolean", "array", "object"]);
    if parameter.style == Style::Json {
        return json!({});
    }
    let item = json!({ "type": ["string", "number", "boolean"] });
    let mut demand = json!({"type": some, "minItems": 1, "minProperties": 1, "items": item});
    match parameter.location {
        // A segment of dots alone would be taken for a way up, and servers differ on what a written-out slash means.
        Location::Path => {
            demand["pattern"] = json!("^[^/\\\\]*[^./\\\\][^/\\\\]*$");
            demand["items"]["pattern"] = json!("^[^/\\\\]+$");
        }
        Location::Header => {
            demand["pattern"] = json!("^[!-~]([ -~]*[!-~])?$");
            demand["items"]["pattern"] = json!("^[!-+\\--~]+$");
        }
        // Many readers take an empty text for no value at all.
        Location::Query | Location::Cookie => demand["minLength"] = json!(1),
    }
    demand
}

/// A text with everything but letters, digits and `-._~` as percent signs and digits.
pub(crate) fn percent(text: &str, kept: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let is_plain =
            byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.as_bytes().contains(&byte);
        if is_plain {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("writing to a string cannot fail");
        }
    }
    out
}

/// JSON text of letters that every header takes.
pub(crate) fn ascii_json(value: &Value) -> String {
    let mut out = String::new();
    for letter in value.to_string().chars() {
        if letter.is_ascii() {
            out.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("writing to a string cannot fail");
            }
        }
    }
    out
}

/// A value that is no list and no object as plain text; others as JSON text, since no style has more than one level.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

struct Pen<'a> {
    parameter: &'a Parameter,
}

impl Pen<'_> {
    fn escaped(&self, text: &str) -> String {
        let Parameter { location, style, keeps_reserved, .. } = self.parameter;
        match (location, style) {
            (Location::Header, _) => text.to_owned(),
            // The dot separates here, so it is no plain letter.
            (Location::Path, Style::Label) => percent(text, "").replace('.', "%2E"),
            (Location::Query, Style::Form) if *keeps_reserved => percent(text, ":/?@!$'()*;"),
            _ => percent(text, ""),
        }
    }

    fn text(&self, value: &Value) -> String {
        self.escaped(&plain(value))
    }

    /// A value of one level; `pair` stands between a name and its value where members are written on their own.
    fn joined(&self, value: &Value, between: &str, pair: &str) -> String {
        match value {
            Value::Array(items) => items.iter().map(|item| self.text(item)).collect::<Vec<_>>().join(between),
            Value::Object(members) => {
                let pair = if self.parameter.is_exploded { pair } else { between };
                let member = |(key, value): (&String, &Value)| {
                    format!("{}{pair}{}", self.escaped(key), self.text(value))
                };
                members.iter().map(member).collect::<Vec<_>>().join(between)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => self.text(value),
        }
    }

    fn deep(&self, name: &str, members: &Map<String, Value>) -> Vec<String> {
        let mut pieces = Vec::new();
        for (key, value) in members {
            let name = format!("{name}%5B{}%5D", self.escaped(key));
            match value {
                Value::Object(members) if !members.is_empty() => pieces.extend(self.deep(&name, members)),
                Value::Array(items) if !items.is_empty() => {
                    pieces.extend(items.iter().map(|item| format!("{name}={}", self.text(item))));
                }
                other => pieces.push(format!("{name}={}", self.text(other))),
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(location: Location, style: Style, is_exploded: bool, expected: [&str; 3]) {
        let name = "color".to_owned();
        let parameter = Parameter {
            name,
            location,
            style,
            is_exploded,
            is_required: true,
            keeps_reserved: false,
            schema: None,
        };
        let values =
            [json!("blue"), json!(["blue", "black", "brown"]), json!({"R": 100, "G": 200, "B": 150})];
        for (value, expected) in values.iter().zip(expected) {
            let pieces = encode(&parameter, value).map(|pieces| pieces.join("&"));
            assert_eq!(pieces.as_deref(), Some(expected), "{style:?} {is_exploded} {value}");
        }
    }

    #[test]
    fn every_style_writes_what_the_table_of_openapi_3_1_shows() {
        let simple = ["blue", "blue,black,brown", "R,100,G,200,B,150"];
        check(Location::Path, Style::Simple, false, simple);
        check(Location::Header, Style::Simple, true, ["blue", "blue,black,brown", "R=100,G=200,B=150"]);
        check(Location::Path, Style::Label, false, [".blue", ".blue,black,brown", ".R,100,G,200,B,150"]);
        check(Location::Path, Style::Label, true, [".blue", ".blue.black.brown", ".R=100.G=200.B=150"]);
        let matrix = [";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"];
        check(Location::Path, Style::Matrix, false, matrix);
        let matrix = [";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"];
        check(Location::Path, Style::Matrix, true, matrix);
        let form = ["color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"];
        check(Location::Query, Style::Form, false, form);
        let form = ["color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"];
        check(Location::Query, Style::Form, true, form);
        let spaced = ["color=blue", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"];
        check(Location::Query, Style::SpaceDelimited, false, spaced);
        let piped = ["color=blue", "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"];
        check(Location::Query, Style::PipeDelimited, false, piped);
        let deep = "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150";
        check(Location::Query, Style::DeepObject, true, ["color=blue", "color=blue,black,brown", deep]);
    }
}
