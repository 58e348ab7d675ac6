//! What packagers and shells ask of the program: completions, manual pages, and facts about the build.

mod run;

use std::process::Command;

use run::probity;

#[track_caller]
fn said(arguments: &[&str]) -> String {
    let run = probity(arguments, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.stdout
}

#[test]
fn every_shell_gets_completions_of_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = said(&["completions", shell]);
        for word in ["generate", "openapi", "coverage", "measure", "replay", "coverage-min"] {
            assert!(text.contains(word), "{shell} does not know {word}");
        }
    }
    assert_eq!(probity(&["completions", "cobol"], "").code, Some(2));
}

#[test]
fn bash_can_read_its_completions() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("probity");
    std::fs::write(&file, said(&["completions", "bash"])).expect("a file is written");
    match Command::new("bash").arg("-n").arg(&file).status() {
        Ok(status) => assert!(status.success()),
        // There are machines without bash, and nobody there needs its completions.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
    }
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    assert!(said(&["man"]).contains(".TH probity 1"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    said(&["man", "-o", folder.path().to_str().expect("a path that is text")]);
    for name in ["probity", "probity-generate", "probity-coverage", "probity-coverage-diff", "probity-mcp"] {
        let text = std::fs::read_to_string(folder.path().join(format!("{name}.1"))).expect(name);
        assert!(text.contains(&format!(".TH {name} 1")), "{name}");
    }
    assert!(!folder.path().join("probity-demo-server.1").exists());
}

#[test]
fn the_version_comes_with_facts_about_the_build() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(said(&["-V"]), format!("probity {version}\n"));
    let long = said(&["--version"]);
    let names: Vec<&str> = long.lines().skip(1).filter_map(|line| Some(line.split_once(": ")?.0)).collect();
    assert!(long.starts_with(&format!("probity {version}\n")), "{long}");
    assert_eq!(names, ["commit", "target", "compiler"], "{long}");
}
