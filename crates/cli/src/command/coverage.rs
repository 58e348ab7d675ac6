//! `probity coverage`: what existing instances cover, what changed between reports, and reports united.

mod pile;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use probity_schema::coverage::{
    CoverageMode, CoverageReport, CoverageStatus, Incompatible, Invalid, PageFacts, RunFacts, StatusChange,
    TargetReport, Thresholds, analyze, counted, describe, diff, html, measure, merge, percent, place,
    prove_missed, read_report,
};
use probity_schema::{Contract, Limits, Oracles, Source, SourceError, Violation};
use serde_json::Value;

use crate::args::{CoverageCommand, DiffArgs, MeasureArgs, MergeArgs};
use crate::command::coverage::pile::{Pile, is_lines};
use crate::command::docket::{Docket, Fault, Item, Place, Rule, Weight, line_of};
use crate::command::goal::{check, is_output};
use crate::command::report::{Covered, Given, Start, TITLE, as_text, judged, show, tell, title_of};
use crate::command::sheet::{write_file, write_json};
use crate::config::{ContractFile, Coverage, LEAST, in_file, least, not_a_schema, read_text, shown};
use crate::console::Console;
use crate::exit_code::{Outcome, Trouble};

/// Invalid instances told in full.
const MOST_INVALID: usize = 10;
/// Violations of one instance told in full.
const MOST_FAULTS: usize = 10;

pub(crate) fn run(command: &CoverageCommand, console: &Console) -> Result<Outcome, Trouble> {
    match command {
        CoverageCommand::Measure(args) => run_measure(args, console),
        CoverageCommand::Diff(args) => run_diff(args, console),
        CoverageCommand::Merge(args) => run_merge(args, console),
    }
}

fn run_measure(args: &MeasureArgs, console: &Console) -> Result<Outcome, Trouble> {
    let start = Start::now();
    let sarif = [("--sarif", args.sarif.as_deref())];
    let goals = [&sarif[..], &args.coverage.goals(), &args.outcome.goals()].concat();
    let inputs: Vec<&Path> = args.files.iter().chain([&args.schema]).map(PathBuf::as_path).collect();
    check(&goals, &inputs)?;
    let config = Coverage::of(&args.coverage)?;
    let read = ContractFile::of(&args.schema, &args.contract, Limits::default())?;
    console.notes(&read.left_out);
    let wrong = |error: &dyn std::fmt::Display| in_file(&args.schema, error);
    if let Some(hint) = not_a_schema(read.document.root()) {
        return Err(wrong(&format!("{hint}; name a JSON Schema first, then the files to judge")));
    }
    let contract = Contract::of(&read.document).map_err(|error| wrong(&error))?;
    console.odd(&shown(&args.schema), contract.notes());
    let oracles = Oracles::of(&read.document, read.options.formats).map_err(|error| wrong(&error))?;
    let oracle = oracles.root().map_err(|error| wrong(&error))?;
    let pile = Pile::of(&args.files)?;
    console.notes(&pile.lists(&oracle));
    let Pile { names, instances, mut broken } = pile;
    let title = title_of(read.document.root());
    let mut universe = analyze(&contract, &config.dimensions);
    let read_names: BTreeMap<u64, String> =
        (0..).zip(instances.iter().map(|named| named.name.clone())).collect();
    let all: BTreeMap<u64, Value> = (0..).zip(instances.iter().map(|named| named.value.clone())).collect();
    let measured = measure(&contract, &oracles, &oracle, &universe, instances);
    if measured.n_valid == 0
        && let Err(error @ SourceError::Unsatisfiable { .. }) = Source::of(&read.document, &read.options)
    {
        return Err(wrong(&error));
    }
    let (formats, n_aims) = (read.options.formats, config.profile.budget.n_aims);
    let proven = prove_missed(&read.document, &contract, formats, &mut universe, &measured.hits, n_aims);
    let n_invalid = measured.invalid.len() + broken.len();
    for (name, fault) in broken.iter().take(MOST_INVALID) {
        console.say(&format!("{name}: {}", fault.message));
    }
    let mut found: BTreeMap<&str, Vec<Fault>> =
        measured.invalid.iter().map(|invalid| (invalid.name.as_str(), faults(invalid))).collect();
    for invalid in measured.invalid.iter().take(MOST_INVALID.saturating_sub(broken.len())) {
        let faults = &found[invalid.name.as_str()];
        for Fault { message, place, .. } in faults.iter().take(MOST_FAULTS) {
            let place = place.as_ref().filter(|place| place.file.is_file());
            let at = place.map(|Place { file, line, .. }| format!("{}:{line}", file.display()));
            console.say(&format!("{}: {message}", at.as_ref().unwrap_or(&invalid.name)));
        }
        if faults.len() > MOST_FAULTS {
            let more = counted((faults.len() - MOST_FAULTS) as u64, "more violation");
            let least = if invalid.is_cut { "at least " } else { "" };
            console.say(&format!("{}: and {least}{more}", invalid.name));
        }
    }
    if n_invalid > MOST_INVALID {
        let more = (n_invalid - MOST_INVALID) as u64;
        console.say(&format!("and {}", counted(more, "more invalid instance")));
    }
    let n = names.len() as u64;
    let source = match (measured.n_valid, n) {
        (valid, n) if valid == n => format!("{} in {}", counted(n, "instance"), listed(&args.files)),
        (valid, n) => format!("{valid} valid of {} in {}", counted(n, "instance"), listed(&args.files)),
    };
    let facts = RunFacts {
        mode: CoverageMode::Measure,
        max_instances: n,
        actual_instances: measured.n_valid,
        notes: proven.note().into_iter().collect(),
        ..RunFacts::default()
    };
    let covered = Covered {
        universe: &universe,
        hits: &measured.hits,
        facts,
        title: &title,
        given: Some(Given { source: Some(source), names: read_names }),
        first: all,
        start,
    };
    let (outcome, report) = tell(&args.coverage, &config, covered, console)?;
    let mut docket = Docket::new(format!("probity coverage measure {}", args.schema.display()));
    for name in names {
        let faults = match broken.remove(&name) {
            Some(fault) => vec![fault],
            None => found.remove(name.as_str()).unwrap_or_default(),
        };
        docket.items.push(Item { name, faults });
    }
    docket.cover(&report);
    docket.write(&args.outcome, args.sarif.as_deref())?;
    Ok(if n_invalid == 0 { outcome } else { Outcome::Findings })
}

/// Names of files or folders told before the rest is only counted.
const MOST_NAMED: usize = 3;

fn listed(paths: &[PathBuf]) -> String {
    let mut names: Vec<String> =
        paths.iter().take(MOST_NAMED).map(|path| path.display().to_string()).collect();
    if paths.len() > MOST_NAMED {
        names.push(format!("{} more", paths.len() - MOST_NAMED));
    }
    names.join(", ")
}

/// What is wrong about an instance, each with its line.
fn faults(invalid: &Invalid) -> Vec<Fault> {
    // A line of a file with an instance per line is part of the name; a file with one instance is looked into.
    let by_line = invalid.name.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let by_line = by_line.filter(|(file, _)| is_lines(Path::new(file)));
    let file = PathBuf::from(by_line.map_or(invalid.name.as_str(), |(file, _)| file));
    // What is no file, such as a pipe, cannot be read again.
    let is_whole = by_line.is_none() && file.is_file();
    let text = if is_whole { std::fs::read_to_string(&file).unwrap_or_default() } else { String::new() };
    let fault = |violation: &Violation| {
        let pointer = violation.instance.to_string();
        let line = by_line.map_or_else(|| line_of(&file, &text, &pointer), |(_, line)| line);
        Fault {
            rule: Rule::new("invalid-instance", "An instance does not satisfy its schema"),
            weight: Weight::Failure,
            message: format!("at {pointer}: {}", violation.message),
            place: Some(Place { file: file.clone(), line, pointer }),
        }
    };
    invalid.violations.iter().map(fault).collect()
}

/// Why reports cannot be set beside each other, with the files instead of their positions.
fn by_file(error: &Incompatible, files: &[&Path]) -> Trouble {
    let at = |which: &str| match which {
        "A" => Some(0),
        "B" => Some(1),
        number => number.parse::<usize>().ok()?.checked_sub(1),
    };
    let file = |which: &str| at(which).and_then(|at| files.get(at)).copied();
    match error {
        Incompatible::Summary { which } => match file(which) {
            Some(file) => {
                in_file(file, &"this is a summary and lists no targets; make it with --report-mode full")
            }
            None => Trouble::misused(error.to_string()),
        },
        Incompatible::Contract { which, reason } => match file(which) {
            Some(file) => in_file(
                file,
                &format!(
                    "this is about another contract or other dimensions than {}: {reason}; unite reports of one contract only",
                    files[0].display()
                ),
            ),
            None => Trouble::misused(error.to_string()),
        },
        other => {
            let files: Vec<String> = files.iter().take(2).map(|file| file.display().to_string()).collect();
            Trouble::misused(format!("{}: {other}", files.join(" and ")))
        }
    }
}

/// Whether an error is about one of the reports alone.
fn names_one(error: &Incompatible) -> bool {
    matches!(error, Incompatible::Summary { .. } | Incompatible::Contract { .. })
}

/// Refuses a file that is named twice, and tells of files with the same report: its instances would count twice.
fn twins(reports: &[CoverageReport], files: &[&Path]) -> Result<Vec<String>, Trouble> {
    let mut notes = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, (report, file)) in reports.iter().zip(files).enumerate() {
        if !seen.insert(file.canonicalize().unwrap_or_else(|_| file.to_path_buf())) {
            return Err(in_file(file, &"this report is named twice; name each once"));
        }
        if let Some((_, other)) = reports[..at].iter().zip(files).find(|(other, _)| *other == report) {
            let (file, other) = (file.display(), other.display());
            notes.push(format!(
                "{file} and {other} are the same report, so that its instances are counted twice"
            ));
        }
    }
    Ok(notes)
}

fn read_coverage(path: &Path) -> Result<CoverageReport, Trouble> {
    read_report(&read_text(path)?).map_err(|error| in_file(path, &error))
}

/// Below which part of the smaller report the targets in both are few.
const FEW: usize = 4;

fn run_diff(args: &DiffArgs, console: &Console) -> Result<Outcome, Trouble> {
    let goals = [&[("--json", args.json.as_deref())][..], &args.outcome.goals()].concat();
    check(&goals, &[&args.before, &args.after])?;
    let (before, after) = (read_coverage(&args.before)?, read_coverage(&args.after)?);
    let changes = diff(&before, &after).map_err(|error| by_file(&error, &[&args.before, &args.after]))?;
    let n_both = changes.n_unchanged + changes.status_changed.len();
    let (n_before, n_after) = (before.targets.len(), after.targets.len());
    // Contracts that have nothing to do with each other still share their root.
    if n_both < n_before.min(n_after).div_ceil(FEW) {
        console.notes(&[format!(
            "{n_both} of {n_before} and {n_after} targets are in both: these seem to be reports of different contracts"
        )]);
    }
    if let Some(goal) = &args.json {
        write_json(goal, &changes)?;
    }
    if !args.json.as_deref().is_some_and(is_output) {
        let of = |change: &probity_schema::coverage::Change| {
            format!("{} -> {}", percent(change.before), percent(change.after))
        };
        console.heading(&format!("overall        {}  of the targets in both", of(&changes.overall)));
        if of(&changes.reported_overall) != of(&changes.overall) {
            let own = of(&changes.reported_overall);
            console.say(&format!("each by itself {own}  of all targets that the report has"));
        }
        for (name, change) in changes.by_dimension.iter().chain(&changes.by_operation) {
            console.say(&format!("{name:<14} {}", of(change)));
        }
        let lists = [
            ("no longer covered", &changes.newly_uncovered),
            ("new gaps", &changes.new_gaps),
            ("newly covered", &changes.newly_covered),
            ("added", &changes.added),
            ("removed", &changes.removed),
        ];
        for (title, targets) in lists.iter().filter(|(_, targets)| !targets.is_empty()) {
            console.heading(&format!("{title}: {}", targets.len()));
            for target in targets.iter().take(MOST_INVALID) {
                console.say(&format!("  {} {}", place(target), describe(target)));
            }
            if targets.len() > MOST_INVALID {
                console.say(&format!("  and {} more", targets.len() - MOST_INVALID));
            }
        }
        let by_id: BTreeMap<&str, &TargetReport> =
            after.targets.iter().map(|target| (target.id.as_str(), target)).collect();
        for StatusChange { id, canon_path: _, before, after } in &changes.status_changed {
            let target = by_id[id.as_str()];
            console.say(&format!("{} {}: {before} -> {after}", place(target), describe(target)));
        }
        console.say(&format!("in both: {n_both}"));
    }
    let mut docket = Docket::new(format!("probity coverage diff {}", args.after.display()));
    docket.items.push(Item { name: "overall".to_owned(), faults: Vec::new() });
    let lost = Rule::new("no-longer-covered", "A target was hit before and is not hit now");
    let gap = Rule::new("new-gap", "A target is new and is not hit");
    let lists = [(lost, &changes.newly_uncovered), (gap, &changes.new_gaps)];
    for (rule, target) in
        lists.iter().flat_map(|(rule, targets)| targets.iter().map(move |target| (rule, target)))
    {
        let message = format!("{} {}", place(target), describe(target));
        let fault =
            Fault { rule: rule.clone(), weight: Weight::Failure, message: message.clone(), place: None };
        docket.items.push(Item { name: message, faults: vec![fault] });
    }
    docket.write(&args.outcome, None)?;
    let is_worse = changes.is_regression() || !changes.new_gaps.is_empty();
    Ok(if is_worse { Outcome::Findings } else { Outcome::Done })
}

fn run_merge(args: &MergeArgs, console: &Console) -> Result<Outcome, Trouble> {
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    let page = args.coverage_html.as_deref();
    let data = [("-o", Some(output)), ("--coverage-html", page)];
    let files: Vec<&Path> = args.reports.iter().map(PathBuf::as_path).collect();
    check(&[&data[..], &args.outcome.goals()].concat(), &files)?;
    let reports = files.iter().map(|path| read_coverage(path)).collect::<Result<Vec<_>, _>>()?;
    let merged = merge(&reports).map_err(|error| {
        // Of two that do not belong together, the first is always one.
        let other = reports.iter().position(|report| merge(&[reports[0].clone(), report.clone()]).is_err());
        match other {
            Some(at @ 1..) if !names_one(&error) => by_file(&error, &[files[0], files[at]]),
            _ => by_file(&error, &files),
        }
    })?;
    let twins = twins(&reports, &files)?;
    console.notes(&twins);
    let mut merged =
        merged.ok_or_else(|| Trouble::misused("there is nothing to unite; name at least one report"))?;
    if let Some(least) = least(args.coverage_min, &LEAST)? {
        let is_met = merged.metrics.overall >= least;
        merged.metrics.thresholds = Some(Thresholds { overall: Some(least), ..Thresholds::default() });
        merged.metrics.coverage_status =
            if is_met { CoverageStatus::Ok } else { CoverageStatus::MinCoverageNotMet };
    }
    write_file(output, &as_text(&merged))?;
    if let Some(goal) = page {
        let (n_reports, n) = (reports.len() as u64, merged.run.actual_instances);
        let source = format!(
            "{} of {}: {}",
            counted(n, "instance"),
            counted(n_reports, "report"),
            listed(&args.reports)
        );
        let facts = PageFacts { title: TITLE.to_owned(), source: Some(source), ..PageFacts::default() };
        write_file(goal, &html(&merged, &facts))?;
    }
    show(&merged, console);
    let mut docket = Docket::new("probity coverage merge");
    docket.cover(&merged);
    docket.write(&args.outcome, None)?;
    Ok(judged(&merged))
}
