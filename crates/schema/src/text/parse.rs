//! Reading an ECMA-262 pattern as both judges read it.
//!
//! Lenient where they differ: what either accepts (`\-`, a lone `{`, `(?i)`, `\A`) has a meaning here. Whether a
//! pattern is legal is for the judges to say.

use regex_syntax::hir::ClassUnicode;

use crate::text::class;
use crate::text::tree::{Direction, Pattern, Tree, any_character, set_of};

/// Deepest nesting of groups; deeper patterns are refused so that no recursion over a tree can overflow.
const MAX_DEPTH: u32 = 120;
/// Longest pattern read, in code points.
const MAX_LENGTH: usize = 100_000;

/// Why a pattern was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParseError {
    /// It is not a regular expression.
    Bad(String),
    /// It is longer or deeper than we go.
    TooComplex(String),
}

impl From<String> for ParseError {
    fn from(why: String) -> Self {
        ParseError::Bad(why)
    }
}

impl From<&str> for ParseError {
    fn from(why: &str) -> Self {
        ParseError::Bad(why.to_owned())
    }
}

/// Reads a pattern; the error says what was wrong and where.
pub(crate) fn parse(pattern: &str) -> Result<Pattern, ParseError> {
    let text: Vec<char> = pattern.chars().collect();
    if text.len() > MAX_LENGTH {
        return Err(ParseError::TooComplex(format!("it has more than {MAX_LENGTH} code points")));
    }
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
        n_groups: 0,
        names: group_names(pattern),
        flags: Flags::default(),
        seen: Seen::default(),
        is_approximate: false,
    };
    let tree = parser.choice()?;
    if parser.at < parser.text.len() {
        return Err(ParseError::Bad(format!("unmatched \")\" at offset {}", parser.at)));
    }
    // One judge hands patterns with look-arounds over as they are, and then reads `\w` and its kin as Unicode does.
    let Seen { look_around, class_escape, ignored_case } = parser.seen;
    let is_disputed = (look_around && class_escape) || ignored_case;
    Ok(Pattern { tree, is_approximate: parser.is_approximate, is_disputed })
}

/// Names of the capturing groups in the order of their numbers; unnamed ones are empty.
fn group_names(pattern: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_in_class = false;
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                rest.next();
            }
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            '(' if !is_in_class => {
                let after = rest.as_str();
                let named_group = after.strip_prefix("?<").or_else(|| after.strip_prefix("?P<"));
                match named_group {
                    Some(name) if !name.starts_with(['=', '!']) => {
                        names.push(name.split('>').next().unwrap_or_default().to_owned());
                    }
                    Some(_) => {}
                    None if after.starts_with('?') => {}
                    None => names.push(String::new()),
                }
            }
            _ => {}
        }
    }
    names
}

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    dot_all: bool,
    multi_line: bool,
}

struct Parser {
    text: Vec<char>,
    at: usize,
    depth: u32,
    n_groups: u32,
    names: Vec<String>,
    flags: Flags,
    seen: Seen,
    is_approximate: bool,
}

/// What was met so far and matters for how the judges read the whole.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    look_around: bool,
    class_escape: bool,
    ignored_case: bool,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    /// Moves past `expected` if it stands here.
    fn skip(&mut self, expected: &str) -> bool {
        let length = expected.chars().count();
        let is_here = self.text[self.at..].iter().copied().take(length).eq(expected.chars());
        if is_here {
            self.at += length;
        }
        is_here
    }

    fn choice(&mut self) -> Result<Tree, ParseError> {
        // A flag set inside a group, `(?i)`, ends with the group.
        let flags = self.flags;
        let mut branches = vec![self.sequence()?];
        while self.skip("|") {
            branches.push(self.sequence()?);
        }
        self.flags = flags;
        Ok(match branches.len() {
            1 => branches.remove(0),
            _ => Tree::Choice(branches),
        })
    }

    fn sequence(&mut self) -> Result<Tree, ParseError> {
        let mut trees = Vec::new();
        while let Some(c) = self.peek() {
            if matches!(c, '|' | ')') {
                break;
            }
            let mut tree = self.atom()?;
            while let Some((min, max)) = self.quantifier()? {
                tree = Tree::Repeat { tree: Box::new(tree), min, max };
            }
            trees.push(tree);
        }
        Ok(match trees.len() {
            1 => trees.remove(0),
            _ => Tree::Sequence(trees),
        })
    }

    /// A quantifier with its laziness mark, which changes what is captured but not what matches.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, ParseError> {
        let bounds = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let Some((bounds, length)) = braces(&self.text[self.at..]) else { return Ok(None) };
                if bounds.1.is_some_and(|max| max < bounds.0) {
                    return Err(ParseError::Bad(format!(
                        "numbers out of order in the quantifier at offset {}",
                        self.at
                    )));
                }
                // The closing brace is skipped below like the other one-character marks.
                self.at += length - 1;
                bounds
            }
            _ => return Ok(None),
        };
        self.at += 1;
        if !self.skip("?") && self.peek() == Some('+') {
            // Possessive in one judge, an error in the other.
            self.at += 1;
            self.is_approximate = true;
        }
        Ok(Some(bounds))
    }

    fn atom(&mut self) -> Result<Tree, ParseError> {
        let start = self.at;
        let c = self.next().ok_or("the pattern ends too early")?;
        match c {
            '(' => self.group(start),
            '[' => {
                let (set, has_escape) = class::bracketed(&self.text, &mut self.at)?;
                self.seen.class_escape |= has_escape;
                Ok(self.class(set))
            }
            '.' if self.flags.dot_all => Ok(Tree::Class(any_character())),
            '.' => Ok(Tree::Class(class::dot())),
            '^' if self.flags.multi_line => Ok(line_edge(Direction::Behind)),
            '$' if self.flags.multi_line => Ok(line_edge(Direction::Ahead)),
            '^' => Ok(Tree::Start),
            '$' => Ok(Tree::End),
            '\\' => self.escape(start),
            '*' | '+' | '?' => Err(ParseError::Bad(format!("nothing to repeat at offset {start}"))),
            literal => Ok(self.class(set_of(&[(literal, literal)]))),
        }
    }

    fn class(&mut self, mut set: ClassUnicode) -> Tree {
        if self.flags.ignore_case && set.try_case_fold_simple().is_err() {
            self.is_approximate = true;
        }
        Tree::Class(set)
    }

    fn escape(&mut self, start: usize) -> Result<Tree, ParseError> {
        match self.peek() {
            Some('b') => Ok(self.word_boundary(false)),
            Some('B') => Ok(self.word_boundary(true)),
            Some('A') => {
                self.at += 1;
                Ok(Tree::Start)
            }
            Some('z' | 'Z') => {
                self.at += 1;
                Ok(Tree::End)
            }
            Some('k') => {
                self.at += 1;
                let name = self.name().ok_or_else(|| format!("a group name is missing at offset {start}"))?;
                let number = self.names.iter().position(|known| *known == name);
                let number = number.ok_or_else(|| format!("no group is called {name:?}"))?;
                Ok(self.back_reference(u32::try_from(number).unwrap_or(u32::MAX) + 1))
            }
            Some('1'..='9') => {
                let mut number = 0_u32;
                while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
                    number = number.saturating_mul(10).saturating_add(digit);
                    self.at += 1;
                }
                if number as usize > self.names.len() {
                    return Err(ParseError::Bad(format!("there is no group {number}")));
                }
                Ok(self.back_reference(number))
            }
            _ => {
                let (set, is_class) = class::escaped(&self.text, &mut self.at)?;
                self.seen.class_escape |= is_class;
                Ok(self.class(set))
            }
        }
    }

    fn back_reference(&mut self, number: u32) -> Tree {
        self.is_approximate = true;
        self.seen.look_around = true;
        Tree::BackReference { number }
    }

    /// `\b` is the place between a word character and something else, on either side.
    fn word_boundary(&mut self, is_negated: bool) -> Tree {
        self.at += 1;
        self.seen.class_escape = true;
        self.seen.look_around = true;
        let look = |direction, is_negated| Tree::Look {
            direction,
            is_negated,
            tree: Box::new(Tree::Class(class::word())),
        };
        let edge = |before: bool, after: bool| {
            Tree::Sequence(vec![look(Direction::Behind, !before), look(Direction::Ahead, !after)])
        };
        if is_negated {
            Tree::Choice(vec![edge(true, true), edge(false, false)])
        } else {
            Tree::Choice(vec![edge(true, false), edge(false, true)])
        }
    }

    /// `<name>`.
    fn name(&mut self) -> Option<String> {
        if !self.skip("<") {
            return None;
        }
        let length = self.text[self.at..].iter().position(|c| *c == '>')?;
        let name = self.text[self.at..self.at + length].iter().collect();
        self.at += length + 1;
        Some(name)
    }

    fn group(&mut self, start: usize) -> Result<Tree, ParseError> {
        if self.depth == MAX_DEPTH {
            return Err(ParseError::TooComplex(format!("groups are nested deeper than {MAX_DEPTH}")));
        }
        let outer = self.flags;
        self.depth += 1;
        let tree = self.group_body(start)?;
        self.depth -= 1;
        if let Some(tree) = tree {
            self.flags = outer;
            if !self.skip(")") {
                return Err(ParseError::Bad(format!("unclosed group at offset {start}")));
            }
            return Ok(tree);
        }
        Ok(Tree::empty())
    }

    /// What stands between the parentheses; `None` for a bare flag setting, which is already closed.
    fn group_body(&mut self, start: usize) -> Result<Option<Tree>, ParseError> {
        let looks = [
            ("?=", Direction::Ahead, false),
            ("?!", Direction::Ahead, true),
            ("?<=", Direction::Behind, false),
            ("?<!", Direction::Behind, true),
        ];
        for (mark, direction, is_negated) in looks {
            if self.skip(mark) {
                self.seen.look_around = true;
                let tree = Box::new(self.choice()?);
                return Ok(Some(Tree::Look { direction, is_negated, tree }));
            }
        }
        if self.skip("?:") {
            return self.choice().map(Some);
        }
        if self.skip("?>") {
            self.is_approximate = true;
            return self.choice().map(Some);
        }
        if self.peek() != Some('?') || self.skip("?P<") || self.skip("?<") {
            if self.text.get(self.at.wrapping_sub(1)) == Some(&'<') && self.at > start + 1 {
                self.at -= 1;
                self.name().ok_or_else(|| format!("unclosed group name at offset {start}"))?;
            }
            self.n_groups += 1;
            let number = self.n_groups;
            let tree = Box::new(self.choice()?);
            return Ok(Some(Tree::Group { number, tree }));
        }
        self.at += 1;
        self.flag_setting(start)?;
        if self.skip(")") {
            return Ok(None);
        }
        self.at += 1;
        self.choice().map(Some)
    }

    /// `i`, `s`, `m` and `u`, on or off, up to the `:` or `)` that ends them.
    fn flag_setting(&mut self, start: usize) -> Result<(), ParseError> {
        let mut is_on = true;
        loop {
            match self.peek() {
                Some(':' | ')') => return Ok(()),
                Some('-') => is_on = false,
                Some('i') => {
                    self.flags.ignore_case = is_on;
                    self.seen.ignored_case |= is_on;
                }
                Some('s') => self.flags.dot_all = is_on,
                Some('m') => self.flags.multi_line = is_on,
                Some('u') => {}
                _ => return Err(ParseError::Bad(format!("a group of unknown kind at offset {start}"))),
            }
            self.at += 1;
        }
    }
}

/// `^` or `$` where lines count: an edge of the text, or a line feed beyond it.
fn line_edge(direction: Direction) -> Tree {
    let edge = if direction == Direction::Behind { Tree::Start } else { Tree::End };
    let look =
        Tree::Look { direction, is_negated: false, tree: Box::new(Tree::Class(set_of(&[('\n', '\n')]))) };
    Tree::Choice(vec![edge, look])
}

/// The bounds in `{n}`, `{n,}` or `{n,m}` and how many characters they take; `None` when it is no quantifier.
fn braces(text: &[char]) -> Option<((u32, Option<u32>), usize)> {
    let end = text.iter().position(|c| *c == '}')?;
    let inside: String = text[1..end].iter().collect();
    let number = |digits: &str| -> Option<u32> {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(u32::MAX))
    };
    let bounds = match inside.split_once(',') {
        None => (number(&inside)?, Some(number(&inside)?)),
        Some((min, "")) => (number(min)?, None),
        Some((min, max)) => (number(min)?, Some(number(max)?)),
    };
    Some((bounds, end + 1))
}
