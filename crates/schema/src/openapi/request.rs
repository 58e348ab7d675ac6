//! Whole requests: the path filled in, query, headers, cookies and body, and the same as a line for `curl`.

use serde_json::{Map, Value, json};

use crate::openapi::encode::{encode, percent, plain};
use crate::openapi::media::{is_form, is_json, is_multipart, is_open};
use crate::openapi::operation::Operation;
use crate::openapi::parameter::{Location, Parameter};

/// A request, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path with its parameters filled in.
    pub path: String,
    /// The query, without its question mark; empty when there is none.
    pub query: String,
    /// The headers, cookies and the type of the body included.
    pub headers: Vec<(String, String)>,
    /// The body as text.
    pub body: Option<String>,
}

impl Request {
    /// Puts a request together; `None` when a value has no text in its parameter's style.
    pub(crate) fn of(
        operation: &Operation,
        values: &[(&Parameter, Value)],
        body: Option<(&str, &Value)>,
    ) -> Option<Self> {
        let mut path = operation.path.clone();
        let (mut query, mut cookies, mut headers) = (Vec::new(), Vec::new(), Vec::new());
        for (parameter, value) in values {
            let pieces = encode(parameter, value)?;
            match parameter.location {
                Location::Path => path = path.replace(&format!("{{{}}}", parameter.name), &pieces.concat()),
                Location::Query => query.extend(pieces),
                Location::Header => headers.push((parameter.name.clone(), pieces.concat())),
                Location::Cookie => cookies.extend(pieces),
            }
        }
        if !cookies.is_empty() {
            headers.push(("Cookie".to_owned(), cookies.join("; ")));
        }
        // A line break would end the header and begin another.
        if headers.iter().any(|(_, value): &(String, String)| value.contains(['\r', '\n', '\0'])) {
            return None;
        }
        let body = body.map(|(media_type, value)| {
            let (media_type, text) = written(media_type, value);
            headers.push(("Content-Type".to_owned(), media_type));
            text
        });
        Some(Self { method: operation.method.clone(), path, query: query.join("&"), headers, body })
    }

    /// The path with the query, as the first line of a request has it.
    #[must_use]
    pub fn target(&self) -> String {
        // Some descriptions have a part of the query in the path.
        let mark = if self.path.contains('?') { '&' } else { '?' };
        if self.query.is_empty() { self.path.clone() } else { format!("{}{mark}{}", self.path, self.query) }
    }

    /// The request as data.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let Self { method, path: _, query: _, headers, body } = self;
        let headers: Map<String, Value> =
            headers.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str()))).collect();
        let mut request = json!({"method": method, "target": self.target(), "headers": headers});
        if let Some(body) = body {
            request["body"] = Value::from(body.as_str());
        }
        request
    }

    /// The request as a line for a shell.
    #[must_use]
    pub fn curl(&self, server: &str) -> String {
        let mut words = vec!["curl".to_owned(), "-X".to_owned(), quoted(&self.method)];
        words.push(quoted(&format!("{}{}", server.trim_end_matches('/'), self.target())));
        for (name, text) in &self.headers {
            words.push("-H".to_owned());
            words.push(quoted(&format!("{name}: {text}")));
        }
        if let Some(body) = &self.body {
            words.push("--data-raw".to_owned());
            words.push(quoted(body));
        }
        words.join(" ")
    }
}

/// A word that a shell takes as it is.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._/:=@%+,".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A body as text, with the media type it is sent as.
fn written(media_type: &str, value: &Value) -> (String, String) {
    match value {
        Value::Object(members) if is_form(media_type) => (media_type.to_owned(), form(members)),
        Value::Object(members) if is_multipart(media_type) => multipart(members),
        value if is_open(media_type) => ("application/json".to_owned(), value.to_string()),
        value if is_json(media_type) => (media_type.to_owned(), value.to_string()),
        value => (media_type.to_owned(), plain(value)),
    }
}

fn form(members: &Map<String, Value>) -> String {
    let mut pieces = Vec::new();
    for (name, value) in members {
        let items = match value {
            Value::Array(items) => items.iter().collect(),
            other => vec![other],
        };
        pieces.extend(
            items.into_iter().map(|item| format!("{}={}", percent(name, ""), percent(&plain(item), ""))),
        );
    }
    pieces.join("&")
}

/// A form in parts, with a border that no part contains.
fn multipart(members: &Map<String, Value>) -> (String, String) {
    let texts: Vec<String> = members.values().map(plain).collect();
    let is_free = |border: &String| !texts.iter().any(|text| text.contains(border.as_str()));
    // Each text can hold only so many borders, so one of so many is free.
    let n_most = texts.iter().map(String::len).sum::<usize>() + 1;
    let border = (0..n_most).map(|number| format!("probity-{number}")).find(is_free).unwrap_or_default();
    let mut body = String::new();
    for (name, value) in members {
        let items: Vec<&Value> = match value {
            Value::Array(items) if items.iter().all(|item| !item.is_array() && !item.is_object()) => {
                items.iter().collect()
            }
            other => vec![other],
        };
        for item in items {
            let name = name.replace('"', "%22").replace(['\r', '\n'], "");
            let kind =
                if item.is_object() || item.is_array() { "\r\nContent-Type: application/json" } else { "" };
            let head = format!("--{border}\r\nContent-Disposition: form-data; name=\"{name}\"{kind}\r\n\r\n");
            body.push_str(&head);
            body.push_str(&plain(item));
            body.push_str("\r\n");
        }
    }
    let end = format!("--{border}--\r\n");
    body.push_str(&end);
    (format!("multipart/form-data; boundary={border}"), body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_every_word_as_it_is() {
        let request = Request {
            method: "POST".to_owned(),
            path: "/a".to_owned(),
            query: "b=1&c=2".to_owned(),
            headers: vec![("X-A".to_owned(), "it's".to_owned())],
            body: Some("{\"a\":\"$b\"}".to_owned()),
        };
        assert_eq!(
            request.curl("http://localhost/"),
            r#"curl -X POST 'http://localhost/a?b=1&c=2' -H 'X-A: it'\''s' --data-raw '{"a":"$b"}'"#
        );
    }
}
