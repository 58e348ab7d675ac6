//! Reading descriptions: versions, references, parameters, discriminators, directions, and what is broken.

mod openapi_world;

use openapi_world::{api, line, units};
use probity_schema::openapi::{Api, Feed, Operation, Problem};
use probity_schema::{ReadOptions, SourceOptions};
use serde_json::{Value, json};

/// A description with one operation that answers with a schema.
fn answering(version: &str, schema: &Value, schemas: &Value) -> Value {
    json!({
        "openapi": version,
        "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"content": {"application/json": {"schema": schema}}}}}}},
        "components": {"schemas": schemas}
    })
}

/// Cases of every unit, as data.
#[track_caller]
fn cases(api: &Api, n: u64) -> (Vec<Value>, Vec<Problem>) {
    let (_, units) = units(api, &[]);
    let feed = Feed::new(api, SourceOptions::default());
    let (mut lines, mut problems) = (Vec::new(), Vec::new());
    for unit in &units {
        for index in 0..n {
            match feed.case(unit, 3, index) {
                Ok(case) => lines.push(line(api, unit, &case)),
                Err(problem) => {
                    problems.push(problem);
                    break;
                }
            }
        }
    }
    (lines, problems)
}

#[track_caller]
fn bodies(description: &Value, part: &str) -> Vec<Value> {
    let (lines, problems) = cases(&api(description), 40);
    assert_eq!(problems, []);
    lines.into_iter().filter(|line| line["part"] == part).map(|line| line["instance"].clone()).collect()
}

#[test]
fn a_nullable_type_of_3_0_admits_null_and_an_enum_without_null_does_not() {
    let nullable = answering("3.0.3", &json!({"type": "boolean", "nullable": true}), &json!({}));
    assert!(bodies(&nullable, "response").contains(&Value::Null));
    let listed = json!({"type": "string", "nullable": true, "enum": ["a", "b"]});
    assert!(!bodies(&answering("3.0.3", &listed, &json!({})), "response").contains(&Value::Null));
    let later = json!({"type": "boolean", "nullable": true});
    assert!(!bodies(&answering("3.1.0", &later, &json!({})), "response").contains(&Value::Null));
}

#[test]
fn a_reference_of_3_0_stands_alone_and_one_of_3_1_does_not() {
    let schema = json!({"$ref": "#/components/schemas/N", "maximum": 3});
    let schemas = json!({"N": {"type": "integer", "minimum": 1, "maximum": 50}});
    let greatest = |version: &str| {
        let values = bodies(&answering(version, &schema, &schemas), "response");
        values.iter().filter_map(Value::as_i64).max().unwrap_or_default()
    };
    assert!(greatest("3.0.3") > 3);
    assert!(greatest("3.1.0") <= 3);
}

#[test]
fn bounds_of_3_0_are_made_exclusive_by_a_boolean() {
    let schema = json!({"type": "integer", "minimum": 1, "exclusiveMinimum": true, "maximum": 3, "exclusiveMaximum": true});
    let values = bodies(&answering("3.0.3", &schema, &json!({})), "response");
    assert!(values.iter().all(|value| *value == json!(2)), "{values:?}");
}

#[test]
fn alternatives_of_a_discriminator_say_their_names() {
    let pet = |discriminator: Value| {
        let schemas = json!({
            "Cat": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}, "lives": {"type": "integer"}}},
            "Dog": {"type": "object", "required": ["kind", "bark"], "properties": {"kind": {"type": "string"}, "bark": {"type": "boolean"}}}
        });
        let refs = json!([{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]);
        let schema = json!({"anyOf": refs, "discriminator": discriminator});
        let mut kinds: Vec<String> = bodies(&answering("3.1.0", &schema, &schemas), "response")
            .iter()
            .filter_map(|body| body["kind"].as_str().map(str::to_owned))
            .collect();
        kinds.sort();
        kinds.dedup();
        kinds
    };
    assert_eq!(pet(json!({"propertyName": "kind"})), ["Cat", "Dog"]);
    let mapping = json!({"cat": "#/components/schemas/Cat", "kitten": "Cat", "dog": "Dog"});
    assert_eq!(pet(json!({"propertyName": "kind", "mapping": mapping})), ["cat", "dog", "kitten"]);
}

#[test]
fn a_schema_that_others_extend_is_drawn_as_one_of_them() {
    let schemas = json!({
        "Pet": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}, "discriminator": {"propertyName": "kind"}},
        "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"type": "object", "required": ["lives"], "properties": {"lives": {"type": "integer"}}}]},
        "Dog": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"type": "object", "required": ["bark"], "properties": {"bark": {"type": "boolean"}}}]}
    });
    for body in
        bodies(&answering("3.0.3", &json!({"$ref": "#/components/schemas/Pet"}), &schemas), "response")
    {
        let member = match body["kind"].as_str() {
            Some("Cat") => "lives",
            Some("Dog") => "bark",
            other => panic!("{other:?} in {body}"),
        };
        assert!(body.get(member).is_some(), "{body}");
    }
}

#[test]
fn what_is_read_only_is_not_sent_and_what_is_write_only_does_not_come_back() {
    let schema = json!({
        "type": "object",
        "required": ["id", "name", "password"],
        "additionalProperties": false,
        "properties": {
            "id": {"type": "integer", "readOnly": true},
            "name": {"type": "string"},
            "password": {"type": "string", "writeOnly": true}
        }
    });
    let mut description = answering("3.0.3", &schema, &json!({}));
    let body = json!({"content": {"application/json": {"schema": schema}}});
    description["paths"]["/a"]["get"]["requestBody"] = body;
    assert!(
        bodies(&description, "request")
            .iter()
            .all(|body| body.get("id").is_none() && body.get("password").is_some())
    );
    assert!(
        bodies(&description, "response")
            .iter()
            .all(|body| body.get("id").is_some() && body.get("password").is_none())
    );
}

#[test]
fn references_lead_anywhere_path_items_and_files_included() {
    let main = "\
openapi: 3.1.0
paths:
  /pets/{id}:
    $ref: 'paths.yaml#/pet'
";
    let other = json!({
        "pet": {
            "parameters": [{"$ref": "#/common/id"}],
            "get": {
                "operationId": "getPet",
                "responses": {"200": {"$ref": "#/common/ok"}}
            }
        },
        "common": {
            "id": {"name": "id", "in": "path", "required": true, "schema": {"$ref": "schemas.json#/Id"}},
            "ok": {"content": {"application/json": {"schema": {"$ref": "schemas.json#/Pet"}}}}
        }
    });
    let schemas = json!({"Id": {"type": "integer", "minimum": 7, "maximum": 7}, "Pet": {"enum": ["cat"]}});
    let options = ReadOptions {
        base: Some("file:///api/openapi.yaml".to_owned()),
        supplied: vec![
            ("file:///api/paths.yaml".to_owned(), other),
            ("file:///api/schemas.json".to_owned(), schemas),
        ],
        ..ReadOptions::default()
    };
    let api = Api::read(main, &options).expect("a description over three files");
    assert_eq!(api.problems(), []);
    let (lines, problems) = cases(&api, 1);
    assert_eq!(problems, []);
    assert_eq!(lines[0]["request"]["target"], "/pets/7");
    assert_eq!(lines[1]["instance"], "cat");
    // Places in other files of the checkout are told as they are seen from the user's own.
    assert!(api.operations()[0].at.starts_with("paths.yaml#/"), "{}", api.operations()[0].at);
    let alone = Api::read(main, &ReadOptions { supplied: Vec::new(), ..options }).expect("a description");
    assert!(alone.problems()[0].text.contains("--ref file:///api/paths.yaml=FILE"), "{:?}", alone.problems());
}

#[test]
fn identifiers_and_anchors_of_3_1_are_followed() {
    let schemas = json!({
        "A": {"$id": "https://example.com/a", "properties": {"b": {"$ref": "#here"}}, "required": ["b"], "type": "object",
              "$defs": {"B": {"$anchor": "here", "enum": [5]}}}
    });
    let values = bodies(&answering("3.1.0", &json!({"$ref": "https://example.com/a"}), &schemas), "response");
    assert!(values.iter().all(|value| value["b"] == 5), "{values:?}");
}

#[test]
fn identifiers_and_anchors_are_found_whatever_the_name_they_stand_under() {
    let content = |schema: &Value| json!({"content": {"application/json": {"schema": schema}}});
    let check = |reference: &str, default: &Value, schemas: &Value| {
        let mut description = answering("3.1.0", &json!({ "$ref": reference }), schemas);
        description["paths"]["/a"]["get"]["responses"]["default"] = content(default);
        let values = bodies(&description, "response");
        assert!(!values.is_empty() && values.iter().all(|value| *value == 5), "{description}: {values:?}");
    };
    let (named, plain) = (json!({"$anchor": "here", "enum": [5]}), json!({"enum": [5]}));
    check("#here", &named, &json!({}));
    check("https://example.com/a", &json!({"$id": "https://example.com/a", "enum": [5]}), &json!({}));
    for name in ["default", "example", "enum", "const", "required"] {
        check("#here", &plain, &json!({ name: named }));
        check("#here", &plain, &json!({"A": {"properties": { name: named }}}));
        check("#here", &plain, &json!({"A": {"$defs": { name: named }}}));
    }
}

#[track_caller]
fn operation(parameters: &Value) -> (Operation, Vec<Problem>) {
    let description = json!({"openapi": "3.1.0", "paths": {"/a/{id}": {"parameters": parameters, "get": {"responses": {}}}}});
    let api = api(&description);
    (api.operations()[0].clone(), api.problems().to_vec())
}

#[test]
fn an_operation_takes_its_paths_parameters_unless_it_has_its_own() {
    let description = json!({"openapi": "3.1.0", "paths": {"/a": {
        "parameters": [{"name": "x", "in": "query", "schema": {"enum": [1]}}, {"name": "x", "in": "header", "schema": {"enum": ["h"]}}],
        "get": {"parameters": [{"name": "x", "in": "query", "required": true, "schema": {"enum": [2]}}], "responses": {}}
    }}});
    let api = api(&description);
    assert_eq!(api.operations()[0].parameters.len(), 2);
    let (lines, _) = cases(&api, 1);
    assert_eq!(lines[0]["parameters"]["query"]["x"], 2);
}

#[test]
fn a_path_parameter_without_a_definition_is_told_and_filled() {
    let (operation, problems) = operation(&json!([]));
    assert_eq!(operation.parameters.len(), 1);
    assert_eq!(problems[0].at, "#/paths/~1a~1{id}/get/parameters");
    assert!(problems[0].text.contains("{id}"), "{}", problems[0].text);
    let (_, problems) =
        self::operation(&json!([{"name": "id", "in": "path", "style": "form", "schema": {}}]));
    assert!(problems[0].at.ends_with("/parameters/0/style"), "{problems:?}");
    assert!(problems[0].text.contains("simple, label, matrix"), "{problems:?}");
}

/// Reads a text, and checks what is said about it; what is said may be an error, or a problem of a part.
#[track_caller]
fn refuse(text: &str, expected: &[&str]) {
    let said = match Api::read(text, &ReadOptions::default()) {
        Err(error) => error.to_string(),
        Ok(api) => {
            let (_, broken) = cases(&api, 1);
            let all = api.problems().iter().chain(&broken).map(ToString::to_string);
            all.collect::<Vec<_>>().join("\n")
        }
    };
    for words in expected {
        assert!(said.contains(words), "{words:?} is not said: {said}");
    }
}

#[test]
fn bad_descriptions_are_refused_with_their_place() {
    refuse("", &["empty"]);
    refuse("[]", &["at #", "is not an API description"]);
    refuse("{}", &["at #", "no \"openapi\""]);
    refuse("swagger: '2.0'", &["#/swagger", "Swagger 2.0", "convert"]);
    refuse("openapi: 4.0.0\npaths: {}", &["#/openapi", "4.0.0", "3.0 and 3.1"]);
    refuse("openapi: 3.0.0", &["at #", "no \"paths\""]);
    refuse("openapi: 3.1.0\npaths: []", &["#/paths"]);
    refuse("openapi: 3.1.0\npaths: {a: {get: {}}}", &["#/paths/a", "starts with \"/\""]);
    refuse("openapi: 3.1.0\npaths: {/a: {get: 5}}", &["#/paths/~1a/get", "is an object"]);
    refuse("openapi: 3.1.0\npaths: {/a: {$ref: '#/paths/~1a'}}", &["#/paths/~1a", "leads back to itself"]);
    refuse("openapi: 3.1.0\npaths: {/a: {get: {responses: {20: {}}}}}", &["/responses/20", "is no status"]);
    let twice = "openapi: 3.1.0\npaths: {/a: {get: {operationId: x}, put: {operationId: x}}}";
    refuse(twice, &["#/paths/~1a/put/operationId", "\"x\"", "PUT /a"]);
    let nowhere = "openapi: 3.1.0\npaths: {/a: {get: {parameters: [{$ref: '#/components/parameters/Pag'}]}}}\ncomponents: {parameters: {Page: {}}}";
    refuse(nowhere, &["/parameters/0/$ref", "is not there", "#/components/parameters/Page"]);
    let circle = "openapi: 3.0.0\npaths: {/a: {get: {responses: {200: {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}}}}\n\
                  components: {schemas: {A: {allOf: [{$ref: '#/components/schemas/B'}]}, B: {allOf: [{$ref: '#/components/schemas/A'}]}}}";
    refuse(circle, &["GET /a", "#/components/schemas/", "includes itself"]);
    let wrong = "openapi: 3.1.0\npaths: {/a: {get: {responses: {200: {content: {application/json: {schema: {type: strin}}}}}}}}";
    refuse(wrong, &["GET /a", "/schema", "strin"]);
}

#[test]
fn what_is_broken_in_one_operation_does_not_touch_the_others() {
    let mut description = openapi_world::shop();
    description["paths"]["/users"]["post"]["requestBody"]["content"]["application/json"]["schema"] =
        json!({"$ref": "#/components/schemas/Usr"});
    let api = api(&description);
    let (lines, problems) = cases(&api, 1);
    let places: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 1, "{places:?}");
    assert!(places[0].starts_with("POST /users: at #/paths/~1users/post/requestBody"), "{places:?}");
    assert!(places[0].contains("#/components/schemas/User"), "the nearest name is told: {places:?}");
    let served: Vec<(&str, &str)> =
        lines.iter().filter_map(|line| Some((line["operation"].as_str()?, line["part"].as_str()?))).collect();
    assert!(served.contains(&("POST /users", "response")) && served.contains(&("getUser", "request")));
}

#[test]
fn yaml_with_anchors_merge_keys_and_numeric_statuses_is_read() {
    let text = "\
openapi: 3.1.0
x-base: &base
  content: {application/json: {schema: {type: integer, minimum: 1, maximum: 1}}}
paths:
  /a:
    get:
      operationId: a
      responses:
        200: {<<: *base, description: fine}
        404: *base
";
    let api = Api::read(text, &ReadOptions::default()).expect("YAML");
    let answer = api.operations()[0].response().expect("a response");
    assert_eq!(answer.status, "200");
    let (lines, problems) = cases(&api, 1);
    assert_eq!(problems, []);
    assert_eq!(lines[1]["instance"], 1);
}
