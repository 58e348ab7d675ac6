//! Inside a crate a module uses only what is declared above it: the `mod` lines are the order of reading.
//!
//! The same holds inside a room that is a folder, by the `mod` lines of its own file. A module's tests may use anything.

use crate::tidy::Breach;
use crate::tidy::rust;
use crate::tidy::tree::{File, Tree};

/// Every path that leads downwards, and every use of a crate's own re-exports.
#[must_use]
pub fn run(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for root in tree.files.iter().filter(|file| is_root(&file.path)) {
        let source = root.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let prefix = format!("{source}/");
        let modules: Vec<Module> = tree
            .files
            .iter()
            .filter(|file| file.path.starts_with(&prefix) && file.is_rust())
            .map(|file| Module::read(source, file))
            .collect();
        for module in &modules {
            if is_declared(&module.place, &modules) {
                judge(module, &modules, &root.path, &mut breaches);
            }
        }
    }
    breaches.sort();
    breaches.dedup();
    breaches
}

fn is_root(path: &str) -> bool {
    path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs")
}

/// A source file as a module.
struct Module {
    path: String,
    /// The names that lead to it from the crate's root; none for the root itself.
    place: Vec<String>,
    /// The modules it declares, in its order, those for tests left out.
    declared: Vec<String>,
    /// Every path into its own crate, from the root, with its line.
    uses: Vec<(usize, Vec<String>)>,
}

impl Module {
    fn read(source: &str, file: &File) -> Self {
        let inside = file.path.strip_prefix(source).unwrap_or(&file.path).trim_start_matches('/');
        let stem = inside.trim_end_matches(".rs").trim_end_matches("/mod");
        let place: Vec<String> = match stem {
            "lib" | "main" | "mod" => Vec::new(),
            stem => stem.split('/').map(str::to_owned).collect(),
        };
        let blanked = rust::code(&file.text);
        let product = rust::without_tests(&blanked);
        let uses = uses(product, &place);
        Self { path: file.path.clone(), place, declared: declared(product), uses }
    }
}

/// The modules a source declares with `mod name;`, in order, those behind `#[cfg(test)]` left out.
fn declared(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_for_tests = false;
    for line in code.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let after =
            line.split_once("mod ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"));
        match after.and_then(|(_, rest)| rest.strip_suffix(';')) {
            Some(name) if !is_for_tests => names.push(name.trim().to_owned()),
            _ => {}
        }
        is_for_tests = line == "#[cfg(test)]";
    }
    names
}

/// Whether every name on the way to a place is declared; a module that is only there for tests is not.
fn is_declared(place: &[String], modules: &[Module]) -> bool {
    (0..place.len()).all(|depth| {
        let parent = modules.iter().find(|module| module.place == place[..depth]);
        parent.is_some_and(|parent| parent.declared.contains(&place[depth]))
    })
}

/// Every path that starts with `crate::`, `super::` or `self::`, seen from the crate's root.
fn uses(code: &str, place: &[String]) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for (start, base) in [("crate::", 0), ("super::", place.len().saturating_sub(1)), ("self::", place.len())]
    {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            // `$crate` in a macro, the middle of a path (`super::super`), or the end of another word.
            if before.is_some_and(|letter| letter.is_alphanumeric() || "$_:".contains(letter)) {
                continue;
            }
            let mut rest = &code[at + start.len()..];
            let mut base = base;
            while let Some(upper) = rest.strip_prefix("super::") {
                (rest, base) = (upper, base.saturating_sub(1));
            }
            let line = code[..at].matches('\n').count() + 1;
            let mut names = Vec::new();
            branches(rest, &place[..base.min(place.len())], &mut names);
            found.extend(names.into_iter().map(|name| (line, name)));
        }
    }
    found
}

/// The paths of a use tree such as `a::{b, c::D}`, each after the names that lead to it; returns what follows.
fn branches<'a>(tree: &'a str, above: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let tree = tree.trim_start();
    if let Some(mut rest) = tree.strip_prefix('{') {
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('}') {
                return after;
            }
            let after = branches(rest, above, found).trim_start();
            let after = after.find([',', '}']).map_or("", |at| &after[at..]);
            rest = after.strip_prefix(',').unwrap_or(after);
            if rest.is_empty() {
                return rest;
            }
        }
    }
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let end = tree.find(|letter| !is_name(letter)).unwrap_or(tree.len());
    let (name, rest) = tree.split_at(end);
    let mut place = above.to_vec();
    if rest.starts_with('!') {
        return rest; // A macro is known everywhere, whatever the order.
    }
    place.push(name.to_owned());
    match rest.strip_prefix("::") {
        // A path that goes on in angle brackets (`a::<B>`) has ended for our purpose.
        Some(deeper) if deeper.trim_start().starts_with(|letter| is_name(letter) || letter == '{') => {
            branches(deeper, &place, found)
        }
        _ => {
            found.push(place);
            rest
        }
    }
}

fn judge(module: &Module, modules: &[Module], root: &str, breaches: &mut Vec<Breach>) {
    for (line, target) in &module.uses {
        let n_shared = module.place.iter().zip(target).take_while(|(left, right)| left == right).count();
        let (Some(own), Some(other)) = (module.place.get(n_shared), target.get(n_shared)) else {
            continue; // Its own parent's items, or its own children.
        };
        let parent = modules.iter().find(|module| module.place == target[..n_shared]);
        let Some(parent) = parent else { continue };
        let position = |name: &String| parent.declared.iter().position(|declared| declared == name);
        let mut breach = |message| breaches.push(Breach { path: module.path.clone(), line: *line, message });
        match (position(own), position(other)) {
            (Some(here), Some(there)) if there > here => breach(format!(
                "{own} uses {other}, which {} declares below it; declare {other} first, or move what both need upwards",
                parent.path
            )),
            // A program's modules may use what stands in its main file.
            (Some(_), None) if n_shared == 0 && root.ends_with("/lib.rs") => {
                breach(format!("crate::{other} is a re-export for outsiders; name the module it lives in"));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let paths: Vec<String> = files.iter().map(|(path, _)| format!("crates/x/src/{path}")).collect();
        let files: Vec<(&str, &str)> =
            paths.iter().zip(files).map(|(path, (_, text))| (path.as_str(), *text)).collect();
        crate::tidy::check(run, &files, expected);
    }

    const ROOT: (&str, &str) =
        ("lib.rs", "mod gene;\npub mod pool;\npub(crate) mod check;\npub use gene::Gene;\n");

    #[test]
    fn a_module_may_use_what_stands_above_it() {
        check(&[ROOT, ("check.rs", "use crate::gene::Gene;\nuse crate::{gene, pool::Pool};\n")], &[]);
        check(&[ROOT, ("gene.rs", "// crate::check\nlet a = \"crate::check\";\n$crate::check::x()\n")], &[]);
        check(&[ROOT, ("gene.rs", "#[cfg(test)]\nmod tests {\n    use crate::check::run;\n}\n")], &[]);
    }

    #[test]
    fn a_path_downwards_is_a_breach_however_it_is_written() {
        let below = |line: usize, name: &str| {
            format!(
                "crates/x/src/gene.rs:{line}: gene uses {name}, which crates/x/src/lib.rs declares below it; \
                 declare {name} first, or move what both need upwards"
            )
        };
        for source in [
            "use crate::check::run;",
            "crate::check::run()",
            "use super::check;",
            "use crate::{\n pool as p,\n check::{A, B}};",
        ] {
            let names: &[&str] = if source.contains("pool") { &["check", "pool"] } else { &["check"] };
            let expected: Vec<String> = names.iter().map(|name| below(1, name)).collect();
            check(&[ROOT, ("gene.rs", source)], &expected.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_re_export_is_for_outsiders_and_a_macro_for_everyone() {
        let expected =
            "crates/x/src/pool.rs:2: crate::Gene is a re-export for outsiders; name the module it lives in";
        check(&[ROOT, ("pool.rs", "\nuse crate::Gene;\n")], &[expected]);
        check(&[ROOT, ("pool.rs", "crate::gene_of!(1)")], &[]);
    }

    #[test]
    fn a_folder_belongs_to_its_room_and_has_an_order_of_its_own() {
        let files = |plan| [ROOT, ("check/mod.rs", "mod plan;\nmod report;\n"), ("check/plan.rs", plan)];
        check(&files("use crate::pool::Pool;\nuse super::Shared;\nuse crate::check::Shared;\n"), &[]);
        let expected = "crates/x/src/check/plan.rs:1: plan uses report, which crates/x/src/check/mod.rs declares below it; \
                        declare report first, or move what both need upwards";
        check(&files("use super::report::Report;"), &[expected]);
        check(&files("use crate::check::report::Report;"), &[expected]);
    }
}
