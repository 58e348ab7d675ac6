//! From the syntax tree of a pattern to the formula a whole text must satisfy.
//!
//! A construct is lowered together with what follows it, from the end of the pattern to its start. The start of the
//! text is known while lowering (`at_start`), so that `^` costs nothing; other questions about the past become
//! watched languages, see [`Lowered::behind`].

use regex_syntax::hir::ClassUnicode;

use crate::text::formula::{ALWAYS, Atom, Formula, Formulas, NEVER, Overrun};
use crate::text::tree::{Direction, Pattern, Tree, any_character};

/// A required or barred pattern as a formula.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lowered {
    pub(crate) formula: Formula,
    /// The formula says exactly what the pattern says.
    pub(crate) is_exact: bool,
}

/// Lowers a pattern that is searched for anywhere in the text. New look-behinds are added to `behind`: each entry is
/// the language of all that may stand before the place where it holds.
pub(crate) fn lower(
    pattern: &Pattern,
    formulas: &mut Formulas,
    behind: &mut Vec<Formula>,
) -> Result<Lowered, Overrun> {
    let mut lowering = Lowering {
        formulas,
        behind,
        watched_classes: Vec::new(),
        root: &pattern.tree,
        is_exact: !pattern.is_approximate,
        depth: 0,
    };
    let formula = lowering.search(&pattern.tree, ALWAYS)?;
    Ok(Lowered { formula, is_exact: lowering.is_exact })
}

/// What follows a construct: at the start of the text (when nothing was consumed) or later.
#[derive(Debug, Clone, Copy)]
struct Next {
    start: Formula,
    later: Formula,
}

/// Which matches of a construct are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    All,
    /// Those that consume something.
    Consuming,
    /// Those that consume nothing.
    Empty,
}

struct Lowering<'a> {
    formulas: &'a mut Formulas,
    behind: &'a mut Vec<Formula>,
    /// Look-behinds of one class and their numbers.
    watched_classes: Vec<(ClassUnicode, u32)>,
    root: &'a Tree,
    is_exact: bool,
    /// Back-references being replaced by their groups; a group that refers to itself must end.
    depth: u32,
}

impl Lowering<'_> {
    /// The construct somewhere in the text, followed by `after`.
    fn search(&mut self, tree: &Tree, after: Formula) -> Result<Formula, Overrun> {
        let next = Next { start: after, later: after };
        let first = self.lower(tree, true, Mode::All, next)?;
        if first == ALWAYS {
            return Ok(ALWAYS);
        }
        let later = self.lower(tree, false, Mode::All, next)?;
        if later == NEVER {
            return Ok(first);
        }
        let (index, again) = self.formulas.open_loop();
        let skip = self.formulas.step(&any_character(), again);
        let body = self.formulas.or(later, skip)?;
        self.formulas.close_loop(index, body);
        self.formulas.or(first, skip)
    }

    fn lower(&mut self, tree: &Tree, at_start: bool, mode: Mode, next: Next) -> Result<Formula, Overrun> {
        self.formulas.spend(1)?;
        let stay = if at_start { next.start } else { next.later };
        if mode == Mode::Consuming && matches!(tree, Tree::Start | Tree::End | Tree::Look { .. }) {
            return Ok(NEVER);
        }
        match tree {
            Tree::Class(_) if mode == Mode::Empty => Ok(NEVER),
            Tree::Class(class) => Ok(self.formulas.step(class, next.later)),
            Tree::Sequence(trees) => self.sequence(trees, at_start, mode, next),
            Tree::Choice(trees) => {
                let lowered: Result<Vec<Formula>, Overrun> =
                    trees.iter().map(|tree| self.lower(tree, at_start, mode, next)).collect();
                self.formulas.or_all(&lowered?)
            }
            Tree::Repeat { tree, min, max } => self.repeat(tree, (*min, *max), at_start, mode, next),
            Tree::Group { number: _, tree } => self.lower(tree, at_start, mode, next),
            Tree::BackReference { number } => {
                let group = self.root.group(*number).filter(|_| self.depth < 8).cloned();
                self.depth += 1;
                let result = self.lower(&group.unwrap_or_else(Tree::empty), at_start, mode, next);
                self.depth -= 1;
                result
            }
            Tree::Start => Ok(if at_start { next.start } else { NEVER }),
            Tree::End => {
                let end = self.formulas.atom(Atom::End);
                self.formulas.and(end, stay)
            }
            Tree::Look { direction: Direction::Ahead, is_negated, tree } => {
                let always = Next { start: ALWAYS, later: ALWAYS };
                let ahead = self.lower(tree, at_start, Mode::All, always)?;
                self.asserted(ahead, *is_negated, stay)
            }
            Tree::Look { direction: Direction::Behind, is_negated, tree } => {
                let behind = self.look_behind(tree)?;
                self.asserted(behind, *is_negated, stay)
            }
        }
    }

    fn asserted(&mut self, fact: Formula, is_negated: bool, stay: Formula) -> Result<Formula, Overrun> {
        let fact = if is_negated { self.formulas.not(fact)? } else { fact };
        self.formulas.and(fact, stay)
    }

    fn look_behind(&mut self, tree: &Tree) -> Result<Formula, Overrun> {
        if looks_ahead(tree) {
            // What a look-behind would see beyond its own end is not part of the past.
            self.is_exact = false;
            return Ok(ALWAYS);
        }
        // A word boundary asks for the same class again and again.
        let known = |class| self.watched_classes.iter().find(|(known, _)| known == class);
        if let Tree::Class(class) = tree
            && let Some((_, index)) = known(class)
        {
            return Ok(self.formulas.atom(Atom::Behind(*index)));
        }
        let end = self.formulas.atom(Atom::End);
        let watched = self.search(tree, end)?;
        let index = u32::try_from(self.behind.len()).map_err(|_| Overrun)?;
        self.behind.push(watched);
        if let Tree::Class(class) = tree {
            self.watched_classes.push((class.clone(), index));
        }
        Ok(self.formulas.atom(Atom::Behind(index)))
    }

    fn sequence(
        &mut self,
        trees: &[Tree],
        at_start: bool,
        mode: Mode,
        next: Next,
    ) -> Result<Formula, Overrun> {
        // One member that must consume makes the whole consume.
        let can_be_empty = trees.iter().all(Tree::can_be_empty);
        let mode = match mode {
            Mode::Empty if !can_be_empty => return Ok(NEVER),
            Mode::Consuming if !can_be_empty => Mode::All,
            mode => mode,
        };
        let n_reached_at_start =
            if at_start { 1 + trees.iter().take_while(|tree| tree.can_be_empty()).count() } else { 0 };
        let nothing = Next { start: NEVER, later: NEVER };
        let (mut all, mut empty, mut consuming) = (next, next, nothing);
        for (index, tree) in trees.iter().enumerate().rev() {
            let mut pass = |mode, next| -> Result<Next, Overrun> {
                let later = self.lower(tree, false, mode, next)?;
                let is_reached = index < n_reached_at_start;
                let start = if is_reached { self.lower(tree, true, mode, next)? } else { NEVER };
                Ok(Next { start, later })
            };
            match mode {
                Mode::All => all = pass(Mode::All, all)?,
                Mode::Empty => empty = pass(Mode::Empty, empty)?,
                Mode::Consuming => {
                    let (now, after) = (pass(Mode::Consuming, all)?, pass(Mode::Empty, consuming)?);
                    all = pass(Mode::All, all)?;
                    consuming = Next {
                        start: self.formulas.or(now.start, after.start)?,
                        later: self.formulas.or(now.later, after.later)?,
                    };
                }
            }
        }
        let result = match mode {
            Mode::All => all,
            Mode::Empty => empty,
            Mode::Consuming => consuming,
        };
        Ok(if at_start { result.start } else { result.later })
    }

    fn repeat(
        &mut self,
        tree: &Tree,
        (min, max): (u32, Option<u32>),
        at_start: bool,
        mode: Mode,
        next: Next,
    ) -> Result<Formula, Overrun> {
        let stay = if at_start { next.start } else { next.later };
        match mode {
            // Further empty rounds at one place repeat what the first one said.
            Mode::Empty if min == 0 => return Ok(stay),
            Mode::Empty => return self.lower(tree, at_start, Mode::Empty, next),
            Mode::Consuming if min == 0 => {
                if max == Some(0) {
                    return Ok(NEVER);
                }
                let tail = self.tail(tree, max.map(|max| max - 1), false, next)?;
                return self.lower(tree, at_start, Mode::Consuming, tail);
            }
            Mode::Consuming if tree.can_be_empty() => {
                let mut trees = vec![tree.clone(); min.min(1000) as usize];
                let rest = max.map(|max| max - min);
                trees.push(Tree::Repeat { tree: Box::new(tree.clone()), min: 0, max: rest });
                return self.sequence(&trees, at_start, mode, next);
            }
            Mode::All | Mode::Consuming => {}
        }
        let mut result = self.tail(tree, max.map(|max| max - min), at_start, next)?;
        let can_be_empty = tree.can_be_empty();
        for round in (0..min).rev() {
            // A later round stands at the start of the text only if the earlier ones can be empty.
            let is_reached = at_start && (round == 0 || can_be_empty);
            let later = self.lower(tree, false, Mode::All, result)?;
            let start = if is_reached { self.lower(tree, true, Mode::All, result)? } else { NEVER };
            result = Next { start, later };
        }
        Ok(if at_start { result.start } else { result.later })
    }

    /// Any number of rounds up to `max`, each consuming something, and then `next`.
    fn tail(&mut self, tree: &Tree, max: Option<u32>, at_start: bool, next: Next) -> Result<Next, Overrun> {
        if let Some(max) = max {
            let mut later = next.later;
            let mut before_last = next.later;
            for _ in 0..max {
                before_last = later;
                let round = self.lower(tree, false, Mode::Consuming, Next { start: NEVER, later })?;
                later = self.formulas.or(next.later, round)?;
            }
            let start = match (at_start, max) {
                (true, 1..) => {
                    let inner = Next { start: NEVER, later: before_last };
                    let round = self.lower(tree, true, Mode::Consuming, inner)?;
                    self.formulas.or(next.start, round)?
                }
                _ => next.start,
            };
            return Ok(Next { start, later });
        }
        // The loop stands for one round or more; keeping `next` out of its body keeps chains of loops flat.
        let (index, more) = self.formulas.open_loop();
        let later = self.formulas.or(next.later, more)?;
        let inner = Next { start: NEVER, later };
        let round = self.lower(tree, false, Mode::Consuming, inner)?;
        self.formulas.close_loop(index, round);
        let start = if at_start {
            let round = self.lower(tree, true, Mode::Consuming, inner)?;
            self.formulas.or(next.start, round)?
        } else {
            next.start
        };
        Ok(Next { start, later })
    }
}

fn looks_ahead(tree: &Tree) -> bool {
    match tree {
        Tree::Class(_) | Tree::Start | Tree::BackReference { number: _ } => false,
        Tree::End | Tree::Look { direction: Direction::Ahead, is_negated: _, tree: _ } => true,
        Tree::Look { direction: Direction::Behind, is_negated: _, tree }
        | Tree::Group { number: _, tree }
        | Tree::Repeat { tree, min: _, max: _ } => looks_ahead(tree),
        Tree::Sequence(trees) | Tree::Choice(trees) => trees.iter().any(looks_ahead),
    }
}
