//! Pages in a real browser: a page is opened in Chromium, a probe runs in it, and what the probe returns comes back.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// What looking at a page came to.
#[derive(Debug)]
pub struct Seen {
    /// What the probe returned.
    pub result: Value,
    /// Errors of the page, of its scripts and on its console.
    pub faults: Vec<String>,
}

/// The program that opens pages, when it is installed.
#[must_use]
pub fn chromium() -> Option<&'static str> {
    let answers = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(answers)
}

/// Opens a page in a browser and runs a probe in it: the body of an async function that may call `wait(ms)` and
/// returns what can be written as JSON.
pub fn probe(browser: &str, folder: &Path, page: &str, script: &str) -> Result<Seen, String> {
    let unwritable = |error: std::io::Error| format!("{} cannot be written: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let watching = "<head><script>window.faults=[];addEventListener('error',(e)=>faults.push(String(e.message)));\
                    console.error=(...all)=>faults.push(all.join(' '));</script>";
    let probing = format!(
        "<script>setTimeout(async()=>{{const wait=(ms)=>new Promise((done)=>setTimeout(done,ms));\
         const result=await(async()=>{{{script}}})();\
         const out=document.createElement('pre');out.id='probe';out.textContent=JSON.stringify({{result,faults}});\
         document.body.append(out)}},50)</script></body>"
    );
    let probed = page.replacen("<head>", watching, 1).replacen("</body>", &probing, 1);
    let file = folder.join("page.html");
    std::fs::write(&file, probed).map_err(unwritable)?;
    let profile = folder.join("profile");
    let output = Command::new(browser)
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
        .map_err(|error| format!("{browser} does not start: {error}"))?;
    // What the browser keeps about its user is of no use to anybody; a leftover is no failure.
    let _ = std::fs::remove_dir_all(&profile);
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = dom.split("<pre id=\"probe\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let text =
        found.ok_or_else(|| format!("the probe did not end: {}", String::from_utf8_lossy(&output.stderr)))?;
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let answer: Value =
        serde_json::from_str(&text).map_err(|error| format!("the probe wrote no JSON: {error}"))?;
    let faults =
        answer["faults"].as_array().cloned().unwrap_or_else(|| vec![json!("the page lost its watch")]);
    Ok(Seen {
        result: answer["result"].clone(),
        faults: faults.iter().map(|fault| fault.as_str().unwrap_or_default().to_owned()).collect(),
    })
}
