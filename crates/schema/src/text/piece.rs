//! A required pattern taken apart into simpler ones that say the same together.
//!
//! `^(?=.{1,253}$)(?!.*--)[a-z.-]+$` is one length bound, one barred pattern and one required pattern. Apart, each stays
//! small; as one automaton of formulas they would multiply.

use crate::text::tree::{Direction, Pattern, Tree, any_character};

/// What a pattern demands.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pieces {
    pub(crate) required: Vec<Pattern>,
    pub(crate) barred: Vec<Pattern>,
    pub(crate) min_length: u64,
    pub(crate) max_length: Option<u64>,
}

impl Pieces {
    /// Adds the pieces of a required pattern.
    pub(crate) fn require(&mut self, pattern: &Pattern) {
        if !is_anchored(&pattern.tree) {
            self.required.push(pattern.clone());
            return;
        }
        let mut items = Vec::new();
        flatten(&pattern.tree, &mut items);
        let n_leading = items.iter().take_while(|item| is_leading(item)).count();
        let (leading, rest) = items.split_at(n_leading);
        for item in leading {
            if let Tree::Look { direction: Direction::Ahead, is_negated, tree } = item {
                let mut body = Vec::new();
                flatten(tree, &mut body);
                if *is_negated {
                    self.barred.push(anchored(pattern, &body));
                } else {
                    self.require_from_start(pattern, &body);
                }
            }
        }
        if !rest.is_empty() {
            self.require_from_start(pattern, rest);
        }
    }

    fn require_from_start(&mut self, pattern: &Pattern, body: &[&Tree]) {
        let n_starts = body.iter().take_while(|item| matches!(item, Tree::Start)).count();
        let body = &body[n_starts..];
        let whole = match body {
            [inside, Tree::End] => inside.as_repeated_class(),
            _ => None,
        };
        let Some((class, min, max)) = whole else {
            self.required.push(anchored(pattern, body));
            return;
        };
        self.min_length = self.min_length.max(u64::from(min));
        let max = max.map(u64::from);
        self.max_length = [self.max_length, max].into_iter().flatten().min();
        if *class != any_character() {
            let any_number = Tree::Repeat { tree: Box::new(Tree::Class(class.clone())), min: 0, max: None };
            self.required.push(anchored(pattern, &[&any_number, &Tree::End]));
        }
    }
}

fn anchored(pattern: &Pattern, body: &[&Tree]) -> Pattern {
    let items = std::iter::once(Tree::Start).chain(body.iter().map(|item| (*item).clone()));
    Pattern { tree: Tree::Sequence(items.collect()), ..pattern.clone() }
}

/// The members of a sequence, through groups and nested sequences.
fn flatten<'a>(tree: &'a Tree, into: &mut Vec<&'a Tree>) {
    match tree {
        Tree::Sequence(trees) => trees.iter().for_each(|tree| flatten(tree, into)),
        Tree::Group { number: _, tree } if matches!(**tree, Tree::Sequence(_)) => flatten(tree, into),
        other => into.push(other),
    }
}

fn is_leading(tree: &Tree) -> bool {
    matches!(tree, Tree::Start | Tree::Look { direction: Direction::Ahead, is_negated: _, tree: _ })
}

/// Whether the construct matches only at the start of the text.
fn is_anchored(tree: &Tree) -> bool {
    match tree {
        Tree::Start => true,
        Tree::Class(_) | Tree::End | Tree::BackReference { number: _ } => false,
        Tree::Sequence(trees) => {
            let n_looks = trees.iter().take_while(|tree| matches!(tree, Tree::Look { .. })).count();
            trees.iter().take(n_looks + 1).any(is_anchored)
        }
        Tree::Choice(trees) => trees.iter().all(is_anchored),
        Tree::Group { number: _, tree } => is_anchored(tree),
        Tree::Repeat { tree, min, max: _ } => *min > 0 && is_anchored(tree),
        Tree::Look { direction, is_negated, tree } => {
            *direction == Direction::Ahead && !is_negated && is_anchored(tree)
        }
    }
}
