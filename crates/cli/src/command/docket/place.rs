//! The line of a text on which the value at a JSON Pointer stands.
//!
//! The text was read before, so only its shape is looked at. Where a step of the pointer is not found, the line of the last
//! one that was is the answer: a fault is then shown a little too far out, never in a wrong place.

use std::path::Path;

/// The line, counted from 1; `text` is JSON, or YAML in blocks.
pub(crate) fn line_of(path: &Path, text: &str, pointer: &str) -> usize {
    let (_, inside) = pointer.split_once('#').unwrap_or(("", pointer));
    let steps: Vec<String> =
        inside.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    if is_yaml && !text.trim_start().starts_with(['{', '[']) {
        return yaml_line(text, &steps);
    }
    let mut scan = Scan { text, at: 0, best: 0 };
    scan.follow(&steps);
    text[..scan.best.min(text.len())].matches('\n').count() + 1
}

/// A place in a JSON text.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// The deepest place that was found.
    best: usize,
}

impl Scan<'_> {
    fn follow(&mut self, steps: &[String]) {
        self.space();
        self.best = self.at;
        let Some((step, rest)) = steps.split_first() else { return };
        let is_object = match self.peek() {
            Some(b'{') => true,
            Some(b'[') => false,
            Some(_) | None => return,
        };
        self.at += 1;
        let mut index = 0_usize;
        loop {
            self.space();
            let name = match self.peek() {
                Some(b'"') if is_object => {
                    let name = self.string();
                    self.space();
                    self.at += 1;
                    name
                }
                None | Some(b'}' | b']') => return,
                Some(_) => index.to_string(),
            };
            self.space();
            if name == *step {
                return self.follow(rest);
            }
            self.skip();
            self.space();
            if self.peek() != Some(b',') {
                return;
            }
            self.at += 1;
            index += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Reads a string from its first quote to its last.
    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += 1 + usize::from(byte == b'\\');
            if byte == b'"' {
                break;
            }
        }
        self.text.get(start..self.at).and_then(|quoted| serde_json::from_str(quoted).ok()).unwrap_or_default()
    }

    /// Passes over a value.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.string();
                    if depth == 0 {
                        return;
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' | b',' if depth == 0 => return,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// Follows keys and list items by how far lines are set in.
fn yaml_line(text: &str, steps: &[String]) -> usize {
    let lines: Vec<(usize, usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at, line.len() - line.trim_start().len(), line.trim()))
        .filter(|(_, _, line)| !line.is_empty() && !line.starts_with('#') && !line.starts_with("---"))
        .collect();
    let (mut from, mut to, mut best) = (0, lines.len(), 0);
    for step in steps {
        let Some(indent) = lines[from..to].first().map(|(_, indent, _)| *indent) else { break };
        let mut n_items = 0_usize;
        let found = (from..to).find(|at| {
            let (_, here, line) = lines[*at];
            if here != indent {
                return false;
            }
            if line.starts_with("- ") || line == "-" {
                n_items += 1;
                return (n_items - 1).to_string() == *step;
            }
            let quotes = [step.clone(), format!("\"{step}\""), format!("'{step}'")];
            quotes.iter().any(|key| {
                line.strip_prefix(key.as_str()).is_some_and(|rest| rest.trim_start().starts_with(':'))
            })
        });
        let Some(at) = found else { break };
        best = lines[at].0;
        let is_below = |line: &(usize, usize, &str)| {
            line.1 > indent || (line.1 == indent && line.2.starts_with("- ") && !lines[at].2.starts_with('-'))
        };
        (from, to) = (at + 1, at + 1 + lines[at + 1..to].iter().take_while(|line| is_below(line)).count());
    }
    best + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, places: &[(&str, usize)]) {
        for (pointer, line) in places {
            assert_eq!(line_of(Path::new(name), text, pointer), *line, "{pointer}");
        }
    }

    #[test]
    fn the_line_of_a_place_in_json_is_found() {
        let text = "{\n  \"a\": [1,\n    {\"b\\\"c\": \"x, }\",\n     \"d\": {}}],\n  \"e/f\": 2\n}\n";
        check(
            "x.json",
            text,
            &[("#", 1), ("#/a", 2), ("#/a/0", 2), ("#/a/1", 3), ("#/a/1/d", 4), ("#/e~1f", 5)],
        );
        check("x.json", text, &[("#/a/7", 2), ("#/nothing", 1), ("#/e~1f/deep", 5)]);
        check("x.json", "", &[("#/a", 1)]);
    }

    #[test]
    fn the_line_of_a_place_in_yaml_is_found_as_far_as_blocks_go() {
        let text = "# c\na:\n  - x: 1\n    y: 2\n  - z: 3\n\"/p\":\n  get: {q: 1}\nlist:\n- one\n- two\n";
        check(
            "x.yaml",
            text,
            &[("#/a", 2), ("#/a/1", 5), ("#/~1p/get", 7), ("#/~1p/get/q", 7), ("#/list/1", 10)],
        );
        check("x.yaml", "{\"a\":\n 1}", &[("#/a", 2)]);
    }
}
