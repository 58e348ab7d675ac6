//! What is wrong and lies in a file, as SARIF 2.1.0.

use serde_json::{Value, json};

use crate::command::docket::{Docket, Fault, Place, Rule, Weight};
use crate::config::encoded;

pub(super) fn text(docket: &Docket) -> String {
    let placed: Vec<(&Fault, &Place)> =
        docket.faults().filter_map(|(_, fault)| Some((fault, fault.place.as_ref()?))).collect();
    let mut rules: Vec<&Rule> = Vec::new();
    for (fault, _) in &placed {
        if !rules.contains(&&fault.rule) {
            rules.push(&fault.rule);
        }
    }
    let results: Vec<Value> = placed.iter().map(|(fault, place)| result(fault, place, &rules)).collect();
    let rules: Vec<Value> = rules
        .iter()
        .map(|rule| json!({ "id": rule.code, "shortDescription": { "text": rule.about } }))
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "probity", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).expect("a log is plain data");
    text.push('\n');
    text
}

fn result(fault: &Fault, place: &Place, rules: &[&Rule]) -> Value {
    let index = rules.iter().position(|rule| **rule == fault.rule).unwrap_or_default();
    let level = match fault.weight {
        Weight::Failure => "error",
        Weight::Skip | Weight::Remark => "warning",
        Weight::Aside => "note",
    };
    json!({
        "ruleId": fault.rule.code,
        "ruleIndex": index,
        "level": level,
        "message": { "text": fault.message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": address(&place.file.to_string_lossy()) },
                "region": { "startLine": place.line },
            },
            "logicalLocations": [{ "fullyQualifiedName": place.pointer }],
        }],
    })
}

/// A path as the reference that SARIF asks for: relative as it was typed, with `/` between folders.
fn address(path: &str) -> String {
    encoded(path.trim_start_matches("./").replace('\\', "/").as_str())
}
