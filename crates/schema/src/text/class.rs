//! Sets of code points: escapes, brackets and Unicode properties, with the meaning ECMA-262 gives them.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use crate::text::tree::set_of;

/// White space and line ends of ECMA-262, which are not quite those of Unicode.
const SPACE: &[(char, char)] = &[
    ('\t', '\r'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{feff}', '\u{feff}'),
];

/// What `\w` means.
pub(crate) fn word() -> ClassUnicode {
    set_of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')])
}

/// What `.` means: anything but a line end.
pub(crate) fn dot() -> ClassUnicode {
    negated(set_of(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')]))
}

/// Reads the rest of a bracketed class after its `[`; says too whether it holds a class escape.
pub(crate) fn bracketed(text: &[char], at: &mut usize) -> Result<(ClassUnicode, bool), String> {
    let start = *at;
    let unclosed = || format!("unclosed class at offset {}", start.saturating_sub(1));
    let is_negated = text.get(*at) == Some(&'^');
    *at += usize::from(is_negated);
    let mut set = ClassUnicode::empty();
    let mut has_escape = false;
    loop {
        if *text.get(*at).ok_or_else(unclosed)? == ']' {
            *at += 1;
            break;
        }
        let (low, is_class) = member(text, at)?;
        has_escape |= is_class;
        let is_range = text.get(*at) == Some(&'-') && !matches!(text.get(*at + 1), None | Some(']'));
        if !is_range || is_class {
            set.union(&low);
            continue;
        }
        *at += 1;
        let (high, is_class) = member(text, at)?;
        has_escape |= is_class;
        match (single(&low), single(&high)) {
            (Some(low), Some(high)) if low <= high => {
                set.push(ClassUnicodeRange::new(low, high));
            }
            (Some(_), Some(_)) => return Err(format!("a range out of order before offset {}", *at)),
            // `[a-\d]` outside `u` mode, and half of a surrogate pair: take the parts as they are.
            _ => {
                set.union(&low);
                set.union(&set_of(&[('-', '-')]));
                set.union(&high);
            }
        }
    }
    Ok((if is_negated { negated(set) } else { set }, has_escape))
}

/// One member of a bracketed class.
fn member(text: &[char], at: &mut usize) -> Result<(ClassUnicode, bool), String> {
    let c = *text.get(*at).ok_or("the pattern ends inside a class")?;
    *at += 1;
    match (c, text.get(*at)) {
        // Inside brackets `\b` is the backspace.
        ('\\', Some('b')) => {
            *at += 1;
            Ok((one('\u{8}'), false))
        }
        ('\\', Some('B' | '-')) => {
            *at += 1;
            Ok((one(text[*at - 1]), false))
        }
        ('\\', _) => escaped(text, at),
        (literal, _) => Ok((one(literal), false)),
    }
}

/// Reads an escape after its backslash; says too whether it names a whole class.
pub(crate) fn escaped(text: &[char], at: &mut usize) -> Result<(ClassUnicode, bool), String> {
    let c = *text.get(*at).ok_or("the pattern ends with a backslash")?;
    *at += 1;
    let set = match c {
        'd' | 'D' => return Ok((maybe_negated(set_of(&[('0', '9')]), c == 'D'), true)),
        'w' | 'W' => return Ok((maybe_negated(word(), c == 'W'), true)),
        's' | 'S' => return Ok((maybe_negated(set_of(SPACE), c == 'S'), true)),
        'p' | 'P' => return property(text, at, c == 'P').map(|set| (set, true)),
        't' => one('\t'),
        'n' => one('\n'),
        'v' => one('\u{b}'),
        'f' => one('\u{c}'),
        'r' => one('\r'),
        'a' => one('\u{7}'),
        'e' => one('\u{1b}'),
        '0' => one('\0'),
        'c' => {
            let letter = text.get(*at).filter(|c| c.is_ascii_alphabetic());
            let letter = letter.ok_or_else(|| format!("a letter is missing at offset {}", *at))?;
            *at += 1;
            one(char::from(u8::try_from(u32::from(*letter) % 32).expect("a remainder of 32 is a byte")))
        }
        'x' => hexadecimal(text, at, 2)?.map_or_else(|| one('x'), code_point),
        'u' => unicode(text, at)?,
        c if c.is_ascii_alphanumeric() => {
            return Err(format!("unknown escape \"\\{c}\" before offset {}", *at));
        }
        literal => one(literal),
    };
    Ok((set, false))
}

/// `\uHHHH`, `\u{H..}`, or two of the first that make up a surrogate pair.
fn unicode(text: &[char], at: &mut usize) -> Result<ClassUnicode, String> {
    let Some(unit) = hexadecimal(text, at, 4)? else { return Ok(one('u')) };
    let is_pair_start = (0xD800..0xDC00).contains(&unit);
    if is_pair_start && text.get(*at) == Some(&'\\') && text.get(*at + 1) == Some(&'u') {
        let mut after = *at + 2;
        if let Some(low) = hexadecimal(text, &mut after, 4)?.filter(|low| (0xDC00..0xE000).contains(low)) {
            *at = after;
            return Ok(code_point(0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00)));
        }
    }
    Ok(code_point(unit))
}

/// A number in braces or of exactly `n_digits` digits; `None` when there is neither.
fn hexadecimal(text: &[char], at: &mut usize, n_digits: usize) -> Result<Option<u32>, String> {
    let (digits, length): (String, usize) = if text.get(*at) == Some(&'{') {
        let end = text[*at..].iter().position(|c| *c == '}');
        let end = end.ok_or_else(|| format!("an unclosed brace at offset {}", *at))?;
        (text[*at + 1..*at + end].iter().collect(), end + 1)
    } else if text.len() - *at >= n_digits {
        (text[*at..*at + n_digits].iter().collect(), n_digits)
    } else {
        return Ok(None);
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return Ok(None);
    }
    *at += length;
    Ok(u32::from_str_radix(&digits, 16).ok())
}

/// `\p{Name}` or `\p{Name=Value}`, and the one-letter `\pL` that one judge takes.
fn property(text: &[char], at: &mut usize, is_negated: bool) -> Result<ClassUnicode, String> {
    let start = *at;
    let end = match text.get(*at) {
        Some('{') => text[*at..].iter().position(|c| *c == '}').map(|end| *at + end + 1),
        Some(_) => Some(*at + 1),
        None => None,
    };
    let end = end.ok_or_else(|| format!("an unclosed property at offset {start}"))?;
    let name: String = text[start..end].iter().collect();
    *at = end;
    let name = match name.as_str() {
        "{Any}" => return Ok(maybe_negated(set_of(&[('\0', char::MAX)]), is_negated)),
        "{ASCII}" => return Ok(maybe_negated(set_of(&[('\0', '\u{7f}')]), is_negated)),
        "{Assigned}" => return property(&['{', 'C', 'n', '}'], &mut 0, !is_negated),
        _ => name,
    };
    let letter = if is_negated { 'P' } else { 'p' };
    let hir = regex_syntax::parse(&format!("\\{letter}{name}"))
        .map_err(|_| format!("unknown property {name} at offset {start}"))?;
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(set)) => Ok(set),
        HirKind::Literal(literal) => {
            let only = std::str::from_utf8(&literal.0).ok().and_then(|text| text.chars().next());
            Ok(only.map_or_else(ClassUnicode::empty, one))
        }
        _ => Ok(ClassUnicode::empty()),
    }
}

fn one(c: char) -> ClassUnicode {
    set_of(&[(c, c)])
}

/// A code point by number; a lone surrogate is in no text, so its set is empty.
fn code_point(number: u32) -> ClassUnicode {
    char::from_u32(number).map_or_else(ClassUnicode::empty, one)
}

fn single(set: &ClassUnicode) -> Option<char> {
    match set.ranges() {
        [range] if range.start() == range.end() => Some(range.start()),
        _ => None,
    }
}

fn negated(mut set: ClassUnicode) -> ClassUnicode {
    set.negate();
    set
}

fn maybe_negated(set: ClassUnicode, is_negated: bool) -> ClassUnicode {
    if is_negated { negated(set) } else { set }
}
