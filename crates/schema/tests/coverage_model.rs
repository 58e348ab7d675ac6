//! The coverage model, target by target.

mod coverage_world;

use coverage_world::{ALL, facts, hit_ids, report, report_with, target, universe};
use probity_schema::coverage::{
    Dimension, ENUM_SAMPLE, PageFacts, RunFacts, Status, Topic, html, place, summary, text,
};
use serde_json::{Value, json};

fn user() -> Value {
    json!({
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["admin", "member", "guest"]},
            "email": {"type": "string", "format": "email"},
            "age": {"type": "integer"},
        },
        "required": ["kind"],
        "oneOf": [
            {"properties": {"age": {"minimum": 0, "maximum": 17}}, "required": ["age"]},
            {"properties": {"age": {"minimum": 18}}},
        ],
    })
}

/// Holds a schema's target ids against a list.
#[track_caller]
fn check_ids(schema: &Value, dimensions: &[Dimension], expected: &[&str]) {
    let universe = universe(schema, dimensions);
    let ids: Vec<&str> = universe.targets.iter().map(|target| target.id.as_str()).collect();
    assert_eq!(ids, expected, "{schema}");
}

/// Holds the ids that an instance hits, in some dimensions, against a list.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "rows of data read better without references")]
fn check_hits(schema: &Value, instance: Value, dimensions: &[Dimension], expected: &[&str]) {
    let report = report_with(schema, std::slice::from_ref(&instance), dimensions, facts());
    assert_eq!(hit_ids(&report), expected, "{instance} beside {schema}");
}

#[test]
fn targets_stand_on_every_subschema_that_a_valid_instance_can_meet() {
    check_ids(
        &json!({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}, "unused": {}}}),
        ALL,
        &["struct:#/$defs/a"],
    );
    check_ids(&json!({"not": {"enum": [1]}, "items": false}), ALL, &["struct:#"]);
}

#[test]
fn an_id_is_the_same_whatever_dimensions_are_enabled() {
    let all = universe(&user(), ALL);
    for dimension in ALL {
        let some = universe(&user(), &[*dimension]);
        let expected: Vec<_> = all.targets.iter().filter(|target| target.dimension() == *dimension).collect();
        assert_eq!(some.targets.iter().collect::<Vec<_>>(), expected, "{dimension:?}");
    }
}

#[test]
fn ids_are_unique_even_when_names_are_made_to_collide() {
    let schema = json!({
        "properties": {"a": {"enum": [0, 1]}, "a:0": {"enum": [0]}, "a:present": {}, "a/b": {}, "a~1b": {}, "": {}},
        "patternProperties": {"^(a|z)$": {}},
        "additionalProperties": false,
        "oneOf": [{}, false],
        "anyOf": [{}, {}],
    });
    let universe = universe(&schema, ALL);
    let mut ids: Vec<&str> = universe.targets.iter().map(|target| target.id.as_str()).collect();
    let n = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), n, "{ids:?}");
}

#[test]
fn deprecated_targets_and_unreachable_ones_stay_out_of_the_figures() {
    let schema = json!({"oneOf": [{"type": "null"}, false]});
    let report = report(&schema, &[json!(null)]);
    assert_eq!(target(&report, "branch:#/oneOf:1").status, "unreachable");
    assert!((report.metrics.by_dimension["branches"] - 1.0).abs() < 1e-9);
    let strict = RunFacts { exclude_unreachable: false, ..facts() };
    let strict = report_with(&schema, &[json!(null)], ALL, strict);
    assert!((strict.metrics.by_dimension["branches"] - 0.5).abs() < 1e-9);
    assert!(!strict.run.exclude_unreachable);
}

#[test]
fn an_optional_member_has_a_target_and_a_required_one_has_not() {
    let structure = &[Dimension::Structure];
    check_ids(
        &json!({"properties": {"a": {}, "b": {}}, "required": ["b"]}),
        structure,
        &["struct:#", "prop:#/properties/a:present", "struct:#/properties/a", "struct:#/properties/b"],
    );
    check_hits(&json!({"properties": {"a": {}}}), json!({}), structure, &["struct:#"]);
    check_hits(
        &json!({"properties": {"a": {}}}),
        json!({"a": 1}),
        structure,
        &["struct:#", "prop:#/properties/a:present", "struct:#/properties/a"],
    );
}

#[test]
fn undeclared_names_of_a_closed_object_come_from_the_name_index() {
    let schema = json!({
        "properties": {"a": {}},
        "patternProperties": {"^(left|right)$": {}},
        "additionalProperties": false,
    });
    let report = report(&schema, &[json!({"left": 1})]);
    assert!(target(&report, "prop:#/additionalProperties/left:present").hit);
    assert!(!target(&report, "prop:#/additionalProperties/right:present").hit);
    assert_eq!(target(&report, "prop:#/additionalProperties/left:present").params["undeclared"], json!(true));
    let open = universe(&json!({"patternProperties": {"^(left|right)$": {}}}), ALL);
    assert!(open.targets.iter().all(|target| target.kind() == "SCHEMA_NODE"));
}

#[test]
fn subschemas_are_hit_through_every_way_down() {
    let structure = &[Dimension::Structure];
    let check = |schema: Value, instance: Value, id: &str| {
        let report = report_with(&schema, std::slice::from_ref(&instance), structure, facts());
        assert!(target(&report, id).hit, "{id} by {instance}");
    };
    check(json!({"patternProperties": {"^x": {}}}), json!({"xy": 1}), "struct:#/patternProperties/^x");
    check(json!({"additionalProperties": {}}), json!({"xy": 1}), "struct:#/additionalProperties");
    check(json!({"propertyNames": {"maxLength": 3}}), json!({"xy": 1}), "struct:#/propertyNames");
    check(json!({"items": {}}), json!([1]), "struct:#/items");
    check(json!({"prefixItems": [{}], "items": {}}), json!([1, 2]), "struct:#/items");
    check(json!({"contains": {"const": 2}}), json!([1, 2]), "struct:#/contains");
    check(json!({"allOf": [{"allOf": [{}]}]}), json!(1), "struct:#/allOf/0/allOf/0");
    check(json!({"dependentSchemas": {"a": {}}}), json!({"a": 1}), "struct:#/dependentSchemas/a");
    check(json!({"if": {"const": 1}, "then": {}}), json!(1), "struct:#/then");
    check(json!({"if": {"const": 1}, "else": {}}), json!(2), "struct:#/else");
    check(
        json!({"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": {"type": "null"}}),
        json!({"a": 1, "b": null}),
        "struct:#/unevaluatedProperties",
    );
    check(
        json!({"prefixItems": [{}], "unevaluatedItems": {"type": "null"}}),
        json!([1, null]),
        "struct:#/unevaluatedItems",
    );
    check(
        json!({"$ref": "#/$defs/a", "minimum": 1, "$defs": {"a": {"type": "integer"}}}),
        json!(1),
        "struct:#/$defs/a",
    );
}

#[test]
fn a_way_that_was_not_taken_hits_nothing() {
    let structure = &[Dimension::Structure];
    let schema =
        json!({"properties": {"a": {}}, "patternProperties": {"^b": {}}, "additionalProperties": {}});
    check_hits(&schema, json!({"b": 1}), structure, &["struct:#", "struct:#/patternProperties/^b"]);
    check_hits(&json!({"contains": {"const": 2}, "minContains": 0}), json!([1]), structure, &["struct:#"]);
    check_hits(
        &json!({"anyOf": [{"minimum": 5}, {"minimum": 1}]}),
        json!(3),
        structure,
        &["struct:#", "struct:#/anyOf/1"],
    );
}

#[test]
fn a_branch_is_hit_by_a_value_that_fits_it() {
    let branches = &[Dimension::Branches];
    let schema =
        json!({"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "integer", "minimum": 5}]});
    check_hits(&schema, json!("a"), branches, &["branch:#/oneOf:0"]);
    check_hits(&schema, json!(3), branches, &["branch:#/oneOf:1"]);
    let schema = json!({"anyOf": [{"minimum": 1}, {"maximum": 5}, {"type": "string"}]});
    check_hits(&schema, json!(3), branches, &["branch:#/anyOf:0", "branch:#/anyOf:1"]);
    check_hits(&schema, json!("a"), branches, &["branch:#/anyOf:0", "branch:#/anyOf:1", "branch:#/anyOf:2"]);
}

#[test]
fn both_paths_of_a_condition_and_of_a_dependent_schema_are_targets() {
    let branches = &[Dimension::Branches];
    let schema = json!({"if": {"type": "integer"}, "then": {"minimum": 1}});
    check_hits(&schema, json!(3), branches, &["branch:#/if:if+then"]);
    check_hits(&schema, json!("a"), branches, &["branch:#/if:if+else"]);
    check_ids(&json!({"if": {"type": "integer"}}), branches, &[]);
    let schema = json!({"dependentSchemas": {"a": {"required": ["b"]}}});
    check_hits(&schema, json!({"a": 1, "b": 1}), branches, &["branch:#/dependentSchemas/a:active"]);
    check_hits(&schema, json!({}), branches, &["branch:#/dependentSchemas/a:inactive"]);
    let both =
        json!({"dependentSchemas": {"a": {"required": ["b"]}}, "dependencies": {"a": {"required": ["c"]}}});
    check_ids(
        &both,
        branches,
        &["branch:#/dependentSchemas/a:active", "branch:#/dependentSchemas/a:inactive"],
    );
    check_hits(&schema, json!(1), branches, &[]);
}

#[test]
fn all_of_has_no_branch_targets() {
    check_ids(&json!({"allOf": [{}, {"type": "string"}]}), &[Dimension::Branches], &[]);
}

#[test]
fn every_value_of_an_enumeration_is_a_target() {
    let schema = json!({"enum": ["a", 1, null, {"b": [1]}]});
    check_hits(&schema, json!({"b": [1.0]}), &[Dimension::Enum], &[r#"enum:#:{"b"%3A[1]}"#]);
    check_hits(&schema, json!(1), &[Dimension::Enum], &["enum:#:1"]);
    let report = report(&schema, &[json!("a")]);
    assert_eq!(target(&report, "enum:#:\"a\"").params["value"], json!("a"));
}

#[test]
fn a_union_of_constants_has_a_target_for_each_value() {
    let schema = json!({"oneOf": [{"const": "a"}, {"const": "b"}]});
    check_hits(&schema, json!("b"), &[Dimension::Enum], &["enum:#/oneOf/1:\"b\""]);
}

#[test]
fn a_very_long_enumeration_is_sampled_evenly_and_says_so() {
    let values: Vec<usize> = (0..ENUM_SAMPLE * 3).collect();
    let schema = json!({"enum": values});
    let report = report(&schema, &[json!(0)]);
    assert_eq!(report.targets.iter().filter(|target| target.dimension == "enum").count(), ENUM_SAMPLE);
    assert_eq!(target(&report, "enum:#:0").meta["enumSubsampled"], json!(true));
    assert!(target(&report, &format!("enum:#:{}", ENUM_SAMPLE * 3 - 1)).meta.contains_key("enumValues"));
    assert_eq!(report.diagnostics.notes[0]["code"], json!("enum-subsampled"));
    let told = summary(&report).into_iter().find(|line| line.topic == Topic::Sample).expect("it is told");
    assert!(told.detail.starts_with("2000 values of 1 long enumeration are no targets"), "{}", told.detail);
    assert_eq!(universe(&schema, ALL).targets, universe(&schema, ALL).targets);
}

#[test]
fn limits_are_hit_exactly() {
    let bounds = &[Dimension::Boundaries];
    let number = json!({"minimum": 1, "maximum": 5});
    check_hits(&number, json!(1.0), bounds, &["bound:#:min=1"]);
    check_hits(&number, json!(5), bounds, &["bound:#:max=5"]);
    check_hits(&number, json!(2), bounds, &[]);
    let text = json!({"minLength": 2, "maxLength": 3});
    check_hits(&text, json!("ab"), bounds, &["bound:#:minLength=2"]);
    // Lengths are counted in code points, not in bytes.
    check_hits(&text, json!("äöü"), bounds, &["bound:#:maxLength=3"]);
    check_hits(&text, json!(7), bounds, &[]);
    let list = json!({"minItems": 0, "maxItems": 2});
    check_hits(&list, json!([]), bounds, &["bound:#:minItems=0"]);
    check_hits(&list, json!([1, 2]), bounds, &["bound:#:maxItems=2"]);
}

#[test]
fn equal_limits_are_two_targets_that_are_hit_together() {
    let schema = json!({"minLength": 2, "maxLength": 2});
    let both = &["bound:#:minLength=2", "bound:#:maxLength=2"];
    check_hits(&schema, json!("ab"), &[Dimension::Boundaries], both);
}

#[test]
fn an_exclusive_limit_is_hit_by_its_representative_alone() {
    let bounds = &[Dimension::Boundaries];
    let whole = json!({"type": "integer", "exclusiveMinimum": 3});
    check_hits(&whole, json!(4), bounds, &["bound:#:min=4"]);
    check_hits(&whole, json!(5), bounds, &[]);
    check_hits(&json!({"exclusiveMaximum": 3}), json!(2), bounds, &["bound:#:max=2"]);
}

#[test]
fn a_limit_that_is_no_multiple_is_never_an_active_target_for_itself() {
    let universe = universe(&json!({"minimum": 1, "maximum": 3, "multipleOf": 2}), &[Dimension::Boundaries]);
    let values: Vec<_> = universe.targets.iter().map(|target| target.params()["value"].clone()).collect();
    assert_eq!(values, [json!(2), json!(2)]);
    let crossed = coverage_world::universe(&json!({"minimum": 3, "maximum": 1}), &[Dimension::Boundaries]);
    assert!(crossed.targets.iter().all(|target| target.status == Status::Unreachable));
}

#[test]
fn an_example_has_exactly_these_targets() {
    let report = report(&user(), &[json!({"kind": "admin", "age": 3})]);
    let check = |id: &str, kind: &str, path: &str, is_hit: bool| {
        let target = target(&report, id);
        assert_eq!(
            (target.kind.as_str(), target.canon_path.as_str(), target.hit),
            (kind, path, is_hit),
            "{id}"
        );
    };
    check("struct:#", "SCHEMA_NODE", "#", true);
    check("prop:#/properties/email:present", "PROPERTY_PRESENT", "#/properties/email", false);
    check("branch:#/oneOf:0", "ONEOF_BRANCH", "#/oneOf", true);
    check("branch:#/oneOf:1", "ONEOF_BRANCH", "#/oneOf", false);
    check("enum:#/properties/kind:\"admin\"", "ENUM_VALUE_HIT", "#/properties/kind", true);
}

#[test]
fn people_are_told_a_place_as_they_wrote_it_and_machines_as_2020_12_spells_it() {
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"k": {"enum": [1]}},
        "dependencies": {"q": {"required": ["t"]}, "r": {"$ref": "#/definitions/k"}, "s": ["q"]},
        "properties": {"t": {"items": [{"minimum": 1}], "additionalItems": {"anyOf": [{"type": "null"}]}}},
    });
    let report = report(&old, &[]);
    let check = |canonical: &str, written: &str| {
        let found = report.targets.iter().find(|target| target.canon_path == canonical);
        let found = found.unwrap_or_else(|| panic!("no target at {canonical}"));
        assert_eq!(place(found), written);
        assert_eq!(found.meta.contains_key("source"), canonical != written, "{canonical}");
    };
    check("#/$defs/k", "#/definitions/k");
    check("#/dependentSchemas/q", "#/dependencies/q");
    check("#/dependentSchemas/r", "#/dependencies/r");
    check("#/properties/t/prefixItems/0", "#/properties/t/items/0");
    check("#/properties/t/items", "#/properties/t/additionalItems");
    check("#/properties/t/items/anyOf", "#/properties/t/additionalItems/anyOf");
    check("#/properties/t", "#/properties/t");
    let page = html(&report, &PageFacts::default());
    let lines: Vec<String> = summary(&report).iter().map(text).collect();
    for told in [&page, &lines.join("\n")] {
        assert!(told.contains("#/dependencies/q") && !told.contains("\"#/dependentSchemas"), "{told}");
    }
}

#[test]
fn only_enabled_dimensions_are_listed_counted_and_named() {
    let report = report_with(&user(), &[json!({"kind": "admin"})], &[Dimension::Enum], facts());
    assert!(report.targets.iter().all(|target| target.dimension == "enum"));
    assert_eq!(report.run.dimensions_enabled, ["enum"]);
    assert_eq!(report.metrics.by_dimension.keys().collect::<Vec<_>>(), ["enum"]);
    assert!((report.metrics.overall - 1.0 / 3.0).abs() < 1e-9);
}

#[test]
fn uncovered_targets_are_ordered_by_dimension_kind_and_path() {
    let report = report(&user(), &[json!({"kind": "admin"})]);
    let dimensions: Vec<&str> =
        report.uncovered_targets.iter().map(|target| target.dimension.as_str()).collect();
    assert_eq!(
        dimensions,
        [
            "branches",
            "enum",
            "enum",
            "structure",
            "structure",
            "structure",
            "structure",
            "structure",
            "structure",
            "structure",
            "structure",
            "boundaries",
            "boundaries",
            "boundaries"
        ]
    );
}
