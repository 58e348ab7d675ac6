//! Which operations are meant: by key, by method and path, by tag, with `*` for anything.

use crate::openapi::operation::Operation;

/// What was asked for; empty lists ask for everything.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Keys, or methods and paths; `*` stands for any text.
    pub operations: Vec<String>,
    /// Tags; `*` stands for any text.
    pub tags: Vec<String>,
}

/// The positions of the operations that are meant, in their order; an error names what fits nothing.
pub(crate) fn select(operations: &[Operation], filter: &Filter) -> Result<Vec<usize>, String> {
    let Filter { operations: names, tags } = filter;
    for name in names {
        if !operations.iter().any(|operation| is_named(operation, name)) {
            let nearest = nearest(operations, name).map(|key| format!("; the nearest is {key:?}"));
            return Err(format!("no operation is called {name:?}{}", nearest.unwrap_or_default()));
        }
    }
    for tag in tags {
        if !operations.iter().any(|operation| is_tagged(operation, tag)) {
            return Err(format!("no operation has the tag {tag:?}"));
        }
    }
    let is_meant = |operation: &Operation| {
        (names.is_empty() || names.iter().any(|name| is_named(operation, name)))
            && (tags.is_empty() || tags.iter().any(|tag| is_tagged(operation, tag)))
    };
    Ok((0..operations.len()).filter(|at| is_meant(&operations[*at])).collect())
}

fn is_named(operation: &Operation, name: &str) -> bool {
    fits(name, &operation.key) || fits(name, &plain_key(operation))
}

fn plain_key(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path)
}

fn is_tagged(operation: &Operation, tag: &str) -> bool {
    operation.tags.iter().any(|known| fits(tag, known))
}

fn nearest<'o>(operations: &'o [Operation], name: &str) -> Option<&'o str> {
    let wanted = name.to_lowercase();
    let shared = |key: &str| {
        let key = key.to_lowercase();
        let both = key.chars().zip(wanted.chars()).take_while(|(mine, theirs)| mine == theirs).count();
        (key.contains(&wanted), both, usize::MAX - key.len().abs_diff(wanted.len()))
    };
    operations.iter().map(|operation| operation.key.as_str()).max_by_key(|key| shared(key))
}

/// Whether a text fits a pattern in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: &str, expected: bool) {
        assert_eq!(fits(pattern, text), expected, "{pattern} and {text}");
    }

    #[test]
    fn a_star_stands_for_any_text_and_nothing_else_does() {
        check("getPet", "getPet", true);
        check("getPet", "getPets", false);
        check("get*", "getPets", true);
        check("GET /pets/*", "GET /pets/{id}", true);
        check("*Pet*", "updatePetById", true);
        check("a*a", "a", false);
        check("*", "", true);
    }
}
