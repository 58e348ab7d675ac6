//! `probity openapi` as a person runs it: what is written where, and what is said about bad input.

mod run;

use std::fs;

use run::{Run, into_closed_pipe, probity};
use serde_json::Value;

const PETS: &str = r"
openapi: 3.0.3
info: {title: Pets}
servers: [{url: 'https://pets.example.com/v1/'}]
paths:
  /pets:
    post:
      operationId: createPet
      tags: [write]
      parameters:
        - {name: X-Trace, in: header, required: true, schema: {type: string, pattern: '^[a-f0-9]{8}$'}}
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses:
        201: {description: made, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
        400: {description: bad, content: {application/problem+json: {schema: {type: object, required: [title], properties: {title: {type: string}}}}}}
  /pets/{id}:
    get:
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer, minimum: 1}}
        - {name: fields, in: query, explode: false, required: true, schema: {type: array, minItems: 2, maxItems: 2, items: {enum: [name, kind]}}}
      responses:
        200: {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
components:
  schemas:
    Pet:
      type: object
      required: [name, kind]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string}
        kind: {type: string, enum: [cat, dog, fish]}
";

#[track_caller]
fn done(run: &Run) {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

#[track_caller]
fn lines(arguments: &[&str]) -> Vec<Value> {
    let run = probity(&[&["openapi", "-"], arguments].concat(), PETS);
    done(&run);
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

#[test]
fn every_operation_has_a_whole_request_and_a_response() {
    let lines = lines(&[]);
    let parts: Vec<(&str, &str)> =
        lines.iter().filter_map(|line| Some((line["operation"].as_str()?, line["part"].as_str()?))).collect();
    let get = "GET /pets/{id}";
    assert_eq!(
        parts,
        [("createPet", "request"), ("createPet", "response"), (get, "request"), (get, "response")]
    );
    assert_eq!(lines[0]["mediaType"], "application/json");
    assert_eq!(lines[0]["request"]["method"], "POST");
    assert_eq!(lines[0]["request"]["headers"]["Content-Type"], "application/json");
    assert_eq!(lines[0]["request"]["body"], lines[0]["instance"].to_string());
    assert!(lines[0]["instance"].get("id").is_none(), "what is read-only is not sent");
    assert_eq!(lines[1]["status"], "201");
    let target = lines[2]["request"]["target"].as_str().unwrap_or_default();
    let id = &lines[2]["parameters"]["path"]["id"];
    assert!(target.starts_with(&format!("/pets/{id}?fields=")), "{target}");
}

#[test]
fn parts_statuses_tags_and_counts_are_chosen() {
    assert!(lines(&["--part", "response"]).iter().all(|line| line["part"] == "response"));
    let parameters = lines(&["--part", "parameters"]);
    assert!(parameters.iter().all(|line| line["instance"].is_object() && line.get("mediaType").is_none()));
    let bad = lines(&["--part", "response", "--status", "4XX"]);
    assert_eq!(bad.len(), 1);
    assert_eq!(bad[0]["mediaType"], "application/problem+json");
    assert!(lines(&["--tag", "write"]).iter().all(|line| line["operation"] == "createPet"));
    assert_eq!(lines(&["--n", "10"]).len(), 10);
    assert_eq!(lines(&["--n", "3"]).len(), 3);
    assert_eq!(lines(&["--per-operation", "3"]).len(), 12);
}

#[test]
fn a_selection_gives_the_same_lines_as_the_whole_run() {
    let all = lines(&["--per-operation", "3"]);
    let some = lines(&["--per-operation", "3", "--operation", "GET /pets/*"]);
    assert_eq!(some, all[6..]);
    assert_ne!(lines(&["--seed", "1"]), lines(&["--seed", "2"]));
}

#[test]
fn measuring_changes_no_byte() {
    let off = probity(&["openapi", "-", "--per-operation", "5"], PETS);
    let measured = probity(&["openapi", "-", "--per-operation", "5", "--coverage", "measure"], PETS);
    done(&measured);
    assert_eq!(off.stdout, measured.stdout);
    assert!(measured.stderr.contains("operations"), "{}", measured.stderr);
}

#[test]
fn a_guided_run_reports_on_operations_and_can_fail_by_threshold() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report.json");
    let path = report.to_str().expect("a path of letters");
    let run = probity(&["openapi", "-", "--coverage", "guided", "--coverage-report", path], PETS);
    done(&run);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(&report).expect("the report")).expect("JSON");
    assert_eq!(report["metrics"]["byOperation"]["createPet"], 1.0);
    assert_eq!(report["run"]["operationsScope"], "all");
    let few = &["openapi", "-", "--coverage", "guided", "--n", "1", "--coverage-min", "0.9"];
    assert_eq!(probity(few, PETS).code, Some(4));
}

#[test]
fn curl_lines_name_the_server_and_everything_that_is_sent() {
    let run = probity(&["openapi", "-", "--curl", "--operation", "createPet"], PETS);
    done(&run);
    assert_eq!(run.stdout.lines().count(), 1, "responses are nothing to send");
    assert!(
        run.stdout.starts_with("curl -X POST https://pets.example.com/v1/pets -H 'X-Trace: "),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains(" --data-raw '{"), "{}", run.stdout);
    let variables = r#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"get": {"responses": {}}}},
        "servers": [{"url": "https://{host}/{base}", "variables": {"host": {"default": "a.example"}, "base": {"default": "v2"}}}]}"#;
    assert_eq!(
        probity(&["openapi", "-", "--curl"], variables).stdout,
        "curl -X GET https://a.example/v2/a\n"
    );
    let stands = "cannot be run as they stand; name the server with --server URL";
    for (address, said) in [("/v1", "is relative"), ("'https://{region}.example/v1'", "\"region\"")] {
        let text = format!("openapi: 3.1.0\nservers: [{{url: {address}}}]\npaths: {{/a: {{get: {{}}}}}}");
        check(&text, &["--curl"], 0, &[said, stands]);
        let typed = probity(&["openapi", "-", "--curl", "--server", "localhost:8080"], &text);
        assert!(!typed.stderr.contains(stands), "{}", typed.stderr);
    }
    let other = probity(&["openapi", "-", "--curl", "--server", "http://localhost:8080"], PETS);
    assert!(other.stdout.contains(" http://localhost:8080/pets"), "{}", other.stdout);
}

#[test]
fn a_folder_has_a_file_for_every_case_and_an_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("cases");
    let path = root.to_str().expect("a path of letters");
    done(&probity(&["openapi", "-", "--out", "dir", "-o", path, "--per-operation", "2", "--curl"], PETS));
    let read = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(root.join(name)).expect(name)).expect("JSON")
    };
    let index = read("index.json");
    assert_eq!(index[1]["operation"], "GET /pets/{id}");
    assert_eq!(index[1]["folder"], "GET__pets__id");
    assert_eq!(index[1]["files"]["responses/200"], 2);
    assert!(read("GET__pets__id/responses/200/2.json").get("kind").is_some(), "a body alone");
    assert_eq!(read("createPet/requests/1.json")["part"], "request");
    assert!(root.join("createPet/requests/1.sh").is_file());
    // What an earlier run left is told and stays; what is not of our making is not looked at.
    fs::create_dir_all(root.join("notes/mine")).expect("a folder is made");
    for name in ["7.json", "notes/7.json", "notes/mine/7.json", "createPet/requests/read.me.json"] {
        fs::write(root.join(name), "{}").expect("a file is written");
    }
    let again = probity(&["openapi", "-", "--out", "dir", "-o", path], PETS);
    done(&again);
    assert!(
        again.stderr.contains("also holds 8 files that are not of this run, such as"),
        "{}",
        again.stderr
    );
    assert!(root.join("createPet/requests/2.json").is_file());
}

#[test]
fn the_list_names_every_operation_with_its_schemas_and_targets() {
    let run = probity(&["openapi", "-", "--list"], PETS);
    done(&run);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.stdout);
    assert!(lines[1].starts_with("createPet"), "{}", run.stdout);
    for words in
        ["POST /pets", "1 parameter", "sends application/json Pet", "answers 201 application/json Pet"]
    {
        assert!(lines[1].contains(words), "{words:?}: {}", lines[1]);
    }
}

#[test]
fn the_list_counts_the_targets_that_a_report_counts() {
    let count = |text: &str, before: &str| {
        let words = text.lines().find(|line| line.contains(before)).unwrap_or_default();
        words[..words.find(before).unwrap_or_default()].split(' ').next_back().unwrap_or_default().to_owned()
    };
    for chosen in [&[][..], &["--operation", "createPet"]] {
        let run = |more: &[&str]| probity(&[&["openapi", "-"], chosen, more].concat(), PETS);
        let (listed, measured) = (run(&["--list"]), run(&["--coverage", "measure"]));
        let (listed, measured) = (count(&listed.stderr, " targets"), count(&measured.stderr, " active"));
        assert!(!listed.is_empty() && listed == measured, "{chosen:?}: {listed} and {measured}");
    }
}

#[test]
fn what_looks_misspelt_in_a_description_is_told_where_it_stands() {
    let slips = [
        ("    post:\n      operationId", "    posts: {}\n    post:\n      operationId"),
        ("      requestBody: {required", "      requestBodi: {}\n      requestBody: {required"),
        ("required: true, content", "requird: true, content"),
        ("in: query, explode", "in: query, exlode: true, explode"),
        ("kind: {type: string, enum", "kind: {tpye: string, enum"),
        ("name: {type: string}", "name: {type: string, format: e-mail}"),
    ];
    let text = slips.iter().fold(PETS.to_owned(), |text, (right, wrong)| text.replacen(right, wrong, 1));
    let told = [
        "note: standard input: at #/paths/~1pets/posts: \"posts\" is no member of a path item, so it is not looked at; perhaps \"post\" is meant",
        "note: standard input: at #/paths/~1pets/post/requestBodi: \"requestBodi\" is no member of an operation",
        "note: standard input: at #/paths/~1pets/post/requestBody/requird: \"requird\" is no member of a request body",
        "/parameters/1/exlode: \"exlode\" is no member of a parameter",
        "note: standard input: at #/components/schemas/Pet/properties/kind/tpye: \"tpye\" is no keyword",
        "note: standard input: at #/components/schemas/Pet/properties/name/format: the format \"e-mail\" is not known, so it says nothing; perhaps \"email\" is meant",
    ];
    check(&text, &[], 0, &told);
    check(&text, &["--strict"], 0, &told);
}

#[test]
fn a_header_with_a_line_break_is_not_made() {
    let text = PETS.replacen(
        "schema: {type: string, pattern: '^[a-f0-9]{8}$'}",
        "schema: {enum: [\"a\\r\\nb\"]}",
        1,
    );
    check(&text, &["--curl"], 0, &["createPet: at", "a parameter's value has no text in its style"]);
}

#[test]
fn a_response_that_admits_nothing_is_told_with_its_cause_and_not_as_a_matter_of_budget() {
    let text = PETS.replacen("kind: {type: string", "kind: {type: string, minLength: 9, maxLength: 4", 1);
    let arguments = ["--coverage", "guided", "--operation", "GET /pets/{id}"];
    check(&text, &arguments, 0, &["the contract admits no value", "minLength 9 is more than maxLength 4"]);
    let run = probity(&[&["openapi", "-"], &arguments[..]].concat(), &text);
    assert!(!run.stderr.contains("budget"), "{}", run.stderr);
    // What only an impossible response could show is out of reach; that there is no response is a gap.
    assert!(run.stderr.contains("7 active, 8 unreachable"), "{}", run.stderr);
}

/// Runs on a description given as text, and checks the exit code and what is said.
#[track_caller]
fn check(text: &str, arguments: &[&str], code: i32, said: &[&str]) {
    let run = probity(&[&["openapi", "-"], arguments].concat(), text);
    assert_eq!(run.code, Some(code), "{}", run.stderr);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    for words in said {
        assert!(run.stderr.contains(words), "{words:?} is not said:\n{}", run.stderr);
    }
}

#[test]
fn bad_input_is_refused_with_what_to_do_instead() {
    check("", &[], 2, &["empty"]);
    check("{}", &[], 2, &["at #", "no \"openapi\""]);
    check("swagger: '2.0'", &[], 2, &["#/swagger", "swagger2openapi"]);
    check("openapi: 3.0.0", &[], 2, &["no \"paths\""]);
    check("openapi: 3.0.0\npaths: {}", &[], 2, &["#/paths", "no operations"]);
    check(PETS, &["--operation", "createPets"], 2, &["\"createPets\"", "nearest is \"createPet\""]);
    let rows: &[(&str, &str)] = &[
        ("/pets", "on this path there is \"POST /pets\""),
        ("GET /pets", "on this path there is \"POST /pets\""),
        ("GET /pets/{di}", "on this path there is \"GET /pets/{id}\""),
        ("/pet", "nearest is \"POST /pets\""),
        ("GET /pets/", "on this path there is \"POST /pets\""),
        ("get /pets/7", "on this path there is \"GET /pets/{id}\""),
        ("GET pets/{id}", "nearest is \"GET /pets/{id}\""),
    ];
    for (name, hint) in rows {
        check(PETS, &["--operation", name], 2, &[&format!("{name:?}"), hint]);
    }
    let two = PETS.replace(
        "    post:\n",
        "    get: {operationId: listPets, responses: {200: {description: ok}}}\n    post:\n",
    );
    check(&two, &["--operation", "/pets"], 2, &["on this path there are \"GET /pets\" and \"POST /pets\""]);
    check(PETS, &["--operation", "post /pets", "--operation", "Get /pets/*"], 0, &[]);
    check(PETS, &["--tag", "nothing"], 2, &["no operation has the tag"]);
    check(PETS, &["--out", "dir"], 2, &["-o DIR"]);
    check(PETS, &["--out", "dir", "-o", "-"], 2, &["-o DIR"]);
    for status in ["abc", "999", "5XX"] {
        check(PETS, &["--status", status], 2, &[&format!("--status {status}"), "there are: 200, 201, 400"]);
    }
    check(
        PETS,
        &["--status", "400", "--status", "404", "--operation", "createPet"],
        2,
        &["--status 404", "201, 400"],
    );
    let bare = "openapi: 3.0.0\npaths: {/a: {get: {responses: {204: {description: ok}}}}}";
    let none = "openapi: 3.0.0\npaths: {/a: {get: {responses: {}}}}";
    check(none, &["--part", "response"], 2, &["--part response"]);
    check(bare, &["--part", "parameters"], 2, &["--part parameters"]);
    check(bare, &["--status", "200"], 2, &["--status 200", "there are: 204"]);
    check(bare, &["--status", "all"], 0, &[]);
    check(bare, &[], 0, &[]);
    check(PETS, &["--coverage", "measure", "--coverage-dimensions", "colour"], 2, &["colour", "operations"]);
    check(PETS, &["--part", "body"], 2, &["request", "response", "parameters"]);
}

#[test]
fn what_is_broken_is_told_and_only_fails_when_asked_to() {
    let broken = PETS.replace(
        "'#/components/schemas/Pet'}}}}\n      responses:\n        201",
        "'#/components/schemas/Pett'}}}}\n      responses:\n        201",
    );
    let said = &["createPet", "requestBody", "#/components/schemas/Pet"];
    check(&broken, &[], 0, said);
    check(&broken, &["--strict"], 2, said);
    let wrong = PETS.replace("kind: {type: string, enum", "kind: {type: strng, enum");
    // The reports hold what the description has wrong and what only shows when cases are made.
    let both = wrong.replace(
        "201: {description: made, content",
        "202: {$ref: '#/none'}\n        201: {description: made, content",
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sarif = folder.path().join("a.sarif");
    let sarif = sarif.to_str().expect("a path that is text");
    for arguments in [&["--strict"][..], &["--strict", "--coverage", "guided"], &["--strict", "--list"]] {
        let run = probity(&[&["openapi", "-"], arguments].concat(), &wrong);
        assert!(run.code == Some(2) && run.stdout.is_empty(), "{}{}", run.stdout, run.stderr);
        let run = probity(&[&["openapi", "-", "--sarif", sarif], arguments].concat(), &both);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        let report = fs::read_to_string(sarif).expect("the report is written");
        for words in ["#/none", "strng"] {
            assert!(report.contains(words) && run.stderr.contains(words), "{words}: {report}{}", run.stderr);
        }
    }
}

#[test]
fn a_body_that_cannot_be_made_is_told_listed_and_fails_when_asked_to() {
    let unmade = r"
openapi: 3.1.0
paths:
  /pets/{id}/photo:
    put:
      operationId: putPhoto
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      requestBody: {required: true, content: {image/png: {}, text/csv: {schema: {type: string}}}}
      responses: {204: {description: done}}
    get:
      operationId: getPhoto
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {200: {description: ok, content: {image/png: {}}}}
";
    let said = &[
        "note: standard input: putPhoto: at #/paths/~1pets~1{id}~1photo/put/requestBody/content: a request body in image/png, text/csv is not made",
        "note: standard input: getPhoto: at #/paths/~1pets~1{id}~1photo/get/responses: no response is made: there are 200 image/png",
    ];
    check(unmade, &[], 0, said);
    check(unmade, &["--strict"], 2, &["putPhoto", "image/png"]);
    check(unmade, &["--strict", "--operation", "getPhoto", "--part", "request"], 0, &[]);
    check(unmade, &["--strict", "--operation", "getPhoto"], 2, &["200 image/png"]);
    let listed = probity(&["openapi", "-", "--list"], unmade);
    for words in ["sends image/png or text/csv (not made)", "answers 200 image/png (not made)"] {
        assert!(listed.stdout.contains(words), "{words:?} is not listed:\n{}", listed.stdout);
    }
}

#[test]
fn nobody_reading_is_no_trouble() {
    assert_eq!(into_closed_pipe(&["openapi", "-", "--per-operation", "2000"], PETS), Some(0));
}
