//! Which operations are meant: by key, by method and path, by tag, with `*` for anything.

use crate::nearest::nearest;
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
            return Err(format!("no operation is called {name:?}{}", hint(operations, name)));
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
    fits(name, &operation.key) || fits(&large_method(name), &plain_key(operation))
}

/// A method and a path with the method as it is spelled in keys.
fn large_method(name: &str) -> String {
    match name.split_once(' ') {
        Some((method, path)) => format!("{} {path}", method.to_uppercase()),
        None => name.to_owned(),
    }
}

fn plain_key(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path)
}

fn is_tagged(operation: &Operation, tag: &str) -> bool {
    operation.tags.iter().any(|known| fits(tag, known))
}

/// Operations of one path that are named at most.
const MOST_NAMED: usize = 8;

/// What may have been meant by a name that fits nothing: what is there on the same path, or the operation most like it.
fn hint(operations: &[Operation], name: &str) -> String {
    let path = name.split_once(' ').map_or(name, |(_, path)| path);
    let is_on_path = |operation: &&Operation| path.starts_with('/') && is_like(path, &operation.path);
    let on_path: Vec<&Operation> = operations.iter().filter(is_on_path).collect();
    let named: Vec<String> =
        on_path.iter().take(MOST_NAMED).map(|operation| format!("{:?}", plain_key(operation))).collect();
    match (on_path.len(), &named[..]) {
        (0, _) => {}
        (1, _) => return format!("; on this path there is {}", named.join("")),
        (n, _) if n > named.len() => {
            return format!("; on such paths there are {} and {} more", named.join(", "), n - named.len());
        }
        (_, [some @ .., last]) => return format!("; on this path there are {} and {last}", some.join(", ")),
        (_, []) => {}
    }
    let wanted = name.replace('*', "");
    let keys = operations.iter().flat_map(|operation| {
        let plain = plain_key(operation);
        // Who typed a path is told a method and a path, who typed a word an identifier.
        if path.starts_with('/') { [plain.clone(), plain] } else { [operation.key.clone(), plain] }
    });
    let keys: Vec<String> = keys.collect();
    let has_it = |key: &&str| !wanted.is_empty() && key.to_lowercase().contains(&wanted.to_lowercase());
    let holders: Vec<&str> = keys.iter().map(String::as_str).filter(has_it).collect();
    let among = if holders.is_empty() { keys.iter().map(String::as_str).collect() } else { holders };
    nearest(among, &wanted).map(|key| format!("; the nearest is {key:?}")).unwrap_or_default()
}

/// Whether a path is that of an operation, also with values in place of parameters or a slash too many.
fn is_like(path: &str, template: &str) -> bool {
    let (typed, known) = (path.trim_end_matches('/'), template.trim_end_matches('/'));
    let is_same = |(mine, theirs): (&str, &str)| {
        mine == theirs || (!mine.is_empty() && theirs.starts_with('{') && theirs.ends_with('}'))
    };
    fits(path, template)
        || (typed.split('/').count() == known.split('/').count()
            && typed.split('/').zip(known.split('/')).all(is_same))
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
