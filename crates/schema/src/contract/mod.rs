//! The canonical view of a contract: every subschema a node, references collapsed, drafts unified.
//!
//! The view says what the contract is made of, not what it admits: sets are composed in `compose`, and whether
//! a value fits is asked of the oracle in `validate`.

mod canonical_path;
mod keyword;
mod build;
mod weight;

use std::collections::BTreeMap;

use crate::document::{Document, Note, ReadError, of_its_draft};
use crate::json::Pointer;

pub use keyword::{Bound, Keywords};

/// A node of a contract, by its position in [`Contract::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The position in [`Contract::nodes`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The canonical view: a graph of nodes, entered at its roots.
#[derive(Debug, Clone)]
pub struct Contract {
    pub(crate) nodes: Vec<Node>,
    pub(crate) roots: Vec<NodeId>,
    pub(crate) by_path: BTreeMap<String, NodeId>,
    pub(crate) notes: Vec<Note>,
}

/// One subschema.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its canonical path, unique in the contract: `#/properties/name`, with the address of the document in
    /// front when that is not the user's own: `addr.json#/properties/name` for a file of the same checkout.
    pub path: String,
    /// Where it stands in the text, in the user's spelling.
    pub source: Pointer,
    /// The address of the document it stands in; `None` for the user's own.
    pub address: Option<String>,
    /// What it says.
    pub body: Body,
}

/// What a subschema says.
#[derive(Debug, Clone)]
pub enum Body {
    /// `true`: every value.
    Anything,
    /// `false`: no value.
    Nothing,
    /// An object of keywords.
    Keywords(Box<Keywords>),
}

impl Contract {
    /// The view of a whole document.
    ///
    /// ```
    /// use probity_schema::{Contract, Document, ReadOptions};
    /// let text = r##"{"properties": {"pet": {"$ref": "#/definitions/Pet"}}, "definitions": {"Pet": {"type": "string"}}}"##;
    /// let contract = Contract::of(&Document::read(text, &ReadOptions::default())?)?;
    /// let paths: Vec<_> = contract.nodes().iter().map(|node| node.path.as_str()).collect();
    /// assert_eq!(paths, ["#", "#/$defs/Pet"]);
    /// # Ok::<(), probity_schema::ReadError>(())
    /// ```
    pub fn of(document: &Document) -> Result<Self, ReadError> {
        Self::at(document, &[Pointer::root()])
    }

    /// The view of the subschemas at some places of a document, and of all that they reach.
    pub fn at(document: &Document, roots: &[Pointer]) -> Result<Self, ReadError> {
        let contract = build::build(document, roots).map_err(|error| of_its_draft(document, error))?;
        weight::check(&contract)?;
        Ok(contract)
    }

    /// Every node, in the order in which a walk from the roots meets them.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node at a position.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Where the contract is entered, in the order that was asked for.
    #[must_use]
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// The node with a canonical path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<NodeId> {
        self.by_path.get(path).copied()
    }

    /// What was odd about it.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

impl Node {
    /// Its path in the user's spelling, where that is not the canonical one.
    #[must_use]
    pub fn written_path(&self) -> Option<String> {
        let (address, _) = self.path.split_once('#')?;
        let written = format!("{address}{}", self.source);
        (written != self.path).then_some(written)
    }

    /// The keywords, when it has any.
    #[must_use]
    pub fn keywords(&self) -> Option<&Keywords> {
        match &self.body {
            Body::Keywords(keywords) => Some(keywords),
            Body::Anything | Body::Nothing => None,
        }
    }
}
