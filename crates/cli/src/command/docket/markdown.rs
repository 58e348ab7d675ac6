//! What was judged as Markdown, for the page of a job.

use std::fmt::Write as _;

use probity_schema::coverage::{Topic, escape, percent, summary};

use crate::command::docket::{Docket, Fault, Weight};

/// Faults told in full.
const MOST_FAULTS: usize = 20;

pub(super) fn text(docket: &Docket) -> String {
    let (n_items, n_failed, n_skipped) = (docket.items.len(), docket.n_failed(), docket.n_skipped());
    let mut out = format!("### {}\n\n", safe(&docket.title));
    let verdict = if n_failed == 0 { "passed" } else { "failed" };
    let _ = match n_items {
        0 => Ok(()),
        1 => writeln!(out, "**{verdict}**\n"),
        _ if n_skipped > 0 => {
            writeln!(out, "**{verdict}**: {n_failed} of {n_items} failed, {n_skipped} skipped\n")
        }
        _ => writeln!(out, "**{verdict}**: {n_failed} of {n_items} failed\n"),
    };
    if let Some(report) = &docket.coverage {
        out.push_str("| | covered | |\n|---|---:|---|\n");
        for line in summary(report) {
            let is_row = matches!(
                line.topic,
                Topic::Dimension
                    | Topic::Operation
                    | Topic::Overall
                    | Topic::Threshold
                    | Topic::Sample
                    | Topic::Gap
            );
            if is_row {
                let share = line.share.map(percent).unwrap_or_default();
                let _ = writeln!(out, "| {} | {share} | {} |", safe(&line.label), safe(&line.detail));
            }
        }
        out.push('\n');
    }
    let mut faults: Vec<_> = docket.faults().filter(|(_, fault)| fault.weight != Weight::Aside).collect();
    faults.sort_by_key(|(_, fault)| fault.weight);
    let n_faults = faults.len();
    for (item, fault) in faults.into_iter().take(MOST_FAULTS) {
        let Fault { rule, weight, message, place } = fault;
        let sign = match weight {
            Weight::Failure => "failure",
            Weight::Skip => "skipped",
            Weight::Remark | Weight::Aside => "remark",
        };
        let at = place
            .as_ref()
            .map_or_else(|| item.name.clone(), |place| format!("{}:{}", place.file.display(), place.line));
        let _ = writeln!(out, "- {sign} **{}** in {}: {}", safe(&rule.code), safe(&at), safe(message));
    }
    if n_faults > MOST_FAULTS {
        let _ = writeln!(out, "- and {} more", n_faults - MOST_FAULTS);
    }
    if n_faults > 0 {
        out.push('\n');
    }
    out
}

/// Longest text in one place, in characters: pages of jobs take only so much, and one name must not use it up.
const MOST_LETTERS: usize = 500;

/// Text that stays text: no markup, no cells, no lines of its own.
fn safe(text: &str) -> String {
    let short = match text.char_indices().nth(MOST_LETTERS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    };
    let mut out = String::new();
    for letter in escape(&short).chars() {
        match letter {
            '\n' | '\t' => out.push(' '),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' | '$' => out.extend(['\\', letter]),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn what_a_contract_says_makes_no_markup() {
        assert_eq!(safe("a|b\n<img> [x](y) `c`"), "a\\|b &lt;img&gt; \\[x\\](y) \\`c\\`");
    }

    #[test]
    fn one_long_name_leaves_room_for_the_rest() {
        assert_eq!(safe(&"x".repeat(1_000_000)), format!("{}…", "x".repeat(500)));
    }
}
