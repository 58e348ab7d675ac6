//! What the oracle says about a value, in words that stay short however long the value is.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use crate::counted::counted;
use crate::document::{brief, brief_within};
use crate::json::Pointer;

/// Values, names or branches that are told before the rest is only counted.
const MOST_TOLD: usize = 5;
/// Letters of a pattern or of a name that are told.
const PATTERN: usize = 120;
/// How many branches within branches are looked into for a reason.
const DEPTH: usize = 3;

/// Why a value breaks its contract.
pub(super) fn worded(error: &ValidationError<'_>) -> String {
    worded_within(error, DEPTH)
}

/// The members that a violation is about, when it is about some and not all.
pub(super) fn members(error: &ValidationError<'_>) -> Vec<String> {
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.clone()
        }
        Kind::PropertyNames { error } => error.instance().as_str().map(str::to_owned).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn worded_within(error: &ValidationError<'_>, depth: usize) -> String {
    let instance: &Value = error.instance();
    let value = brief(instance);
    match error.kind() {
        Kind::AdditionalItems { limit } => {
            format!("{value} has more items than the {limit} that are allowed")
        }
        Kind::AdditionalProperties { unexpected } => {
            not_allowed("property", "properties", unexpected.iter().map(|name| Value::from(name.as_str())))
        }
        Kind::UnevaluatedProperties { unexpected } => {
            let names = unexpected.iter().map(|name| Value::from(name.as_str()));
            format!("{}, or not with this value", not_allowed("property", "properties", names))
        }
        Kind::UnevaluatedItems { unexpected } => {
            let item =
                |text: &String| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()));
            format!("{}, or not with this value", not_allowed("item", "items", unexpected.iter().map(item)))
        }
        Kind::AnyOf { context } => {
            format!("{value} fits no branch of anyOf{}", nearest(error, context, depth))
        }
        Kind::OneOfNotValid { context } => {
            format!("{value} fits no branch of oneOf{}", nearest(error, context, depth))
        }
        Kind::OneOfMultipleValid { context } => {
            let fitting = (0_usize..).zip(context).filter(|(_, errors)| errors.is_empty());
            let fitting: Vec<Value> = fitting.map(|(index, _)| Value::from(index)).collect();
            let fitting = listed(fitting.into_iter(), "and");
            format!("{value} fits more than one branch of oneOf: {fitting}")
        }
        Kind::Constant { expected_value } => format!("{value} is not {}", brief(expected_value)),
        Kind::Contains => format!("{value} {}", contained(error)),
        Kind::ContentEncoding { content_encoding } => {
            format!("{value} is not encoded as {content_encoding:?}")
        }
        Kind::ContentMediaType { content_media_type } => {
            format!("{value} is not of the media type {content_media_type:?}")
        }
        Kind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            format!("{value} is not one of {}", listed(options.iter().cloned(), "or"))
        }
        Kind::ExclusiveMaximum { limit } => {
            format!("{value} is not less than the exclusive maximum of {limit}")
        }
        Kind::ExclusiveMinimum { limit } => {
            format!("{value} is not greater than the exclusive minimum of {limit}")
        }
        Kind::Maximum { limit } => format!("{value} is greater than the maximum of {limit}"),
        Kind::Minimum { limit } => format!("{value} is less than the minimum of {limit}"),
        Kind::FalseSchema if error.schema_path().as_str().ends_with("/propertyNames") => {
            "no property is allowed here".to_owned()
        }
        Kind::FalseSchema => "no value is allowed here".to_owned(),
        Kind::Format { format } => format!("{value} does not have the format {format:?}"),
        Kind::MaxLength { limit } => {
            format!("{value} is longer than {}", counted(*limit, "character"))
        }
        Kind::MinLength { limit } => {
            format!("{value} is shorter than {}", counted(*limit, "character"))
        }
        Kind::MaxItems { limit } => format!("{value} has more than {}", counted(*limit, "item")),
        Kind::MinItems { limit } => format!("{value} has fewer than {}", counted(*limit, "item")),
        Kind::MaxProperties { limit } => {
            format!("{value} has more than {}", counted(*limit, "property"))
        }
        Kind::MinProperties { limit } => {
            format!("{value} has fewer than {}", counted(*limit, "property"))
        }
        Kind::MultipleOf { multiple_of } => format!("{value} is not a multiple of {multiple_of}"),
        Kind::Not { .. } => format!("{value} is what \"not\" rules out"),
        Kind::Pattern { pattern } => {
            format!(
                "{value} does not match the pattern {}",
                brief_within(&Value::from(pattern.as_str()), PATTERN)
            )
        }
        Kind::PropertyNames { error } if depth > 0 => {
            format!("the name of a property is wrong: {}", worded_within(error, depth - 1))
        }
        Kind::Required { property } => format!("{} is a required property", brief_within(property, PATTERN)),
        Kind::Type { kind } => format!("{value} is not of type {}", types(kind)),
        Kind::UniqueItems => format!("{value} has equal items"),
        Kind::PropertyNames { .. }
        | Kind::BacktrackLimitExceeded { .. }
        | Kind::RegexEngineFailure { .. }
        | Kind::Custom { .. }
        | Kind::FromUtf8 { .. }
        | Kind::Referencing(_) => error.to_string(),
    }
}

/// Values in a row; those past the first few are only counted.
fn listed(values: impl ExactSizeIterator<Item = Value>, joint: &str) -> String {
    let n = values.len();
    let n_told = if n > MOST_TOLD { MOST_TOLD - 1 } else { n };
    let mut told: Vec<String> = values.take(n_told).map(|value| brief(&value)).collect();
    if n > n_told {
        told.push(format!("{} others", n - n_told));
    }
    match told.split_last() {
        Some((last, front)) if !front.is_empty() => format!("{} {joint} {last}", front.join(", ")),
        _ => told.concat(),
    }
}

fn not_allowed(one: &str, many: &str, values: impl ExactSizeIterator<Item = Value>) -> String {
    match values.len() {
        1 => format!("the {one} {} is not allowed", listed(values, "and")),
        _ => format!("the {many} {} are not allowed", listed(values, "and")),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => format!("\"{kind}\""),
        TypeKind::Multiple(kinds) => {
            let names: Vec<Value> = kinds.iter().map(|kind| Value::from(kind.to_string())).collect();
            listed(names.into_iter(), "or")
        }
    }
}

/// What is wrong about the number of items that fit `contains`.
fn contained(error: &ValidationError<'_>) -> String {
    let path = error.schema_path().as_str();
    if path.ends_with("/maxContains") {
        return "has too many items that fit \"contains\"".to_owned();
    }
    if path.ends_with("/minContains") {
        return "has too few items that fit \"contains\"".to_owned();
    }
    "has no item that fits \"contains\"".to_owned()
}

/// Why the branch that is least wrong does not fit: without it, a choice of many says nothing about what to change.
fn nearest(whole: &ValidationError<'_>, branches: &[Vec<ValidationError<'static>>], depth: usize) -> String {
    // Another type, and after that another value of what tells branches apart, says that a branch is not meant.
    let strangeness = |errors: &[ValidationError<'static>]| {
        let is_here = |error: &ValidationError<'_>| error.instance_path() == whole.instance_path();
        let other_type =
            errors.iter().any(|error| is_here(error) && matches!(error.kind(), Kind::Type { .. }));
        let is_tag = |error: &&ValidationError<'static>| {
            matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. })
        };
        (other_type, errors.iter().filter(is_tag).count(), errors.len())
    };
    let best = (0..).zip(branches).min_by_key(|(_, errors)| strangeness(errors));
    let Some((index, first)) = best.and_then(|(index, errors): (usize, _)| Some((index, errors.first()?)))
    else {
        return String::new();
    };
    if depth == 0 {
        return String::new();
    }
    let place = match Pointer::parse(first.instance_path().as_str()) {
        Some(place) if first.instance_path() != whole.instance_path() => format!("at {place}: "),
        _ => String::new(),
    };
    format!("; nearest is branch {index}: {place}{}", worded_within(first, depth - 1))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, value: &Value, expected: &[&str]) {
        let validator = jsonschema::options().should_validate_formats(true).build(schema).expect("a schema");
        let told: Vec<String> = validator.iter_errors(value).map(|error| worded(&error)).collect();
        assert_eq!(told, expected, "{schema}");
    }

    #[test]
    fn each_keyword_says_what_is_wrong_about_the_value() {
        check(&json!({"type": "string"}), &json!(1), &["1 is not of type \"string\""]);
        check(&json!({"type": ["string", "null"]}), &json!(1), &["1 is not of type \"null\" or \"string\""]);
        check(&json!({"const": 3}), &json!(1), &["1 is not 3"]);
        check(&json!({"format": "email"}), &json!("x"), &["\"x\" does not have the format \"email\""]);
        check(
            &json!({"exclusiveMinimum": 3}),
            &json!(3),
            &["3 is not greater than the exclusive minimum of 3"],
        );
        check(&json!({"exclusiveMaximum": 3}), &json!(3), &["3 is not less than the exclusive maximum of 3"]);
        check(&json!({"pattern": "^a"}), &json!("b"), &["\"b\" does not match the pattern \"^a\""]);
        check(&json!({"minItems": 1}), &json!([]), &["[] has fewer than 1 item"]);
        check(&json!({"uniqueItems": true}), &json!([1, 1]), &["[1,1] has equal items"]);
        check(&json!({"contains": {"const": 1}}), &json!([2]), &["[2] has no item that fits \"contains\""]);
        check(&json!({"not": {"const": 1}}), &json!(1), &["1 is what \"not\" rules out"]);
        check(&json!({"required": ["a"]}), &json!({}), &["\"a\" is a required property"]);
        check(&json!({"properties": {"a": false}}), &json!({"a": 1}), &["no value is allowed here"]);
    }

    #[test]
    fn names_and_items_that_are_not_allowed_are_listed() {
        let closed = json!({"properties": {"z": {}}, "additionalProperties": false});
        check(&closed, &json!({"a": 1}), &["the property \"a\" is not allowed"]);
        check(&closed, &json!({"a": 1, "b": 1}), &["the properties \"a\" and \"b\" are not allowed"]);
        let many = json!({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1});
        check(&closed, &many, &["the properties \"a\", \"b\", \"c\", \"d\" and 2 others are not allowed"]);
        check(&json!({"prefixItems": [{}], "items": false}), &json!([1, 2]), &["no value is allowed here"]);
        check(
            &json!({"prefixItems": [{}], "unevaluatedItems": false}),
            &json!([1, 2]),
            &["the item 2 is not allowed, or not with this value"],
        );
        let name = "the name of a property is wrong: \"abcd\" is longer than 3 characters";
        check(&json!({"propertyNames": {"maxLength": 3}}), &json!({"abcd": 1}), &[name]);
    }

    #[test]
    fn of_many_branches_the_nearest_says_why_it_does_not_fit() {
        let card = json!({"properties": {"kind": {"const": "card"}, "number": {"type": "string"}}, "required": ["kind", "number"]});
        let cash = json!({"properties": {"kind": {"const": "cash"}}, "required": ["kind"]});
        let paid = json!({"oneOf": [{"type": "null"}, cash, card]});
        let value = json!({"kind": "card", "number": 4});
        let nearest = "nearest is branch 2: at #/number: 4 is not of type \"string\"";
        check(&paid, &value, &[&format!("{value} fits no branch of oneOf; {nearest}")]);
        check(
            &json!({"oneOf": [{}, {"type": "string"}, {}]}),
            &json!(1),
            &["1 fits more than one branch of oneOf: 0 and 2"],
        );
    }

    #[test]
    fn a_long_value_is_told_by_its_size() {
        let long = json!({"a": "x".repeat(3000)});
        check(&json!({"type": "string"}), &long, &["an object of 1 member is not of type \"string\""]);
        let told = format!("\"{}…\" (3000 characters) is not of type \"null\"", "x".repeat(30));
        check(&json!({"type": "null"}), &long["a"], &[&told]);
    }
}
