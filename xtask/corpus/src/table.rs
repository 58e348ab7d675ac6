//! The table of a corpus run: one row per part, then every exception with its reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::examine::{Ending, Examination};
use crate::subject::Subject;

/// The share of a required part that must be good, in thousandths.
const FLOOR_PER_MILLE: u64 = 995;

/// What the examinations of one part add up to.
#[expect(clippy::struct_field_names, reason = "a count starts with n_ everywhere")]
#[derive(Debug, Default, Clone)]
struct Row {
    n_schemas: u64,
    n_required: u64,
    n_required_good: u64,
    n_full: u64,
    n_short: u64,
    n_unsatisfiable: u64,
    n_refused: u64,
    n_instances: u64,
    n_invalid: u64,
    n_invalid_for_ajv: u64,
    n_ajv_silent: u64,
    n_varied: u64,
    n_varied_of: u64,
    n_small: u64,
    n_trivial: u64,
    n_repairs: u64,
    n_notes: u64,
    n_unsteady: u64,
}

/// A column: its heading, and what stands in it.
type Column = (&'static str, fn(&Row) -> String);

/// The columns after the part's name.
const COLUMNS: &[Column] = &[
    ("schemas", |row| row.n_schemas.to_string()),
    ("full", |row| row.n_full.to_string()),
    ("short", |row| row.n_short.to_string()),
    ("unsat", |row| row.n_unsatisfiable.to_string()),
    ("errors", |row| row.n_refused.to_string()),
    ("instances", |row| row.n_instances.to_string()),
    ("invalid", |row| row.n_invalid.to_string()),
    ("ajv-invalid", |row| row.n_invalid_for_ajv.to_string()),
    ("ajv-silent", |row| row.n_ajv_silent.to_string()),
    ("distinct%", |row| percent(row.n_varied, row.n_varied_of)),
    ("small", |row| row.n_small.to_string()),
    ("trivial%", |row| percent(row.n_trivial, row.n_instances)),
    ("repairs", |row| row.n_repairs.to_string()),
    ("notes", |row| row.n_notes.to_string()),
    ("unsteady", |row| row.n_unsteady.to_string()),
    ("good%", |row| percent(row.n_required_good, row.n_required)),
];

/// What the columns mean, for the foot of the table.
const LEGEND: &str = "full: every instance asked for came. ajv-silent: AJV cannot compile the schema, gave up, or \
disagrees with the suite.\nsmall: too few values for variety to mean anything; distinct% leaves these out. unsteady: \
other bytes from 2 threads, 4 shards\nor a second process. good%: of what must be served, full, valid for both and \
steady; the floor is 99.5.\n";

/// The rows and exceptions gathered so far.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: BTreeMap<String, Row>,
    exceptions: Vec<(String, String)>,
}

impl Table {
    /// Adds what was seen of one schema.
    pub(crate) fn add(&mut self, subject: &Subject, seen: &Examination) {
        let is_good = seen.is_good();
        let Examination {
            ending,
            n_instances,
            n_invalid,
            n_invalid_for_ajv,
            is_ajv_silent,
            n_distinct,
            is_small,
            n_trivial,
            n_repairs,
            n_notes,
            is_steady,
            digest: _,
            exceptions,
        } = seen;
        let row = self.rows.entry(subject.part.clone()).or_default();
        row.n_schemas += 1;
        // A schema that is proved to have no instances cannot be served; that is not held against anyone.
        if subject.is_required() && *ending != Ending::Unsatisfiable {
            row.n_required += 1;
            row.n_required_good += u64::from(is_good);
        }
        let ending_count = match ending {
            Ending::Full => &mut row.n_full,
            Ending::Short => &mut row.n_short,
            Ending::Unsatisfiable => &mut row.n_unsatisfiable,
            Ending::Refused => &mut row.n_refused,
        };
        *ending_count += 1;
        row.n_instances += n_instances;
        row.n_invalid += n_invalid;
        row.n_invalid_for_ajv += n_invalid_for_ajv;
        row.n_ajv_silent += u64::from(*is_ajv_silent);
        if !is_small {
            row.n_varied += n_distinct;
            row.n_varied_of += n_instances;
        }
        row.n_small += u64::from(*is_small);
        row.n_trivial += n_trivial;
        row.n_repairs += n_repairs;
        row.n_notes += n_notes;
        row.n_unsteady += u64::from(!is_steady);
        let named = exceptions
            .iter()
            .map(|exception| (format!("{} {}", subject.part, subject.id), exception.clone()));
        self.exceptions.extend(named);
    }

    /// The table, its legend, and the exceptions in the order they were found.
    pub(crate) fn text(&self) -> String {
        let mut lines = vec![
            std::iter::once("part".to_owned())
                .chain(COLUMNS.iter().map(|(heading, _)| (*heading).to_owned()))
                .collect::<Vec<String>>(),
        ];
        for (part, row) in &self.rows {
            lines.push(
                std::iter::once(part.clone()).chain(COLUMNS.iter().map(|(_, cell)| cell(row))).collect(),
            );
        }
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..=COLUMNS.len()).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ")).expect("a string takes all text");
        }
        text.push_str(LEGEND);
        writeln!(text, "\n{} exceptions", self.exceptions.len()).expect("a string takes all text");
        for (name, exception) in &self.exceptions {
            writeln!(text, "  {name}\n      {exception}").expect("a string takes all text");
        }
        text
    }

    /// The parts that must be good and are not good enough.
    pub(crate) fn below_floor(&self) -> Vec<&str> {
        let rows = self.rows.iter();
        let below = rows.filter(|(_, row)| row.n_required_good * 1000 < row.n_required * FLOOR_PER_MILLE);
        below.map(|(part, _)| part.as_str()).collect()
    }

    /// How many instances either validator rejected, over all parts.
    pub(crate) fn n_invalid(&self) -> u64 {
        self.rows.values().map(|row| row.n_invalid + row.n_invalid_for_ajv).sum()
    }
}

/// A share as a percentage with one decimal, or a dash when there is nothing to share.
fn percent(n: u64, of: u64) -> String {
    if of == 0 {
        return "-".to_owned();
    }
    let per_mille = n * 1000 / of;
    format!("{}.{}", per_mille / 10, per_mille % 10)
}
