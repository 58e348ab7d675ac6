//! What `probity openapi` tells of a description that it does not serve whole: to people, in the list, and to CI.

mod run;

use std::fs;

use run::probity;
use serde_json::Value;

/// Two operations that share a schema with a member, and one of its own.
const SHARED: &str = r"
openapi: 3.1.0
info: {title: t, version: '1'}
paths:
  /a:
    get:
      operationId: getA
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/T'}}}}}
  /b:
    post:
      operationId: postB
      parameters: [{name: q, in: query, schema: {type: integer}}]
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/T'}}}}
      responses: {'204': {description: done}}
    get:
      operationId: getB
      responses: {'200': {description: ok, content: {application/json: {schema: {type: integer}}}}}
components: {schemas: {T: {type: object, properties: {k: {type: integer}}}}}
";

/// One operation with these responses, and a request body of these contents.
fn one(method: &str, responses: &str, body: &str) -> String {
    format!(
        "openapi: 3.1.0\ninfo: {{title: t, version: '1'}}\npaths:\n  /a:\n    {method}:\n      operationId: it\n      \
         requestBody: {{content: {body}}}\n      responses: {responses}\n"
    )
}

/// What came of a run: what it said, and every file that it wrote.
struct Outcome {
    said: String,
    listed: String,
    junit: String,
    summary: String,
    sarif: String,
}

/// Runs on a description, checks the exit code, and hands over everything that was told.
#[track_caller]
fn outcome(text: &str, arguments: &[&str], code: i32) -> Outcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("a path that is text").to_owned();
    fs::write(at("api.yaml"), text).expect("a file is written");
    let files = ["--junit", &at("out.xml"), "--summary", &at("out.md"), "--sarif", &at("out.sarif")];
    let run = probity(&[&["openapi", &at("api.yaml")], &files[..], arguments].concat(), "");
    assert_eq!(run.code, Some(code), "{}", run.stderr);
    let read = |name: &str| fs::read_to_string(at(name)).expect("the file is written");
    let said = run.stderr.replace(&at("api.yaml"), "api.yaml");
    Outcome {
        said,
        listed: run.stdout,
        junit: read("out.xml"),
        summary: read("out.md"),
        sarif: read("out.sarif"),
    }
}

#[track_caller]
fn json_of(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

#[track_caller]
fn contains(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "{words:?} is not in:\n{text}");
    }
}

/// Breaks the shared description, and checks that both operations are named in everything that is told.
#[track_caller]
fn check_broken(right: &str, wrong: &str, fault: &str) {
    let text = SHARED.replacen(right, wrong, 1);
    assert_ne!(text, SHARED);
    let mild = outcome(&text, &[], 0);
    contains(&mild.said, &[&format!("note: api.yaml: getA, postB: at {fault}")]);
    assert_eq!(mild.said.matches(fault).count(), 1, "{}", mild.said);
    contains(
        &mild.junit,
        &["failures=\"0\"", "skipped=\"2\"", "<skipped type=\"broken-part\" message=\"getA, postB: at "],
    );
    contains(&mild.summary, &["**passed**: 0 of 4 failed, 2 skipped", "skipped **broken-part** in "]);
    assert_eq!(mild.sarif.matches("\"ruleId\"").count(), 1, "{}", mild.sarif);
    let strict = outcome(&text, &["--strict"], 2);
    contains(&strict.said, &[&format!("error: api.yaml: getA, postB: at {fault}")]);
    contains(&strict.junit, &["failures=\"2\"", "skipped=\"0\"", "<failure type=\"broken-part\""]);
    for arguments in [&["--list"][..], &["--list", "--part", "response"]] {
        let list = outcome(&text, arguments, 0);
        contains(
            &list.listed,
            &["answers 200 application/json T (broken)", "sends application/json T (broken)"],
        );
    }
    for mode in ["measure", "guided"] {
        contains(&outcome(&text, &["--coverage", mode], 0).junit, &["skipped=\"2\""]);
    }
}

#[test]
fn a_broken_schema_is_told_of_every_operation_that_it_touches() {
    check_broken(
        "k: {type: integer}",
        "k: {$ref: '#/components/schemas/Missing'}",
        "#/components/schemas/T/properties/k/$ref: \"#/components/schemas/Missing\" is not there",
    );
    check_broken(
        "k: {type: integer}",
        "k: {type: integr}",
        "#/components/schemas/T/properties/k/type: \"integr\" is not a type",
    );
    check_broken(
        "T: {type: object,",
        "T: {type: object, required: [k], minProperties: 2, maxProperties: 1,",
        "#/components/schemas/T: the contract admits no value",
    );
}

#[test]
fn a_broken_parameter_is_told_also_where_a_case_may_lack_it() {
    let text = SHARED.replacen("schema: {type: integer}", "schema: {type: integr}", 1);
    let place = "postB: at #/paths/~1b/post/parameters/0/schema/type: \"integr\" is not a type";
    for seed in ["1", "2", "3", "4"] {
        contains(&outcome(&text, &["--seed", seed], 0).said, &[place]);
        contains(&outcome(&text, &["--seed", seed, "--strict"], 2).said, &[place]);
    }
    contains(&outcome(&text, &["--list"], 0).listed, &["1 parameter (1 broken)"]);
    let both = text.replacen("k: {type: integer}", "k: {type: strng}", 1);
    for arguments in [&[][..], &["--coverage", "measure"], &["--coverage", "guided"]] {
        contains(&outcome(&both, arguments, 0).said, &[place, "getA, postB: at ", "\"strng\" is not a type"]);
    }
}

/// Checks what is said of the responses of one operation, how it is listed, its main status in the list and in the index, and
/// how a strict run ends.
#[track_caller]
fn check_main(responses: &str, said: &str, listed: &str, main: &str, strict: i32) {
    let text = one("put", responses, "{application/json: {schema: {}}}");
    let told = outcome(&text, &[], 0);
    contains(&told.said, &[said]);
    outcome(&text, &["--strict"], strict);
    contains(&outcome(&text, &["--list"], 0).listed, &[listed]);
    let list = json_of(&outcome(&text, &["--list", "--json", "-"], 0).listed);
    assert_eq!(list["operations"][0]["main"], main);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let goal = folder.path().join("mocks");
    let goal = goal.to_str().expect("a path that is text");
    outcome(&text, &["--out", "dir", "-o", goal], 0);
    let index: Value = json_of(&fs::read_to_string(format!("{goal}/index.json")).expect("the index"));
    assert_eq!(index[0]["main"], main, "{index}");
}

const ERROR: &str = "'404': {description: no, content: {application/json: {schema: {type: object}}}}";

#[test]
fn an_error_response_never_stands_in_for_a_success_without_a_word() {
    check_main(
        &format!("{{'204': {{description: gone}}, {ERROR}}}"),
        "note: api.yaml: it: at #/paths/~1a/put/responses/204: the response 204 has no body; the response 404 counts as well",
        "answers 204 (no body) or 404 application/json (inline)",
        "204",
        0,
    );
    check_main(
        &format!("{{'200': {{description: ok, content: {{image/png: {{}}}}}}, {ERROR}}}"),
        "note: api.yaml: it: at #/paths/~1a/put/responses/200: the response 200 in image/png is not made; responses are made where they are in JSON",
        "answers 200 image/png (not made) or 404 application/json (inline)",
        "200",
        2,
    );
    check_main(&format!("{{{ERROR}}}"), "", "answers 404 application/json (inline)", "404", 0);
    check_main("{'204': {description: gone}}", "", "answers 204 (no body)", "204", 0);
}

/// Checks the statuses of the responses that are made of an operation with a success without a body.
#[track_caller]
fn check_bodiless(arguments: &[&str], expected: &[&str]) {
    let text =
        one("put", &format!("{{'204': {{description: gone}}, {ERROR}}}"), "{application/json: {schema: {}}}");
    let lines = outcome(&text, &[&["--part", "response"], arguments].concat(), 0).listed;
    let lines: Vec<Value> = lines.lines().map(json_of).collect();
    let statuses: Vec<&str> = lines.iter().filter_map(|line| line["status"].as_str()).collect();
    assert_eq!(statuses, expected, "{arguments:?}");
    assert!(
        lines.iter().all(|line| (line["status"] == "204") == line.get("instance").is_none()),
        "{lines:?}"
    );
}

#[test]
fn a_response_without_a_body_is_made_once_by_its_status() {
    check_bodiless(&[], &["204", "404"]);
    check_bodiless(&["--coverage", "guided"], &["204", "404"]);
    check_bodiless(&["--per-operation", "3"], &["204", "404", "404", "404"]);
    check_bodiless(&["--status", "204"], &["204"]);
    check_bodiless(&["--status", "2XX", "--status", "4XX", "--n", "2"], &["204", "404"]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let goal = folder.path().join("mocks").to_str().expect("a path that is text").to_owned();
    let text = one("put", "{'204': {description: gone}}", "{application/json: {schema: {}}}");
    outcome(&text, &["--part", "response", "--out", "dir", "-o", &goal], 0);
    let index = json_of(&fs::read_to_string(format!("{goal}/index.json")).expect("the index"));
    assert_eq!((&index[0]["main"], &index[0]["files"]["responses/204"]), (&"204".into(), &0.into()));
    assert_eq!(
        fs::read_dir(&goal).expect("the folder is there").count(),
        1,
        "there is nothing but the index"
    );
}

#[test]
fn a_status_without_json_is_told_as_that_and_not_as_one_that_is_not_there() {
    let image = format!(
        "{{'200': {{description: ok, content: {{image/png: {{}}}}}}, '204': {{description: gone}}, {ERROR}}}"
    );
    let text = one("put", &image, "{application/json: {schema: {}}}");
    let rows = [
        (
            "200",
            "--status 200: this response has no body in JSON with a schema, only image/png; made are: 204, 404",
        ),
        ("500", "--status 500: no response of these operations has it; there are: 200, 204, 404"),
    ];
    for (status, said) in rows {
        contains(&outcome(&text, &["--status", status], 2).said, &[said]);
    }
    let all = outcome(&text, &["--status", "all"], 0);
    contains(&all.said, &["the response 200 in image/png is not made"]);
    assert!(!all.said.contains("204"), "{}", all.said);
    outcome(&text, &["--status", "all", "--strict"], 2);
}

#[test]
fn media_types_beside_the_one_that_is_made_are_named_and_are_no_fault() {
    let text = one(
        "put",
        "{'200': {description: ok, content: {application/json: {schema: {}}, text/csv: {schema: {}}}}}",
        "{application/json: {schema: {enum: [a, b]}}, application/x-www-form-urlencoded: {schema: {enum: [c]}}}",
    );
    let told = outcome(&text, &["--strict", "--coverage", "measure"], 0);
    contains(
        &told.said,
        &[
            "requestBody/content: requests are made in application/json; nothing is made or counted in application/x-www-form-urlencoded",
            "responses/200: responses are made in application/json; nothing is made or counted in text/csv",
        ],
    );
    contains(&told.junit, &["skipped=\"0\"", "<system-out>part-not-made: it: at "]);
    assert!(!told.sarif.contains("ruleId"), "{}", told.sarif);
    let list = outcome(&text, &["--list"], 0).listed;
    contains(
        &list,
        &[
            "sends application/json (inline) (application/x-www-form-urlencoded not made)",
            "(text/csv not made)",
        ],
    );
    let list = json_of(&outcome(&text, &["--list", "--json", "-"], 0).listed);
    assert_eq!(list["operations"][0]["sendsUnmade"][0], "application/x-www-form-urlencoded");
    assert_eq!(list["operations"][0]["answersUnmade"][0], "200 text/csv");
}

#[test]
fn many_operations_with_the_same_media_types_are_one_note_and_a_fault_names_them_all() {
    let operation = |at: usize, schema: &str| {
        let body = format!("{{content: {{application/json: {{schema: {schema}}}, text/csv: {{}}}}}}");
        format!("  /a{at}: {{put: {{operationId: put{at}, requestBody: {body}, responses: {{}}}}}}\n")
    };
    let api = |schema: &str| {
        let paths: String = (1..=9).map(|at| operation(at, schema)).collect();
        format!("openapi: 3.1.0\npaths:\n{paths}components: {{schemas: {{T: {{type: integr}}}}}}\n")
    };
    let beside = "put1, put2, put3, put4, put5, put6 and 3 more: requests are made in application/json; nothing is made or counted in text/csv";
    let told = outcome(&api("{}"), &[], 0);
    assert_eq!(told.said, format!("note: api.yaml: {beside}\n"));
    let told = outcome(&api("{$ref: '#/components/schemas/T'}"), &["--list"], 0);
    contains(
        &told.said,
        &[
            "note: api.yaml: put1, put2, put3, put4, put5, put6, put7, put8, put9: at #/components/schemas/T/type: ",
        ],
    );
}

#[test]
fn what_is_merely_not_made_and_what_was_mended_have_rules_of_their_own() {
    let csv = one("put", "{'200': {description: ok, content: {text/csv: {schema: {}}}}}", "{text/csv: {}}");
    let wordless = one("put", "{}", "{application/json: {schema: {}}}").replace("/a:", "'/a/{id}':");
    let lost = one("put", "{'200': {$ref: '#/none'}}", "{application/json: {schema: {}}}");
    let rows = [
        (
            csv,
            "part-not-made",
            "A part of the document is right, and no data is made for it",
            "skipped=\"1\"",
        ),
        (
            wordless,
            "mended-part",
            "A part of the document is wrong and read as it was probably meant",
            "skipped=\"0\"",
        ),
        (lost, "broken-part", "A part of the document cannot be used", "skipped=\"1\""),
    ];
    for (text, code, about, skipped) in rows {
        for (arguments, exit) in [(&[][..], 0), (&["--strict"], 2)] {
            let told = outcome(&text, arguments, exit);
            let log = json_of(&told.sarif);
            let rules = &log["runs"][0]["tool"]["driver"]["rules"];
            assert_eq!(
                (&rules[0]["id"], &rules[0]["shortDescription"]["text"]),
                (&code.into(), &about.into())
            );
            assert_eq!(rules.as_array().map(Vec::len), Some(1), "{log}");
            contains(&told.junit, &[if exit == 0 { skipped } else { "failures=\"1\"" }, code]);
        }
    }
}

#[test]
fn every_note_names_the_file_that_it_speaks_of() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["api", "other"] {
        fs::create_dir(folder.path().join(name)).expect("a folder is made");
    }
    let files = [
        (
            "api/api.yaml",
            "openapi: 3.1.0\npaths: {/a: {$ref: 'paths.yaml#/a'}, /b: {$ref: 'shared.yaml#/b'}}\n",
        ),
        (
            "api/paths.yaml",
            "a:\n  get:\n    operationId: getA\n    respones: {}\n    requestBody: {content: {text/csv: {}}}\n    \
             responses: {'200': {content: {application/json: {schema: {$ref: 'schemas.yaml#/T'}}}}, '400': {$ref: '#/aa'}}\n",
        ),
        ("api/schemas.yaml", "T: {type: object, requird: [k], properties: {k: {type: integr}}}\n"),
        (
            "other/shared.yaml",
            "b: {get: {operationId: getB, responses: {'200': {content: {application/json: {schema: {$ref: '#/non'}}}}}}}\nnone: {}\n",
        ),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file is written");
    }
    let at = |name: &str| folder.path().join(name).to_str().expect("a path that is text").to_owned();
    let sarif = at("out.sarif");
    let arguments = ["openapi", &at("api/api.yaml"), "--ref-dir", &at("api"), "--ref-dir", &at("other")];
    let run = probity(&[&arguments[..], &["--sarif", &sarif]].concat(), "");
    let said = run.stderr.replace(&at(""), "");
    let expected = [
        "note: api/paths.yaml: getA: at #/a/get/responses/400/$ref: \"#/aa\" is not there; the nearest name is \"#/a\"",
        "note: api/paths.yaml: getA: at #/a/get/requestBody/content: a request body in text/csv is not made",
        "note: api/paths.yaml: at #/a/get/respones: \"respones\" is no member of an operation",
        "note: api/schemas.yaml: at #/T/requird: \"requird\" is no keyword",
        "note: api/schemas.yaml: getA: at #/T/properties/k/type: \"integr\" is not a type",
        "note: other/shared.yaml: getB: at #/b/get/responses/200/content/application~1json/schema/$ref: \"#/non\" is not there",
    ];
    contains(&said, &expected);
    let log = json_of(&fs::read_to_string(&sarif).expect("the report is written"));
    let results = log["runs"][0]["results"].as_array().expect("there are results");
    let place = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a file").to_owned();
        (uri.rsplit('/').next().unwrap_or_default().to_owned(), place["region"]["startLine"].as_u64())
    };
    let mut places: Vec<(String, Option<u64>)> = results.iter().map(place).collect();
    places.sort();
    let expected = [("paths.yaml", 5), ("paths.yaml", 6), ("schemas.yaml", 1), ("shared.yaml", 1)];
    assert_eq!(places, expected.map(|(name, line)| (name.to_owned(), Some(line))), "{log}");
}
