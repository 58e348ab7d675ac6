//! Requests read back: the values of an operation's parameters, from nothing but the text of a request.

use crate::openapi::decode::decode;
use crate::openapi::feed::Feed;
use crate::openapi::operation::Operation;
use crate::openapi::parameter::{Location, Parameter};
use crate::openapi::problem::Problem;
use crate::openapi::request::Request;
use crate::openapi::unit::{Argument, Unit};

impl Feed<'_> {
    /// What a reader makes of a request of this unit's operation: the values of all parameters that are there and can be
    /// read by their style and schema.
    pub fn arguments(&self, unit: &Unit, request: &Request) -> Result<Vec<Argument>, Problem> {
        let operation = &self.api.operations()[unit.operation];
        let segments = path_values(&operation.path, &request.path);
        let cookies = request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("cookie"));
        let cookies: Vec<String> =
            cookies.flat_map(|(_, text)| text.split("; ")).map(str::to_owned).collect();
        let query: Vec<String> = request.query.split('&').map(str::to_owned).collect();
        let mut arguments = Vec::new();
        for parameter in &operation.parameters {
            let Parameter { name, location, .. } = parameter;
            let pieces = match location {
                Location::Path => {
                    segments.iter().filter(|(known, _)| known == name).map(|(_, text)| text.clone()).collect()
                }
                Location::Query => query.clone(),
                Location::Cookie => cookies.clone(),
                Location::Header => {
                    let own = request.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
                    own.map(|(_, text)| text.clone()).collect()
                }
            };
            // A parameter whose schema is broken was left out of the request too.
            let Ok(ready) = self.parameter(operation, parameter) else { continue };
            let read = decode(parameter, ready.source.contract(), &pieces);
            arguments.extend(read.map(|value| Argument { location: *location, name: name.clone(), value }));
        }
        Ok(arguments)
    }
}

/// The texts that stand where a template has names in braces.
fn path_values(template: &str, path: &str) -> Vec<(String, String)> {
    let mut values = Vec::new();
    let (mut template, mut path) = (template, path);
    while let Some((before, after)) = template.split_once('{') {
        let Some((name, rest)) = after.split_once('}') else { break };
        let Some(text) = path.strip_prefix(before) else { break };
        let literal = rest.split('{').next().unwrap_or_default();
        // A value ends where the text that follows it in the template begins; a value has no slash of its own.
        let end = if literal.is_empty() { text.find('/') } else { text.find(literal) };
        let end = end.unwrap_or(text.len());
        values.push((name.to_owned(), text[..end].to_owned()));
        (template, path) = (rest, &text[end..]);
    }
    values
}

impl Operation {
    /// The parameter with a name at a place.
    #[must_use]
    pub fn parameter(&self, location: Location, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|one| one.location == location && one.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_the_template_has_names() {
        let found = path_values("/a/{x}/b/{y}.json", "/a/1%2F2/b/c.json");
        let expected = [("x", "1%2F2"), ("y", "c")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(found, expected);
    }
}
