//! Every OpenAPI document of the corpus is read and served: in full, valid for our validator and for AJV 8, parameters that
//! read back, and requests that openapi-core, a validator nobody here wrote, accepts.

use std::io::Write as _;
use std::process::{Command, Stdio};

use probity_schema::openapi::{Api, Case, Feed, Filter, Part, Unit};
use probity_schema::{ReadOptions, SourceOptions};
use probity_testkit::ajv::{Judge, Question, Verdict};
use probity_testkit::corpus::Corpus;
use probity_testkit::{Draft, skip, workspace};
use serde_json::Value;

/// Units of one document whose cases AJV is asked about: a sample, because all take AJV minutes to compile. The variable
/// `PROBITY_JUDGED_UNITS` asks for another number.
const JUDGED: usize = 24;

/// Parts of the corpus that cannot be served, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    // The parameter lists no value at all: {"type": "string", "enum": []}.
    ("discord", "get_guild_join_requests"),
    // A member lists no value at all, and AJV does not compile an empty list.
    ("discord", "action_guild_join_request: enum must have non-empty array"),
];

#[track_caller]
fn read(name: &str, text: &str) -> Api {
    Api::read(text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn units(api: &Api) -> Vec<Unit> {
    let all = api.select(&Filter::default()).expect("everything is there");
    api.units(&all, &[Part::Request, Part::Response], &[])
}

/// Asks AJV about the body and the parameters of one unit's cases.
fn asked(judge: &mut Judge, feed: &Feed<'_>, api: &Api, unit: &Unit, cases: &[Case]) -> Vec<String> {
    let operation = &api.operations()[unit.operation];
    let mut questions: Vec<(Value, Vec<String>)> = Vec::new();
    let bodies: Vec<String> = cases.iter().filter_map(|case| Some(case.body.as_ref()?.to_string())).collect();
    questions.extend(feed.body_schema(unit).ok().flatten().map(|schema| (schema, bodies)));
    for argument in cases.iter().flat_map(|case| &case.arguments) {
        let parameter = operation.parameter(argument.location, &argument.name).expect("a known parameter");
        let schema = feed.parameter_schema(unit, parameter).expect("it was drawn from");
        questions.push((schema, vec![argument.value.to_string()]));
    }
    let mut said = Vec::new();
    for (schema, instances) in questions.into_iter().filter(|(_, instances)| !instances.is_empty()) {
        let text = schema.to_string();
        let question = Question::new(&text, Draft::Draft202012, &instances);
        match judge.judge(&question).expect("AJV answers") {
            Verdict::Judged { rejected, .. } => {
                said.extend(
                    rejected
                        .iter()
                        .map(|one| format!("{}: {} {}", operation.key, one.message, instances[one.index])),
                );
            }
            Verdict::Unavailable { reason } | Verdict::GaveUp { reason } => {
                said.push(format!("{}: {reason}", operation.key));
            }
        }
    }
    said
}

#[test]
fn every_document_of_the_corpus_is_served_and_both_validators_agree() {
    let Some(corpus) = Corpus::beside_workspace() else { return skip("the corpus is not there") };
    let n_judged = std::env::var("PROBITY_JUDGED_UNITS").map_or(Ok(JUDGED), |text| text.parse());
    let n_judged = n_judged.expect("PROBITY_JUDGED_UNITS is a number").max(1);
    let mut judge = Judge::start().expect("AJV starts");
    for document in corpus.documents().expect("the corpus has documents") {
        let name = document.name.as_str();
        let api = read(name, &document.text().expect("the document is readable"));
        let feed = Feed::new(&api, SourceOptions::default());
        let units = units(&api);
        let step = units.len().div_ceil(n_judged).max(1);
        let mut wrong = Vec::new();
        for (at, unit) in units.iter().enumerate() {
            let key = &api.operations()[unit.operation].key;
            let n = if at % step == 0 { 4 } else { 1 };
            let cases: Result<Vec<Case>, _> = (0..n).map(|index| feed.case(unit, 11, index)).collect();
            let cases = match cases {
                Ok(cases) => cases,
                Err(problem) => {
                    wrong.push(problem.to_string());
                    continue;
                }
            };
            for (case, request) in cases.iter().filter_map(|case| Some((case, case.request.as_ref()?))) {
                let read = feed.arguments(unit, request).expect("the parameters' schemas are ready");
                if read != case.arguments {
                    wrong.push(format!("{key}: {} reads back as {read:?}", request.target()));
                }
            }
            if at % step == 0 {
                wrong.extend(asked(&mut judge, &feed, &api, unit, &cases));
            }
        }
        let left_out = feed.left_out();
        wrong.extend(left_out.iter().map(ToString::to_string));
        wrong.retain(|text| !EXCEPTIONS.iter().any(|(known, key)| *known == name && text.starts_with(key)));
        assert_eq!(wrong, Vec::<String>::new(), "{name}");
    }
}

/// Documents whose requests openapi-core is asked about: small and large, 3.0 and 3.1, JSON and forms.
const COMPARED: &[&str] = &["museum", "petstore-31", "train-travel", "adyen-management-3", "twilio-verify-2"];

#[test]
fn openapi_core_accepts_every_request_of_five_documents() {
    let Some(corpus) = Corpus::beside_workspace() else { return skip("the corpus is not there") };
    let python = workspace::deps().join("python/openapi-core").join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    assert!(
        python.is_file(),
        "{} is missing: install what the tests need with `cargo xtask deps`",
        python.display()
    );
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let documents = corpus.documents().expect("the corpus has documents");
    for document in documents.iter().filter(|document| COMPARED.contains(&document.name.as_str())) {
        let name = document.name.as_str();
        let text = document.text().expect("the document is readable");
        let path = folder.path().join("openapi.json");
        std::fs::write(&path, &text).expect("a temporary file is writable");
        let api = read(name, &text);
        let feed = Feed::new(&api, SourceOptions::default());
        let all = api.select(&Filter::default()).expect("everything is there");
        let mut requests = Vec::new();
        for unit in api.units(&all, &[Part::Request], &[]) {
            for index in 0..3 {
                let case = feed.case(&unit, 5, index).unwrap_or_else(|problem| panic!("{name}: {problem}"));
                requests.push(case.request.expect("a request").to_json().to_string());
            }
        }
        let answers = ask(&python, &path, &requests);
        assert_eq!(answers.len(), requests.len(), "{name}");
        let refused = answers.iter().zip(&requests).filter(|(answer, _)| answer["ok"] != true);
        let refused: Vec<String> = refused.map(|(answer, request)| format!("{answer} {request}")).collect();
        assert_eq!(refused, Vec::<String>::new(), "{name}");
    }
}

fn ask(python: &std::path::Path, document: &std::path::Path, requests: &[String]) -> Vec<Value> {
    let mut child = Command::new(python)
        .arg(workspace::root().join("testdeps/openapi-judge.py"))
        .arg(document)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut input = child.stdin.take().expect("standard input was asked for");
    let lines = requests.join("\n") + "\n";
    let writer = std::thread::spawn(move || drop(input.write_all(lines.as_bytes())));
    let output = child.wait_with_output().expect("Python ends");
    writer.join().expect("the writer ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect()
}
