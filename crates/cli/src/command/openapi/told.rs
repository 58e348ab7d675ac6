//! What is told about a description: each problem once, with its file and every operation that it touches.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use probity_schema::coverage::CoverageReport;
use probity_schema::openapi::{Problem, ProblemKind};

use crate::args::openapi::OpenapiArgs;
use crate::command::docket::{Docket, Fault, Item, Place, Rule, Weight, line_of};
use crate::command::report::{self, Covered};
use crate::config::openapi::Openapi;
use crate::config::shown;
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

/// Operations that are named where nothing is wrong with any of them.
const MOST_NAMED: usize = 6;

/// What was told so far.
pub(super) struct Told<'a> {
    pub(super) args: &'a OpenapiArgs,
    pub(super) config: &'a Openapi,
    pub(super) console: &'a Console,
    seen: BTreeSet<(String, String, Option<String>)>,
    problems: Vec<Problem>,
    coverage: Option<CoverageReport>,
}

impl<'a> Told<'a> {
    pub(super) fn new(args: &'a OpenapiArgs, config: &'a Openapi, console: &'a Console) -> Self {
        Self { args, config, console, seen: BTreeSet::new(), problems: Vec::new(), coverage: None }
    }

    /// Tells what is new; when the user wants nothing broken, all but mere asides are errors, and the first ends the run.
    pub(super) fn tell<'p>(
        &mut self,
        problems: impl IntoIterator<Item = &'p Problem>,
    ) -> Result<(), Trouble> {
        let seen = &mut self.seen;
        let is_new = |one: &&Problem| seen.insert((one.at.clone(), one.text.clone(), one.operation.clone()));
        let from = self.problems.len();
        self.problems.extend(problems.into_iter().filter(is_new).cloned());
        let groups = grouped(&self.problems[from..]);
        let (asides, wrong): (Vec<&Group<'_>>, Vec<&Group<'_>>) =
            groups.iter().partition(|group| group.first().kind == ProblemKind::Aside);
        let line = |group: &&Group<'_>| {
            let (file, at) = self.whereabouts(&group.first().at);
            format!("{file}: {}", group.line(at))
        };
        let lines = |groups: &[&Group<'_>]| groups.iter().map(line).collect::<Vec<String>>();
        match lines(&wrong).split_first() {
            Some((first, rest)) if self.args.strict => {
                for line in rest {
                    self.console.error(line);
                }
                return Err(Trouble::misused(first));
            }
            Some(_) => self.console.notes(&lines(&wrong)),
            None => {}
        }
        self.console.notes(&lines(&asides));
        Ok(())
    }

    /// Tells what looks misspelt, which is never an error.
    pub(super) fn doubt(&self, doubts: &[Problem]) {
        let line = |doubt: &Problem| {
            let (file, at) = self.whereabouts(&doubt.at);
            format!("{file}: at {at}: {}", doubt.text)
        };
        self.console.notes(&doubts.iter().map(line).collect::<Vec<_>>());
    }

    /// Tells what was covered, and keeps it for what CI reads.
    pub(super) fn cover(&mut self, covered: Covered<'_>) -> Result<Outcome, Trouble> {
        let (judged, report) =
            report::tell(&self.args.coverage, &self.config.coverage, covered, self.console)?;
        self.coverage = Some(report);
        Ok(judged)
    }

    /// What was told of an operation, but for asides.
    pub(super) fn faults_of(&self, key: &str) -> impl Iterator<Item = String> {
        let own = self.problems.iter().filter(move |one| one.operation.as_deref() == Some(key));
        let own = own.filter(|one| one.kind != ProblemKind::Aside);
        own.map(|problem| format!("at {}: {}", problem.at, problem.text))
    }

    /// Every operation with what is wrong about it, and the document as a whole.
    pub(super) fn docket(&self) -> Docket {
        let mut docket = Docket::new(format!("probity openapi {}", self.args.spec.display()));
        let mut faults: BTreeMap<Option<String>, Vec<Fault>> = BTreeMap::new();
        let mut texts = BTreeMap::new();
        for group in grouped(&self.problems) {
            for problem in &group.problems {
                let fault = self.fault(&group, problem, &mut texts);
                faults.entry(problem.operation.clone()).or_default().push(fault);
            }
        }
        let mut item = |key: Option<String>| Item {
            faults: faults.remove(&key).unwrap_or_default(),
            name: key.unwrap_or_else(|| "the document".to_owned()),
        };
        docket.items.push(item(None));
        for at in &self.config.operations {
            docket.items.push(item(Some(self.config.api.operations()[*at].key.clone())));
        }
        if let Some(report) = &self.coverage {
            docket.cover(report);
        }
        docket
    }

    fn fault(&self, group: &Group<'_>, problem: &Problem, texts: &mut BTreeMap<PathBuf, String>) -> Fault {
        let (code, about, mild) = meaning(problem.kind);
        let is_aside = problem.kind == ProblemKind::Aside;
        let file = self.file_of(&problem.at).filter(|_| !is_aside);
        let place = file.map(|file| {
            let read = || std::fs::read_to_string(file).unwrap_or_default();
            let text = texts.entry(file.to_path_buf()).or_insert_with(read);
            Place {
                file: file.to_path_buf(),
                line: line_of(file, text, &problem.at),
                pointer: pointer_of(&problem.at).to_owned(),
            }
        });
        Fault {
            rule: Rule::new(code, about),
            weight: if self.args.strict && !is_aside { Weight::Failure } else { mild },
            message: if is_aside { problem.to_string() } else { group.line(&problem.at) },
            place,
        }
    }

    /// The file that a problem lies in, and the place in it; where no file is known, the address in front says it.
    fn whereabouts<'p>(&self, at: &'p str) -> (String, &'p str) {
        match self.file_of(at) {
            Some(file) => (shown(file), pointer_of(at)),
            None => (shown(&self.args.spec), at),
        }
    }

    /// The file of a place: the description, or a document that was supplied.
    fn file_of(&self, at: &str) -> Option<&Path> {
        match at.split_once('#') {
            Some(("", _)) => Some(&self.args.spec),
            Some((address, _)) => self.config.files.get(address).map(PathBuf::as_path),
            None => None,
        }
    }
}

fn pointer_of(at: &str) -> &str {
    at.find('#').map_or(at, |hash| &at[hash..])
}

/// What a kind of problem is called, what that means, and how much it weighs where broken parts are allowed.
fn meaning(kind: ProblemKind) -> (&'static str, &'static str, Weight) {
    let unmade = ("part-not-made", "A part of the document is right, and no data is made for it");
    match kind {
        ProblemKind::Broken => ("broken-part", "A part of the document cannot be used", Weight::Skip),
        ProblemKind::Mended => (
            "mended-part",
            "A part of the document is wrong and read as it was probably meant",
            Weight::Remark,
        ),
        ProblemKind::Unmade => (unmade.0, unmade.1, Weight::Skip),
        ProblemKind::Aside => (unmade.0, unmade.1, Weight::Aside),
    }
}

/// One problem of several operations.
struct Group<'p> {
    problems: Vec<&'p Problem>,
}

impl Group<'_> {
    fn first(&self) -> &Problem {
        self.problems[0]
    }

    /// The problem with all operations that it touches, and where it stands unless that is in several places.
    fn line(&self, at: &str) -> String {
        let Problem { text, kind, .. } = self.first();
        let mut keys: Vec<&str> = self.problems.iter().filter_map(|one| one.operation.as_deref()).collect();
        keys.dedup();
        let n_named = if *kind == ProblemKind::Aside { MOST_NAMED } else { keys.len() };
        let some = keys.iter().take(n_named).copied().collect::<Vec<_>>().join(", ");
        let names = match keys.len().saturating_sub(n_named) {
            _ if keys.is_empty() => String::new(),
            0 => format!("{some}: "),
            n_more => format!("{some} and {n_more} more: "),
        };
        let is_one_place = self.problems.iter().all(|one| one.at == self.first().at);
        if is_one_place { format!("{names}at {at}: {text}") } else { format!("{names}{text}") }
    }
}

/// What is wrong in one place is told once; an aside once for each document, wherever in it that stands.
fn grouped(problems: &[Problem]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known = BTreeMap::new();
    for problem in problems {
        let at = problem.at.as_str();
        let at = if problem.kind == ProblemKind::Aside { at.split('#').next().unwrap_or(at) } else { at };
        let group = *known.entry((problem.kind, at, problem.text.as_str())).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.problems.push(problem),
            None => groups.push(Group { problems: vec![problem] }),
        }
    }
    groups
}
