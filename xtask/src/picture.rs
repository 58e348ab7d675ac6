//! Draws the terminal picture of the README from what the demo really prints, colours included.

use std::fmt::Write as _;

use probity_testkit::workspace;

use crate::process;
use probity_testkit::trouble::{Trouble, no_arguments};

pub(crate) const ABOUT: &str =
    "Run the demo and draw what it prints as docs/demo.svg, the picture in the README.";

/// Where the picture lies.
const GOAL: &str = "docs/demo.svg";

/// The size of a letter, and the space around the text.
const LETTER: (f64, f64) = (8.0, 18.0);
const MARGIN: (f64, f64) = (16.0, 48.0);

pub(crate) fn run(arguments: &[String]) -> Result<(), Trouble> {
    no_arguments("picture", arguments)?;
    let folder = workspace::deps().join("picture");
    std::fs::create_dir_all(&folder).map_err(|error| failed(&folder.display().to_string(), &error))?;
    // The demo leaves its folder where it is run.
    let output =
        process::cargo(&["run", "--quiet", "--locked", "--package", "probity-cli", "--manifest-path"])
            .arg(workspace::root().join("Cargo.toml"))
            .args(["--", "demo"])
            .current_dir(&folder)
            .env("CLICOLOR_FORCE", "1")
            .env_remove("NO_COLOR")
            .output()
            .map_err(|error| failed("cargo", &error))?;
    if !output.status.success() {
        return Err(Trouble::failed(format!(
            "the demo ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )));
    }
    let picture = draw("probity demo", &String::from_utf8_lossy(&output.stdout));
    std::fs::write(workspace::root().join(GOAL), picture).map_err(|error| failed(GOAL, &error))?;
    println!("{GOAL} is drawn");
    Ok(())
}

fn failed(what: &str, error: &std::io::Error) -> Trouble {
    Trouble::failed(format!("{what}: {error}"))
}

/// A terminal with a command and what it printed.
fn draw(command: &str, printed: &str) -> String {
    let prompt = format!("\u{1b}[1;32m$\u{1b}[0m {command}");
    let lines: Vec<Vec<(String, String)>> =
        std::iter::once(prompt.as_str()).chain(printed.lines()).map(pieces).collect();
    let columns =
        lines.iter().map(|line| line.iter().map(|(_, text)| text.chars().count()).sum::<usize>()).max();
    #[expect(clippy::cast_precision_loss, reason = "a terminal is not that wide")]
    let (width, height) = (
        columns.unwrap_or(0) as f64 * LETTER.0 + 2.0 * MARGIN.0,
        lines.len() as f64 * LETTER.1 + MARGIN.1 + 16.0,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"What {command} prints\">\n<style>\n\
         text {{ font: 13.3px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #d7dae0; white-space: pre; }}\n\
         .bold {{ font-weight: 700; }} .dim {{ fill: #8b93a3; }} .red {{ fill: #ff7b72; }}\n\
         .green {{ fill: #7ee787; }} .yellow {{ fill: #e3b341; }} .cyan {{ fill: #76d9e6; }}\n</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#1b1f27\"/>\n\
         <circle cx=\"20\" cy=\"18\" r=\"6\" fill=\"#ff5f57\"/><circle cx=\"40\" cy=\"18\" r=\"6\" fill=\"#febc2e\"/>\
         <circle cx=\"60\" cy=\"18\" r=\"6\" fill=\"#28c840\"/>\n"
    );
    let mut y = MARGIN.1;
    for line in &lines {
        let spans: String = line.iter().map(span).collect();
        let _ = writeln!(out, "<text x=\"{}\" y=\"{y}\" xml:space=\"preserve\">{spans}</text>", MARGIN.0);
        y += LETTER.1;
    }
    out.push_str("</svg>\n");
    out
}

fn span((class, text): &(String, String)) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    if class.is_empty() { text } else { format!("<tspan class=\"{class}\">{text}</tspan>") }
}

/// A line cut where its looks change: each piece with the names of its looks.
fn pieces(line: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut class = String::new();
    let mut parts = line.split("\u{1b}[");
    found.extend(parts.next().map(|text| (String::new(), text.to_owned())));
    for part in parts {
        let (codes, text) = part.split_once('m').unwrap_or(("0", part));
        class = codes.split(';').fold(class, |class, code| match look(code) {
            "" => String::new(),
            look => format!("{class} {look}").trim_start().to_owned(),
        });
        found.push((class.clone(), text.to_owned()));
    }
    found.retain(|(_, text)| !text.is_empty());
    found
}

/// The name of what a code of the terminal does; no name ends everything.
fn look(code: &str) -> &'static str {
    match code {
        "1" => "bold",
        "2" => "dim",
        "31" => "red",
        "32" => "green",
        "33" => "yellow",
        "36" => "cyan",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_classes_and_markup_stays_text() {
        let line = "a\u{1b}[1;31mb <c>\u{1b}[0m d";
        let expected = [("", "a"), ("bold red", "b <c>"), ("", " d")];
        assert_eq!(pieces(line), expected.map(|(class, text)| (class.to_owned(), text.to_owned())));
        let picture = draw("x", line);
        assert!(picture.contains("a<tspan class=\"bold red\">b &lt;c&gt;</tspan> d</text>"), "{picture}");
    }
}
