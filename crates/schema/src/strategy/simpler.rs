//! The edits that make a value simpler: fewer members and elements, shorter texts, smaller numbers.
//!
//! Every edit lowers the weight of the value, so a chain of them ends.

use serde_json::{Number, Value};

use crate::json::{Pointer, whole};

/// One way to make a value simpler.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    at: Pointer,
    change: Change,
}

#[derive(Debug, Clone)]
enum Change {
    /// Another value in its place.
    Replace(Value),
    /// Without a member.
    DropMember(String),
    /// Without the elements from one index up to another.
    DropItems(usize, usize),
}

impl Edit {
    /// The value with the edit made.
    pub(super) fn apply(&self, value: &Value) -> Option<Value> {
        let mut edited = value.clone();
        let place = edited.pointer_mut(self.at.as_str())?;
        match (&self.change, &mut *place) {
            (Change::Replace(with), _) => *place = with.clone(),
            (Change::DropMember(name), Value::Object(members)) => drop(members.shift_remove(name)?),
            (Change::DropItems(from, to), Value::Array(items)) => drop(items.drain(*from..*to)),
            (Change::DropMember(_) | Change::DropItems(..), _) => return None,
        }
        Some(edited)
    }
}

/// Every edit of a value, the boldest first: outer parts before inner ones, halves before single elements.
pub(super) fn edits(value: &Value) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut open = std::collections::VecDeque::from([(value, Pointer::root())]);
    while let Some((value, at)) = open.pop_front() {
        edits.extend(changes(value).into_iter().map(|change| Edit { at: at.clone(), change }));
        match value {
            Value::Object(members) => {
                open.extend(members.iter().map(|(name, member)| (member, at.child(name))));
            }
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(index, item)| (item, at.item(index))));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    edits
}

fn changes(value: &Value) -> Vec<Change> {
    match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Bool(true) => vec![Change::Replace(Value::Bool(false))],
        Value::Number(number) => smaller(number).into_iter().map(Change::Replace).collect(),
        Value::String(text) => {
            shorter(text).into_iter().map(|text| Change::Replace(Value::String(text))).collect()
        }
        Value::Array(items) => {
            let mut changes = Vec::new();
            let mut size = items.len();
            while size > 0 {
                changes.extend(
                    (0..items.len())
                        .step_by(size)
                        .map(|from| Change::DropItems(from, (from + size).min(items.len()))),
                );
                size /= 2;
            }
            changes
        }
        Value::Object(members) => members.keys().cloned().map(Change::DropMember).collect(),
    }
}

/// Numbers nearer to zero: zero, halfway there, one less; fractions lose their digits first.
fn smaller(number: &Number) -> Vec<Value> {
    match whole(number) {
        Some(0) => Vec::new(),
        Some(value) => {
            let towards = [0, value / 2, value - value.signum()];
            let mut smaller: Vec<i128> = if value < 0 { vec![-value] } else { Vec::new() };
            smaller.extend(towards);
            smaller.dedup();
            let numbers =
                smaller.into_iter().filter(|next| next.abs() < value.abs() || (value < 0 && *next == -value));
            numbers.filter_map(|next| i64::try_from(next).ok()).map(Value::from).collect()
        }
        None => {
            let Some(real) = number.as_f64() else { return Vec::new() };
            let rounded = [real.trunc(), (real * 10.0).trunc() / 10.0];
            let simpler = rounded.into_iter().filter(|next| next.to_string().len() < real.to_string().len());
            simpler.filter_map(Number::from_f64).map(|next| whole_value(&next)).collect()
        }
    }
}

fn whole_value(number: &Number) -> Value {
    match whole(number).and_then(|whole| i64::try_from(whole).ok()) {
        Some(whole) => Value::from(whole),
        None => Value::Number(number.clone()),
    }
}

/// Shorter texts, then texts of the same length that start simpler.
fn shorter(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut shorter = Vec::new();
    let mut size = letters.len();
    while size > 0 {
        for from in (0..letters.len()).step_by(size) {
            let kept = letters.iter().enumerate().filter(|(index, _)| *index < from || *index >= from + size);
            shorter.push(kept.map(|(_, letter)| letter).collect());
        }
        size /= 2;
    }
    for (index, letter) in letters.iter().enumerate() {
        let plain = if letter.is_ascii_digit() { '0' } else { 'a' };
        // Only towards the plain letter, so that no two letters chase each other.
        if *letter != plain && (plain < *letter || !letter.is_ascii_alphanumeric()) {
            let mut simpler = letters.clone();
            simpler[index] = plain;
            shorter.push(simpler.into_iter().collect());
        }
    }
    shorter
}
