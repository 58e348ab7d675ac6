//! Where a reference leads: into this document, or into one that was supplied.

use std::collections::BTreeMap;

use referencing::{Draft, Registry, Resolver, Retrieve, SPECIFICATIONS, Uri};
use serde_json::{Value, json};

use crate::document::{Document, ReadError};
use crate::json::Pointer;

/// A place in one of the documents: the user's own is number zero.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Which document, as an index into the scope's list of addresses.
    pub(crate) document: usize,
    /// Where in it.
    pub(crate) pointer: Pointer,
}

/// What stands in for a document that nobody supplied, so that a broken reference in a part that nothing uses
/// does not stop the rest; reaching it is an error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offline;

const MISSING: &str = "probity: this document was not supplied";

impl Retrieve for Offline {
    fn retrieve(&self, _: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Ok(json!({ "$comment": MISSING }))
    }
}

fn is_missing(value: &Value) -> bool {
    value.get("$comment").and_then(Value::as_str) == Some(MISSING)
}

/// All documents of a contract, ready to be referred to.
pub(crate) struct Library<'a> {
    registry: Registry<'a>,
    base: String,
}

impl<'a> Library<'a> {
    pub(crate) fn of(document: &'a Document) -> Result<Self, ReadError> {
        let draft = document.dialect.draft();
        let mut builder = SPECIFICATIONS
            .add(&document.base, draft.create_resource_ref(&document.root))
            .map_err(|error| bad_address(&document.base, &error))?;
        for (address, value) in document.supplied.iter() {
            let resource = known(draft.detect(value), draft).create_resource_ref(value);
            builder = builder.add(address, resource).map_err(|error| bad_address(address, &error))?;
        }
        let registry =
            builder.draft(draft).retriever(Offline).prepare().map_err(|error| ReadError::BadAddress {
                at: Pointer::root(),
                text: document.base.clone(),
                reason: error.to_string(),
            })?;
        Ok(Self { registry, base: document.base.clone() })
    }

    /// Where the walk of the document starts.
    pub(crate) fn root(&'a self, document: &'a Document) -> Result<Scope<'a>, ReadError> {
        let base = referencing::uri::from_str(&self.base).map_err(|error| bad_address(&self.base, &error))?;
        let scope = Scope { resolver: self.registry.resolver(base), draft: document.dialect.draft() };
        scope.inside(&document.root).map_err(|reason| ReadError::BadAddress {
            at: Pointer::root(),
            text: document.root.get("$id").map(Value::to_string).unwrap_or_default(),
            reason,
        })
    }
}

fn known(draft: Draft, otherwise: Draft) -> Draft {
    if draft == Draft::Unknown { otherwise } else { draft }
}

fn bad_address(text: &str, error: &referencing::Error) -> ReadError {
    ReadError::BadAddress { at: Pointer::root(), text: text.to_owned(), reason: error.to_string() }
}

fn is_missing_document(resolver: &Resolver<'_>) -> bool {
    resolver.lookup("#").is_ok_and(|root| is_missing(root.contents()))
}

/// What references mean at one place: their base and the way taken to get there.
#[derive(Clone)]
pub(crate) struct Scope<'a> {
    resolver: Resolver<'a>,
    pub(crate) draft: Draft,
}

/// Why a reference leads nowhere.
pub(crate) enum Lost {
    Missing { address: String },
    Nowhere,
    Malformed { reason: String },
}

impl<'a> Scope<'a> {
    /// The scope inside a subschema, which may have an `$id` or a `$schema` of its own.
    pub(crate) fn inside(&self, schema: &Value) -> Result<Self, String> {
        let draft = known(self.draft.detect(schema), self.draft);
        self.resolver
            .in_subresource(draft.create_resource_ref(schema))
            .map(|resolver| Self { resolver, draft })
            .map_err(|error| error.to_string())
    }

    /// Follows a reference to the value it names.
    pub(crate) fn follow(&self, reference: &str) -> Result<(&'a Value, Self), Lost> {
        let found = self.arrive(self.resolver.lookup(reference));
        // A place in a document that nobody supplied is missing with the document.
        match (found, reference.split_once('#')) {
            (Err(Lost::Nowhere), Some((document, _))) if !document.is_empty() => {
                match self.follow(document) {
                    Err(missing @ Lost::Missing { .. }) => Err(missing),
                    Ok(_) | Err(_) => Err(Lost::Nowhere),
                }
            }
            (found, _) => found,
        }
    }

    /// Follows `$recursiveRef` (2019-09 §8.2.4.2.1).
    pub(crate) fn recur(&self) -> Result<(&'a Value, Self), Lost> {
        self.arrive(self.resolver.lookup_recursive_ref())
    }

    fn arrive(
        &self,
        found: Result<referencing::Resolved<'a>, referencing::Error>,
    ) -> Result<(&'a Value, Self), Lost> {
        match found {
            Ok(found) => {
                let (value, resolver, draft) = found.into_inner();
                let address = resolver.base_uri();
                if is_missing(value) || is_missing_document(&resolver) {
                    return Err(Lost::Missing { address: address.as_str().to_owned() });
                }
                Ok((value, Self { resolver, draft: known(draft, self.draft) }))
            }
            Err(referencing::Error::Unretrievable { uri, .. }) => Err(Lost::Missing { address: uri }),
            Err(
                referencing::Error::PointerToNowhere { .. }
                | referencing::Error::NoSuchAnchor { .. }
                | referencing::Error::InvalidAnchor { .. }
                | referencing::Error::InvalidArrayIndex { .. },
            ) => Err(Lost::Nowhere),
            Err(error) => Err(Lost::Malformed { reason: error.to_string() }),
        }
    }

    /// The address of the document that this scope is in.
    pub(crate) fn address(&self) -> String {
        self.resolver.base_uri().as_str().to_owned()
    }

    /// The whole document that this scope is in.
    pub(crate) fn document(&self) -> Option<&'a Value> {
        self.resolver.lookup("#").ok().map(|root| root.contents())
    }
}

/// The places of all values, found by their identity in memory.
#[derive(Default)]
pub(crate) struct Places {
    addresses: Vec<String>,
    by_identity: BTreeMap<usize, Place>,
}

impl Places {
    /// Adds a document and all places in it; the first one added is the user's own.
    pub(crate) fn add(&mut self, address: String, root: &Value) {
        let document = self.addresses.len();
        self.addresses.push(address);
        let mut open = vec![(root, Pointer::root())];
        while let Some((value, pointer)) = open.pop() {
            match value {
                Value::Object(members) => {
                    open.extend(members.iter().map(|(name, member)| (member, pointer.child(name))));
                }
                Value::Array(items) => {
                    open.extend(items.iter().enumerate().map(|(index, item)| (item, pointer.item(index))));
                }
                Value::Bool(_) => {}
                // Only an object, true or false can be a schema; an array may hold some.
                Value::Null | Value::Number(_) | Value::String(_) => continue,
            }
            self.by_identity.entry(identity(value)).or_insert(Place { document, pointer });
        }
    }

    pub(crate) fn find(&self, value: &Value) -> Option<&Place> {
        self.by_identity.get(&identity(value))
    }

    pub(crate) fn address(&self, document: usize) -> &str {
        &self.addresses[document]
    }
}

/// Two references to one value in memory have one identity.
pub(crate) fn identity(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Resolves a reference against a base, both as text.
#[must_use]
pub fn resolve_uri(base: &str, reference: &str) -> Option<String> {
    let base = referencing::uri::from_str(base).ok()?;
    referencing::uri::resolve_against(&base.borrow(), reference).ok().map(|uri| uri.as_str().to_owned())
}

/// An address as it is told beside a document: a file beside, below or above that document by its relative path, so that nothing told
/// depends on where a checkout lies, and anything else in full. Files that share no folder but the root belong to no common checkout.
///
/// ```
/// use probity_schema::told_beside;
/// assert_eq!(told_beside("file:///home/a/order.json", "file:///home/a/parts/id.json"), "parts/id.json");
/// assert_eq!(told_beside("file:///home/a/order.json", "https://example.com/id.json"), "https://example.com/id.json");
/// ```
#[must_use]
pub fn told_beside(base: &str, address: &str) -> String {
    let (Some(own), Some(other)) = (base.strip_prefix("file://"), address.strip_prefix("file://")) else {
        return address.to_owned();
    };
    let folders: Vec<&str> = own.split('/').collect();
    let folders = &folders[..folders.len() - 1];
    let steps: Vec<&str> = other.split('/').collect();
    let inner = &steps[..steps.len() - 1];
    let n_shared = folders.iter().zip(inner).take_while(|(left, right)| left == right).count();
    // The first step is the host, which is mostly empty, and the second the first folder of the machine.
    if n_shared < folders.len().min(2) {
        return address.to_owned();
    }
    format!("{}{}", "../".repeat(folders.len() - n_shared), steps[n_shared..].join("/"))
}

/// A text without its percent signs; `None` when the bytes are no text.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let source = text.as_bytes();
    let mut at = 0;
    while at < source.len() {
        let digits = (source[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            at += 3;
        } else {
            bytes.push(source[at]);
            at += 1;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base: &str, address: &str, expected: &str) {
        assert_eq!(told_beside(base, address), expected, "{address} beside {base}");
    }

    #[test]
    fn a_file_of_the_same_checkout_is_told_by_its_relative_path() {
        check("file:///home/a/order.json", "file:///home/a/addr.json", "addr.json");
        check("file:///home/a/order.json", "file:///home/a/parts/addr.json", "parts/addr.json");
        check("file:///home/a/order.json", "file:///home/common/addr.json", "../common/addr.json");
        check("file:///home/a/b/order.json", "file:///home/addr.json", "../../addr.json");
        check("file:///order.json", "file:///common/addr.json", "common/addr.json");
        check("file:///home/a/order.json", "file:///home/a%20b/addr.json", "../a%20b/addr.json");
    }

    #[test]
    fn anything_else_is_told_in_full() {
        check("file:///home/a/order.json", "https://example.com/a.json", "https://example.com/a.json");
        check("https://example.com/b.json", "https://example.com/a.json", "https://example.com/a.json");
        check("https://example.com/b.json", "file:///home/a.json", "file:///home/a.json");
        check("file:///home/a/order.json", "file:///usr/share/a.json", "file:///usr/share/a.json");
        check("file:///home/a/order.json", "file://host/home/a/b.json", "file://host/home/a/b.json");
        check("file:///home/a/order.json", "urn:example:a", "urn:example:a");
    }
}
