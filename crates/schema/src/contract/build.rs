//! Building the view: one walk over everything the roots reach, with references followed as they come.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Number, Value};

use crate::contract::canonical_path::canonical_path;
use crate::contract::keyword::{Bound, Keywords};
use crate::contract::{Body, Contract, Node, NodeId};
use crate::document::{
    Dialect, Document, Library, Lost, Note, NoteCode, Place, Places, ReadError, SILENT, Scope, brief,
    identity, misspelt, told_beside,
};
use crate::json::Pointer;
use crate::nearest::nearest;

/// Walks the document from the roots.
pub(crate) fn build(document: &Document, roots: &[Pointer]) -> Result<Contract, ReadError> {
    let library = Library::of(document)?;
    let top = library.root(document)?;
    let mut walk = Walk {
        most: document.limits.nodes,
        places: Places::default(),
        by_identity: BTreeMap::new(),
        by_path: BTreeMap::new(),
        nodes: Vec::new(),
        open: VecDeque::new(),
        documents: Vec::new(),
        notes: document.notes.clone(),
    };
    walk.enter(top.address(), &document.root);
    let mut entered = Vec::with_capacity(roots.len());
    for pointer in roots {
        let (value, scope) = descend(&document.root, pointer, &top)?;
        entered.push(walk.node(value, &scope, pointer)?);
    }
    while let Some((id, value, scope)) = walk.open.pop_front() {
        walk.nodes[id.index()].body = walk.body(id, value, &scope)?;
    }
    Ok(Contract { nodes: walk.nodes, roots: entered, by_path: walk.by_path, notes: walk.notes })
}

/// Goes down from the top to a root, through whatever `$id`s are on the way.
fn descend<'a>(
    top: &'a Value,
    pointer: &Pointer,
    scope: &Scope<'a>,
) -> Result<(&'a Value, Scope<'a>), ReadError> {
    let mut place = Pointer::root();
    let (mut value, mut scope) = (top, scope.clone());
    for token in pointer.tokens() {
        place = place.child(&token);
        let next = match value {
            Value::Object(members) => members.get(&token),
            Value::Array(items) => token.parse::<usize>().ok().and_then(|index| items.get(index)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        value = next.ok_or_else(|| ReadError::DanglingReference {
            at: Pointer::root(),
            target: place.to_string(),
            nearest: None,
        })?;
        scope = inside(&scope, value, &place)?;
    }
    Ok((value, scope))
}

fn inside<'a>(scope: &Scope<'a>, value: &Value, at: &Pointer) -> Result<Scope<'a>, ReadError> {
    scope.inside(value).map_err(|reason| ReadError::BadAddress {
        at: at.clone(),
        text: value
            .get("$id")
            .or_else(|| value.get("id"))
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        reason,
    })
}

struct Walk<'a> {
    most: usize,
    places: Places,
    by_identity: BTreeMap<usize, NodeId>,
    by_path: BTreeMap<String, NodeId>,
    nodes: Vec<Node>,
    open: VecDeque<(NodeId, &'a Value, Scope<'a>)>,
    documents: Vec<&'a Value>,
    notes: Vec<Note>,
}

impl<'a> Walk<'a> {
    fn enter(&mut self, address: String, root: &'a Value) {
        self.places.add(address, root);
        self.documents.push(root);
    }

    /// The node of a schema; references that stand alone are followed to what they name.
    fn node(&mut self, value: &'a Value, scope: &Scope<'a>, at: &Pointer) -> Result<NodeId, ReadError> {
        let (mut value, mut scope) = (value, scope.clone());
        let mut place = self.place(value, &scope, at);
        let mut followed = BTreeSet::new();
        while let Some(reference) = lone_reference(value, &scope) {
            if !followed.insert(identity(value)) {
                return Err(ReadError::BrokenKeyword {
                    at: at.clone(),
                    reason: "this reference only leads back to itself, so it says nothing; refer to a schema"
                        .to_owned(),
                });
            }
            (value, scope) = follow(&reference, &scope, &place.pointer)?;
            place = self.place(value, &scope, &place.pointer);
        }
        if !(value.is_object() || value.is_boolean()) {
            return Err(ReadError::NotASchema { at: at.clone(), found: brief(value) });
        }
        if let Some(id) = self.by_identity.get(&identity(value)) {
            return Ok(*id);
        }
        self.push(value, scope, place)
    }

    fn push(&mut self, value: &'a Value, scope: Scope<'a>, place: Place) -> Result<NodeId, ReadError> {
        if self.nodes.len() >= self.most {
            return Err(ReadError::TooManyNodes { most: self.most });
        }
        let id = NodeId(u32::try_from(self.nodes.len()).expect("the node limit is below 2^32"));
        let address = (place.document > 0).then(|| self.places.address(place.document).to_owned());
        let told = address.as_deref().map(|address| self.told(address)).unwrap_or_default();
        let spelled = |pointer: &Pointer| format!("{told}{pointer}");
        let canonical = spelled(&canonical_path(self.documents[place.document], &place.pointer));
        // `$defs/a` and `definitions/a` may both be there; the second keeps its own spelling.
        let path = if self.by_path.contains_key(&canonical) { spelled(&place.pointer) } else { canonical };
        self.by_path.insert(path.clone(), id);
        self.by_identity.insert(identity(value), id);
        self.nodes.push(Node { path, source: place.pointer, address, body: Body::Anything });
        self.open.push_back((id, value, scope));
        Ok(id)
    }

    fn place(&mut self, value: &'a Value, scope: &Scope<'a>, at: &Pointer) -> Place {
        if self.places.find(value).is_none()
            && let Some(root) = scope.document()
        {
            self.enter(scope.address(), root);
        }
        self.places.find(value).cloned().unwrap_or(Place { document: 0, pointer: at.clone() })
    }

    /// The address of a supplied document, in words that do not depend on where the user's own lies.
    fn told(&self, address: &str) -> String {
        told_beside(self.places.address(0), address)
    }

    /// Notes what looks misspelt; a format that is not known is told once, wherever it stands.
    fn doubt(&mut self, id: NodeId, members: &Map<String, Value>, at: &Pointer) {
        if self.notes.len() >= MAX_NOTES {
            return;
        }
        for mut note in misspelt(members, at) {
            if let Some(address) = &self.nodes[id.index()].address {
                note.address = Some(self.told(address));
            }
            let is_told = note.code == NoteCode::UnknownFormat
                && self.notes.iter().any(|told| told.code == note.code && told.text == note.text);
            if !is_told {
                self.notes.push(note);
            }
        }
    }

    fn body(&mut self, id: NodeId, value: &'a Value, scope: &Scope<'a>) -> Result<Body, ReadError> {
        match value {
            Value::Bool(false) => Ok(Body::Nothing),
            Value::Object(members) => {
                let at = self.nodes[id.index()].source.clone();
                self.doubt(id, members, &at);
                let mut reader = Reader { walk: self, members, scope, at };
                reader.keywords().map(|keywords| Body::Keywords(Box::new(keywords)))
            }
            Value::Bool(true) | Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Ok(Body::Anything)
            }
        }
    }
}

/// Notes after which nothing more is looked for: whoever has so many has other words for everything.
const MAX_NOTES: usize = 200;

fn follow<'a>(
    reference: &Reference,
    scope: &Scope<'a>,
    at: &Pointer,
) -> Result<(&'a Value, Scope<'a>), ReadError> {
    let (keyword, target) = reference.spelling();
    let found = match reference {
        Reference::To(_) | Reference::Dynamic(_) => scope.follow(target),
        Reference::Recursive(_) => scope.recur(),
    };
    let at = at.child(keyword);
    found.map_err(|lost| match lost {
        Lost::Missing { address } => ReadError::ExternalReference { at, target: target.to_owned(), address },
        Lost::Nowhere => ReadError::DanglingReference {
            at,
            target: target.to_owned(),
            nearest: nearest_place(scope, target),
        },
        Lost::Malformed { reason } => ReadError::BadAddress { at, text: target.to_owned(), reason },
    })
}

/// A reference keyword with its target.
enum Reference {
    To(String),
    Dynamic(String),
    Recursive(String),
}

impl Reference {
    fn spelling(&self) -> (&'static str, &str) {
        match self {
            Self::To(target) => ("$ref", target),
            Self::Dynamic(target) => ("$dynamicRef", target),
            Self::Recursive(target) => ("$recursiveRef", target),
        }
    }
}

fn references(members: &Map<String, Value>, dialect: Option<Dialect>) -> [Option<Reference>; 2] {
    let text = |keyword: &str| members.get(keyword).and_then(Value::as_str).map(str::to_owned);
    let dynamic = match dialect {
        Some(Dialect::Draft202012) => text("$dynamicRef").map(Reference::Dynamic),
        Some(Dialect::Draft201909) => text("$recursiveRef").map(Reference::Recursive),
        _ => None,
    };
    [text("$ref").map(Reference::To), dynamic]
}

fn lone_reference(value: &Value, scope: &Scope<'_>) -> Option<Reference> {
    let members = value.as_object()?;
    let dialect = Dialect::from_draft(scope.draft);
    let [reference, dynamic] = references(members, dialect);
    let only = match (reference, dynamic) {
        (Some(reference), None) => reference,
        (None, Some(dynamic)) => dynamic,
        (None, None) | (Some(_), Some(_)) => return None,
    };
    let (keyword, _) = only.spelling();
    let is_alone = members.keys().all(|name| name == keyword || SILENT.contains(&name.as_str()));
    (is_alone || !dialect.unwrap_or_default().reads_beside_references()).then_some(only)
}

/// The existing name most like the last token of a pointer that leads nowhere.
fn nearest_place(scope: &Scope<'_>, target: &str) -> Option<String> {
    let (before, fragment) = target.split_once('#')?;
    let pointer = Pointer::parse(fragment)?;
    let mut tokens: Vec<String> = pointer.tokens().collect();
    let last = tokens.pop()?;
    let parent = tokens.iter().fold(Pointer::root(), |pointer, token| pointer.child(token));
    let names = parent.find(scope.document()?)?.as_object()?.keys();
    let best = nearest(names.map(String::as_str), &last)?;
    Some(format!("{before}{}", parent.child(best)))
}

/// Reads the keywords of one object.
struct Reader<'w, 'a> {
    walk: &'w mut Walk<'a>,
    members: &'a Map<String, Value>,
    scope: &'w Scope<'a>,
    at: Pointer,
}

impl<'a> Reader<'_, 'a> {
    fn keywords(&mut self) -> Result<Keywords, ReadError> {
        let (dependent_required, dependent_schemas) = self.dependencies()?;
        let old = self.members.get("dependencies").and_then(Value::as_object).into_iter().flatten();
        let old_dependencies = old.filter(|(_, value)| !value.is_array()).map(|(name, _)| name.clone());
        let (prefix_items, items) = self.items()?;
        let [reference, dynamic] = references(self.members, Dialect::from_draft(self.scope.draft));
        Ok(Keywords {
            types: self.types(),
            enumeration: self.members.get("enum").and_then(Value::as_array).cloned(),
            constant: self.since_6("const").cloned(),
            minimum: self.bounds("minimum", "exclusiveMinimum"),
            maximum: self.bounds("maximum", "exclusiveMaximum"),
            multiple_of: self.members.get("multipleOf").and_then(Value::as_number).cloned(),
            min_length: self.count("minLength"),
            max_length: self.count("maxLength"),
            pattern: self.text("pattern"),
            format: self.text("format"),
            min_items: self.count("minItems"),
            max_items: self.count("maxItems"),
            is_unique: self.members.get("uniqueItems") == Some(&Value::Bool(true)),
            prefix_items,
            items,
            contains: self
                .since_6("contains")
                .is_some()
                .then(|| self.child("contains"))
                .transpose()?
                .flatten(),
            min_contains: self.count("minContains"),
            max_contains: self.count("maxContains"),
            unevaluated_items: self.child("unevaluatedItems")?,
            min_properties: self.count("minProperties"),
            max_properties: self.count("maxProperties"),
            required: self.texts("required"),
            properties: self.named("properties")?,
            pattern_properties: self.named("patternProperties")?,
            additional_properties: self.child("additionalProperties")?,
            unevaluated_properties: self.child("unevaluatedProperties")?,
            property_names: self
                .since_6("propertyNames")
                .is_some()
                .then(|| self.child("propertyNames"))
                .transpose()?
                .flatten(),
            dependent_required,
            dependent_schemas,
            old_dependencies: old_dependencies.collect(),
            reference: self.target(reference.as_ref())?,
            dynamic_reference: self.target(dynamic.as_ref())?,
            all_of: self.list("allOf")?,
            any_of: self.list("anyOf")?,
            one_of: self.list("oneOf")?,
            not: self.child("not")?,
            condition: self.child("if")?,
            consequence: self.child("then")?,
            alternative: self.child("else")?,
            default: self.members.get("default").cloned(),
            examples: self.members.get("examples").and_then(Value::as_array).cloned().unwrap_or_default(),
        })
    }

    fn dialect(&self) -> Dialect {
        Dialect::from_draft(self.scope.draft).unwrap_or_default()
    }

    /// A keyword that draft 4 does not have.
    fn since_6(&self, keyword: &str) -> Option<&'a Value> {
        (self.dialect() >= Dialect::Draft6).then(|| self.members.get(keyword)).flatten()
    }

    fn text(&self, keyword: &str) -> Option<String> {
        self.members.get(keyword).and_then(Value::as_str).map(str::to_owned)
    }

    fn texts(&self, keyword: &str) -> Vec<String> {
        let list = self.members.get(keyword).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn types(&self) -> Vec<String> {
        self.text("type").map_or_else(|| self.texts("type"), |only| vec![only])
    }

    fn count(&self, keyword: &str) -> Option<u64> {
        let number = self.members.get(keyword)?.as_number()?;
        crate::json::whole(number).and_then(|whole| u64::try_from(whole).ok())
    }

    fn bounds(&self, keyword: &str, exclusive: &str) -> Vec<Bound> {
        let number = |keyword: &str| self.members.get(keyword).and_then(Value::as_number).cloned();
        let bound = |limit: Number, is_exclusive| Bound { limit, is_exclusive };
        if self.dialect() == Dialect::Draft4 {
            let is_exclusive = self.members.get(exclusive) == Some(&Value::Bool(true));
            return number(keyword).map(|limit| bound(limit, is_exclusive)).into_iter().collect();
        }
        let inclusive = number(keyword).map(|limit| bound(limit, false));
        inclusive.into_iter().chain(number(exclusive).map(|limit| bound(limit, true))).collect()
    }

    fn enter(&mut self, value: &'a Value, at: &Pointer) -> Result<NodeId, ReadError> {
        let scope = inside(self.scope, value, at)?;
        self.walk.node(value, &scope, at)
    }

    fn child(&mut self, keyword: &str) -> Result<Option<NodeId>, ReadError> {
        let Some(value) = self.members.get(keyword) else { return Ok(None) };
        let at = self.at.child(keyword);
        self.enter(value, &at).map(Some)
    }

    fn list(&mut self, keyword: &str) -> Result<Vec<NodeId>, ReadError> {
        let Some(Value::Array(schemas)) = self.members.get(keyword) else { return Ok(Vec::new()) };
        let at = self.at.child(keyword);
        schemas.iter().enumerate().map(|(index, schema)| self.enter(schema, &at.item(index))).collect()
    }

    fn named(&mut self, keyword: &str) -> Result<Vec<(String, NodeId)>, ReadError> {
        let Some(Value::Object(schemas)) = self.members.get(keyword) else { return Ok(Vec::new()) };
        let at = self.at.child(keyword);
        let enter =
            |(name, schema): (&String, &'a Value)| Ok((name.clone(), self.enter(schema, &at.child(name))?));
        schemas.iter().map(enter).collect()
    }

    /// `prefixItems` with `items`, or the older `items` list with `additionalItems`.
    fn items(&mut self) -> Result<(Vec<NodeId>, Option<NodeId>), ReadError> {
        if self.dialect() == Dialect::Draft202012 {
            return Ok((self.list("prefixItems")?, self.child("items")?));
        }
        if self.members.get("items").is_some_and(Value::is_array) {
            return Ok((self.list("items")?, self.child("additionalItems")?));
        }
        Ok((Vec::new(), self.child("items")?))
    }

    #[expect(
        clippy::type_complexity,
        reason = "the two halves of `dependencies`, each as its keyword has it"
    )]
    fn dependencies(&mut self) -> Result<(Vec<(String, Vec<String>)>, Vec<(String, NodeId)>), ReadError> {
        let mut required: Vec<(String, Vec<String>)> = Vec::new();
        let mut schemas = self.named("dependentSchemas")?;
        let old = self.members.get("dependencies").and_then(Value::as_object);
        let new = self.members.get("dependentRequired").and_then(Value::as_object);
        let at = self.at.child("dependencies");
        for (name, value) in old.into_iter().chain(new).flatten() {
            match value {
                Value::Array(names) => {
                    let names = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                    required.push((name.clone(), names));
                }
                // Draft 3 wrote a single name as a plain text; draft 4 and later do not allow it.
                schema => schemas.push((name.clone(), self.enter(schema, &at.child(name))?)),
            }
        }
        Ok((required, schemas))
    }

    fn target(&mut self, reference: Option<&Reference>) -> Result<Option<NodeId>, ReadError> {
        let Some(reference) = reference else { return Ok(None) };
        let (value, scope) = follow(reference, self.scope, &self.at)?;
        let at = self.at.clone();
        self.walk.node(value, &scope, &at).map(Some)
    }
}
