//! The drafts of JSON Schema by the names the corpus and the AJV judge give them.

/// A draft of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// Draft 2019-09.
    Draft201909,
    /// Draft 2020-12.
    Draft202012,
}

/// Every draft: its name, and the part of a `$schema` address that only it has.
const DRAFTS: &[(Draft, &str, &str)] = &[
    (Draft::Draft4, "draft4", "json-schema.org/draft-04/"),
    (Draft::Draft6, "draft6", "json-schema.org/draft-06/"),
    (Draft::Draft7, "draft7", "json-schema.org/draft-07/"),
    (Draft::Draft201909, "2019-09", "json-schema.org/draft/2019-09/"),
    (Draft::Draft202012, "2020-12", "json-schema.org/draft/2020-12/"),
];

impl Draft {
    /// The name used in the corpus: `draft4`, `draft6`, `draft7`, `2019-09` or `2020-12`.
    #[must_use]
    pub fn name(self) -> &'static str {
        let row = DRAFTS.iter().find(|(draft, ..)| *draft == self);
        row.expect("every draft has a row in the table").1
    }

    /// The draft of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        DRAFTS.iter().find(|(_, known, _)| *known == name).map(|(draft, ..)| *draft)
    }

    /// The draft that a `$schema` address means, if it means one of these.
    #[must_use]
    pub fn of_address(address: &str) -> Option<Self> {
        DRAFTS.iter().find(|(.., part)| address.contains(part)).map(|(draft, ..)| *draft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, expected: Option<&str>) {
        assert_eq!(Draft::of_address(address).map(Draft::name), expected);
    }

    #[test]
    fn an_address_means_its_draft_with_or_without_a_fragment() {
        check("http://json-schema.org/draft-07/schema#", Some("draft7"));
        check("https://json-schema.org/draft/2020-12/schema", Some("2020-12"));
        check("https://example.com/dialect", None);
    }

    #[test]
    fn a_name_leads_back_to_its_draft() {
        for (draft, name, _) in DRAFTS {
            assert_eq!(Draft::named(name), Some(*draft));
            assert_eq!(draft.name(), *name);
        }
        assert_eq!(Draft::named("draft5"), None);
    }
}
