//! The coverage page in a real browser: it renders, filters and expands, and shows hostile text as text.
//!
//! Without Chromium the page is held only against what can be read off its text.

use std::path::PathBuf;

use probity_schema::coverage::{
    CoverageReport, Dimension, Named, PageFacts, RunFacts, analyze, evaluate, html, measure,
};
use probity_schema::{Contract, Document, Formats, Oracles, ReadOptions};
use probity_testkit::{browser, skip};
use serde_json::{Value, json};

const HOSTILE: &str =
    "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>\"'&{{script}}";

fn hostile() -> Value {
    json!({
        "title": HOSTILE,
        "type": "object",
        "properties": {
            HOSTILE: {"enum": [HOSTILE, "plain"], "description": HOSTILE},
            "pet": {"oneOf": [{"const": "cat"}, {"const": "dog"}]},
            "closed": false,
        },
    })
}

fn large() -> Value {
    let members: serde_json::Map<String, Value> =
        (0..2_500).map(|n| (format!("member{n}"), json!({"enum": ["a", "b"]}))).collect();
    json!({"properties": members})
}

/// The report on some instances.
fn report(schema: &Value, instances: &[Value]) -> CoverageReport {
    const ALL: &[Dimension] =
        &[Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries];
    let document = Document::of_value(schema.clone(), &ReadOptions::default()).expect("a schema");
    let contract = Contract::of(&document).expect("a schema");
    let oracles = Oracles::of(&document, Formats::Assert).expect("a schema");
    let universe = analyze(&contract, ALL);
    let named = instances.iter().map(|value| Named { name: String::new(), value: value.clone() });
    let measured = measure(&contract, &oracles, &oracles.root().expect("a schema"), &universe, named);
    let facts = RunFacts {
        actual_instances: measured.n_valid,
        max_instances: measured.n_valid,
        exclude_unreachable: true,
        ..RunFacts::default()
    };
    evaluate(&universe, &measured.hits, facts)
}

fn page(schema: &Value, instances: &[Value], title: &str) -> String {
    let report = report(schema, instances);
    let instances = instances.iter().enumerate().map(|(at, value)| (at as u64, value.clone())).collect();
    html(&report, &PageFacts { title: title.to_owned(), instances, ..PageFacts::default() })
}

/// Opens the page in a browser, runs a probe in it, and gives what the probe returns; says so when there is none.
#[track_caller]
fn probe(name: &str, page: &str, script: &str) -> Option<Value> {
    let Some(browser) = browser::chromium() else {
        skip("Chromium is not installed");
        return None;
    };
    let helpers = "const type=async(text)=>{const search=document.getElementById('search');search.value=text;\
                   search.dispatchEvent(new Event('input'));await wait(200)};\
                   const shown=()=>document.querySelectorAll('#tree .targets li').length;";
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let seen =
        browser::probe(browser, &folder, page, &format!("{helpers}{script}")).expect("the page is opened");
    assert_eq!(seen.faults, [""; 0], "the page has errors");
    Some(seen.result)
}

#[test]
fn nothing_from_a_contract_is_markup_in_the_text_of_the_page() {
    let page = page(&hostile(), &[json!({HOSTILE: HOSTILE})], HOSTILE);
    assert!(!page.contains("<img src=x"), "an element came through");
    assert_eq!(page.matches("<script").count(), 2, "a script came through");
    assert!(!page.contains("http://") && !page.contains("https://"), "the page refers to the network");
}

#[test]
fn a_hostile_contract_is_shown_as_text() {
    let page = page(&hostile(), &[json!({HOSTILE: HOSTILE, "pet": "cat"})], HOSTILE);
    let script = "await type('owned');return {title:document.title,images:document.images.length,\
                  keys:[...document.querySelectorAll('.key')].map((key)=>key.textContent)}";
    let Some(seen) = probe("hostile", &page, script) else { return };
    assert!(seen["title"].as_str().is_some_and(|title| title.starts_with("</script>")), "{seen}");
    assert_eq!(seen["images"], json!(0));
    assert!(seen["keys"].as_array().is_some_and(|keys| keys.contains(&json!(HOSTILE))), "{seen}");
}

#[test]
fn the_page_filters_and_expands_and_says_why_a_target_was_missed() {
    let page = page(&hostile(), &[json!({"pet": "cat"})], "pets");
    let script = "const all=document.getElementById('count').textContent;\
                  document.querySelector('input[value=unreachable]').click();await wait(50);\
                  const closed=document.getElementById('tree').textContent;\
                  document.querySelector('input[value=missed]').click();await wait(50);\
                  await type('dog');const dog=document.getElementById('tree').textContent;\
                  await type('');document.querySelector('input[value=hit]').click();await wait(50);\
                  document.querySelector('.why button').click();\
                  return {all,closed,dog,instance:document.querySelector('.why pre').textContent}";
    let Some(seen) = probe("filters", &page, script) else { return };
    let has = |name: &str, text: &str| {
        assert!(seen[name].as_str().is_some_and(|shown| shown.contains(text)), "{seen}");
    };
    has("all", "targets");
    has("closed", "proven unreachable: the member's schema is false");
    has("dog", "the only instance does not show it");
    has("instance", "\"pet\": \"cat\"");
}

#[test]
fn ten_thousand_targets_are_shown_a_page_at_a_time_and_found_by_search() {
    let page = page(&large(), &[json!({"member7": "a"})], "large");
    let script = "const first=document.querySelectorAll('#tree summary').length;\
                  await type('member2499');return {first,count:document.getElementById('count').textContent,shown:shown()}";
    let Some(seen) = probe("large", &page, script) else { return };
    assert!(seen["first"].as_u64().is_some_and(|n| n > 50 && n < 500), "{seen}");
    assert_eq!(seen["count"], json!("4 of 10001 targets"));
    assert_eq!(seen["shown"], json!(4));
}

#[test]
fn the_tree_is_walked_with_the_arrow_keys() {
    let page = page(&hostile(), &[json!({"pet": "cat"})], "pets");
    let script = "const press=(key)=>document.activeElement.dispatchEvent(new KeyboardEvent('keydown',{key,bubbles:true}));\
                  document.querySelector('#tree summary').focus();const texts=[];\
                  for(const key of ['ArrowDown','ArrowRight','ArrowDown','ArrowLeft']){press(key);\
                  texts.push(document.activeElement.querySelector('.key').textContent)}\
                  press('/');texts.push(document.activeElement.id);return texts";
    let Some(seen) = probe("keys", &page, script) else { return };
    assert_eq!(seen.as_array().and_then(|texts| texts.last()), Some(&json!("search")), "{seen}");
    assert_ne!(seen[0], seen[2], "{seen}");
}
