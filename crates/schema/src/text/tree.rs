//! The syntax tree of an ECMA-262 pattern, and the plain facts that can be read off it.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// A pattern as it was written, classes already resolved to sets of code points.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) tree: Tree,
    /// The tree is only an approximation of the pattern (a back-reference, an atomic group).
    pub(crate) is_approximate: bool,
    /// The two judges may read a class of this pattern differently outside ASCII.
    pub(crate) is_disputed: bool,
}

/// One construct of a pattern.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    /// One code point of a set.
    Class(ClassUnicode),
    /// One after the other; the empty pattern is an empty sequence.
    Sequence(Vec<Tree>),
    /// One of several.
    Choice(Vec<Tree>),
    /// Between `min` and `max` times.
    Repeat { tree: Box<Tree>, min: u32, max: Option<u32> },
    /// A capturing group and its number.
    Group { number: u32, tree: Box<Tree> },
    /// The text a group captured.
    BackReference { number: u32 },
    /// The start of the text.
    Start,
    /// The end of the text.
    End,
    /// What follows (or precedes) matches, or does not; no text is consumed.
    Look { direction: Direction, is_negated: bool, tree: Box<Tree> },
}

/// Where a look-around looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Ahead,
    Behind,
}

impl Tree {
    /// The pattern that matches the empty text.
    pub(crate) fn empty() -> Self {
        Tree::Sequence(Vec::new())
    }

    /// Whether the construct can match without consuming anything.
    pub(crate) fn can_be_empty(&self) -> bool {
        match self {
            Tree::Class(_) => false,
            Tree::Sequence(trees) => trees.iter().all(Tree::can_be_empty),
            Tree::Choice(trees) => trees.iter().any(Tree::can_be_empty),
            Tree::Repeat { tree, min, max: _ } => *min == 0 || tree.can_be_empty(),
            Tree::Group { number: _, tree } => tree.can_be_empty(),
            Tree::BackReference { number: _ } | Tree::Start | Tree::End | Tree::Look { .. } => true,
        }
    }

    /// The group with this number, if it was written before it is referred to.
    pub(crate) fn group(&self, wanted: u32) -> Option<&Tree> {
        match self {
            Tree::Class(_) | Tree::BackReference { number: _ } | Tree::Start | Tree::End => None,
            Tree::Sequence(trees) | Tree::Choice(trees) => trees.iter().find_map(|tree| tree.group(wanted)),
            Tree::Repeat { tree, min: _, max: _ } | Tree::Look { direction: _, is_negated: _, tree } => {
                tree.group(wanted)
            }
            Tree::Group { number, tree } if *number == wanted => Some(tree),
            Tree::Group { number: _, tree } => tree.group(wanted),
        }
    }

    /// The sets, beyond groups, of a tree that is one class repeated: `[a-z]{3,9}`, `(?:x)*`, `.`.
    pub(crate) fn as_repeated_class(&self) -> Option<(&ClassUnicode, u32, Option<u32>)> {
        match self {
            Tree::Class(set) => Some((set, 1, Some(1))),
            Tree::Repeat { tree, min, max } => match tree.as_repeated_class()? {
                (set, 1, Some(1)) => Some((set, *min, *max)),
                _ => None,
            },
            Tree::Group { number: _, tree } => tree.as_repeated_class(),
            Tree::Sequence(trees) => match trees.as_slice() {
                [only] => only.as_repeated_class(),
                _ => None,
            },
            Tree::Choice(_)
            | Tree::BackReference { number: _ }
            | Tree::Start
            | Tree::End
            | Tree::Look { .. } => None,
        }
    }
}

/// Every code point there is.
pub(crate) fn any_character() -> ClassUnicode {
    set_of(&[('\0', char::MAX)])
}

/// A set from its ranges.
pub(crate) fn set_of(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|&(low, high)| ClassUnicodeRange::new(low, high)))
}
