//! The planner: its units and hints, caps, early stop, and hints that came to nothing.

mod coverage_world;

use coverage_world::{ALL, facts, guided, hit_ids, report_with, target};
use probity_schema::coverage::{Dimension, HINT_KINDS, HintKind, PROFILES, ReasonCode, summary};
use serde_json::{Value, json};

/// Holds the number of instances and the reason of a guided run against what is expected.
#[track_caller]
fn check(schema: &Value, max_instances: u64, n_instances: usize, reason: &str) {
    let (plan, report) = guided(schema, ALL, 1, max_instances);
    assert_eq!(plan.notes[0]["reason"], json!(reason), "{schema}");
    assert_eq!(plan.instances.len(), n_instances, "{:?} of {schema}", plan.instances);
    assert_eq!(report.run.actual_instances, n_instances as u64);
}

#[test]
fn a_run_stops_as_soon_as_every_target_is_hit_and_says_so() {
    check(&json!({"enum": [1, 2, 3]}), 100, 3, "objectives-satisfied");
    check(&json!({"oneOf": [{"const": 1}, {"const": 2}]}), 100, 2, "objectives-satisfied");
    let members: serde_json::Map<String, Value> =
        (0..380).map(|n| (format!("m{n}"), json!({"type": "null"}))).collect();
    check(&json!({"type": "object", "properties": members}), 100, 1, "objectives-satisfied");
}

#[test]
fn values_of_an_enumeration_share_an_instance_where_an_array_has_room() {
    check(&json!({"type": "array", "items": {"enum": [1, 2, 3, 4, 5]}}), 100, 1, "objectives-satisfied");
}

#[test]
fn the_number_of_instances_is_never_more_than_asked_for() {
    check(&json!({"enum": [1, 2, 3, 4]}), 2, 2, "max-instances");
    check(&json!({"enum": [1, 2, 3, 4]}), 0, 0, "max-instances");
}

#[test]
fn what_a_cap_left_out_is_listed_unplanned_and_summed_up() {
    let (plan, report) = guided(&json!({"enum": [1, 2, 3, 4]}), &[Dimension::Enum], 1, 3);
    assert_eq!(plan.unplanned.len(), 1);
    let left: Vec<_> =
        report.targets.iter().filter(|target| target.meta.get("planned") == Some(&json!(false))).collect();
    assert_eq!(left.len(), 1);
    let cap = &report.diagnostics.planner_caps_hit[0];
    assert_eq!(
        (cap.dimension.as_str(), cap.scope_type.as_str(), cap.scope_key.as_str()),
        ("enum", "schema", "#")
    );
    assert_eq!((cap.total_targets, cap.planned_targets, cap.unplanned_targets), (4, 3, 1));
    assert_eq!(report.unsatisfied_hints[0].reason_code, ReasonCode::PlannerCap);
    // People are told in words what the codes mean.
    let told =
        |label: &str| summary(&report).into_iter().find(|line| line.label == label).map(|line| line.detail);
    assert_eq!(
        told("caps").as_deref(),
        Some("1 left out of the plan as its budget ended; a larger profile or more instances reach further")
    );
    assert_eq!(told("hints"), None, "what was left out was not aimed at");
}

#[test]
fn units_have_ids_seeds_counts_and_hints_and_are_the_same_every_time() {
    let schema = json!({"properties": {"a": {"enum": [1, 2]}, "b": {"oneOf": [{"type": "null"}, {"type": "string"}]}}});
    let (plan, report) = guided(&schema, ALL, 7, 50);
    let (again, report_again) = guided(&schema, ALL, 7, 50);
    assert_eq!((&plan.units, &plan.instances, &report), (&again.units, &again.instances, &report_again));
    assert!(plan.units.iter().all(|unit| unit.count == 1 && !unit.hints.is_empty()));
    let mut ids: Vec<&str> = plan.units.iter().map(|unit| unit.id.as_str()).collect();
    ids.dedup();
    assert_eq!(ids.len(), plan.units.len());
    let (other, _) = guided(&schema, ALL, 8, 50);
    assert_ne!(plan.units[0].seed, other.units[0].seed);
}

/// More conditions than are composed, and a dynamic reference, beside which nothing is proven: that one of the
/// conditions rules a listed value out is seen by the judge alone.
fn repaired() -> Value {
    let condition = |name: &str, consequence: Value| json!({"if": {"properties": {"kind": {"const": name}}, "required": ["kind"]}, "then": consequence});
    let kinds: Vec<String> = (0..30).map(|n| format!("k{n}")).collect();
    let sizes = kinds.iter().map(|kind| condition(kind, json!({"required": ["size"]})));
    let conditions: Vec<Value> = sizes.chain([condition("k0", json!({"maxProperties": 1}))]).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {"kind": {"enum": kinds}, "size": {"type": "integer"}, "more": {"$dynamicRef": "#more"}},
        "$defs": {"more": {"$dynamicAnchor": "more"}},
        "allOf": conditions,
    })
}

#[test]
fn hits_are_those_of_the_valid_instances_as_repair_left_them() {
    for schema in [repaired(), json!({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}, {"type": "null"}]})] {
        let (plan, report) = guided(&schema, ALL, 1, 100);
        // Measuring judges every instance too: no hint made an invalid one.
        let measured = report_with(&schema, &plan.instances, ALL, facts());
        assert_eq!(hit_ids(&report), hit_ids(&measured), "{schema}");
    }
}

#[test]
fn what_coverage_costs_is_counted_in_the_phases() {
    let (plan, _) = guided(&repaired(), ALL, 1, 100);
    let metrics = plan.metrics;
    assert_eq!(metrics.n_instances, plan.instances.len() as u64);
    assert!(
        metrics.n_draws >= metrics.n_instances && metrics.n_observed >= metrics.n_instances,
        "{metrics:?}"
    );
    assert!(metrics.n_repaired > 0 && metrics.n_edits >= metrics.n_repaired, "{metrics:?}");
}

#[test]
fn each_kind_of_target_has_its_kind_of_hint() {
    let schema = json!({"properties": {"a": {"enum": [1]}, "b": {"minLength": 1}}, "anyOf": [{}, {"required": ["b"]}]});
    let (plan, _) = guided(&schema, ALL, 1, 50);
    for (name, kind) in HINT_KINDS {
        let is_used = plan.units.iter().flat_map(|unit| &unit.hints).any(|hint| hint.kind == *kind);
        assert!(is_used, "{name}");
    }
}

#[test]
fn hints_are_ordered_values_before_branches_before_members() {
    let mut sorted = [HintKind::EnsurePropertyPresence, HintKind::PreferBranch, HintKind::CoverEnumValue];
    sorted.sort_unstable();
    assert_eq!(sorted, [HintKind::CoverEnumValue, HintKind::PreferBranch, HintKind::EnsurePropertyPresence]);
    let schema = json!({"properties": {"a": {"enum": [1]}}, "anyOf": [{}, {"required": ["a"]}]});
    let (plan, _) = guided(&schema, ALL, 1, 50);
    for unit in &plan.units {
        assert!(unit.hints.is_sorted_by_key(|hint| hint.kind), "{unit:?}");
    }
}

#[test]
fn a_hint_that_came_to_nothing_tells_the_most_specific_reason() {
    let schema = json!({
        "type": "integer", "minimum": 0, "maximum": 9,
        "anyOf": [{"enum": [1, 20]}, {"minimum": 5}, {"minimum": 50}],
    });
    let (_, report) = guided(&schema, ALL, 1, 50);
    let reason = |path: &str, name: &str, value: Value| {
        let hints = &report.unsatisfied_hints;
        hints
            .iter()
            .find(|hint| hint.canon_path == path && hint.params.get(name) == Some(&value))
            .map(|hint| hint.reason_code)
    };
    assert_eq!(reason("#/anyOf", "branchIndex", json!(2)), Some(ReasonCode::UnreachableBranch));
    assert_eq!(reason("#/anyOf/0", "enumIndex", json!(1)), Some(ReasonCode::ConflictingConstraints));
    assert_eq!(target(&report, "branch:#/anyOf:2").status, "unreachable");
    assert!(target(&report, "branch:#/anyOf:2").meta.contains_key("cause"));
    assert!((report.metrics.overall - 1.0).abs() < 1e-9, "{:#?}", report.uncovered_targets);
}

#[test]
fn profiles_grow_from_quick_to_thorough() {
    let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
    assert_eq!(names, ["quick", "balanced", "thorough"]);
    assert!(PROFILES.is_sorted_by_key(|profile| profile.max_instances));
    assert!(PROFILES.is_sorted_by_key(|profile| profile.budget.n_sweep));
    assert!(PROFILES[2].dimensions.contains(&Dimension::Boundaries));
}

#[test]
fn a_hint_that_a_repair_undid_says_so() {
    let (plan, report) = guided(&repaired(), &[Dimension::Enum], 1, 100);
    let hint = report.unsatisfied_hints.iter().find(|hint| hint.canon_path == "#/properties/kind");
    let hint = hint.expect("the value that is ruled out is missed");
    assert_eq!(hint.params["value"], json!("k0"));
    assert_eq!(hint.reason_code, ReasonCode::RepairModifiedValue);
    assert!(!plan.undone.is_empty());
}
