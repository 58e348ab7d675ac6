//! Bad input: each kind gets its message and its exit code, without a panic, within time and memory.

mod run;

use run::{Run, probity};

/// Runs `generate` on a schema given as text, and checks the exit code and what is said.
#[track_caller]
fn check(schema: &str, code: i32, said: &[&str]) {
    let run = probity(&["generate", "-", "--n", "3"], schema);
    assert_told(&run, code, said);
}

#[track_caller]
fn assert_told(run: &Run, code: i32, said: &[&str]) {
    assert_eq!(run.code, Some(code), "{}", run.stderr);
    for words in said {
        assert!(run.stderr.contains(words), "{words:?} is not said:\n{}", run.stderr);
    }
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

#[test]
fn text_that_is_no_json_is_refused_with_its_place() {
    check("", 2, &["empty"]);
    check("   \n", 2, &["empty"]);
    check("{\"type\": ", 2, &["line 1", "not JSON"]);
    check("{\"type\": \"string\",}", 2, &["line 1, column 19"]);
    check("{\"maximum\": NaN}", 2, &["not JSON"]);
    check("{\"maximum\": 1e400}", 2, &["number out of range"]);
    check("{\"const\": \"\\ud800\"}", 2, &["line 1"]);
    check("a: [1, 2\nb: 3", 2, &["neither JSON nor YAML"]);
}

#[test]
fn a_file_with_several_documents_is_told_as_that_wherever_it_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("several.yaml");
    std::fs::write(&path, "type: string\n---\ntype: integer\n").expect("a file is written");
    let (folder, path) = (folder.path().display().to_string(), path.display().to_string());
    let reference = format!("b.yaml={path}");
    // A folder may hold files that nobody refers to.
    let rows: &[(&[&str], i32)] = &[
        (&["generate", &path], 2),
        (&["openapi", &path], 2),
        (&["generate", "-", "--ref-dir", &folder], 0),
        (&["generate", "-", "--ref", &reference], 2),
    ];
    for (arguments, code) in rows {
        let run = probity(arguments, "type: string");
        let said = ["several.yaml: at line 3: a second YAML document begins here, and a file holds one"];
        assert_told(&run, *code, &said);
        assert!(!run.stderr.contains("from_str"), "{}", run.stderr);
    }
}

#[test]
fn a_value_that_is_no_schema_is_refused_with_what_it_is() {
    check("[]", 2, &["at #: [] is not a schema"]);
    check("42", 2, &["42 is not a schema"]);
    check("just some words", 2, &["is not a schema"]);
    check(r#"{"properties": {"a": 5}}"#, 2, &["#/properties/a"]);
}

#[test]
fn what_looks_misspelt_is_told_and_everything_else_still_works() {
    check(
        r#"{"type": "object", "requird": ["a"], "properties": {"a": {"type": "string", "format": "emial"}}}"#,
        0,
        &[
            "note: standard input: at #/requird: \"requird\" is no keyword",
            "note: standard input: at #/properties/a/format: the format \"emial\" is not known",
        ],
    );
    let run =
        probity(&["generate", "-", "--n", "1"], r#"{"items": {"format": "x"}, "contains": {"format": "x"}}"#);
    assert_eq!(run.stderr.matches("the format \"x\" is not known").count(), 1, "{}", run.stderr);
    let run =
        probity(&["generate", "-", "--n", "1"], r#"{"properties": {"a": {"note": "ours", "x-type": 1}}}"#);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_form_of_an_older_draft_is_told_with_the_draft_it_belongs_to() {
    let assumed = "this is read as draft 2020-12, for it has no $schema";
    check(r#"{"items": [{}]}"#, 2, &["at #/items: ", "\"prefixItems\"", assumed]);
    check(r#"{"minimum": 1, "exclusiveMinimum": true}"#, 2, &["#/exclusiveMinimum", "draft 4", assumed]);
    check(r#"{"properties": {"a": {"required": true}}}"#, 2, &["draft 3", "list the names in \"required\""]);
    check(r#"{"properties": {"items": [{}]}}"#, 2, &["#/properties/items: [{}] is not a schema"]);
    let run = probity(&["generate", "-", "--draft", "7"], r#"{"items": [{}]}"#);
    assert_told(&run, 0, &[]);
}

#[test]
fn a_keyword_of_the_wrong_type_is_named() {
    let types = "the types are array, boolean, integer, null, number, object, string";
    let rows: &[(&str, &str, &str)] = &[
        ("\"strng\"", "\"strng\" is not a type", "nearest is \"string\""),
        ("[\"string\", \"nul\"]", "\"nul\" is not a type", "nearest is \"null\""),
        ("[\"int\"]", "\"int\" is not a type", "nearest is \"integer\""),
        ("\"float\"", "\"float\" is not a type", "nearest is \"number\""),
        ("5", "5 is not a type", types),
        ("[]", "[] names no type", types),
    ];
    for (name, wrong, hint) in rows {
        check(&format!(r#"{{"type": {name}}}"#), 2, &["at #/type: ", wrong, types, hint]);
        check(
            &format!(r#"{{"type": {name}}}"#)
                .replace('}', r#", "$schema": "http://json-schema.org/draft-04/schema#"}"#),
            2,
            &["at #/type: ", wrong, types, hint],
        );
        if *name == "[]" {
            continue;
        }
        // In an OpenAPI document no meta-schema is asked first.
        let api = format!(
            "openapi: 3.1.0\npaths: {{/a: {{get: {{responses: {{200: {{description: ok, content: {{application/json: {{schema: {{type: {name}}}}}}}}}}}}}}}}}"
        );
        assert_told(&probity(&["openapi", "-", "--strict"], &api), 2, &["schema/type: ", wrong, types, hint]);
    }
    check(r#"{"type": ["string", "string"]}"#, 2, &["at #/type: ", "twice"]);
    check(r#"{"properties": {"type": 5}}"#, 2, &["at #/properties/type: 5 is not", "object"]);
    check(r#"{"minLength": "3"}"#, 2, &["#/minLength", "integer"]);
    check(r#"{"required": "a"}"#, 2, &["#/required", "array"]);
    check(r#"{"properties": []}"#, 2, &["#/properties", "object"]);
    check(r#"{"pattern": "("}"#, 2, &["#/pattern", "regular expression"]);
}

#[test]
fn an_unknown_dialect_is_refused_with_the_known_ones() {
    check(
        r#"{"$schema": "https://example.com/mine"}"#,
        2,
        &["https://example.com/mine", "2020-12", "--draft"],
    );
    let run = probity(&["generate", "-", "--draft", "5"], "{}");
    assert_told(&run, 2, &["--draft 5", "2019-09"]);
}

#[test]
fn a_reference_that_leads_nowhere_is_refused_with_the_nearest_name() {
    check(
        r##"{"properties": {"pet": {"$ref": "#/$defs/Pte"}}, "$defs": {"Pet": {}, "Car": {}}}"##,
        2,
        &["at #/properties/pet/$ref", "\"#/$defs/Pte\" is not there", "\"#/$defs/Pet\""],
    );
    check(
        r#"{"items": {"$ref": "https://example.com/other.json#/a"}}"#,
        2,
        &["at #/items/$ref", "https://example.com/other.json", "--ref", "--ref-dir"],
    );
}

#[test]
fn a_document_that_is_supplied_is_found_by_the_address_that_references_use() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let named = |name: &str| folder.path().join(name).to_str().expect("a path that is text").to_owned();
    std::fs::write(named("whole.json"), r#"{"$ref": "parts/a.json#/b"}"#).expect("a file is written");
    std::fs::write(named("elsewhere.json"), r#"{"b": {"const": 7}}"#).expect("a file is written");
    for address in ["parts/a.json", "./parts/a.json"] {
        let pair = format!("{address}={}", named("elsewhere.json"));
        let run = probity(&["generate", &named("whole.json"), "-n", "1", "--ref", &pair], "");
        assert_told(&run, 0, &[]);
        assert_eq!(run.stdout, "7\n");
    }
    let run = probity(&["generate", &named("whole.json"), "--ref", "parts/a.json=gone.json"], "");
    assert_told(&run, 2, &["--ref parts/a.json=gone.json", "gone.json: cannot be read"]);
}

#[test]
fn a_reference_that_only_leads_to_itself_is_refused() {
    check(r##"{"$ref": "#"}"##, 2, &["leads back to itself"]);
    check(
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##,
        2,
        &["leads back to itself"],
    );
}

#[test]
fn a_reference_beside_other_keywords_that_leads_to_itself_is_drawn_from() {
    check(r##"{"type": "object", "$ref": "#"}"##, 0, &[]);
    check(r##"{"type": "integer", "allOf": [{"$ref": "#"}, {"minimum": 3}]}"##, 0, &[]);
    check(r##"{"oneOf": [{"type": "string"}, {"type": "integer", "$ref": "#"}]}"##, 0, &[]);
}

#[test]
fn a_contract_that_admits_nothing_is_called_unsatisfiable_with_the_cause() {
    check("false", 2, &["admits no value"]);
    check(
        r#"{"type": "integer", "minimum": 5, "maximum": 4}"#,
        2,
        &["admits no value", "minimum", "maximum"],
    );
    check(
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "required": ["b"], "properties": {"b": {"$ref": "#/$defs/a"}}}}}"##,
        2,
        &["admits no value", "would have no end: #/$defs/a needs #/$defs/a"],
    );
    check(
        r#"{"allOf": [{"type": "string"}, {"properties": {}, "type": "object"}]}"#,
        2,
        &["admits no value", "allOf"],
    );
}

#[test]
fn ten_thousand_levels_of_nesting_are_refused_and_not_overflowed() {
    let deep = format!("{}{}", "{\"not\": ".repeat(10_000), "true".to_owned() + &"}".repeat(10_000));
    check(&deep, 2, &["nested"]);
    let yaml = format!("{}x", "- ".repeat(10_000));
    check(&yaml, 2, &[]);
}

#[test]
fn a_chain_of_ten_thousand_references_is_followed() {
    let links: Vec<String> =
        (0..10_000).map(|n| format!("\"d{n}\": {{\"$ref\": \"#/$defs/d{}\"}}", n + 1)).collect();
    let schema = format!(
        "{{\"$ref\": \"#/$defs/d0\", \"$defs\": {{{}, \"d10000\": {{\"const\": 7}}}}}}",
        links.join(", ")
    );
    check(&schema, 0, &[]);
}

#[test]
fn large_contracts_are_drawn_from() {
    let properties: Vec<String> =
        (0..100_000).map(|n| format!("\"p{n}\": {{\"type\": \"integer\"}}")).collect();
    check(&format!("{{\"type\": \"object\", \"properties\": {{{}}}}}", properties.join(", ")), 0, &[]);
    let values: Vec<String> = (0..100_000).map(|n| format!("\"v{n}\"")).collect();
    check(&format!("{{\"enum\": [{}]}}", values.join(", ")), 0, &[]);
}

#[test]
fn demands_past_the_limits_are_refused_at_once() {
    check(r#"{"type": "array", "minItems": 1000000000}"#, 2, &["1000000000 items"]);
    check(r#"{"type": "string", "minLength": 1000000000}"#, 2, &["1000000000"]);
    check(r#"{"type": "object", "minProperties": 1000000000}"#, 2, &["1000000000 members"]);
}

#[test]
fn numbers_beyond_what_doubles_hold_are_drawn_within_their_bounds() {
    check(r#"{"type": "integer", "minimum": 9007199254740993, "maximum": 9007199254740999}"#, 0, &[]);
    check(r#"{"type": "integer", "minimum": 9223372036854775807}"#, 0, &[]);
    check(r#"{"type": "number", "minimum": 1e300}"#, 0, &[]);
}

#[test]
fn patterns_that_blow_up_end_in_instances_or_a_message() {
    for pattern in ["(x+x+)+y", "(a{1,1000}){1,1000}", "^(([a-z])+.)+[A-Z]([a-z])+$", ".{5000}"] {
        let run = probity(
            &["generate", "-", "--n", "2"],
            &format!("{{\"type\": \"string\", \"pattern\": {pattern:?}}}"),
        );
        assert!(matches!(run.code, Some(0 | 2)), "{pattern}: {}", run.stderr);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    }
}

#[test]
fn a_member_written_twice_is_noted() {
    check(
        r#"{"type": "integer", "type": "string"}"#,
        0,
        &["note: standard input: at #/type", "the last one counts"],
    );
}

#[test]
fn a_yaml_alias_bomb_is_refused() {
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for level in b'b'..=b'j' {
        let (this, below) = (char::from(level), char::from(level - 1));
        let row = vec![format!("*{below}"); 9].join(", ");
        bomb.extend([this.to_string(), format!(": &{this} [{row}]\n")]);
    }
    check(&bomb, 2, &[]);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path().to_str().expect("a path that is text");
    assert_told(&probity(&["generate", here], ""), 2, &["is a folder"]);
    assert_told(
        &probity(&["generate", "no/such/file.json"], ""),
        2,
        &["no/such/file.json", "cannot be read"],
    );
    let raw = folder.path().join("latin1.json");
    std::fs::write(&raw, b"{\"title\": \"caf\xe9\"}").expect("a file is written");
    assert_told(&probity(&["generate", raw.to_str().expect("text")], ""), 2, &["UTF-8"]);
}

#[test]
fn output_that_cannot_be_written_is_named_and_a_closed_pipe_is_no_trouble() {
    assert_told(&probity(&["generate", "-", "-o", "/dev/full/x.json"], "{}"), 2, &["/dev/full/x.json"]);
    assert_told(
        &probity(&["generate", "-", "-o", "no/such/folder/x.json"], "{}"),
        2,
        &["no/such/folder/x.json"],
    );
    assert_eq!(run::into_closed_pipe(&["generate", "-", "--n", "100000"], "{}"), Some(0));
    let full = run::into_full_device(&["generate", "-", "--n", "1000"], "{}");
    assert_told(&full, 2, &["standard output cannot be written"]);
}

#[test]
fn a_run_that_fails_leaves_no_file_behind() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let goal = folder.path().join("out.json");
    let schema = r#"{"type": "string", "minLength": 1000000000}"#;
    let run = probity(&["generate", "-", "-o", goal.to_str().expect("text")], schema);
    assert_eq!(run.code, Some(2));
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
}

#[test]
fn wrong_options_are_explained() {
    assert_told(&probity(&["generate", "-", "--shard", "5/4"], "{}"), 2, &["--shard 5/4", "1/4"]);
    assert_told(&probity(&["generate", "-", "--shard", "x"], "{}"), 2, &["--shard x"]);
    assert_told(&probity(&["generate", "-", "--threads", "0"], "{}"), 2, &["--threads 0"]);
    assert_told(&probity(&["generate", "-", "--ref", "nonsense"], "{}"), 2, &["--ref nonsense", "URI=FILE"]);
    assert_told(&probity(&["generate"], ""), 2, &["SCHEMA"]);
    assert_told(&probity(&["frobnicate"], ""), 2, &["frobnicate"]);
}
