//! Parameters of an operation: where they stand, how they are written, and by which schema.

use serde_json::Value;

use crate::openapi::problem::Problem;
use crate::openapi::shelf::{Shelf, Spot};

/// Where a parameter stands in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
}

/// Every location with its name in descriptions.
pub const LOCATIONS: &[(&str, Location)] = &[
    ("path", Location::Path),
    ("query", Location::Query),
    ("header", Location::Header),
    ("cookie", Location::Cookie),
];

impl Location {
    /// Its name in descriptions.
    #[must_use]
    pub fn name(self) -> &'static str {
        LOCATIONS.iter().find(|(_, location)| *location == self).map_or("", |(name, _)| name)
    }
}

/// How a parameter's value becomes text (OpenAPI 3.1 §4.8.12.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `3,4,5`
    Simple,
    /// `.3.4.5`
    Label,
    /// `;id=3,4,5`
    Matrix,
    /// `id=3&id=4`
    Form,
    /// `id=3%204`
    SpaceDelimited,
    /// `id=3|4`
    PipeDelimited,
    /// `id[a]=3&id[b]=4`
    DeepObject,
    /// The value as JSON text, for a parameter with `content`.
    Json,
}

/// Every style with its name and the locations that know it; the first of a location is its default.
const STYLES: &[(&str, Style, &[Location])] = &[
    ("simple", Style::Simple, &[Location::Path, Location::Header]),
    ("form", Style::Form, &[Location::Query, Location::Cookie]),
    ("label", Style::Label, &[Location::Path]),
    ("matrix", Style::Matrix, &[Location::Path]),
    ("spaceDelimited", Style::SpaceDelimited, &[Location::Query]),
    ("pipeDelimited", Style::PipeDelimited, &[Location::Query]),
    ("deepObject", Style::DeepObject, &[Location::Query]),
];

/// One parameter.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub location: Location,
    /// How its value becomes text.
    pub style: Style,
    /// Whether each item or member is written on its own.
    pub is_exploded: bool,
    /// Whether every request has it.
    pub is_required: bool,
    /// Whether reserved characters stay as they are.
    pub keeps_reserved: bool,
    /// Where its schema stands; without one it takes any word.
    pub(crate) schema: Option<Spot>,
}

/// Headers that a parameter may not describe (OpenAPI 3.1 §4.8.12.2.1).
const IGNORED_HEADERS: &[&str] = &["accept", "content-type", "authorization"];

/// Reads one parameter; nothing when the specification says to ignore it.
pub(crate) fn read(shelf: &Shelf, spot: &Spot) -> Result<Option<Parameter>, Problem> {
    let (spot, value) = shelf.settle(spot)?;
    let at = |member: &str| shelf.spelled(&spot.child(member));
    let text = |member: &str| value.get(member).and_then(Value::as_str);
    let name = text("name")
        .ok_or_else(|| Problem::new(shelf.spelled(&spot), "this parameter has no \"name\"; give it one"))?;
    let place = text("in").unwrap_or_default();
    let known = LOCATIONS.iter().find(|(known, _)| *known == place);
    let (_, location) = known.ok_or_else(|| {
        let text = format!("parameter {name:?} stands in {place:?}; write path, query, header or cookie");
        Problem::new(at("in"), text)
    })?;
    let is_ignored = IGNORED_HEADERS.contains(&name.to_ascii_lowercase().as_str());
    if *location == Location::Header && is_ignored {
        return Ok(None);
    }
    let content = value.get("content").and_then(Value::as_object).and_then(|content| content.keys().next());
    let (schema, style) = if let Some(media_type) = content {
        (spot.child("content").child(media_type).child("schema"), Style::Json)
    } else {
        let style = style(text("style"), *location).ok_or_else(|| {
            let known = STYLES.iter().filter(|(_, _, at)| at.contains(location)).map(|(name, _, _)| *name);
            let (known, wrong) = (known.collect::<Vec<_>>().join(", "), text("style").unwrap_or_default());
            let text = format!("{wrong:?} is no style of a {place} parameter; choose among {known}");
            Problem::new(at("style"), text)
        })?;
        (spot.child("schema"), style)
    };
    let schema = shelf.find(&schema).is_some().then_some(schema);
    let flag = |member: &str| value.get(member).and_then(Value::as_bool);
    Ok(Some(Parameter {
        name: name.to_owned(),
        location: *location,
        style,
        is_exploded: flag("explode").unwrap_or(style == Style::Form),
        // A path is not whole without its parameters, whatever the description says.
        is_required: flag("required").unwrap_or(false) || *location == Location::Path,
        keeps_reserved: flag("allowReserved").unwrap_or(false),
        schema,
    }))
}

fn style(name: Option<&str>, location: Location) -> Option<Style> {
    let mut known = STYLES.iter().filter(|(_, _, at)| at.contains(&location));
    known.find(|(known, _, _)| name.is_none_or(|name| name == *known)).map(|(_, style, _)| *style)
}
