//! The arguments of a call, judged by the tool's own input schema and then read.

use probity_schema::whole;
use serde_json::{Map, Value};

/// Arguments that fit the input schema of their tool.
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Arguments that were judged already.
    pub(crate) fn judged(arguments: Map<String, Value>) -> Arguments {
        Arguments(arguments)
    }

    /// Any value; null is as good as nothing.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.value(name).and_then(Value::as_str)
    }

    /// A whole number that is not negative, however it is written.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        let number = self.value(name).and_then(Value::as_number)?;
        whole(number).and_then(|number| u64::try_from(number).ok())
    }

    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.value(name) == Some(&Value::Bool(true))
    }

    pub(crate) fn list(&self, name: &str) -> &[Value] {
        self.value(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        self.list(name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Names with texts, such as environment variables.
    pub(crate) fn pairs(&self, name: &str) -> Vec<(String, String)> {
        let members = self.value(name).and_then(Value::as_object);
        let pair = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        members.into_iter().flatten().filter_map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_whole_number_is_read_however_it_is_written() {
        let Value::Object(arguments) = json!({"a": 7, "b": 7.0, "c": null}) else { unreachable!() };
        let arguments = Arguments::judged(arguments);
        assert_eq!(["a", "b", "c", "d"].map(|name| arguments.count(name)), [Some(7), Some(7), None, None]);
    }
}
