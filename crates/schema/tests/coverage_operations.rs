//! Everything about the coverage of operations: keys, targets, figures, plans and reports.

mod coverage_world;
mod openapi_world;

use openapi_world::{ALL, Ask, api, guided, of_kind, shop, target, units};
use probity_schema::coverage::{CoverageReport, Dimension, OperationsScope, PageFacts, Status, html};
use probity_schema::openapi::Suite;
use serde_json::{Value, json};

const GET: &str = "getUser";
const POST: &str = "POST /users";

fn keys(report: &CoverageReport) -> Vec<&str> {
    report.metrics.by_operation.keys().map(String::as_str).collect()
}

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-12
}

#[test]
fn an_operation_is_called_by_its_id_or_by_method_and_path() {
    let api = api(&shop());
    let keys: Vec<&str> = api.operations().iter().map(|operation| operation.key.as_str()).collect();
    assert_eq!(keys, [POST, GET, "deleteUser"]);
}

#[test]
fn requests_and_responses_are_targets_of_their_operation() {
    let (report, _) = guided(&shop(), &Ask::default());
    let ids: Vec<&str> =
        of_kind(&report, "OP_REQUEST_COVERED").iter().map(|target| target.id.as_str()).collect();
    assert_eq!(ids, ["op:POST /users:request", "op:getUser:request", "op:deleteUser:request"]);
    let request = target(&report, "op:POST /users:request");
    assert_eq!(request.operation_key.as_deref(), Some(POST));
    assert_eq!(request.dimension, "operations");
    assert_eq!(request.canon_path, "#/paths/~1users/post");
    assert!(request.hit);
}

#[test]
fn only_a_2xx_response_in_json_is_a_response_that_counts() {
    let mut description = shop();
    description["paths"]["/users/{id}"]["get"]["responses"] = json!({
        "200": {"content": {"text/html": {"schema": {"type": "string"}}}},
        "404": {"content": {"application/json": {"schema": {"type": "object"}}}}
    });
    let (report, lines) = guided(&description, &Ask::default());
    let ids: Vec<&str> =
        of_kind(&report, "OP_RESPONSE_COVERED").iter().map(|target| target.id.as_str()).collect();
    assert_eq!(ids, ["op:POST /users:response"]);
    // The first pair in JSON is still what the operation's responses are drawn from.
    assert!(lines.iter().any(|line| line["operation"] == GET && line["status"] == "404"));
}

#[test]
fn schemas_that_several_operations_use_are_shown_and_never_counted() {
    let (report, _) = guided(&shop(), &Ask::default());
    let reused = of_kind(&report, "SCHEMA_REUSED_COVERED");
    let paths: Vec<&str> = reused.iter().map(|target| target.canon_path.as_str()).collect();
    // The parameter of the path is shared by two operations as well.
    assert_eq!(
        paths,
        [
            "#/components/schemas/User",
            "#/paths/~1users~1{id}/parameters/0/schema",
            "#/components/schemas/Address"
        ]
    );
    assert!(reused.iter().all(|target| target.status == "deprecated" && target.dimension == "operations"));
    assert!(reused.iter().all(|target| target.hit));
    assert_eq!(report.metrics.targets_by_status["deprecated"], 3);
    let counted =
        report.targets.iter().filter(|target| target.dimension == "operations" && target.status == "active");
    assert_eq!(counted.count(), 5);
    assert!(near(report.metrics.by_dimension["operations"], 1.0));
}

#[test]
fn a_selection_is_told_and_nothing_else_counts() {
    let ask = Ask { operations: &["deleteUser"], ..Ask::default() };
    let (report, _) = guided(&shop(), &ask);
    assert_eq!(report.run.operations_scope, Some(OperationsScope::Selected));
    assert_eq!(report.run.selected_operations, Some(vec!["deleteUser".to_owned()]));
    assert_eq!(keys(&report), ["deleteUser"]);
    assert!(report.targets.iter().all(|target| !target.canon_path.contains("components")));
}

#[test]
fn a_run_on_everything_says_so() {
    let (report, _) = guided(&shop(), &Ask::default());
    assert_eq!(report.run.operations_scope, Some(OperationsScope::All));
    assert_eq!(report.run.selected_operations, None);
}

#[test]
fn one_target_counts_for_every_operation_that_reaches_it() {
    let (report, _) = guided(&shop(), &Ask::default());
    let shared = target(&report, "enum:#/components/schemas/User/properties/kind:\"admin\"");
    assert_eq!(shared.meta["operations"], json!([POST, GET]));
    assert_eq!(report.targets.iter().filter(|target| target.id == shared.id).count(), 1);
    let delete = target(&report, "struct:#/paths/~1users~1{id}/parameters/0/schema");
    assert_eq!(delete.meta["operations"], json!([GET, "deleteUser"]));
}

#[test]
fn coverage_of_an_operation_is_a_ratio_over_what_it_reaches() {
    let (report, _) = guided(&shop(), &Ask { n: Some(1), ..Ask::default() });
    let reaches = |target: &&probity_schema::coverage::TargetReport, key: &str| {
        target.meta.get("operations").and_then(Value::as_array).is_some_and(|keys| keys.contains(&json!(key)))
    };
    for (key, share) in &report.metrics.by_operation {
        let counted: Vec<_> = report
            .targets
            .iter()
            .filter(|target| target.status == "active" && reaches(target, key))
            .collect();
        let n_hit = counted.iter().filter(|target| target.hit).count();
        #[expect(clippy::cast_precision_loss, reason = "a handful of targets")]
        let expected = n_hit as f64 / counted.len() as f64;
        assert!(near(*share, expected), "{key}: {share} is not {expected}");
    }
    assert!(report.metrics.by_operation["deleteUser"] < 1.0);
}

#[test]
fn without_the_dimension_operations_have_no_targets_of_their_own() {
    let dimensions = &[Dimension::Structure, Dimension::Enum];
    let (report, _) = guided(&shop(), &Ask { dimensions, ..Ask::default() });
    assert!(report.targets.iter().all(|target| target.dimension != "operations"));
    assert!(!report.metrics.by_dimension.contains_key("operations"));
    assert_eq!(keys(&report), [POST, "deleteUser", GET]);
    assert!(near(report.metrics.by_operation[GET], 1.0));
}

#[test]
fn ids_do_not_depend_on_dimensions_or_selection() {
    let ids = |ask: &Ask<'_>| -> Vec<String> {
        guided(&shop(), ask).0.targets.into_iter().map(|target| target.id).collect()
    };
    let all = ids(&Ask::default());
    for dimension in ALL {
        let few = ids(&Ask { dimensions: &[*dimension], ..Ask::default() });
        assert!(few.iter().all(|id| all.contains(id)), "{dimension:?}: {few:?}");
    }
    let one = ids(&Ask { operations: &[GET], ..Ask::default() });
    assert!(one.iter().all(|id| all.contains(id)), "{one:?}");
}

#[test]
fn what_a_budget_leaves_out_is_listed_by_operation() {
    let (report, lines) = guided(&shop(), &Ask { n: Some(2), ..Ask::default() });
    assert_eq!(lines.len(), 2, "the budget is an upper bound");
    let served: Vec<&Value> = lines.iter().map(|line| &line["operation"]).collect();
    assert_eq!(served, [POST, GET], "every operation has one before any has two");
    let left = target(&report, "op:deleteUser:request");
    assert_eq!(left.meta["planned"], json!(false));
    let caps = &report.diagnostics.planner_caps_hit;
    assert!(caps.iter().all(|cap| cap.scope_type == "operation"));
    let cap = caps.iter().find(|cap| cap.scope_key == "deleteUser" && cap.dimension == "operations");
    let cap = cap.expect("the operation that was left out is listed");
    assert_eq!((cap.total_targets, cap.planned_targets, cap.unplanned_targets), (2, 1, 1));
}

#[test]
fn the_report_fits_its_schema() {
    coverage_world::judge(&guided(&shop(), &Ask::default()).0);
    coverage_world::judge(&guided(&shop(), &Ask { operations: &[GET], ..Ask::default() }).0);
}

#[test]
fn a_guided_run_covers_every_operation_with_and_without_an_id() {
    let (report, lines) = guided(&shop(), &Ask::default());
    assert_eq!(keys(&report), [POST, "deleteUser", GET]);
    assert!(report.metrics.by_operation.values().all(|share| near(*share, 1.0)), "{:?}", report.metrics);
    for kind in ["OP_REQUEST_COVERED", "OP_RESPONSE_COVERED"] {
        assert!(
            of_kind(&report, kind).iter().all(|target| target.hit && target.status == "active"),
            "{kind}"
        );
    }
    assert!(lines.len() < 16, "few cases are enough: {}", lines.len());
}

#[test]
fn two_runs_are_the_same_on_any_number_of_threads() {
    let run = |n_threads| guided(&shop(), &Ask { n_threads, ..Ask::default() });
    assert_eq!(run(1), run(1));
    assert_eq!(run(1), run(3));
}

#[test]
fn a_selection_gives_the_cases_that_the_whole_run_gives() {
    let (_, all) = guided(&shop(), &Ask::default());
    for name in [POST, GET, "deleteUser"] {
        let (_, own) = guided(&shop(), &Ask { operations: &[name], ..Ask::default() });
        let expected: Vec<&Value> = all.iter().filter(|line| line["operation"] == name).collect();
        assert_eq!(own.iter().collect::<Vec<_>>(), expected, "{name}");
    }
}

#[test]
fn operations_are_found_by_id_by_method_and_path_and_by_star() {
    let api = api(&shop());
    let found = |name: &str| units(&api, &[name]).0;
    assert_eq!(found(GET), [1]);
    assert_eq!(found("GET /users/{id}"), [1]);
    assert_eq!(found("* /users/*"), [1, 2]);
    assert_eq!(found("*User"), [1, 2]);
}

#[test]
fn the_page_shows_operations_first_and_the_least_covered_on_top() {
    let (report, _) = guided(&shop(), &Ask { n: Some(1), ..Ask::default() });
    let page = html(&report, &PageFacts::default());
    let place = |words: &str| page.find(words).unwrap_or_else(|| panic!("{words} is not on the page"));
    assert!(place("Operations, least covered first") < place("class=\"cards\""));
    let mut keys: Vec<(&String, &f64)> = report.metrics.by_operation.iter().collect();
    keys.sort_by(|left, right| left.1.total_cmp(right.1));
    let places: Vec<usize> = keys.iter().map(|(key, _)| place(&format!("<td>{key}</td>"))).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn an_operation_without_any_schema_has_a_request_to_cover() {
    let description = json!({"openapi": "3.1.0", "paths": {"/ping": {"get": {"responses": {}}}}});
    let (report, lines) = guided(&description, &Ask::default());
    assert_eq!(lines.len(), 1);
    assert!(target(&report, "op:GET /ping:request").hit);
    assert!(near(report.metrics.by_operation["GET /ping"], 1.0));
}

/// Checks which targets are out of reach when one schema is sent and another comes back; all others are hit.
#[track_caller]
fn check_one_way(version: &str, sent: &Value, answered: &Value, unreachable: &[&str]) {
    let content = |name: &str| json!({"content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}}});
    let description = json!({
        "openapi": version,
        "paths": {"/a": {"post": {"requestBody": content("Sent"), "responses": {"200": content("Answered")}}}},
        "components": {"schemas": {"Sent": sent, "Answered": answered}}
    });
    let (report, _) = guided(&description, &Ask::default());
    let marked: Vec<&str> = report
        .targets
        .iter()
        .filter(|target| target.status == "unreachable")
        .map(|target| target.id.as_str())
        .collect();
    assert_eq!(marked, unreachable, "{sent} and {answered}");
    assert!(near(report.metrics.overall, 1.0), "{:#?}", report.uncovered_targets);
    // A run that only measures, and a list, count the same.
    let api = api(&description);
    let (operations, units) = units(&api, &[]);
    let suite = Suite::of(&api, &operations, &units).expect("a test's schemas are schemas");
    let counted = suite.analyze(ALL).universe.targets;
    let counted = counted.iter().filter(|target| target.status == Status::Unreachable);
    assert_eq!(counted.map(|target| target.id.as_str()).collect::<Vec<_>>(), unreachable);
}

#[test]
fn what_never_goes_the_way_that_a_schema_is_used_is_out_of_reach() {
    let user = |required: &[&str]| {
        json!({
            "type": "object",
            "required": required,
            "properties": {
                "name": {"type": "string"},
                "id": {"readOnly": true, "type": "object", "properties": {"kind": {"enum": [1, 2]}}},
                "password": {"type": "string", "writeOnly": true}
            }
        })
    };
    let plain = json!({"type": "integer"});
    let of_id = [
        "struct:#/components/schemas/Sent/properties/id",
        "prop:#/components/schemas/Sent/properties/id/properties/kind:present",
        "struct:#/components/schemas/Sent/properties/id/properties/kind",
        "enum:#/components/schemas/Sent/properties/id/properties/kind:1",
        "enum:#/components/schemas/Sent/properties/id/properties/kind:2",
    ];
    let sent = [&["prop:#/components/schemas/Sent/properties/id:present"][..], &of_id].concat();
    let answered = [
        "prop:#/components/schemas/Answered/properties/password:present",
        "struct:#/components/schemas/Answered/properties/password",
    ];
    check_one_way("3.1.0", &user(&["name"]), &plain, &sent);
    check_one_way("3.1.0", &plain, &user(&["name"]), &answered);
    // 3.0 asks for what is required only where it goes; 3.1 asks for it everywhere.
    check_one_way("3.0.3", &user(&["name", "id"]), &plain, &of_id);
    check_one_way("3.1.0", &user(&["name", "id"]), &plain, &[]);
    // What goes both ways is in reach by one of them.
    check_one_way("3.1.0", &user(&["name"]), &json!({"$ref": "#/components/schemas/Sent"}), &[]);
}

#[test]
fn a_member_that_may_be_forced_is_in_reach_whatever_way_it_goes() {
    let kind = json!({"readOnly": true, "enum": ["cat", "dog"]});
    let base = json!({"type": "object", "properties": {"kind": kind}});
    let plain = json!({"type": "integer"});
    for rule in [
        json!({"required": ["kind"]}),
        json!({"anyOf": [{"required": ["kind"]}]}),
        json!({"minProperties": 1, "properties": {"kind": {}}, "additionalProperties": false}),
        json!({"required": ["a"], "dependentRequired": {"a": ["kind"]}}),
    ] {
        let sent = json!({"allOf": [base, rule]});
        check_one_way("3.1.0", &sent, &plain, &[]);
    }
}

#[test]
fn a_member_that_one_part_of_a_schema_keeps_out_is_out_of_reach_in_the_others() {
    let sent = json!({
        "allOf": [
            {"type": "object", "properties": {"id": {"type": "integer", "readOnly": true}}},
            {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
        ]
    });
    let unreachable = [
        "prop:#/components/schemas/Sent/allOf/0/properties/id:present",
        "prop:#/components/schemas/Sent/allOf/1/properties/id:present",
        "struct:#/components/schemas/Sent/allOf/0/properties/id",
        "struct:#/components/schemas/Sent/allOf/1/properties/id",
    ];
    check_one_way("3.1.0", &sent, &json!({"type": "integer"}), &unreachable);
}
