//! The coverage page in a real browser: it renders, filters and expands, and shows hostile text as text.
//!
//! Needs `chromium` on the path; without one the page is held only against what can be read off its text.

mod coverage_world;

use std::path::PathBuf;
use std::process::Command;

use coverage_world::report;
use probity_schema::coverage::{PageFacts, html};
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

fn page(schema: &Value, instances: &[Value], title: &str) -> String {
    let report = report(schema, instances);
    let instances = instances.iter().enumerate().map(|(at, value)| (at as u64, value.clone())).collect();
    html(&report, &PageFacts { title: title.to_owned(), instances })
}

/// Opens the page, runs a probe in it, and gives what the probe returns; `None` without a browser.
fn probe(name: &str, page: &str, script: &str) -> Option<Value> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder for tests can be written");
    let watched = page.replacen(
        "<head>",
        "<head><script>window.faults=[];addEventListener('error',(e)=>faults.push(String(e.message)));\
         console.error=(...all)=>faults.push(all.join(' '));</script>",
        1,
    );
    let probing = format!(
        "<script>setTimeout(async()=>{{const wait=(ms)=>new Promise((done)=>setTimeout(done,ms));\
         const type=async(text)=>{{const search=document.getElementById('search');search.value=text;\
         search.dispatchEvent(new Event('input'));await wait(200)}};\
         const shown=()=>document.querySelectorAll('#tree .targets li').length;\
         const result=await(async()=>{{{script}}})();\
         const out=document.createElement('pre');out.id='probe';out.textContent=JSON.stringify({{result,faults}});\
         document.body.append(out)}},50)</script></body>"
    );
    let file = folder.join("page.html");
    std::fs::write(&file, watched.replacen("</body>", &probing, 1)).expect("the page can be written");
    let profile = folder.join("profile");
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args(["--disable-component-update", "--disable-sync", "--virtual-time-budget=8000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .ok()?;
    let _ = std::fs::remove_dir_all(&profile);
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = dom.split("<pre id=\"probe\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let text =
        found.unwrap_or_else(|| panic!("the probe did not end: {}", String::from_utf8_lossy(&output.stderr)));
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let answer: Value = serde_json::from_str(&text).expect("the probe writes JSON");
    assert_eq!(answer["faults"], json!([]), "the page has errors");
    Some(answer["result"].clone())
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
    has("dog", "none of 1 instances shows it");
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
