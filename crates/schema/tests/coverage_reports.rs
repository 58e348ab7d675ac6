//! The report in both modes, the summary, the threshold, differences and mergers, and bad input.

mod coverage_world;

use coverage_world::{ALL, facts, judge, report, report_with, target};
use probity_schema::coverage::{
    CoverageDiff, CoverageReport, CoverageStatus, Dimension, Incompatible, ReasonCode, ReportMode, RunFacts,
    SUMMARY_TARGETS, TargetReport, Topic, UnsatisfiedHint, describe, diff, merge, percent, read_report,
    summary, text,
};
use serde_json::{Value, json};

fn pets() -> Value {
    json!({"properties": {"kind": {"enum": ["cat", "dog"]}, "name": {"minLength": 1}}, "anyOf": [{}, {"required": ["name"]}]})
}

fn written(report: &CoverageReport) -> String {
    serde_json::to_string_pretty(report).expect("a report is JSON")
}

#[test]
fn a_report_has_its_members_in_a_fixed_order_and_reads_back_the_same() {
    let report = report(&pets(), &[json!({"kind": "cat"})]);
    let value = serde_json::to_value(&report).expect("a report is JSON");
    let names: Vec<&String> = value.as_object().expect("an object").keys().collect();
    let expected = [
        "version",
        "reportMode",
        "engine",
        "run",
        "metrics",
        "targets",
        "uncoveredTargets",
        "unsatisfiedHints",
        "diagnostics",
    ];
    assert_eq!(names, expected);
    assert_eq!(value["version"], json!("coverage-report/v1"));
    assert_eq!(value["engine"]["ajvMajor"], json!(8));
    assert!(value["engine"]["validator"].as_str().is_some_and(|name| name.starts_with("jsonschema ")));
    assert_eq!(value["run"]["seed"], value["run"]["masterSeed"]);
    assert_eq!(read_report(&written(&report)), Ok(report));
}

#[test]
fn a_summary_lists_few_targets_and_counts_all_of_them() {
    let schema = json!({"enum": (0..200).collect::<Vec<_>>()});
    let full = report_with(&schema, &[json!(0)], ALL, facts());
    let short =
        report_with(&schema, &[json!(0)], ALL, RunFacts { report_mode: ReportMode::Summary, ..facts() });
    assert_eq!(short.targets, []);
    assert_eq!(short.uncovered_targets.len(), SUMMARY_TARGETS);
    assert_eq!(full.uncovered_targets.len(), 199);
    assert_eq!(short.metrics, full.metrics);
}

#[test]
fn uncovered_targets_are_those_not_hit_and_not_deprecated() {
    let report = report(&pets(), &[json!({"kind": "cat"})]);
    let missed = report.targets.iter().filter(|target| !target.hit).count();
    assert_eq!(report.uncovered_targets.len(), missed);
    assert_eq!(report.metrics.targets_by_status["deprecated"], 0);
}

#[test]
fn a_summary_speaks_of_dimensions_then_of_everything_then_of_targets() {
    let facts = RunFacts { min_coverage: Some(0.9), ..facts() };
    let report = report_with(&pets(), &[json!({"kind": "cat"})], ALL, facts);
    let lines = summary(&report);
    let topics: Vec<Topic> = lines.iter().map(|line| line.topic).collect();
    let expected = [Topic::Dimension, Topic::Overall, Topic::Threshold, Topic::Status, Topic::Gap];
    let mut distinct = topics.clone();
    distinct.dedup();
    assert_eq!(distinct, expected);
    assert_eq!(text(&lines[0]), "boundaries       0.0 %  0 of 1");
    assert_eq!(percent(0.9999), "99.9 %");
    assert_eq!(percent(1.0), "100 %");
}

/// The lines of a summary on one topic.
fn lines(report: &CoverageReport, topic: Topic) -> Vec<String> {
    summary(report).into_iter().filter(|line| line.topic == topic).map(|line| line.detail).collect()
}

#[test]
fn what_counts_as_missed_is_named_even_if_nothing_can_hit_it() {
    let schema = json!({"type": "string", "enum": [7, "a", "b"]});
    let check = |exclude_unreachable: bool, expected: &[&str]| {
        let facts = RunFacts { exclude_unreachable, ..facts() };
        assert_eq!(lines(&report_with(&schema, &[json!("a")], ALL, facts), Topic::Gap), expected);
    };
    check(true, &["# the value \"b\""]);
    check(false, &["# the value \"b\"", "# the value 7 (unreachable)"]);
}

#[test]
fn a_summary_says_how_many_more_were_missed_even_where_the_report_lists_only_some() {
    let check = |n_values: usize, report_mode: ReportMode, expected: Option<&str>| {
        let values: Vec<usize> = (0..n_values).collect();
        let facts = RunFacts { report_mode, ..facts() };
        let report = report_with(&json!({"enum": values}), &[json!(0)], ALL, facts);
        assert_eq!(lines(&report, Topic::Gap).get(10).map(String::as_str), expected);
    };
    for mode in [ReportMode::Full, ReportMode::Summary] {
        check(11, mode, None);
        check(12, mode, Some("and 1 more"));
        check(SUMMARY_TARGETS * 3, mode, Some("and 139 more"));
    }
}

#[test]
fn what_the_budget_left_out_is_not_told_as_aimed_at() {
    let check = |codes: &[ReasonCode], expected: &[&str]| {
        let hint = |code: &ReasonCode| UnsatisfiedHint {
            kind: "coverEnumValue".to_owned(),
            canon_path: "#".to_owned(),
            params: serde_json::Map::new(),
            reason_code: *code,
            reason_detail: None,
        };
        let unsatisfied_hints = codes.iter().map(hint).collect();
        let facts = RunFacts { unsatisfied_hints, ..facts() };
        assert_eq!(lines(&report_with(&pets(), &[], ALL, facts), Topic::Hint), expected);
    };
    check(&[], &[]);
    check(&[ReasonCode::PlannerCap, ReasonCode::PlannerCap], &[]);
    check(
        &[ReasonCode::PlannerCap, ReasonCode::Unknown],
        &["1 aimed at in vain: 1 found in no instance that was drawn (UNKNOWN)"],
    );
}

#[test]
fn control_characters_of_a_contract_never_reach_the_lines() {
    let report = report(&json!({"properties": {"a\u{1b}[31mb": {}}}), &[json!({})]);
    assert!(summary(&report).iter().all(|line| !text(line).contains('\u{1b}')));
}

#[test]
fn the_threshold_looks_at_the_overall_figure_alone() {
    let check = |least: f64, expected: CoverageStatus| {
        let facts = RunFacts { min_coverage: Some(least), ..facts() };
        let report = report_with(&json!({"enum": [1, 2]}), &[json!(1)], &[Dimension::Enum], facts);
        assert_eq!(report.metrics.coverage_status, expected, "{least}");
        assert_eq!(report.metrics.thresholds.expect("a threshold").overall, Some(least));
    };
    check(0.5, CoverageStatus::Ok);
    check(0.51, CoverageStatus::MinCoverageNotMet);
}

#[test]
fn targets_fall_into_four_classes_and_gaps_are_not_regressions() {
    let before = report(
        &json!({"properties": {"gone": {}, "kept": {"enum": [1, 2]}}}),
        &[json!({"kept": 1}), json!({"gone": 1})],
    );
    let after = report(&json!({"properties": {"kept": {"enum": [1, 2]}, "new": {}}}), &[json!({"kept": 2})]);
    let found = diff(&before, &after).expect("two reports of one version");
    let ids = |targets: &[TargetReport]| -> Vec<String> {
        targets.iter().map(|target| target.id.clone()).collect()
    };
    assert_eq!(ids(&found.added), ["prop:#/properties/new:present", "struct:#/properties/new"]);
    assert_eq!(ids(&found.removed), ["prop:#/properties/gone:present", "struct:#/properties/gone"]);
    assert_eq!(ids(&found.new_gaps), ids(&found.added));
    assert_eq!(ids(&found.newly_uncovered), ["enum:#/properties/kept:1"]);
    assert_eq!(ids(&found.newly_covered), ["enum:#/properties/kept:2"]);
    assert_eq!(found.n_unchanged, 5);
    assert!(found.overall.delta.abs() < 1e-9, "one lost and one gained");
    let own = after.metrics.overall - before.metrics.overall;
    assert!(own < -0.1 && (found.reported_overall.delta - own).abs() < 1e-9, "what each says of itself");
    assert!(found.is_regression());
    let same = diff(&before, &before).expect("two reports of one version");
    assert!(!same.is_regression());
    assert_eq!(same.n_unchanged, before.targets.len());
}

/// What a difference tells, as the name of each list and the words for each target in it.
fn told(found: &CoverageDiff) -> Vec<String> {
    let lists = [
        ("lost", &found.newly_uncovered),
        ("gap", &found.new_gaps),
        ("gained", &found.newly_covered),
        ("added", &found.added),
        ("removed", &found.removed),
    ];
    let words = |(name, targets): &(&str, &Vec<TargetReport>)| -> Vec<String> {
        targets.iter().map(|target| format!("{name}: {}", describe(target))).collect()
    };
    lists.iter().flat_map(words).collect()
}

#[test]
fn a_value_and_a_limit_are_the_same_by_what_they_are_and_not_by_where_they_stand() {
    let check = |before: Value, after: Value, instances: &[Value], expected: &[&str]| {
        let [left, right] = [before, after].map(|schema| report(&schema, instances));
        let found = diff(&left, &right).expect("two reports of one version");
        assert_eq!(told(&found), expected);
    };
    let (x, y) = (json!("x"), json!("y"));
    let gap = &["gap: the value \"w\"", "added: the value \"w\""];
    check(json!({"enum": [x, y]}), json!({"enum": ["w", x, y]}), &[x.clone(), y.clone()], gap);
    check(json!({"enum": [x, y]}), json!({"enum": [y, x]}), std::slice::from_ref(&x), &[]);
    check(json!({"enum": [x, y]}), json!({"enum": [y]}), &[y], &["removed: the value \"x\""]);
    check(json!({"enum": [1, {"a": 1, "b": 2}]}), json!({"enum": [{"b": 2, "a": 1.0}, 1]}), &[json!(1)], &[]);
    let moved = |of: &str, from: &str, to: &str| {
        [format!("gap: {of} {to}"), format!("added: {of} {to}"), format!("removed: {of} {from}")]
    };
    let rows = [
        ("minimum", 1, 0, json!(1), moved("the least number,", "1", "0")),
        ("maximum", 5, 6, json!(5), moved("the greatest number,", "5", "6")),
        ("minLength", 2, 1, json!("ab"), moved("the shortest string, length", "2", "1")),
        ("maxItems", 1, 2, json!([0]), moved("the longest array,", "1 items", "2 items")),
    ];
    for (keyword, from, to, instance, expected) in rows {
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(json!({keyword: from}), json!({keyword: to}), &[instance], &expected);
    }
    let (above, from) =
        (json!({"type": "integer", "exclusiveMinimum": 0}), json!({"type": "integer", "minimum": 1}));
    check(above, from, &[json!(1)], &[]);
}

#[test]
fn a_change_of_status_is_told_and_is_no_lost_hit() {
    let before =
        report(&json!({"oneOf": [{"type": "null"}, {"type": "string"}]}), &[json!(null), json!("a")]);
    let mut after = before.clone();
    let lost = after.targets.iter_mut().find(|target| target.id == "branch:#/oneOf:1").expect("a target");
    "unreachable".clone_into(&mut lost.status);
    lost.hit = false;
    let found = diff(&before, &after).expect("two reports of one version");
    assert_eq!(found.status_changed.len(), 1);
    assert_eq!(
        (found.status_changed[0].before.as_str(), found.status_changed[0].after.as_str()),
        ("active", "unreachable")
    );
    assert_eq!(found.newly_uncovered, []);
}

#[test]
fn reports_that_cannot_be_compared_are_refused_with_the_reason() {
    let report = report(&pets(), &[json!({})]);
    let check = |change: &dyn Fn(&mut CoverageReport), expected: &str| {
        let mut other = report.clone();
        change(&mut other);
        let refused = diff(&report, &other).expect_err("they differ too much");
        assert!(refused.to_string().contains(expected), "{refused}");
    };
    check(&|other| other.version = "coverage-report/v2".to_owned(), "different versions");
    check(
        &|other| other.engine.foundry_version = "9.0.0".to_owned(),
        "different major versions, 0.1.0 and 9.0.0",
    );
    check(
        &|other| other.run.selected_operations = Some(vec!["getPet".to_owned()]),
        "no operations and getPet",
    );
    check(&|other| other.report_mode = ReportMode::Summary, "report B is a summary");
}

#[test]
fn a_merger_unites_hits_and_computes_the_figures_anew() {
    let one = report(&pets(), &[json!({"kind": "cat"})]);
    let two = report(&pets(), &[json!({"kind": "dog", "name": "x"})]);
    let merged = merge(&[one.clone(), two]).expect("one contract").expect("two reports");
    judge(&merged);
    assert!((merged.metrics.overall - 1.0).abs() < 1e-9, "{:?}", merged.uncovered_targets);
    assert_eq!(merged.run.actual_instances, 2);
    assert_eq!(target(&merged, "enum:#/properties/kind:\"dog\"").meta["firstReport"], json!(2));
    assert_eq!(merge(&[]), Ok(None));
    let other = report(&json!({"enum": [1]}), &[json!(1)]);
    assert!(matches!(merge(&[one, other]), Err(Incompatible::Contract { .. })));
}

#[test]
fn a_text_that_is_no_report_is_refused_where_it_goes_wrong() {
    let good = written(&report(&pets(), &[json!({})]));
    let check = |text: &str, expected: &str| {
        let refused = read_report(text).expect_err("no report");
        assert!(refused.to_string().contains(expected), "{refused}");
    };
    check("", "ends in the middle");
    check("not json", "at line 1, column 2: not JSON");
    check(&good[..good.len() / 2], "ends in the middle");
    check("{}", "there is no version");
    check("[1]", "there is no version");
    check(&good.replace("coverage-report/v1", "coverage-report/v9"), "another version");
    check(&good.replace("\"overall\": 0.", "\"overall\": 7."), "at #/metrics/overall");
    check(&good.replace("\"hit\": false", "\"hit\": \"no\""), "at #/targets/");
    check(&good.replace("\"seed\": 1", "\"seed\": -1"), "at #/run/seed");
    let mut doubled: Value = serde_json::from_str(&good).expect("JSON");
    let first = doubled["targets"][0].clone();
    doubled["targets"].as_array_mut().expect("a list").push(first);
    check(&doubled.to_string(), "ids are unique");
}
