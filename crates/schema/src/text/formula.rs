//! What the rest of a text must satisfy, as a Boolean formula over the places of a pattern.
//!
//! A formula is a disjunction of conjunctions of atoms and negated atoms, kept in one normal form, so that equal
//! formulas are one number and a pattern has finitely many of them. Intersection and complement, which look-aheads
//! and barred patterns need, are then ordinary operations. The state of a text half read is a formula; reading one
//! more code point is [`Formulas::derive`].

use indexmap::IndexSet;
use regex_syntax::hir::ClassUnicode;

/// A formula by number.
pub(crate) type Formula = u32;
/// The formula no text satisfies.
pub(crate) const NEVER: Formula = 0;
/// The formula every text satisfies.
pub(crate) const ALWAYS: Formula = 1;

/// The work allowed for one shape is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Overrun;

/// A fact about the rest of the text that is not itself a combination of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    /// It starts with a code point of the class, and what follows satisfies `next`.
    Step { class: u32, next: Formula },
    /// It satisfies the body of a loop.
    Loop(u32),
    /// It is empty.
    End,
    /// What was read so far satisfies a look-behind; this is the only atom about the past.
    Behind(u32),
}

/// All formulas of one shape.
#[derive(Debug)]
pub(crate) struct Formulas {
    disjunctions: IndexSet<Box<[u32]>>,
    conjunctions: IndexSet<Box<[u32]>>,
    atoms: IndexSet<Atom>,
    classes: Vec<ClassUnicode>,
    loops: Vec<Formula>,
    /// Work left before the shape counts as too complex.
    budget: usize,
}

impl Formulas {
    pub(crate) fn new(budget: usize) -> Self {
        let conjunctions: IndexSet<Box<[u32]>> = std::iter::once(Box::from([])).collect();
        let disjunctions: IndexSet<Box<[u32]>> = [Box::from([]), Box::from([0])].into_iter().collect();
        Self {
            disjunctions,
            conjunctions,
            atoms: IndexSet::new(),
            classes: Vec::new(),
            loops: Vec::new(),
            budget,
        }
    }

    /// The classes that atoms name by number.
    pub(crate) fn classes(&self) -> &[ClassUnicode] {
        &self.classes
    }

    /// Counts work done.
    pub(crate) fn spend(&mut self, work: usize) -> Result<(), Overrun> {
        self.budget = self.budget.checked_sub(work).ok_or(Overrun)?;
        Ok(())
    }

    /// One code point of the class, then `next`.
    pub(crate) fn step(&mut self, class: &ClassUnicode, next: Formula) -> Formula {
        if next == NEVER || class.ranges().is_empty() {
            return NEVER;
        }
        let known = self.classes.iter().position(|other| other == class);
        let class = known.unwrap_or_else(|| {
            self.classes.push(class.clone());
            self.classes.len() - 1
        });
        self.atom(Atom::Step { class: number(class), next })
    }

    /// The formula that is one atom.
    pub(crate) fn atom(&mut self, atom: Atom) -> Formula {
        let atom = number(self.atoms.insert_full(atom).0);
        let conjunction = number(self.conjunctions.insert_full(Box::from([atom << 1])).0);
        number(self.disjunctions.insert_full(Box::from([conjunction])).0)
    }

    /// A loop whose body is set once what follows it is known.
    pub(crate) fn open_loop(&mut self) -> (u32, Formula) {
        let index = number(self.loops.len());
        self.loops.push(NEVER);
        (index, self.atom(Atom::Loop(index)))
    }

    /// Sets the body of a loop. Every way through the body back to the loop consumes something.
    pub(crate) fn close_loop(&mut self, index: u32, body: Formula) {
        self.loops[index as usize] = body;
    }

    /// Either of two.
    pub(crate) fn or(&mut self, left: Formula, right: Formula) -> Result<Formula, Overrun> {
        match (left, right) {
            (NEVER, other) | (other, NEVER) => Ok(other),
            (ALWAYS, _) | (_, ALWAYS) => Ok(ALWAYS),
            _ if left == right => Ok(left),
            _ => {
                let mut all = self.disjunctions[left as usize].to_vec();
                all.extend_from_slice(&self.disjunctions[right as usize]);
                self.disjunction(all)
            }
        }
    }

    /// Any of many; joining them pairwise would cost the square.
    pub(crate) fn or_all(&mut self, formulas: &[Formula]) -> Result<Formula, Overrun> {
        let all = formulas.iter().flat_map(|formula| self.disjunctions[*formula as usize].iter().copied());
        let all = all.collect();
        self.disjunction(all)
    }

    /// Both of two.
    pub(crate) fn and(&mut self, left: Formula, right: Formula) -> Result<Formula, Overrun> {
        match (left, right) {
            (NEVER, _) | (_, NEVER) => Ok(NEVER),
            (ALWAYS, other) | (other, ALWAYS) => Ok(other),
            _ if left == right => Ok(left),
            _ => {
                let (lefts, rights) =
                    (self.disjunctions[left as usize].clone(), self.disjunctions[right as usize].clone());
                self.spend(lefts.len() * rights.len())?;
                let mut all = Vec::with_capacity(lefts.len() * rights.len());
                for one in &lefts {
                    for other in &rights {
                        let mut literals = self.conjunctions[*one as usize].to_vec();
                        literals.extend_from_slice(&self.conjunctions[*other as usize]);
                        all.extend(self.conjunction(literals)?);
                    }
                }
                self.disjunction(all)
            }
        }
    }

    /// The opposite of one.
    pub(crate) fn not(&mut self, formula: Formula) -> Result<Formula, Overrun> {
        let conjunctions = self.disjunctions[formula as usize].clone();
        let mut result = ALWAYS;
        for conjunction in conjunctions {
            let literals = self.conjunctions[conjunction as usize].clone();
            let mut opposites = Vec::with_capacity(literals.len());
            for literal in &literals {
                opposites.extend(self.conjunction(vec![literal ^ 1])?);
            }
            let clause = self.disjunction(opposites)?;
            result = self.and(result, clause)?;
        }
        Ok(result)
    }

    /// A conjunction of literals, or nothing when two contradict each other.
    fn conjunction(&mut self, mut literals: Vec<u32>) -> Result<Option<u32>, Overrun> {
        self.spend(literals.len() + 1)?;
        literals.sort_unstable();
        literals.dedup();
        if literals.windows(2).any(|pair| pair[0] ^ 1 == pair[1]) {
            return Ok(None);
        }
        Ok(Some(number(self.conjunctions.insert_full(literals.into_boxed_slice()).0)))
    }

    /// A disjunction of conjunctions, without those that another one makes superfluous.
    fn disjunction(&mut self, mut conjunctions: Vec<u32>) -> Result<Formula, Overrun> {
        self.spend(conjunctions.len() + 1)?;
        conjunctions.sort_unstable();
        conjunctions.dedup();
        if conjunctions.first() == Some(&0) {
            return Ok(ALWAYS);
        }
        let is_long = |conjunction: &u32| self.conjunctions[*conjunction as usize].len() > 1;
        let n_long = conjunctions.iter().filter(|conjunction| is_long(conjunction)).count();
        if n_long > 0 && conjunctions.len() > 1 {
            self.spend(n_long * conjunctions.len())?;
            let literals = |conjunction: u32| &self.conjunctions[conjunction as usize];
            let kept: Vec<u32> = conjunctions
                .iter()
                .copied()
                .filter(|one| {
                    let implied = |other: &u32| {
                        other != one
                            && literals(*other).len() < literals(*one).len()
                            && literals(*other)
                                .iter()
                                .all(|literal| literals(*one).binary_search(literal).is_ok())
                    };
                    literals(*one).len() < 2 || !conjunctions.iter().any(implied)
                })
                .collect();
            conjunctions = kept;
        }
        if let [one, other] = conjunctions.as_slice() {
            let (one, other) = (&self.conjunctions[*one as usize], &self.conjunctions[*other as usize]);
            if one.len() == 1 && other.len() == 1 && one[0] ^ 1 == other[0] {
                return Ok(ALWAYS);
            }
        }
        Ok(number(self.disjunctions.insert_full(conjunctions.into_boxed_slice()).0))
    }

    /// Whether the empty rest satisfies the formula.
    pub(crate) fn accepts_end(&self, formula: Formula) -> bool {
        self.disjunctions[formula as usize].iter().any(|conjunction| {
            let mut literals = self.conjunctions[*conjunction as usize].iter();
            literals.all(|literal| {
                self.atom_accepts_end(self.atoms[*literal as usize >> 1]) == (literal & 1 == 0)
            })
        })
    }

    fn atom_accepts_end(&self, atom: Atom) -> bool {
        match atom {
            Atom::Step { class: _, next: _ } | Atom::Behind(_) => false,
            Atom::Loop(index) => self.accepts_end(self.loops[index as usize]),
            Atom::End => true,
        }
    }

    /// What the text after one code point must satisfy; `is_in` says to which classes the code point belongs.
    pub(crate) fn derive(
        &mut self,
        formula: Formula,
        is_in: &dyn Fn(u32) -> bool,
    ) -> Result<Formula, Overrun> {
        let rewrite = |formulas: &mut Self, atom: Atom| match atom {
            Atom::Step { class, next } => Ok(if is_in(class) { next } else { NEVER }),
            Atom::Loop(index) => formulas.derive(formulas.loops[index as usize], is_in),
            Atom::End | Atom::Behind(_) => Ok(NEVER),
        };
        self.rewrite(formula, &rewrite)
    }

    /// The formula with its atoms about the past decided.
    pub(crate) fn resolve(&mut self, formula: Formula, past: &[bool]) -> Result<Formula, Overrun> {
        let rewrite = |formulas: &mut Self, atom: Atom| match atom {
            Atom::Behind(index) => Ok(if past[index as usize] { ALWAYS } else { NEVER }),
            Atom::Loop(index) if formulas.looks_behind(formulas.loops[index as usize]) => {
                formulas.resolve(formulas.loops[index as usize], past)
            }
            Atom::Step { class: _, next: _ } | Atom::Loop(_) | Atom::End => Ok(formulas.atom(atom)),
        };
        self.rewrite(formula, &rewrite)
    }

    fn looks_behind(&self, formula: Formula) -> bool {
        self.some_atom(formula, &mut |formulas, atom| match atom {
            Atom::Behind(_) => true,
            Atom::Loop(index) => formulas.looks_behind(formulas.loops[index as usize]),
            Atom::Step { class: _, next: _ } | Atom::End => false,
        })
    }

    /// The classes that decide how the formula goes on, in no particular order and possibly repeated.
    pub(crate) fn front_classes(&self, formula: Formula, into: &mut Vec<u32>) {
        self.some_atom(formula, &mut |formulas, atom| {
            match atom {
                Atom::Step { class, next: _ } => into.push(class),
                Atom::Loop(index) => formulas.front_classes(formulas.loops[index as usize], into),
                Atom::End | Atom::Behind(_) => {}
            }
            false
        });
    }

    fn some_atom(&self, formula: Formula, found: &mut dyn FnMut(&Self, Atom) -> bool) -> bool {
        self.disjunctions[formula as usize].iter().any(|conjunction| {
            let mut literals = self.conjunctions[*conjunction as usize].iter();
            literals.any(|literal| found(self, self.atoms[*literal as usize >> 1]))
        })
    }

    /// Replaces each atom by a formula.
    fn rewrite(
        &mut self,
        formula: Formula,
        replace: &dyn Fn(&mut Self, Atom) -> Result<Formula, Overrun>,
    ) -> Result<Formula, Overrun> {
        let conjunctions = self.disjunctions[formula as usize].clone();
        self.spend(conjunctions.len() + 1)?;
        // Plain alternatives are gathered and joined once; joining them pairwise would cost the square.
        let mut gathered: Vec<u32> = Vec::new();
        for conjunction in conjunctions {
            let literals = self.conjunctions[conjunction as usize].clone();
            let mut all = ALWAYS;
            for literal in literals {
                let mut one = replace(self, self.atoms[literal as usize >> 1])?;
                if literal & 1 == 1 {
                    one = self.not(one)?;
                }
                all = self.and(all, one)?;
                if all == NEVER {
                    break;
                }
            }
            gathered.extend_from_slice(&self.disjunctions[all as usize]);
        }
        self.disjunction(gathered)
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("the work budget keeps every table below four billion entries")
}
