//! Values as messages tell them: short, however long they are.

use std::io;

use serde_json::Value;

use crate::counted::counted;

/// A value in a message: whole when short, its beginning or its size when long.
pub(crate) fn brief(value: &Value) -> String {
    brief_within(value, 40)
}

/// A value in a message, whole when it has no more than so many letters.
pub(crate) fn brief_within(value: &Value, most: usize) -> String {
    if let Some(text) = Short::of(value, most) {
        return text;
    }
    match value {
        Value::Array(items) => format!("an array of {}", counted(items.len() as u64, "item")),
        Value::Object(members) => format!("an object of {}", counted(members.len() as u64, "member")),
        Value::String(text) => {
            let n_letters = text.chars().count();
            let head: String = text.chars().take(most - most / 4).chain(['…']).collect();
            format!("{} ({})", Value::from(head), counted(n_letters as u64, "character"))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// The text of a value as far as it may be long: the rest of a large one is never written.
struct Short {
    bytes: Vec<u8>,
    most: usize,
}

impl Short {
    fn of(value: &Value, most: usize) -> Option<String> {
        let mut short = Self { bytes: Vec::new(), most: most * char::MAX.len_utf8() };
        serde_json::to_writer(&mut short, value).ok()?;
        String::from_utf8(short.bytes).ok().filter(|text| text.chars().count() <= most)
    }
}

impl io::Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.most {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
