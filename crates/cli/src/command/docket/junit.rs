//! What was judged as JUnit XML: a test case for each item.

use std::fmt::Write as _;

use probity_schema::coverage::escape;

use crate::command::docket::{Docket, Item, Weight};

pub(super) fn text(docket: &Docket) -> String {
    let (n_items, n_failed, n_skipped) = (docket.items.len(), docket.n_failed(), docket.n_skipped());
    let title = escape(&docket.title);
    let cases: String = docket.items.iter().map(case).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"probity\" tests=\"{n_items}\" failures=\"{n_failed}\" \
         errors=\"0\">\n  <testsuite name=\"{title}\" tests=\"{n_items}\" failures=\"{n_failed}\" errors=\"0\" \
         skipped=\"{n_skipped}\" time=\"0\">\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

fn case(item: &Item) -> String {
    let mut inside = String::new();
    let of = |weight: Weight| item.faults.iter().filter(move |fault| fault.weight == weight);
    // Most readers look at the first failure of a test case only, so all faults of an item are one.
    let verdict = [(Weight::Failure, "failure"), (Weight::Skip, "skipped")];
    let verdict = verdict.into_iter().find(|(weight, _)| of(*weight).next().is_some());
    if let Some((weight, element)) = verdict
        && let Some(first) = of(weight).next()
    {
        let messages: Vec<&str> = of(weight).map(|fault| fault.message.as_str()).collect();
        let (code, message, all) =
            (escape(&first.rule.code), escape(&first.message), escape(&messages.join("\n")));
        let _ = writeln!(inside, "      <{element} type=\"{code}\" message=\"{message}\">{all}</{element}>");
    }
    let remarks: Vec<String> = (of(Weight::Remark).chain(of(Weight::Aside)))
        .map(|fault| format!("{}: {}", fault.rule.code, fault.message))
        .collect();
    if !remarks.is_empty() {
        let _ = writeln!(inside, "      <system-out>{}</system-out>", escape(&remarks.join("\n")));
    }
    let name = escape(&item.name);
    let open = format!("    <testcase classname=\"probity\" name=\"{name}\" time=\"0\"");
    if inside.is_empty() { format!("{open}/>\n") } else { format!("{open}>\n{inside}    </testcase>\n") }
}
