//! The corpus beside the workspace can be read, part by part.

use probity_testkit::corpus::Corpus;
use probity_testkit::skip;

#[test]
fn every_record_of_the_index_has_a_schema_of_its_own() {
    let Some(corpus) = Corpus::beside_workspace() else {
        return skip("there is no corpus beside the workspace");
    };
    let records = corpus.records().expect("the index is readable");
    assert!(records.iter().any(|record| record.part == "schemastore"));
    assert!(records.iter().any(|record| record.part == "openapi"));
    for record in records {
        let schema: Result<serde_json::Value, _> = serde_json::from_str(&record.schema);
        assert!(schema.is_ok(), "{}: {schema:?}", record.id);
    }
}

#[test]
fn every_group_of_the_suite_has_tests() {
    let Some(corpus) = Corpus::beside_workspace() else {
        return skip("there is no corpus beside the workspace");
    };
    for group in corpus.groups().expect("the suite is readable") {
        assert!(!group.tests.is_empty(), "{}", group.id);
        assert_eq!(group.is_satisfiable, group.tests.iter().any(|test| test.is_valid), "{}", group.id);
    }
}

#[test]
fn every_openapi_document_unpacks_to_json() {
    let Some(corpus) = Corpus::beside_workspace() else {
        return skip("there is no corpus beside the workspace");
    };
    let documents = corpus.documents().expect("the folder is readable");
    assert!(!documents.is_empty());
    for document in documents {
        let text = document.text().expect("the document unpacks");
        let parsed: serde_json::Value = serde_json::from_str(&text).expect("the document is JSON");
        assert!(parsed.get("openapi").is_some(), "{}", document.name);
    }
}

#[test]
fn a_folder_without_an_index_is_no_corpus() {
    assert!(Corpus::at(std::path::Path::new(env!("CARGO_MANIFEST_DIR"))).is_none());
}
